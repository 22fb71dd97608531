//! Resolves names: by scope, imports and the rules of their language.
//!
//! A name with several possible meanings is reported with all of them; none is
//! chosen by chance. A name that an import binds to something outside the
//! project is outside, even if the project has the same name.

mod around;
mod broken;
mod builtin;
mod c;
mod dotted;
mod given;
mod members;
mod modules;
mod python;
mod questions;
mod receivers;
mod rivals;
mod ruby;
mod rust;
mod script;

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::facts::{
    DefinitionId, DefinitionKind, FileFacts, ImportedNames, Qualifier, Reference, ReferenceRole,
    SymbolVisibility,
};
use crate::family::LanguageFamily;
use crate::project::{CodeFileId, CodeProject, DefRef, folder_of};
use questions::QueryCache;
use rivals::RivalDefinitions;

/// Maximum number of parts in the name of a package; every prefix of it is
/// looked up.
const PARTS: usize = 100;

/// A module: the files that make it up.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ModuleFiles {
    pub(crate) files: Vec<CodeFileId>,
    /// The folder of its submodules, for languages that have such folders.
    pub(crate) folder: Option<String>,
}

impl ModuleFiles {
    pub(crate) fn of_file(file: CodeFileId) -> Self {
        Self { files: vec![file], folder: None }
    }
}

/// The target of a name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum ResolvedTarget {
    Module(ModuleFiles),
    Definition(DefRef),
}

/// The result of looking up a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ScopeLookup {
    /// The name means these; several if the same thing is defined more than
    /// once.
    Found(Vec<ResolvedTarget>),
    /// It is bound to something outside the project.
    Outside,
    /// Nothing binds it.
    Unbound,
}

/// The target of a use of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Resolution {
    /// These; several if the same thing is defined more than once.
    Known(Vec<DefRef>),
    /// A module, which has no definition.
    Module(Vec<CodeFileId>),
    /// One of these.
    Ambiguous(Vec<DefRef>),
    /// Nothing in the project.
    Outside,
}

/// A use of a name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UnresolvedUse<'a> {
    pub(crate) file: CodeFileId,
    pub(crate) name: &'a str,
    pub(crate) role: ReferenceRole,
    pub(crate) qualifier: QualifierText<'a>,
    pub(crate) within: Option<DefinitionId>,
}

/// The qualifier of a name, as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QualifierText<'a> {
    Nothing,
    Itself,
    Parent,
    Path(&'a str),
    OfType(&'a str),
    Unknown,
}

impl ResolvedTarget {
    /// Returns the files that contain it.
    pub(crate) fn files(&self) -> Vec<CodeFileId> {
        match self {
            Self::Module(module) => module.files.clone(),
            Self::Definition(at) => vec![at.file],
        }
    }
}

impl<'a> QualifierText<'a> {
    pub(crate) fn new(
        qualifier: Qualifier,
        text: impl Fn(crate::facts::NameId) -> &'a str,
    ) -> Self {
        match qualifier {
            Qualifier::None => Self::Nothing,
            Qualifier::Itself => Self::Itself,
            Qualifier::Parent => Self::Parent,
            Qualifier::Path(name) => Self::Path(text(name)),
            Qualifier::OfType(name) => Self::OfType(text(name)),
            Qualifier::Unknown => Self::Unknown,
        }
    }
}

/// The position that a name is looked up from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LookupScope {
    pub(crate) file: CodeFileId,
    pub(crate) within: Option<DefinitionId>,
}

type MemoMap<K, V> = RefCell<HashMap<K, V>>;

/// Resolves names, and caches the results.
pub(crate) struct Resolver<'a> {
    pub(crate) project: &'a CodeProject,
    questions: QueryCache,
    imported: MemoMap<CodeFileId, Rc<[CodeFileId]>>,
    reachable: MemoMap<CodeFileId, Rc<HashSet<CodeFileId>>>,
    /// The modules around files of Rust.
    around: MemoMap<CodeFileId, Rc<[CodeFileId]>>,
    rivals: RivalDefinitions,
}

