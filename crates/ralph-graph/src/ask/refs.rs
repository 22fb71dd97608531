//! Finds the uses of a definition.

use std::collections::HashSet;

use super::implied::Calling;
use super::name::Meant;
use super::renamed::{DEFAULT, Renamed};
use crate::code::{Code, Symbol};
use crate::exports;
use crate::facts::{DefinitionId, FileFacts, Imported, Role, Span};
use crate::family::Family;
use crate::outline::NameKey;
use crate::project::{DefRef, FileId};
use crate::resolve::{Resolution, Resolver, Scope, definitions};

/// Ways in which one thing relates to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// It calls or constructs it, or expands it as a macro.
    Calls,
    /// It imports it.
    Imports,
    /// It extends it.
    Extends,
    /// It implements it.
    Implements,
    /// It mentions it as a type or a value.
    Uses,
}

impl Relation {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Calls => "calls",
            Self::Imports => "imports",
            Self::Extends => "extends",
            Self::Implements => "implements",
            Self::Uses => "uses",
        }
    }

    pub(crate) fn of(role: Role) -> Self {
        match role {
            Role::Call | Role::Applies => Self::Calls,
            Role::Extends => Self::Extends,
            Role::Implements => Self::Implements,
            Role::Type | Role::Value => Self::Uses,
        }
    }
}

/// Certainty that a use refers to a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// By scope and imports.
    Sure,
    /// It could be any of this many definitions.
    OneOf(usize),
}

/// A use of a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// The file, from the root, with slashes.
    pub path: String,
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
    /// The way in which it is used.
    pub relation: Relation,
    /// The definition that contains the use.
    pub within: Option<String>,
    /// True if the containing definition belongs to tests.
    pub in_test: bool,
    /// Certainty that it is a use of the definition.
    pub certainty: Certainty,
}

/// The uses of a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refs {
    /// The definition; several if the same thing is defined more than once.
    pub symbols: Vec<Symbol>,
    /// Its uses in the order of files and lines.
    pub sites: Vec<Site>,
    /// Tells whether the list of calls may be incomplete.
    pub calling: Calling,
}

/// A use that was found.
pub(crate) struct Hit {
    pub(crate) file: FileId,
    pub(crate) within: Option<DefinitionId>,
    pub(crate) relation: Relation,
    pub(crate) span: Span,
    pub(crate) certainty: Certainty,
    /// The type of another file that is said here to implement something.
    pub(crate) implementor: Option<String>,
}

