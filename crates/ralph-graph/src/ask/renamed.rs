//! Other names under which files pass on what they import.

use std::collections::{HashMap, HashSet};

use crate::facts::Imported;
use crate::family::Family;
use crate::project::Project;

/// What has no name where it is exported.
pub(crate) const DEFAULT: &str = "default";

/// The names that files pass things on under, by those that these had before.
pub(crate) struct Renamed<'a> {
    later: HashMap<&'a str, HashSet<&'a str>>,
}

impl<'a> Renamed<'a> {
    pub(crate) fn new(project: &'a Project) -> Self {
        let mut later: HashMap<&str, HashSet<&str>> = HashMap::new();
        for file in project.ids() {
            let outline = project.file(file).outline();
            let sees_all = project.file(file).family == Family::Rust;
            for import in outline.imports.iter().filter(|import| import.passed_on || sees_all) {
                if let Imported::Name { name, local } = import.imported
                    && name != local
                {
                    let (name, local) = (outline.names.text(name), outline.names.text(local));
                    later.entry(name).or_default().insert(local);
                }
            }
        }
        Self { later }
    }

    /// All names that something with a name may be imported under.
    pub(crate) fn all(&self, name: &'a str) -> HashSet<&'a str> {
        let mut all = HashSet::from([name, DEFAULT]);
        let mut next = vec![name, DEFAULT];
        while let Some(name) = next.pop() {
            let later = self.later.get(name).into_iter().flatten().copied();
            next.extend(later.filter(|later| all.insert(later)));
        }
        all
    }
}
