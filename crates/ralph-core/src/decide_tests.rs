use super::*;
use crate::evidence::{GateFault, OldCodeFailure, ProofTest, TurnTimeout, Verdict, WeakenedCheck};
use crate::feedback::WrapUpHint;
use crate::ids::SessionId;
use crate::locale::Locale;
use crate::policy::{OldSession, RunLimits};
use crate::run::Owner;
use crate::samples::{
    CLAIM, WORKING, advance, gate, gated, minute, play, report, run, run_from, tested, turn,
};
use crate::usage::{Usage, Usd};

#[track_caller]
fn check(run: &Run, evidence: &Evidence, want: &Decision) {
    assert_eq!(&decide(run, &run.policy, evidence).decision, want, "{evidence:?}");
}

#[track_caller]
fn check_goes_on(run: &Run, evidence: &Evidence) -> Feedback {
    match decide(run, &run.policy, evidence).decision {
        Decision::Continue(feedback) => *feedback,
        other @ (Decision::Complete(_)
        | Decision::Wait(_)
        | Decision::Pause(_)
        | Decision::GiveUp(_)) => panic!("{other:?} after {evidence:?}"),
    }
}

fn with_limits(policy: Policy, change: impl FnOnce(&mut RunLimits)) -> Policy {
    let mut policy = policy;
    change(&mut policy.limits);
    policy
}

fn wait_until(minutes: u32) -> Decision {
    Decision::Wait(WaitReason::Limit { until: minute(minutes) })
}

// How the turn ended.

#[test]
fn an_abort_pauses_even_when_all_is_done() {
    let run = run_from(&gated(), &["t1"]);
    let evidence = turn(CLAIM).failing_tests(&[]).ending(TurnEnd::UserAbort);
    check(&run, &evidence, &Decision::Pause(PauseReason::Aborted));
}

#[test]
fn a_structured_request_waits_for_a_person() {
    let question = "May I delete the table?".to_owned();
    let evidence = turn(CLAIM).ending(TurnEnd::HumanAsked { question: question.clone() });
    check(&run(&Policy::promise()), &evidence, &Decision::Wait(WaitReason::Human { question }));
}

#[test]
fn running_children_are_waited_for() {
    let evidence = turn(CLAIM).ending(TurnEnd::ChildrenRunning);
    check(&run(&Policy::promise()), &evidence, &Decision::Wait(WaitReason::Child));
}

#[test]
fn a_missing_work_tree_ends_the_run_and_is_named() {
    let folder = "/project/.git".to_owned();
    let evidence = turn(CLAIM).ending(TurnEnd::WorkTreeGone { folder: folder.clone() });
    check(
        &run(&Policy::promise()),
        &evidence,
        &Decision::GiveUp(RunFailure::FolderGone { folder }),
    );
}

#[test]
fn an_interrupted_turn_counts_neither_for_nor_against_the_run() {
    let mut before = run_from(&gated(), &["t1", "t2"]);
    advance(&mut before, &turn("a").failing_tests(&["t1", "t2"]).on_tree("A"));
    for end in [
        TurnEnd::UserAbort,
        TurnEnd::HumanAsked { question: "Which?".to_owned() },
        TurnEnd::ChildrenRunning,
        TurnEnd::WorkTreeGone { folder: "/project".to_owned() },
    ] {
        let judgement = decide(&before, &before.policy, &turn("b").ending(end.clone()));
        assert_eq!(judgement.progress, before.progress, "{end:?}");
    }
}

#[test]
fn interruptions_come_before_limits() {
    let used_up = Run { iteration: 100, ..run(&Policy::promise()) };
    check(&used_up, &turn("").ending(TurnEnd::UserAbort), &Decision::Pause(PauseReason::Aborted));
    check(
        &used_up,
        &turn("").ending(TurnEnd::ProviderLimit { until: Some(minute(7)) }),
        &wait_until(7),
    );
}

// Provider limits.

#[test]
fn a_provider_is_believed_about_the_time_its_limit_lifts() {
    let evidence = turn(CLAIM).ending(TurnEnd::ProviderLimit { until: Some(minute(300)) });
    check(&run(&Policy::promise()), &evidence, &wait_until(300));
}

