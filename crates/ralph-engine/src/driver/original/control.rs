//! Makes sure that the tests of the start judged the user's real code.
//!
//! They run in an overlay, and code can detect that. If it behaves well only
//! there, the present tests reveal it. They give another result in an overlay
//! of the very same files, or no longer detect the failures of the start.

use std::collections::{BTreeMap, BTreeSet};

use ralph_core::evidence::{Evidence, GateReport, Verdict, WeakenedCheck};
use ralph_core::finding::TestState;
use ralph_core::original;
use ralph_tamper::{RestoredContents, split};

use super::whole_suite::tests_of;
use super::wording::TrialWording;
use super::{StageOverlay, StartCase, StartTrial, TrialStage, pairs};
use crate::error::EngineError;

impl StartTrial<'_, '_> {
    /// Returns findings against a gate whose tests of the start all pass. If
    /// the present tests no longer detect a failure of the start, the evidence
    /// is marked.
    pub(super) fn run_controls(
        &mut self,
        case: &StartCase<'_>,
        index: usize,
        material: &BTreeMap<String, RestoredContents>,
        evidence: &mut Evidence,
    ) -> Result<Vec<WeakenedCheck>, EngineError> {
        let name = &self.checks.gates[index].spec().name;
        let own = evidence.gates.iter().find(|report| report.name == *name).cloned();
        let Some(own) = own else { return Ok(Vec::new()) };
        let trial = TrialWording::new(material, case.run.policy.locale);
        let mut held = Vec::new();
        for id in self.unlike_in_copy(case, index, &own, evidence)? {
            // The user judges a test that cannot run there at all.
            if case.allows_test(&id) {
                continue;
            }
            held.push(WeakenedCheck { place: trial.place_of(&id), what: trial.unlike(&id) });
        }
        let is_accepted = case.run.policy.allowed.tests;
        if held.is_empty() && !is_accepted && self.is_failure_forgotten(case, index, evidence)? {
            evidence.forgets_failure = true;
        }
        Ok(held)
    }

    /// Returns the present tests that give another result in an overlay that
    /// replaces nothing, twice. Tests of the start that cannot run there either
    /// are left out.
    fn unlike_in_copy(
        &mut self,
        case: &StartCase<'_>,
        index: usize,
        own: &GateReport,
        evidence: &mut Evidence,
    ) -> Result<BTreeSet<String>, EngineError> {
        let nothing = BTreeMap::new();
        let Ok(present) = self.overlaid(&case.files, &nothing) else { return Ok(BTreeSet::new()) };
        let stage = TrialStage::Present;
        let overlay = StageOverlay { stage, supervisor: &present, restored: &nothing };
        let copy = self.run_on_stage(case, index, overlay)?;
        if let Verdict::Unknown { .. } = copy.verdict {
            self.pass_on_lack_of_time(&copy, evidence);
            return Ok(BTreeSet::new());
        }
        let tests = |report: &GateReport| tests_of(report, own, case.judgement(&own.name));
        let mut found = original::unlike(&tests(own), &tests(&copy));
        if found.is_empty() {
            return Ok(found);
        }
        let again = self.report_on(case.run, index, overlay);
        let again = original::unlike(&tests(own), &tests(&again));
        found.retain(|id| again.contains(id));
        let then = &case.starts[&own.name];
        if found.iter().any(|id| then.passed.contains(id)) {
            let start = self.run_gate_on_start(case, index)?.map(|report| tests(&report));
            let runs_there = |id: &String| {
                let then = start.as_ref().and_then(|start| start.states.get(id));
                then == Some(&TestState::Passed)
            };
            found.retain(|id| !then.passed.contains(id) || runs_there(id));
        }
        Ok(found)
    }

    /// Returns true if tests failed at the start and the present ones do not
    /// detect it: they pass on the code of the start.
    fn is_failure_forgotten(
        &mut self,
        case: &StartCase<'_>,
        index: usize,
        evidence: &mut Evidence,
    ) -> Result<bool, EngineError> {
        let name = &self.checks.gates[index].spec().name;
        if case.starts.get(name).is_none_or(|then| then.failed.is_empty()) {
            return Ok(false);
        }
        let code = split(&pairs(case.files.iter()), case.project).code;
        if code.is_empty() {
            return Ok(false);
        }
        let Ok(supervisor) = self.overlaid(&case.files, &code) else { return Ok(false) };
        let stage = TrialStage::CodeOfStart;
        let overlay = StageOverlay { stage, supervisor: &supervisor, restored: &code };
        let report = self.run_on_stage(case, index, overlay)?;
        if let Verdict::Unknown { .. } = report.verdict {
            self.pass_on_lack_of_time(&report, evidence);
        }
        Ok(report.passed())
    }
}