impl<'a> Resolver<'a> {
    pub(crate) fn new(project: &'a CodeProject) -> Self {
        Self {
            project,
            questions: QueryCache::default(),
            imported: RefCell::default(),
            reachable: RefCell::default(),
            around: RefCell::default(),
            rivals: RivalDefinitions::default(),
        }
    }

    /// Resolves a reference of a file.
    pub(crate) fn resolve_in(
        &self,
        file: CodeFileId,
        facts: &FileFacts,
        reference: &Reference,
    ) -> Resolution {
        self.resolve(UnresolvedUse {
            file,
            name: facts.names.text(reference.name),
            role: reference.role,
            qualifier: QualifierText::new(reference.qualifier, |name| facts.names.text(name)),
            within: reference.within,
        })
    }

    /// Resolves a use.
    pub(crate) fn resolve(&self, it: UnresolvedUse<'_>) -> Resolution {
        let scope = LookupScope { file: it.file, within: it.within };
        match it.qualifier {
            QualifierText::Nothing | QualifierText::Path(_) if self.is_macro(it) => {
                self.macros(scope, it)
            }
            QualifierText::Nothing => {
                let looked = match it.role {
                    ReferenceRole::Type | ReferenceRole::Extends | ReferenceRole::Implements => {
                        self.lookup_type(scope, it.name)
                    }
                    ReferenceRole::Call | ReferenceRole::Applies | ReferenceRole::Value => {
                        self.lookup(scope, it.name)
                    }
                };
                let found = self.settle(looked, it, || self.global(it));
                match found {
                    Resolution::Outside => self.attribute(scope, it),
                    Resolution::Known(_) | Resolution::Module(_) | Resolution::Ambiguous(_) => {
                        found
                    }
                }
            }
            QualifierText::Itself => self.itself(scope, it),
            QualifierText::Parent => {
                self.of_types(&self.parents(scope), it, || Resolution::Outside)
            }
            QualifierText::OfType(path) => self.of_type(scope, path, it),
            QualifierText::Path(path) => self.through(scope, path, it),
            QualifierText::Unknown => self.unknown(it),
        }
    }

    /// Resolves a name after a path.
    fn through(&self, scope: LookupScope, path: &str, it: UnresolvedUse<'_>) -> Resolution {
        let places = match self.path(scope, path) {
            ScopeLookup::Found(places) => places,
            ScopeLookup::Outside => return Resolution::Outside,
            ScopeLookup::Unbound if self.project.file(it.file).family == LanguageFamily::Script => {
                return self.of_global(scope, path, it);
            }
            ScopeLookup::Unbound => return self.unknown(it),
        };
        let mut found = Vec::new();
        for place in &places {
            found.extend(self.members(place, it.name));
        }
        if !found.is_empty() {
            return self.settle(ScopeLookup::Found(found), it, || Resolution::Outside);
        }
        let is_function = |at: DefRef| {
            let kind = self.project.outlined(at).map(|it| it.kind);
            matches!(kind, Some(DefinitionKind::Function | DefinitionKind::Method))
        };
        if let [ResolvedTarget::Definition(at)] = places.as_slice()
            && !is_function(*at)
            && let Some(of) = self.project.file(at.file).outline().type_of(at.id)
        {
            // The type is written in terms of the variable's file.
            let container = self.project.outlined(*at).and_then(|it| it.container);
            return self.of_type(LookupScope { file: at.file, within: container }, of, it);
        }
        // A variable has no members of its own, and its type is unknown.
        let is_value = |place: &ResolvedTarget| match place {
            ResolvedTarget::Module(_) => false,
            ResolvedTarget::Definition(at) => {
                self.project.outlined(*at).is_some_and(|it| is_value(it.kind))
            }
        };
        if places.iter().any(is_value) { self.unknown(it) } else { Resolution::Outside }
    }

