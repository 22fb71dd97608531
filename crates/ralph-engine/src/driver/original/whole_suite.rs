//! Suites that name no tests: each is one test by itself.

use ralph_core::Run;
use ralph_core::evidence::GateReport;
use ralph_core::finding::{TestState, Tests};
use ralph_core::preserve::{self, Start};

/// How a suite is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SuiteJudgement {
    /// Test by test.
    ByTests,
    /// By how it ends: it names no tests.
    AsWhole,
}

/// Whether a suite names no test, and named none at the start.
pub(super) fn is_whole(report: &GateReport, start: Option<&Start>) -> bool {
    let named_some = |start: &Start| {
        start.ran > 0 || [&start.passed, &start.failed].iter().any(|named| !named.is_empty())
    };
    report.reading.tests.is_none() && !start.is_some_and(named_some)
}

pub(super) fn state_of(report: &GateReport) -> TestState {
    if report.passed() { TestState::Passed } else { TestState::Failed }
}

/// A suite that names no tests, as one test.
pub(super) fn whole_suite(report: &GateReport, state: TestState) -> Tests {
    let mut tests = Tests::default();
    tests.states.insert(report.command.clone(), state);
    match state {
        TestState::Passed => tests.counts.passed = 1,
        TestState::Failed | TestState::Skipped => tests.counts.failed = 1,
    }
    tests
}

/// The tests of a report; a whole suite is one test.
pub(super) fn tests_of(report: &GateReport, own: &GateReport, judgement: SuiteJudgement) -> Tests {
    match judgement {
        SuiteJudgement::AsWhole => whole_suite(own, state_of(report)),
        SuiteJudgement::ByTests => report.reading.tests.clone().unwrap_or_default(),
    }
}

/// A suite as it was at the start, as one test.
pub(super) fn whole_start(run: &Run, report: &GateReport) -> Start {
    let red = run.baseline.as_ref().map(|baseline| &baseline.red);
    let was_red = red.is_some_and(|red| red.contains(&report.name));
    let state = if was_red { TestState::Failed } else { TestState::Passed };
    preserve::start(&whole_suite(report, state))
}

/// Whether the tests of the start (`then`, or `whole` as one) fail without one
/// that could be named: they failed so at the start, or none was ever named.
/// Otherwise a bar for coverage may be what fails.
pub(super) fn fails_without_names(report: &GateReport, then: &Start, whole: &Start) -> bool {
    let failed_so_then = then.failed.is_empty() && !whole.failed.is_empty();
    let was_never_named = then.failed.is_empty() && then.passed.is_empty();
    !report.passed() && (failed_so_then || was_never_named)
}
