//! Resolves members of values whose type the text states.

use super::questions::ResolverQuery;
use super::{
    LookupScope, Resolution, ResolvedTarget, Resolver, ScopeLookup, UnresolvedUse, definitions,
    is_type, split_last,
};
use crate::facts::{DefinitionKind, ReferenceRole, SymbolVisibility};
use crate::family::LanguageFamily;
use crate::outline::NameKey;
use crate::project::{CodeFileId, DefRef};

impl Resolver<'_> {
    /// Resolves a member of a value, given its type, or with `()` the function
    /// that returned it.
    pub(super) fn of_type(
        &self,
        scope: LookupScope,
        path: &str,
        it: UnresolvedUse<'_>,
    ) -> Resolution {
        if let Some(called) = path.strip_suffix("()") {
            return self.of_result(scope, called, it);
        }
        match self.types(scope, path) {
            ScopeLookup::Found(places) => {
                let types: Vec<DefRef> = definitions(&places);
                self.of_types(&types, it, || {
                    // The target of an alias is not always known.
                    let is_alias = |at: &DefRef| {
                        let kind = self.project.outlined(*at).map(|it| it.kind);
                        kind == Some(DefinitionKind::Alias) && self.bases(*at).is_empty()
                    };
                    if types.iter().any(is_alias) { self.unknown(it) } else { Resolution::Outside }
                })
            }
            ScopeLookup::Outside => Resolution::Outside,
            ScopeLookup::Unbound => self.of_unbound(path, it),
        }
    }

    /// Resolves a member of a call's result: a new object for a class, else the
    /// declared result of the function.
    fn of_result(&self, scope: LookupScope, called: &str, it: UnresolvedUse<'_>) -> Resolution {
        let (before, name) = split_last(called);
        match self.called(scope, called) {
            ScopeLookup::Found(places) => match self.result_types(&places) {
                ScopeLookup::Found(types) => {
                    self.of_types(&definitions(&types), it, || Resolution::Outside)
                }
                ScopeLookup::Outside => Resolution::Outside,
                ScopeLookup::Unbound => self.unknown(it),
            },
            // It may return its arguments.
            ScopeLookup::Outside => self.maybe(it),
            ScopeLookup::Unbound if before.is_empty() => self.of_unbound(name, it),
            ScopeLookup::Unbound => self.unknown(it),
        }
    }

    /// Looks up a called name: bare, after a path, or in the result of another
    /// call.
    fn called(&self, scope: LookupScope, called: &str) -> ScopeLookup {
        let (before, name) = split_last(called);
        let of = match before.strip_suffix("()") {
            None if before.is_empty() => return self.lookup(scope, name),
            None => self.path(scope, before),
            Some(inner) => match self.called(scope, inner) {
                ScopeLookup::Found(places) => self.result_types(&places),
                other @ (ScopeLookup::Outside | ScopeLookup::Unbound) => other,
            },
        };
        match of {
            ScopeLookup::Found(mut places) => {
                // A variable has the members of its type.
                if let ScopeLookup::Found(types) = self.result_types(&places) {
                    places.extend(types);
                }
                let found = places.iter().flat_map(|place| self.members(place, name));
                let mut found: Vec<ResolvedTarget> = found.collect();
                found.sort_unstable();
                found.dedup();
                ScopeLookup::Found(found)
            }
            other @ (ScopeLookup::Outside | ScopeLookup::Unbound) => other,
        }
    }

    /// Returns the types of called or named things: a class is its own type.
    fn result_types(&self, places: &[ResolvedTarget]) -> ScopeLookup {
        let mut types = definitions(places);
        types.retain(|at| self.project.outlined(*at).is_some_and(|it| is_type(it.kind)));
        if !types.is_empty() {
            return ScopeLookup::Found(types.into_iter().map(ResolvedTarget::Definition).collect());
        }
        let [ResolvedTarget::Definition(at)] = places else { return ScopeLookup::Unbound };
        let Some(of) = self.project.file(at.file).outline().type_of(at.id) else {
            return ScopeLookup::Unbound;
        };
        // The type is written in terms of the function's file.
        let container = self.project.outlined(*at).and_then(|it| it.container);
        let scope = LookupScope { file: at.file, within: container };
        match of.strip_suffix("()") {
            None => self.types(scope, of),
            Some(called) => {
                let question = ResolverQuery::Result(*at);
                let find = || match self.called(scope, called) {
                    ScopeLookup::Found(places) => self.result_types(&places),
                    other @ (ScopeLookup::Outside | ScopeLookup::Unbound) => other,
                };
                self.questions.ask(question, find).into()
            }
        }
    }

    /// Resolves a member of a type that the project neither defines nor
    /// imports.
    fn of_unbound(&self, of: &str, it: UnresolvedUse<'_>) -> Resolution {
        if !self.project.file(it.file).family.built_in().has_type(NameKey::of(of), of) {
            return self.unknown(it);
        }
        // It has its built-in members, and those that the project adds.
        let members = self.members_named(it);
        let owner = |at: &DefRef| self.project.outlined(*at).and_then(|it| it.owner);
        let is_added = |at: &&DefRef| {
            owner(at).is_some_and(|owner| split_last(self.project.text(at.file, owner)).1 == of)
        };
        let added: Vec<DefRef> = members.iter().filter(is_added).copied().collect();
        if !added.is_empty() {
            return self.choose(it, added);
        }
        let is_promised = |at: &DefRef| {
            let around = self.project.containers(*at).next();
            let around = around.and_then(|around| self.project.outlined(around));
            around.is_some_and(|around| around.kind == DefinitionKind::Interface)
        };
        let promised: Vec<DefRef> = members.into_iter().filter(is_promised).collect();
        if promised.is_empty() { Resolution::Outside } else { Resolution::Ambiguous(promised) }
    }

    /// Resolves a member of a value of unknown type.
    pub(super) fn unknown(&self, it: UnresolvedUse<'_>) -> Resolution {
        let family = self.project.file(it.file).family;
        let kind = |at: &DefRef| self.project.outlined(*at).map(|it| it.kind);
        let mut found = self.fitting(self.members_named(it), it.role);
        if family.tells_methods_from_fields() {
            let is_apt = |at: &DefRef| match it.role {
                ReferenceRole::Call | ReferenceRole::Applies => {
                    kind(at) != Some(DefinitionKind::Field)
                }
                ReferenceRole::Value => kind(at) != Some(DefinitionKind::Method),
                ReferenceRole::Type | ReferenceRole::Extends | ReferenceRole::Implements => true,
            };
            if found.iter().any(is_apt) {
                found.retain(is_apt);
            }
        }
        // A method passed as a value is as uncertain as a called one.
        let is_method = match it.role {
            ReferenceRole::Call => true,
            ReferenceRole::Value => found.iter().any(|at| kind(at) == Some(DefinitionKind::Method)),
            ReferenceRole::Applies
            | ReferenceRole::Type
            | ReferenceRole::Extends
            | ReferenceRole::Implements => false,
        };
        if is_method && family.built_in().has_method(NameKey::of(it.name), it.name) {
            return self.maybe(it);
        }
        // A method that calls its own name usually delegates to another object.
        let own = it.within.map(|id| DefRef { file: it.file, id });
        match (found.as_slice(), own) {
            ([only], Some(own)) if *only == own => Resolution::Ambiguous(found),
            ([_, ..], _) if self.is_untyped(it.file) => Resolution::Ambiguous(found),
            _ => self.choose(it, found),
        }
    }

    /// Like [`Self::unknown`], but never sure.
    pub(super) fn maybe(&self, it: UnresolvedUse<'_>) -> Resolution {
        let found = self.members_named(it);
        if found.is_empty() { Resolution::Outside } else { Resolution::Ambiguous(found) }
    }

    fn members_named(&self, it: UnresolvedUse<'_>) -> Vec<DefRef> {
        let family = self.project.file(it.file).family;
        let is_member = |at: &&DefRef| {
            let definition = self.project.outlined(**at);
            self.project.file(at.file).family == family
                && definition.is_some_and(|definition| {
                    matches!(
                        definition.kind,
                        DefinitionKind::Method | DefinitionKind::Field | DefinitionKind::Variant
                    ) || definition.owner.is_some()
                        || definition.kind == DefinitionKind::Constant && self.is_inside_type(**at)
                })
                && self.is_visible(it.file, **at)
        };
        self.project.named(it.name).iter().filter(is_member).copied().collect()
    }

    /// Returns true if the language's rules let a file use a definition.
    pub(super) fn is_visible(&self, from: CodeFileId, at: DefRef) -> bool {
        let Some(definition) = self.project.outlined(at) else { return false };
        match definition.reach {
            SymbolVisibility::Nowhere => false,
            // In other languages, names that are private by convention can
            // still be used.
            SymbolVisibility::File => {
                from == at.file || self.project.file(from).family != LanguageFamily::Rust
            }
            SymbolVisibility::Inside => self.rust_modules_around(from).contains(&at.file),
            SymbolVisibility::Crate => self.is_one_crate(from, at.file),
            SymbolVisibility::Project => true,
        }
    }

    /// Returns the only candidate if the file can know it, else all as
    /// ambiguous.
    pub(super) fn choose(&self, it: UnresolvedUse<'_>, found: Vec<DefRef>) -> Resolution {
        match found.as_slice() {
            [] => Resolution::Outside,
            [only] if self.can_reach(it.file, only.file) => Resolution::Known(found),
            _ => Resolution::Ambiguous(found),
        }
    }
}

#[cfg(test)]
#[path = "receivers_tests.rs"]
mod tests;
