//! Looks up names in their scopes, and modules by their import paths.

use std::collections::HashSet;
use std::rc::Rc;

use super::questions::{Question, Sought};
use super::{Lookup, Module, Place, Resolver, Scope, definitions, is_type, parts};
use crate::facts::{Import, Imported, Kind};
use crate::family::Family;
use crate::project::{DefRef, FileId, folder_of, relative};

impl Resolver<'_> {
    /// Looks up a bare name.
    pub(crate) fn lookup(&self, scope: Scope, name: &str) -> Lookup {
        self.looked_up(scope, name, Sought::Anything)
    }

    /// The same for the name of a type: a field may have it as well.
    pub(crate) fn lookup_type(&self, scope: Scope, name: &str) -> Lookup {
        self.looked_up(scope, name, Sought::Type)
    }

    fn looked_up(&self, scope: Scope, name: &str, sought: Sought) -> Lookup {
        let Scope { file, within } = scope;
        let question = Question::Name { file, within, name: self.questions.word(name), sought };
        self.questions.ask(question, || self.lookup_here(scope, name, sought)).into()
    }

    fn lookup_here(&self, scope: Scope, name: &str, sought: Sought) -> Lookup {
        let family = self.project.file(scope.file).family;
        let start = scope.within.map(|id| DefRef { file: scope.file, id });
        let chain =
            start.into_iter().flat_map(|at| std::iter::once(at).chain(self.project.containers(at)));
        for at in chain {
            match self.in_scope(at, name, sought) {
                Lookup::Unbound => {}
                bound @ (Lookup::Found(_) | Lookup::Outside) => return bound,
            }
            let is_module = self.project.outlined(at).is_some_and(|it| it.kind == Kind::Module);
            if is_module && family == Family::Rust {
                return Lookup::Unbound;
            }
        }
        let own = self.top_level(scope.file, name);
        if !own.is_empty() {
            return Lookup::Found(own.into_iter().map(Place::Definition).collect());
        }
        match self.by_import(scope.file, None, name) {
            Lookup::Unbound => {}
            bound @ (Lookup::Found(_) | Lookup::Outside) => return bound,
        }
        let near = self.in_package(scope.file, name);
        if !near.is_empty() {
            return Lookup::Found(near);
        }
        // A script does not itself know the names that it re-exports as a
        // whole.
        if family == Family::Script {
            return Lookup::Unbound;
        }
        let wide = self.by_everything(scope.file, name);
        if wide.is_empty() { Lookup::Unbound } else { Lookup::Found(wide) }
    }

    /// Looks up a name in one of the definitions around it.
    fn in_scope(&self, at: DefRef, name: &str, sought: Sought) -> Lookup {
        let Some(definition) = self.project.outlined(at) else { return Lookup::Unbound };
        let family = self.project.file(at.file).family;
        let mut found: Vec<Place> = if !is_type(definition.kind) {
            let mut own = self.own_members(at, name);
            if own.is_empty() && definition.kind == Kind::Module {
                own = self.in_other_parts(at, name);
            }
            if definition.owner.is_some() && family.has_implied_self() {
                let scope = Scope { file: at.file, within: Some(at.id) };
                let types = self.enclosing_type(scope);
                let own_type = types.map(Place::Definition);
                let members = own_type.into_iter().flat_map(|of| self.members(&of, name));
                own.extend(definitions(&members.collect::<Vec<_>>()));
            }
            own.into_iter().map(Place::Definition).collect()
        } else if family.has_implied_self() {
            self.members(&Place::Definition(at), name)
        } else {
            Vec::new()
        };
        if family.has_implied_self() {
            found.retain(|place| self.is_meant(place, family, sought));
        }
        if !found.is_empty() {
            return Lookup::Found(found);
        }
        let imported = match self.by_import(at.file, Some(at), name) {
            Lookup::Found(mut places) if family.has_implied_self() => {
                places.retain(|place| self.is_meant(place, family, sought));
                if places.is_empty() { Lookup::Unbound } else { Lookup::Found(places) }
            }
            other @ (Lookup::Found(_) | Lookup::Outside | Lookup::Unbound) => other,
        };
        match imported {
            Lookup::Unbound if definition.kind == Kind::Module => {
                let imports = self.project.file(at.file).outline().imports.iter();
                let all = imports.filter(|import| {
                    import.within == Some(at.id) && import.imported == Imported::Everything
                });
                let found = self.of_everything(at.file, all, name);
                if found.is_empty() { Lookup::Unbound } else { Lookup::Found(found) }
            }
            bound @ (Lookup::Found(_) | Lookup::Outside | Lookup::Unbound) => bound,
        }
    }

    /// Returns true if a member can be meant by its bare name: constructors
    /// cannot, since they have the name of their type.
    fn is_meant(&self, place: &Place, family: Family, sought: Sought) -> bool {
        let Place::Definition(at) = place else { return true };
        let Some(definition) = self.project.outlined(*at) else { return true };
        let is_constant = definition.kind == Kind::Constant && family == Family::Ruby;
        let can_be_type =
            is_type(definition.kind) || definition.kind == Kind::Module || is_constant;
        let is_constructor = definition.kind == Kind::Method
            && self.project.owner_name(*at) == Some(self.project.name(*at));
        !is_constructor && (can_be_type || sought == Sought::Anything)
    }

    /// Returns members of a namespace that are written elsewhere, and of the
    /// outer namespaces in its name.
    fn in_other_parts(&self, at: DefRef, name: &str) -> Vec<DefRef> {
        let project = self.project;
        let family = project.file(at.file).family;
        let found = self.members_elsewhere(at, name);
        if !found.is_empty() || family != Family::C || !project.name(at).contains("::") {
            return found;
        }
        let outer = outer_spaces(&project.namespace_name(at));
        let outer = outer.iter().rev().filter_map(|space| project.spaces().named(family, space));
        outer.flat_map(|space| self.members_of_space(space, at, name)).collect()
    }

    /// Looks up a name in imports, in a definition or at the top level.
    fn by_import(&self, file: FileId, within: Option<DefRef>, name: &str) -> Lookup {
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
            (_, false) => Lookup::Found(found),
            (true, true) => Lookup::Outside,
            (false, true) => Lookup::Unbound,
        }
    }

    /// Returns names of other files that need no import.
    fn in_package(&self, file: FileId, name: &str) -> Vec<Place> {
        let project = self.project;
        let family = project.file(file).family;
        let files: Vec<FileId> = match family {
            Family::Go => self.go_package(folder_of(&project.file(file).path)),
            Family::Java | Family::CSharp | Family::Php => {
                let mut spaces: Vec<String> = project.namespaces(file).into_iter().collect();
                if family == Family::CSharp {
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
            Family::Rust => return self.rust_visible(file, name),
            Family::Python | Family::Script | Family::Ruby | Family::C | Family::Shell => {
                return Vec::new();
            }
        };
        let found = files.into_iter().flat_map(|other| self.top_level(other, name));
        found.map(Place::Definition).collect()
    }

    /// Returns names from imports of everything, and from such imports of those
    /// files if the language follows them.
    fn by_everything(&self, file: FileId, name: &str) -> Vec<Place> {
        let project = self.project;
        let family = project.file(file).family;
        let is_all = |import: &&Import| import.imported == Imported::Everything;
        if !family.follows_imports() {
            let all = project.file(file).outline().imports.iter().filter(is_all);
            let all = all.filter(|import| import.within.is_none());
            return self.of_everything(file, all, name);
        }
        // Which of several files a shell reads is only known when it runs.
        let takes_all = family == Family::Shell;
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
    pub(crate) fn modules(&self, scope: Scope, text: &str) -> Rc<[Place]> {
        // The meaning of `super` and `self` depends on the module around them.
        let is_local = self.project.file(scope.file).family == Family::Rust;
        let within = scope.within.filter(|_| is_local);
        let question =
            Question::Modules { file: scope.file, within, text: self.questions.word(text) };
        self.questions.ask(question, || self.find_modules(scope, text)).places()
    }

    fn find_modules(&self, scope: Scope, text: &str) -> Vec<Place> {
        let file = scope.file;
        let one = |found: Option<FileId>| found.map(Module::of_file).map(Place::Module);
        match self.project.file(file).family {
            Family::Python => {
                self.python_module(file, text).map(Place::Module).into_iter().collect()
            }
            Family::Rust => self.rust_path(scope, text),
            Family::Script => one(self.script_module(file, text)).into_iter().collect(),
            Family::Go => self.go_module(text).map(Place::Module).into_iter().collect(),
            Family::Php if parts(text).next() == Some("namespace") => {
                let own = self.project.namespaces(file).into_iter().next().unwrap_or_default();
                self.dotted(file, &text.replacen("namespace", &own, 1))
            }
            Family::Java | Family::Php => self.dotted(file, text),
            Family::CSharp => self.dotted_inside(file, text),
            Family::Ruby => one(self.ruby_file(file, text)).into_iter().collect(),
            Family::C => match self.included(file, text) {
                Some(found) => vec![Place::Module(Module::of_file(found))],
                None => self.namespace(file, text),
            },
            Family::Shell => one(self.sourced(file, text)).into_iter().collect(),
        }
    }

    /// Looks up the path before a name.
    pub(crate) fn path(&self, scope: Scope, path: &str) -> Lookup {
        let family = self.project.file(scope.file).family;
        if family == Family::Rust {
            let found = self.rust_path(scope, path);
            if !found.is_empty() {
                return Lookup::Found(found);
            }
        }
        if family == Family::Script && matches!(path, "exports" | "module.exports") {
            return Lookup::Found(vec![Place::Module(Module::of_file(scope.file))]);
        }
        match self.imported_path(scope, path) {
            Lookup::Unbound => {}
            bound @ (Lookup::Found(_) | Lookup::Outside) => return bound,
        }
        let mut rest = parts(path);
        let Some(first) = rest.next() else { return Lookup::Unbound };
        let start = match self.lookup(scope, first) {
            Lookup::Unbound if matches!(family, Family::Java | Family::CSharp | Family::Php) => {
                let found = self.find_modules(scope, path);
                return if found.is_empty() { Lookup::Unbound } else { Lookup::Found(found) };
            }
            Lookup::Unbound if matches!(family, Family::Ruby | Family::C) => {
                let found = self.anywhere(family, first);
                if found.is_empty() { Lookup::Unbound } else { Lookup::Found(found) }
            }
            // An unknown first part is an external crate, unless it is a type
            // parameter.
            Lookup::Unbound
                if family == Family::Rust && !first.starts_with(|c: char| c.is_uppercase()) =>
            {
                Lookup::Outside
            }
            looked @ (Lookup::Found(_) | Lookup::Outside | Lookup::Unbound) => looked,
        };
        let Lookup::Found(mut places) = start else { return start };
        for part in rest {
            places = places.iter().flat_map(|place| self.members(place, part)).collect();
            if places.is_empty() {
                return Lookup::Unbound;
            }
        }
        Lookup::Found(places)
    }

    /// Looks up a path that begins like an import: `a.b.f` after `import a.b`.
    fn imported_path(&self, scope: Scope, path: &str) -> Lookup {
        let project = self.project;
        let file = scope.file;
        let mut best: Option<(&str, Rc<[Place]>)> = None;
        for import in &project.file(file).outline().imports {
            let Imported::Module { local } = import.imported else { continue };
            let module = project.text(file, import.module);
            let known_as = local.map_or(module, |local| project.text(file, local));
            // Only names of packages are written so, not those of files.
            let is_first = project.file(file).family != Family::Script
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
        let Some((name, places)) = best else { return Lookup::Unbound };
        let mut places = places.to_vec();
        for part in parts(path.get(name.len()..).unwrap_or_default()) {
            places = places.iter().flat_map(|place| self.members(place, part)).collect();
        }
        if places.is_empty() { Lookup::Outside } else { Lookup::Found(places) }
    }

    /// Returns types and namespaces with a name, in any file.
    fn anywhere(&self, family: Family, name: &str) -> Vec<Place> {
        let project = self.project;
        let is_space = |at: &&DefRef| {
            project.file(at.file).family == family
                && project
                    .outlined(**at)
                    .is_some_and(|it| is_type(it.kind) || it.kind == Kind::Module)
        };
        project.named(name).iter().filter(is_space).copied().map(Place::Definition).collect()
    }

    /// Returns the parts of a namespace that a file can know.
    fn namespace(&self, file: FileId, text: &str) -> Vec<Place> {
        let name = parts(text).collect::<Vec<_>>().join(".");
        let all = self.project.reopened(self.project.file(file).family, &name).iter().copied();
        all.filter(|part| self.can_reach(file, part.file)).map(Place::Definition).collect()
    }

    /// Returns a file that a shell script sources.
    fn sourced(&self, file: FileId, text: &str) -> Option<FileId> {
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
