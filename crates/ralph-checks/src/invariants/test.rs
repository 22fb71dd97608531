//! A test that shows whether a note holds, run alone.

use ralph_core::evidence::{GateReport, Verdict};
use ralph_core::finding::{SourceLocation, TestState};
use ralph_core::policy::GateSpec;

use crate::selector::{file_of, selecting, telling_name};
use crate::{CommandGate, Gate, GateContext};

/// Failing tests of one selector that are told apart.
const MOST: usize = 3;

/// The result of running a test.
pub(super) enum InvariantTestResult {
    /// It ran and passed.
    Holds,
    /// It failed, or nothing that is called so ran.
    Broken(Vec<InvariantFailure>),
    /// It could not be run, for this reason.
    Unknown(String),
}

/// The way in which a note was broken.
pub(super) struct InvariantFailure {
    /// The id of the failed test.
    pub(super) id: String,
    /// The place of the failure.
    pub(super) place: SourceLocation,
    /// In one line.
    pub(super) said: String,
}

/// Runs a test in every gate that knows how to run it alone. One that ran and
/// passed in one of them, and failed in none, holds.
pub(super) fn run(
    test: &str,
    runners: &[GateSpec],
    site: &GateContext<'_>,
    stop: &mut dyn FnMut() -> bool,
) -> InvariantTestResult {
    let (mut broken, mut unknown, mut holds) = (Vec::new(), None, false);
    let mut missed = None;
    for runner in runners {
        let Some(alone) = selecting(runner, test) else { continue };
        if file_of(test, runner).is_some_and(|file| !site.root.join(file).exists()) {
            missed = Some("its file is not there".to_owned());
            continue;
        }
        let report = CommandGate::new(alone).run(site, stop);
        let failures = failures(&report);
        match &report.verdict {
            Verdict::Unknown { reason } => unknown = Some(reason.clone()),
            _ if !failures.is_empty() => broken.extend(failures),
            Verdict::Pass if has_run(&report, test, runner) => holds = true,
            Verdict::Pass => missed = Some("no test of this name ran".to_owned()),
            verdict @ (Verdict::Fail(_) | Verdict::Unclear { .. }) => {
                missed = Some(format!("it did not run: {}", why(&report, verdict)));
            }
        }
    }
    if !broken.is_empty() {
        broken.truncate(MOST);
        return InvariantTestResult::Broken(broken);
    }
    match (holds, unknown, missed) {
        (true, _, _) => InvariantTestResult::Holds,
        (false, Some(reason), _) => InvariantTestResult::Unknown(reason),
        (false, None, Some(said)) => {
            let (id, place) = (test.to_owned(), SourceLocation::default());
            InvariantTestResult::Broken(vec![InvariantFailure { id, place, said }])
        }
        (false, None, None) => InvariantTestResult::Unknown(
            "no gate of this project can run one test alone".to_owned(),
        ),
    }
}

/// The last thing that was printed tells most.
fn why(report: &GateReport, verdict: &Verdict) -> String {
    let last = report.tail.lines().rev().find(|line| !line.trim().is_empty());
    match last {
        Some(last) => format!("{}, {}", verdict.describe(), last.trim()),
        None => verdict.describe(),
    }
}

fn failures(report: &GateReport) -> Vec<InvariantFailure> {
    let tests = report.reading.tests.as_ref();
    let failure = |(id, _): (&str, &str)| {
        let about = tests.and_then(|tests| tests.failures.get(id));
        let message = about.map_or("", |about| about.message.as_str());
        let first = message.lines().find(|line| !line.trim().is_empty());
        InvariantFailure {
            id: id.to_owned(),
            place: about.map(|about| about.place.clone()).unwrap_or_default(),
            said: first.map_or("it fails", str::trim).to_owned(),
        }
    };
    report.failing_tests().map(failure).collect()
}

/// True if a name stands in the id of a test, and not as a part of a longer name: runners that
/// select by it run those too.
fn names(id: &str, name: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    id.match_indices(name).any(|(at, _)| {
        !is_part(id[..at].chars().next_back()) && !is_part(id[at + name.len()..].chars().next())
    })
}

/// True if the test that is meant passed. A runner that finds nothing to run may still succeed; and
/// if it reports no tests at all, nothing is known.
fn has_run(report: &GateReport, test: &str, runner: &GateSpec) -> bool {
    let Some(tests) = &report.reading.tests else { return false };
    let is_meant = |id: &str| telling_name(test, runner).is_none_or(|name| names(id, name));
    let mut passed = tests.states.iter().filter(|(_, state)| **state == TestState::Passed);
    tests.counts.passed > 0 && (tests.states.is_empty() || passed.any(|(id, _)| is_meant(id)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_not_taken_for_one_with_a_longer_name() {
        for id in ["test_login", "tests/a.py::test_login[1]", "A > test_login", "TestA/test_login"]
        {
            assert!(names(id, "test_login"), "{id}");
        }
        for id in ["test_login_page", "a::my_test_login", "test_logins"] {
            assert!(!names(id, "test_login"), "{id}");
        }
    }
}
