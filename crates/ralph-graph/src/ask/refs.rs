//! Finds the uses of a definition.

use std::collections::HashSet;

use super::implied::CallSyntax;
use super::name::NameLookup;
use super::renamed::{DEFAULT, ReexportedNames};
use crate::code::{CodeSymbol, KnownCode};
use crate::exports;
use crate::facts::{DefinitionId, FileFacts, ImportedNames, ReferenceRole, SourceSpan};
use crate::family::LanguageFamily;
use crate::outline::NameKey;
use crate::project::{CodeFileId, DefRef};
use crate::resolve::{LookupScope, Resolution, Resolver, definitions};

/// Ways in which one thing relates to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UseRelation {
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

impl UseRelation {
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

    pub(crate) fn of(role: ReferenceRole) -> Self {
        match role {
            ReferenceRole::Call | ReferenceRole::Applies => Self::Calls,
            ReferenceRole::Extends => Self::Extends,
            ReferenceRole::Implements => Self::Implements,
            ReferenceRole::Type | ReferenceRole::Value => Self::Uses,
        }
    }
}

/// Certainty that a use refers to a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum UseCertainty {
    /// By scope and imports.
    Sure,
    /// It could be any of this many definitions.
    OneOf(usize),
}

/// A use of a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UseSite {
    /// The file, from the root, with slashes.
    pub path: String,
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
    /// The way in which it is used.
    pub relation: UseRelation,
    /// The definition that contains the use.
    pub within: Option<String>,
    /// True if the containing definition belongs to tests.
    pub in_test: bool,
    /// Certainty that it is a use of the definition.
    pub certainty: UseCertainty,
}

/// The uses of a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolUses {
    /// The definition; several if the same thing is defined more than once.
    pub symbols: Vec<CodeSymbol>,
    /// Its uses in the order of files and lines.
    pub sites: Vec<UseSite>,
    /// Tells whether the list of calls may be incomplete.
    pub calling: CallSyntax,
}

/// A use that was found.
pub(crate) struct ResolvedUse {
    pub(crate) file: CodeFileId,
    pub(crate) within: Option<DefinitionId>,
    pub(crate) relation: UseRelation,
    pub(crate) span: SourceSpan,
    pub(crate) certainty: UseCertainty,
    /// The type of another file that is said here to implement something.
    pub(crate) implementor: Option<String>,
}

impl KnownCode<'_> {
    /// Finds the uses of the definition that `name` means.
    pub fn refs(&self, name: &str) -> NameLookup<SymbolUses> {
        match self.meant(name) {
            NameLookup::One(targets) => {
                let symbols = targets.iter().map(|at| self.symbol(*at)).collect();
                let resolver = Resolver::new(&self.project);
                let hits = self.all_hits(&resolver, &targets);
                let sites = hits.iter().map(|hit| self.site(hit)).collect();
                let calling = self.calling(&targets, &hits);
                NameLookup::One(SymbolUses { symbols, sites, calling })
            }
            NameLookup::Several(candidates) => NameLookup::Several(candidates),
            NameLookup::Nothing(alike) => NameLookup::Nothing(alike),
        }
    }

    fn site(&self, hit: &ResolvedUse) -> UseSite {
        let within = hit.within.map(|id| DefRef { file: hit.file, id });
        let in_test = within.map_or_else(
            || self.project.is_test_file(hit.file),
            |within| self.project.is_test(within),
        );
        UseSite {
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
    pub(crate) fn hits(&self, resolver: &Resolver<'_>, targets: &[DefRef]) -> Vec<ResolvedUse> {
        let Some(first) = targets.first() else { return Vec::new() };
        let name = self.project.name(*first);
        let family = self.project.file(first.file).family;
        let names = ReexportedNames::new(&self.project).all(&self.project, *first);
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
                    let relation = UseRelation::of(reference.role);
                    let implementor = facts.implementor(reference).map(str::to_owned);
                    found.push(ResolvedUse {
                        file,
                        within,
                        relation,
                        span,
                        certainty,
                        implementor,
                    });
                }
            }
            found[before..].sort_by_key(|hit| hit.span.start);
        }
        found
    }

    /// Returns the local names that a file's imports give to these names.
    fn aliases(&self, file: CodeFileId, names: &HashSet<&str>) -> HashSet<&str> {
        let outline = self.project.file(file).outline();
        let mut found = HashSet::new();
        for import in &outline.imports {
            let (original, local) = match import.imported {
                ImportedNames::Name { name, local } => (outline.names.text(name), local),
                ImportedNames::Module { local: Some(local) } => (exports::WHOLE, local),
                ImportedNames::Module { local: None } | ImportedNames::Everything => continue,
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
    file: CodeFileId,
    facts: &FileFacts,
    targets: &[DefRef],
    found: &mut Vec<ResolvedUse>,
) {
    let is_script = resolver.project.file(file).family == LanguageFamily::Script;
    let outlined = &resolver.project.file(file).outline().imports;
    for (import, outlined) in facts.imports.iter().zip(outlined) {
        let module = facts.names.text(import.module);
        // A script that exports its own definition uses it, which is found
        // elsewhere.
        if module.is_empty() && is_script {
            continue;
        }
        let scope = LookupScope { file, within: import.within };
        let named: Vec<_> = match import.imported {
            ImportedNames::Name { local, .. } | ImportedNames::Module { local: Some(local) }
                if is_script =>
            {
                resolver.bound(file, outlined, facts.names.text(local)).unwrap_or_default()
            }
            ImportedNames::Name { name, .. } => {
                let (places, name) = (resolver.modules(scope, module), facts.names.text(name));
                places.iter().flat_map(|it| resolver.members(it, name)).collect()
            }
            ImportedNames::Module { .. } | ImportedNames::Everything => continue,
        };
        let named = definitions(&named);
        if named.iter().any(|at| targets.contains(at)) {
            let is_one_of = resolver.are_rivals(&named);
            let certainty =
                if is_one_of { UseCertainty::OneOf(named.len()) } else { UseCertainty::Sure };
            let relation = UseRelation::Imports;
            let (within, span, implementor) = (import.within, import.span, None);
            found.push(ResolvedUse { file, within, relation, span, certainty, implementor });
        }
    }
}

/// Returns how sure it is that a name refers to one of these.
pub(crate) fn certainty(resolution: &Resolution, targets: &[DefRef]) -> Option<UseCertainty> {
    let hits = |found: &[DefRef]| found.iter().any(|at| targets.contains(at));
    match resolution {
        Resolution::Known(found) if hits(found) => Some(UseCertainty::Sure),
        Resolution::Ambiguous(found) if hits(found) => Some(UseCertainty::OneOf(found.len())),
        Resolution::Known(_)
        | Resolution::Ambiguous(_)
        | Resolution::Module(_)
        | Resolution::Outside => None,
    }
}
