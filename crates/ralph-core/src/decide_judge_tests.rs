//! The effects that a judge can and cannot have on a run.

use super::*;
use crate::evidence::{GateFault, Verdict};
use crate::feedback::TurnVerdict;
use crate::policy::{Criterion, GateCommand, RunLimits};
use crate::samples::{CLAIM, WORKING, advance, gate, gated, play, report, run, run_from, turn};
use crate::usage::Usage;

fn judge() -> GateSpec {
    GateSpec {
        criterion: Criterion::Judge,
        command: GateCommand::Question("It is kind.".to_owned()),
        ..gate(GateSpec::JUDGE, GateImportance::Required)
    }
}

/// The gate `tests`, and a judge.
fn judged() -> Policy {
    let mut policy = gated();
    policy.gates.push(judge());
    policy
}

/// A judge and nothing else.
fn judge_alone() -> Policy {
    Policy { gates: vec![judge()], ..gated() }
}

fn says(verdict: Verdict) -> GateReport {
    report(GateSpec::JUDGE, verdict)
}

fn refuses() -> GateReport {
    says(Verdict::Fail(GateFault::Refused))
}

fn awaits(run: &Run, evidence: &Evidence) -> bool {
    awaits_judge(run, &run.policy, evidence)
}

#[test]
fn a_judge_is_asked_when_only_its_word_is_missing() {
    let green = run_from(&judged(), &[]);
    assert!(awaits(&green, &turn(CLAIM).failing_tests(&[])));
    let red = run_from(&judged(), &["test a"]);
    assert!(awaits(&red, &turn(WORKING).failing_tests(&[])));
    assert!(awaits(&run_from(&judge_alone(), &[]), &turn(CLAIM)));
}

#[test]
fn a_judge_is_not_asked_while_anything_else_is_missing() {
    let green = run_from(&judged(), &[]);
    for evidence in [
        turn(CLAIM).failing_tests(&["test a"]),
        turn(CLAIM),
        turn(WORKING).failing_tests(&[]),
        turn(CLAIM).failing_tests(&[]).weakening(),
        turn(CLAIM).failing_tests(&[]).crashing(),
        turn(CLAIM).failing_tests(&[]).ending(TurnEnd::UserAbort),
        turn(CLAIM).failing_tests(&[]).reporting(refuses()),
    ] {
        assert!(!awaits(&green, &evidence), "{evidence:?}");
    }
    assert!(!awaits(&run_from(&judge_alone(), &[]), &turn(WORKING)));
    let unjudged = run_from(&gated(), &[]);
    assert!(!awaits(&unjudged, &turn(CLAIM).failing_tests(&[])));
}

#[test]
fn before_the_first_turn_nobody_is_asked() {
    let baseline = Run { iteration: 0, ..run(&judged()) };
    assert!(!awaits(&baseline, &turn(CLAIM).failing_tests(&[])));
}

#[test]
fn a_judge_can_withhold_success_and_nothing_more() {
    let decision = |evidence: &Evidence| {
        let run = run_from(&judged(), &[]);
        decide(&run, &run.policy, evidence).decision
    };
    let claim = || turn(CLAIM).failing_tests(&[]);
    let verified = Decision::Complete(Proof::Verified);
    assert_eq!(decision(&claim().reporting(says(Verdict::Pass))), verified);
    let unknown = says(Verdict::Unknown { reason: "no answer".to_owned() });
    for evidence in [
        claim(),
        claim().reporting(refuses()),
        claim().reporting(unknown),
        turn(CLAIM).failing_tests(&["test a"]).reporting(says(Verdict::Pass)),
        turn(CLAIM).reporting(says(Verdict::Pass)),
    ] {
        assert!(matches!(decision(&evidence), Decision::Continue(_)), "{evidence:?}");
    }
}

#[test]
fn what_a_judge_says_is_fed_back() {
    let run = run_from(&judged(), &[]);
    let refusal = GateReport { tail: "it is rude".to_owned(), ..refuses() };
    let evidence = turn(CLAIM).failing_tests(&[]).reporting(refusal);
    let Decision::Continue(feedback) = decide(&run, &run.policy, &evidence).decision else {
        panic!("it went on to an end")
    };
    let told = wording::sections(&feedback, &run.policy).text();
    assert!(told.contains("did not accept the work"), "{told}");
    assert!(told.contains("it is rude"), "{told}");
}

