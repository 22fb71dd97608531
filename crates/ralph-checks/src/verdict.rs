//! The verdict of a gate: its exit code and its output have to agree.

use std::collections::BTreeSet;

use ralph_core::evidence::{GateFault, UNNAMED_TEST, Verdict};
use ralph_core::finding::{FindingLevel, TestState, ToolReport};
use ralph_core::format::OutputFormat;
use ralph_core::policy::{Criterion, GateSpec, PassCondition};
use ralph_proc::ExitReason;

use crate::formats::FormatError;

/// Judges a command that ended, by what was read in its output.
pub(crate) fn judge(
    spec: &GateSpec,
    ending: ExitReason,
    reading: Result<&ToolReport, &FormatError>,
) -> Verdict {
    let code = match ending {
        ExitReason::Exited(126) => return unknown("the command is not executable"),
        ExitReason::Exited(127) => return unknown("the command was not found"),
        ExitReason::Exited(code) => code,
        ExitReason::Signaled(signal) => return Verdict::Fail(GateFault::Signal(signal)),
        ExitReason::WallTimeout | ExitReason::IdleTimeout => {
            return Verdict::Fail(GateFault::Timeout(spec.timeout));
        }
        ExitReason::Stopped => return unknown("it was interrupted"),
    };
    match (spec.format, reading) {
        (OutputFormat::Exit, _) => by_code(code),
        (OutputFormat::Text, Ok(reading)) => judge_text(code, reading),
        (_, Err(FormatError::NoReport { printed })) if code != 0 && tells_why(printed) => {
            by_code(code)
        }
        // Plain text has no grammar it could break, so the file was lost.
        (_, Err(error)) => unclear(format!("exit code {code}, and {error}")),
        (_, Ok(reading)) if is_test_gate(spec, reading) => judge_tests(code, reading),
        (_, Ok(reading)) => judge_diagnostics(spec, code, reading),
    }
}

/// Fingerprints of what keeps the gate from passing.
pub(crate) fn failing(spec: &GateSpec, reading: &ToolReport) -> BTreeSet<String> {
    let tests = reading.tests.iter().flat_map(|tests| &tests.states);
    let tests = tests.filter(|(_, state)| **state == TestState::Failed);
    let tests = tests.map(|(id, _)| test_fingerprint(spec, id));
    let findings = reading.findings.iter().filter(|finding| counts(spec, finding.level));
    let mut failing: BTreeSet<String> = tests.collect();
    let failed = reading.tests.as_ref().map_or(0, |tests| tests.counts.failed);
    let unnamed = failed.saturating_sub(failing.len() as u64);
    failing.extend(unnamed_marks(unnamed).map(|number| format!("{UNNAMED_TEST} {number}")));
    failing.extend(findings.map(|finding| finding.fingerprint.clone()));
    if failing.is_empty() {
        failing.extend(reading.failure_lines.iter().map(|line| format!("line {line}")));
    }
    failing
}

/// Numbers that stand for tests that failed without a name: all up to 500,
/// and then steps of a 500th. When fewer fail, that is progress.
fn unnamed_marks(unnamed: u64) -> impl Iterator<Item = u64> {
    let next = |mark: &u64| Some(mark.saturating_add(1 + mark / 500));
    std::iter::successors(Some(1), next).take_while(move |mark| *mark <= unnamed)
}

/// The fingerprint of a failing test.
pub fn test_fingerprint(spec: &GateSpec, id: &str) -> String {
    if spec.dir.is_empty() { format!("test {id}") } else { format!("test {}: {id}", spec.dir) }
}

/// True if findings of this level keep the gate from passing.
fn counts(spec: &GateSpec, level: FindingLevel) -> bool {
    match level {
        FindingLevel::Error | FindingLevel::Security => true,
        FindingLevel::Warning => {
            spec.bar == PassCondition::Clean && is_about_warnings(spec.criterion)
        }
        FindingLevel::Info => false,
    }
}

/// A clean linter has nothing to say; tests and builds may warn.
fn is_about_warnings(criterion: Criterion) -> bool {
    matches!(criterion, Criterion::LintClean | Criterion::TypeCheck)
}

