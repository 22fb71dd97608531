//! A try as it is kept: digests of all its lines, and what a note may quote.

use std::collections::{BTreeMap, BTreeSet};

use ralph_core::memory::attempt::{AttemptResult, FileLineChanges, LineDigests, TaskAttempt};
use serde::{Deserialize, Serialize};

/// Lines of one try that are kept: a longer one is known by its beginning.
const MOST_LINES: usize = 400;

/// What was tried in one turn, and how it ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptRecord {
    /// The files as it left them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// What the agent said about it, in a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approach: Option<String>,
    /// What failed then, in words; all passed if there is nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<String>,
    /// The first failure as it was printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub printed: Option<String>,
    /// A few lines of what was done, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hunks: Option<String>,
    /// What was done to each file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<FileEditDigest>,
}

/// What was done to a file: digests of its lines.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEditDigest {
    /// The file.
    pub file: String,
    /// Lines that came, and their shapes.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub added: [BTreeSet<u64>; 2],
    /// Lines that went, and their shapes.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub removed: [BTreeSet<u64>; 2],
}

fn is_nothing(lines: &[BTreeSet<u64>; 2]) -> bool {
    lines.iter().all(BTreeSet::is_empty)
}

impl AttemptRecord {
    /// What is kept of an attempt that ended with these failures.
    pub fn new(mut attempt: TaskAttempt, failures: Vec<String>) -> Self {
        let mut left = MOST_LINES;
        let mut few = |lines: LineDigests| {
            let exact: BTreeSet<u64> = lines.exact.into_iter().take(left).collect();
            left -= exact.len();
            let shape = lines.shape.into_iter().take(exact.len()).collect();
            [exact, shape]
        };
        let changes = std::mem::take(&mut attempt.changes).into_iter().map(|(file, change)| {
            FileEditDigest { file, added: few(change.added), removed: few(change.removed) }
        });
        let changes = changes.collect();
        let TaskAttempt { tree, approach, .. } = attempt;
        Self { tree, approach, failures, printed: None, hunks: None, changes }
    }

    /// The attempt, to be compared with others.
    pub fn attempt(&self) -> TaskAttempt {
        let lines = |[exact, shape]: &[BTreeSet<u64>; 2]| LineDigests {
            exact: exact.clone(),
            shape: shape.clone(),
        };
        let change = |trace: &FileEditDigest| {
            let change =
                FileLineChanges { added: lines(&trace.added), removed: lines(&trace.removed) };
            (trace.file.clone(), change)
        };
        let changes: BTreeMap<String, FileLineChanges> = self.changes.iter().map(change).collect();
        let ending = Self::ending(&self.failures);
        TaskAttempt {
            changes,
            ..TaskAttempt::new(self.tree.clone(), self.approach.clone(), ending)
        }
    }

    /// How an attempt ended that left these failures.
    pub fn ending(failures: &[String]) -> AttemptResult {
        if failures.is_empty() {
            AttemptResult::Passed
        } else {
            AttemptResult::Failed(failures.join("; "))
        }
    }
}

#[cfg(test)]
mod tests {
    use ralph_core::memory::attempt::notice;

    use super::*;

    fn attempt(lines: &[&str]) -> TaskAttempt {
        TaskAttempt::new(Some("t1".to_owned()), Some("a try".to_owned()), AttemptResult::Open)
            .change("src/a.rs", lines, &["old()"])
    }

    #[test]
    fn what_is_kept_of_an_attempt_is_enough_to_know_it_again() {
        let failures = vec!["test a: no".to_owned()];
        let tried = AttemptRecord::new(attempt(&["new(1)"]), failures.clone());
        let text = serde_json::to_string(&tried).unwrap();
        assert!(!text.contains("new("), "{text}");
        let kept: AttemptRecord = serde_json::from_str(&text).unwrap();
        assert_eq!(kept, tried);
        let again = TaskAttempt { tree: None, ..attempt(&["new( 1 )"]) };
        assert!(notice(&[kept.attempt()], &again).is_some());
    }

    #[test]
    fn a_long_change_is_kept_by_its_beginning() {
        let lines: Vec<String> = (0..1000).map(|number| format!("line{number}()")).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let tried = AttemptRecord::new(attempt(&lines), Vec::new());
        assert_eq!(tried.changes[0].added[0].len(), MOST_LINES);
        assert!(tried.changes[0].removed[0].is_empty());
    }
}
