//! Callers and callees of a definition.

use std::collections::{BTreeMap, BTreeSet};

use super::implied::Calling;
use super::name::Meant;
use super::refs::{Certainty, Relation};
use crate::code::{Code, Symbol};
use crate::facts::DefinitionId;
use crate::project::{DefRef, FileId};
use crate::resolve::{Resolution, Resolver};

/// Calls from one definition to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calls {
    /// The definition at the other end; `None` for code outside any definition.
    pub symbol: Option<Symbol>,
    /// The file of the calls.
    pub path: String,
    /// Their lines.
    pub lines: Vec<u32>,
    /// Certainty of all these calls; for possible ones, that of the surest.
    pub certainty: Certainty,
}

/// The callers of a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Callers {
    /// The definition.
    pub symbols: Vec<Symbol>,
    /// In the order of files and lines; sure and possible calls of one caller
    /// are apart.
    pub callers: Vec<Calls>,
    /// Tells whether the list of calls may be incomplete.
    pub calling: Calling,
}

/// The calls that a definition makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Callees {
    /// The definition.
    pub symbols: Vec<Symbol>,
    /// In the order of their first call.
    pub callees: Vec<Calls>,
    /// Names it calls that are not in the project.
    pub outside: Vec<String>,
    /// Names it calls that are imported from a file of the project which does
    /// not define them.
    pub unresolved: Vec<String>,
}

/// Key of calls that are reported together.
type Caller = (FileId, Option<DefinitionId>, Sureness);

/// Tells sure calls from possible ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sureness {
    Sure,
    Possible,
}

impl Sureness {
    fn of(certainty: Certainty) -> Self {
        match certainty {
            Certainty::Sure => Self::Sure,
            Certainty::OneOf(_) => Self::Possible,
        }
    }
}

impl Code<'_> {
    /// Finds the callers of the definition that `name` means.
    pub fn callers(&self, name: &str) -> Meant<Callers> {
        let targets = match self.meant(name) {
            Meant::One(targets) => targets,
            Meant::Several(candidates) => return Meant::Several(candidates),
            Meant::Nothing(alike) => return Meant::Nothing(alike),
        };
        let resolver = Resolver::new(&self.project);
        let mut found: BTreeMap<Caller, (Vec<u32>, Certainty)> = BTreeMap::new();
        let hits = self.all_hits(&resolver, &targets);
        for hit in hits.iter().filter(|hit| hit.relation == Relation::Calls) {
            let caller = (hit.file, hit.within, Sureness::of(hit.certainty));
            let (lines, certainty) = found.entry(caller).or_insert((Vec::new(), hit.certainty));
            if lines.last() != Some(&hit.span.line) {
                lines.push(hit.span.line);
            }
            *certainty = (*certainty).min(hit.certainty);
        }
        let call = |((file, within, _), (lines, certainty)): (Caller, _)| Calls {
            symbol: within.map(|id| self.symbol(DefRef { file, id })),
            path: self.project.file(file).path.clone(),
            lines,
            certainty,
        };
        let callers = found.into_iter().map(call).collect();
        let calling = self.calling(&targets, &hits);
        Meant::One(Callers { symbols: self.all(&targets), callers, calling })
    }

    /// Finds what the definition that `name` means calls.
    pub fn callees(&self, name: &str) -> Meant<Callees> {
        let targets = match self.meant(name) {
            Meant::One(targets) => targets,
            Meant::Several(candidates) => return Meant::Several(candidates),
            Meant::Nothing(alike) => return Meant::Nothing(alike),
        };
        let resolver = Resolver::new(&self.project);
        let mut found: Vec<(DefRef, Calls)> = Vec::new();
        let (mut outside, mut unresolved) = (BTreeSet::new(), BTreeSet::new());
        for target in &targets {
            let Some(facts) = self.facts(target.file) else { continue };
            let inside = facts.references.iter().filter(|reference| {
                let within = reference.within.map(|id| DefRef { file: target.file, id });
                within.is_some_and(|within| self.is_inside(within, *target))
            });
            for reference in inside.filter(|it| Relation::of(it.role) == Relation::Calls) {
                let line = reference.span.line;
                match resolver.resolve_in(target.file, &facts, reference) {
                    Resolution::Known(all) => {
                        let all = resolver.defined(&all);
                        self.note(&mut found, &all, line, Certainty::Sure);
                    }
                    Resolution::Ambiguous(all) => {
                        self.note(&mut found, &all, line, Certainty::OneOf(all.len()));
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
        Meant::One(Callees { symbols: self.all(&targets), callees, outside, unresolved })
    }

    fn note(&self, found: &mut Vec<(DefRef, Calls)>, all: &[DefRef], line: u32, how: Certainty) {
        for at in all {
            let is_same = |(known, calls): &&mut (DefRef, Calls)| {
                known == at && Sureness::of(calls.certainty) == Sureness::of(how)
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
            found.push((*at, Calls { symbol, path, lines: vec![line], certainty: how }));
        }
    }

    pub(crate) fn is_inside(&self, at: DefRef, outer: DefRef) -> bool {
        at == outer || self.project.containers(at).any(|above| above == outer)
    }

    fn all(&self, targets: &[DefRef]) -> Vec<Symbol> {
        targets.iter().map(|at| self.symbol(*at)).collect()
    }
}

#[cfg(test)]
#[path = "calls_tests.rs"]
mod tests;
