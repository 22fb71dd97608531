//! Finds members of modules and types.

use std::collections::HashSet;
use std::rc::Rc;

use super::questions::ResolverQuery;
use super::{
    LookupScope, ModuleFiles, QualifierText, ResolvedTarget, Resolver, ScopeLookup, definitions,
    is_type,
};
use crate::facts::{
    DefinitionId, DefinitionKind, Import, ImportedNames, ReferenceRole, SymbolVisibility,
};
use crate::family::LanguageFamily;
use crate::project::{CodeFileId, DefRef, folder_of, name_of};
use crate::spaces::SpaceId;

impl Resolver<'_> {
    /// Returns the members with this name.
    pub(crate) fn members(&self, place: &ResolvedTarget, name: &str) -> Vec<ResolvedTarget> {
        match place {
            ResolvedTarget::Module(module) => self.in_module(module, name),
            ResolvedTarget::Definition(at) => {
                let question = ResolverQuery::Inside(*at, self.questions.word(name));
                let answer = self.questions.ask(question, || self.in_definition(*at, name));
                answer.places().to_vec()
            }
        }
    }

    fn in_module(&self, module: &ModuleFiles, name: &str) -> Vec<ResolvedTarget> {
        let is_script =
            |file: &CodeFileId| self.project.file(*file).family == LanguageFamily::Script;
        if module.files.iter().any(is_script) {
            return module.files.iter().flat_map(|file| self.given(*file, name)).collect();
        }
        let follows = |file: &CodeFileId| self.project.file(*file).family.follows_imports();
        if module.files.iter().any(follows) {
            return self.in_followed(&module.files, name, &mut HashSet::new());
        }
        let mut found = Vec::new();
        for file in &module.files {
            found.extend(self.top_level(*file, name).into_iter().map(ResolvedTarget::Definition));
        }
        if found.is_empty() {
            found = module.files.iter().flat_map(|file| self.passed_on(*file, name)).collect();
        }
        if found.is_empty() {
            found.extend(self.submodule(module, name).map(ResolvedTarget::Module));
        }
        found
    }

    fn submodule(&self, module: &ModuleFiles, name: &str) -> Option<ModuleFiles> {
        let family = module.files.first().map(|file| self.project.file(*file).family);
        match family {
            Some(LanguageFamily::Rust) => {
                let child = |file: &CodeFileId| self.rust_child(*file, name);
                module.files.iter().find_map(child).map(ModuleFiles::of_file)
            }
            Some(LanguageFamily::Python) | None => self.python_at(module.folder.as_deref()?, name),
            Some(_) => None,
        }
    }

    /// Returns definitions of a file at its top level, or only in a namespace
    /// for the whole file.
    pub(crate) fn top_level(&self, file: CodeFileId, name: &str) -> Vec<DefRef> {
        let project = self.project;
        let flat = project.file(file).family.has_file_namespaces();
        // In C, the values of an enumeration are known beside it.
        let is_open = project.file(file).family == LanguageFamily::C;
        let is_namespace = |id: DefinitionId| {
            let container = project.file(file).outline().definition(id);
            container.is_some_and(|it| {
                flat && it.kind == DefinitionKind::Module
                    || is_open && it.kind == DefinitionKind::Enum && it.container.is_none()
            })
        };
        let is_top = |at: &&DefRef| {
            project.outlined(**at).is_some_and(|definition| {
                definition.owner.is_none()
                    && definition.reach != SymbolVisibility::Nowhere
                    && !(flat && definition.kind == DefinitionKind::Module)
                    && definition.container.is_none_or(is_namespace)
            })
        };
        project.named_in(file, name).iter().filter(is_top).copied().collect()
    }

    /// Returns what the imports of a file re-export under this name.
    pub(super) fn passed_on(&self, file: CodeFileId, name: &str) -> Vec<ResolvedTarget> {
        if self.passed_on_imports(file).next().is_none() {
            return Vec::new();
        }
        let question = ResolverQuery::PassedOn(file, self.questions.word(name));
        let answer = self.questions.ask(question, || {
            let mut found = self.passed_on_by_name(file, name);
            if found.is_empty() {
                let all = self.passed_on_imports(file);
                let all = all.filter(|import| import.imported == ImportedNames::Everything);
                found = self.of_everything(file, all, name);
            }
            found
        });
        answer.places().to_vec()
    }

    /// Returns the imports of a file that other files see.
    fn passed_on_imports(&self, file: CodeFileId) -> impl Iterator<Item = &Import> {
        let imports = self.project.file(file).outline().imports.iter();
        // Modules of one crate see each other's private imports.
        let sees_all = self.project.file(file).family == LanguageFamily::Rust;
        imports.filter(move |import| (import.passed_on || sees_all) && import.within.is_none())
    }

    /// Returns what imports of this name re-export.
    pub(super) fn passed_on_by_name(&self, file: CodeFileId, name: &str) -> Vec<ResolvedTarget> {
        if self.passed_on_imports(file).next().is_none() {
            return Vec::new();
        }
        let bound = |import| self.bound(file, import, name).into_iter().flatten();
        let question = ResolverQuery::PassedOnByName(file, self.questions.word(name));
        let find = || self.passed_on_imports(file).flat_map(bound).collect::<Vec<_>>();
        self.questions.ask(question, find).places().to_vec()
    }

    /// Returns the members with this name in some files, or in files that they
    /// import as a whole.
    ///
    /// Files import each other in many ways, so each is searched once: those
    /// already `searched` have nothing, or it was found.
    pub(super) fn in_followed(
        &self,
        files: &[CodeFileId],
        name: &str,
        searched: &mut HashSet<CodeFileId>,
    ) -> Vec<ResolvedTarget> {
        let mut found = Vec::new();
        let mut next: Vec<CodeFileId> = files.iter().rev().copied().collect();
        while let Some(file) = next.pop() {
            if !searched.insert(file) {
                continue;
            }
            let mut here: Vec<ResolvedTarget> =
                self.top_level(file, name).into_iter().map(ResolvedTarget::Definition).collect();
            if here.is_empty() {
                here = self.passed_on_by_name(file, name);
            }
            if here.is_empty() {
                let all = self.passed_on_imports(file);
                let inside = all.filter(|import| import.imported == ImportedNames::Everything);
                let (modules, members) = self.followed(file, inside, name);
                here = members;
                next.extend(modules.into_iter().rev());
            }
            found.extend(here);
        }
        found
    }

    /// Returns the files of these imports, and the members of the namespaces
    /// that they name.
    pub(super) fn followed<'i>(
        &self,
        file: CodeFileId,
        imports: impl Iterator<Item = &'i Import>,
        name: &str,
    ) -> (Vec<CodeFileId>, Vec<ResolvedTarget>) {
        let (mut files, mut members) = (Vec::new(), Vec::new());
        for import in imports {
            let scope = LookupScope { file, within: import.within };
            for place in self.modules(scope, self.project.text(file, import.module)).iter() {
                match place {
                    ResolvedTarget::Module(module) => files.extend(&module.files),
                    ResolvedTarget::Definition(_) => members.extend(self.members(place, name)),
                }
            }
        }
        (files, members)
    }

    /// Returns what an import binds a name to; `None` if it binds another one.
    pub(crate) fn bound(
        &self,
        file: CodeFileId,
        import: &Import,
        name: &str,
    ) -> Option<Vec<ResolvedTarget>> {
        let scope = LookupScope { file, within: import.within };
        let module = || self.modules(scope, self.project.text(file, import.module));
        match import.imported {
            ImportedNames::Name { name: original, local } => {
                (self.project.text(file, local) == name).then(|| {
                    let original = self.project.text(file, original);
                    let places = module();
                    let named = |name: &str| -> Vec<ResolvedTarget> {
                        places.iter().flat_map(|place| self.members(place, name)).collect()
                    };
                    let mut found = named(original);
                    if found.is_empty() && original == "default" {
                        found = self.default_of_exports(&places);
                    }
                    if found.is_empty() && original == "default" {
                        // A default export without a name usually keeps its
                        // own.
                        found = named(name);
                    }
                    if found.is_empty() && original == "default" {
                        let files = places.iter().flat_map(ResolvedTarget::files);
                        found = files.flat_map(|file| self.default_of(file)).collect();
                    }
                    if found.is_empty() {
                        found = self.inner_space(file, import, original);
                    }
                    found
                })
            }
            ImportedNames::Module { local: Some(local) } => {
                (self.project.text(file, local) == name).then(|| self.with_wholes(&module()))
            }
            ImportedNames::Module { local: None } | ImportedNames::Everything => None,
        }
    }

    /// Resolves an imported namespace that is written as a member of another.
    fn inner_space(&self, file: CodeFileId, import: &Import, name: &str) -> Vec<ResolvedTarget> {
        let family = self.project.file(file).family;
        if !matches!(family, LanguageFamily::CSharp | LanguageFamily::Php) {
            return Vec::new();
        }
        let outer = self.project.text(file, import.module);
        let full = super::parts(outer).chain([name]).collect::<Vec<_>>().join(".");
        let files = self.project.in_namespace(family, &full).to_vec();
        if files.is_empty() {
            return Vec::new();
        }
        vec![ResolvedTarget::Module(ModuleFiles { files, folder: None })]
    }

    /// Returns the members with this name that an import of everything brings.
    pub(crate) fn everything_named(
        &self,
        file: CodeFileId,
        import: &Import,
        name: &str,
    ) -> Vec<ResolvedTarget> {
        let scope = LookupScope { file, within: import.within };
        let places = self.modules(scope, self.project.text(file, import.module));
        places.iter().flat_map(|place| self.members(place, name)).collect()
    }

    /// Returns the exported values of files that use `exports`.
    fn default_of_exports(&self, places: &[ResolvedTarget]) -> Vec<ResolvedTarget> {
        let files = places.iter().flat_map(ResolvedTarget::files);
        let files: Vec<CodeFileId> = files.filter(|file| self.has_exports(*file)).collect();
        let whole: Vec<ResolvedTarget> = files.iter().flat_map(|file| self.whole(*file)).collect();
        if !whole.is_empty() {
            return whole;
        }
        files.into_iter().map(ModuleFiles::of_file).map(ResolvedTarget::Module).collect()
    }

    /// Returns the unnamed export of a script: the definition named like the
    /// file, or the only one that others can see.
    fn default_of(&self, file: CodeFileId) -> Vec<ResolvedTarget> {
        let path = &self.project.file(file).path;
        let stem = name_of(path).split('.').next().unwrap_or_default();
        let stem = if stem == "index" { name_of(folder_of(path)) } else { stem };
        let seen: Vec<DefRef> = self
            .project
            .definitions(file)
            .filter(|(_, it)| it.container.is_none() && it.reach == SymbolVisibility::Project)
            .map(|(at, _)| at)
            .collect();
        let alike = |at: &&DefRef| self.project.name(**at).eq_ignore_ascii_case(stem);
        let named: Vec<ResolvedTarget> =
            seen.iter().filter(alike).copied().map(ResolvedTarget::Definition).collect();
        match (named.is_empty(), seen.as_slice()) {
            (false, _) => named,
            (true, [only]) => vec![ResolvedTarget::Definition(*only)],
            (true, _) => Vec::new(),
        }
    }

    fn in_definition(&self, at: DefRef, name: &str) -> Vec<ResolvedTarget> {
        let own = self.own_members(at, name);
        if !own.is_empty() {
            return own.into_iter().map(ResolvedTarget::Definition).collect();
        }
        let Some(definition) = self.project.outlined(at) else { return Vec::new() };
        let elsewhere = self.members_elsewhere(at, name);
        if !elsewhere.is_empty() {
            return elsewhere.into_iter().map(ResolvedTarget::Definition).collect();
        }
        if definition.kind == DefinitionKind::Module {
            return self.in_namespace(at, name);
        }
        // An enumeration value has the members of the enumeration.
        if definition.kind == DefinitionKind::Variant {
            let of = self.project.containers(at).next();
            return of
                .map_or_else(Vec::new, |of| self.members(&ResolvedTarget::Definition(of), name));
        }
        let others = self.other_parts(at);
        let bases = std::iter::once(&at).chain(&others).flat_map(|part| self.bases(*part));
        let mut tried = Vec::new();
        for base in bases.filter(|base| *base != at) {
            if tried.contains(&base) {
                continue;
            }
            tried.push(base);
            let found = self.members(&ResolvedTarget::Definition(base), name);
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// Returns the other parts of the same namespace or type.
    pub(super) fn other_parts(&self, at: DefRef) -> Vec<DefRef> {
        let spaces = self.project.spaces();
        let all = spaces.of(at).map_or(&[][..], |space| spaces.parts(space));
        let is_other = |part: &&DefRef| **part != at && self.is_one_program(at, **part);
        all.iter().filter(is_other).copied().collect()
    }

    /// Returns the members with this name in the other parts of a namespace or
    /// type.
    pub(super) fn members_elsewhere(&self, at: DefRef, name: &str) -> Vec<DefRef> {
        let space = self.project.spaces().of(at);
        space.map_or_else(Vec::new, |space| self.members_of_space(space, at, name))
    }

    /// Returns the members with this name in the parts of a namespace or type
    /// that may belong to the same program as a definition, except that part
    /// itself.
    pub(super) fn members_of_space(&self, space: SpaceId, at: DefRef, name: &str) -> Vec<DefRef> {
        let project = self.project;
        let spaces = project.spaces();
        let is_other = |part: DefRef| {
            part != at && spaces.of(part) == Some(space) && self.is_one_program(at, part)
        };
        let mut found: Vec<(DefRef, DefRef)> = Vec::new();
        for member in spaces.members(project, space, name) {
            let container = project.outlined(member).and_then(|it| it.container);
            let part = container.map(|id| DefRef { file: member.file, id });
            found.extend(part.filter(|part| is_other(*part)).map(|part| (part, member)));
        }
        let family = project.file(at.file).family;
        let own_name = spaces.parts(space).first().map_or("", |part| project.name(*part));
        let own_name = super::split_last(own_name).1;
        let owned = project.owned(name).iter();
        for member in owned.filter(|member| project.file(member.file).family == family) {
            let parts = self.owners_called(own_name, *member).into_iter();
            found.extend(parts.filter(|part| is_other(*part)).map(|part| (part, *member)));
        }
        found.sort_unstable();
        found.into_iter().map(|(_, member)| member).collect()
    }

    /// Returns true if two parts of a namespace may belong to one program: with
    /// includes, one must reach the other.
    pub(super) fn is_one_program(&self, a: DefRef, b: DefRef) -> bool {
        self.project.file(a.file).family != LanguageFamily::C
            || self.can_reach(a.file, b.file)
            || self.can_reach(b.file, a.file)
    }

    /// Returns the members written in a definition, or declared to belong to
    /// it.
    pub(crate) fn own_members(&self, at: DefRef, name: &str) -> Vec<DefRef> {
        let question = ResolverQuery::OwnMembers(at, self.questions.word(name));
        let answer = self.questions.ask(question, || self.find_own_members(at, name));
        definitions(&answer.places())
    }

    fn find_own_members(&self, at: DefRef, name: &str) -> Vec<DefRef> {
        let project = self.project;
        let family = project.file(at.file).family;
        let own_name = project.name(at);
        let is_inside = |member: &&DefRef| {
            let definition = project.outlined(**member);
            definition.is_some_and(|it| {
                it.owner.is_none()
                    && it.reach != SymbolVisibility::Nowhere
                    && it.container == Some(at.id)
            })
        };
        let inside = project.named_in(at.file, name).iter().filter(is_inside);
        let is_owned = |member: &&DefRef| {
            project.file(member.file).family == family
                && self.owners_called(own_name, **member).contains(&at)
        };
        let owned = project.owned(name).iter().filter(is_owned);
        let mut found: Vec<DefRef> = inside.chain(owned).copied().collect();
        found.sort_unstable();
        found
    }

    /// Returns the types with this name that a member declares to belong to.
    fn owners_called(&self, name: &str, member: DefRef) -> Vec<DefRef> {
        let project = self.project;
        // In scripts, any name may be an object's.
        if project.file(member.file).family == LanguageFamily::Script {
            return self.script_owners(member);
        }
        let owner = project.outlined(member).and_then(|it| it.owner);
        let owner = owner.map(|owner| project.text(member.file, owner));
        let Some(owner) = owner.filter(|owner| super::split_last(owner).1 == name) else {
            return Vec::new();
        };
        let mut owners = definitions(&self.owners(member.file, owner));
        owners.retain(|at| project.name(*at) == name);
        owners
    }

    /// Returns the imports of a namespace with this name.
    fn in_namespace(&self, at: DefRef, name: &str) -> Vec<ResolvedTarget> {
        let project = self.project;
        let imports = project.file(at.file).outline().imports.iter();
        let inside = imports.filter(|import| import.within == Some(at.id));
        let bound = |import| self.bound(at.file, import, name).into_iter().flatten();
        let mut found: Vec<ResolvedTarget> = inside.clone().flat_map(bound).collect();
        if found.is_empty() {
            let all = inside.filter(|import| import.imported == ImportedNames::Everything);
            found = self.of_everything(at.file, all, name);
        }
        let family = project.file(at.file).family;
        if found.is_empty() && family == LanguageFamily::C {
            // `namespace a::b` is inside `a`.
            let inner = format!("{}.{name}", project.namespace_name(at));
            let inner = project.reopened(family, &inner).iter().copied();
            let inner = inner.filter(|inner| self.is_one_program(at, *inner));
            found.extend(inner.map(ResolvedTarget::Definition));
        }
        found
    }

    /// Returns the types that an owner's name means in a file.
    pub(super) fn owners(&self, file: CodeFileId, name: &str) -> Rc<[ResolvedTarget]> {
        let question = ResolverQuery::Owners(file, self.questions.word(name));
        self.questions.ask(question, || self.find_owners(file, name)).places()
    }

    fn find_owners(&self, file: CodeFileId, name: &str) -> Vec<DefRef> {
        let project = self.project;
        let is_owner = |at: &DefRef| {
            project
                .outlined(*at)
                .is_some_and(|it| is_type(it.kind) || it.kind == DefinitionKind::Module)
        };
        let short = super::split_last(name).1;
        // Inside a module of the same file it may be a type of that module.
        let here: Vec<DefRef> = project
            .named(short)
            .iter()
            .copied()
            .filter(|at| at.file == file && is_owner(at))
            .collect();
        if !here.is_empty() {
            return here;
        }
        let scope = LookupScope { file, within: None };
        if let ScopeLookup::Found(places) = self.types(scope, name) {
            let found: Vec<DefRef> = definitions(&places).into_iter().filter(is_owner).collect();
            if !found.is_empty() {
                return found;
            }
        }
        // The only type with that name, if headers are not followed.
        let family = project.file(file).family;
        let all: Vec<DefRef> = project
            .named(short)
            .iter()
            .copied()
            .filter(|at| project.file(at.file).family == family && is_owner(at))
            .collect();
        if all.len() == 1 { all } else { Vec::new() }
    }

    /// Returns the types that a type extends and implements.
    pub(crate) fn bases(&self, at: DefRef) -> Vec<DefRef> {
        let answer = self.questions.ask(ResolverQuery::Bases(at), || self.find_bases(at));
        definitions(&answer.places())
    }

    fn find_bases(&self, at: DefRef) -> Vec<DefRef> {
        let project = self.project;
        let mut known = Vec::new();
        let outline = project.file(at.file).outline();
        for above in &outline.above {
            let belongs = above.within == Some(at.id);
            // In scripts, an alias may be a union, which has only the common
            // members.
            let is_choice = above.role == ReferenceRole::Type
                && project.file(at.file).family == LanguageFamily::Script;
            if !belongs || is_choice {
                continue;
            }
            let text = |id| outline.names.text(id);
            let scope = LookupScope {
                file: at.file,
                within: outline.definition(at.id).and_then(|it| it.container),
            };
            let above_name = text(above.name);
            let looked = if let QualifierText::Path(path) | QualifierText::OfType(path) =
                QualifierText::new(above.qualifier, text)
            {
                self.types(scope, &format!("{path}.{above_name}"))
            } else {
                self.lookup_type(scope, above_name)
            };
            if let ScopeLookup::Found(places) = looked {
                known.extend(definitions(&places).into_iter().filter(|base| *base != at));
            }
        }
        known
    }
}
