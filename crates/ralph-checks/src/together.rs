//! Runs gates side by side, within limits.
//!
//! Gates that build or run something in one folder would step on each other's
//! toes, so of those one runs at a time; gates that only look go along.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use ralph_core::evidence::GateReport;
use ralph_core::policy::{Criterion, GateSpec};

use crate::{Gate, GateContext};

/// The interval at which the watcher is asked while gates run.
const TICK: Duration = Duration::from_millis(100);

/// Sees gates come and go, and may end them.
pub trait GateWatcher {
    /// A gate begins.
    fn started(&mut self, spec: &GateSpec);

    /// A gate is done.
    fn finished(&mut self, report: &GateReport);

    /// A few tests of a gate begin, before the whole of it.
    fn first_started(&mut self, _spec: &GateSpec) {}

    /// A few tests of a gate are done. That they pass proves nothing.
    fn first_finished(&mut self, _report: &GateReport) {}

    /// Files of the project changed while the gates ran.
    fn changed(&mut self, _files: &[PathBuf]) {}

    /// Returns true to give up. Called several times a second.
    fn stop(&mut self) -> bool;
}

/// Runs all `gates`, at most `jobs` at a time, those given first first. The
/// reports come in the order of the gates.
pub fn run_together(
    gates: &[&dyn Gate],
    site: &GateContext<'_>,
    jobs: usize,
    watcher: &mut dyn GateWatcher,
) -> Vec<GateReport> {
    let stop = AtomicBool::new(false);
    let (sender, results) = mpsc::channel();
    let mut plan = GateSchedule::new(gates);
    thread::scope(|threads| {
        loop {
            while !stop.load(Ordering::Relaxed)
                && let Some(index) = plan.next(jobs.max(1))
            {
                watcher.started(gates[index].spec());
                let (sender, stop) = (sender.clone(), &stop);
                threads.spawn(move || run_one(gates[index], site, index, &sender, stop));
            }
            if plan.running.is_empty() {
                break;
            }
            match results.recv_timeout(TICK) {
                Ok((index, report)) => {
                    watcher.finished(&report);
                    plan.done(index, report);
                }
                // We hold a sender, so there is always one.
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
            if watcher.stop() {
                stop.store(true, Ordering::Relaxed);
            }
        }
    });
    plan.reports()
}

fn run_one(
    gate: &dyn Gate,
    site: &GateContext<'_>,
    index: usize,
    sender: &Sender<(usize, GateReport)>,
    stop: &AtomicBool,
) {
    let _span = tracing::debug_span!("gate", name = gate.spec().name).entered();
    let run = AssertUnwindSafe(|| gate.run(site, &mut || stop.load(Ordering::Relaxed)));
    // A thread that ends without a report would be waited for until the end
    // of days. Nothing of a gate that broke is looked at again.
    let report = catch_unwind(run).unwrap_or_else(|_| {
        GateReport::unknown(gate.spec(), "it broke off: a bug of ours".to_owned())
    });
    // The receiver is there until the last thread has ended.
    let _ = sender.send((index, report));
}

struct GateSchedule<'a> {
    gates: &'a [&'a dyn Gate],
    waiting: Vec<usize>,
    running: Vec<usize>,
    done: Vec<Option<GateReport>>,
}

impl<'a> GateSchedule<'a> {
    fn new(gates: &'a [&'a dyn Gate]) -> Self {
        let waiting = (0..gates.len()).collect();
        Self { gates, waiting, running: Vec::new(), done: vec![None; gates.len()] }
    }

    /// The next gate that may start now.
    fn next(&mut self, jobs: usize) -> Option<usize> {
        if self.running.len() >= jobs {
            return None;
        }
        let spec = |index: usize| self.gates[index].spec();
        let is_free = |index: &usize| {
            is_light(spec(*index))
                || !self.running.iter().any(|other| clash(spec(*index), spec(*other)))
        };
        let position = self.waiting.iter().position(is_free)?;
        let index = self.waiting.remove(position);
        self.running.push(index);
        Some(index)
    }

    fn done(&mut self, index: usize, report: GateReport) {
        self.running.retain(|running| *running != index);
        self.done[index] = Some(report);
    }

    fn reports(self) -> Vec<GateReport> {
        let reports = self.done.into_iter().zip(self.gates);
        reports.map(|(report, gate)| report.unwrap_or_else(|| not_run(gate.spec()))).collect()
    }
}

/// True if two gates build or run something in the same place.
fn clash(one: &GateSpec, other: &GateSpec) -> bool {
    !is_light(other) && one.dir == other.dir
}

/// True if a gate changes nothing.
fn is_light(spec: &GateSpec) -> bool {
    !matches!(
        spec.criterion,
        Criterion::TestPass | Criterion::BuildSuccess | Criterion::Memory | Criterion::Custom
    )
}

