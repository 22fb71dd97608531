//! Reads git's index, if it has only plain entries.

use std::fs::Metadata;

use crate::oid::Oid;
use crate::snapshot::ItemKind;
use crate::tree_object::TreeNode;
use crate::walk::IndexedStat;

/// Flag bits of entries that are not plain: git must not check the file, there
/// are more flags, or the entry is one side of a conflict.
const UNUSUAL: u16 = 0xf000;
/// Number of bytes of an entry before its path.
const FIXED: usize = 62;
/// Offsets of the file's metadata in an entry.
const CHANGED: usize = 0;
const MODIFIED: usize = 8;
const INODE: usize = 20;
const SIZE: usize = 36;
/// A file changed within so many nanoseconds of the index could have changed
/// unseen.
const TICK: i64 = 10_000_000;

/// A file of the index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IndexEntry<'a> {
    pub(crate) path: &'a [u8],
    pub(crate) node: TreeNode,
    /// Times, device, inode, mode, owner and size, as they are in the index.
    stat: &'a [u8],
}

/// The parsed contents of an index.
#[derive(Debug)]
pub(crate) struct IndexContents<'a> {
    /// Ordered by the bytes of their paths.
    pub(crate) files: Vec<IndexEntry<'a>>,
    /// The tree of these files, if git has noted it.
    pub(crate) tree: Option<Oid>,
}

/// Returns all files of an index; `None` if it has something that only git
/// handles: conflicts, flags, nested repositories, SHA-256.
pub(crate) fn parse(index: &[u8]) -> Option<Vec<IndexEntry<'_>>> {
    read(index).map(|index| index.files)
}

/// Parses an index; `None` if it has something that only git handles.
pub(crate) fn read(index: &[u8]) -> Option<IndexContents<'_>> {
    let head = index.strip_prefix(b"DIRC")?;
    let version = number(head, 0)?;
    let count = usize::try_from(number(head, 4)?).ok()?;
    if !matches!(version, 2 | 3) {
        return None;
    }
    let mut rest = index.get(12..)?;
    let mut seen = Vec::with_capacity(count.min(index.len() / FIXED));
    for _ in 0..count {
        let flags = u16::from_be_bytes(rest.get(60..FIXED)?.try_into().ok()?);
        if flags & UNUSUAL != 0 {
            return None;
        }
        let tail = rest.get(FIXED..)?;
        let known = usize::from(flags & 0x0fff);
        // The flags cannot hold longer lengths.
        let length = if known < 0x0fff && tail.get(known) == Some(&0) {
            known
        } else {
            tail.iter().position(|byte| *byte == 0)?
        };
        let node = TreeNode { mode: number(rest, 24)?, id: Oid::from_bytes(&rest[40..60])? };
        if !matches!(node.mode, 0o100_644 | 0o100_755 | 0o120_000) {
            return None;
        }
        seen.push(IndexEntry { path: &tail[..length], node, stat: &rest[..40] });
        rest = rest.get((FIXED + length + 8) & !7..)?;
    }
    let extensions = extensions(rest)?;
    let tree = noted_tree(&extensions, seen.len());
    Some(IndexContents { files: seen, tree })
}

/// Reads the names and contents of extensions; `None` if one of them is
/// mandatory: its name begins with a lower case letter.
fn extensions(mut rest: &[u8]) -> Option<Vec<(&[u8], &[u8])>> {
    let mut found = Vec::new();
    while rest.len() > Oid::LEN {
        let end = 8 + usize::try_from(number(rest, 4)?).ok()?;
        let contents = rest.get(8..end)?;
        if !rest[0].is_ascii_uppercase() {
            return None;
        }
        found.push((&rest[..4], contents));
        rest = &rest[end..];
    }
    (rest.len() == Oid::LEN).then_some(found)
}

/// Returns the tree that git noted for all of the files, if any.
fn noted_tree(extensions: &[(&[u8], &[u8])], files: usize) -> Option<Oid> {
    let (_, trees) = extensions.iter().find(|(name, _)| *name == b"TREE")?;
    // The root comes first: no name, the number of files, -1 once one of them
    // changed, the number of folders, and the id.
    let root = trees.strip_prefix(b"\0")?;
    let line = root.iter().position(|byte| *byte == b'\n')?;
    let counted = std::str::from_utf8(&root[..line]).ok()?.split_once(' ')?.0;
    let id = root.get(line + 1..line + 1 + Oid::LEN)?;
    (counted == files.to_string()).then(|| Oid::from_bytes(id))?
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// Returns the kind of a file; `None` for a folder, a pipe and the like.
#[cfg(unix)]
pub(crate) fn kind_of(found: &Metadata) -> Option<ItemKind> {
    use std::os::unix::fs::PermissionsExt;
    if found.is_symlink() {
        return Some(ItemKind::Link);
    }
    let is_executable = found.permissions().mode() & 0o100 != 0;
    let kind = if is_executable { ItemKind::Executable } else { ItemKind::File };
    found.is_file().then_some(kind)
}

/// Modes are unknown on this system, so git does the work.
#[cfg(not(unix))]
pub(crate) fn kind_of(_found: &Metadata) -> Option<ItemKind> {
    None
}

impl IndexEntry<'_> {
    /// Returns true if the file cannot have changed since `written`, the time
    /// of the index in nanoseconds.
    pub(crate) fn is_like(&self, found: &IndexedStat, written: i64) -> bool {
        let low = |number: i64| u32::try_from(number & 0xffff_ffff).ok();
        let field = |at: usize| number(self.stat, at);
        // Some programs write no fraction of a second. Then the whole second
        // counts.
        let is_at = |at: usize, (seconds, nanos): (i64, i64)| {
            let parts = field(at + 4);
            field(at) == low(seconds) && (parts == low(nanos) || parts == Some(0))
        };
        let is_before = |at: usize, (seconds, nanos): (i64, i64)| {
            let nanos = if field(at + 4) == Some(0) { 999_999_999 } else { nanos };
            seconds.saturating_mul(1_000_000_000).saturating_add(nanos + TICK) < written
        };
        found.mode == Some(self.node.mode)
            && is_at(CHANGED, found.changed)
            && is_at(MODIFIED, found.modified)
            && field(INODE) == low(found.inode)
            && field(SIZE) == low(found.size)
            && is_before(CHANGED, found.changed)
            && is_before(MODIFIED, found.modified)
    }
}
