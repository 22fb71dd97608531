//! Callers and callees of a definition.

use std::collections::{BTreeMap, BTreeSet};

use super::implied::CallSyntax;
use super::name::NameLookup;
use super::refs::{UseCertainty, UseRelation};
use crate::code::{CodeSymbol, KnownCode};
use crate::facts::DefinitionId;
use crate::project::{CodeFileId, DefRef};
use crate::resolve::{Resolution, Resolver};

/// Calls from one definition to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallGroup {
    /// The definition at the other end; `None` for code outside any definition.
    pub symbol: Option<CodeSymbol>,
    /// The file of the calls.
    pub path: String,
    /// Their lines.
    pub lines: Vec<u32>,
    /// Certainty of all these calls; for possible ones, that of the surest.
    pub certainty: UseCertainty,
}

/// The callers of a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Callers {
    /// The definition.
    pub symbols: Vec<CodeSymbol>,
    /// In the order of files and lines; sure and possible calls of one caller
    /// are apart.
    pub callers: Vec<CallGroup>,
    /// Tells whether the list of calls may be incomplete.
    pub calling: CallSyntax,
}

/// The calls that a definition makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Callees {
    /// The definition.
    pub symbols: Vec<CodeSymbol>,
    /// In the order of their first call.
    pub callees: Vec<CallGroup>,
    /// Names it calls that are not in the project.
    pub outside: Vec<String>,
    /// Names it calls that are imported from a file of the project which does
    /// not define them.
    pub unresolved: Vec<String>,
}

/// Key of calls that are reported together.
type CallGroupKey = (CodeFileId, Option<DefinitionId>, CallSureness);

/// Tells sure calls from possible ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum CallSureness {
    Sure,
    Possible,
}

impl CallSureness {
    fn of(certainty: UseCertainty) -> Self {
        match certainty {
            UseCertainty::Sure => Self::Sure,
            UseCertainty::OneOf(_) => Self::Possible,
        }
    }
}

impl KnownCode<'_> {
    /// Finds the callers of the definition that `name` means.
    pub fn callers(&self, name: &str) -> NameLookup<Callers> {
        let targets = match self.meant(name) {
            NameLookup::One(targets) => targets,
            NameLookup::Several(candidates) => return NameLookup::Several(candidates),
            NameLookup::Nothing(alike) => return NameLookup::Nothing(alike),
        };
        let resolver = Resolver::new(&self.project);
        let mut found: BTreeMap<CallGroupKey, (Vec<u32>, UseCertainty)> = BTreeMap::new();
        let hits = self.all_hits(&resolver, &targets);
        for hit in hits.iter().filter(|hit| hit.relation == UseRelation::Calls) {
            let caller = (hit.file, hit.within, CallSureness::of(hit.certainty));
            let (lines, certainty) = found.entry(caller).or_insert((Vec::new(), hit.certainty));
            if lines.last() != Some(&hit.span.line) {
                lines.push(hit.span.line);
            }
            *certainty = (*certainty).min(hit.certainty);
        }
        let call = |((file, within, _), (lines, certainty)): (CallGroupKey, _)| CallGroup {
            symbol: within.map(|id| self.symbol(DefRef { file, id })),
            path: self.project.file(file).path.clone(),
            lines,
            certainty,
        };
        let callers = found.into_iter().map(call).collect();
        let calling = self.calling(&targets, &hits);
        NameLookup::One(Callers { symbols: self.all(&targets), callers, calling })
    }

    /// Finds what the definition that `name` means calls.
    pub fn callees(&self, name: &str) -> NameLookup<Callees> {
        let targets = match self.meant(name) {
            NameLookup::One(targets) => targets,
            NameLookup::Several(candidates) => return NameLookup::Several(candidates),
            NameLookup::Nothing(alike) => return NameLookup::Nothing(alike),
        };
        let resolver = Resolver::new(&self.project);
        let mut found: Vec<(DefRef, CallGroup)> = Vec::new();
        let (mut outside, mut unresolved) = (BTreeSet::new(), BTreeSet::new());
        for target in &targets {
            let Some(facts) = self.facts(target.file) else { continue };
            let inside = facts.references.iter().filter(|reference| {
                let within = reference.within.map(|id| DefRef { file: target.file, id });
                within.is_some_and(|within| self.is_inside(within, *target))
            });
            for reference in inside.filter(|it| UseRelation::of(it.role) == UseRelation::Calls) {
                let line = reference.span.line;
                match resolver.resolve_in(target.file, &facts, reference) {
                    Resolution::Known(all) => {
                        let all = resolver.defined(&all);
                        self.note(&mut found, &all, line, UseCertainty::Sure);
                    }
                    Resolution::Ambiguous(all) => {
                        self.note(&mut found, &all, line, UseCertainty::OneOf(all.len()));
                    }
                    Resolution::Module(_) => {}
                    Resolution::Outside => {
                        let is_broken = resolver.is_broken(target.file, &facts, reference);
                        let names = if is_broken { &mut unresolved } else { &mut outside };
                        names.insert(facts.names.text(reference.name).to_owned());
                    }
                }
            }
        }
        let callees = found.into_iter().map(|(_, calls)| calls).collect();
        let outside = outside.into_iter().collect();
        let unresolved = unresolved.into_iter().collect();
        NameLookup::One(Callees { symbols: self.all(&targets), callees, outside, unresolved })
    }

    fn note(
        &self,
        found: &mut Vec<(DefRef, CallGroup)>,
        all: &[DefRef],
        line: u32,
        how: UseCertainty,
    ) {
        for at in all {
            let is_same = |(known, calls): &&mut (DefRef, CallGroup)| {
                known == at && CallSureness::of(calls.certainty) == CallSureness::of(how)
            };
            if let Some((_, calls)) = found.iter_mut().find(is_same) {
                if calls.lines.last() != Some(&line) {
                    calls.lines.push(line);
                }
                calls.certainty = calls.certainty.min(how);
                continue;
            }
            let path = self.project.file(at.file).path.clone();
            let symbol = Some(self.symbol(*at));
            found.push((*at, CallGroup { symbol, path, lines: vec![line], certainty: how }));
        }
    }

    pub(crate) fn is_inside(&self, at: DefRef, outer: DefRef) -> bool {
        at == outer || self.project.containers(at).any(|above| above == outer)
    }

    fn all(&self, targets: &[DefRef]) -> Vec<CodeSymbol> {
        targets.iter().map(|at| self.symbol(*at)).collect()
    }
}

#[cfg(test)]
#[path = "calls_tests.rs"]
mod tests;
