use super::*;
use crate::decide::{Decision, decide};
use crate::evidence::GateFault;
use crate::evidence::GateReport;
use crate::evidence::Verdict;
use crate::finding::FindingLevel;
use crate::policy::GateImportance;
use crate::run::Baseline;
use crate::samples::{
    CLAIM, WORKING, found, gate, gated, report, run, run_from, set, tested, turn,
};

#[track_caller]
fn feedback(run: &Run, evidence: &Evidence) -> Feedback {
    match decide(run, &run.policy, evidence).decision {
        Decision::Continue(feedback) => *feedback,
        other @ (Decision::Complete(_)
        | Decision::Wait(_)
        | Decision::Pause(_)
        | Decision::GiveUp(_)) => panic!("{other:?}"),
    }
}

fn tests_news(verdict: Verdict) -> GateFeedback {
    GateFeedback {
        name: "tests".to_owned(),
        command: "make tests".to_owned(),
        verdict,
        extent: crate::evidence::GateExtent::Whole,
        tests: Vec::new(),
        more_tests: 0,
        unnamed_tests: 0,
        problems: Vec::new(),
        more_problems: 0,
        flaky: Vec::new(),
        tail: String::new(),
    }
}

/// Where gates stand that only pass or fail.
fn standing(failing: u32, initially: u32) -> FailureCounts {
    let now = GateTotals { unexplained: failing.into(), ..GateTotals::default() };
    FailureCounts { failing, initially, not_run: 0, now, start: GateTotals::default() }
}

#[test]
fn a_claim_is_refused_with_what_stands_against_it() {
    let run = run_from(&gated(), &["t1", "t2", "t3", "t4"]);
    let feedback = feedback(&run, &turn(CLAIM).failing_tests(&["t1"]));
    assert_eq!(
        feedback,
        Feedback {
            iteration: 2,
            max_iterations: 10,
            standing: Some(standing(1, 4)),
            verdict: TurnVerdict::Failing(vec!["tests".to_owned()]),
            change: None,
            gates: vec![tests_news(Verdict::Fail(GateFault::Exit(1)))],
            held: Vec::new(),
            remark: None,
            pace: WrapUpHint::Steady,
        }
    );
}

#[test]
fn a_gate_without_a_report_is_not_passed_over() {
    let run = run_from(&gated(), &[]);
    let unknown = tests_news(Verdict::Unknown { reason: "it did not run".to_owned() });
    for text in [WORKING, CLAIM] {
        let told = feedback(&run, &turn(text));
        assert_eq!(told.verdict, TurnVerdict::NoResult(vec!["tests".to_owned()]));
        assert_eq!(told.gates, std::slice::from_ref(&unknown));
        assert_eq!(told.remark, Some(TurnRemark::Stalled { turns: 1, limit: 3 }));
        assert_eq!(told.standing, Some(FailureCounts { not_run: 1, ..standing(0, 0) }));
    }
}

#[test]
fn a_claim_is_rejected_for_what_fails_and_not_for_what_was_not_run() {
    let policy = Policy {
        gates: vec![
            gate("tests", GateImportance::Required),
            gate("lint", GateImportance::Required),
        ],
        ..gated()
    };
    let told = feedback(&run_from(&policy, &[]), &turn(CLAIM).failing_tests(&["t1"]));
    assert_eq!(told.verdict, TurnVerdict::Failing(vec!["tests".to_owned()]));
    assert_eq!(told.standing.map(|standing| (standing.failing, standing.not_run)), Some((1, 1)));
}

#[test]
fn only_the_claim_is_asked_for_when_the_checks_pass() {
    let run = run_from(&gated(), &[]);
    let passed = || turn(WORKING).failing_tests(&[]).trying("new");
    assert_eq!(feedback(&run, &passed()).verdict, TurnVerdict::OnlyClaimMissing);
    let told = feedback(&run, &passed().weakening());
    assert_eq!(told.verdict, TurnVerdict::Held);
    assert_eq!(told.held.len(), 1);
}

#[test]
fn a_bare_promise_loop_is_told_that_the_promise_is_missing() {
    let run = run(&Policy::promise());
    let feedback = feedback(&run, &turn(WORKING));
    assert_eq!(feedback.verdict, TurnVerdict::NoClaim);
    assert_eq!(feedback.standing, None);
}

