//! Counts of tests, read from the summaries of the test runners.

use std::ops::AddAssign;

/// The number of tests, by result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TestTally {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
}

impl TestTally {
    /// Parses one line of a runner's output; `None` if it is not a summary.
    ///
    /// It parses the summaries of nextest (`Summary [ 0.1s] 2 tests run: …`) and of
    /// libtest (`test result: ok. 2 passed; …`). A test that timed out or could not be
    /// started has failed.
    pub(crate) fn parse_summary(line: &str) -> Option<Self> {
        let line = line.trim();
        if !line.starts_with("Summary [") && !line.starts_with("test result:") {
            return None;
        }
        let mut tally = Self::default();
        let mut words = line.split_whitespace().map(|word| word.trim_matches([',', ';', '.']));
        let mut count = words.next()?.parse::<u64>().ok();
        for word in words {
            if let Some(count) = count {
                match word {
                    "passed" => tally.passed += count,
                    "failed" | "exec" | "timed" => tally.failed += count,
                    _ => {}
                }
            }
            count = word.parse().ok();
        }
        Some(tally)
    }
}

impl AddAssign for TestTally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

impl std::fmt::Display for TestTally {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} passed, {} failed", self.passed, self.failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, passed: u64, failed: u64) {
        assert_eq!(TestTally::parse_summary(line), Some(TestTally { passed, failed }), "{line}");
    }

    #[test]
    fn nextest_summaries_are_read() {
        check("     Summary [   0.012s] 12 tests run: 12 passed, 0 skipped", 12, 0);
        check(
            "     Summary [   9.1s] 12 tests run: 10 passed (1 slow), 2 failed, 3 skipped",
            10,
            2,
        );
        check("     Summary [   9.1s] 3/5 tests run: 1 passed, 1 timed out, 1 exec failed", 1, 2);
    }

    #[test]
    fn libtest_summaries_are_read() {
        check(
            "test result: ok. 7 passed; 0 failed; 1 ignored; 0 measured; 4 filtered out; \
             finished in 0.00s",
            7,
            0,
        );
        check("test result: FAILED. 6 passed; 1 failed; 0 ignored; 0 measured", 6, 1);
    }

    #[test]
    fn other_lines_are_no_summary() {
        assert_eq!(TestTally::parse_summary("test a ... ok"), None);
        assert_eq!(TestTally::parse_summary("        PASS [   0.01s] xtask a_summary"), None);
        assert_eq!(TestTally::parse_summary(""), None);
    }

    #[test]
    fn a_sum_reads_as_one_plain_line() {
        let mut sum = TestTally { passed: 3, failed: 0 };
        sum += TestTally { passed: 4, failed: 0 };
        assert_eq!(sum.to_string(), "7 passed, 0 failed");
    }
}
