//! Finds failures before all gates are done.

use std::collections::BTreeSet;

use ralph_checks::{Gate, GateContext, test_fingerprint};
use ralph_core::evidence::GateReport;
use ralph_core::{Run, TreeId};

use super::gates::known;
use super::suite::GateRunner;
use super::timing::TimeLimit;
use crate::affected;
use crate::error::EngineError;
use crate::events::RunEvent;

impl GateRunner<'_, '_> {
    /// Runs the tests that depend on the turn's changes, of the gates with
    /// these numbers. Returns reports for gates that failed and need not run as
    /// a whole.
    pub(super) fn fail_early(
        &mut self,
        run: &Run,
        tree: &TreeId,
        missing: &[usize],
    ) -> Result<Vec<(usize, GateReport)>, EngineError> {
        // At the start all failures are wanted. At the end only the whole gate
        // can still make a success of the run.
        let is_between = run.baseline.is_some() && self.context.exhausted(run).is_none();
        let Some(affected) = self.checks.affected.clone().filter(|_| is_between) else {
            return Ok(Vec::new());
        };
        let start = run.baseline.as_ref().and_then(|baseline| baseline.tree.as_ref());
        let Some(before) = run.tree.as_ref().or(start) else { return Ok(Vec::new()) };
        let differences = known(self.context.tree.changes(before, tree))?.unwrap_or_default();
        let changed: Vec<String> =
            differences.iter().map(|change| change.path.to_string_lossy().into_owned()).collect();
        let tests = affected.of(&changed, self.context.clock.now());
        let found = self.first(run, missing, &tests);
        let doubtful: Vec<usize> = found
            .iter()
            .filter(|(_, report)| report.failing.iter().all(|one| run.progress.is_doubtful(one)))
            .map(|(at, _)| *at)
            .collect();
        let again =
            if doubtful.is_empty() { Vec::new() } else { self.first(run, &doubtful, &tests) };
        let is_steady = |(at, report): &(usize, GateReport)| {
            let same = |(other, second): &(usize, GateReport)| {
                other == at && second.failing == report.failing
            };
            !doubtful.contains(at) || again.iter().any(same)
        };
        let steady: Vec<_> = found.into_iter().filter(is_steady).collect();
        Ok(steady.into_iter().filter_map(|(at, report)| self.news(run, at, report)).collect())
    }

    /// Returns the failing tests of these gates.
    fn first(
        &mut self,
        run: &Run,
        wanted: &[usize],
        tests: &[ralph_checks::AffectedTest],
    ) -> Vec<(usize, GateReport)> {
        if tests.is_empty() || self.context.interrupt.is_raised() {
            return Vec::new();
        }
        let all = std::mem::take(&mut self.checks.gates);
        let gates: Vec<&dyn Gate> = wanted.iter().map(|at| &*all[*at]).collect();
        let limit = TimeLimit { until: self.checks.until, locale: run.policy.locale };
        let bound = limit.bind(&gates, self.context.ledger.store());
        let gates: Vec<&dyn Gate> = bound.iter().map(|gate| &**gate).collect();
        let site = GateContext {
            supervisor: &self.context.supervisor,
            root: &self.context.places.root,
            env: &self.checks.gate_env,
        };
        let mut watcher = super::suite::SuiteWatcher::new(
            run,
            &mut *self.context.sink,
            self.context.clock,
            &self.context.interrupt,
            self.context.ledger.store(),
        );
        let found = affected::failures(&gates, tests, &site, &mut watcher);
        let found = found.into_iter().map(|(at, report)| (wanted[at], report)).collect();
        drop(bound);
        self.checks.gates = all;
        found
    }

    /// Returns the report of a gate whose tests failed early; `None` if it
    /// tells nothing new. Then the whole gate decides: a test may fail only
    /// when it is run without the others.
    fn news(&mut self, run: &Run, at: usize, report: GateReport) -> Option<(usize, GateReport)> {
        let spec = self.checks.gates[at].spec();
        let folders = self.checks.gates.iter().map(|gate| gate.spec().dir.as_str());
        let others: Vec<String> = folders
            .filter(|dir| !dir.is_empty() && *dir != spec.dir)
            .map(|dir| format!("test {dir}: "))
            .collect();
        let is_own = |one: &&String| !others.iter().any(|other| one.starts_with(other));
        let before: BTreeSet<String> =
            run.progress.failing.iter().filter(is_own).cloned().collect();
        let states = report.reading.tests.as_ref().map(|tests| &tests.states);
        let was_run: BTreeSet<String> =
            states.into_iter().flatten().map(|(id, _)| test_fingerprint(spec, id)).collect();
        let known: BTreeSet<String> = before.intersection(&was_run).cloned().collect();
        if report.failing == known {
            return None;
        }
        let report = report.of_affected(&before, &affected::print(spec));
        let event = RunEvent::GateFinished { report: &report, iteration: run.iteration };
        self.context.sink.event(&event, self.context.clock.now());
        Some((at, report))
    }
}
