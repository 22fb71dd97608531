//! Trees and commits made without git, for changes of plain files and links
//! only. Everything else is left to git.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::SystemTime;

use ralph_core::Timestamp;

use crate::error::TreeError;
use crate::git_tree::GitTree;
use crate::index_file::kind_of;
use crate::oid::{ObjectKind, Oid};
use crate::overlay::{IndexOverlay, OverlayEntry};
use crate::pack::ObjectBatch;
use crate::scan::{IndexScan, ScanReader};
use crate::snapshot::PathDifference;
use crate::stat::FileStat;
use crate::tree_object::{self, TreeEdits, TreeNode};
use crate::tree_reader::TreeReader;
use crate::view::{self, OrderedFileFinder, PrivateIndexView};
use crate::{path_bytes, probe, raw};

/// Maximum number of files that differ from the private index before it is
/// rewritten.
const MOST_CHANGED: usize = 1000;

/// Maximum number of bytes held in memory, of one file and of all.
const LARGE_FILE: u64 = 4 * 1024 * 1024;
const LARGE_SUM: u64 = 32 * 1024 * 1024;

/// A tree that was made from an earlier one.
pub(crate) struct DerivedTree {
    pub(crate) id: Oid,
    /// Files that differ from the private index now.
    pub(crate) overlay: IndexOverlay,
}

impl GitTree {
    /// Makes the present tree from `base`; `None` if git has to.
    pub(crate) fn renew(
        &self,
        view: &PrivateIndexView,
        base: Oid,
        scan: &IndexScan,
    ) -> Result<Option<DerivedTree>, TreeError> {
        let is_plain = scan.reader == ScanReader::View
            && scan.nested.is_empty()
            && scan.surplus.is_empty()
            && scan.changed.len() + view.overlay.0.len() <= MOST_CHANGED;
        if !is_plain {
            return Ok(None);
        }
        if scan.changed.is_empty() {
            let id = self.edit(base, &TreeEdits::new(), ObjectBatch::default())?;
            return Ok(id.map(|id| DerivedTree { id, overlay: view.overlay.clone() }));
        }
        if !self.converts_nothing(&scan.changed)? {
            return Ok(None);
        }
        let folder = self.index.folder();
        let now = probe::now_in(folder).map_err(TreeError::io("write in", folder))?;
        let known = view.known(&scan.changed);
        let mut batch = ObjectBatch::default();
        let files = scan.changed.iter().map(Vec::as_slice).zip(known.iter().copied());
        let Some(found) = read_files(self.git.root(), files, now, &mut batch) else {
            return Ok(None);
        };
        let mut edits = TreeEdits::new();
        let mut overlay = view.overlay.clone();
        for ((path, known), later) in scan.changed.iter().zip(known).zip(found) {
            let node = later.node();
            if node != known {
                edits.insert(path.clone(), node);
            }
            overlay.0.insert(path.clone(), later);
        }
        let id = self.edit(base, &edits, batch)?;
        Ok(id.map(|id| DerivedTree { id, overlay }))
    }