impl Code<'_> {
    /// Finds the uses of the definition that `name` means.
    pub fn refs(&self, name: &str) -> Meant<Refs> {
        match self.meant(name) {
            Meant::One(targets) => {
                let symbols = targets.iter().map(|at| self.symbol(*at)).collect();
                let resolver = Resolver::new(&self.project);
                let hits = self.all_hits(&resolver, &targets);
                let sites = hits.iter().map(|hit| self.site(hit)).collect();
                let calling = self.calling(&targets, &hits);
                Meant::One(Refs { symbols, sites, calling })
            }
            Meant::Several(candidates) => Meant::Several(candidates),
            Meant::Nothing(alike) => Meant::Nothing(alike),
        }
    }

    fn site(&self, hit: &Hit) -> Site {
        let within = hit.within.map(|id| DefRef { file: hit.file, id });
        let in_test = within.map_or_else(
            || self.project.is_test_file(hit.file),
            |within| self.project.is_test(within),
        );
        Site {
            path: self.project.file(hit.file).path.clone(),
            line: hit.span.line,
            column: hit.span.column,
            relation: hit.relation,
            within: within
                .map(|within| self.project.full_name(within))
                .or_else(|| hit.implementor.clone()),
            in_test,
            certainty: hit.certainty,
        }
    }

    /// Returns the uses of these definitions, which all have one name.
    pub(crate) fn hits(&self, resolver: &Resolver<'_>, targets: &[DefRef]) -> Vec<Hit> {
        let Some(first) = targets.first() else { return Vec::new() };
        let name = self.project.name(*first);
        let family = self.project.file(first.file).family;
        let names = Renamed::new(&self.project).all(&self.project, *first);
        let used = names.iter().filter(|used| **used == name || **used != DEFAULT);
        let used: HashSet<&str> = used.copied().collect();
        let keys: Vec<NameKey> = used.iter().map(|used| NameKey::of(used)).collect();
        let mut found = Vec::new();
        for file in self.project.ids().filter(|id| self.project.file(*id).family == family) {
            let aliases = self.aliases(file, &names);
            let outline = self.project.file(file).outline();
            let mentions = keys.iter().any(|key| outline.mentions(*key) > 0);
            if !mentions && aliases.is_empty() {
                continue;
            }
            let Some(facts) = self.facts(file) else { continue };
            let before = found.len();
            imports_of(resolver, file, &facts, targets, &mut found);
            for reference in &facts.references {
                let text = facts.names.text(reference.name);
                if !used.contains(text) && !aliases.contains(text) {
                    continue;
                }
                let resolution = resolver.resolve_in(file, &facts, reference);
                if let Some(certainty) = certainty(&resolution, targets) {
                    let (within, span) = (reference.within, reference.span);
                    let relation = Relation::of(reference.role);
                    let implementor = facts.implementor(reference).map(str::to_owned);
                    found.push(Hit { file, within, relation, span, certainty, implementor });
                }
            }
            found[before..].sort_by_key(|hit| hit.span.start);
        }
        found
    }

    /// Returns the local names that a file's imports give to these names.
    fn aliases(&self, file: FileId, names: &HashSet<&str>) -> HashSet<&str> {
        let outline = self.project.file(file).outline();
        let mut found = HashSet::new();
        for import in &outline.imports {
            let (original, local) = match import.imported {
                Imported::Name { name, local } => (outline.names.text(name), local),
                Imported::Module { local: Some(local) } => (exports::WHOLE, local),
                Imported::Module { local: None } | Imported::Everything => continue,
            };
            if names.contains(original) {
                found.insert(outline.names.text(local));
            }
        }
        found
    }
}

/// Finds imports of these definitions.
fn imports_of(
    resolver: &Resolver<'_>,
    file: FileId,
    facts: &FileFacts,
    targets: &[DefRef],
    found: &mut Vec<Hit>,
) {
    let is_script = resolver.project.file(file).family == Family::Script;
    let outlined = &resolver.project.file(file).outline().imports;
    for (import, outlined) in facts.imports.iter().zip(outlined) {
        let module = facts.names.text(import.module);
        // A script that exports its own definition uses it, which is found
        // elsewhere.
        if module.is_empty() && is_script {
            continue;
        }
        let scope = Scope { file, within: import.within };
        let named: Vec<_> = match import.imported {
            Imported::Name { local, .. } | Imported::Module { local: Some(local) } if is_script => {
                resolver.bound(file, outlined, facts.names.text(local)).unwrap_or_default()
            }
            Imported::Name { name, .. } => {
                let (places, name) = (resolver.modules(scope, module), facts.names.text(name));
                places.iter().flat_map(|it| resolver.members(it, name)).collect()
            }
            Imported::Module { .. } | Imported::Everything => continue,
        };
        let named = definitions(&named);
        if named.iter().any(|at| targets.contains(at)) {
            let is_one_of = resolver.are_rivals(&named);
            let certainty = if is_one_of { Certainty::OneOf(named.len()) } else { Certainty::Sure };
            let relation = Relation::Imports;
            let (within, span, implementor) = (import.within, import.span, None);
            found.push(Hit { file, within, relation, span, certainty, implementor });
        }
    }
}

/// Returns how sure it is that a name refers to one of these.
pub(crate) fn certainty(resolution: &Resolution, targets: &[DefRef]) -> Option<Certainty> {
    let hits = |found: &[DefRef]| found.iter().any(|at| targets.contains(at));
    match resolution {
        Resolution::Known(found) if hits(found) => Some(Certainty::Sure),
        Resolution::Ambiguous(found) if hits(found) => Some(Certainty::OneOf(found.len())),
        Resolution::Known(_)
        | Resolution::Ambiguous(_)
        | Resolution::Module(_)
        | Resolution::Outside => None,
    }
}
