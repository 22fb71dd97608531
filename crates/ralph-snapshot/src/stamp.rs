//! A stamp of what lies in a work tree and belongs to no tree: ignored files.
//!
//! Tests read them too: `.env`, installed packages, databases. They are not
//! read, only looked at, and caches are passed over: those of the kind that
//! says so itself with a `CACHEDIR.TAG`, and Python's.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use crate::path_bytes;
use crate::stat::Stat;

/// Marks a folder as a cache, by the convention that cargo, pytest, mypy and
/// ruff keep.
const CACHE_MARK: &str = "CACHEDIR.TAG";

/// A cache without a mark.
const BYTE_CODE: &str = "__pycache__";

/// Stands for the ignored files below `root`: two equal stamps mean that none
/// of them changed. Nothing in `left_out` counts.
pub(crate) fn of_ignored(root: &Path, left_out: &dyn Fn(&Path) -> bool) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut found = ignored(root, left_out);
    found.sort_unstable();
    for path in found {
        add(&mut hasher, root, &path, left_out);
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

/// What the ignore rules hide, the topmost of each.
pub(crate) fn ignored(root: &Path, left_out: &dyn Fn(&Path) -> bool) -> Vec<PathBuf> {
    let mut builder = WalkBuilder::new(root);
    builder.hidden(false).follow_links(false).same_file_system(true);
    builder.parents(false).require_git(false);
    builder.filter_entry(|item| item.file_name() != ".git");
    // By folder: what the rules leave to be seen.
    let mut seen: HashMap<PathBuf, Vec<std::ffi::OsString>> = HashMap::new();
    for item in builder.build().flatten() {
        if item.file_type().is_some_and(|kind| kind.is_dir()) {
            seen.entry(item.path().to_owned()).or_default();
        }
        if let (true, Some(folder)) = (item.depth() > 0, item.path().parent()) {
            seen.entry(folder.to_owned()).or_default().push(item.file_name().to_owned());
        }
    }
    let mut found = Vec::new();
    for (folder, mut names) in seen {
        names.sort_unstable();
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let path = entry.path();
            let relative = path.strip_prefix(root).unwrap_or(&path);
            if name != ".git" && names.binary_search(&name).is_err() && !left_out(relative) {
                found.push(path);
            }
        }
    }
    found
}

/// Adds a file, or all that lies in a folder.
fn add(hasher: &mut blake3::Hasher, root: &Path, path: &Path, left_out: &dyn Fn(&Path) -> bool) {
    let relative = path.strip_prefix(root).unwrap_or(path);
    let Ok(metadata) = fs::symlink_metadata(path) else { return };
    if left_out(relative) {
        return;
    }
    if metadata.is_dir() {
        if path.file_name().is_some_and(|name| name == BYTE_CODE) || path.join(CACHE_MARK).is_file()
        {
            return;
        }
        let Ok(entries) = fs::read_dir(path) else { return };
        let mut below: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        below.sort_unstable();
        for path in below {
            add(hasher, root, &path, left_out);
        }
        return;
    }
    let Stat { size, modified, changed, inode } = Stat::of(&metadata);
    hasher.update(&path_bytes::to_bytes(relative)).update(&[0]);
    hasher.update(&size.to_le_bytes()).update(&modified.to_le_bytes());
    hasher.update(&changed.to_le_bytes()).update(&inode.to_le_bytes());
}

/// Stands for one file, wherever it lies; empty if there is none.
pub fn file_stamp(path: &Path) -> String {
    let Ok(metadata) = fs::metadata(path) else { return String::new() };
    let Stat { size, modified, changed, inode } = Stat::of(&metadata);
    format!("{}:{size}:{modified}:{changed}:{inode}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(root: &Path) -> String {
        of_ignored(root, &|path| path == Path::new("node_modules/.cache"))
    }

    #[test]
    fn a_stamp_changes_with_ignored_files_that_are_no_caches() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let write = |path: &str, text: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write(".gitignore", "build/\n.env\nnode_modules/\n__pycache__/\ntarget/\n");
        write("src/a.py", "1");
        write("build/expected.txt", "1");
        write("target/CACHEDIR.TAG", "");
        let mut last = stamp(root);
        for path in
            ["src/a.py", "src/new.py", "__pycache__/a.pyc", "target/a", "node_modules/.cache/a"]
        {
            write(path, "another text");
            assert_eq!(stamp(root), last, "{path}");
        }
        for path in ["build/expected.txt", ".env", "node_modules/a/index.js", "src/__pycache__.env"]
        {
            write(".gitignore", "build/\n.env\nnode_modules/\n__pycache__/\ntarget/\n*.env\n");
            write(path, "another text");
            let next = stamp(root);
            assert_ne!(next, last, "{path}");
            last = next;
        }
        fs::remove_file(root.join(".env")).unwrap();
        assert_ne!(stamp(root), last);
    }
}
