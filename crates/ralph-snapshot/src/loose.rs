//! What checks may load of a project and no tree holds: ignored files,
//! repositories inside of it, and what its links lead to.

use std::fs;
use std::path::{Path, PathBuf};

use ignore::{Walk, WalkBuilder};
use ralph_core::Timestamp;

use crate::ignored_at_start::is_output;
use crate::packages::{can_change, is_changed_since, is_packages};
use crate::stamp::CACHE_MARK;

/// What lies loose in a project. Paths are relative to its root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loose {
    /// Files that changed, whether a tree holds them or not.
    pub files: Vec<PathBuf>,
    /// Folders that are repositories of their own.
    pub nested: Vec<PathBuf>,
    /// Links to places outside that can be changed, with where they lead.
    pub links: Vec<(PathBuf, PathBuf)>,
}

impl Loose {
    /// Looks for what changed after a moment. Output, caches and installed
    /// packages are passed over.
    pub fn since(root: &Path, moment: Timestamp) -> Self {
        let mut found = Self::default();
        for item in walk(root).flatten().filter(|item| item.depth() > 0) {
            let (path, kind) = (item.path(), item.file_type());
            let Ok(below) = path.strip_prefix(root) else { continue };
            if item.path_is_symlink() {
                let target = fs::canonicalize(path).ok().filter(|target| {
                    !target.starts_with(root) && !root.starts_with(target) && can_change(target)
                });
                found.links.extend(target.map(|target| (below.to_owned(), target)));
            } else if kind.is_some_and(|kind| kind.is_dir()) {
                let is_nested = path.join(".git").symlink_metadata().is_ok();
                found.nested.extend(is_nested.then(|| below.to_owned()));
            }
            if is_file_changed(path, moment) {
                found.files.push(below.to_owned());
            }
        }
        found
    }
}

/// The files below a folder, or the file, that changed after a moment. Output,
/// caches and installed packages are passed over.
pub fn files_changed_since(place: &Path, moment: Timestamp) -> Vec<PathBuf> {
    let files = walk(place).flatten().map(ignore::DirEntry::into_path);
    files.filter(|path| is_file_changed(path, moment)).collect()
}

/// Whether a file, or a link, changed after a moment.
fn is_file_changed(path: &Path, moment: Timestamp) -> bool {
    fs::symlink_metadata(path)
        .is_ok_and(|found| !found.is_dir() && is_changed_since(&found, moment))
}

fn walk(place: &Path) -> Walk {
    let mut builder = WalkBuilder::new(place);
    builder.standard_filters(false).follow_links(false);
    builder.filter_entry(|item| {
        let is_folder = item.file_type().is_some_and(|kind| kind.is_dir());
        let path = item.path();
        let is_passed =
            || is_output(item.file_name()) || is_packages(path) || path.join(CACHE_MARK).is_file();
        item.depth() == 0 || !is_folder || !is_passed()
    });
    builder.build()
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
        ] {
            let path = top.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        symlink("../shared", root.join("link")).unwrap();
        symlink("conftest.py", root.join("inside")).unwrap();
        let mut found = Loose::since(&root, Timestamp::from_millis(1));
        found.files.sort();
        let files = ["conftest.py", "inside", "link", "sub/b.py"];
        assert_eq!(found.files, files.map(PathBuf::from));
        assert_eq!(found.nested, [PathBuf::from("sub")]);
        assert_eq!(found.links, [(PathBuf::from("link"), top.join("shared"))]);
        let moment = Timestamp::from_millis(1);
        assert_eq!(files_changed_since(&top.join("shared"), moment), [top.join("shared/a.py")]);
        let later = Timestamp::from_millis(i64::MAX / 2_000_000);
        assert_eq!(Loose::since(&root, later).files, Vec::<PathBuf>::new());
    }
}