#[test]
fn an_unknown_reset_time_is_waited_for_ever_longer_up_to_half_an_hour() {
    let mut run = run(&Policy::promise());
    for want in [1, 2, 4, 8, 16, 30, 30] {
        let evidence = turn("").at(0).ending(TurnEnd::ProviderLimit { until: None });
        assert_eq!(advance(&mut run, &evidence).decision, wait_until(want));
    }
    advance(&mut run, &turn(WORKING));
    let evidence = turn("").at(0).ending(TurnEnd::ProviderLimit { until: None });
    assert_eq!(advance(&mut run, &evidence).decision, wait_until(1), "a good turn starts over");
}

#[test]
fn a_reset_time_that_proves_wrong_is_not_tried_at_once_again_and_again() {
    let mut run = run(&Policy::promise());
    for want in [10, 11, 12, 14, 18] {
        let passed = TurnEnd::ProviderLimit { until: Some(minute(3)) };
        assert_eq!(advance(&mut run, &turn("").at(10).ending(passed)).decision, wait_until(want));
    }
}

#[test]
fn waiting_has_an_end() {
    let run = Run { waited: Duration::from_hours(23), ..run(&Policy::promise()) };
    let until = |minutes| turn("").at(0).ending(TurnEnd::ProviderLimit { until: Some(minutes) });
    check(&run, &until(minute(60)), &wait_until(60));
    let what = "the provider's limit does not lift within 24h of waiting".to_owned();
    check(&run, &until(minute(61)), &Decision::GiveUp(RunFailure::AgentError { what }));
}

#[test]
fn waiting_costs_no_working_time() {
    let policy = with_limits(Policy::promise(), |limits| limits.duration = Duration::from_mins(30));
    let run = Run { waited: Duration::from_mins(100), ..run(&policy) };
    check_goes_on(&run, &turn(WORKING).at(129));
    check(&run, &turn(WORKING).at(130), &Decision::GiveUp(RunFailure::MaxDuration));
}

// Completion.

/// The verdict of the required gate, for the tables below.
#[derive(Clone, Copy, Debug, PartialEq)]
enum RequiredVerdict {
    Pass,
    Fail,
    Unknown,
    NoReport,
    OnlyAdvisoryFails,
}

const ALL_TESTS: [RequiredVerdict; 5] = [
    RequiredVerdict::Pass,
    RequiredVerdict::Fail,
    RequiredVerdict::Unknown,
    RequiredVerdict::NoReport,
    RequiredVerdict::OnlyAdvisoryFails,
];

fn evidence_of(text: &str, tests: RequiredVerdict) -> Evidence {
    let passed = turn(text).failing_tests(&[]);
    match tests {
        RequiredVerdict::Pass => passed,
        RequiredVerdict::Fail => turn(text).failing_tests(&["t1"]),
        RequiredVerdict::Unknown => {
            turn(text).reporting(report("tests", Verdict::Unknown { reason: "gone".to_owned() }))
        }
        RequiredVerdict::NoReport => turn(text),
        RequiredVerdict::OnlyAdvisoryFails => passed.reporting(GateReport {
            need: GateImportance::Advisory,
            ..report("lint", Verdict::Fail(GateFault::Exit(1)))
        }),
    }
}

fn gated_with_advice(trust: Trust) -> Policy {
    let mut policy = Policy { trust, ..gated() };
    policy.gates.push(gate("lint", GateImportance::Advisory));
    policy
}

#[track_caller]
fn check_completion(run: &Run, evidence: &Evidence, want: Option<Proof>) {
    match want {
        Some(proof) => check(run, evidence, &Decision::Complete(proof)),
        None => drop(check_goes_on(run, evidence)),
    }
}

#[test]
fn under_evidence_gates_must_pass_and_either_a_claim_or_a_red_start_says_there_was_work() {
    let policy = gated_with_advice(Trust::Evidence);
    for (baseline, text, tests) in every_combination() {
        let run = run_from(&policy, baseline);
        let was_red = !baseline.is_empty();
        let green = matches!(tests, RequiredVerdict::Pass | RequiredVerdict::OnlyAdvisoryFails);
        let done = green && (text == CLAIM || was_red);
        let proof = if was_red { Proof::Verified } else { Proof::Claimed };
        let evidence = evidence_of(text, tests);
        check_completion(&run, &evidence, done.then_some(proof));
        check_completion(&run, &evidence.weakening(), None);
    }
}

