use super::*;
use crate::claim::Promise;
use crate::decide::{Decision, decide};
use crate::evidence::{Evidence, GateReport};
use crate::finding::{FindingCounts, FindingLevel, TestCounts};
use crate::policy::GateImportance;
use crate::run::Baseline;
use crate::samples::{WORKING, found, gate, gated, run, run_from, set, tested, turn};

fn totals(errors: u64, warnings: u64, security: u64) -> GateTotals {
    let counts = FindingCounts { errors, warnings, security, infos: 9 };
    GateTotals { counts, ..GateTotals::default() }
}

fn with_failed_tests(totals: GateTotals, failed: u64) -> GateTotals {
    GateTotals { tests: Some(TestCounts { passed: 3, failed, skipped: 0 }), ..totals }
}

/// A run in its second turn whose gate `lint` counted this at the start.
fn linted(start: GateTotals, locale: Locale) -> Run {
    let gates = vec![gate("lint", GateImportance::Required)];
    let mut run = run_from(&Policy { gates, locale, ..gated() }, &["x"]);
    run.baseline = Some(Baseline { red: set(&["lint"]), totals: start, ..Baseline::default() });
    run.iteration = 2;
    run
}

/// The gate `lint` with these counts.
fn counting(totals: GateTotals) -> GateReport {
    let mut report = found(&[("a", FindingLevel::Error)]);
    report.reading.counts = totals.counts;
    report.reading.findings.clear();
    report
}

/// The status line after this turn.
#[track_caller]
fn line(run: &Run, evidence: &Evidence) -> String {
    match decide(run, &run.policy, evidence).decision {
        Decision::Continue(told) => continue_line(&told, run.policy.locale).unwrap(),
        other @ (Decision::Complete(_)
        | Decision::Wait(_)
        | Decision::Pause(_)
        | Decision::GiveUp(_)) => panic!("{other:?}"),
    }
}

#[test]
fn the_continue_line_says_counts_progress_and_next_step() {
    let five = turn(WORKING).reporting(counting(totals(5, 12, 0)));
    assert_eq!(
        line(&linted(totals(10, 28, 0), Locale::En), &five),
        "Ralph Loop: CONTINUE | Iteration: 3/10 \
         | Current: 5 error(s), 12 warning(s), 0 security issue(s) \
         | Progress: 50% improvement | Next: Fix 5 remaining error(s)"
    );
    assert_eq!(
        line(&linted(totals(10, 28, 0), Locale::Ko), &five),
        "Ralph Loop: CONTINUE | 반복: 3/10 \
         | 현재: 오류 5건, 경고 12건, 보안 문제 0건 \
         | 진행: 50% 개선 | 다음: 남은 오류 5건 수정"
    );
}

#[test]
fn failing_tests_are_counted_beside_findings() {
    let evidence = turn(WORKING).reporting(tested(&["a"], &["b", "c"]));
    let start = with_failed_tests(totals(0, 0, 0), 4);
    let said = line(&linted(start, Locale::En), &evidence);
    // The gate `lint` sent no report, so its failures are unknown.
    let want = "Current: 0 error(s), 0 warning(s), 0 security issue(s), 2 failing test(s), \
                1 not run | Progress: unknown | Next: Fix 2 failing test(s)";
    assert!(said.ends_with(want), "{said}");
}

#[test]
fn the_next_step_is_what_is_best_mended_first() {
    for (now, en, ko) in [
        (totals(0, 3, 2), "Fix 2 remaining security issue(s)", "남은 보안 문제 2건 수정"),
        (totals(0, 3, 0), "Fix 3 remaining warning(s)", "남은 경고 3건 수정"),
        (totals(1, 3, 2), "Fix 1 remaining error(s)", "남은 오류 1건 수정"),
    ] {
        for (locale, want) in [(Locale::En, en), (Locale::Ko, ko)] {
            let said =
                line(&linted(totals(9, 9, 9), locale), &turn(WORKING).reporting(counting(now)));
            assert!(said.ends_with(want), "{said}");
        }
    }
}

#[test]
fn where_only_exit_codes_are_known_only_failures_are_counted() {
    let run = run_from(&gated(), &["gate:tests", "gate:lint"]);
    let fail = crate::evidence::Verdict::Fail(crate::evidence::GateFault::Exit(1));
    let evidence = turn(WORKING).reporting(crate::samples::report("tests", fail));
    assert_eq!(
        line(&run, &evidence),
        "Ralph Loop: CONTINUE | Iteration: 2/10 | Current: 1 failing \
         | Progress: 50% improvement | Next: make tests pass"
    );
}

