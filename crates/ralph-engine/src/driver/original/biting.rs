//! Runs the present tests on the code of the start.

use std::collections::BTreeMap;

use ralph_core::evidence::{Evidence, OldCodeFailure, ProofTest};
use ralph_core::original;
use ralph_tamper::split;

use super::new_code::NewCode;
use super::{StageOverlay, StartCase, StartTrial, TrialStage, is_of_file, pairs};
use crate::error::EngineError;

impl StartTrial<'_, '_> {
    /// Returns the tests that failed at the start and pass now, if that was
    /// found out late.
    fn mended(&self, case: &StartCase<'_>, evidence: &Evidence) -> Vec<ProofTest> {
        let mut found = Vec::new();
        for gate in case.gates.iter().map(|index| self.checks.gates[*index].spec()) {
            let now = evidence.gates.iter().find(|report| report.name == gate.name);
            let now = now.and_then(|report| report.reading.tests.as_ref());
            let Some((start, now)) = case.starts.get(&gate.name).zip(now) else { continue };
            let passes = |id: &&String| original::may_pass(now, id);
            let ids = start.failed.iter().filter(passes).cloned();
            found.extend(ids.map(|id| ProofTest { id, bite: OldCodeFailure::OldBehaviour }));
        }
        found
    }

    /// Returns the present tests that fail on the code of the start.
    pub(super) fn proof_tests(
        &mut self,
        case: &StartCase<'_>,
        evidence: &Evidence,
    ) -> Result<Vec<ProofTest>, EngineError> {
        let mended = self.mended(case, evidence);
        let change = split(&pairs(case.files.iter()), case.project);
        if !mended.is_empty() || change.tests.is_empty() || change.code.is_empty() {
            return Ok(mended);
        }
        let Ok(supervisor) = self.overlaid(&case.files, &change.code) else {
            return Ok(Vec::new());
        };
        let added = NewCode::read(&case.files, &change.code);
        let mut found = Vec::new();
        for index in case.gates.clone() {
            let name = self.checks.gates[index].spec().name.clone();
            let now = evidence.gates.iter().find(|report| report.name == name);
            let now = now.and_then(|report| report.reading.tests.as_ref());
            // A suite that names no tests may fail there for any reason.
            let Some((start, now)) = case.starts.get(&name).zip(now) else { continue };
            let stage = TrialStage::CodeOfStart;
            let overlay = StageOverlay { stage, supervisor: &supervisor, restored: &change.code };
            let report = self.run_on_stage(case, index, overlay)?;
            if !report.verdict.is_known() {
                continue;
            }
            let before = report.reading.tests.unwrap_or_default();
            let is_changed = |id: &str| change.tests.keys().any(|path| is_of_file(id, path));
            let uses_change = |id: &str| added.is_used_by(id);
            let mut bites = original::proof_tests(start, now, &before, &is_changed, &uses_change);
            if bites.is_empty() {
                continue;
            }
            // A test that does not pass on this stage at all proves nothing.
            let nothing = BTreeMap::new();
            let Ok(present) = self.overlaid(&case.files, &nothing) else { continue };
            let stage = TrialStage::Present;
            let overlay = StageOverlay { stage, supervisor: &present, restored: &nothing };
            let control = self.run_on_stage(case, index, overlay)?.reading.tests;
            let control = control.unwrap_or_default();
            bites.retain(|one| original::may_pass(&control, &one.id));
            found.extend(bites);
        }
        found.sort_by_key(|one| one.bite == OldCodeFailure::NeedsNewCode);
        Ok(found)
    }
}
