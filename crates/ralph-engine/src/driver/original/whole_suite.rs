//! Suites that name no tests: each is one test by itself.

use ralph_core::evidence::GateReport;
use ralph_core::finding::{TestState, Tests};

/// Whether a suite names no test.
pub(super) fn is_whole(report: &GateReport) -> bool {
    report.reading.tests.is_none()
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
