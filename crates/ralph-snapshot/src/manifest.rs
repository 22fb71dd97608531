//! The files of a tree outside git. Manifests let two trees be compared later,
//! and unchanged files need not be read again.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;
use std::{fs, io};

use blake3::Hash;
use ralph_core::TreeId;

use crate::error::TreeError;
use crate::escape::{escape, unescape};
use crate::stat::FileStat;
use crate::work_tree::{ChangeKind, TreeChange};
use crate::{path_bytes, probe};

/// Maximum number of manifests kept.
const KEPT: usize = 64;

/// Prefix of our tree ids, which tells them from git's.
const ID_PREFIX: &str = "b3-";

/// First line of every manifest, with the number of its format.
const FIRST_LINE: &str = "ralph tree 1";

/// Minimum number of bytes digested at a time.
const PIECE: usize = 64 * 1024;

/// The kind of a file; the discriminant is its letter in the manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ManifestEntryKind {
    File = b'f' as isize,
    Executable = b'x' as isize,
    Link = b'l' as isize,
    /// It exists but cannot be read.
    Unreadable = b'u' as isize,
}

impl ManifestEntryKind {
    pub(crate) fn letter(self) -> u8 {
        self as u8
    }

    fn from_letter(letter: &str) -> Option<Self> {
        let all = [Self::File, Self::Executable, Self::Link, Self::Unreadable];
        all.into_iter().find(|kind| letter.as_bytes() == [kind.letter()])
    }
}

/// One file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ManifestEntry {
    pub(crate) kind: ManifestEntryKind,
    /// Digest of the contents, or of a link's target.
    pub(crate) content: Hash,
    /// Digest of the contents without numbers and layout.
    pub(crate) normal: Hash,
    /// Metadata at which `content` is true. `None` when the file was too new to
    /// be sure.
    pub(crate) stat: Option<FileStat>,
}

/// All files of a tree, ordered by their path bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TreeManifest(Vec<(Arc<[u8]>, ManifestEntry)>);

/// Of entries with the same path the last one counts.
impl FromIterator<(Arc<[u8]>, ManifestEntry)> for TreeManifest {
    fn from_iter<I: IntoIterator<Item = (Arc<[u8]>, ManifestEntry)>>(files: I) -> Self {
        let mut files: Vec<_> = files.into_iter().collect();
        files.sort_by(|(one, _), (other, _)| one.cmp(other));
        files.dedup_by(|later, earlier| {
            let is_same = later.0 == earlier.0;
            if is_same {
                std::mem::swap(later, earlier);
            }
            is_same
        });
        Self(files)
    }
}

impl TreeManifest {
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u8], &ManifestEntry)> {
        self.0.iter().map(|(path, entry)| (&**path, entry))
    }

    pub(crate) fn get(&self, path: &[u8]) -> Option<&ManifestEntry> {
        let found = self.0.binary_search_by(|(other, _)| (**other).cmp(path)).ok()?;
        self.0.get(found).map(|(_, entry)| entry)
    }

    pub(crate) fn id(&self) -> TreeId {
        let mut hasher = blake3::Hasher::new();
        // Few large pieces are digested faster than many small ones.
        let mut piece = Vec::with_capacity(PIECE + 4096);
        for (path, entry) in &self.0 {
            piece.extend((path.len() as u64).to_le_bytes());
            piece.extend(&**path);
            piece.push(entry.kind.letter());
            piece.extend(entry.content.as_bytes());
            if piece.len() >= PIECE {
                hasher.update(&piece);
                piece.clear();
            }
        }
        let digest = hasher.update(&piece).finalize();
        TreeId::new(format!("{ID_PREFIX}{}", digest.to_hex()))
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Counts the positions at which the entries differ.
    pub(crate) fn differing(&self, other: &Self) -> usize {
        self.0.iter().zip(&other.0).filter(|(one, other)| one != other).count()
    }

    /// Returns true if both have the same id.
    pub(crate) fn is_same_tree(&self, other: &Self) -> bool {
        let facts = |(path, entry): &(Arc<[u8]>, ManifestEntry)| {
            (Arc::clone(path), entry.kind, entry.content)
        };
        self.0.len() == other.0.len() && self.0.iter().map(facts).eq(other.0.iter().map(facts))
    }

    /// Returns the changes from `self` to `later`.
    pub(crate) fn changes(&self, later: &Self) -> Vec<TreeChange> {
        let mut changes = Vec::new();
        let mut push = |path: &[u8], kind| {
            changes.push(TreeChange { path: path_bytes::from_bytes(path), kind });
        };
        for (path, new) in later.iter() {
            match self.get(path) {
                None => push(path, ChangeKind::Added),
                Some(old) if (old.kind, old.content) != (new.kind, new.content) => {
                    push(path, ChangeKind::Modified);
                }
                Some(_) => {}
            }
        }
        for (path, _) in self.iter().filter(|(path, _)| later.get(path).is_none()) {
            push(path, ChangeKind::Removed);
        }
        changes
    }

    pub(crate) fn render(&self) -> String {
        let mut text = format!("{FIRST_LINE}\n");
        for (path, entry) in &self.0 {
            let ManifestEntry { kind, content, normal, stat } = entry;
            text.push(char::from(kind.letter()));
            for digest in [content, normal] {
                text.push(' ');
                text.push_str(&digest.to_hex());
            }
            text.push(' ');
            match stat {
                Some(stat) => render_stat(stat, &mut text),
                None => text.push('-'),
            }
            text.push(' ');
            escape(path, &mut text);
            text.push('\n');
        }
        text
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        if lines.next() != Some(FIRST_LINE) {
            return None;
        }
        lines.map(parse_line).collect()
    }
}