#[test]
fn a_judge_that_was_not_asked_is_not_held_against_the_run() {
    let run = run_from(&judged(), &[]);
    let judgement = decide(&run, &run.policy, &turn(WORKING).failing_tests(&[]));
    let Decision::Continue(feedback) = judgement.decision else { panic!("{judgement:?}") };
    assert_eq!(feedback.verdict, TurnVerdict::OnlyClaimMissing);
    assert!(judgement.progress.failing.is_empty());
}

#[test]
fn silence_after_a_refusal_is_no_fix() {
    let mut run = run_from(&judged(), &["test a"]);
    let refused = turn(WORKING).on_tree("B").failing_tests(&[]).reporting(refuses());
    assert_eq!(advance(&mut run, &refused).progress.stalled, 0);
    let broken = turn(WORKING).on_tree("B").failing_tests(&["test a"]);
    assert_eq!(advance(&mut run, &broken).progress.stalled, 1);
}

#[test]
fn a_run_that_only_a_judge_ends_may_take_its_time() {
    let texts = ["Reading.", "Still reading.", "Thinking.", "Writing.", "Nearly there."];
    let turns = texts.map(|text| turn(text).on_tree("A"));
    let (taken, decision) = play(run_from(&judge_alone(), &[]), turns);
    assert_eq!(taken, 5);
    assert!(matches!(decision, Decision::Continue(_)), "{decision:?}");
    let stubborn = std::iter::repeat_with(|| turn(CLAIM).on_tree("A").reporting(refuses()));
    let (taken, decision) = play(run_from(&judge_alone(), &[]), stubborn.take(9));
    assert_eq!((taken, decision), (3, Decision::GiveUp(RunFailure::NoProgress)));
}

#[test]
fn what_a_judge_costs_counts_to_the_budget() {
    let limits = RunLimits { tokens: Some(1_000), ..RunLimits::for_gates() };
    let run = run_from(&Policy { limits, ..judged() }, &[]);
    let usage = |tokens| Some(Usage { input_tokens: tokens, ..Usage::default() });
    let decision = |tokens| {
        let refusal = GateReport { usage: usage(tokens), ..refuses() };
        let mut evidence = turn(CLAIM).failing_tests(&[]).reporting(refusal);
        evidence.usage = usage(400);
        decide(&run, &run.policy, &evidence).decision
    };
    assert!(matches!(decision(500), Decision::Continue(_)));
    assert_eq!(decision(600), Decision::GiveUp(RunFailure::Budget));
}

#[test]
fn what_a_judge_thinks_of_the_progress_can_only_prolong_a_run() {
    let opinion = |verdict| GateReport {
        need: GateImportance::Advisory,
        ..report(GateSpec::OPINION, verdict)
    };
    let stalled = || {
        let mut run = run_from(&judged(), &["test a"]);
        run.progress.stalled = run.policy.limits.stalled - 1;
        run
    };
    let same = || turn(WORKING).failing_tests(&["test a"]);
    let decided = |evidence: &Evidence| decide(&stalled(), &judged(), evidence).decision;
    // It is asked where a run would be given up, and nowhere else.
    assert!(awaits_opinion(&stalled(), &judged(), &same()));
    assert!(!awaits_opinion(&run_from(&judged(), &["test a"]), &judged(), &same()));
    assert!(!awaits_opinion(&stalled(), &gated(), &same()));
    let nearer = same().reporting(opinion(Verdict::Pass));
    assert!(matches!(decided(&nearer), Decision::Continue(_)));
    for verdict in [Verdict::Fail(GateFault::Refused), Verdict::Unknown { reason: String::new() }] {
        let not = same().reporting(opinion(verdict));
        assert_eq!(decided(&not), Decision::GiveUp(RunFailure::NoProgress));
    }
    // Neither does it stand for the judge, nor for a gate.
    let green = turn(CLAIM).failing_tests(&[]).reporting(opinion(Verdict::Pass));
    assert!(!matches!(decided(&green), Decision::Complete(_)));
}
