//! Tree objects: read, compared and rewritten without git.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::oid::{ObjectKind, Oid};
use crate::pack::ObjectBatch;
use crate::snapshot::ItemKind;

/// The mode of a folder.
const FOLDER: u32 = 0o040_000;

/// An entry of a folder in git.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TreeNode {
    pub(crate) mode: u32,
    pub(crate) id: Oid,
}

impl TreeNode {
    pub(crate) fn is_folder(self) -> bool {
        self.mode == FOLDER
    }

    /// Returns the kind of a file; `None` for a folder.
    pub(crate) fn kind(self) -> Option<ItemKind> {
        match self.mode {
            0o100_755 => Some(ItemKind::Executable),
            0o120_000 => Some(ItemKind::Link),
            0o160_000 => Some(ItemKind::Opaque),
            FOLDER => None,
            _ => Some(ItemKind::File),
        }
    }
}

/// Returns the mode that git gives to such an item.
pub(crate) fn mode_of(kind: ItemKind) -> u32 {
    match kind {
        ItemKind::File => 0o100_644,
        ItemKind::Executable => 0o100_755,
        ItemKind::Link => 0o120_000,
        ItemKind::Opaque => 0o160_000,
    }
}

/// The entries of a folder, by name.
pub(crate) type GitFolder = BTreeMap<Vec<u8>, TreeNode>;

/// Reads a tree object; `None` if it is damaged.
pub(crate) fn parse(mut object: &[u8]) -> Option<GitFolder> {
    let mut folder = GitFolder::new();
    while !object.is_empty() {
        let space = object.iter().position(|byte| *byte == b' ')?;
        let end = object.iter().position(|byte| *byte == 0)?;
        let mode = u32::from_str_radix(str::from_utf8(&object[..space]).ok()?, 8).ok()?;
        let name = object.get(space + 1..end)?.to_vec();
        let id = Oid::from_bytes(object.get(end + 1..end + 1 + Oid::LEN)?)?;
        folder.insert(name, TreeNode { mode, id });
        object = &object[end + 1 + Oid::LEN..];
    }
    Some(folder)
}

fn render(folder: &GitFolder) -> Vec<u8> {
    let mut entries: Vec<_> = folder.iter().collect();
    entries.sort_by(|a, b| order(a.0, a.1, b.0, b.1));
    let mut object = Vec::new();
    for (name, node) in entries {
        object.extend(format!("{:o} ", node.mode).bytes());
        object.extend(name);
        object.push(0);
        object.extend(node.id.as_bytes());
    }
    object
}

/// Compares names in git's order: a folder as if its name ended with a slash.
fn order(a: &[u8], a_node: &TreeNode, b: &[u8], b_node: &TreeNode) -> Ordering {
    let tail = |node: &TreeNode| node.is_folder().then_some(b'/');
    a.iter().copied().chain(tail(a_node)).cmp(b.iter().copied().chain(tail(b_node)))
}

/// The new state of files by path; `None` removes the file.
pub(crate) type TreeEdits = BTreeMap<Vec<u8>, Option<TreeNode>>;

/// Returns the folders that [`rewrite`] needs, the root as an empty path.
pub(crate) fn folders_of<'a>(paths: impl Iterator<Item = &'a [u8]>) -> Vec<&'a [u8]> {
    let mut folders = vec![&b""[..]];
    for path in paths {
        let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        folders.extend(ends.map(|(end, _)| &path[..end]));
    }
    folders.sort_unstable();
    folders.dedup();
    folders
}

/// An error: a path is both file and folder, or a folder is missing.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct EditConflict;

/// Applies `edits` to the folder `prefix` and below; only new objects are added
/// to `batch`. `folders` has those of [`folders_of`] that exist. Returns `None`
/// if the folder is empty then.
pub(crate) fn rewrite(
    folders: &BTreeMap<Vec<u8>, (Oid, GitFolder)>,
    prefix: &[u8],
    edits: &TreeEdits,
    batch: &mut ObjectBatch,
) -> Result<Option<Oid>, EditConflict> {
    let before = folders.get(prefix);
    let mut folder = before.map(|(_, folder)| folder.clone()).unwrap_or_default();
    let start = if prefix.is_empty() { Vec::new() } else { [prefix, b"/"].concat() };
    let mut rest = edits.range(start.clone()..).take_while(|(path, _)| path.starts_with(&start));
    let mut below: Vec<Vec<u8>> = Vec::new();
    let mut files = Vec::new();
    for (path, edit) in &mut rest {
        let name = &path[start.len()..];
        match name.iter().position(|byte| *byte == b'/') {
            Some(end) => below.push(name[..end].to_vec()),
            None => files.push((name.to_vec(), *edit)),
        }
    }
    below.sort_unstable();
    below.dedup();
    for name in &below {
        let path = [&*start, name].concat();
        let was_folder = folder.get(name).is_some_and(|node| node.is_folder());
        if was_folder && !folders.contains_key(&path) {
            return Err(EditConflict);
        }
        match rewrite(folders, &path, edits, batch)? {
            Some(id) => drop(folder.insert(name.clone(), TreeNode { mode: FOLDER, id })),
            None if was_folder => drop(folder.remove(name)),
            None => {}
        }
    }
    for (name, edit) in files {
        let is_folder = folder.get(&name).is_some_and(|node| node.is_folder());
        match edit {
            Some(_) if is_folder => return Err(EditConflict),
            Some(node) => drop(folder.insert(name, node)),
            // A folder has replaced the file.
            None if is_folder => {}
            None => drop(folder.remove(&name)),
        }
    }
    if folder.is_empty() && !prefix.is_empty() {
        return Ok(None);
    }
    let object = render(&folder);
    let id = Oid::of(ObjectKind::Tree, &object);
    if before.is_none_or(|(before, _)| *before != id) {
        batch.add(ObjectKind::Tree, &object);
    }
    Ok(Some(id))
}

#[cfg(test)]
#[path = "tree_object_tests.rs"]
mod tests;