    fn settle(
        &self,
        lookup: ScopeLookup,
        it: UnresolvedUse<'_>,
        otherwise: impl FnOnce() -> Resolution,
    ) -> Resolution {
        let places = match lookup {
            ScopeLookup::Found(places) => places,
            ScopeLookup::Outside => return Resolution::Outside,
            ScopeLookup::Unbound => return otherwise(),
        };
        let mut found = self.fitting(definitions(&places), it.role);
        if self.project.file(it.file).family == LanguageFamily::CSharp {
            let others: Vec<DefRef> =
                found.iter().flat_map(|part| self.other_parts(*part)).collect();
            found.extend(others);
            found.sort_unstable();
            found.dedup();
        }
        if self.are_rivals(&found) {
            return Resolution::Ambiguous(found);
        }
        if !found.is_empty() {
            return Resolution::Known(found);
        }
        let files: Vec<CodeFileId> = places.iter().flat_map(ResolvedTarget::files).collect();
        Resolution::Module(files)
    }

    /// Of things with one name, returns those that can be used in this way, if
    /// any can.
    fn fitting(&self, mut found: Vec<DefRef>, role: ReferenceRole) -> Vec<DefRef> {
        found.sort_unstable();
        found.dedup();
        let fits = |at: &DefRef| {
            self.project.outlined(*at).is_none_or(|definition| match role {
                ReferenceRole::Type | ReferenceRole::Extends | ReferenceRole::Implements => {
                    is_type(definition.kind)
                }
                ReferenceRole::Call | ReferenceRole::Applies => {
                    definition.kind != DefinitionKind::Interface
                }
                ReferenceRole::Value => true,
            })
        };
        if found.iter().any(fits) {
            found.retain(fits);
        }
        found
    }

    fn of_types(
        &self,
        types: &[DefRef],
        it: UnresolvedUse<'_>,
        otherwise: impl FnOnce() -> Resolution,
    ) -> Resolution {
        let mut found = Vec::new();
        for at in types {
            found.extend(definitions(&self.members(&ResolvedTarget::Definition(*at), it.name)));
        }
        if self.project.file(it.file).family == LanguageFamily::C {
            // A call of a base's constructor means the base.
            found = found.into_iter().map(|at| self.constructed(at)).collect();
        }
        let found = self.fitting(found, it.role);
        match found.as_slice() {
            [] => otherwise(),
            [_, _, ..] if self.are_rivals(types) => Resolution::Ambiguous(found),
            [..] => Resolution::Known(found),
        }
    }

    /// Resolves an unbound name, in languages where it may still be global.
    fn global(&self, it: UnresolvedUse<'_>) -> Resolution {
        let family = self.project.file(it.file).family;
        if !family.has_global_names() {
            return Resolution::Outside;
        }
        let is_free = |at: &&DefRef| {
            self.project.file(at.file).family == family
                && self.project.outlined(**at).is_some_and(|definition| {
                    let is_member = definition.owner.is_some() || self.is_inside_type(**at);
                    definition.reach == SymbolVisibility::Project && !is_member
                })
        };
        let named = self.project.named(it.name).iter().filter(is_free).copied();
        let found = self.fitting(named.collect(), it.role);
        self.choose(it, found)
    }

    /// Returns true if a file can know the names of another: it imports that
    /// one, directly or not, or both are in one package.
    pub(crate) fn can_reach(&self, from: CodeFileId, to: CodeFileId) -> bool {
        let folder = |file| folder_of(&self.project.file(file).path);
        from == to || folder(from) == folder(to) || self.reachable(from).contains(&to)
    }

    fn reachable(&self, from: CodeFileId) -> Rc<HashSet<CodeFileId>> {
        if let Some(known) = self.reachable.borrow().get(&from) {
            return Rc::clone(known);
        }
        let mut found = HashSet::new();
        let mut next = vec![from];
        while let Some(file) = next.pop() {
            let imported = self.imported_files(file);
            next.extend(imported.iter().copied().filter(|file| found.insert(*file)));
        }
        let found = Rc::new(found);
        self.reachable.borrow_mut().insert(from, Rc::clone(&found));
        found
    }

