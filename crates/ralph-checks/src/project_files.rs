//! The files of a project, walked.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use ignore::{DirEntry, WalkBuilder};

use crate::tamper::ProjectTexts;

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

/// The maximum number of files that are remembered by their names.
const MOST_NAMES: usize = 200_000;

/// The files of a project by their names: some tools name them without folders.
#[derive(Debug, Default)]
pub(crate) struct SourceFiles(HashMap<String, Vec<String>>);

impl SourceFiles {
    /// The files below a folder that the ignore rules leave to be seen.
    pub(crate) fn below(root: &Path) -> Self {
        let mut files: HashMap<String, Vec<String>> = HashMap::new();
        if !ralph_files::has_plain_rules(root) {
            return Self(files);
        }
        let mut builder = WalkBuilder::new(root);
        builder.parents(false).require_git(false).follow_links(false);
        let is_file = |item: &DirEntry| item.file_type().is_some_and(|kind| kind.is_file());
        for item in builder.build().flatten().filter(is_file).take(MOST_NAMES) {
            let path = item.path().strip_prefix(root).ok().and_then(Path::to_str);
            if let Some((path, name)) = path.zip(item.file_name().to_str()) {
                files.entry(name.to_owned()).or_default().push(path.to_owned());
            }
        }
        Self(files)
    }

    /// The one file of this name: in `package`, the end of a folder, if that
    /// tells, and in `dir` if that does.
    pub(crate) fn find(&self, name: &str, package: &str, dir: &Path) -> Option<String> {
        let paths = self.0.get(name)?;
        let end = Path::new(package).join(name);
        let is_of = |path: &&String| Path::new(path).ends_with(&end);
        let own = |path: &&String| is_of(path) && Path::new(path).starts_with(dir);
        let only =
            |mut found: Vec<&String>| if found.len() == 1 { found.pop().cloned() } else { None };
        only(paths.iter().filter(own).collect())
            .or_else(|| only(paths.iter().filter(is_of).collect()))
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
    fn a_file_is_found_by_its_name_if_only_one_can_be_meant() {
        let folder = tempfile::tempdir().unwrap();
        for path in ["api/src/shop/ATest.java", "web/src/shop/ATest.java", "web/src/x/B.java"] {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let files = SourceFiles::below(folder.path());
        let find = |name, package, dir| files.find(name, package, Path::new(dir));
        assert_eq!(find("ATest.java", "shop", ""), None);
        assert_eq!(find("ATest.java", "shop", "web").unwrap(), "web/src/shop/ATest.java");
        assert_eq!(find("B.java", "", "api").unwrap(), "web/src/x/B.java");
        assert_eq!(find("B.java", "y", ""), None);
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
