use std::collections::BTreeSet;

use crate::temporary_store::TemporaryStore;
use ralph_core::evidence::{GateFault, GateReport, Verdict, WeakenedCheck};
use ralph_core::format::OutputFormat;
use ralph_core::policy::{Criterion, GateCommand, GateImportance, GateSpec, PassCondition, Policy};
use ralph_core::run::{AgentRef, NewRun, Owner, Task};
use ralph_core::state::PauseReason;

use super::*;
use crate::loops;

fn hour(hours: u32) -> Timestamp {
    Timestamp::from_millis(0).plus(Duration::from_hours(hours.into()))
}

fn hours(hours: u64) -> Duration {
    Duration::from_hours(hours)
}

fn limit() -> RunState {
    RunState::Waiting(WaitReason::Limit { until: hour(100) })
}

/// A run that began at the hour 0, reached `state` at the hour 1, and whose
/// driver was last alive at the hour 3.
fn run_in(state: RunState) -> Run {
    let new = NewRun {
        task: Task::default(),
        worktree: "/project".to_owned(),
        agent: AgentRef::default(),
        policy: Policy::promise(),
        owner: Owner::Driver { pid: u32::MAX, started: 0, heartbeat: hour(3) },
    };
    let run = loops::start(&TemporaryStore::new(), new, hour(0)).unwrap();
    moved_to(&run, state, hour(1))
}

/// Returns the parts of the time up to `now`: worked, waited for a provider,
/// asleep.
#[track_caller]
fn check(run: &Run, now: Timestamp, [worked, waited, asleep]: [u64; 3]) {
    let got = [run.worked(now), run.waited, run.asleep];
    assert_eq!(got, [worked, waited, asleep].map(hours), "{:?}", run.state);
}

#[test]
fn only_a_wait_for_a_provider_counts_as_waiting() {
    check(&moved_to(&run_in(limit()), RunState::Running, hour(3)), hour(3), [1, 2, 0]);
    check(&waited(&run_in(limit()), hour(3)), hour(4), [2, 2, 0]);
    let host = run_in(RunState::Waiting(WaitReason::Host));
    check(&moved_to(&host, RunState::Running, hour(3)), hour(3), [1, 2, 0]);
    let human = RunState::Waiting(WaitReason::Human { question: "Which one?".to_owned() });
    for state in [RunState::Running, RunState::Paused(PauseReason::Asked), human] {
        check(&moved_to(&run_in(state), RunState::Stopped, hour(3)), hour(3), [3, 0, 0]);
    }
}

#[test]
fn a_driver_that_died_while_waiting_waited_until_its_death() {
    check(&left_behind(&run_in(limit()), hour(9)), hour(9), [1, 2, 6]);
    check(&left_behind(&run_in(RunState::Running), hour(9)), hour(9), [3, 0, 6]);
}

#[test]
fn the_time_of_a_dead_driver_is_counted_once() {
    let accounted = left_behind(&run_in(limit()), hour(9));
    let paused = moved_to(&accounted, RunState::Paused(PauseReason::Interrupted), hour(9));
    check(&paused, hour(9), [1, 2, 6]);
    check(&woken(&paused, &paused, hour(20)), hour(20), [1, 2, 17]);
}

#[test]
fn a_woken_run_goes_on_with_the_time_it_had() {
    let run = run_in(limit());
    let next = woken(&run, &run, hour(9));
    assert_eq!(next.state, limit());
    check(&next, hour(9), [1, 2, 6]);
    check(&waited(&next, hour(11)), hour(12), [2, 4, 6]);
}

#[test]
fn a_pause_uses_up_neither_the_duration_nor_the_patience_with_a_provider() {
    // It waited for two hours, was paused there, and slept for a week.
    let paused = moved_to(&run_in(limit()), RunState::Paused(PauseReason::Asked), hour(3));
    let next = woken(&paused, &paused, hour(3 + 168));
    assert_eq!(next.state, RunState::Running);
    check(&next, hour(3 + 168), [1, 2, 168]);
}

/// A run with a gate, and the best iteration after these turns. Each fails a
/// number of tests and has a number of errors; some weaken a check.
fn best_of(turns: &[(u64, u64, &[WeakenedCheck])]) -> Option<u32> {
    let mut run = run_in(RunState::Running);
    run.policy.gates = vec![gate()];
    for (number, (failed, errors, weakened)) in (1..).zip(turns) {
        run.iteration = number;
        let mut report = GateReport::unknown(&gate(), "x".to_owned());
        report.verdict = Verdict::Fail(GateFault::Exit(1));
        report.reading.counts.errors = *errors;
        report.reading.tests.get_or_insert_default().counts.failed = *failed;
        run.best = best(&run, &showing(vec![report], weakened), &Progress::default());
    }
    run.best.map(|best| best.iteration)
}

fn showing(gates: Vec<GateReport>, weakened: &[WeakenedCheck]) -> Evidence {
    Evidence {
        turn: TurnEnd::Finished,
        text: String::new(),
        gates,
        tree: None,
        approach: None,
        weakened: weakened.to_vec(),
        edited: Vec::new(),
        flaky: BTreeSet::new(),
        broken: BTreeSet::new(),
        weakened_state: None,
        biting: Vec::new(),
        forgets_failure: false,
        accepts_changes: false,
        aside: Duration::ZERO,
        usage: None,
        now: hour(1),
    }
}

fn gate() -> GateSpec {
    GateSpec {
        name: "test_pass".to_owned(),
        criterion: Criterion::TestPass,
        command: GateCommand::Argv(vec!["make".to_owned()]),
        dir: String::new(),
        format: OutputFormat::Text,
        bar: PassCondition::Clean,
        timeout: hours(1),
        need: GateImportance::Required,
    }
}

#[test]
fn the_best_iteration_has_fewer_failing_tests_then_fewer_errors() {
    assert_eq!(best_of(&[(3, 0, &[]), (2, 9, &[]), (2, 8, &[]), (3, 0, &[])]), Some(3));
}

#[test]
fn of_equally_good_iterations_the_earliest_is_the_best() {
    assert_eq!(best_of(&[(2, 1, &[]), (2, 1, &[]), (2, 1, &[])]), Some(1));
}

#[test]
fn an_iteration_with_weakened_checks_is_the_best_only_if_there_is_no_other() {
    let weak = [WeakenedCheck { place: "tests/a.rs:1".to_owned(), what: "removed".to_owned() }];
    assert_eq!(best_of(&[(5, 0, &weak)]), Some(1));
    assert_eq!(best_of(&[(1, 0, &weak), (9, 9, &[]), (1, 0, &weak)]), Some(2));
}

#[test]
fn a_gate_that_was_not_run_is_not_red_at_the_start() {
    let spec = |name: &str| GateSpec { name: name.to_owned(), ..gate() };
    let unknown = GateReport::unknown(&spec("slow"), "this hook has no time for it".to_owned());
    let failed = GateReport {
        verdict: Verdict::Fail(GateFault::Exit(1)),
        ..GateReport::unknown(&spec("quick"), String::new())
    };
    let start = baseline(&showing(vec![unknown, failed], &[]));
    assert_eq!(start.red, BTreeSet::from(["quick".to_owned()]));
    assert_eq!(start.failing, BTreeSet::from(["gate:quick".to_owned()]));
    assert_eq!(start.totals.unexplained, 1);
}
