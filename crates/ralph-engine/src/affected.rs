//! Runs the tests that depend on changed files before all others.
//!
//! They can only report a failure earlier. If they pass or are unknown, the
//! whole gate runs as usual.

use std::path::PathBuf;

use ralph_checks::{AffectedTest, Gate, GateContext, GateWatcher, run_together, test_fingerprint};
use ralph_core::Timestamp;
use ralph_core::evidence::{GateFault, GateReport, Verdict};
use ralph_core::policy::GateSpec;
use ralph_graph::{Index, IndexError};

use crate::driver::jobs;

/// Maximum number of changed files. Beyond it nearly every test is affected.
const MOST_CHANGED: usize = 50;

/// Finds the tests that depend on changed files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AffectedTests {
    /// The project's root.
    pub root: PathBuf,
    /// The folder with the index of its code.
    pub state: PathBuf,
}

impl AffectedTests {
    /// Returns the tests that depend on these files, according to the index of
    /// the code. Without an index none is made.
    pub fn of(&self, changed: &[String], now: Timestamp) -> Vec<AffectedTest> {
        if changed.is_empty() || changed.len() > MOST_CHANGED {
            return Vec::new();
        }
        // Without an answer only time is lost.
        self.ask(changed, now).unwrap_or_default()
    }

    fn ask(&self, changed: &[String], now: Timestamp) -> Result<Vec<AffectedTest>, IndexError> {
        let Some(mut index) = Index::open_known(&self.root, &self.state)? else {
            return Ok(Vec::new());
        };
        let now = now.as_millis().saturating_mul(1_000_000);
        index.update(now, &mut |_| {})?;
        let found = index.code(now)?.impact(changed);
        let test = |hit: ralph_graph::ask::impact::TestHit| AffectedTest {
            path: hit.path,
            name: hit.name,
        };
        Ok(found.tests.into_iter().map(test).collect())
    }
}

/// Runs the affected tests of gates that can run single tests. Returns one
/// report for each gate with failing tests, with the number of the gate.
pub(crate) fn failures(
    gates: &[&dyn Gate],
    tests: &[AffectedTest],
    site: &GateContext<'_>,
    watcher: &mut dyn GateWatcher,
) -> Vec<(usize, GateReport)> {
    let narrowed =
        gates.iter().enumerate().filter_map(|(at, gate)| Some((at, gate.narrowed(tests)?)));
    let narrowed: Vec<(usize, Box<dyn Gate>)> = narrowed.collect();
    let wanted: Vec<&dyn Gate> = narrowed.iter().map(|(_, gate)| &**gate).collect();
    if wanted.is_empty() {
        return Vec::new();
    }
    let reports = run_together(&wanted, site, jobs(), &mut FirstTestsWatcher(watcher));
    let numbers = narrowed.iter().map(|(at, _)| *at);
    numbers.zip(reports).filter(|(_, report)| has_failing_tests(report)).collect()
}

/// Returns true if tests were run and failed. A runner that breaks off, or
/// finds no test, may only have got wrong arguments.
fn has_failing_tests(report: &GateReport) -> bool {
    matches!(report.verdict, Verdict::Fail(GateFault::Exit(_)))
        && report.failing_tests().next().is_some()
}

/// Returns a function that makes the fingerprint of a test of a gate.
pub(crate) fn print(spec: &GateSpec) -> impl Fn(&str) -> String {
    |id| test_fingerprint(spec, id)
}

/// Reports tests that run first to a watcher, apart from whole gates.
struct FirstTestsWatcher<'a>(&'a mut dyn GateWatcher);

impl GateWatcher for FirstTestsWatcher<'_> {
    fn started(&mut self, spec: &GateSpec) {
        self.0.first_started(spec);
    }

    fn finished(&mut self, report: &GateReport) {
        self.0.first_finished(report);
    }

    fn stop(&mut self) -> bool {
        self.0.stop()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn tests_of_a_file_that_is_gone_go_first() {
        let folder = tempfile::tempdir().unwrap();
        let (root, state) = (folder.path().join("project"), folder.path().join("state"));
        fs::create_dir(&root).unwrap();
        fs::write(root.join("lib.py"), "def f():\n    pass\n").unwrap();
        fs::write(root.join("test_lib.py"), "from lib import f\n\ndef test_f():\n    f()\n")
            .unwrap();
        fs::write(root.join("test_rest.py"), "def test_rest():\n    pass\n").unwrap();
        Index::open(&root, &state).unwrap().update(i64::MAX, &mut |_| {}).unwrap();
        fs::remove_file(root.join("lib.py")).unwrap();
        let affected = AffectedTests { root, state };
        let found = affected.of(&["lib.py".to_owned()], Timestamp::from_millis(i64::MAX));
        assert_eq!(found, [AffectedTest { path: "test_lib.py".to_owned(), name: None }]);
    }
}
