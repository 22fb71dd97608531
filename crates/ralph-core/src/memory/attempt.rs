//! Detects a change that was tried before and did not help.
//!
//! There are four signs, the surest first: the files are the same as after a failed
//! attempt; the change reverts a failed attempt; it repeats a failed attempt; or
//! the same failure occurs for the third time while the same file is changed.
//! Attempts that passed never count, nor do flaky results, nor a revert that says
//! that it is one.

mod line;

use std::collections::{BTreeMap, BTreeSet};

use line::{digest, skeleton};

/// Share of a change that must occur in an earlier one to be the same.
const SAME: f64 = 0.8;

/// Share of a change that must be reverted to count as given up.
const HALF: f64 = 0.5;

/// Number of times a failure has to occur before it is reported.
const SIGHTINGS: usize = 3;

/// Words that announce an intended revert.
const TAKING_BACK: [&str; 7] =
    ["revert", "undo", "roll back", "back out", "take back", "되돌", "롤백"];

/// Sets of lines, as digests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineDigests {
    /// Digests without layout and comments.
    pub exact: BTreeSet<u64>,
    /// Digests without numbers and quoted text as well.
    pub shape: BTreeSet<u64>,
}

impl LineDigests {
    fn extend(&mut self, lines: &[&str]) {
        for line in lines {
            self.exact.extend(digest(&skeleton(line, line::LiteralHandling::Kept)));
            self.shape.extend(digest(&skeleton(line, line::LiteralHandling::Dropped)));
        }
    }
}

/// The change of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileLineChanges {
    /// Added lines.
    pub added: LineDigests,
    /// Removed lines.
    pub removed: LineDigests,
}

/// The result of an attempt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum AttemptResult {
    /// Not known yet: the attempt is about to be made.
    #[default]
    Open,
    /// The checks passed.
    Passed,
    /// The checks failed with this [`signature`].
    Failed(String),
}

/// One attempt to solve the task.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskAttempt {
    /// Id of the tree it left.
    pub tree: Option<String>,
    /// Description of the approach, if given.
    pub approach: Option<String>,
    /// Its result.
    pub ending: AttemptResult,
    /// Its changes by file.
    pub changes: BTreeMap<String, FileLineChanges>,
}

/// The way in which an attempt repeats an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RepetitionKind {
    /// The files are the same as after a failed attempt.
    Exact,
    /// It reverts a failed attempt.
    Oscillation,
    /// It repeats the change of a failed attempt.
    Repeat,
    /// Different changes of a file lead to the same failure.
    Symptom,
}

/// A repeated attempt, with the earlier attempt that shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RepeatedAttempt {
    /// The way of repeating.
    pub round: RepetitionKind,
    /// Index of the earlier attempt.
    pub earlier: usize,
}

impl TaskAttempt {
    /// Creates an attempt without changes.
    pub fn new(tree: Option<String>, approach: Option<String>, ending: AttemptResult) -> Self {
        Self { tree, approach, ending, changes: BTreeMap::new() }
    }

    /// Adds the change of a file: its added and removed lines.
    #[must_use]
    pub fn change(mut self, file: &str, added: &[&str], removed: &[&str]) -> Self {
        let change = self.changes.entry(file.to_owned()).or_default();
        change.added.extend(added);
        change.removed.extend(removed);
        self
    }

    fn is_change(&self) -> bool {
        let any = |lines: &LineDigests| !lines.exact.is_empty();
        self.changes.values().any(|change| any(&change.added) || any(&change.removed))
    }

    fn failure(&self) -> Option<&str> {
        match &self.ending {
            AttemptResult::Failed(signature) => Some(signature),
            AttemptResult::Open | AttemptResult::Passed => None,
        }
    }

    fn says_it_takes_back(&self) -> bool {
        let said = self.approach.as_deref().unwrap_or_default().to_lowercase();
        TAKING_BACK.iter().any(|word| said.contains(word))
    }
}

/// Removes the parts of a failure that differ from run to run: numbers, addresses, times.
pub fn signature(failure: &str) -> String {
    let mut kept = String::with_capacity(failure.len());
    for word in failure.split_whitespace() {
        if !kept.is_empty() {
            kept.push(' ');
        }
        let mut in_number = false;
        for c in word.chars() {
            if c.is_ascii_digit() {
                if !in_number {
                    kept.push('0');
                }
                in_number = true;
            } else if !(in_number && (c.is_ascii_hexdigit() || matches!(c, '.' | 'x'))) {
                in_number = false;
                kept.push(c);
            }
        }
    }
    kept
}

