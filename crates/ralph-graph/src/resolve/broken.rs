//! Finds imports of names that do not exist.

use super::{Before, Lookup, Place, Resolver, Scope, parts};
use crate::facts::{FileFacts, Imported, Reference};
use crate::project::FileId;

impl Resolver<'_> {
    /// Returns true if an unresolved use names something that a file of the
    /// project should have: it is imported from there, or qualified by that
    /// file.
    pub(crate) fn is_broken(&self, file: FileId, facts: &FileFacts, reference: &Reference) -> bool {
        let scope = Scope { file, within: reference.within };
        let name = facts.names.text(reference.name);
        match Before::new(reference.qualifier, |name| facts.names.text(name)) {
            Before::Nothing => self.is_imported_in_vain(file, name),
            Before::Path(path) => {
                let first = parts(path).next().unwrap_or(path);
                let whole = match self.path(scope, path) {
                    Lookup::Found(places) => self.is_all_known(&places),
                    Lookup::Outside | Lookup::Unbound => false,
                };
                whole || self.is_imported_in_vain(file, first)
            }
            Before::Itself | Before::Parent | Before::OfType(_) | Before::Unknown => false,
        }
    }

    fn is_imported_in_vain(&self, file: FileId, name: &str) -> bool {
        self.project.file(file).outline().imports.iter().any(|import| {
            let Imported::Name { local, .. } = import.imported else { return false };
            let scope = Scope { file, within: import.within };
            self.project.text(file, local) == name
                && self.is_all_known(&self.modules(scope, self.project.text(file, import.module)))
                && self.bound(file, import, name).is_some_and(|found| found.is_empty())
        })
    }

    /// Returns true if the targets are files of the project, and all names in
    /// them are known.
    fn is_all_known(&self, places: &[Place]) -> bool {
        let is_known = |file: &FileId| {
            let passes_on_unknown = self.project.file(*file).outline().imports.iter().any(|it| {
                let scope = Scope { file: *file, within: it.within };
                it.imported == Imported::Everything
                    && self.modules(scope, self.project.text(*file, it.module)).is_empty()
            });
            // A Python module can compute its names.
            !passes_on_unknown && self.top_level(*file, "__getattr__").is_empty()
        };
        let all = places.iter().all(|place| match place {
            Place::Module(module) => !module.files.is_empty() && module.files.iter().all(is_known),
            Place::Definition(_) => false,
        });
        all && !places.is_empty()
    }
}
