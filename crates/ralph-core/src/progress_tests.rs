use super::*;
use crate::decide::{Decision, decide};
use crate::evidence::{GateFault, GateReport, UNNAMED_TEST, WeakenedCheck};
use crate::finding::FindingLevel;
use crate::policy::Policy;
use crate::run::Run;
use crate::samples::{found, gated, play, report, run_from, set, turn};
use crate::state::RunFailure;

/// A gated policy that never runs out of iterations first.
fn patient() -> Policy {
    let mut policy = gated();
    policy.limits.iterations = 1000;
    policy
}

fn failing(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("t{number}")).collect()
}

fn turn_failing(count: usize) -> Evidence {
    let names = failing(count);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    turn("working").failing_tests(&names)
}

fn red(count: usize) -> Run {
    let names = failing(count);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    run_from(&patient(), &names)
}

/// A turn after which these tests fail, and some more whose names are not known.
fn turn_failing_beside(names: &[&str], unnamed: u64) -> Evidence {
    let marks = (1..=unnamed).map(|number| format!("{UNNAMED_TEST} {number}"));
    let names = names.iter().map(|name| format!("test {name}"));
    let failing: Vec<String> = names.chain(marks).collect();
    let failing: Vec<&str> = failing.iter().map(String::as_str).collect();
    turn("working").failing_tests(&failing)
}

#[test]
fn where_not_all_failing_tests_are_named_only_fewer_of_them_are_progress() {
    let after = |names: &[&str], unnamed: u64| {
        let start = turn_failing_beside(&["a", "b"], 2).failing();
        let progress = Progress::from_baseline(start, None);
        progress.after(&turn_failing_beside(names, unnamed), 1, ProgressSignals::Gated).stalled
    };
    assert_eq!(after(&["a", "c"], 2), 1, "b may fail without its name");
    assert_eq!(after(&["a", "b"], 1), 0);
    assert_eq!(after(&["c", "d", "e"], 0), 0, "now all are named, and b is not one of them");
}

#[track_caller]
fn check_ends(
    run: Run,
    turns: impl IntoIterator<Item = Evidence>,
    (after, why): (usize, RunFailure),
) {
    assert_eq!(play(run, turns), (after, Decision::GiveUp(why)));
}

#[track_caller]
fn check_goes_on(run: Run, turns: Vec<Evidence>) {
    let all = turns.len();
    let (taken, decision) = play(run, turns);
    assert!(matches!(decision, Decision::Continue(_)), "{decision:?} after {taken}");
    assert_eq!(taken, all);
}

fn trees<'a>(names: impl IntoIterator<Item = &'a str>) -> impl Iterator<Item = Evidence> {
    // Each edit is its own approach only in name: the tree tells.
    names.into_iter().map(|tree| turn_failing(3).on_tree(tree).trying(&format!("to {tree}")))
}

#[test]
fn a_run_without_any_progress_ends_after_exactly_the_allowed_iterations() {
    for limit in 1..6 {
        let mut run = red(3);
        run.policy.limits.stalled = limit;
        let turns = (0..20).map(|_| turn_failing(3).on_tree("A"));
        check_ends(run, turns, (limit as usize, RunFailure::NoProgress));
    }
}

#[test]
fn a_run_that_stops_improving_gets_the_full_patience_again() {
    let counts = [9, 8, 7, 7, 7, 7, 7];
    let turns = counts.into_iter().map(turn_failing);
    check_ends(red(10), turns, (6, RunFailure::NoProgress));
}

#[test]
fn a_run_that_improves_every_second_turn_never_ends() {
    let turns = (1..100).rev().flat_map(|count| [turn_failing(count), turn_failing(count)]);
    check_goes_on(red(100), turns.collect());
}

fn circular(from: u32, to: u32) -> RunFailure {
    RunFailure::Circular(Some(Circle { from, to }))
}

#[test]
fn going_to_and_fro_between_two_trees_is_a_circle() {
    check_ends(red(3), trees(["B", "A", "B", "A", "B"]), (4, circular(2, 4)));
}