fn parse_line(line: &str) -> Option<(Arc<[u8]>, ManifestEntry)> {
    let mut words = line.splitn(5, ' ');
    let entry = ManifestEntry {
        kind: ManifestEntryKind::from_letter(words.next()?)?,
        content: Hash::from_hex(words.next()?).ok()?,
        normal: Hash::from_hex(words.next()?).ok()?,
        stat: match words.next()? {
            "-" => None,
            stat => Some(parse_stat(stat)?),
        },
    };
    Some((unescape(words.next()?)?.into(), entry))
}

pub(crate) fn render_stat(stat: &FileStat, text: &mut String) {
    let FileStat { size, modified, changed, inode } = stat;
    // Writing to a string cannot fail.
    let _ = write!(text, "{size},{modified},{changed},{inode}");
}

pub(crate) fn parse_stat(text: &str) -> Option<FileStat> {
    let mut numbers = text.split(',');
    Some(FileStat {
        size: numbers.next()?.parse().ok()?,
        modified: numbers.next()?.parse().ok()?,
        changed: numbers.next()?.parse().ok()?,
        inode: numbers.next()?.parse().ok()?,
    })
}

/// The folder with the manifests of the latest trees, one file each.
#[derive(Debug)]
pub(crate) struct ManifestCache {
    folder: PathBuf,
    /// The tree that this process wrote last.
    written: Mutex<Option<TreeId>>,
}

impl ManifestCache {
    /// Uses the folder `trees` of the state folder. [`Self::create`] must
    /// create it before a manifest is saved.
    pub(crate) fn new(state: &Path) -> Self {
        Self { folder: state.join("trees"), written: Mutex::new(None) }
    }

    pub(crate) fn create(&self) -> Result<(), TreeError> {
        fs::create_dir_all(&self.folder).map_err(TreeError::io("create", &self.folder))
    }

    pub(crate) fn now(&self) -> Result<SystemTime, TreeError> {
        probe::now_in(&self.folder).map_err(TreeError::io("write in", &self.folder))
    }

    pub(crate) fn has(&self, id: &TreeId) -> bool {
        self.folder.join(id.as_str()).exists()
    }

    /// Saves a tree and deletes the least recently used ones.
    pub(crate) fn save(&self, id: &TreeId, manifest: &TreeManifest) -> Result<(), TreeError> {
        let path = self.folder.join(id.as_str());
        probe::write_atomically(&path, manifest.render().as_bytes())
            .map_err(TreeError::io("write", &path))?;
        *self.written.lock().unwrap_or_else(PoisonError::into_inner) = Some(id.clone());
        for (_, old) in self.by_age().into_iter().skip(KEPT).filter(|(_, old)| *old != path) {
            // A leftover only costs space; the next save tries again.
            let _ = fs::remove_file(old);
        }
        Ok(())
    }

    /// Links the manifest of a tree to another path, if this process wrote it
    /// last: an older one may be damaged.
    pub(crate) fn link(&self, id: &TreeId, to: &Path) -> bool {
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        written.as_ref() == Some(id) && fs::hard_link(self.folder.join(id.as_str()), to).is_ok()
    }

    /// Returns the files of a tree, and marks it as used.
    pub(crate) fn load(&self, id: &TreeId) -> Result<TreeManifest, TreeError> {
        let unknown = || TreeError::UnknownTree { id: id.clone() };
        let digest = id.as_str().strip_prefix(ID_PREFIX).ok_or_else(unknown)?;
        Hash::from_hex(digest).map_err(|_| unknown())?;
        let path = self.folder.join(id.as_str());
        let text = match ralph_files::read_own_text(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(unknown()),
            Err(error) => return Err(TreeError::io("read", &path)(error)),
        };
        let manifest = TreeManifest::parse(&text).filter(|found| found.id() == *id);
        let manifest = manifest.ok_or_else(unknown)?;
        if let (Ok(file), Ok(now)) = (ralph_files::open_own(&path), self.now()) {
            // At worst the tree is deleted a little early.
            let _ = file.set_modified(now);
        }
        Ok(manifest)
    }

    /// The manifest written last: the best guess at which files are unchanged.
    pub(crate) fn newest(&self) -> Option<TreeManifest> {
        let (_, path) = self.by_age().into_iter().next()?;
        TreeManifest::parse(&ralph_files::read_own_text(path).ok()?)
    }

    /// Returns the paths of our manifests, the newest first.
    fn by_age(&self) -> Vec<(SystemTime, PathBuf)> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut found: Vec<_> = entries
            .filter(|entry| entry.file_name().to_string_lossy().starts_with(ID_PREFIX))
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        found.sort_by(|a, b| b.cmp(a));
        found
    }
}

#[cfg(test)]
#[path = "manifest_tests.rs"]
mod tests;
