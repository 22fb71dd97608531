//! The files of a project that tools see.

use std::cell::OnceCell;
use std::fs;
use std::path::{Path, PathBuf};

use ignore::{DirEntry, WalkBuilder};

use super::ProjectTexts;

/// Larger files are not read.
const MOST_BYTES: u64 = 256 * 1024;

/// The files below a folder that the ignore rules leave to be seen. They are
/// listed once, when they are asked for first.
#[derive(Debug)]
pub struct VisibleFiles {
    root: PathBuf,
    paths: OnceCell<Vec<String>>,
}

impl VisibleFiles {
    /// The files below `root`.
    pub fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), paths: OnceCell::new() }
    }

    fn list(&self) -> Vec<String> {
        if !ralph_files::has_plain_rules(&self.root) {
            return Vec::new();
        }
        let mut builder = WalkBuilder::new(&self.root);
        builder.hidden(false).ignore(false).parents(false).require_git(false).follow_links(false);
        builder.filter_entry(|item| {
            item.file_name() != ".git" && ralph_files::may_enter(item.path(), item.file_type())
        });
        let files = builder.build().flatten();
        let files = files.filter(|item| item.file_type().is_some_and(|kind| kind.is_file()));
        let below =
            |item: DirEntry| Some(item.path().strip_prefix(&self.root).ok()?.to_str()?.to_owned());
        files.filter_map(below).collect()
    }
}

impl ProjectTexts for VisibleFiles {
    fn each_where(&self, is_wanted: &dyn Fn(&str) -> bool, look: &mut dyn FnMut(&str, &str)) {
        for path in self.paths.get_or_init(|| self.list()).iter().filter(|path| is_wanted(path)) {
            if let Some(text) = self.text_of(path) {
                look(path, &text);
            }
        }
    }

    fn text_of(&self, path: &str) -> Option<String> {
        let path = self.root.join(path);
        let is_small = |found: &fs::Metadata| found.is_file() && found.len() <= MOST_BYTES;
        fs::symlink_metadata(&path).ok().filter(is_small)?;
        ralph_files::read_text(path).ok()
    }
}

/// True if tools that keep to the ignore rules, as linters do, skip a file: the rules of the
/// repository, of its folders, and of the user.
pub fn is_passed_over(root: &Path, path: &Path) -> bool {
    let wanted = root.join(path);
    let mut builder = WalkBuilder::new(root);
    builder.hidden(false).parents(false).require_git(false).follow_links(false);
    let (own, root) = (wanted.clone(), root.to_owned());
    builder.filter_entry(move |item| {
        own.starts_with(item.path()) && ralph_files::has_plain_rules(&root)
    });
    !builder.build().flatten().any(|item| item.path() == wanted)
}

/// The folders in which Python keeps what it compiled of a project's files,
/// relative to its root. Those of installed packages are left out.
pub fn byte_code_folders(root: &Path) -> Vec<PathBuf> {
    const FOLDER: &str = "__pycache__";
    let mut builder = WalkBuilder::new(root);
    builder.standard_filters(false).follow_links(false);
    builder.filter_entry(|item| {
        let name = item.file_name();
        let is_installed = || item.path().join("pyvenv.cfg").exists();
        name != ".git" && name != "node_modules" && name != "site-packages" && !is_installed()
    });
    let folders = builder.build().flatten().filter(|item| {
        item.file_name() == FOLDER && item.file_type().is_some_and(|kind| kind.is_dir())
    });
    folders.filter_map(|item| Some(item.path().strip_prefix(root).ok()?.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_python_compiled_is_found_but_for_installed_packages() {
        let folder = tempfile::tempdir().unwrap();
        for path in ["a/__pycache__", ".venv/lib/__pycache__", "node_modules/x/__pycache__"] {
            fs::create_dir_all(folder.path().join(path)).unwrap();
        }
        fs::write(folder.path().join(".venv/pyvenv.cfg"), "").unwrap();
        assert_eq!(byte_code_folders(folder.path()), [Path::new("a/__pycache__")]);
    }

    #[test]
    fn ignored_files_are_not_read() {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in [(".gitignore", "out/\n"), ("out/a.txt", "1"), ("src/a.py", "2")] {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let mut seen = Vec::new();
        VisibleFiles::new(folder.path())
            .each(&mut |path, text| seen.push(format!("{path} {text}")));
        seen.sort();
        assert_eq!(seen, [".gitignore out/\n", "src/a.py 2"]);
    }
}