fn not_run(spec: &GateSpec) -> GateReport {
    GateReport::unknown(spec, "it was interrupted".to_owned())
}

#[cfg(test)]
mod tests {
    use ralph_core::evidence::Verdict;
    use ralph_core::format::OutputFormat;
    use ralph_core::policy::{GateCommand, GateImportance, PassCondition};

    use super::*;

    struct FakeGate(GateSpec);

    impl Gate for FakeGate {
        fn spec(&self) -> &GateSpec {
            &self.0
        }

        fn key(&self) -> String {
            self.0.name.clone()
        }

        fn run(&self, _site: &GateContext<'_>, stop: &mut dyn FnMut() -> bool) -> GateReport {
            assert!(self.0.name != "broken", "as a gate with a bug does");
            let verdict = if stop() {
                Verdict::Unknown { reason: "it was interrupted".to_owned() }
            } else {
                Verdict::Pass
            };
            GateReport { verdict, ..not_run(&self.0) }
        }
    }

    fn gate(name: &str, criterion: Criterion, dir: &str) -> FakeGate {
        FakeGate(GateSpec {
            name: name.to_owned(),
            criterion,
            command: GateCommand::Argv(vec!["x".to_owned()]),
            dir: dir.to_owned(),
            format: OutputFormat::Exit,
            bar: PassCondition::Clean,
            timeout: Duration::from_mins(1),
            need: GateImportance::Required,
        })
    }

    fn starts(plan: &mut GateSchedule<'_>, jobs: usize) -> Vec<String> {
        std::iter::from_fn(|| plan.next(jobs).map(|i| plan.gates[i].spec().name.clone())).collect()
    }

    #[test]
    fn one_folder_has_one_build_at_a_time_and_linters_go_along() {
        let gates = [
            gate("test", Criterion::TestPass, ""),
            gate("build", Criterion::BuildSuccess, ""),
            gate("lint", Criterion::LintClean, ""),
            gate("web", Criterion::TestPass, "web"),
        ];
        let gates: Vec<&dyn Gate> = gates.iter().map(|gate| gate as &dyn Gate).collect();
        let mut plan = GateSchedule::new(&gates);
        assert_eq!(starts(&mut plan, 2), ["test", "lint"]);
        plan.done(2, not_run(gates[2].spec()));
        assert_eq!(starts(&mut plan, 2), ["web"]);
        plan.done(0, not_run(gates[0].spec()));
        assert_eq!(starts(&mut plan, 2), ["build"]);
    }

    #[derive(Default)]
    struct RecordingGateWatcher {
        started: Vec<String>,
        finished: usize,
        stop_at_once: bool,
    }

    impl GateWatcher for RecordingGateWatcher {
        fn started(&mut self, spec: &GateSpec) {
            self.started.push(spec.name.clone());
        }

        fn finished(&mut self, _report: &GateReport) {
            self.finished += 1;
        }

        fn stop(&mut self) -> bool {
            self.stop_at_once
        }
    }

    fn run(seen: &mut RecordingGateWatcher) -> Vec<GateReport> {
        run_named(["a", "b", "c"], seen)
    }

    fn run_named(names: [&str; 3], seen: &mut RecordingGateWatcher) -> Vec<GateReport> {
        let gates = names.map(|name| gate(name, Criterion::Custom, ""));
        let gates: Vec<&dyn Gate> = gates.iter().map(|gate| gate as &dyn Gate).collect();
        let supervisor = ralph_proc::Supervisor::new("/nowhere", []);
        let root = std::path::Path::new("/");
        run_together(&gates, &GateContext { supervisor: &supervisor, root, env: &[] }, 4, seen)
    }

    #[test]
    fn reports_come_in_the_order_of_the_gates() {
        let mut seen = RecordingGateWatcher::default();
        let reports = run(&mut seen);
        assert_eq!(seen.started, ["a", "b", "c"]);
        assert_eq!(seen.finished, 3);
        let names: Vec<&str> = reports.iter().map(|report| &*report.name).collect();
        assert_eq!(names, ["a", "b", "c"]);
        assert!(reports.iter().all(GateReport::passed));
    }

    #[test]
    fn gates_that_did_not_get_their_turn_are_unknown() {
        let reports = run(&mut RecordingGateWatcher {
            stop_at_once: true,
            ..RecordingGateWatcher::default()
        });
        assert_eq!(reports.len(), 3);
        assert!(matches!(reports[2].verdict, Verdict::Unknown { .. }));
    }

    #[test]
    fn a_gate_that_breaks_off_is_unknown_and_holds_nobody_up() {
        let reports = run_named(["a", "broken", "c"], &mut RecordingGateWatcher::default());
        let passed: Vec<bool> = reports.iter().map(GateReport::passed).collect();
        assert_eq!(passed, [true, false, true]);
        assert!(matches!(reports[1].verdict, Verdict::Unknown { .. }));
    }
}
