//! Tells if a file was ignored under the rules of a snapshot.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::snapshot::{ItemKind, PathDifference, TreeItem};

/// Returns the ignore files that differ from the present ones.
pub(crate) fn rules(ahead: &[PathDifference]) -> Vec<(&Path, Option<&TreeItem>)> {
    let is_rules = |path: &Path| path.file_name().is_some_and(|name| name == ".gitignore");
    let differing = ahead.iter().filter(|difference| is_rules(&difference.path));
    let readable = |item: &&TreeItem| match item.kind {
        ItemKind::File | ItemKind::Executable => true,
        ItemKind::Link | ItemKind::Opaque => false,
    };
    differing.map(|found| (&*found.path, found.to.as_ref().filter(readable))).collect()
}

/// The rules of a snapshot, folder by folder.
#[derive(Debug)]
pub(crate) struct PastIgnoreRules {
    root: PathBuf,
    /// Texts of the ignore files that differ from the present ones.
    differing: BTreeMap<PathBuf, String>,
    folders: BTreeMap<PathBuf, Gitignore>,
}

impl PastIgnoreRules {
    pub(crate) fn new(root: &Path, differing: BTreeMap<PathBuf, String>) -> Self {
        Self { root: root.to_owned(), differing, folders: BTreeMap::new() }
    }

    /// Returns true if these rules hide a file. The deepest rule that matches
    /// it, or a folder above it, decides.
    pub(crate) fn hide(&mut self, path: &Path) -> bool {
        let folders: Vec<_> = path.ancestors().skip(1).map(Path::to_owned).collect();
        for folder in folders {
            let rules = self.of_folder(&folder);
            let Ok(below) = path.strip_prefix(&folder) else { continue };
            let verdict = rules.matched_path_or_any_parents(below, false);
            if !verdict.is_none() {
                return verdict.is_ignore();
            }
        }
        false
    }

    fn of_folder(&mut self, folder: &Path) -> &Gitignore {
        let (root, differing) = (&self.root, &self.differing);
        self.folders.entry(folder.to_owned()).or_insert_with(|| {
            let path = folder.join(".gitignore");
            let text = differing.get(&path).cloned();
            let text = text.unwrap_or_else(|| {
                let bytes = ralph_files::read(root.join(&path)).unwrap_or_default();
                String::from_utf8_lossy(&bytes).into_owned()
            });
            let mut builder = GitignoreBuilder::new("");
            for line in text.lines() {
                // Git skips invalid rules, too.
                let _ = builder.add_line(None, line);
            }
            builder.build().unwrap_or_else(|_| Gitignore::empty())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deepest_rule_that_speaks_of_a_file_decides() {
        let texts = [(".gitignore", "*.log\n/out/\n"), ("src/.gitignore", "!kept.log\n")];
        let texts = texts.map(|(path, text)| (PathBuf::from(path), text.to_owned()));
        let mut rules = PastIgnoreRules::new(Path::new("/nowhere"), texts.into());
        for (path, want) in [
            ("a.log", true),
            ("deep/er/a.log", true),
            ("out/x/y", true),
            ("src/out/x", false),
            ("src/kept.log", false),
            ("src/other.log", true),
            ("a", false),
        ] {
            assert_eq!(rules.hide(Path::new(path)), want, "{path}");
        }
    }
}
