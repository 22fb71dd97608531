//! Scores the evidence of an iteration, to find the best one.

use std::collections::BTreeSet;

use crate::diagnostics::GateTotals;
use crate::evidence::{Evidence, GateReport};
use crate::policy::{Criterion, GateSpec};

/// The defects of an iteration; the fewer, the better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Number of weakened checks: with any of them, passing gates prove little.
    pub weakened: u64,
    /// Number of test gates that fail without naming a test. Usually the tests did
    /// not even build.
    pub blind: u64,
    /// Number of failing tests, without flaky ones.
    pub failed_tests: u64,
    /// Number of failures without an explanation in the output, and of gates
    /// without a result. An iteration that was not checked is not a good one.
    pub unexplained: u64,
    /// Number of errors.
    pub errors: u64,
    /// Number of security findings.
    pub security: u64,
    /// Number of warnings.
    pub warnings: u64,
}

impl Score {
    /// Scores a turn, judged by the gates of these specifications. Tests known to
    /// be flaky do not count.
    pub fn of(evidence: &Evidence, specs: &[GateSpec], flaky: &BTreeSet<String>) -> Self {
        let weakened = evidence.weakened.len() as u64;
        Self { weakened, ..Self::of_gates(&evidence.gates, specs, flaky) }
    }

    /// Scores the results of gates alone.
    pub fn of_gates(gates: &[GateReport], specs: &[GateSpec], flaky: &BTreeSet<String>) -> Self {
        let GateTotals { counts, tests, unexplained } = GateTotals::of(gates);
        let unchecked = gates.iter().filter(|gate| !gate.has_result()).count() as u64;
        let unsteady = gates.iter().flat_map(|gate| gate.failing.intersection(flaky)).count();
        let failed = tests.map_or(0, |tests| tests.failed);
        Self {
            weakened: 0,
            blind: gates.iter().filter(|gate| is_blind(gate, specs)).count() as u64,
            failed_tests: failed.saturating_sub(unsteady as u64),
            unexplained: unexplained.saturating_add(unchecked),
            errors: counts.errors,
            security: counts.security,
            warnings: counts.warnings,
        }
    }

    /// Returns true if it is strictly better than another.
    pub fn is_better_than(self, other: Self) -> bool {
        self.rank() < other.rank()
    }

    /// Returns the key for comparison. Weakened checks are worse than anything
    /// else, and a test suite that does not build is worse than failing tests.
    fn rank(self) -> [u64; 6] {
        [
            u64::from(self.weakened > 0),
            self.blind,
            self.failed_tests.saturating_add(self.unexplained),
            self.errors,
            self.security,
            self.warnings,
        ]
    }
}

fn is_blind(gate: &GateReport, specs: &[GateSpec]) -> bool {
    let is_about_tests =
        |spec: &GateSpec| spec.criterion == Criterion::TestPass && spec.name == gate.name;
    let failed = gate.reading.tests.as_ref().map_or(0, |tests| tests.counts.failed);
    !gate.passed() && failed == 0 && specs.iter().any(is_about_tests)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{GateFault, Verdict};
    use crate::finding::FindingLevel;
    use crate::policy::GateImportance;
    use crate::samples::{found, gate, report, set, tested, turn};

    fn specs() -> Vec<GateSpec> {
        let tests =
            GateSpec { criterion: Criterion::TestPass, ..gate("tests", GateImportance::Required) };
        vec![tests, gate("lint", GateImportance::Required)]
    }

    fn of(gates: &[GateReport]) -> Score {
        Score::of_gates(gates, &specs(), &set(&[]))
    }

    #[track_caller]
    fn check_order(scores: &[Score]) {
        for pair in scores.windows(2) {
            assert!(pair[0].is_better_than(pair[1]), "{:?} {:?}", pair[0], pair[1]);
            assert!(!pair[1].is_better_than(pair[0]) && !pair[0].is_better_than(pair[0]));
        }
    }

    #[test]
    fn failing_tests_weigh_more_than_errors_security_and_warnings() {
        let files = |level| found(&[("a", level), ("b", level), ("c", level)]);
        let one = |level| found(&[("a", level)]);
        check_order(&[
            of(&[]),
            of(&[one(FindingLevel::Warning)]),
            of(&[files(FindingLevel::Warning)]),
            of(&[one(FindingLevel::Security)]),
            of(&[files(FindingLevel::Security)]),
            of(&[one(FindingLevel::Error)]),
            of(&[files(FindingLevel::Error)]),
            of(&[tested(&[], &["t1"])]),
            of(&[tested(&[], &["t1"]), one(FindingLevel::Error)]),
            of(&[tested(&[], &["t1", "t2"])]),
        ]);
    }

    #[test]
    fn a_gate_that_only_fails_counts_as_one_failing_thing() {
        let fail = |name| report(name, Verdict::Fail(GateFault::Exit(1)));
        assert_eq!(of(&[fail("lint")]).unexplained, 1);
        check_order(&[of(&[]), of(&[fail("lint")]), of(&[fail("lint"), fail("build")])]);
    }

    #[test]
    fn tests_that_do_not_build_are_worse_than_tests_that_fail() {
        let broken =
            GateReport { name: "tests".to_owned(), ..found(&[("a", FindingLevel::Error)]) };
        check_order(&[of(&[tested(&[], &["t1", "t2"])]), of(&[broken])]);
    }

    #[test]
    fn weakened_checks_are_worse_than_anything_honest() {
        let honest = turn("").reporting(tested(&[], &["t1", "t2", "t3"]));
        let weakened = turn("").reporting(tested(&["t1"], &[])).weakening();
        let score = |evidence| Score::of(evidence, &specs(), &set(&[]));
        check_order(&[score(&honest), score(&weakened)]);
    }

    #[test]
    fn flaky_tests_say_nothing() {
        let gates = [tested(&[], &["t1", "t2"])];
        let score = Score::of_gates(&gates, &specs(), &set(&["test t2", "test t9"]));
        assert_eq!(score.failed_tests, 1);
    }
}
