//! Failing tests without a name: there are too many, or the runner names none.

use std::collections::BTreeSet;

use super::GateReport;

/// Start of the fingerprints of failing tests without a name.
pub const UNNAMED_TEST: &str = "failed test without a name";

/// Returns true if a failure is certainly not among these. Where tests fail without
/// a name, because there are too many or the runner names none, any test may be one
/// of them.
pub fn is_absent(print: &str, failing: &BTreeSet<String>) -> bool {
    !failing.contains(print) && (!print.starts_with("test ") || names_all(failing))
}

fn names_all(failing: &BTreeSet<String>) -> bool {
    let mut unnamed = failing.range(UNNAMED_TEST.to_owned()..);
    unnamed.next().is_none_or(|first| !first.starts_with(UNNAMED_TEST))
}

impl GateReport {
    /// Counts the failing tests that are not known by name.
    pub fn unnamed_tests(&self) -> u64 {
        if names_all(&self.failing) {
            return 0;
        }
        let failed = self.reading.tests.as_ref().map_or(0, |tests| tests.counts.failed);
        let named = self.failing.iter().filter(|print| print.starts_with("test ")).count();
        failed.saturating_sub(named as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::set;

    #[test]
    fn where_tests_fail_without_a_name_a_missing_name_proves_nothing() {
        let unnamed = format!("{UNNAMED_TEST} 1");
        let absent = |print: &str, failing: &[&str]| is_absent(print, &set(failing));
        assert!(absent("test a", &["test b", "lint x"]));
        assert!(!absent("test a", &["test a"]));
        assert!(!absent("test a", &["test b", &unnamed]));
        assert!(absent("lint x", &["test b", &unnamed]));
        assert!(absent(&format!("{UNNAMED_TEST} 2"), &[&unnamed]));
    }
}