#[test]
fn under_claim_the_claim_decides_and_gates_only_say_how_sure_it_is() {
    let policy = gated_with_advice(Trust::Claim);
    for (baseline, text, tests) in every_combination() {
        let run = run_from(&policy, baseline);
        let green = matches!(tests, RequiredVerdict::Pass | RequiredVerdict::OnlyAdvisoryFails);
        let proven = green && !baseline.is_empty();
        let proof = if proven { Proof::Verified } else { Proof::Claimed };
        let evidence = evidence_of(text, tests);
        check_completion(&run, &evidence, (text == CLAIM).then_some(proof));
        let claimed = (text == CLAIM).then_some(Proof::Claimed);
        check_completion(&run, &evidence.weakening(), claimed);
    }
}

fn every_combination()
-> impl Iterator<Item = (&'static [&'static str], &'static str, RequiredVerdict)> {
    let baselines: [&[&str]; 2] = [&[], &["t1"]];
    baselines.into_iter().flat_map(|baseline| {
        [CLAIM, WORKING]
            .into_iter()
            .flat_map(move |text| ALL_TESTS.into_iter().map(move |tests| (baseline, text, tests)))
    })
}

#[test]
fn without_gates_a_claim_is_believed_and_called_a_claim() {
    let run = run(&Policy::promise());
    check_completion(&run, &turn(CLAIM), Some(Proof::Claimed));
    check_completion(&run, &turn(WORKING), None);
    check_completion(&run, &turn(""), None);
}

#[test]
fn a_run_without_a_baseline_needs_the_claim() {
    let run = run(&gated());
    check_completion(&run, &turn(WORKING).failing_tests(&[]), None);
    check_completion(&run, &turn(CLAIM).failing_tests(&[]), Some(Proof::Claimed));
}

#[test]
fn an_empty_change_is_a_claim_at_most() {
    let run = run_from(&gated(), &["t1"]);
    let green = |text: &str| turn(text).failing_tests(&[]);
    check_completion(&run, &green(CLAIM).on_tree("A"), Some(Proof::Claimed));
    check_completion(&run, &green(WORKING).on_tree("A"), None);
    check_completion(&run, &green(WORKING).on_tree("B"), Some(Proof::Verified));
}

#[test]
fn what_turns_green_without_a_change_may_be_luck_and_proves_nothing() {
    let mut run = run_from(&gated(), &["t1"]);
    run.progress.last_tree = turn(CLAIM).on_tree("B").tree;
    let green = |tree: &str| turn(CLAIM).failing_tests(&[]).on_tree(tree);
    check_completion(&run, &green("B"), Some(Proof::Claimed));
    check_completion(&run, &green("C"), Some(Proof::Verified));
    run.progress.failing.clear();
    check_completion(&run, &green("B"), Some(Proof::Verified));
}

#[test]
fn tests_that_no_longer_know_what_failed_prove_nothing() {
    let run = run_from(&gated(), &["t1"]);
    let green = |text: &str| Evidence {
        forgets_failure: true,
        ..turn(text).failing_tests(&[]).on_tree("B")
    };
    check_completion(&run, &green(CLAIM), Some(Proof::Claimed));
    check_completion(&run, &green(WORKING), None);
}

#[test]
fn a_known_failure_that_passes_now_is_proof_and_one_that_stays_is_none() {
    let mut policy = gated();
    policy.allowed.known_failures = true;
    let mut run = run_from(&policy, &["test a", "test b"]);
    run.baseline.as_mut().unwrap().red.clear();
    let after = |passed: &[&str], failed: &[&str]| {
        let mut report = tested(passed, failed);
        report.forgive_tests(&run.baseline.as_ref().unwrap().failing);
        turn(CLAIM).on_tree("B").reporting(report)
    };
    check_completion(&run, &after(&["a", "c"], &["b"]), Some(Proof::Verified));
    check_completion(&run, &after(&["c"], &["a", "b"]), Some(Proof::Claimed));
    check_completion(&run, &after(&["a"], &["b", "c"]), None);
    let silent = Evidence { text: WORKING.to_owned(), ..after(&["a"], &["b"]) };
    check_completion(&run, &silent, None);
}

