//! The files of a project by their names.

use std::collections::HashMap;
use std::path::Path;

use ignore::{DirEntry, WalkBuilder};

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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

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
}
