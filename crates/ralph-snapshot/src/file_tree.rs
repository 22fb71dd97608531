//! Tree ids made without git.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use blake3::Hash;
use ignore::WalkBuilder;
use ralph_core::{Approach, TreeId};

use crate::approach::{self, Parts};
use crate::error::TreeError;
use crate::left_out::LeftOut;
use crate::manifest::{Entry, Kind, Manifest, Manifests};
use crate::path_bytes;
use crate::stat::Stat;
use crate::work_tree::{Change, ChangeKind};

/// Larger files are told apart by their contents alone, in bytes.
const NORMALISED_LIMIT: u64 = 1024 * 1024;

/// A work tree read file by file.
#[derive(Debug)]
pub(crate) struct FileTree {
    root: PathBuf,
    manifests: Manifests,
    /// What was found last, so that only changed files are read again.
    last: Mutex<Option<Manifest>>,
}

impl FileTree {
    pub(crate) fn new(root: &Path, state: &Path) -> Self {
        Self { root: root.to_owned(), manifests: Manifests::new(state), last: Mutex::new(None) }
    }

    pub(crate) fn tree(&self, left_out: &LeftOut) -> Result<TreeId, TreeError> {
        self.manifests.create()?;
        // A panic while it was held leaves at worst `None`, which is sound.
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let known = last.take().or_else(|| self.manifests.newest()).unwrap_or_default();
        let found = self.scan(left_out, &known, self.manifests.now()?)?;
        let id = found.id();
        if found != known || !self.manifests.has(&id) {
            self.manifests.save(&id, &found)?;
        }
        *last = Some(found);
        Ok(id)
    }

    pub(crate) fn changes(&self, from: &TreeId, to: &TreeId) -> Result<Vec<Change>, TreeError> {
        Ok(self.manifests.load(from)?.changes(&self.manifests.load(to)?))
    }

    pub(crate) fn approach(
        &self,
        from: &TreeId,
        to: &TreeId,
    ) -> Result<Option<Approach>, TreeError> {
        let later = self.manifests.load(to)?;
        let mut parts = Parts::default();
        for change in self.manifests.load(from)?.changes(&later) {
            let path = path_bytes::to_bytes(&change.path);
            let sign = match change.kind {
                ChangeKind::Added => b'+',
                ChangeKind::Modified => b'~',
                ChangeKind::Removed => b'-',
            };
            let what = later.0.get(&path).map_or_else(Vec::new, |entry| {
                [&[entry.kind.letter()], entry.normal.as_bytes().as_slice()].concat()
            });
            parts.add(&path, sign, &what);
        }
        Ok(parts.approach())
    }

    fn scan(
        &self,
        left_out: &LeftOut,
        known: &Manifest,
        now: SystemTime,
    ) -> Result<Manifest, TreeError> {
        // The walk passes over what it cannot open, but an unreadable root
        // is no empty tree.
        fs::read_dir(&self.root).map_err(TreeError::io("read", &self.root))?;
        let mut found = Manifest::default();
        // Folders that are closed to us or vanish meanwhile are passed over.
        for item in self.walk(left_out).flatten() {
            let Ok(relative) = item.path().strip_prefix(&self.root) else { continue };
            let path = path_bytes::to_bytes(relative);
            let Ok(metadata) = fs::symlink_metadata(item.path()) else { continue };
            if let Some(entry) = read_entry(item.path(), &metadata, known.0.get(&path)) {
                let stat = entry.stat.filter(|stat| stat.is_settled(now));
                found.0.insert(path, Entry { stat, ..entry });
            }
        }
        Ok(found)
    }

    /// Everything in the work tree that is not ignored. Rules above the root
    /// do not count: they are not part of the project.
    fn walk(&self, left_out: &LeftOut) -> ignore::Walk {
        let (root, left_out) = (self.root.clone(), left_out.clone());
        WalkBuilder::new(&self.root)
            .hidden(false)
            .parents(false)
            .require_git(false)
            .follow_links(false)
            // A project does not reach into `/proc` or another disk.
            .same_file_system(true)
            .filter_entry(move |item| {
                let relative = item.path().strip_prefix(&root).unwrap_or(item.path());
                item.file_name() != ".git" && !left_out.contains(relative)
            })
            .build()
    }
}

/// Describes one file; `None` for folders, pipes, sockets and devices, and
/// for files that vanish meanwhile.
///
/// The metadata are older than the contents, so that an edit in between is
/// found next time.
fn read_entry(path: &Path, metadata: &Metadata, known: Option<&Entry>) -> Option<Entry> {
    let stat = Some(Stat::of(metadata));
    let kind = kind_of(metadata)?;
    if let Some(known) = known.filter(|known| known.kind == kind && known.stat == stat) {
        return Some(known.clone());
    }
    let digests = match kind {
        Kind::Link => fs::read_link(path).map(|target| {
            let digest = blake3::hash(&path_bytes::to_bytes(&target));
            (digest, digest)
        }),
        Kind::File | Kind::Executable | Kind::Unreadable => digest_file(path),
    };
    match digests {
        Ok((content, normal)) => Some(Entry { kind, content, normal, stat }),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(_) => {
            let nothing = blake3::hash(&[]);
            Some(Entry { kind: Kind::Unreadable, content: nothing, normal: nothing, stat: None })
        }
    }
}

fn kind_of(metadata: &Metadata) -> Option<Kind> {
    if metadata.is_symlink() {
        Some(Kind::Link)
    } else if metadata.is_file() {
        Some(if is_executable(metadata) { Kind::Executable } else { Kind::File })
    } else {
        None
    }
}

#[cfg(unix)]
fn is_executable(metadata: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_metadata: &Metadata) -> bool {
    false
}

/// The digests of a file: of its contents, and of its normalised contents.
/// They are the same for large and binary files.
fn digest_file(path: &Path) -> io::Result<(Hash, Hash)> {
    let mut file = File::open(path)?;
    let mut beginning = Vec::new();
    (&mut file).take(NORMALISED_LIMIT + 1).read_to_end(&mut beginning)?;
    let is_whole = beginning.len() as u64 <= NORMALISED_LIMIT;
    let mut hasher = blake3::Hasher::new();
    let content = hasher.update(&beginning).update_reader(file)?.finalize();
    let is_text = is_whole && !beginning.contains(&0);
    Ok((content, if is_text { approach::normal_digest(&beginning) } else { content }))
}

#[cfg(test)]
#[path = "file_tree_tests.rs"]
mod tests;
