//! Runs all gates of a run: uses stored passes, runs gates in parallel, and
//! repeats those with a flaky test.

use std::collections::BTreeSet;
use std::num::NonZero;
use std::thread;

use ralph_checks::security::ScanScope;
use ralph_checks::{Gate, GateContext, GateWatcher, run_together};
use ralph_core::evidence::{GateExtent, GateReport, Verdict};
use ralph_core::policy::GateSpec;
use ralph_core::{Run, Timestamp, TreeId};
use ralph_store::SqliteStore;

use super::pulse::DriverHeartbeat;
use super::timing::{self, TimeLimit};
use super::{CheckSet, RunContext};
use crate::clock::{InterruptSignal, TimeSource};
use crate::error::EngineError;
use crate::events::{EventSink, RunEvent};
use crate::stamps::GateStamps;

/// Maximum number of gates at a time. More would only slow each other down.
const MOST_JOBS: usize = 4;

/// A rule for the stored passes that count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PassRecall {
    /// All of them. This saves work between turns and completes no run.
    All,
    /// Those that were executed since this time.
    Since(Timestamp),
    /// None.
    Nothing,
}

impl PassRecall {
    fn admits(self, at: Timestamp) -> bool {
        match self {
            Self::All => true,
            Self::Since(moment) => at >= moment,
            Self::Nothing => false,
        }
    }
}

/// The results of a run's gates.
pub(crate) struct SuiteResult {
    /// One report for each gate, in their order.
    pub(crate) reports: Vec<GateReport>,
    /// Fingerprints of tests that failed and passed on the same tree.
    pub(crate) flaky: BTreeSet<String>,
}

/// Runs the gates of a run.
pub(super) struct GateRunner<'d, 'a> {
    pub(super) context: &'d mut RunContext<'a>,
    pub(super) checks: &'d mut CheckSet,
}

impl GateRunner<'_, '_> {
    /// Runs all gates on the present tree.
    pub(crate) fn run_gates(
        &mut self,
        run: &Run,
        tree: &TreeId,
        recall: PassRecall,
    ) -> Result<SuiteResult, EngineError> {
        let mut reports = self.remembered(tree, recall)?;
        for report in reports.iter().flatten() {
            let event = RunEvent::GateFinished { report, iteration: run.iteration };
            self.context.sink.event(&event, self.context.clock.now());
        }
        let missing = |reports: &[Option<GateReport>]| -> Vec<usize> {
            (0..reports.len()).filter(|index| reports[*index].is_none()).collect()
        };
        for (index, report) in self.fail_early(run, tree, &missing(&reports))? {
            reports[index] = Some(report);
        }
        let missing = missing(&reports);
        for (index, report) in missing.iter().zip(self.execute(run, &missing)) {
            reports[*index] = Some(report);
        }
        let mut shown = SuiteResult {
            reports: reports.into_iter().flatten().collect(),
            flaky: BTreeSet::new(),
        };
        self.retry_doubtful(run, &mut shown);
        Ok(shown)
    }

    /// Returns the reports of gates with a stored pass that may be used.
    fn remembered(
        &self,
        tree: &TreeId,
        recall: PassRecall,
    ) -> Result<Vec<Option<GateReport>>, EngineError> {
        let stamps =
            GateStamps::new(&self.context.tree, &self.context.places.root, &self.checks.gate_env);
        let mut reports = Vec::new();
        for gate in &self.checks.gates {
            let known = self.context.ledger.store().pass(&gate.key(), tree)?;
            let known = known.filter(|pass| recall.admits(pass.at));
            let known = known.filter(|pass| pass.stamp == stamps.of(gate.spec()));
            reports.push(known.map(|pass| GateReport::remembered(gate.spec(), pass.reading)));
        }
        Ok(reports)
    }

    /// Repeats a gate once on the same tree if a test fails that did not fail
    /// before: it may be flaky.
    fn retry_doubtful(&mut self, run: &Run, shown: &mut SuiteResult) {
        let doubtful = |report: &GateReport| {
            !report.cached
                && report.extent == GateExtent::Whole
                && matches!(report.verdict, Verdict::Fail(_))
                && (has_failed_tests(report) || !report.failing.is_empty())
                && report.failing.iter().all(|print| run.progress.is_doubtful(print))
        };
        let again: Vec<usize> =
            (0..shown.reports.len()).filter(|index| doubtful(&shown.reports[*index])).collect();
        if again.is_empty() || run.baseline.is_none() || self.context.interrupt.is_raised() {
            return;
        }
        for (index, second) in again.iter().zip(self.execute(run, &again)) {
            let first = &mut shown.reports[*index];
            let settled = match second.verdict {
                Verdict::Pass | Verdict::Fail(_) => true,
                Verdict::Unclear { .. } | Verdict::Unknown { .. } => false,
            };
            if settled {
                let unsteady = first.failing.symmetric_difference(&second.failing);
                shown.flaky.extend(unsteady.filter(|print| print.starts_with("test ")).cloned());
                *first = second;
            }
        }
    }

