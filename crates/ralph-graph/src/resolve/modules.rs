//! Looks up names in their scopes, and modules by their import paths.

use std::collections::HashSet;
use std::rc::Rc;

use super::questions::{LookupKind, ResolverQuery};
use super::{
    LookupScope, ModuleFiles, ResolvedTarget, Resolver, ScopeLookup, definitions, is_type, parts,
};
use crate::facts::{DefinitionKind, Import, ImportedNames};
use crate::family::LanguageFamily;
use crate::project::{CodeFileId, DefRef, folder_of, relative};

impl Resolver<'_> {
    /// Looks up a bare name.
    pub(crate) fn lookup(&self, scope: LookupScope, name: &str) -> ScopeLookup {
        self.looked_up(scope, name, LookupKind::Anything)
    }

    /// The same for the name of a type: a field may have it as well.
    pub(crate) fn lookup_type(&self, scope: LookupScope, name: &str) -> ScopeLookup {
        self.looked_up(scope, name, LookupKind::Type)
    }

    fn looked_up(&self, scope: LookupScope, name: &str, sought: LookupKind) -> ScopeLookup {
        let LookupScope { file, within } = scope;
        let question =
            ResolverQuery::Name { file, within, name: self.questions.word(name), sought };
        self.questions.ask(question, || self.lookup_here(scope, name, sought)).into()
    }

    fn lookup_here(&self, scope: LookupScope, name: &str, sought: LookupKind) -> ScopeLookup {
        let family = self.project.file(scope.file).family;
        let start = scope.within.map(|id| DefRef { file: scope.file, id });
        let chain =
            start.into_iter().flat_map(|at| std::iter::once(at).chain(self.project.containers(at)));
        for at in chain {
            match self.in_scope(at, name, sought) {
                ScopeLookup::Unbound => {}
                bound @ (ScopeLookup::Found(_) | ScopeLookup::Outside) => return bound,
            }
            let is_module =
                self.project.outlined(at).is_some_and(|it| it.kind == DefinitionKind::Module);
            if is_module && family == LanguageFamily::Rust {
                return ScopeLookup::Unbound;
            }
        }
        let own = self.top_level(scope.file, name);
        if !own.is_empty() {
            return ScopeLookup::Found(own.into_iter().map(ResolvedTarget::Definition).collect());
        }
        match self.by_import(scope.file, None, name) {
            ScopeLookup::Unbound => {}
            bound @ (ScopeLookup::Found(_) | ScopeLookup::Outside) => return bound,
        }
        let near = self.in_package(scope.file, name);
        if !near.is_empty() {
            return ScopeLookup::Found(near);
        }
        // A script does not itself know the names that it re-exports as a
        // whole.
        if family == LanguageFamily::Script {
            return ScopeLookup::Unbound;
        }
        let wide = self.by_everything(scope.file, name);
        if wide.is_empty() { ScopeLookup::Unbound } else { ScopeLookup::Found(wide) }
    }

    /// Looks up a name in one of the definitions around it.
    fn in_scope(&self, at: DefRef, name: &str, sought: LookupKind) -> ScopeLookup {
        let Some(definition) = self.project.outlined(at) else { return ScopeLookup::Unbound };
        let family = self.project.file(at.file).family;
        let mut found: Vec<ResolvedTarget> = if !is_type(definition.kind) {
            let mut own = self.own_members(at, name);
            if own.is_empty() && definition.kind == DefinitionKind::Module {
                own = self.in_other_parts(at, name);
            }
            if definition.owner.is_some() && family.has_implied_self() {
                let scope = LookupScope { file: at.file, within: Some(at.id) };
                let types = self.enclosing_type(scope);
                let own_type = types.map(ResolvedTarget::Definition);
                let members = own_type.into_iter().flat_map(|of| self.members(&of, name));
                own.extend(definitions(&members.collect::<Vec<_>>()));
            }
            own.into_iter().map(ResolvedTarget::Definition).collect()
        } else if family.has_implied_self() {
            self.members(&ResolvedTarget::Definition(at), name)
        } else {
            Vec::new()
        };
        if family.has_implied_self() {
            found.retain(|place| self.is_meant(place, family, sought));
        }
        if !found.is_empty() {
            return ScopeLookup::Found(found);
        }
        let imported = match self.by_import(at.file, Some(at), name) {
            ScopeLookup::Found(mut places) if family.has_implied_self() => {
                places.retain(|place| self.is_meant(place, family, sought));
                if places.is_empty() { ScopeLookup::Unbound } else { ScopeLookup::Found(places) }
            }
            other @ (ScopeLookup::Found(_) | ScopeLookup::Outside | ScopeLookup::Unbound) => other,
        };
        match imported {
            ScopeLookup::Unbound if definition.kind == DefinitionKind::Module => {
                let imports = self.project.file(at.file).outline().imports.iter();
                let all = imports.filter(|import| {
                    import.within == Some(at.id) && import.imported == ImportedNames::Everything
                });
                let found = self.of_everything(at.file, all, name);
                if found.is_empty() { ScopeLookup::Unbound } else { ScopeLookup::Found(found) }
            }
            bound @ (ScopeLookup::Found(_) | ScopeLookup::Outside | ScopeLookup::Unbound) => bound,
        }
    }

    /// Returns true if a member can be meant by its bare name: constructors
    /// cannot, since they have the name of their type.
    fn is_meant(&self, place: &ResolvedTarget, family: LanguageFamily, sought: LookupKind) -> bool {
        let ResolvedTarget::Definition(at) = place else { return true };
        let Some(definition) = self.project.outlined(*at) else { return true };
        let is_constant =
            definition.kind == DefinitionKind::Constant && family == LanguageFamily::Ruby;
        let can_be_type =
            is_type(definition.kind) || definition.kind == DefinitionKind::Module || is_constant;
        let is_constructor = definition.kind == DefinitionKind::Method
            && self.project.owner_name(*at) == Some(self.project.name(*at));
        !is_constructor && (can_be_type || sought == LookupKind::Anything)
    }

    /// Returns members of a namespace that are written elsewhere, and of the
    /// outer namespaces in its name.
    fn in_other_parts(&self, at: DefRef, name: &str) -> Vec<DefRef> {
        let project = self.project;
        let family = project.file(at.file).family;
        let found = self.members_elsewhere(at, name);
        if !found.is_empty() || family != LanguageFamily::C || !project.name(at).contains("::") {
            return found;
        }
        let outer = outer_spaces(&project.namespace_name(at));
        let outer = outer.iter().rev().filter_map(|space| project.spaces().named(family, space));
        outer.flat_map(|space| self.members_of_space(space, at, name)).collect()
    }

    /// Looks up a name in imports, in a definition or at the top level.
    fn by_import(&self, file: CodeFileId, within: Option<DefRef>, name: &str) -> ScopeLookup {
        let imports = self.project.file(file).outline().imports.iter();
        let apt = imports.filter(|import| import.within == within.map(|at| at.id));
        let mut is_bound = false;
        let mut found = Vec::new();
        for import in apt {
            if let Some(places) = self.bound(file, import, name) {
                is_bound = true;
                found.extend(places);
            }
        }
        match (is_bound, found.is_empty()) {
            (_, false) => ScopeLookup::Found(found),
            (true, true) => ScopeLookup::Outside,
            (false, true) => ScopeLookup::Unbound,
        }
    }

    /// Returns names of other files that need no import.
    fn in_package(&self, file: CodeFileId, name: &str) -> Vec<ResolvedTarget> {
        let project = self.project;
        let family = project.file(file).family;
        let files: Vec<CodeFileId> = match family {
            LanguageFamily::Go => self.go_package(folder_of(&project.file(file).path)),
            LanguageFamily::Java | LanguageFamily::CSharp | LanguageFamily::Php => {
                let mut spaces: Vec<String> = project.namespaces(file).into_iter().collect();
                if family == LanguageFamily::CSharp {
                    let outer = spaces.iter().flat_map(|space| outer_spaces(space));
                    let outer: Vec<String> = outer.collect();
                    spaces.extend(outer);
                    // Names outside namespaces are visible in all of them.
                    if !spaces.iter().any(String::is_empty) {
                        spaces.push(String::new());
                    }
                }
                let here = spaces.iter().flat_map(|space| project.in_namespace(family, space));
                here.copied().collect()
            }
            LanguageFamily::Rust => return self.rust_visible(file, name),
            LanguageFamily::Python
            | LanguageFamily::Script
            | LanguageFamily::Ruby
            | LanguageFamily::C
            | LanguageFamily::Shell => {
                return Vec::new();
            }
        };
        let found = files.into_iter().flat_map(|other| self.top_level(other, name));
        found.map(ResolvedTarget::Definition).collect()
    }

    /// Returns names from imports of everything, and from such imports of those
    /// files if the language follows them.
    fn by_everything(&self, file: CodeFileId, name: &str) -> Vec<ResolvedTarget> {
        let project = self.project;
        let family = project.file(file).family;
        let is_all = |import: &&Import| import.imported == ImportedNames::Everything;
        if !family.follows_imports() {
            let all = project.file(file).outline().imports.iter().filter(is_all);
            let all = all.filter(|import| import.within.is_none());
            return self.of_everything(file, all, name);
        }
        // Which of several files a shell reads is only known when it runs.
        let takes_all = family == LanguageFamily::Shell;
        let mut all_found = Vec::new();
        let mut searched = HashSet::new();
        let mut seen = HashSet::from([file]);
        let mut next = vec![file];
        while let Some(file) = next.pop() {
            for import in project.file(file).outline().imports.iter().filter(is_all) {
                let (files, mut found) = self.followed(file, std::iter::once(import), name);
                found.extend(self.in_followed(&files, name, &mut searched));
                if !found.is_empty() && !takes_all {
                    return found;
                }
                all_found.extend(found);
                next.extend(files.into_iter().filter(|other| seen.insert(*other)));
            }
        }
        all_found
    }

    /// Returns the module of an import path.
    pub(crate) fn modules(&self, scope: LookupScope, text: &str) -> Rc<[ResolvedTarget]> {
        // The meaning of `super` and `self` depends on the module around them.
        let is_local = self.project.file(scope.file).family == LanguageFamily::Rust;
        let within = scope.within.filter(|_| is_local);
        let question =
            ResolverQuery::Modules { file: scope.file, within, text: self.questions.word(text) };
        self.questions.ask(question, || self.find_modules(scope, text)).places()
    }

    fn find_modules(&self, scope: LookupScope, text: &str) -> Vec<ResolvedTarget> {
        let file = scope.file;
        let one =
            |found: Option<CodeFileId>| found.map(ModuleFiles::of_file).map(ResolvedTarget::Module);
        match self.project.file(file).family {
            LanguageFamily::Python => {
                self.python_module(file, text).map(ResolvedTarget::Module).into_iter().collect()
            }
            LanguageFamily::Rust => self.rust_path(scope, text),
            LanguageFamily::Script => one(self.script_module(file, text)).into_iter().collect(),
            LanguageFamily::Go => {
                self.go_module(text).map(ResolvedTarget::Module).into_iter().collect()
            }
            LanguageFamily::Php if parts(text).next() == Some("namespace") => {
                let own = self.project.namespaces(file).into_iter().next().unwrap_or_default();
                self.dotted(file, &text.replacen("namespace", &own, 1))
            }
            LanguageFamily::Java | LanguageFamily::Php => self.dotted(file, text),
            LanguageFamily::CSharp => self.dotted_inside(file, text),
            LanguageFamily::Ruby => one(self.ruby_file(file, text)).into_iter().collect(),
            LanguageFamily::C => match self.included(file, text) {
                Some(found) => vec![ResolvedTarget::Module(ModuleFiles::of_file(found))],
                None => self.namespace(file, text),
            },
            LanguageFamily::Shell => one(self.sourced(file, text)).into_iter().collect(),
        }
    }

    /// Looks up the path before a name.
    pub(crate) fn path(&self, scope: LookupScope, path: &str) -> ScopeLookup {
        let family = self.project.file(scope.file).family;
        if family == LanguageFamily::Rust {
            let found = self.rust_path(scope, path);
            if !found.is_empty() {
                return ScopeLookup::Found(found);
            }
        }
        if family == LanguageFamily::Script && matches!(path, "exports" | "module.exports") {
            return ScopeLookup::Found(vec![ResolvedTarget::Module(ModuleFiles::of_file(
                scope.file,
            ))]);
        }
        match self.imported_path(scope, path) {
            ScopeLookup::Unbound => {}
            bound @ (ScopeLookup::Found(_) | ScopeLookup::Outside) => return bound,
        }
        let mut rest = parts(path);
        let Some(first) = rest.next() else { return ScopeLookup::Unbound };
        let start = match self.lookup(scope, first) {
            ScopeLookup::Unbound
                if matches!(
                    family,
                    LanguageFamily::Java | LanguageFamily::CSharp | LanguageFamily::Php
                ) =>
            {
                let found = self.find_modules(scope, path);
                return if found.is_empty() {
                    ScopeLookup::Unbound
                } else {
                    ScopeLookup::Found(found)
                };
            }
            ScopeLookup::Unbound if matches!(family, LanguageFamily::Ruby | LanguageFamily::C) => {
                let found = self.anywhere(family, first);
                if found.is_empty() { ScopeLookup::Unbound } else { ScopeLookup::Found(found) }
            }
            // An unknown first part is an external crate, unless it is a type
            // parameter.
            ScopeLookup::Unbound
                if family == LanguageFamily::Rust
                    && !first.starts_with(|c: char| c.is_uppercase()) =>
            {
                ScopeLookup::Outside
            }
            looked @ (ScopeLookup::Found(_) | ScopeLookup::Outside | ScopeLookup::Unbound) => {
                looked
            }
        };
        let ScopeLookup::Found(mut places) = start else { return start };
        for part in rest {
            places = places.iter().flat_map(|place| self.members(place, part)).collect();
            if places.is_empty() {
                return ScopeLookup::Unbound;
            }
        }
        ScopeLookup::Found(places)
    }

    /// Looks up a path that begins like an import: `a.b.f` after `import a.b`.
    fn imported_path(&self, scope: LookupScope, path: &str) -> ScopeLookup {
        let project = self.project;
        let file = scope.file;
        let mut best: Option<(&str, Rc<[ResolvedTarget]>)> = None;
        for import in &project.file(file).outline().imports {
            let ImportedNames::Module { local } = import.imported else { continue };
            let module = project.text(file, import.module);
            let known_as = local.map_or(module, |local| project.text(file, local));
            // Only names of packages are written so, not those of files.
            let is_first = project.file(file).family != LanguageFamily::Script
                && parts(module).next() == Some(known_as);
            for name in [Some(known_as), is_first.then_some(module)].into_iter().flatten() {
                let rest = path.strip_prefix(name);
                let fits = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', ':']));
                if fits && best.as_ref().is_none_or(|(longest, _)| longest.len() < name.len()) {
                    // The first part alone means the outermost package.
                    let asked = if name == known_as && is_first { known_as } else { module };
                    best = Some((name, self.modules(scope, asked)));
                }
            }
        }
        let Some((name, places)) = best else { return ScopeLookup::Unbound };
        let mut places = places.to_vec();
        for part in parts(path.get(name.len()..).unwrap_or_default()) {
            places = places.iter().flat_map(|place| self.members(place, part)).collect();
        }
        if places.is_empty() { ScopeLookup::Outside } else { ScopeLookup::Found(places) }
    }

    /// Returns types and namespaces with a name, in any file.
    fn anywhere(&self, family: LanguageFamily, name: &str) -> Vec<ResolvedTarget> {
        let project = self.project;
        let is_space = |at: &&DefRef| {
            project.file(at.file).family == family
                && project
                    .outlined(**at)
                    .is_some_and(|it| is_type(it.kind) || it.kind == DefinitionKind::Module)
        };
        project
            .named(name)
            .iter()
            .filter(is_space)
            .copied()
            .map(ResolvedTarget::Definition)
            .collect()
    }

    /// Returns the parts of a namespace that a file can know.
    fn namespace(&self, file: CodeFileId, text: &str) -> Vec<ResolvedTarget> {
        let name = parts(text).collect::<Vec<_>>().join(".");
        let all = self.project.reopened(self.project.file(file).family, &name).iter().copied();
        all.filter(|part| self.can_reach(file, part.file)).map(ResolvedTarget::Definition).collect()
    }

    /// Returns a file that a shell script sources.
    fn sourced(&self, file: CodeFileId, text: &str) -> Option<CodeFileId> {
        let folder = folder_of(&self.project.file(file).path);
        // The text before the last variable is unknown.
        let known = text.rsplit(['$', '}', ')']).next().unwrap_or(text);
        let known = if known.len() == text.len() {
            text
        } else {
            known.split_once('/').map_or(known, |(_, rest)| rest)
        };
        let near = relative(folder, known).and_then(|path| self.project.by_path(&path));
        near.or_else(|| self.project.by_path(known)).or_else(|| self.by_suffix(file, known))
    }
}

/// Returns the namespaces around a namespace.
pub(super) fn outer_spaces(space: &str) -> Vec<String> {
    let ends = space.match_indices('.').map(|(at, _)| at).take(super::PARTS);
    ends.filter_map(|at| space.get(..at)).map(str::to_owned).collect()
}