#[test]
fn going_round_three_trees_is_a_circle() {
    check_ends(red(3), trees(["B", "C", "A", "B", "C", "A"]), (5, circular(2, 5)));
}

#[test]
fn one_step_back_and_then_nothing_is_no_circle() {
    check_ends(red(3), trees(["B", "A", "A", "A"]), (4, RunFailure::NoProgress));
}

#[test]
fn breaking_and_mending_the_same_tests_is_no_progress() {
    for size in [1, 50, 5000] {
        let names: Vec<String> = (0..size).map(|number| format!("x{number}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let broken = turn("broke it").failing_tests(&[&["t0"], names.as_slice()].concat());
        let mended = turn("mended it").failing_tests(&["t0"]);
        let turns = (0..20).flat_map(|_| [broken.clone(), mended.clone()]);
        let (taken, decision) = play(red(1), turns);
        assert_eq!(decision, Decision::GiveUp(RunFailure::NoProgress), "{size}");
        assert!(taken <= 6, "{taken} turns for {size}");
    }
}

#[test]
fn a_new_approach_is_progress_and_a_known_one_is_not() {
    let new = (0..50).map(|number| {
        turn_failing(3).on_tree(&format!("T{number}")).trying(&format!("approach {number}"))
    });
    check_goes_on(red(3), new.collect());
    let known = (0..50)
        .map(|number| turn_failing(3).on_tree(&format!("T{number}")).trying("the same again"));
    check_ends(red(3), known, (4, RunFailure::NoProgress));
}

#[test]
fn undoing_and_redoing_is_no_new_approach() {
    // The trees differ each time, as by a comment, so that only hunks tell.
    let steps = ["a", "b", "a b", "b", "a", "b a", "a", "b"];
    let turns = (0..).zip(steps).map(|(number, hunks)| {
        turn_failing(3).on_tree(&format!("T{number}")).trying_all(hunks.split(' '))
    });
    check_ends(red(3), turns, (5, RunFailure::NoProgress));
}

#[test]
fn one_new_change_among_known_ones_is_a_new_approach() {
    let turns = (0..50).map(|number| {
        let new = format!("new {number}");
        turn_failing(3).on_tree(&format!("T{number}")).trying_all(["same", &new])
    });
    check_goes_on(red(3), turns.collect());
}

#[test]
fn a_circle_is_named_by_the_iteration_in_which_the_tree_was_seen_last() {
    let mut run = red(3);
    run.policy.limits.stalled = 100;
    let mut circles = Vec::new();
    for evidence in trees(["B", "C", "B", "C", "C", "A"]) {
        crate::samples::advance(&mut run, &evidence);
        circles.push(run.progress.circle.map(|circle| (circle.from, circle.to)));
    }
    let stays = Some((2, 4));
    assert_eq!(circles, [None, None, Some((1, 3)), stays, stays, Some((0, 6))]);
    crate::samples::advance(&mut run, &turn_failing(2).on_tree("D"));
    assert_eq!(run.progress.circle, None);
}

/// A gate that reports one finding for each of these places.
fn findings(places: &[String]) -> Evidence {
    let places: Vec<_> = places.iter().map(|place| (place.as_str(), FindingLevel::Error)).collect();
    let gate = GateReport { name: "tests".to_owned(), ..found(&places) };
    let passed = gate.failing.is_empty();
    let verdict = if passed { Verdict::Pass } else { gate.verdict.clone() };
    turn("working").reporting(GateReport { verdict, ..gate })
}

#[test]
fn a_run_that_removes_one_finding_every_second_iteration_is_never_stopped() {
    let place = |number| format!("src/{number}.rs");
    let all: Vec<String> = (0..40).map(place).collect();
    let mut run = run_from(&patient(), &[]);
    run.progress = Progress::from_baseline(findings(&all).failing(), None);
    assert_eq!(run.policy.limits.stalled, 3);
    let turns = (1..all.len()).rev().flat_map(|left| {
        let now = findings(&all[..left]).on_tree(&format!("T{left}")).trying("the same");
        [now.clone(), now]
    });
    check_goes_on(run, turns.collect());
}

#[test]
fn a_run_that_moves_the_same_findings_around_is_stopped() {
    // The finding moves between three files; each earlier move is reverted and
    // repeated.
    let files = ["a.rs", "b.rs", "c.rs"].map(str::to_owned);
    let mut run = run_from(&patient(), &[]);
    run.progress = Progress::from_baseline(findings(&files[..1]).failing(), None);
    let turns = (1..100).map(|number: usize| {
        let (from, to) = ((number - 1) % 3, number % 3);
        let hunks = [files[from].as_str(), files[to].as_str()];
        findings(&files[to..=to]).on_tree(&format!("T{number}")).trying_all(hunks)
    });
    // Each file is left once; after that nothing is new.
    check_ends(run, turns, (6, RunFailure::NoProgress));
}

#[test]
fn trading_one_failure_for_another_counts_once_each_way() {
    let turns =
        [["a"], ["b"], ["a"], ["b"], ["a"], ["b"]].map(|names| turn("x").failing_tests(&names));
    check_ends(run_from(&patient(), &["a"]), turns, (6, RunFailure::NoProgress));
}

#[test]
fn a_gate_that_could_not_run_has_fixed_nothing() {
    let unknown = Verdict::Unknown { reason: "no such program".to_owned() };
    let blind = [turn("x").reporting(report("tests", unknown)), turn("x")];
    for evidence in blind {
        let run = red(3);
        let after = decide(&run, &run.policy, &evidence).progress;
        assert_eq!(after.stalled, 1);
        assert_eq!(after.fewest, Some(3));
        assert_eq!(after.fixed, set(&[]));
        let after = Run { progress: after, ..run };
        let better = decide(&after, &after.policy, &turn_failing(2)).progress;
        assert_eq!((better.stalled, better.fixed), (0, set(&["t2"])));
    }
}

#[test]
fn crashes_that_change_nothing_leave_the_patience_for_real_turns() {
    let idle = || turn_failing(3).on_tree("A");
    let turns = [idle(), idle().crashing(), idle(), idle().crashing(), idle().crashing(), idle()];
    check_ends(red(3), turns, (6, RunFailure::NoProgress));
}

#[test]
fn an_advisory_gate_that_cannot_run_hides_nothing() {
    let advice = GateReport {
        need: GateImportance::Advisory,
        ..report("lint", Verdict::Unknown { reason: "no such program".to_owned() })
    };
    let turns = (1..9).rev().map(|count| turn_failing(count).reporting(advice.clone()));
    check_goes_on(red(9), turns.collect());
}

#[test]
fn a_failing_gate_without_details_stands_for_itself() {
    let names = ["one", "two"];
    let mut policy = patient();
    policy.gates = names.map(|name| crate::samples::gate(name, GateImportance::Required)).to_vec();
    let fail = |name| report(name, Verdict::Fail(GateFault::Exit(1)));
    let run = run_from(&policy, &["gate:one", "gate:two"]);
    let evidence = turn("x").reporting(report("one", Verdict::Pass)).reporting(fail("two"));
    assert_eq!(decide(&run, &policy, &evidence).progress.stalled, 0);
    let evidence = turn("x").reporting(fail("one")).reporting(fail("two"));
    assert_eq!(decide(&run, &policy, &evidence).progress.stalled, 1);
}

// Without gates.

fn ungated() -> Run {
    run_from(&Policy::promise(), &[])
}

#[test]
fn a_hundred_different_replies_without_gates_are_free_to_happen() {
    let mut run = ungated();
    run.policy.limits.iterations = 1000;
    let turns = (0..100).map(|number| turn(&format!("Reading file {number}.")));
    check_goes_on(run, turns.collect());
}

#[test]
fn the_same_reply_three_times_on_an_unchanged_tree_ends_the_run() {
    let same = (0..5).map(|_| turn("Still waiting for the build.").on_tree("A"));
    check_ends(ungated(), same, (3, RunFailure::NoProgress));
}

#[test]
fn the_same_reply_on_a_changing_tree_is_work() {
    let same = (0..50).map(|number| turn("Next item done.").on_tree(&format!("T{number}")));
    check_goes_on(ungated(), same.collect());
}

#[test]
fn the_same_reply_is_not_held_against_a_run_when_nobody_looked_at_the_tree() {
    check_goes_on(ungated(), (0..50).map(|_| turn("Next item done.")).collect());
}

#[test]
fn the_tree_is_looked_at_when_it_decides() {
    let finished = TurnEnd::Finished;
    let first = Progress::default();
    assert!(!first.needs_tree(&finished, "Reading."));
    assert!(first.needs_tree(&finished, "Which one should I use?"));
    assert!(first.needs_tree(&TurnEnd::Failed { what: "x".to_owned() }, "Reading."));
    let second = first.after(&turn("Reading."), 1, ProgressSignals::Ungated);
    assert!(second.needs_tree(&finished, "Reading.\n"));
    assert!(!second.needs_tree(&finished, "Writing."));
}

#[test]
fn a_different_reply_in_between_starts_the_count_over() {
    let texts = ["a", "a", "b", "a", "a", "b", "b"];
    check_goes_on(ungated(), texts.map(|text| turn(text).on_tree("A")).to_vec());
}

fn flaky_turn(failing: &[&str]) -> Evidence {
    Evidence { flaky: set(&["test c"]), ..turn("working").failing_tests(failing) }
}

#[test]
fn a_flaky_test_is_neither_progress_nor_regress() {
    let run = run_from(&patient(), &["test a"]);
    // It comes and goes on one tree, and nothing else ever changes.
    let turns = (0..20).map(|number| {
        if number % 2 == 0 { flaky_turn(&["test a", "test c"]) } else { flaky_turn(&["test a"]) }
    });
    check_ends(run, turns, (3, RunFailure::NoProgress));
}

#[test]
fn a_test_that_turns_out_flaky_was_never_fixed() {
    let run = run_from(&patient(), &["test a", "test c"]);
    let turns = (0..20).map(|_| flaky_turn(&["test a"]));
    check_ends(run, turns, (3, RunFailure::NoProgress));
}

#[test]
fn only_new_and_flaky_failures_are_doubtful() {
    let progress = Progress {
        failing: set(&["test old", "test flaky"]),
        flaky: set(&["test flaky"]),
        ..Progress::default()
    };
    for (fingerprint, want) in [
        ("test new", true),
        ("test flaky", true),
        ("test old", false),
        ("rustc E0308 a: mismatch", false),
    ] {
        assert_eq!(progress.is_doubtful(fingerprint), want, "{fingerprint}");
    }
}

#[test]
fn what_weakened_checks_no_longer_report_was_not_fixed() {
    let weakening = || WeakenedCheck { place: "t.rs:1".to_owned(), what: "gone".to_owned() };
    let turns = (0..20).map(|number| Evidence {
        weakened: vec![weakening()],
        ..turn_failing(19_usize.saturating_sub(number))
    });
    check_ends(red(20), turns, (3, RunFailure::NoProgress));
}

#[test]
fn a_gate_that_was_not_run_at_the_start_failed_nothing_there() {
    let unknown = || report("tests", Verdict::Unknown { reason: "no time".to_owned() });
    let start = Progress::at_start(&turn("").reporting(unknown()).on_tree("A"));
    assert_eq!((&start.failing, start.fewest), (&set(&[]), None));
    // The first result is news, whatever it is; the same once more is not.
    let first =
        start.after(&turn("").failing_tests(&["t1"]).on_tree("A"), 1, ProgressSignals::Gated);
    assert_eq!((first.stalled, first.fewest), (0, Some(1)));
    assert_eq!(first.fixed, set(&[]), "nothing was mended");
    let second =
        first.after(&turn("").failing_tests(&["t1"]).on_tree("A"), 2, ProgressSignals::Gated);
    assert_eq!(second.stalled, 1);
    let known = Progress::at_start(&turn("").failing_tests(&["t1"]).on_tree("A"));
    assert_eq!(known, Progress::from_baseline(set(&["t1"]), known.last_tree.clone()));
}
