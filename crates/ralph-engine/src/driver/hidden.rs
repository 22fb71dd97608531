//! Detects linter findings of the start that were hidden instead of fixed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ralph_core::evidence::{Evidence, GateReport, TestEdit, WeakenedCheck};
use ralph_core::wording::hands;
use ralph_core::{Run, TreeId};
use ralph_snapshot::ChangeKind;
use ralph_tamper::{TamperRules, is_passed_over};

use super::surroundings::OutsideWatch;
use super::tampering::FileVersions;
use crate::error::EngineError;

/// Maximum number of files with findings that are stored per gate.
const MOST: usize = 1000;

/// Returns the files in which gates without tests found something, by gate.
pub(super) fn flagged(gates: &[GateReport]) -> BTreeMap<String, BTreeSet<String>> {
    let files = |gate: &GateReport| -> BTreeSet<String> {
        let places = gate.reading.findings.iter().map(|finding| finding.place.file.clone());
        places.filter(|file| !file.is_empty() && !file.starts_with('/')).take(MOST).collect()
    };
    let gates = gates.iter().filter(|gate| gate.reading.tests.is_none());
    gates
        .map(|gate| (gate.name.clone(), files(gate)))
        .filter(|(_, files)| !files.is_empty())
        .collect()
}

impl OutsideWatch<'_, '_> {
    /// Adds the files whose findings are gone without a fix.
    pub(super) fn look_for_hidden(
        &self,
        run: &Run,
        flagged: &BTreeMap<String, BTreeSet<String>>,
        evidence: &mut Evidence,
    ) -> Result<(), EngineError> {
        let Some(present) = evidence.tree.clone().filter(|_| !flagged.is_empty()) else {
            return Ok(());
        };
        let (rules, locale) = (self.rules(run)?, run.policy.locale);
        let mut found = Vec::new();
        for (spec, gate) in self.checks.gates.iter().map(|gate| gate.spec()).zip(&evidence.gates) {
            let Some(files) = flagged.get(&gate.name).filter(|_| gate.passed()) else { continue };
            let still = flagged_now(gate);
            let looks_at_single_files = TamperRules::looks_at_single_files(spec);
            let quiet = files.iter().filter(|file| !still.contains(file.as_str()));
            found.extend(
                self.hidden(run, &present, quiet)?
                    .into_iter()
                    .map(|one| (one, looks_at_single_files)),
            );
        }
        for (HiddenFile { place, how }, looks_at_single_files) in found {
            let what = match &how {
                HidingMethod::Ignored => hands::finding_ignored(locale).to_owned(),
                HidingMethod::Untouched => hands::finding_gone(locale).to_owned(),
                HidingMethod::Renamed(from) | HidingMethod::Stubbed(from) => {
                    hands::finding_covered(from, locale)
                }
            };
            // In other tools another file may fix a finding, and the user may
            // have accepted settings that find less.
            let is_told = rules.allows(&place)
                || (how == HidingMethod::Untouched
                    && (!looks_at_single_files || evidence.accepts_changes));
            if is_told {
                evidence.edited.push(TestEdit { place, what });
            } else {
                evidence.weakened.push(WeakenedCheck { place, what });
            }
        }
        Ok(())
    }

    fn hidden<'f>(
        &self,
        run: &Run,
        present: &TreeId,
        files: impl Iterator<Item = &'f String>,
    ) -> Result<Vec<HiddenFile>, EngineError> {
        let sides = self.both_versions(run, present)?;
        let start = run.baseline.as_ref().and_then(|baseline| baseline.tree.as_ref());
        let changes = start.map(|start| self.context.tree.changes(start, present)).transpose()?;
        let added: BTreeSet<String> = changes
            .unwrap_or_default()
            .into_iter()
            .filter(|change| change.kind == ChangeKind::Added)
            .map(|change| change.path.to_string_lossy().into_owned())
            .collect();
        let look = |file: &String| {
            let is_there = self.context.places.root.join(file).is_file();
            let hidden = |place: &str, how| Some(HiddenFile { place: place.to_owned(), how });
            if let Some(stub) = stub_of(file).filter(|stub| added.contains(stub)) {
                return hidden(&stub, HidingMethod::Stubbed(file.clone()));
            }
            if is_there && is_passed_over(&self.context.places.root, Path::new(file)) {
                return hidden(file, HidingMethod::Ignored);
            }
            let of_start = sides.iter().find(|side| side.path() == file);
            match of_start {
                None if is_there => hidden(file, HidingMethod::Untouched),
                Some(old) if !is_there => {
                    let renamed = sides.iter().find(|side| is_same(old, side))?;
                    hidden(renamed.path(), HidingMethod::Renamed(file.clone()))
                }
                Some(_) | None => None,
            }
        };
        Ok(files.filter_map(look).collect())
    }
}

/// A file whose findings were hidden.
struct HiddenFile {
    place: String,
    how: HidingMethod,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum HidingMethod {
    /// It is ignored, so linters skip it.
    Ignored,
    /// It is unchanged.
    Untouched,
    /// It was renamed to a name that linters skip.
    Renamed(String),
    /// A type stub hides it.
    Stubbed(String),
}

fn flagged_now(gate: &GateReport) -> BTreeSet<&str> {
    gate.reading.findings.iter().map(|finding| finding.place.file.as_str()).collect()
}

fn is_same(old: &FileVersions, new: &FileVersions) -> bool {
    old.path() != new.path()
        && !old.old_text().trim().is_empty()
        && old.old_text() == new.new_text()
}

/// Returns the stub file that type checkers read instead of this one.
fn stub_of(file: &str) -> Option<String> {
    let (stem, extension) = file.rsplit_once('.')?;
    match extension {
        "py" => Some(format!("{stem}.pyi")),
        "ts" | "tsx" => Some(format!("{stem}.d.ts")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stub_stands_beside_its_file() {
        assert_eq!(stub_of("a/b.py").as_deref(), Some("a/b.pyi"));
        assert_eq!(stub_of("a.tsx").as_deref(), Some("a.d.ts"));
        assert_eq!(stub_of("a.rs"), None);
    }
}