/// Checks whether an attempt repeats one of the earlier attempts.
pub fn notice(earlier: &[TaskAttempt], now: &TaskAttempt) -> Option<RepeatedAttempt> {
    let passed_here =
        |one: &TaskAttempt| one.tree == now.tree && one.ending == AttemptResult::Passed;
    let is_flaky = now.tree.is_some() && earlier.iter().any(passed_here);
    if !now.is_change() || now.ending == AttemptResult::Passed || is_flaky {
        return None;
    }
    let find = |round: RepetitionKind, test: &dyn Fn(&TaskAttempt) -> bool| {
        let shows = |one: &TaskAttempt| one.failure().is_some() && test(one);
        let earlier = earlier.iter().rposition(shows)?;
        Some(RepeatedAttempt { round, earlier })
    };
    let is_back = |one: &TaskAttempt| now.tree.is_some() && one.tree == now.tree;
    let is_undoing = |one: &TaskAttempt| !now.says_it_takes_back() && inverted(now, one) >= SAME;
    let is_repeat = |one: &TaskAttempt| {
        let same_failure = now.failure().is_none() || now.failure() == one.failure();
        contained(now, one, |lines| &lines.exact) >= SAME
            || (same_failure && contained(now, one, |lines| &lines.shape) >= SAME)
    };
    find(RepetitionKind::Exact, &is_back)
        .or_else(|| find(RepetitionKind::Oscillation, &is_undoing))
        .or_else(|| find(RepetitionKind::Repeat, &is_repeat))
        .or_else(|| chased(earlier, now))
}

/// Returns the indices of failed attempts, the oldest first, that were given up:
/// later ones reverted half of their changes to a file.
pub fn given_up(attempts: &[TaskAttempt]) -> Vec<usize> {
    let is_given_up = |at: &usize| {
        let one = &attempts[*at];
        let mut later = TaskAttempt::default();
        for other in &attempts[at + 1..] {
            for (file, change) in &other.changes {
                let known = later.changes.entry(file.clone()).or_default();
                known.added.exact.extend(&change.added.exact);
                known.removed.exact.extend(&change.removed.exact);
            }
        }
        let is_taken_back = |(file, change): (&String, &FileLineChanges)| {
            let alone = BTreeMap::from([(file.clone(), change.clone())]);
            inverted(&TaskAttempt { changes: alone, ..TaskAttempt::default() }, &later) >= HALF
        };
        one.failure().is_some() && one.changes.iter().any(is_taken_back)
    };
    (0..attempts.len()).filter(is_given_up).collect()
}

/// Detects a failure that occurs again and again while one file is changed.
fn chased(earlier: &[TaskAttempt], now: &TaskAttempt) -> Option<RepeatedAttempt> {
    let failure = now.failure()?;
    let touches = |one: &TaskAttempt| one.changes.keys().any(|file| now.changes.contains_key(file));
    let concerns =
        |one: &TaskAttempt| one.failure() == Some(failure) && (!one.is_change() || touches(one));
    let seen = earlier.iter().filter(|one| concerns(one)).count() + 1;
    let has_other_change = earlier.iter().any(|one| concerns(one) && one.is_change());
    let first = earlier.iter().position(concerns)?;
    (seen >= SIGHTINGS && has_other_change)
        .then_some(RepeatedAttempt { round: RepetitionKind::Symptom, earlier: first })
}

/// Returns the share of a change that is contained in another.
fn contained(
    now: &TaskAttempt,
    earlier: &TaskAttempt,
    part: fn(&LineDigests) -> &BTreeSet<u64>,
) -> f64 {
    share(now, part, |file, change| {
        let Some(other) = earlier.changes.get(file) else { return 0 };
        part(&change.added).intersection(part(&other.added)).count()
            + part(&change.removed).intersection(part(&other.removed)).count()
    })
}

/// Returns the share of a change that reverts another.
fn inverted(now: &TaskAttempt, earlier: &TaskAttempt) -> f64 {
    share(
        now,
        |lines| &lines.exact,
        |file, change| {
            let Some(other) = earlier.changes.get(file) else { return 0 };
            change.added.exact.intersection(&other.removed.exact).count()
                + change.removed.exact.intersection(&other.added.exact).count()
        },
    )
}

