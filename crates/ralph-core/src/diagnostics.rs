//! Counts of the gates of one iteration: totals, and per file.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::evidence::GateReport;
use crate::finding::{Finding, FindingCounts, TestCounts};
use crate::time::Timestamp;

/// Maximum number of files listed in a snapshot.
const FILES: usize = 50;

/// The totals of all gates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GateTotals {
    /// Number of findings per level. A finding reported by several gates counts once.
    pub counts: FindingCounts,
    /// Number of tests; `None` if no gate reported tests.
    pub tests: Option<TestCounts>,
    /// Number of failures without an explanation in the output, at least one for
    /// each such gate. Gates without a result do not count.
    pub unexplained: u64,
}

/// The diagnostics of one iteration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiagnosticSnapshot {
    /// The totals.
    pub totals: GateTotals,
    /// The worst files first, at most 50; see [`Self::more_files`].
    pub files: Vec<FileDiagnostics>,
    /// Number of files beyond the listed ones.
    pub more_files: u64,
    /// Time at which it was taken.
    pub at: Timestamp,
}

/// The diagnostics of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileDiagnostics {
    /// Path relative to the project's root; empty for the project as a whole.
    pub file: String,
    /// Number of findings per level.
    pub counts: FindingCounts,
    /// Number of failed tests.
    pub failed_tests: u64,
}

impl GateTotals {
    /// Counts the findings and tests of these gates.
    pub fn of(gates: &[GateReport]) -> Self {
        let mut totals = Self::default();
        for gate in gates {
            let FindingCounts { errors, security, warnings, infos } = gate.reading.counts;
            let counts = &mut totals.counts;
            counts.errors = counts.errors.saturating_add(errors);
            counts.security = counts.security.saturating_add(security);
            counts.warnings = counts.warnings.saturating_add(warnings);
            counts.infos = counts.infos.saturating_add(infos);
            if gate.has_result() {
                totals.unexplained += gate.unexplained();
            }
            if let Some(tests) = &gate.reading.tests {
                let all = totals.tests.get_or_insert_default();
                all.passed = all.passed.saturating_add(tests.counts.passed);
                all.failed = all.failed.saturating_add(tests.counts.failed);
                all.skipped = all.skipped.saturating_add(tests.counts.skipped);
            }
        }
        let (_, repeated) = distinct(gates);
        totals.counts = totals.counts.without(repeated);
        totals
    }

    /// Returns true if anything was counted; false if gates only passed or failed.
    pub fn is_counted(self) -> bool {
        self.tests.is_some() || self.counts != FindingCounts::default()
    }

    /// Returns the number of failed tests.
    pub fn failed_tests(self) -> u64 {
        self.tests.map_or(0, |tests| tests.failed)
    }

    /// Returns the improvement since `before` in percent; negative if it got worse.
    ///
    /// Warnings count only if there is nothing worse on either side.
    pub fn improvement(self, before: Self) -> i64 {
        let (now, then) = (self.grave(), before.grave());
        if (now, then) == (0, 0) {
            return improvement(self.counts.warnings, before.counts.warnings);
        }
        improvement(now, then)
    }

    fn grave(self) -> u64 {
        let parts = [self.failed_tests(), self.counts.errors, self.counts.security];
        parts.into_iter().fold(self.unexplained, u64::saturating_add)
    }
}

/// Returns the decrease from `before` to `now` in percent; negative if it grew.
pub fn improvement(now: u64, before: u64) -> i64 {
    match (now, before) {
        (0, _) => 100,
        (_, 0) => -100,
        (now, before) => {
            let percent = (i128::from(before) - i128::from(now)) * 100 / i128::from(before);
            i64::try_from(percent).unwrap_or(i64::MIN)
        }
    }
}

impl DiagnosticSnapshot {
    /// Collects the diagnostics of these gates.
    pub fn of(gates: &[GateReport], at: Timestamp) -> Self {
        let mut files: BTreeMap<&str, FileDiagnostics> = BTreeMap::new();
        let (findings, _) = distinct(gates);
        for finding in findings {
            files.entry(&finding.place.file).or_default().counts.add(finding.level, 1);
        }
        let tests = gates.iter().filter_map(|gate| gate.reading.tests.as_ref());
        for failure in tests.flat_map(|tests| tests.failures.values()) {
            files.entry(&failure.place.file).or_default().failed_tests += 1;
        }
        let named = |(file, found): (&str, _)| FileDiagnostics { file: file.to_owned(), ..found };
        let mut files: Vec<FileDiagnostics> = files.into_iter().map(named).collect();
        files.sort_by_key(|found| {
            let FindingCounts { errors, security, warnings, infos } = found.counts;
            Reverse([found.failed_tests, errors, security, warnings, infos])
        });
        let more_files = files.len().saturating_sub(FILES) as u64;
        files.truncate(FILES);
        Self { totals: GateTotals::of(gates), files, more_files, at }
    }
}