fn is_test_gate(spec: &GateSpec, reading: &ToolReport) -> bool {
    spec.criterion == Criterion::TestPass || reading.tests.is_some() || spec.format.is_of_tests()
}

/// True if the recognised plain text explains a failure.
fn tells_why(printed: &ToolReport) -> bool {
    printed.counts.errors > 0 || printed.tests.as_ref().is_some_and(|tests| tests.counts.failed > 0)
}

fn by_code(code: i32) -> Verdict {
    if code == 0 { Verdict::Pass } else { Verdict::Fail(GateFault::Exit(code)) }
}

/// Text is recognised, not understood: only a test that is said to have
/// failed contradicts a good exit code, and a suite that is said to be empty.
fn judge_text(code: i32, reading: &ToolReport) -> Verdict {
    let tests = reading.tests.as_ref().map(|tests| tests.counts);
    match tests {
        Some(tests) if code == 0 && tests.failed > 0 => {
            unclear(format!("exit code 0, but {} failed", plural(tests.failed, "test")))
        }
        Some(tests) if code == 0 && tests.passed == 0 => unclear("no test ran".to_owned()),
        Some(_) | None => by_code(code),
    }
}

fn judge_tests(code: i32, reading: &ToolReport) -> Verdict {
    let tests = reading.tests.as_ref().map(|tests| tests.counts).unwrap_or_default();
    let (failed, errors) = (tests.failed, reading.counts.errors);
    match (code, failed + errors) {
        (0, 0) if tests.passed == 0 => unclear("no test ran".to_owned()),
        (0, 0) => Verdict::Pass,
        (0, _) if failed > 0 => {
            unclear(format!("exit code 0, but {} failed", plural(failed, "test")))
        }
        (0, _) => unclear(format!("exit code 0, but it reports {}", plural(errors, "error"))),
        (code, 0) => unclear(format!("exit code {code}, but no test failed")),
        (code, _) => Verdict::Fail(GateFault::Exit(code)),
    }
}

fn judge_diagnostics(spec: &GateSpec, code: i32, reading: &ToolReport) -> Verdict {
    let all = reading.counts;
    let found: u64 = FindingLevel::ALL.iter().map(|level| all.of(*level)).sum();
    let wrong: u64 = FindingLevel::ALL
        .iter()
        .filter(|level| counts(spec, **level))
        .map(|level| all.of(*level))
        .sum();
    match (code, wrong) {
        (0, 0) => Verdict::Pass,
        (0, _) if all.errors > 0 => {
            unclear(format!("exit code 0, but it reports {}", plural(all.errors, "error")))
        }
        (0, wrong) => Verdict::Fail(GateFault::Findings(wrong)),
        (code, _) if found == 0 => unclear(format!("exit code {code}, but it reports nothing")),
        // By custom, 1 stands for findings and more for a tool that broke off.
        (1, 0) if spec.bar != PassCondition::Clean => Verdict::Pass,
        (code, 0) if spec.bar != PassCondition::Clean => {
            unclear(format!("exit code {code}, but it reports no error"))
        }
        (code, _) => Verdict::Fail(GateFault::Exit(code)),
    }
}

