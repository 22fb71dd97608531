//! Exports of scripts, and members that are assigned.

use super::questions::ResolverQuery;
use super::{
    LookupScope, Resolution, ResolvedTarget, Resolver, ScopeLookup, UnresolvedUse, definitions,
    parts,
};
use crate::exports;
use crate::facts::{DefinitionKind, SymbolVisibility};
use crate::family::LanguageFamily;
use crate::outline::NameKey;
use crate::project::{CodeFileId, DefRef};

impl Resolver<'_> {
    /// Returns what a file exports under a name.
    pub(super) fn given(&self, file: CodeFileId, name: &str) -> Vec<ResolvedTarget> {
        // Explicit exports come before definitions that only have the name.
        let said = self.passed_on_by_name(file, &format!("{}{name}", exports::PREFIX));
        if !said.is_empty() {
            return said;
        }
        let own = self.project.named_in(file, name).iter();
        let own: Vec<ResolvedTarget> =
            own.filter(|at| self.is_given(**at)).copied().map(ResolvedTarget::Definition).collect();
        if !own.is_empty() {
            return own;
        }
        let passed_on = self.passed_on(file, name);
        if !passed_on.is_empty() {
            return passed_on;
        }
        let question = ResolverQuery::OfWhole(file, self.questions.word(name));
        self.questions.ask(question, || self.of_whole(file, name)).places().to_vec()
    }

    /// Returns the members of a file's exported value, and those added to it.
    fn of_whole(&self, file: CodeFileId, name: &str) -> Vec<ResolvedTarget> {
        let object = self.passed_on_by_name(file, exports::OBJECT);
        let whole = self.whole(file).into_iter().chain(object);
        let found: Vec<ResolvedTarget> =
            whole.flat_map(|place| self.members(&place, name)).collect();
        if !found.is_empty() {
            return found;
        }
        let owned = self.project.owned(name).iter().copied();
        let owned = owned.filter(|at| self.project.file(at.file).family == LanguageFamily::Script);
        let is_file = |place: &ResolvedTarget| match place {
            ResolvedTarget::Module(module) => module.files.contains(&file),
            ResolvedTarget::Definition(_) => false,
        };
        let is_here = |at: &DefRef| self.owner_places(*at).iter().any(is_file);
        owned.filter(is_here).map(ResolvedTarget::Definition).collect()
    }

    /// Returns true if a definition is exported under its name.
    fn is_given(&self, at: DefRef) -> bool {
        let Some(definition) = self.project.outlined(at) else { return false };
        if let Some(owner) = definition.owner {
            return self.project.text(at.file, owner) == exports::OWNER;
        }
        let is_seen =
            !matches!(definition.reach, SymbolVisibility::File | SymbolVisibility::Nowhere);
        is_seen && definition.container.is_none()
    }

    /// Returns the exported value of a file, if that is more than a module: a
    /// function assigned to `module.exports`, or another module.
    pub(super) fn whole(&self, file: CodeFileId) -> Vec<ResolvedTarget> {
        let find = || {
            let mut found = self.passed_on_by_name(file, exports::WHOLE);
            let is_whole = |owner| self.project.text(file, owner) == exports::WHOLE;
            let own = self.project.definitions(file);
            let own = own.filter(|(_, it)| it.owner.is_some_and(is_whole));
            found.extend(own.map(|(at, _)| ResolvedTarget::Definition(at)));
            found
        };
        self.questions.ask(ResolverQuery::Whole(file), find).places().to_vec()
    }

    /// Returns the targets, with the exported value of each module among them.
    pub(super) fn with_wholes(&self, places: &[ResolvedTarget]) -> Vec<ResolvedTarget> {
        let is_script =
            |file: &CodeFileId| self.project.file(*file).family == LanguageFamily::Script;
        let modules = places.iter().filter(|place| matches!(place, ResolvedTarget::Module(_)));
        let files = modules.flat_map(ResolvedTarget::files).filter(is_script);
        let wholes: Vec<ResolvedTarget> = files.flat_map(|file| self.whole(file)).collect();
        places.iter().cloned().chain(wholes).collect()
    }

    /// Returns true if a file exports anything by `exports`.
    pub(super) fn has_exports(&self, file: CodeFileId) -> bool {
        let is_exports = |owner| exports::is_file(self.project.text(file, owner));
        let mut own = self.project.definitions(file);
        let imports = &self.project.file(file).outline().imports;
        own.any(|(_, it)| it.owner.is_some_and(is_exports))
            || imports.iter().any(|import| match import.imported {
                crate::facts::ImportedNames::Name { local, .. }
                | crate::facts::ImportedNames::Module { local: Some(local) } => {
                    let local = self.project.text(file, local);
                    matches!(local, exports::WHOLE | exports::OBJECT)
                        || local.starts_with(exports::PREFIX)
                }
                crate::facts::ImportedNames::Module { local: None }
                | crate::facts::ImportedNames::Everything => false,
            })
    }

    /// Returns the declared owner of a script's member.
    fn owner_places(&self, member: DefRef) -> Vec<ResolvedTarget> {
        let Some(definition) = self.project.outlined(member) else { return Vec::new() };
        let owner = definition.owner.map(|owner| self.project.text(member.file, owner));
        let Some(owner) = owner.filter(|owner| !exports::is_file(owner)) else { return Vec::new() };
        let scope = LookupScope { file: member.file, within: definition.container };
        match self.path(scope, owner) {
            ScopeLookup::Found(places) => self.with_wholes(&places),
            ScopeLookup::Outside | ScopeLookup::Unbound => Vec::new(),
        }
    }

    /// Returns the definitions of the declared owner of a script's member.
    pub(super) fn script_owners(&self, member: DefRef) -> Vec<DefRef> {
        definitions(&self.owner_places(member))
    }

    /// Resolves a member of the object around a position.
    pub(super) fn itself(&self, scope: LookupScope, it: UnresolvedUse<'_>) -> Resolution {
        if let Some(own) = self.enclosing_type(scope) {
            return self.of_types(&[own], it, || self.maybe(it));
        }
        // A definition inside a function belongs to its objects only if it is
        // marked so.
        let is_member = |at: &DefRef| {
            self.project.outlined(*at).is_some_and(|it| {
                it.owner.is_some()
                    || matches!(it.kind, DefinitionKind::Method | DefinitionKind::Field)
            })
        };
        let makers = self.makers(scope);
        let own =
            makers.iter().flat_map(|at| self.members(&ResolvedTarget::Definition(*at), it.name));
        let mut own = definitions(&own.collect::<Vec<_>>());
        own.retain(is_member);
        if own.is_empty() && self.is_in_exports(scope) {
            own = definitions(&self.given(scope.file, it.name));
        }
        let own = self.fitting(own, it.role);
        if own.is_empty() { self.maybe(it) } else { Resolution::Known(own) }
    }

    fn is_in_exports(&self, scope: LookupScope) -> bool {
        let start = scope.within.map(|id| DefRef { file: scope.file, id });
        let mut chain =
            start.into_iter().flat_map(|at| std::iter::once(at).chain(self.project.containers(at)));
        chain.any(|at| {
            let owner = self.project.outlined(at).and_then(|it| it.owner);
            owner.is_some_and(|owner| self.project.text(at.file, owner) == exports::OWNER)
        })
    }

    /// Resolves a member of a global that nothing binds.
    pub(super) fn of_global(
        &self,
        scope: LookupScope,
        path: &str,
        it: UnresolvedUse<'_>,
    ) -> Resolution {
        let first = parts(path).next().unwrap_or(path);
        if self.lookup(scope, first) != ScopeLookup::Unbound {
            return self.unknown(it);
        }
        let is_added = |at: &&DefRef| {
            let owner = self.project.outlined(**at).and_then(|it| it.owner);
            owner.is_some_and(|owner| self.project.text(at.file, owner) == path)
        };
        let added: Vec<DefRef> =
            self.project.owned(it.name).iter().filter(is_added).copied().collect();
        if !added.is_empty() {
            return self.choose(it, added);
        }
        let built_in = self.project.file(it.file).family.built_in();
        if built_in.has_name(NameKey::of(first), first) {
            return Resolution::Outside;
        }
        self.maybe(it)
    }

    /// Returns true if a file declares no types, so that a name alone hardly
    /// tells its owner.
    pub(super) fn is_untyped(&self, file: CodeFileId) -> bool {
        let file = self.project.file(file);
        let ending = file.path.rsplit('.').next().unwrap_or_default();
        file.family == LanguageFamily::Script && matches!(ending, "js" | "jsx" | "mjs" | "cjs")
    }
}
