//! Tree ids made without git.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::SystemTime;

use blake3::Hash;
use ignore::{WalkBuilder, WalkState};
use ralph_core::{Approach, TreeId};

use crate::approach::{self, Parts};
use crate::error::TreeError;
use crate::found::Found;
use crate::manifest::{Entry, Kind, Manifest, Manifests};
use crate::objects::Objects;
use crate::path_bytes;
use crate::scope::{LeftOutFile, Scope, WhyLeftOut};
use crate::stat::Stat;
use crate::work_tree::{Change, ChangeKind};

/// Larger files are told apart by their contents alone, in bytes.
const NORMALISED_LIMIT: u64 = 1024 * 1024;

/// A work tree read file by file.
#[derive(Debug)]
pub(crate) struct FileTree {
    pub(crate) root: PathBuf,
    pub(crate) state: PathBuf,
    pub(crate) objects: Objects,
    manifests: Manifests,
    /// What was found last, so that only changed files are read again.
    last: Mutex<Option<Known>>,
}

/// Files that were read earlier, with the name of their tree if that is known.
#[derive(Clone, Debug, Default)]
struct Known {
    manifest: Arc<Manifest>,
    id: Option<TreeId>,
}

impl FileTree {
    pub(crate) fn new(root: &Path, state: &Path) -> Self {
        Self {
            root: root.to_owned(),
            state: state.to_owned(),
            objects: Objects::new(state),
            manifests: Manifests::new(state),
            last: Mutex::new(None),
        }
    }

    pub(crate) fn tree(&self, scope: &Scope) -> Result<Found, TreeError> {
        let (_, found) = self.manifest(scope)?;
        Ok(found)
    }

    /// All files with the name of their tree.
    pub(crate) fn manifest(&self, scope: &Scope) -> Result<(Arc<Manifest>, Found), TreeError> {
        self.manifests.create()?;
        // A panic while it was held leaves at worst `None`, which is sound.
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let newest = || Some(Known { manifest: Arc::new(self.manifests.newest()?), id: None });
        let known: Known = last.take().or_else(newest).unwrap_or_default();
        let (manifest, left_out) = self.scan(scope, &known.manifest, self.manifests.now()?)?;
        let is_same = manifest == *known.manifest;
        let manifest = if is_same { known.manifest } else { Arc::new(manifest) };
        let id = known.id.filter(|_| is_same).unwrap_or_else(|| manifest.id());
        if !is_same || !self.manifests.has(&id) {
            self.manifests.save(&id, &manifest)?;
        }
        *last = Some(Known { manifest: Arc::clone(&manifest), id: Some(id.clone()) });
        Ok((manifest, Found { id, left_out, nested: Vec::new() }))
    }

    /// Lets every file be read anew next time.
    pub(crate) fn forget(&self) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        *last = Some(Known::default());
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
        scope: &Scope,
        known: &Manifest,
        now: SystemTime,
    ) -> Result<(Manifest, Vec<LeftOutFile>), TreeError> {
        // The walk passes over what it cannot open, but an unreadable root
        // is no empty tree.
        fs::read_dir(&self.root).map_err(TreeError::io("read", &self.root))?;
        let (sender, receiver) = mpsc::channel();
        for walk in self.walks(scope) {
            walk.build_parallel().run(|| {
                let sender = sender.clone();
                Box::new(move |item| {
                    // Folders that are closed to us or vanish meanwhile are
                    // passed over.
                    let seen = item.ok().and_then(|item| self.look(item.path(), scope, known));
                    if let Some(seen) = seen {
                        // The receiver is there until all have been sent.
                        let _ = sender.send(seen);
                    }
                    WalkState::Continue
                })
            });
        }
        drop(sender);
        let (mut found, mut left_out) = (Vec::new(), Vec::new());
        for Seen { path, bytes, entry } in receiver {
            let why = match &entry {
                None => Some(WhyLeftOut::TooLarge),
                Some(entry) if entry.kind == Kind::Unreadable => Some(WhyLeftOut::Unreadable),
                Some(_) => None,
            };
            if let Some(why) = why {
                left_out.push(LeftOutFile { path: path_bytes::from_bytes(&path), bytes, why });
            }
            if let Some(entry) = entry {
                let stat = entry.stat.filter(|stat| stat.is_settled(now));
                found.push((path, Entry { stat, ..entry }));
            }
        }
        left_out.sort();
        left_out.dedup();
        Ok((Manifest(found.into_iter().collect()), left_out))
    }

    /// Describes the file at `path`, if it is one.
    fn look(&self, path: &Path, scope: &Scope, known: &Manifest) -> Option<Seen> {
        let relative = path.strip_prefix(&self.root).ok()?;
        let metadata = fs::symlink_metadata(path).ok()?;
        let (key, bytes) = (path_bytes::to_bytes(relative), metadata.len());
        let is_large = metadata.is_file() && bytes > scope.size_limit;
        let entry = if is_large && !scope.must.contains(relative) {
            None
        } else {
            Some(read_entry(path, &metadata, known.0.get(&key))?)
        };
        Some(Seen { path: key, bytes, entry })
    }

    /// Everything that is not ignored, and the ignored paths that count.
    fn walks(&self, scope: &Scope) -> Vec<WalkBuilder> {
        let included = |path: &PathBuf| {
            let mut builder = self.walk_from(&self.root.join(path), scope);
            builder.standard_filters(false);
            builder
        };
        // A walk does not ask whether its own beginning is left out.
        let wanted = scope.included.iter().filter(|path| !scope.left_out.contains(path));
        let included = wanted.map(included);
        std::iter::once(self.walk(scope)).chain(included).collect()
    }

    /// Everything in the work tree that is not ignored. Rules above the root
    /// do not count: they are not part of the project.
    pub(crate) fn walk(&self, scope: &Scope) -> WalkBuilder {
        let mut builder = self.walk_from(&self.root, scope);
        builder.parents(false).require_git(false);
        builder
    }

    fn walk_from(&self, start: &Path, scope: &Scope) -> WalkBuilder {
        let (root, left_out) = (self.root.clone(), scope.left_out.clone());
        let mut builder = WalkBuilder::new(start);
        // A project does not reach into `/proc` or another disk.
        builder.hidden(false).follow_links(false).same_file_system(true);
        builder.filter_entry(move |item| {
            let relative = item.path().strip_prefix(&root).unwrap_or(item.path());
            item.file_name() != ".git" && !left_out.contains(relative)
        });
        builder
    }
}

/// A file that a walk came upon.
struct Seen {
    path: Vec<u8>,
    bytes: u64,
    /// `None` if it is too large to count.
    entry: Option<Entry>,
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
