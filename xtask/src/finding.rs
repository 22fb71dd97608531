//! A finding of a check, and its output.

use std::fmt;

use crate::failure::TaskFailure;
use crate::say;

/// One broken rule at one place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RuleViolation {
    /// Path from the workspace root, with `/`.
    pub(crate) path: String,
    /// The line, counted from 1; 1 also for the whole file.
    pub(crate) line: usize,
    /// The fault, with the value.
    pub(crate) what: String,
    /// The remedy.
    pub(crate) remedy: &'static str,
}

impl RuleViolation {
    /// Makes a finding at `path:line`.
    pub(crate) fn new(
        path: &str,
        line: usize,
        what: impl Into<String>,
        remedy: &'static str,
    ) -> Self {
        Self { path: path.to_owned(), line, what: what.into(), remedy }
    }
}

impl fmt::Display for RuleViolation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: {} — {}", self.path, self.line, self.what, self.remedy)
    }
}

/// Prints the findings of `task`, sorted by place; any finding fails it.
pub(crate) fn report(task: &str, mut findings: Vec<RuleViolation>) -> Result<(), TaskFailure> {
    findings.sort();
    for finding in &findings {
        say::line(&finding.to_string());
    }
    match findings.len() {
        0 => Ok(()),
        1 => Err(TaskFailure::Failed(format!("{task}: 1 finding"))),
        many => Err(TaskFailure::Failed(format!("{task}: {many} findings"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_reads_place_fault_and_remedy() {
        let finding = RuleViolation::new("src/a.rs", 7, "601 lines", "split the file");
        assert_eq!(finding.to_string(), "src/a.rs:7: 601 lines — split the file");
    }

    #[test]
    fn any_finding_fails_the_task() {
        assert_eq!(report("tidy", Vec::new()), Ok(()));
        let one = vec![RuleViolation::new("a", 1, "b", "c")];
        assert_eq!(report("tidy", one), Err(TaskFailure::Failed("tidy: 1 finding".to_owned())));
    }
}
