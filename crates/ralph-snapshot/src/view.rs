//! The files at the last scan: the private index with later changes.

use std::collections::BTreeSet;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use std::{io, iter, thread};

use crate::found::ListedFile;
use crate::index_file::{self, IndexEntry};
use crate::left_out::LeftOut;
use crate::oid::{ObjectKind, Oid};
use crate::overlay::{IndexOverlay, OverlayEntry};
use crate::path_bytes;
use crate::scan::DirtyFiles;
use crate::snapshot::ItemKind;
use crate::stat::FileStat;
use crate::tree_object::TreeNode;
use crate::walk::NoFollowWalk;

/// Number of files below which a second thread is not worth it.
const PER_THREAD: usize = 2000;
const MOST_THREADS: usize = 4;

/// A private index that is readable without git.
pub(crate) struct PrivateIndexView {
    index: Vec<u8>,
    /// Time when the index was written, in nanoseconds.
    written: i64,
    pub(crate) overlay: IndexOverlay,
}

impl PrivateIndexView {
    /// Opens the index; `None` if git has to read it.
    pub(crate) fn open(index: &Path, overlay: IndexOverlay) -> Option<Self> {
        let written = fs::metadata(index).ok()?.modified().ok()?;
        let written = written.duration_since(UNIX_EPOCH).ok()?.as_nanos();
        let index = ralph_files::read(index).ok()?;
        Some(Self { index, written: i64::try_from(written).ok()?, overlay })
    }

    /// Compares with the present files; `None` if git has to.
    pub(crate) fn dirty(&self, root: &Path) -> Option<DirtyFiles> {
        let seen = index_file::parse(&self.index)?;
        let threads = thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
        let share = seen.len().div_ceil(threads).max(PER_THREAD);
        let mut dirty = thread::scope(|scope| {
            let look = |part| move || self.changed_in(root, part);
            let others: Vec<_> =
                seen.chunks(share).skip(1).map(|part| scope.spawn(look(part))).collect();
            let mut dirty =
                self.changed_in(root, seen.get(..share.min(seen.len())).unwrap_or(&seen));
            for other in others {
                let more = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                dirty.paths.extend(more.paths);
                dirty.permissions.extend(more.permissions);
            }
            dirty
        });
        let mut folders = OrderedFileFinder::new(root);
        for (path, later) in &self.overlay.0 {
            let found = folders.find(path);
            let is_same = match later {
                // A folder may have replaced it.
                OverlayEntry::Gone => found.is_none_or(|found| found.is_dir()),
                OverlayEntry::There { stat, node } => found.is_some_and(|found| {
                    let kind = index_file::kind_of(&found);
                    *stat == Some(FileStat::of(&found))
                        && kind.is_some_and(|kind| crate::tree_object::mode_of(kind) == node.mode)
                }),
            };
            if is_same {
                dirty.same.insert(path.clone());
            } else {
                dirty.paths.push(path.clone());
            }
        }
        Some(dirty)
    }