    /// Returns the files whose names a file imports.
    pub(crate) fn imported_files(&self, file: CodeFileId) -> Rc<[CodeFileId]> {
        if let Some(known) = self.imported.borrow().get(&file) {
            return Rc::clone(known);
        }
        let mut files: Vec<CodeFileId> = Vec::new();
        for import in &self.project.file(file).outline().imports {
            let scope = LookupScope { file, within: import.within };
            let module = self.project.text(file, import.module);
            if self.project.file(file).family == LanguageFamily::C {
                // Namespaces are not files; their parts are found through
                // includes.
                files.extend(self.included(file, module));
                continue;
            }
            let places = self.modules(scope, module);
            let named = match import.imported {
                ImportedNames::Name { name, .. } => {
                    let name = self.project.text(file, name);
                    places.iter().flat_map(|place| self.members(place, name)).collect()
                }
                ImportedNames::Module { .. } | ImportedNames::Everything => Vec::new(),
            };
            // A file that only passes a name on is imported too, but not all
            // files of a package.
            let own = places.iter().map(ResolvedTarget::files);
            files.extend(own.filter(|own| named.is_empty() || own.len() == 1).flatten());
            files.extend(named.iter().flat_map(ResolvedTarget::files));
        }
        files.sort_unstable();
        files.dedup();
        files.retain(|imported| *imported != file);
        let files: Rc<[CodeFileId]> = files.into();
        self.imported.borrow_mut().insert(file, Rc::clone(&files));
        files
    }

    fn is_inside_type(&self, at: DefRef) -> bool {
        let container = self.project.containers(at).next();
        let container = container.and_then(|container| self.project.outlined(container));
        container.is_some_and(|container| is_type(container.kind))
    }

    /// Looks up the name or path of a type.
    pub(crate) fn types(&self, scope: LookupScope, path: &str) -> ScopeLookup {
        let (before, name) = split_last(path);
        if before.is_empty() {
            return self.lookup_type(scope, name);
        }
        match self.path(scope, before) {
            ScopeLookup::Found(places) => {
                let found: Vec<ResolvedTarget> =
                    places.iter().flat_map(|place| self.members(place, name)).collect();
                if found.is_empty() { ScopeLookup::Outside } else { ScopeLookup::Found(found) }
            }
            other @ (ScopeLookup::Outside | ScopeLookup::Unbound) => other,
        }
    }
}

/// Returns the parts of a path, with any separator.
pub(crate) fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split(['.', ':', '\\', '/']).filter(|part| !part.is_empty())
}

/// Splits a path into all but its last part, and that part.
pub(crate) fn split_last(path: &str) -> (&str, &str) {
    match path.rfind(['.', ':', '\\']) {
        Some(at) => {
            let (before, rest) = path.split_at(at);
            (before.trim_end_matches([':', '\\', '.']), rest.trim_start_matches([':', '\\', '.']))
        }
        None => ("", path),
    }
}

pub(crate) fn definitions(places: &[ResolvedTarget]) -> Vec<DefRef> {
    let each = places.iter().filter_map(|place| match place {
        ResolvedTarget::Definition(at) => Some(*at),
        ResolvedTarget::Module(_) => None,
    });
    each.collect()
}

pub(crate) fn is_type(kind: DefinitionKind) -> bool {
    matches!(
        kind,
        DefinitionKind::Class
            | DefinitionKind::Struct
            | DefinitionKind::Union
            | DefinitionKind::Enum
            | DefinitionKind::Interface
            | DefinitionKind::Alias
    )
}

fn is_value(kind: DefinitionKind) -> bool {
    matches!(
        kind,
        DefinitionKind::Function
            | DefinitionKind::Method
            | DefinitionKind::Field
            | DefinitionKind::Constant
            | DefinitionKind::Variable
    )
}

#[cfg(test)]
#[path = "resolve/tests.rs"]
mod tests;