/// Returns the findings of all gates, each once, and the counts of the repeated ones.
fn distinct(gates: &[GateReport]) -> (Vec<&Finding>, FindingCounts) {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let (mut findings, mut repeated) = (Vec::new(), FindingCounts::default());
    for finding in gates.iter().flat_map(|gate| &gate.reading.findings) {
        // Findings without a fingerprint cannot be compared.
        if finding.fingerprint.is_empty() || seen.insert(&finding.fingerprint) {
            findings.push(finding);
        } else {
            repeated.add(finding.level, 1);
        }
    }
    (findings, repeated)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{GateFault, Verdict};
    use crate::finding::FindingLevel;
    use crate::samples::{found, minute, report, tested};

    fn failing() -> Verdict {
        Verdict::Fail(GateFault::Exit(1))
    }

    #[test]
    fn counts_of_all_gates_are_added_up() {
        let lint = found(&[("a.rs", FindingLevel::Error), ("a.rs", FindingLevel::Warning)]);
        let tests = tested(&["one"], &["two", "three"]);
        let opaque = report("build", failing());
        let totals = GateTotals::of(&[lint, tests, opaque]);
        assert_eq!((totals.counts.errors, totals.counts.warnings), (1, 1));
        assert_eq!(totals.tests, Some(TestCounts { passed: 1, failed: 2, skipped: 0 }));
        assert_eq!(totals.unexplained, 1);
        assert!(totals.is_counted());
        assert!(!GateTotals::of(&[report("build", failing())]).is_counted());
    }

    #[test]
    fn a_finding_that_two_gates_report_counts_once() {
        let lint = found(&[("a.rs", FindingLevel::Error), ("b.rs", FindingLevel::Error)]);
        let build = found(&[("a.rs", FindingLevel::Error)]);
        let snapshot = DiagnosticSnapshot::of(&[lint, build], minute(1));
        assert_eq!(snapshot.totals.counts.errors, 2);
        let files: Vec<_> = snapshot.files.iter().map(|found| found.counts.errors).collect();
        assert_eq!(files, [1, 1]);
    }

    #[test]
    fn files_are_detailed_the_worst_first_and_only_so_many() {
        let mut names: Vec<String> = (0..60).map(|number| format!("f{number:02}")).collect();
        names.push("f59".to_owned());
        let listed: Vec<_> =
            names.iter().map(|name| (name.as_str(), FindingLevel::Warning)).collect();
        let mut lint = found(&listed);
        for (number, finding) in lint.reading.findings.iter_mut().enumerate() {
            finding.fingerprint = number.to_string();
        }
        let snapshot = DiagnosticSnapshot::of(&[lint, tested(&[], &["t"])], minute(1));
        let first: Vec<&str> = snapshot.files.iter().take(3).map(|found| &*found.file).collect();
        assert_eq!(first, ["tests/t", "f59", "f00"]);
        assert_eq!((snapshot.files.len(), snapshot.more_files), (50, 11));
        assert_eq!(snapshot.at, minute(1));
    }

    #[test]
    fn warnings_count_for_improvement_only_where_nothing_is_worse() {
        let totals = |errors, warnings| GateTotals {
            counts: FindingCounts { errors, warnings, ..FindingCounts::default() },
            ..GateTotals::default()
        };
        for (now, before, want) in [
            (totals(0, 8), totals(12, 28), 100),
            (totals(6, 0), totals(12, 28), 50),
            (totals(0, 7), totals(0, 28), 75),
            (totals(3, 0), totals(0, 28), -100),
            (totals(0, 0), totals(0, 0), 100),
            (totals(u64::MAX, 0), totals(1, 0), i64::MIN),
        ] {
            assert_eq!(now.improvement(before), want, "{now:?} {before:?}");
        }
    }
}