    fn changed_in(&self, root: &Path, part: &[IndexEntry<'_>]) -> DirtyFiles {
        let mut walk = NoFollowWalk::new(root).ok();
        let mut dirty = DirtyFiles::default();
        for seen in part {
            if !self.overlay.0.is_empty() && self.overlay.0.contains_key(seen.path) {
                dirty.permissions.push(None);
                continue;
            }
            let found = walk.as_mut().and_then(|walk| walk.find(seen.path));
            dirty.permissions.push(found.and_then(|found| found.permissions));
            if !found.is_some_and(|found| seen.is_like(&found, self.written)) {
                dirty.paths.push(seen.path.to_vec());
            }
        }
        dirty
    }

    /// Returns all files, in no order; `None` if git has to read the index.
    /// `permissions` are those that a scan read, if there was one.
    pub(crate) fn files(&self, permissions: &[Option<u32>]) -> Option<Vec<ListedFile>> {
        let file = |path: &[u8], node: TreeNode, permissions| {
            let kind = match node.mode {
                0o100_755 => ItemKind::Executable,
                0o120_000 => ItemKind::Link,
                _ => ItemKind::File,
            };
            ListedFile { path: path_bytes::from_bytes(path), kind, permissions }
        };
        let later = self.overlay.0.iter();
        let later = later.filter_map(|(path, later)| Some(file(path, later.node()?, None)));
        let seen = index_file::parse(&self.index)?;
        let permissions = permissions.iter().copied().chain(iter::repeat(None));
        let seen = seen.iter().zip(permissions);
        let seen = seen.filter(|(seen, _)| !self.overlay.0.contains_key(seen.path));
        Some(
            seen.map(|(seen, permissions)| file(seen.path, seen.node, permissions))
                .chain(later)
                .collect(),
        )
    }

    /// Returns the tree of the index, if git has noted it and it has nothing of
    /// `left_out`.
    pub(crate) fn noted_tree(&self, left_out: &LeftOut) -> Option<Oid> {
        let index = index_file::read(&self.index)?;
        let holds = |left_out: &Vec<u8>| {
            let next = index.files.partition_point(|seen| seen.path < &**left_out);
            let mut from =
                index.files[next..].iter().take_while(|seen| seen.path.starts_with(left_out));
            from.any(|seen| matches!(seen.path.get(left_out.len()), None | Some(b'/')))
        };
        index.tree.filter(|_| !left_out.listed(b"").iter().any(holds))
    }

    /// Returns true if the index is readable here and `is_wanted` holds for
    /// none of its paths.
    pub(crate) fn has_none(&self, is_wanted: impl Fn(&[u8]) -> bool) -> bool {
        let seen = index_file::parse(&self.index);
        seen.is_some_and(|seen| !seen.iter().any(|seen| is_wanted(seen.path)))
    }

    /// Returns the known entries of these files; `None` for files that did not
    /// exist.
    pub(crate) fn known(&self, paths: &BTreeSet<Vec<u8>>) -> Vec<Option<TreeNode>> {
        let seen = index_file::parse(&self.index).unwrap_or_default();
        let in_index = |path: &[u8]| {
            // Git orders its index by the bytes of the paths.
            let at = seen.binary_search_by(|seen| seen.path.cmp(path)).ok()?;
            Some(seen[at].node)
        };
        let known = |path: &Vec<u8>| match self.overlay.0.get(path) {
            Some(OverlayEntry::Gone) => None,
            Some(OverlayEntry::There { node, .. }) => Some(*node),
            None => in_index(path),
        };
        paths.iter().map(known).collect()
    }
}

/// Finds files in order of their paths, without following links to folders.
pub(crate) struct OrderedFileFinder<'a> {
    root: &'a Path,
    last: Vec<u8>,
    is_real: bool,
}

impl<'a> OrderedFileFinder<'a> {
    pub(crate) fn new(root: &'a Path) -> Self {
        Self { root, last: Vec::new(), is_real: true }
    }

    fn on_disk(&self, path: &[u8]) -> PathBuf {
        self.root.join(path_bytes::from_bytes(path))
    }

    /// Returns the metadata of a file; `None` if it does not exist.
    pub(crate) fn find(&mut self, path: &[u8]) -> Option<Metadata> {
        let slash = path.iter().rposition(|byte| *byte == b'/');
        let folder = slash.map_or(&b""[..], |slash| &path[..slash]);
        if folder != self.last {
            self.is_real = self.is_real_folder(folder);
            self.last = folder.to_vec();
        }
        if !self.is_real {
            return None;
        }
        fs::symlink_metadata(self.on_disk(path)).ok()
    }

    fn is_real_folder(&self, folder: &[u8]) -> bool {
        let ends = folder.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(end, _)| end);
        ends.chain([folder.len()]).filter(|end| *end > 0).all(|end| {
            let part = &folder[..end];
            let is_above_last = self.is_real
                && self.last.starts_with(part)
                && matches!(self.last.get(end), None | Some(b'/'));
            is_above_last
                || fs::symlink_metadata(self.on_disk(part)).is_ok_and(|found| found.is_dir())
        })
    }
}

/// Reads the bytes that git would store for a file that it does not convert.
pub(crate) fn contents(root: &Path, path: &[u8], found: &Metadata) -> io::Result<Vec<u8>> {
    let path = root.join(path_bytes::from_bytes(path));
    if found.is_symlink() {
        return fs::read_link(path).map(|target| path_bytes::to_bytes(&target));
    }
    ralph_files::read(path)
}

/// Returns the id of a blob.
pub(crate) fn blob(contents: &[u8]) -> Oid {
    Oid::of(ObjectKind::Blob, contents)
}