#[test]
fn a_run_of_an_earlier_version_ends_under_its_rules() {
    let policy = Policy { edition: RuleEdition::First, ..gated() };
    let evidence = turn(CLAIM).failing_tests(&[]).on_tree("A");
    check_completion(&run_from(&policy, &[]), &evidence, Some(Proof::Verified));
}

#[test]
fn a_claim_of_a_crashed_or_hung_turn_is_void() {
    let run = run(&Policy::promise());
    check_completion(&run, &turn(CLAIM).crashing(), None);
    let hung = TurnEnd::TimedOut(TurnTimeout::Wall(Duration::from_hours(1)));
    check_completion(&run, &turn(CLAIM).ending(hung), None);
}

#[test]
fn gates_that_turned_green_count_even_when_the_agent_crashed() {
    let run = run_from(&gated(), &["t1"]);
    check_completion(&run, &turn("").failing_tests(&[]).crashing(), Some(Proof::Verified));
}

#[test]
fn two_reports_that_contradict_each_other_are_no_proof() {
    let evidence = turn(CLAIM).failing_tests(&["t1"]).failing_tests(&[]);
    check_completion(&run_from(&gated(), &["t1"]), &evidence, None);
}

// Broken agents and questions.

#[test]
fn an_agent_that_fails_three_times_without_a_change_is_broken() {
    let crash = || turn("").crashing().on_tree("A").failing_tests(&["t1"]);
    let (turns, decision) = play(run_from(&gated(), &["t1"]), (0..9).map(|_| crash()));
    let what = "exit code 1".to_owned();
    assert_eq!((turns, decision), (3, Decision::GiveUp(RunFailure::AgentError { what })));
}

#[test]
fn an_agent_that_hangs_three_times_without_a_change_is_broken() {
    let hang = || turn("").ending(TurnEnd::TimedOut(TurnTimeout::Idle(Duration::from_mins(10))));
    let (turns, decision) = play(run(&Policy::promise()), (0..9).map(|_| hang()));
    let what = "3 turns in a row changed nothing, the last timed out".to_owned();
    assert_eq!((turns, decision), (3, Decision::GiveUp(RunFailure::AgentError { what })));
}

#[test]
fn an_agent_that_changes_files_before_it_crashes_is_not_broken() {
    let policy = with_limits(Policy::promise(), |limits| limits.restarts = 50);
    let crash = |tree: &str| turn("").crashing().on_tree(tree);
    let trees = (0..20).map(|number| crash(&format!("T{number}")));
    let (turns, decision) = play(run_from(&policy, &[]), trees);
    assert_eq!(turns, 20);
    assert!(matches!(decision, Decision::Continue(_)), "{decision:?}");

    let only_two_idle = ["B", "B", "B"].map(crash);
    let (turns, decision) = play(run_from(&policy, &[]), only_two_idle);
    assert_eq!(turns, 3);
    assert!(matches!(decision, Decision::Continue(_)), "{decision:?}");
}

#[test]
fn a_good_turn_in_between_forgives_failures() {
    let mut run = run(&Policy::promise());
    for evidence in [turn("").crashing(), turn("").crashing(), turn(WORKING), turn("").crashing()] {
        let decision = advance(&mut run, &evidence).decision;
        assert!(matches!(decision, Decision::Continue(_)), "{decision:?}");
    }
}

#[test]
fn a_question_is_answered_once_and_then_handed_to_a_person() {
    let asks = || turn("Which database should I use?").on_tree("A");
    let (turns, decision) = play(run_from(&Policy::promise(), &[]), [asks(), asks()]);
    assert_eq!(turns, 2);
    assert!(matches!(decision, Decision::Wait(WaitReason::Human { .. })), "{decision:?}");
}

