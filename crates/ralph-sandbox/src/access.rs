//! The access that a program has to each path.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The access to a path and everything below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum PathAccess {
    /// Nothing of it can be seen.
    Hidden,
    /// It can be read and executed.
    Read,
    /// The program has a copy. What it changes in it is lost.
    Copy,
    /// It can be changed too.
    Write,
    /// An empty folder of the program's own takes its place.
    Private,
}

/// One path with its access.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathRule {
    /// The absolute path.
    pub path: PathBuf,
    /// The access.
    pub access: PathAccess,
}

/// The access to all paths. The deepest rule above a path decides.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathRules {
    rules: BTreeMap<PathBuf, PathAccess>,
}

impl PathRules {
    /// Sets the access to a path. Relative paths are ignored: they would mean
    /// another place for each program.
    pub fn set(&mut self, path: &Path, access: PathAccess) {
        if path.is_absolute() {
            self.rules.insert(path.to_owned(), access);
        }
    }

    /// Returns the access to a path; without any rule it is hidden.
    pub fn of(&self, path: &Path) -> PathAccess {
        let known = path.ancestors().find_map(|above| self.rules.get(above));
        known.copied().unwrap_or(PathAccess::Hidden)
    }

    /// Returns the rules. Those of a folder come before those below it.
    pub fn iter(&self) -> impl Iterator<Item = (&Path, PathAccess)> {
        self.rules.iter().map(|(path, access)| (path.as_path(), *access))
    }

    /// Returns the rules below a folder, without its own.
    pub fn below<'a>(&'a self, folder: &'a Path) -> impl Iterator<Item = (&'a Path, PathAccess)> {
        self.iter().filter(move |(path, _)| *path != folder && path.starts_with(folder))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(all: &[(&str, PathAccess)]) -> PathRules {
        let mut rules = PathRules::default();
        for (path, access) in all {
            rules.set(Path::new(path), *access);
        }
        rules
    }

    #[test]
    fn the_deepest_rule_decides() {
        let rules = rules(&[
            ("/", PathAccess::Read),
            ("/h/me/.ssh", PathAccess::Hidden),
            ("/h/me/work", PathAccess::Write),
            ("/h/me/work/.git/hooks", PathAccess::Read),
        ]);
        let check = |path: &str, want| assert_eq!(rules.of(Path::new(path)), want, "{path}");
        check("/etc/passwd", PathAccess::Read);
        check("/h/me/.ssh/id_rsa", PathAccess::Hidden);
        check("/h/me/.sshd", PathAccess::Read);
        check("/h/me/work/.git/index", PathAccess::Write);
        check("/h/me/work/.git/hooks/pre-commit", PathAccess::Read);
    }

    #[test]
    fn a_path_without_a_rule_is_hidden_and_relative_paths_do_not_count() {
        let rules = rules(&[("etc", PathAccess::Write)]);
        assert_eq!(rules.of(Path::new("/etc")), PathAccess::Hidden);
        assert_eq!(rules.iter().count(), 0);
    }

    #[test]
    fn folders_come_before_what_is_below_them() {
        let rules = rules(&[
            ("/a/b", PathAccess::Read),
            ("/a-b", PathAccess::Read),
            ("/a", PathAccess::Write),
        ]);
        let order: Vec<_> = rules.iter().map(|(path, _)| path.to_str().unwrap()).collect();
        assert_eq!(order, ["/a", "/a/b", "/a-b"]);
        let below: Vec<_> = rules.below(Path::new("/a")).map(|(path, _)| path).collect();
        assert_eq!(below, [Path::new("/a/b")]);
    }
}
