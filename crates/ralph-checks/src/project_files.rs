//! The files of a project, walked.

use std::fs;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use crate::tamper::ProjectTexts;

/// Larger files are not read.
const MOST_BYTES: u64 = 256 * 1024;

/// The files below this folder that the ignore rules leave to be seen.
#[derive(Clone, Copy, Debug)]
pub struct VisibleFiles<'a>(pub &'a Path);

impl ProjectTexts for VisibleFiles<'_> {
    fn each(&self, look: &mut dyn FnMut(&str, &str)) {
        self.each_where(&|_| true, look);
    }

    fn each_where(&self, is_wanted: &dyn Fn(&str) -> bool, look: &mut dyn FnMut(&str, &str)) {
        if !ralph_files::has_plain_rules(self.0) {
            return;
        }
        let mut builder = WalkBuilder::new(self.0);
        builder.hidden(false).ignore(false).parents(false).require_git(false).follow_links(false);
        builder.filter_entry(|item| {
            item.file_name() != ".git" && ralph_files::may_enter(item.path(), item.file_type())
        });
        for item in builder.build().flatten() {
            let path = item.path().strip_prefix(self.0).ok().and_then(Path::to_str);
            let Some(path) = path.filter(|path| is_wanted(path)) else { continue };
            let is_small = |found: fs::Metadata| found.is_file() && found.len() <= MOST_BYTES;
            if !item.metadata().is_ok_and(is_small) {
                continue;
            }
            if let Ok(text) = ralph_files::read_text(item.path()) {
                look(path, &text);
            }
        }
    }

    fn text_of(&self, path: &str) -> Option<String> {
        let path = self.0.join(path);
        let is_small = |found: &fs::Metadata| found.is_file() && found.len() <= MOST_BYTES;
        fs::symlink_metadata(&path).ok().filter(is_small)?;
        ralph_files::read_text(path).ok()
    }
}

/// Whether tools that keep to the ignore rules, as linters do, pass a file
/// over: those of the repository, of its folders, and of the user.
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
        VisibleFiles(folder.path()).each(&mut |path, text| seen.push(format!("{path} {text}")));
        seen.sort();
        assert_eq!(seen, [".gitignore out/\n", "src/a.py 2"]);
    }
}
