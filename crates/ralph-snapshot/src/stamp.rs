//! A stamp of the ignored files of a work tree.
//!
//! Tests depend on them: `.env`, installed packages, databases. Only their
//! metadata are read. Caches are skipped: those with a `CACHEDIR.TAG`, and
//! Python's.

use std::fs::{self, DirEntry, Metadata};
use std::path::{Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::path_bytes;
use crate::stat::FileStat;

/// File that marks a folder as a cache, by the convention of cargo, pytest,
/// mypy and ruff.
pub(crate) const CACHE_MARK: &str = "CACHEDIR.TAG";

/// A cache without a mark.
const BYTE_CODE: &str = "__pycache__";

/// Returns a stamp of the ignored files below `root`: two equal stamps mean
/// that none of them changed. Files in `left_out` do not count. `outer` are
/// rules from outside the work tree; the last of them takes precedence.
pub(crate) fn of_ignored(
    root: &Path,
    outer: Vec<Gitignore>,
    left_out: &dyn Fn(&Path) -> bool,
) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut found = ignored(root, outer, left_out);
    found.sort_unstable();
    for path in found {
        add(&mut hasher, root, &path, left_out);
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

/// Returns the ignored paths, without those below another one.
pub(crate) fn ignored(
    root: &Path,
    outer: Vec<Gitignore>,
    left_out: &dyn Fn(&Path) -> bool,
) -> Vec<PathBuf> {
    let device = fs::symlink_metadata(root).ok().map(|found| device(&found));
    let mut walk = IgnoredWalk { root, left_out, device, rules: outer, found: Vec::new() };
    walk.enter(root);
    walk.found
}

/// A walk that collects ignored paths and does not enter them.
struct IgnoredWalk<'a> {
    root: &'a Path,
    left_out: &'a dyn Fn(&Path) -> bool,
    /// The root's file system; other ones count as ignored.
    device: Option<u64>,
    /// The rules that apply in the present folder, the nearest last.
    rules: Vec<Gitignore>,
    found: Vec<PathBuf>,
}

impl IgnoredWalk<'_> {
    fn enter(&mut self, folder: &Path) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        let entries: Vec<DirEntry> = entries.flatten().collect();
        let above = self.rules.len();
        for name in [".gitignore", ".ignore"] {
            if entries.iter().any(|entry| entry.file_name() == name) {
                self.rules.extend(rules_in(folder, &folder.join(name)));
            }
        }
        for entry in entries.iter().filter(|entry| entry.file_name() != ".git") {
            let path = entry.path();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            // The nearest rule about a path decides.
            let matched = self.rules.iter().rev().map(|rules| rules.matched(&path, is_folder));
            let nearest = matched.into_iter().find(|found| !found.is_none());
            let is_hidden = nearest.is_some_and(|found| found.is_ignore());
            if is_hidden || (is_folder && self.is_elsewhere(&path)) {
                if !(self.left_out)(path.strip_prefix(self.root).unwrap_or(&path)) {
                    self.found.push(path);
                }
            } else if is_folder {
                self.enter(&path);
            }
        }
        self.rules.truncate(above);
    }

    fn is_elsewhere(&self, folder: &Path) -> bool {
        let found = fs::symlink_metadata(folder).ok();
        found.is_some_and(|found| Some(device(&found)) != self.device)
    }
}

/// Parses ignore rules for a folder.
pub(crate) fn parse_rules(folder: &Path, text: &[u8]) -> Gitignore {
    let mut builder = GitignoreBuilder::new(folder);
    for line in String::from_utf8_lossy(text).trim_start_matches('\u{feff}').lines() {
        // Invalid lines are skipped.
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// Reads the ignore rules of a file for a folder, if it has any.
fn rules_in(folder: &Path, file: &Path) -> Option<Gitignore> {
    if !fs::metadata(file).is_ok_and(|found| found.is_file()) {
        return None;
    }
    let mut builder = GitignoreBuilder::new(folder);
    // An unreadable file has no rules, and invalid lines are skipped.
    let _ = builder.add(file);
    builder.build().ok().filter(|rules| !rules.is_empty())
}

#[cfg(unix)]
fn device(found: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::dev(found)
}

#[cfg(not(unix))]
fn device(_: &Metadata) -> u64 {
    0
}

/// Adds a file, or all files in a folder.
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
    let FileStat { size, modified, changed, inode } = FileStat::of(&metadata);
    hasher.update(&path_bytes::to_bytes(relative)).update(&[0]);
    hasher.update(&size.to_le_bytes()).update(&modified.to_le_bytes());
    hasher.update(&changed.to_le_bytes()).update(&inode.to_le_bytes());
}

/// Returns a stamp of one file; empty if there is none.
pub fn file_stamp(path: &Path) -> String {
    let Ok(metadata) = fs::metadata(path) else { return String::new() };
    let FileStat { size, modified, changed, inode } = FileStat::of(&metadata);
    format!("{}:{size}:{modified}:{changed}:{inode}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(root: &Path) -> String {
        of_ignored(root, Vec::new(), &|path| path == Path::new("node_modules/.cache"))
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

    #[test]
    fn the_nearest_rule_decides_what_is_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for path in
            ["a.log", "kept/b.log", "kept/c.tmp", "d.out", "e.o", ".hidden", "deep/er/e.log"]
        {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), "").unwrap();
        }
        fs::write(root.join(".gitignore"), "*.log\n").unwrap();
        fs::write(root.join("kept/.gitignore"), "!*.log\n*.tmp\n").unwrap();
        let outer =
            vec![parse_rules(root, b"\xEF\xBB\xBF*.out\n*.o\n"), parse_rules(root, b"!*.o\n")];
        let mut found = ignored(root, outer, &|_| false);
        found.sort_unstable();
        let want = ["a.log", "d.out", "deep/er/e.log", "kept/c.tmp"].map(|path| root.join(path));
        assert_eq!(found, want);
    }
}
