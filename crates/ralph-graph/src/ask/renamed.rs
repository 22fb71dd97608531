//! Other names under which files re-export their imports.

use std::collections::{HashMap, HashSet};

use crate::exports;
use crate::facts::ImportedNames;
use crate::family::LanguageFamily;
use crate::project::{CodeProject, DefRef};

/// The name of an export without a name.
pub(crate) const DEFAULT: &str = "default";

/// New names that re-exports give to things, by their old names.
pub(crate) struct ReexportedNames<'a> {
    later: HashMap<&'a str, HashSet<&'a str>>,
}

impl<'a> ReexportedNames<'a> {
    pub(crate) fn new(project: &'a CodeProject) -> Self {
        let mut later: HashMap<&str, HashSet<&str>> = HashMap::new();
        for file in project.ids() {
            let outline = project.file(file).outline();
            let sees_all = project.file(file).family == LanguageFamily::Rust;
            for import in outline.imports.iter().filter(|import| import.passed_on || sees_all) {
                let (name, local) = match import.imported {
                    ImportedNames::Name { name, local } => (outline.names.text(name), local),
                    ImportedNames::Module { local: Some(local) } => (exports::WHOLE, local),
                    ImportedNames::Module { local: None } | ImportedNames::Everything => continue,
                };
                let local = exports::plain(outline.names.text(local));
                if name != local {
                    later.entry(name).or_default().insert(local);
                }
            }
        }
        Self { later }
    }

    /// Returns all names that a definition may be imported under.
    pub(crate) fn all(&self, project: &'a CodeProject, of: DefRef) -> HashSet<&'a str> {
        let owner = project.outlined(of).and_then(|it| it.owner);
        let is_whole = |owner| project.text(of.file, owner) == exports::WHOLE;
        let whole = owner.is_some_and(is_whole).then_some(exports::WHOLE);
        let mut next: Vec<&str> = [project.name(of), DEFAULT].into_iter().chain(whole).collect();
        let mut all: HashSet<&str> = next.iter().copied().collect();
        while let Some(name) = next.pop() {
            let later = self.later.get(name).into_iter().flatten().copied();
            next.extend(later.filter(|later| all.insert(later)));
        }
        all
    }
}
