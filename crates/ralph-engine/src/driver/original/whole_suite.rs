//! Treats a suite that names no tests as one test.

use ralph_core::Run;
use ralph_core::evidence::GateReport;
use ralph_core::finding::{TestResults, TestState};
use ralph_core::preserve::{self, BaselineTests};

/// The way to judge a suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SuiteJudgement {
    /// Test by test.
    ByTests,
    /// By its verdict: it names no tests.
    AsWhole,
}

/// Returns true if a suite names no test, and named none at the start.
pub(super) fn is_whole(report: &GateReport, start: Option<&BaselineTests>) -> bool {
    let named_some = |start: &BaselineTests| {
        start.ran > 0 || [&start.passed, &start.failed].iter().any(|named| !named.is_empty())
    };
    report.reading.tests.is_none() && !start.is_some_and(named_some)
}

pub(super) fn state_of(report: &GateReport) -> TestState {
    if report.passed() { TestState::Passed } else { TestState::Failed }
}

/// Returns the result of a suite as one test.
pub(super) fn whole_suite(report: &GateReport, state: TestState) -> TestResults {
    let mut tests = TestResults::default();
    tests.states.insert(report.command.clone(), state);
    match state {
        TestState::Passed => tests.counts.passed = 1,
        TestState::Failed | TestState::Skipped => tests.counts.failed = 1,
    }
    tests
}

/// Returns the tests of a report; a whole suite is one test.
pub(super) fn tests_of(
    report: &GateReport,
    own: &GateReport,
    judgement: SuiteJudgement,
) -> TestResults {
    match judgement {
        SuiteJudgement::AsWhole => whole_suite(own, state_of(report)),
        SuiteJudgement::ByTests => report.reading.tests.clone().unwrap_or_default(),
    }
}

/// Returns a suite at the start as one test.
pub(super) fn whole_start(run: &Run, report: &GateReport) -> BaselineTests {
    let red = run.baseline.as_ref().map(|baseline| &baseline.red);
    let was_red = red.is_some_and(|red| red.contains(&report.name));
    let state = if was_red { TestState::Failed } else { TestState::Passed };
    preserve::start(&whole_suite(report, state))
}

/// Returns true if the tests of the start (`then`, or `whole` as one) fail and
/// name no failing test. That counts only if they failed so at the start, or
/// never named a test. Otherwise a bar for coverage may fail.
pub(super) fn fails_without_names(
    report: &GateReport,
    then: &BaselineTests,
    whole: &BaselineTests,
) -> bool {
    let failed_so_then = then.failed.is_empty() && !whole.failed.is_empty();
    let was_never_named = then.failed.is_empty() && then.passed.is_empty();
    !report.passed() && (failed_so_then || was_never_named)
}