fn plural(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn unclear(reason: String) -> Verdict {
    Verdict::Unclear { reason }
}

fn unknown(reason: &str) -> Verdict {
    Verdict::Unknown { reason: reason.to_owned() }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use ralph_core::policy::{GateCommand, GateImportance};

    use super::*;
    use crate::formats::{FindingCollector, ToolFinding};

    fn spec(criterion: Criterion, format: OutputFormat, bar: PassCondition) -> GateSpec {
        GateSpec {
            name: criterion.name().to_owned(),
            criterion,
            command: GateCommand::Argv(vec!["tool".to_owned()]),
            dir: String::new(),
            format,
            bar,
            timeout: Duration::from_mins(1),
            need: GateImportance::Required,
        }
    }

    fn tests(passed: u32, failed: u32) -> ToolReport {
        let mut out = FindingCollector::new(Path::new("/"), "");
        out.runs_tests();
        (0..passed).for_each(|index| out.test(&format!("p{index}"), TestState::Passed));
        (0..failed).for_each(|index| out.test(&format!("f{index}"), TestState::Failed));
        out.finish()
    }

    fn findings(levels: &[FindingLevel]) -> ToolReport {
        let mut out = FindingCollector::new(Path::new("/"), "");
        for &level in levels {
            let found = ToolFinding { tool: "t", rule: None, level, message: "m", context: "" };
            out.finding(out.place("a", None, None), &found);
        }
        out.finish()
    }

    fn test_verdict(code: i32, reading: &ToolReport) -> Verdict {
        let spec = spec(Criterion::TestPass, OutputFormat::Junit, PassCondition::Clean);
        judge(&spec, ExitReason::Exited(code), Ok(reading))
    }

    #[track_caller]
    fn assert_unclear(verdict: &Verdict, want: &str) {
        assert_eq!(*verdict, Verdict::Unclear { reason: want.to_owned() });
    }

    #[test]
    fn of_many_tests_without_a_name_one_in_500_is_progress() {
        let marks = |unnamed: u64| unnamed_marks(unnamed).count();
        assert_eq!((marks(0), marks(499), marks(500)), (0, 499, 500));
        assert!(marks(1_000_000) < 5_000);
        assert!(marks(997_000) < marks(1_000_000));
    }

    #[test]
    fn tests_pass_when_code_and_report_agree() {
        assert_eq!(test_verdict(0, &tests(3, 0)), Verdict::Pass);
        assert_eq!(test_verdict(1, &tests(3, 1)), Verdict::Fail(GateFault::Exit(1)));
    }

    #[test]
    fn a_good_code_with_failed_tests_is_unclear() {
        assert_unclear(&test_verdict(0, &tests(3, 2)), "exit code 0, but 2 tests failed");
        let text = spec(Criterion::Custom, OutputFormat::Text, PassCondition::Clean);
        let verdict = judge(&text, ExitReason::Exited(0), Ok(&tests(0, 1)));
        assert_unclear(&verdict, "exit code 0, but 1 test failed");
    }

    #[test]
    fn a_bad_code_without_a_failed_test_is_unclear() {
        assert_unclear(&test_verdict(2, &tests(3, 0)), "exit code 2, but no test failed");
    }

    #[test]
    fn a_suite_without_tests_proves_nothing() {
        assert_unclear(&test_verdict(0, &tests(0, 0)), "no test ran");
        let text = spec(Criterion::TestPass, OutputFormat::Text, PassCondition::Clean);
        let verdict =
            |spec: &GateSpec, reading: &ToolReport| judge(spec, ExitReason::Exited(0), Ok(reading));
        assert_unclear(&verdict(&text, &tests(0, 0)), "no test ran");
        // Output in an unknown form may stand for tests all the same.
        assert_eq!(verdict(&text, &ToolReport::default()), Verdict::Pass);
    }

    /// The output of each runner for a suite without tests, with exit code 0.
    const EMPTY_SUITES: &[(OutputFormat, &str)] = &[
        (OutputFormat::Junit, r#"<testsuites tests="0"></testsuites>"#),
        (OutputFormat::Junit, r#"<testsuite name="a" tests="0" failures="0"/>"#),
        (OutputFormat::Jest, r#"{"numTotalTests":0,"success":true,"testResults":[]}"#),
        (OutputFormat::GoTest, r#"{"Action":"skip","Package":"example.com/a","Elapsed":0}"#),
        (
            OutputFormat::Libtest,
            "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored\n",
        ),
        (
            OutputFormat::Nextest,
            "    Starting 0 tests across 1 binary\n     Summary [   0.001s] 0 tests run: 0 passed, 0 skipped\n",
        ),
        (OutputFormat::Tap, "TAP version 13\n1..0\n"),
        (OutputFormat::Ctest, "Test project /a\nNo tests were found!!!\n"),
        (
            OutputFormat::Text,
            "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured\n",
        ),
        (
            OutputFormat::Text,
            "\n----------------------------------------------------------------------\nRan 0 tests in 0.000s\n\nOK\n",
        ),
        (
            OutputFormat::Text,
            "============================ no tests ran in 0.01s =============================\n",
        ),
        (OutputFormat::Text, "?   \texample.com/a\t[no test files]\n"),
        (OutputFormat::Text, "ok  \texample.com/a\t0.001s [no tests to run]\n"),
        (OutputFormat::Text, "TAP version 13\n1..0\n"),
        (
            OutputFormat::Text,
            "Run options: --seed 1\n\n# Running:\n\nFinished in 0.001s.\n\n0 runs, 0 assertions, 0 failures, 0 errors, 0 skips\n",
        ),
        (OutputFormat::Text, "\n\n  0 passing (1ms)\n\n"),
        (OutputFormat::Text, "\n\n  0 passing (1ms)\n  3 pending\n\n"),
        (OutputFormat::Text, "No tests found, exiting with code 0\n"),
        (
            OutputFormat::Text,
            "Test Suites: 1 skipped, 0 of 1 total\nTests:       1 skipped, 1 total\nSnapshots:   0 total\n",
        ),
        (
            OutputFormat::Text,
            "\n RUN  v4.1.12 /project\n\nNo test files found, exiting with code 0\n",
        ),
        (
            OutputFormat::Text,
            " Test Files  1 skipped (1)\n      Tests  1 skipped (1)\n   Start at  07:10:21\n",
        ),
        (
            OutputFormat::Text,
            "No examples found.\n\n\nFinished in 0.00014 seconds (files took 0.02842 seconds to load)\n0 examples, 0 failures\n",
        ),
        (
            OutputFormat::Text,
            "PHPUnit 9.6.7 by Sebastian Bergmann and contributors.\n\nNo tests executed!\n",
        ),
        (
            OutputFormat::Text,
            "[INFO] --- surefire:3.2.5:test (default-test) @ till ---\n[INFO] No tests to run.\n",
        ),
        (
            OutputFormat::Text,
            "[INFO] Results:\n[INFO]\n[INFO] Tests run: 0, Failures: 0, Errors: 0, Skipped: 0\n",
        ),
        (OutputFormat::Text, "> Task :test NO-SOURCE\n\nBUILD SUCCESSFUL in 1s\n"),
        (OutputFormat::Text, "No test is available in /project/Shop.Tests.dll. Make sure that …\n"),
        (
            OutputFormat::Text,
            "Passed!  - Failed:     0, Passed:     0, Skipped:     0, Total:     0, Duration: 1 ms\n",
        ),
        (OutputFormat::Text, "[info] No tests were executed.\n[success] Total time: 1 s\n"),
        (OutputFormat::Text, "[info] Passed: Total 0, Failed 0, Errors 0, Passed 0\n"),
        (OutputFormat::Text, "There are no tests to run\n"),
        (
            OutputFormat::Text,
            "Finished in 0.00 seconds (0.00s async, 0.00s sync)\n0 failures\n\nRandomized with seed 1\n",
        ),
        (
            OutputFormat::Text,
            "t/none.t .. skipped: no database\nFiles=1, Tests=0\nResult: NOTESTS\n",
        ),
        (OutputFormat::Text, "ℹ tests 0\nℹ pass 0\nℹ fail 0\nℹ duration_ms 5.1\n"),
        (
            OutputFormat::Text,
            "Finished in 0.00 seconds (0.00s async, 0.00s sync)\n2 tests, 0 failures, 2 excluded\n",
        ),
        (
            OutputFormat::Text,
            "Test Suite 'All tests' passed at 2026-11-18 07:28:00.104\n\t Executed 0 tests, with 0 failures (0 unexpected) in 0.000 (0.000) seconds\n",
        ),
        (OutputFormat::Text, "✔ Test run with 0 tests in 0 suites passed after 0.001 seconds.\n"),
        (OutputFormat::Text, "00:00 +0: No tests ran.\n"),
        (OutputFormat::Text, "00:00 +0 ~2: All tests skipped.\n"),
    ];

    /// The output of each runner for tests that failed.
    const FAILED_SUITES: &[&str] = &[
        "  1 passing (5ms)\n  2 failing\n",
        "Test Suites: 1 failed, 1 total\nTests:       3 failed, 1 passed, 4 total\n",
        " Test Files  1 failed (1)\n      Tests  2 failed | 1 passed (3)\n",
        "Finished in 0.1 seconds (files took 0.1 seconds to load)\n3 examples, 1 failure\n",
        "PHPUnit 9.6.7 by …\n\nTime: 00:00.003, Memory: 6.00 MB\n\nFAILURES!\nTests: 3, Assertions: 3, Failures: 1.\n",
        "[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0\n",
        "3 tests completed, 1 failed\n",
        "Failed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3, Duration: 1 ms\n",
        "[error] Failed: Total 3, Failed 1, Errors 0, Passed 2\n",
        "Finished in 0.04 seconds (0.00s async, 0.04s sync)\n3 tests, 1 failure\n",
        "Test Case 'A.b' failed (0.001 seconds)\n",
        "✘ Test a() failed after 0.001 seconds with 1 issue.\n",
        "00:01 +2 -1: Some tests failed.\n",
        "t/till.t .. \nFailed 1/3 subtests \nFiles=1, Tests=3\nResult: FAIL\n",
        "ℹ tests 3\nℹ pass 2\nℹ fail 1\nℹ duration_ms 5.1\n",
    ];

    #[test]
    fn tests_that_failed_under_a_good_code_are_never_a_pass_for_any_runner() {
        for printed in FAILED_SUITES {
            let mut out = FindingCollector::new(Path::new("/"), "");
            crate::formats::read(OutputFormat::Text, &mut printed.as_bytes(), &mut out).unwrap();
            let reading = out.finish();
            for criterion in [Criterion::TestPass, Criterion::Custom] {
                let spec = spec(criterion, OutputFormat::Text, PassCondition::Clean);
                let verdict = judge(&spec, ExitReason::Exited(0), Ok(&reading));
                assert!(matches!(verdict, Verdict::Unclear { .. }), "{printed}: {verdict:?}");
            }
        }
    }

    #[test]
    fn a_suite_that_ran_no_test_is_never_a_pass_for_any_reader() {
        for (format, printed) in EMPTY_SUITES {
            let mut out = FindingCollector::new(Path::new("/"), "");
            let read = crate::formats::read(*format, &mut printed.as_bytes(), &mut out);
            let reading = out.finish();
            for criterion in [Criterion::TestPass, Criterion::Custom] {
                let spec = spec(criterion, *format, PassCondition::Clean);
                let reading = read.as_ref().map(|()| &reading);
                let verdict = judge(&spec, ExitReason::Exited(0), reading);
                assert_ne!(verdict, Verdict::Pass, "{criterion:?} {format:?} {printed}");
            }
        }
    }

    #[test]
    fn a_report_that_cannot_be_read_is_never_a_pass() {
        let spec = spec(Criterion::TestPass, OutputFormat::Junit, PassCondition::Clean);
        let broken = FormatError::Form { form: "junit", what: "it is empty".to_owned() };
        let verdict = judge(&spec, ExitReason::Exited(0), Err(&broken));
        assert_unclear(
            &verdict,
            "exit code 0, and its output is not what junit prints: it is empty",
        );
    }

    #[test]
    fn without_a_report_a_failure_needs_an_explanation() {
        let spec = spec(Criterion::TestPass, OutputFormat::Junit, PassCondition::Clean);
        let verdict = |code, printed: ToolReport| {
            let missing = FormatError::NoReport { printed: Box::new(printed) };
            judge(&spec, ExitReason::Exited(code), Err(&missing))
        };
        let broken = || findings(&[FindingLevel::Error]);
        assert_eq!(verdict(2, broken()), Verdict::Fail(GateFault::Exit(2)));
        assert_eq!(verdict(2, tests(0, 1)), Verdict::Fail(GateFault::Exit(2)));
        assert_unclear(&verdict(0, broken()), "exit code 0, and it wrote no report");
        assert_unclear(&verdict(0, tests(3, 0)), "exit code 0, and it wrote no report");
        assert_unclear(&verdict(4, ToolReport::default()), "exit code 4, and it wrote no report");
    }

    #[test]
    fn a_linter_with_warnings_is_not_clean_whatever_its_code() {
        let clean = spec(Criterion::LintClean, OutputFormat::Eslint, PassCondition::Clean);
        let warned = findings(&[FindingLevel::Warning, FindingLevel::Info]);
        let verdict = |spec: &GateSpec, code| judge(spec, ExitReason::Exited(code), Ok(&warned));
        assert_eq!(verdict(&clean, 0), Verdict::Fail(GateFault::Findings(1)));
        let lenient = GateSpec { bar: PassCondition::NoErrors, ..clean };
        assert_eq!(verdict(&lenient, 0), Verdict::Pass);
        assert_eq!(verdict(&lenient, 1), Verdict::Pass);
        // As shellcheck ends when it could not read one of its files.
        assert_unclear(&verdict(&lenient, 2), "exit code 2, but it reports no error");
    }

    #[test]
    fn errors_count_under_every_bar() {
        let wrong = findings(&[FindingLevel::Error, FindingLevel::Warning]);
        for bar in [PassCondition::Clean, PassCondition::NoErrors] {
            let spec = spec(Criterion::LintClean, OutputFormat::Ruff, bar);
            let verdict = |code| judge(&spec, ExitReason::Exited(code), Ok(&wrong));
            assert_eq!(verdict(1), Verdict::Fail(GateFault::Exit(1)));
            assert_unclear(&verdict(0), "exit code 0, but it reports 1 error");
        }
    }

    #[test]
    fn a_bad_code_without_findings_is_unclear() {
        let spec = spec(Criterion::TypeCheck, OutputFormat::Tsc, PassCondition::NoErrors);
        let verdict = judge(&spec, ExitReason::Exited(2), Ok(&ToolReport::default()));
        assert_unclear(&verdict, "exit code 2, but it reports nothing");
    }

    #[test]
    fn what_fails_is_named_by_the_bar() {
        let mut reading =
            findings(&[FindingLevel::Error, FindingLevel::Warning, FindingLevel::Info]);
        reading.tests = tests(1, 1).tests;
        let names =
            |bar| failing(&spec(Criterion::LintClean, OutputFormat::Text, bar), &reading).len();
        assert_eq!((names(PassCondition::Clean), names(PassCondition::NoErrors)), (3, 2));
    }

    #[test]
    fn what_fails_without_a_name_is_counted_and_else_known_by_its_lines() {
        let spec = spec(Criterion::Custom, OutputFormat::Text, PassCondition::Clean);
        let names = |printed: &str| {
            let mut out = FindingCollector::new(Path::new("/"), "");
            crate::formats::read(OutputFormat::Text, &mut printed.as_bytes(), &mut out).unwrap();
            failing(&spec, &out.finish())
        };
        assert_eq!(names("  1 passing (5ms)\n  3 failing\n").len(), 3);
        let lines = names("checking\nFAIL one\nFAIL two\nok three\n");
        assert_eq!(lines, ["line FAIL one", "line FAIL two"].map(str::to_owned).into());
        assert_eq!(names("src/a.c:3:1: error: no\nERROR: it broke\n").len(), 1);
    }

    #[test]
    fn a_missing_tool_is_unknown_and_a_signal_a_failure() {
        let spec = spec(Criterion::LintClean, OutputFormat::Ruff, PassCondition::Clean);
        let verdict = |ending| judge(&spec, ending, Ok(&ToolReport::default()));
        assert!(matches!(verdict(ExitReason::Exited(127)), Verdict::Unknown { .. }));
        assert_eq!(verdict(ExitReason::Signaled(9)), Verdict::Fail(GateFault::Signal(9)));
    }
}