#[expect(clippy::cast_precision_loss, reason = "changes have few lines")]
fn share(
    attempt: &TaskAttempt,
    part: fn(&LineDigests) -> &BTreeSet<u64>,
    count: impl Fn(&str, &FileLineChanges) -> usize,
) -> f64 {
    let lines = |change: &FileLineChanges| part(&change.added).len() + part(&change.removed).len();
    let all: usize = attempt.changes.values().map(lines).sum();
    let hit: usize = attempt.changes.iter().map(|(file, change)| count(file, change)).sum();
    if all == 0 { 0.0 } else { hit as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(tree: &str, added: &[&str], removed: &[&str], failure: &str) -> TaskAttempt {
        let ending = AttemptResult::Failed(signature(failure));
        let base = TaskAttempt { tree: Some(tree.to_owned()), ending, ..TaskAttempt::default() };
        base.change("a.py", added, removed)
    }

    fn round(attempts: &[TaskAttempt]) -> Option<RepetitionKind> {
        let (now, earlier) = attempts.split_last().unwrap();
        notice(earlier, now).map(|circle| circle.round)
    }

    #[test]
    fn files_as_a_failed_attempt_left_them_are_a_circle() {
        let attempts = [
            failed("t1", &["a = f(x)"], &[], "t: x"),
            failed("t2", &["b = g(x)"], &["a = f(x)", "c()"], "u: y"),
            failed("t1", &["a = f(x)"], &["b = g(x)"], "v: z"),
        ];
        assert_eq!(round(&attempts), Some(RepetitionKind::Exact));
    }

    #[test]
    fn a_test_that_passed_on_these_files_shows_nothing() {
        let passed =
            TaskAttempt { ending: AttemptResult::Passed, ..failed("t1", &["a()"], &[], "") };
        let other = failed("t2", &["b()"], &[], "x");
        assert_eq!(round(&[passed, other, failed("t1", &["a()"], &["b()"], "y")]), None);
    }

    #[test]
    fn a_change_that_failed_is_known_again_in_another_layout() {
        let first = failed("t1", &["a = f(x, 3)"], &[], "t: x");
        let again = failed("t9", &["   a = f( x , 3)  # try"], &[], "other");
        assert_eq!(round(&[first.clone(), again]), Some(RepetitionKind::Repeat));
        let more = failed("t9", &["a = f(x, 7)"], &[], "t: x");
        assert_eq!(round(&[first.clone(), more]), Some(RepetitionKind::Repeat));
        let better = failed("t9", &["a = f(x, 7)"], &[], "t: fewer");
        assert_eq!(round(&[first, better]), None);
    }

    #[test]
    fn what_is_about_to_be_done_is_known_again_too() {
        let first = failed("t1", &["a = f(x, 3)"], &[], "t: x");
        let planned = TaskAttempt::default().change("a.py", &["a = f(x, 9)"], &[]);
        assert_eq!(round(&[first, planned]), Some(RepetitionKind::Repeat));
    }

    #[test]
    fn taking_back_is_noticed_unless_it_is_said_or_passes() {
        let first = failed("t1", &["a()"], &["b()"], "x");
        let back = failed("t2", &["b()"], &["a()"], "y");
        assert_eq!(round(&[first.clone(), back.clone()]), Some(RepetitionKind::Oscillation));
        let said = TaskAttempt { approach: Some("Revert a".to_owned()), ..back.clone() };
        assert_eq!(round(&[first.clone(), said]), None);
        assert_eq!(round(&[first, TaskAttempt { ending: AttemptResult::Passed, ..back }]), None);
    }

    #[test]
    fn a_failed_change_is_given_up_once_half_of_it_is_taken_back() {
        let lock = failed("t1", &["lock()", "take()"], &["take(all)"], "x");
        let step = failed("t2", &["swap()", "try()", "log()"], &["lock()", "take()"], "y");
        let last = TaskAttempt {
            ending: AttemptResult::Passed,
            ..failed("t3", &["twice()"], &["try()"], "")
        };
        assert_eq!(given_up(&[lock.clone(), step.clone(), last]), [0]);
        assert_eq!(given_up(&[lock, step]), [0], "the last one stands");
    }

    #[test]
    fn one_failure_after_several_changes_of_a_file_is_chasing_a_symptom() {
        let attempts = [
            failed("t1", &["a()"], &[], "t: took 31 s"),
            failed("t2", &["b()"], &[], "t: took 32 s"),
            failed("t3", &["c()"], &[], "t: took 9 s"),
        ];
        assert_eq!(round(&attempts[..2]), None);
        assert_eq!(round(&attempts), Some(RepetitionKind::Symptom));
    }

    #[test]
    fn looking_again_without_a_change_is_no_circle() {
        assert_eq!(round(&[failed("t1", &["a()"], &[], "x"), failed("t1", &[], &[], "x")]), None);
    }
}