#[test]
fn questions_between_real_work_do_not_stop_a_run() {
    let asks = |tree: &str| turn("Shall I go on with the tests?").on_tree(tree);
    let turns = (0..10).map(|number| asks(&format!("T{number}")));
    let (turns, decision) = play(run_from(&Policy::promise(), &[]), turns);
    assert_eq!(turns, 10);
    assert!(matches!(decision, Decision::Continue(_)), "{decision:?}");
}

#[test]
fn a_statement_between_two_questions_starts_over() {
    let asks = || turn("Which database should I use?").on_tree("A");
    let turns = [asks(), turn(WORKING).on_tree("A"), asks()];
    let (_, decision) = play(run_from(&Policy::promise(), &[]), turns);
    assert!(matches!(decision, Decision::Continue(_)), "{decision:?}");
}

// Limits.

#[test]
fn each_limit_ends_a_run_with_its_own_reason() {
    let promise = || run(&Policy::promise());
    let policy = |change: fn(&mut RunLimits)| run(&with_limits(Policy::promise(), change));
    let spent = Usage { input_tokens: 60, output_tokens: 40, cost: Usd::from_micros(500) };
    let costly = Evidence { usage: Some(spent), ..turn(WORKING) };
    let cases = [
        (Run { iteration: 100, ..promise() }, turn(WORKING), RunFailure::MaxIterations),
        (promise(), turn(WORKING).at(240), RunFailure::MaxDuration),
        (policy(|limits| limits.tokens = Some(100)), costly.clone(), RunFailure::Budget),
        (policy(|limits| limits.cost = Some(Usd::from_micros(500))), costly, RunFailure::Budget),
        (Run { restarts: 5, ..promise() }, turn(WORKING).crashing(), RunFailure::MaxRestarts),
    ];
    for (run, evidence, failure) in cases {
        check(&run, &evidence, &Decision::GiveUp(failure));
        let done = Evidence { text: CLAIM.to_owned(), turn: TurnEnd::Finished, ..evidence };
        check(&run, &done, &Decision::Complete(Proof::Claimed));
    }
}

#[test]
fn where_every_turn_has_a_session_of_its_own_each_one_is_a_restart() {
    let policy = Policy { old_session: Some(OldSession::Keep), ..Policy::promise() };
    let session = Some(Owner::Session(SessionId::new("ses_1").unwrap()));
    let hosted = |restarts| Run { restarts, owner: session.clone(), ..run(&policy) };
    check_goes_on(&hosted(4), &turn(WORKING));
    check(&hosted(5), &turn(WORKING), &Decision::GiveUp(RunFailure::MaxRestarts));
    check(&hosted(5), &turn(CLAIM), &Decision::Complete(Proof::Claimed));
    let driven = Run { restarts: 5, ..run(&policy) };
    check_goes_on(&driven, &turn(WORKING));
}

#[test]
fn just_below_every_limit_the_run_goes_on() {
    let policy = with_limits(Policy::promise(), |limits| {
        limits.tokens = Some(101);
        limits.cost = Some(Usd::from_micros(501));
    });
    let spent = Usage { input_tokens: 60, output_tokens: 40, cost: Usd::from_micros(500) };
    let run = Run { iteration: 99, restarts: 4, usage: spent, ..run(&policy) };
    check_goes_on(&run, &turn(WORKING).crashing().at(239));
}

#[test]
fn success_on_the_last_allowed_iteration_is_success() {
    let run = Run { iteration: 10, ..run_from(&gated(), &["t1"]) };
    check(&run, &turn("").failing_tests(&[]), &Decision::Complete(Proof::Verified));
    check(
        &run,
        &turn(CLAIM).failing_tests(&["t1"]).trying("new"),
        &Decision::GiveUp(RunFailure::MaxIterations),
    );
}

#[test]
fn a_budget_that_cannot_be_measured_ends_the_run() {
    let policy = with_limits(Policy::promise(), |limits| limits.tokens = Some(1000));
    let silent = Evidence { usage: None, ..turn(WORKING) };
    let decision = decide(&run(&policy), &policy, &silent).decision;
    assert!(
        matches!(decision, Decision::GiveUp(RunFailure::AgentError { .. })),
        "a turn of unknown cost must not be followed by another: {decision:?}"
    );
    let unbounded = Policy::promise();
    let decision = decide(&run(&unbounded), &unbounded, &silent).decision;
    assert!(matches!(decision, Decision::Continue(_)), "{decision:?}");
}

