//! Snapshots of known changes, at a cost that does not grow with the work tree.

use std::collections::BTreeSet;
use std::path::PathBuf;

use ralph_core::{Timestamp, TreeId};

use crate::error::TreeError;
use crate::facts::{AttributesPresence, TreeFacts};
use crate::git_tree::GitTree;
use crate::in_process::read_files;
use crate::oid::Oid;
use crate::pack::ObjectBatch;
use crate::scope::TreeScope;
use crate::snapshot::{RecordedTree, Snapshot, TreeVersion};
use crate::tree_object::{self, TreeEdits, TreeNode};
use crate::tree_reader::TreeReader;
use crate::view::OrderedFileFinder;
use crate::{left_out, path_bytes, probe};

impl GitTree {
    /// Records `base` with the present contents of `paths`; `None` if the whole
    /// work tree must be checked.
    pub(crate) fn record_paths(
        &self,
        scope: &TreeScope,
        base: &Snapshot,
        paths: &[PathBuf],
        now: Timestamp,
    ) -> Result<Option<RecordedTree>, TreeError> {
        let version = base.version();
        let Some(tree) = Oid::parse(base.tree.as_str()).filter(|_| version.raw.is_none()) else {
            return Ok(None);
        };
        let Some(paths) = self.plain_paths(scope, base, paths) else { return Ok(None) };
        if base.attributes == AttributesPresence::Present || !self.converts_nothing(&paths)? {
            return Ok(None);
        }
        let Some(known) = self.known(tree, &paths)? else { return Ok(None) };
        let ignored = self.ignored(scope, paths.iter().zip(&known))?;
        let files = paths.iter().zip(known).filter(|(path, _)| !ignored.contains(*path));
        let files: Vec<_> = files.collect();
        let folder = self.index.folder();
        let clock = probe::now_in(folder).map_err(TreeError::io("write in", folder))?;
        let mut batch = ObjectBatch::default();
        let read = files.iter().map(|(path, known)| (path.as_slice(), *known));
        let Some(found) = read_files(self.git.root(), read, clock, &mut batch) else {
            return Ok(None);
        };
        let mut edits = TreeEdits::new();
        for ((path, known), later) in files.into_iter().zip(found) {
            if later.node() != known {
                edits.insert(path.clone(), later.node());
            }
        }
        let Some(id) = self.edit(tree, &edits, batch)? else { return Ok(None) };
        let version = TreeVersion { tree: TreeId::new(id.to_string()), raw: None };
        let changed: Vec<_> = edits
            .iter()
            .map(|(path, node)| (path_bytes::from_bytes(path), node.and_then(TreeNode::kind)))
            .collect();
        let changed = changed.iter().map(|(path, kind)| (&**path, *kind));
        let modes = base.modes.since(self.git.root(), changed);
        Ok(Some(RecordedTree { version, facts: TreeFacts { at: now, modes, ..base.facts() } }))
    }

    /// Returns the paths that count, as git writes them; `None` if one of them
    /// could affect other files.
    fn plain_paths(
        &self,
        scope: &TreeScope,
        base: &Snapshot,
        paths: &[PathBuf],
    ) -> Option<BTreeSet<Vec<u8>>> {
        let mut plain = BTreeSet::new();
        let mut folders = OrderedFileFinder::new(self.git.root());
        for path in paths {
            let path = left_out::relative(self.git.root(), path)?;
            if scope.left_out.contains(&path) {
                continue;
            }
            let bytes = path_bytes::to_bytes(&path);
            let found = folders.find(&bytes);
            let is_rule = bytes.ends_with(b".gitignore") || bytes.ends_with(b".gitattributes");
            let was_left_out = base.left_out.iter().any(|left| left.path == path);
            let is_nested = base.nested.iter().any(|nested| path.starts_with(nested));
            let is_odd =
                found.is_some_and(|found| found.is_dir() || found.len() > scope.size_limit);
            if is_rule || was_left_out || is_nested || is_odd {
                return None;
            }
            plain.insert(bytes);
        }
        Some(plain)
    }

    /// Returns the entries of a tree at these paths; `None` if the tree is
    /// gone.
    fn known(
        &self,
        tree: Oid,
        paths: &BTreeSet<Vec<u8>>,
    ) -> Result<Option<Vec<Option<TreeNode>>>, TreeError> {
        let folders = tree_object::folders_of(paths.iter().map(Vec::as_slice));
        let mut reader = TreeReader::new(&self.git, &self.folders);
        let folders = match reader.look_up(tree, &folders) {
            Ok(folders) => folders,
            Err(TreeError::UnknownTree { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let known = |path: &Vec<u8>| {
            let slash = path.iter().rposition(|byte| *byte == b'/');
            let (parent, name) =
                slash.map_or((&b""[..], &**path), |slash| (&path[..slash], &path[slash + 1..]));
            let node = folders.get(parent)?.1.get(name)?;
            (!node.is_folder()).then_some(*node)
        };
        Ok(Some(paths.iter().map(known).collect()))
    }

    /// Returns the new files that are ignored. Files of the tree count even if
    /// a rule ignores them now.
    fn ignored<'a>(
        &self,
        scope: &TreeScope,
        files: impl Iterator<Item = (&'a Vec<u8>, &'a Option<TreeNode>)>,
    ) -> Result<BTreeSet<Vec<u8>>, TreeError> {
        let new: Vec<_> = files
            .filter(|(path, known)| {
                known.is_none() && !scope.includes(&path_bytes::from_bytes(path))
            })
            .map(|(path, _)| path.clone())
            .collect();
        if new.is_empty() {
            return Ok(BTreeSet::new());
        }
        Ok(self.git.ignored_now(&new)?.into_iter().collect())
    }
}

#[cfg(test)]
#[path = "known_paths_tests.rs"]
mod tests;
