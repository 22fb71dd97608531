//! Finds the definitions around a position in the text.

use super::{LookupScope, Resolver, definitions, is_type};
use crate::facts::DefinitionKind;
use crate::family::LanguageFamily;
use crate::project::DefRef;

impl Resolver<'_> {
    /// Returns the type around a position: the one that contains it, or the one
    /// that its containing definition belongs to.
    pub(crate) fn enclosing_type(&self, scope: LookupScope) -> Option<DefRef> {
        let start = DefRef { file: scope.file, id: scope.within? };
        let family = self.project.file(scope.file).family;
        for at in std::iter::once(start).chain(self.project.containers(start)) {
            let definition = self.project.outlined(at)?;
            let is_own = is_type(definition.kind)
                || definition.kind == DefinitionKind::Module && family == LanguageFamily::Ruby;
            if is_own {
                return Some(at);
            }
            if family == LanguageFamily::Script {
                if definition.owner.is_some() {
                    return self.script_owners(at).first().copied();
                }
                // An object literal has its methods.
                let outer = self.project.containers(at).next();
                let outer_kind = outer.and_then(|outer| self.project.outlined(outer));
                let is_object = outer_kind.is_some_and(|it| {
                    matches!(it.kind, DefinitionKind::Constant | DefinitionKind::Variable)
                });
                if is_object && definition.kind == DefinitionKind::Method {
                    return outer;
                }
                continue;
            }
            if let Some(owner) = definition.owner {
                let owner = self.project.text(at.file, owner);
                return definitions(&self.owners(at.file, owner)).first().copied();
            }
        }
        None
    }

    /// Returns the type of a constructor; anything else unchanged.
    pub(super) fn constructed(&self, at: DefRef) -> DefRef {
        let is_constructor =
            self.project.outlined(at).is_some_and(|it| it.kind == DefinitionKind::Method)
                && self.project.owner_name(at) == Some(self.project.name(at));
        let own = is_constructor
            .then(|| self.enclosing_type(LookupScope { file: at.file, within: Some(at.id) }));
        own.flatten().unwrap_or(at)
    }

    /// Returns the functions around a position, which can construct objects in
    /// scripts.
    pub(super) fn makers(&self, scope: LookupScope) -> Vec<DefRef> {
        let start = scope.within.map(|id| DefRef { file: scope.file, id });
        if self.project.file(scope.file).family != LanguageFamily::Script {
            return Vec::new();
        }
        let chain =
            start.into_iter().flat_map(|at| std::iter::once(at).chain(self.project.containers(at)));
        let kind = |at: DefRef| self.project.outlined(at).map(|it| it.kind);
        chain.filter(|at| kind(*at) == Some(DefinitionKind::Function)).collect()
    }

    /// Returns the parents of the type around a position.
    pub(super) fn parents(&self, scope: LookupScope) -> Vec<DefRef> {
        let start = scope.within.map(|id| DefRef { file: scope.file, id });
        let mut chain =
            start.into_iter().flat_map(|at| std::iter::once(at).chain(self.project.containers(at)));
        // The body of an enumeration value is a subclass of the enumeration.
        let kind = |at: DefRef| self.project.outlined(at).map(|it| it.kind);
        let first = chain.find(|at| {
            kind(*at).is_some_and(|kind| kind == DefinitionKind::Variant || is_type(kind))
        });
        if let Some(value) = first.filter(|at| kind(*at) == Some(DefinitionKind::Variant)) {
            return self.project.containers(value).take(1).collect();
        }
        let Some(own) = self.enclosing_type(scope) else { return Vec::new() };
        let parts = std::iter::once(own).chain(self.other_parts(own));
        parts.flat_map(|part| self.bases(part)).collect()
    }
}