#[test]
fn the_auto_continue_line_says_what_is_left_and_how_to_end() {
    let mut policy = Policy::promise();
    policy.claim.promise = Promise::new("");
    assert_eq!(
        auto_continue_line(totals(5, 12, 2), &policy),
        format!(
            "Ralph Loop: AUTO-CONTINUE | Issues detected - continuing automatically \
             | 5 error(s) remaining | 2 security issue(s) remaining \
             | Next: Fix the remaining errors | Output {} when complete",
            signal(&policy.claim).unwrap()
        )
    );
    policy.claim.markers.clear();
    policy.locale = Locale::Ko;
    assert_eq!(
        auto_continue_line(with_failed_tests(totals(0, 0, 2), 3), &policy),
        "Ralph Loop: AUTO-CONTINUE | 문제가 감지되어 자동으로 계속합니다 \
         | 실패한 테스트 3건 남음 | 보안 문제 2건 남음 | 다음: 남은 실패한 테스트 수정"
    );
}

#[test]
fn warnings_are_named_where_nothing_worse_is_left() {
    let said = auto_continue_line(totals(0, 12, 0), &Policy::promise());
    let want = "| 12 warning(s) remaining | Next: Fix the remaining warnings | Output ";
    assert!(said.contains(want), "{said}");
}

fn finished(mut run: Run, locale: Locale) -> Run {
    run.iteration = 5;
    run.policy.locale = locale;
    run.state = RunState::Success(Proof::Verified);
    run
}

#[test]
fn the_complete_line_says_how_far_the_run_came() {
    let mut run = finished(linted(totals(12, 28, 0), Locale::En), Locale::En);
    run.progress.totals = totals(0, 8, 0);
    assert_eq!(
        complete_line(&run),
        "Ralph Loop: COMPLETE - All conditions satisfied | Session: run-00005eed | Iterations: 5 \
         | Total improvement: 100% | Initial: 12 errors, 28 warnings | Final: 0 errors, 8 warnings"
    );
    run.policy.locale = Locale::Ko;
    run.progress.totals = with_failed_tests(totals(1, 1, 0), 1);
    assert_eq!(
        complete_line(&run),
        "Ralph Loop: COMPLETE - 모든 조건 충족 | 세션: run-00005eed | 반복: 5 | 총 개선: 83% \
         | 시작: 오류 12건, 경고 28건, 실패한 테스트 0건 \
         | 최종: 오류 1건, 경고 1건, 실패한 테스트 1건"
    );
}

#[test]
fn a_run_of_exit_codes_counts_failures() {
    let mut run = finished(run_from(&gated(), &["a", "b", "c", "d"]), Locale::En);
    run.progress.failing.clear();
    assert_eq!(
        complete_line(&run),
        "Ralph Loop: COMPLETE - All conditions satisfied | Session: run-00005eed | Iterations: 5 \
         | Total improvement: 100% | Initial: 4 failing | Final: 0 failing"
    );
    run.progress.failing = set(&["a"]);
    run.policy.locale = Locale::Ko;
    assert_eq!(
        complete_line(&run),
        "Ralph Loop: COMPLETE - 모든 조건 충족 | 세션: run-00005eed | 반복: 5 \
         | 총 개선: 75% | 시작: 실패 4건 | 최종: 실패 1건"
    );
}

#[test]
fn a_bare_promise_loop_counts_iterations_only() {
    assert_eq!(
        complete_line(&finished(run(&Policy::promise()), Locale::En)),
        "Ralph Loop: COMPLETE - All conditions satisfied | Session: run-00005eed | Iterations: 5"
    );
}

#[test]
fn checks_that_were_not_met_are_not_called_satisfied() {
    let mut run = finished(run_from(&gated(), &["a"]), Locale::En);
    run.state = RunState::Success(Proof::Claimed);
    let line = complete_line(&run);
    let want = "Ralph Loop: COMPLETE - The agent's word was taken for it |";
    assert!(line.starts_with(want), "{line}");
}

#[test]
fn a_score_names_what_there_is() {
    let none = Score::default();
    let counted = Score { failed_tests: 2, errors: 1, unexplained: 1, ..none };
    for (given, en, ko) in [
        (none, "0 failing", "실패 0건"),
        (Score { unexplained: 3, ..none }, "3 failing", "실패 3건"),
        (
            counted,
            "2 failing tests, 1 error, 1 failing check",
            "실패한 테스트 2건, 오류 1건, 실패한 검사 1건",
        ),
        (
            Score { weakened: 1, warnings: 1, ..none },
            "1 warning, checks weakened",
            "경고 1건, 검사 약화됨",
        ),
    ] {
        assert_eq!(score(&given, Locale::En), en);
        assert_eq!(score(&given, Locale::Ko), ko);
    }
}