    /// Applies `edits` to a tree and stores the new objects; `None` if git has
    /// to.
    pub(crate) fn edit(
        &self,
        base: Oid,
        edits: &TreeEdits,
        mut batch: ObjectBatch,
    ) -> Result<Option<Oid>, TreeError> {
        // The tree may be cached although `git gc` removed it and its contents.
        if !self.has_all(&[&base.to_string()])? {
            return Ok(None);
        }
        if edits.is_empty() {
            return Ok(Some(base));
        }
        let folders = tree_object::folders_of(edits.keys().map(Vec::as_slice));
        let mut reader = TreeReader::new(&self.git, &self.folders);
        let folders = match reader.look_up(base, &folders) {
            Ok(folders) => folders,
            Err(TreeError::UnknownTree { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        // The reader's git exits while the objects are written.
        let id = tree_object::rewrite(&folders, b"", edits, &mut batch).unwrap_or_default();
        if id.is_some() {
            self.packs.write(batch)?;
        }
        Ok(id)
    }

    /// Returns true if git stores these files without converting them.
    pub(crate) fn converts_nothing(&self, paths: &BTreeSet<Vec<u8>>) -> Result<bool, TreeError> {
        if !paths.iter().all(|path| is_plain(path)) || self.sparse()?.is_some() {
            return Ok(false);
        }
        if raw::are_configured(&self.git)? || raw::are_unusual(&self.git)? {
            return Ok(false);
        }
        let root = self.git.root();
        let folders = tree_object::folders_of(paths.iter().map(Vec::as_slice));
        let is_plain = |folder: &&[u8]| {
            let is_root = folder.is_empty();
            let folder = root.join(path_bytes::from_bytes(folder));
            !folder.join(".gitattributes").exists() && (is_root || !folder.join(".git").exists())
        };
        Ok(folders.iter().all(is_plain))
    }

    /// Returns the paths that differ between two trees, ordered.
    pub(crate) fn compare(&self, from: &str, to: &str) -> Result<Vec<PathDifference>, TreeError> {
        if from == to {
            return Ok(Vec::new());
        }
        if let (Some(from), Some(to)) = (Oid::parse(from), Oid::parse(to)) {
            let found = TreeReader::new(&self.git, &self.folders).differences(from, to);
            // Git gives the exact error.
            if !matches!(found, Err(TreeError::UnknownTree { .. })) {
                return found;
            }
        }
        self.git.diff_trees(from, to)
    }

    /// Writes a commit as `git commit-tree` does; `None` if git has to.
    pub(crate) fn write_commit(
        &self,
        tree: &str,
        parent: Option<&str>,
        message: &str,
        at: Timestamp,
    ) -> Result<Option<String>, TreeError> {
        let is_sha1 = Oid::parse(tree).is_some();
        if !is_sha1 || raw::are_unusual(&self.git)? {
            return Ok(None);
        }
        let parent = parent.map(|parent| format!("parent {parent}\n")).unwrap_or_default();
        let who = format!("ralph <ralph@localhost> {} +0000", at.as_millis().max(0) / 1000);
        let text = format!("tree {tree}\n{parent}author {who}\ncommitter {who}\n\n{message}");
        let mut batch = ObjectBatch::default();
        let id = batch.add(ObjectKind::Commit, text.as_bytes());
        self.packs.write(batch)?;
        Ok(Some(id.to_string()))
    }
}

impl OverlayEntry {
    pub(crate) fn node(self) -> Option<TreeNode> {
        match self {
            Self::Gone => None,
            Self::There { node, .. } => Some(node),
        }
    }
}

/// Reads files and adds to `batch` those whose contents changed. Returns `None`
/// if one is large, unreadable or not a plain file.
pub(crate) fn read_files<'a>(
    root: &Path,
    files: impl Iterator<Item = (&'a [u8], Option<TreeNode>)>,
    now: SystemTime,
    batch: &mut ObjectBatch,
) -> Option<Vec<OverlayEntry>> {
    let (mut folders, mut sum) = (OrderedFileFinder::new(root), 0);
    let mut later = Vec::new();
    for (path, known) in files {
        let Some(found) = folders.find(path).filter(|found| !found.is_dir()) else {
            later.push(OverlayEntry::Gone);
            continue;
        };
        let mode = tree_object::mode_of(kind_of(&found)?);
        sum += found.len();
        if found.len() > LARGE_FILE || sum > LARGE_SUM {
            return None;
        }
        let contents = view::contents(root, path, &found).ok()?;
        let id = view::blob(&contents);
        if known.is_none_or(|known| known.id != id) {
            batch.add(ObjectKind::Blob, &contents);
        }
        // A later change will show in its time.
        let stat = FileStat::of(&found);
        let stat = (stat.is_older_than(now) || stat.is_settled(now)).then_some(stat);
        later.push(OverlayEntry::There { node: TreeNode { mode, id }, stat });
    }
    Some(later)
}

/// Returns true if git has no special rule for a file of this name.
fn is_plain(path: &[u8]) -> bool {
    const USUAL: [&[u8]; 5] =
        [b".github", b".gitkeep", b".gitlab", b".gitlab-ci.yml", b".gitignore"];
    // Some systems ignore these characters in a name.
    const UNSEEN: [&[u8]; 3] = [b"\xe2\x80", b"\xe2\x81", b"\xef\xbb"];
    let is_odd = |name: &[u8]| {
        let small = name.to_ascii_lowercase();
        let is_gits = small.starts_with(b".git") && !USUAL.contains(&name);
        let is_short_form = small.starts_with(b"gi") && small.contains(&b'~');
        matches!(name, b"" | b"." | b"..")
            || is_gits
            || is_short_form
            || small.iter().any(|byte| matches!(byte, b'\\' | b':'))
            || small.windows(2).any(|pair| UNSEEN.contains(&pair))
    };
    !path.split(|byte| *byte == b'/').any(is_odd)
}

#[cfg(test)]
mod tests {
    use ralph_core::RunId;

    use super::*;
    use crate::label::SnapshotLabel;
    use crate::scratch::ScratchTree;
    use crate::snapshots::Snapshots;

    #[test]
    fn what_git_removed_meanwhile_is_not_built_upon() {
        let scratch = ScratchTree::committed(&[("a", "1")]);
        let tree = scratch.open();
        tree.tree().unwrap();
        for (path, text) in [("new/deep/x", "1"), ("new/y", "1"), ("a", "2")] {
            scratch.write(path, text);
            tree.tree().unwrap();
        }
        scratch.run(&["gc", "-q", "--prune=now"]);
        scratch.write("a", "3");
        let at = Timestamp::from_millis(0);
        let kept = Snapshots::new(&tree, RunId::from_bits(1)).take(SnapshotLabel::Iteration(1), at);
        assert_eq!(kept.unwrap().tree, scratch.tree_anew());
        scratch.run(&["fsck", "--strict", "--no-dangling"]);
    }

    #[test]
    fn many_changes_end_up_in_the_index() {
        let scratch = ScratchTree::committed(&[("a", "1")]);
        let tree = scratch.open();
        tree.tree().unwrap();
        for round in 0..3 {
            for number in 0..=MOST_CHANGED / 3 {
                scratch.write(format!("{round}/{number}"), "1");
            }
            assert_eq!(tree.tree().unwrap(), scratch.tree_anew());
        }
        assert_eq!(tree.tree().unwrap(), scratch.tree_anew());
    }

    #[test]
    fn names_that_git_has_rules_for_are_left_to_git() {
        for path in ["a/b", ".github/x", "a/.gitignore", "git/a", "a~1", "\u{e9}", "agit~1"] {
            assert!(is_plain(path.as_bytes()), "{path}");
        }
        let odd =
            [".git/x", "a/.GIT", ".gitmodules", "GIT~1", "a\\b", "a:b", ".g\u{200c}it", "", "a//b"];
        for path in odd {
            assert!(!is_plain(path.as_bytes()), "{path}");
        }
    }
}
