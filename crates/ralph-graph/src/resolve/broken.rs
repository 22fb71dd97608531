//! Finds imports of names that do not exist.

use super::{LookupScope, QualifierText, ResolvedTarget, Resolver, ScopeLookup, parts};
use crate::facts::{FileFacts, ImportedNames, Reference};
use crate::project::CodeFileId;

impl Resolver<'_> {
    /// Returns true if an unresolved use names something that a file of the
    /// project should have: it is imported from there, or qualified by that
    /// file.
    pub(crate) fn is_broken(
        &self,
        file: CodeFileId,
        facts: &FileFacts,
        reference: &Reference,
    ) -> bool {
        let scope = LookupScope { file, within: reference.within };
        let name = facts.names.text(reference.name);
        match QualifierText::new(reference.qualifier, |name| facts.names.text(name)) {
            QualifierText::Nothing => self.is_imported_in_vain(file, name),
            QualifierText::Path(path) => {
                let first = parts(path).next().unwrap_or(path);
                let whole = match self.path(scope, path) {
                    ScopeLookup::Found(places) => self.is_all_known(&places),
                    ScopeLookup::Outside | ScopeLookup::Unbound => false,
                };
                whole || self.is_imported_in_vain(file, first)
            }
            QualifierText::Itself
            | QualifierText::Parent
            | QualifierText::OfType(_)
            | QualifierText::Unknown => false,
        }
    }

    fn is_imported_in_vain(&self, file: CodeFileId, name: &str) -> bool {
        self.project.file(file).outline().imports.iter().any(|import| {
            let ImportedNames::Name { local, .. } = import.imported else { return false };
            let scope = LookupScope { file, within: import.within };
            self.project.text(file, local) == name
                && self.is_all_known(&self.modules(scope, self.project.text(file, import.module)))
                && self.bound(file, import, name).is_some_and(|found| found.is_empty())
        })
    }

    /// Returns true if the targets are files of the project, and all names in
    /// them are known.
    fn is_all_known(&self, places: &[ResolvedTarget]) -> bool {
        let is_known = |file: &CodeFileId| {
            let passes_on_unknown = self.project.file(*file).outline().imports.iter().any(|it| {
                let scope = LookupScope { file: *file, within: it.within };
                it.imported == ImportedNames::Everything
                    && self.modules(scope, self.project.text(*file, it.module)).is_empty()
            });
            // A Python module can compute its names.
            !passes_on_unknown && self.top_level(*file, "__getattr__").is_empty()
        };
        let all = places.iter().all(|place| match place {
            ResolvedTarget::Module(module) => {
                !module.files.is_empty() && module.files.iter().all(is_known)
            }
            ResolvedTarget::Definition(_) => false,
        });
        all && !places.is_empty()
    }
}
