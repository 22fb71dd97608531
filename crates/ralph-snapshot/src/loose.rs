//! Files that checks may load although no tree holds them: ignored files,
//! nested repositories, and targets of links.

use std::fs::{self, DirEntry, Metadata};
use std::path::{Path, PathBuf};

use ralph_core::Timestamp;

use crate::ignored_at_start::is_output;
use crate::packages::{can_change, is_changed_since, is_package_mark};
use crate::stamp::CACHE_MARK;

/// Name of the entry that makes a folder a repository.
const REPOSITORY: &str = ".git";

/// Files, repositories and links of a project that its tree may not hold. Paths
/// are relative to its root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LooseFiles {
    /// Files that changed, whether a tree holds them or not.
    pub files: Vec<PathBuf>,
    /// Folders that are repositories of their own.
    pub nested: Vec<PathBuf>,
    /// Links to writable places outside, with their targets.
    pub links: Vec<(PathBuf, PathBuf)>,
}

impl LooseFiles {
    /// Finds files that changed after a moment. Output, caches and installed
    /// packages are skipped.
    pub fn since(root: &Path, moment: Timestamp) -> Self {
        let mut found = Self::default();
        for (folder, entries) in FolderIter::below(root) {
            let Ok(below) = folder.strip_prefix(root) else { continue };
            let is_listed = entries.iter().any(|entry| entry.file_name() == REPOSITORY);
            let is_closed =
                || entries.is_empty() && fs::symlink_metadata(folder.join(REPOSITORY)).is_ok();
            if folder != root && (is_listed || is_closed()) {
                found.nested.push(below.to_owned());
            }
            for entry in &entries {
                if entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
                    let target = fs::canonicalize(entry.path()).ok().filter(|target| {
                        !target.starts_with(root) && !root.starts_with(target) && can_change(target)
                    });
                    found
                        .links
                        .extend(target.map(|target| (below.join(entry.file_name()), target)));
                }
                if is_entry_changed(entry, moment) {
                    found.files.push(below.join(entry.file_name()));
                }
            }
        }
        found
    }
}

/// Returns the files at or below a path that changed after a moment. Output,
/// caches and installed packages are skipped.
pub fn files_changed_since(place: &Path, moment: Timestamp) -> Vec<PathBuf> {
    let itself = fs::symlink_metadata(place).is_ok_and(|found| is_file_changed(&found, moment));
    let mut files = Vec::from_iter(itself.then(|| place.to_owned()));
    for (_, entries) in FolderIter::below(place) {
        let changed = entries.iter().filter(|entry| is_entry_changed(entry, moment));
        files.extend(changed.map(DirEntry::path));
    }
    files
}

/// Returns true if a file changed after a moment. Reading metadata through its
/// folder is faster than by its full path.
fn is_entry_changed(entry: &DirEntry, moment: Timestamp) -> bool {
    !is_folder(entry) && entry.metadata().is_ok_and(|found| is_file_changed(&found, moment))
}

/// Returns true if a file or a link changed after a moment.
fn is_file_changed(found: &Metadata, moment: Timestamp) -> bool {
    !found.is_dir() && is_changed_since(found, moment)
}

fn is_folder(entry: &DirEntry) -> bool {
    entry.file_type().is_ok_and(|kind| kind.is_dir())
}

/// Iterates over a folder and those below it, each with its entries. Output,
/// caches and installed packages are skipped.
struct FolderIter {
    first: PathBuf,
    waiting: Vec<PathBuf>,
}

impl FolderIter {
    fn below(place: &Path) -> Self {
        Self { first: place.to_owned(), waiting: vec![place.to_owned()] }
    }
}

impl Iterator for FolderIter {
    type Item = (PathBuf, Vec<DirEntry>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let folder = self.waiting.pop()?;
            let entries: Vec<DirEntry> =
                fs::read_dir(&folder).into_iter().flatten().flatten().collect();
            let is_marked = || {
                let marks = entries.iter().map(DirEntry::file_name);
                let mut marks = marks.filter(|name| name == CACHE_MARK || is_package_mark(name));
                marks.any(|name| folder.join(name).is_file())
            };
            if folder != self.first && is_marked() {
                continue;
            }
            let folders = entries.iter().filter(|entry| is_folder(entry));
            let wanted = folders.filter(|entry| !is_output(&entry.file_name()));
            self.waiting.extend(wanted.map(DirEntry::path));
            return Some((folder, entries));
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn loose_files_links_and_repositories_are_found_and_output_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let top = fs::canonicalize(folder.path()).unwrap();
        let root = top.join("project");
        for path in [
            "shared/a.py",
            "project/conftest.py",
            "project/sub/.git/HEAD",
            "project/sub/b.py",
            "project/build/c.py",
            "project/.cache/d.py",
            "project/own/CACHEDIR.TAG",
            "project/own/e.py",
            "project/node_modules/f.js",
            "project/python/pyvenv.cfg",
            "project/python/g.py",
            "project/php/autoload.php",
            "project/php/h.php",
        ] {
            let path = top.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        symlink("../shared", root.join("link")).unwrap();
        symlink("conftest.py", root.join("inside")).unwrap();
        let mut found = LooseFiles::since(&root, Timestamp::from_millis(1));
        found.files.sort();
        let files = ["conftest.py", "inside", "link", "sub/b.py"];
        assert_eq!(found.files, files.map(PathBuf::from));
        assert_eq!(found.nested, [PathBuf::from("sub")]);
        assert_eq!(found.links, [(PathBuf::from("link"), top.join("shared"))]);
        let moment = Timestamp::from_millis(1);
        for place in ["shared", "shared/a.py"] {
            assert_eq!(files_changed_since(&top.join(place), moment), [top.join("shared/a.py")]);
        }
        let later = Timestamp::from_millis(i64::MAX / 2_000_000);
        assert_eq!(LooseFiles::since(&root, later).files, Vec::<PathBuf>::new());
    }
}