#[test]
fn required_gates_come_before_advice() {
    let mut policy = gated();
    policy.gates.insert(0, gate("lint", GateImportance::Advisory));
    let advice = GateReport {
        need: GateImportance::Advisory,
        ..report("lint", Verdict::Fail(GateFault::Exit(2)))
    };
    let evidence = turn(WORKING).reporting(advice).failing_tests(&["t1"]).trying("new");
    let names: Vec<String> = feedback(&run_from(&policy, &["t1"]), &evidence)
        .gates
        .into_iter()
        .map(|gate| gate.name)
        .collect();
    assert_eq!(names, ["tests", "lint"]);
}

#[test]
fn how_the_turn_ended_is_what_to_know_about_it() {
    let run = run(&Policy::promise());
    let crashed = feedback(&run, &turn("").crashing());
    let what = "exit code 1".to_owned();
    assert_eq!(crashed.remark, Some(TurnRemark::Failed { what }));
    assert_eq!(crashed.verdict, TurnVerdict::NoClaim);
    let asked = feedback(&run, &turn("Which one should I use?"));
    assert!(matches!(asked.remark, Some(TurnRemark::Asked { .. })), "{asked:?}");
}

#[test]
fn going_in_a_circle_is_said_after_the_first_return() {
    let mut run = run_from(&gated(), &["t1"]);
    crate::samples::advance(&mut run, &turn("b").failing_tests(&["t1"]).on_tree("B").trying("b"));
    let back = feedback(&run, &turn("a").failing_tests(&["t1"]).on_tree("A").trying("a"));
    assert_eq!(back.remark, Some(TurnRemark::Circle(Circle { from: 0, to: 2 })));
}

#[test]
fn improvement_is_a_share_of_what_failed_at_the_start() {
    let cases = [(0, 0, 100), (3, 0, -100), (0, 4, 100), (1, 4, 75), (4, 4, 0), (6, 4, -50)];
    for (failing, initially, want) in cases {
        assert_eq!(standing(failing, initially).improvement(), want, "{failing}/{initially}");
    }
}

#[test]
fn the_end_of_a_text_is_cut_between_characters() {
    let cases =
        [("", 3, ""), ("ab", 3, "ab"), ("abcd", 3, "bcd"), ("가나다라", 2, "다라"), ("ab", 0, "")];
    for (text, most, want) in cases {
        assert_eq!(last_chars(text, most), want);
    }
}

#[test]
fn long_output_is_repeated_only_in_its_last_part() {
    let long = GateReport {
        tail: "x".repeat(10_000),
        ..report("tests", Verdict::Fail(GateFault::Exit(1)))
    };
    let feedback = feedback(&run_from(&gated(), &["t1"]), &turn("").reporting(long));
    assert_eq!(feedback.gates[0].tail.len(), 3000);
}

#[test]
fn what_changed_since_the_last_iteration_is_said() {
    let mut run = run_from(&gated(), &["test a", "test b", "test c", "test flaky"]);
    let evidence = Evidence {
        flaky: set(&["test flaky"]),
        ..turn(WORKING).reporting(tested(&[], &["c", "d", "flaky"]))
    };
    let change = |run: &Run, evidence: &Evidence| feedback(run, evidence).change;
    let want = FailureChange { fixed: 2, new: 1 };
    assert_eq!(change(&run, &evidence), Some(want));
    // A gate that did not run has fixed nothing.
    run.policy.gates.push(gate("lint", GateImportance::Required));
    assert_eq!(change(&run, &evidence), None);
}

#[test]
fn improvement_is_measured_by_counts_where_there_are_any() {
    let mut run = run_from(&gated(), &["x"]);
    let files: Vec<String> = (0..4).map(|number| format!("f{number}")).collect();
    let lint = |left: usize| {
        let findings: Vec<_> =
            files[..left].iter().map(|file| (&**file, FindingLevel::Error)).collect();
        found(&findings)
    };
    run.baseline = Some(Baseline { totals: GateTotals::of(&[lint(4)]), ..Baseline::default() });
    let told = feedback(&run, &turn(WORKING).failing_tests(&[]).reporting(lint(1)));
    assert_eq!(told.standing.map(FailureCounts::improvement), Some(75));
}