    /// Executes the gates with these numbers; those of folders that the run
    /// changed come first. Returns the reports in the order of the numbers.
    fn execute(&mut self, run: &Run, wanted: &[usize]) -> Vec<GateReport> {
        let all = std::mem::take(&mut self.checks.gates);
        let changed = self.checks.chosen.get();
        let mut order: Vec<usize> = (0..wanted.len()).collect();
        order.sort_by_key(|position| !is_affected(all[wanted[*position]].spec(), &changed));
        let gates: Vec<&dyn Gate> = order.iter().map(|at| &*all[wanted[*at]]).collect();
        let reports = self.execute_gates(run, &gates);
        self.checks.gates = all;
        let mut numbered: Vec<_> = order.into_iter().zip(reports).collect();
        numbered.sort_by_key(|(position, _)| *position);
        numbered.into_iter().map(|(_, report)| report).collect()
    }

    /// Executes these gates and reports to the watchers of the run.
    pub(crate) fn execute_gates(&mut self, run: &Run, gates: &[&dyn Gate]) -> Vec<GateReport> {
        self.execute_shown_as(run, gates, "")
    }

    /// Executes these gates, which are shown with `remark` after their names.
    pub(crate) fn execute_shown_as(
        &mut self,
        run: &Run,
        gates: &[&dyn Gate],
        remark: &'static str,
    ) -> Vec<GateReport> {
        let site = GateContext {
            supervisor: &self.context.supervisor,
            root: &self.context.places.root,
            env: &self.checks.gate_env,
        };
        let store = self.context.ledger.store();
        let limit = TimeLimit { until: self.checks.until, locale: run.policy.locale };
        let bound = limit.bind(gates, store);
        let bound: Vec<&dyn Gate> = bound.iter().map(|gate| &**gate).collect();
        let watcher = SuiteWatcher::new(
            run,
            &mut *self.context.sink,
            self.context.clock,
            &self.context.interrupt,
            store,
        );
        let mut watcher = SuiteWatcher { remark, ..watcher };
        let reports = run_together(&bound, &site, jobs(), &mut watcher);
        let executed = gates.iter().map(|gate| gate.spec()).zip(&reports);
        timing::remember(store, executed, self.context.clock.now());
        reports
    }
}

fn has_failed_tests(report: &GateReport) -> bool {
    report.reading.tests.as_ref().is_some_and(|tests| tests.counts.failed > 0)
}

/// Returns true if something changed in the folder of a gate.
fn is_affected(spec: &GateSpec, changed: &ScanScope) -> bool {
    match changed {
        ScanScope::All => true,
        ScanScope::Only(paths) => paths.iter().any(|path| path.starts_with(&spec.dir)),
    }
}

/// Returns the number of gates that run at a time.
pub(crate) fn jobs() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get).min(MOST_JOBS)
}

/// Reports the events of gates, and checks for requests meanwhile.
pub(super) struct SuiteWatcher<'a> {
    run: &'a Run,
    sink: &'a mut dyn EventSink,
    clock: &'a dyn TimeSource,
    interrupt: &'a InterruptSignal,
    store: &'a SqliteStore,
    pulse: DriverHeartbeat,
    /// The remark after the names of the gates.
    remark: &'static str,
}

impl<'a> SuiteWatcher<'a> {
    pub(super) fn new(
        run: &'a Run,
        sink: &'a mut dyn EventSink,
        clock: &'a dyn TimeSource,
        interrupt: &'a InterruptSignal,
        store: &'a SqliteStore,
    ) -> Self {
        Self {
            run,
            sink,
            clock,
            interrupt,
            store,
            pulse: DriverHeartbeat::new(clock.now()),
            remark: "",
        }
    }
}

impl GateWatcher for SuiteWatcher<'_> {
    fn started(&mut self, spec: &GateSpec) {
        let name = &format!("{}{}", spec.name, self.remark);
        let event = RunEvent::GateStarted { name, iteration: self.run.iteration };
        self.sink.event(&event, self.clock.now());
    }

    fn first_started(&mut self, spec: &GateSpec) {
        self.started(spec);
    }

    fn finished(&mut self, report: &GateReport) {
        let name = format!("{}{}", report.name, self.remark);
        let report = &GateReport { name, ..report.clone() };
        let event = RunEvent::GateFinished { report, iteration: self.run.iteration };
        self.sink.event(&event, self.clock.now());
    }

    fn stop(&mut self) -> bool {
        let now = self.clock.now();
        self.sink.tick(now);
        let heard = self.pulse.ask(self.store, self.run, now);
        self.interrupt.is_raised() || heard.is_ok_and(|request| request.is_some())
    }
}

#[cfg(test)]
mod tests {
    use ralph_checks::security::SecurityGate;
    use ralph_core::policy::GateImportance;

    use super::*;

    #[test]
    fn a_gate_is_affected_by_changes_in_its_folder() {
        let gate = |dir: &str| GateSpec {
            dir: dir.to_owned(),
            ..SecurityGate::specify(GateImportance::Required)
        };
        let changed = ScanScope::Only(vec!["web/src/a.ts".into()]);
        assert!(is_affected(&gate("web"), &changed) && is_affected(&gate(""), &changed));
        assert!(!is_affected(&gate("we"), &changed) && !is_affected(&gate("api"), &changed));
        assert!(is_affected(&gate("api"), &ScanScope::All));
    }
}