#[test]
fn the_agent_is_told_to_wrap_up_before_a_limit() {
    let policy = with_limits(Policy::promise(), |limits| {
        limits.duration = Duration::from_mins(100);
        limits.tokens = Some(1000);
        limits.cost = Some(Usd::from_micros(1000));
    });
    let at = |iteration| Run { iteration, ..run(&policy) };
    let using = |tokens, micros| Evidence {
        usage: Some(Usage {
            input_tokens: tokens,
            output_tokens: 0,
            cost: Usd::from_micros(micros),
        }),
        ..turn(WORKING)
    };
    let cases = [
        (at(98), turn(WORKING), WrapUpHint::Steady),
        (at(99), turn(WORKING), WrapUpHint::WrapUp),
        (at(1), turn(WORKING).at(84), WrapUpHint::Steady),
        (at(1), turn(WORKING).at(85), WrapUpHint::WrapUp),
        (at(1), using(849, 849), WrapUpHint::Steady),
        (at(1), using(850, 0), WrapUpHint::WrapUp),
        (at(1), using(0, 850), WrapUpHint::WrapUp),
    ];
    for (run, evidence, pace) in cases {
        assert_eq!(check_goes_on(&run, &evidence).pace, pace, "{} {evidence:?}", run.iteration);
    }
}

// Weakened tests and checks.

#[test]
fn what_is_held_is_refused_once_and_then_the_user_is_asked() {
    let mut run = run_from(&gated(), &["t1"]);
    let evidence = turn(CLAIM).failing_tests(&[]).weakening();
    check_goes_on(&run, &evidence);
    advance(&mut run, &evidence);
    let Decision::Wait(WaitReason::Human { question }) =
        decide(&run, &run.policy, &evidence).decision
    else {
        panic!("{:?}", run.progress.held)
    };
    assert!(question.contains("ralph allow"), "{question}");
    let undone = turn(CLAIM).failing_tests(&[]);
    check(&run, &undone, &Decision::Complete(Proof::Verified));
}

#[test]
fn what_no_path_stands_for_is_not_offered_to_be_allowed() {
    let mut run = run_from(&gated(), &["t1"]);
    let mut evidence = turn(CLAIM).failing_tests(&[]);
    evidence.weakened =
        vec![WeakenedCheck::of_run("nothing can be compared".to_owned(), Locale::En)];
    advance(&mut run, &evidence);
    let asks = |run: &Run, evidence: &Evidence| {
        let decision = decide(run, &run.policy, evidence).decision;
        let Decision::Wait(WaitReason::Human { question }) = decision else {
            panic!("{decision:?}")
        };
        question
    };
    let question = asks(&run, &evidence);
    let want =
        "this run: nothing can be compared. `ralph resume` judges again, `ralph stop` ends the run";
    assert_eq!(question, want);
    evidence.weakened.push(WeakenedCheck { place: "a.py:3".to_owned(), what: "gone".to_owned() });
    let question = asks(&run, &evidence);
    assert!(question.ends_with("Intended? `ralph allow a.py && ralph resume`"), "{question}");
}

#[test]
fn another_trick_is_refused_again() {
    let mut run = run_from(&gated(), &["t1"]);
    advance(&mut run, &turn(CLAIM).failing_tests(&[]).weakening());
    let mut evidence = turn(CLAIM).failing_tests(&[]).weakening();
    evidence.weakened_state = Some("other contents".to_owned());
    run.progress.held.insert("first contents".to_owned());
    check_goes_on(&run, &evidence);
}

#[test]
fn a_test_that_fails_without_the_work_proves_it() {
    let run = run_from(&gated(), &[]);
    let mut evidence = turn(CLAIM).failing_tests(&[]).on_tree("new");
    check(&run, &evidence, &Decision::Complete(Proof::Claimed));
    let bite = OldCodeFailure::OldBehaviour;
    evidence.biting = vec![ProofTest { id: "t2".to_owned(), bite }];
    check(&run, &evidence, &Decision::Complete(Proof::Verified));
}
