//! Is a change one that was tried before and did not help?
//!
//! Four things can give it away, the surest first: the files are as they were
//! after an attempt that failed; the change is one that failed; it takes back
//! what an earlier attempt did after that one had taken back another; or the
//! same thing fails in the same way for the third time while the same lines
//! are changed. What was tried and passed is never held against anybody, nor
//! is what failed and passed on the same files.

use std::collections::{BTreeMap, BTreeSet};

/// How much of a change must be in an earlier one to be the same.
const SAME: f64 = 0.8;

/// How many different changes may fail in one way before that is said.
const CHASES: usize = 2;

/// What was done to one file: digests of the lines, without their layout.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Change {
    /// Lines that came.
    pub added: BTreeSet<u64>,
    /// Lines that went.
    pub removed: BTreeSet<u64>,
}

/// One try.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Attempt {
    /// The name of the files as it left them.
    pub tree: Option<String>,
    /// What it did, by file.
    pub changes: BTreeMap<String, Change>,
    /// What failed afterwards, without numbers and places; `None` if nothing.
    pub failure: Option<String>,
}

/// In what way an attempt goes round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Round {
    /// The files are as an attempt left them that failed.
    Exact,
    /// The change was made before, and failed.
    Repeat,
    /// It takes back what had been put in the place of what it brings back.
    Oscillation,
    /// Different changes of the same lines leave the same failure.
    Symptom,
}

/// An attempt that goes round, and the earlier one that shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Circle {
    /// In what way.
    pub round: Round,
    /// The number of the earlier attempt.
    pub earlier: usize,
}

impl Attempt {
    /// Digests the lines of a change. Layout, comments and what stands in
    /// quotes or is a number do not count.
    #[must_use]
    pub fn change(mut self, file: &str, added: &[&str], removed: &[&str]) -> Self {
        let change = self.changes.entry(file.to_owned()).or_default();
        change.added.extend(added.iter().filter_map(|line| digest(line)));
        change.removed.extend(removed.iter().filter_map(|line| digest(line)));
        self
    }

    fn is_change(&self) -> bool {
        self.changes.values().any(|change| !change.added.is_empty() || !change.removed.is_empty())
    }

    fn failed(&self) -> bool {
        self.failure.is_some()
    }
}

/// Whether an attempt goes round, seen from those before it.
pub fn notice(earlier: &[Attempt], now: &Attempt) -> Option<Circle> {
    let numbered = || earlier.iter().enumerate().rev();
    let is_flaky = |tree: &Option<String>| {
        tree.is_some() && earlier.iter().any(|one| one.tree == *tree && !one.failed())
    };
    if !now.is_change() || is_flaky(&now.tree) {
        return None;
    }
    let find = |round: Round, test: &dyn Fn(usize, &Attempt) -> bool| {
        let (earlier, _) = numbered().find(|(at, one)| test(*at, one))?;
        Some(Circle { round, earlier })
    };
    let is_exact =
        |_: usize, one: &Attempt| one.failed() && one.tree.is_some() && one.tree == now.tree;
    let is_repeat = |_: usize, one: &Attempt| one.failed() && contained(now, one) >= SAME;
    let is_back = |at: usize, one: &Attempt| {
        // The first taking back is a change of mind; taking that back is not.
        one.failed()
            && inverted(now, one) >= SAME
            && earlier[..at].iter().any(|first| first.failed() && inverted(one, first) >= SAME)
    };
    find(Round::Exact, &is_exact)
        .or_else(|| find(Round::Repeat, &is_repeat))
        .or_else(|| find(Round::Oscillation, &is_back))
        .or_else(|| chased(earlier, now))
}

/// The same failure after several different changes of the same files.
fn chased(earlier: &[Attempt], now: &Attempt) -> Option<Circle> {
    let failure = now.failure.as_ref()?;
    let touches = |one: &Attempt| one.changes.keys().any(|file| now.changes.contains_key(file));
    let same: Vec<usize> = earlier
        .iter()
        .enumerate()
        .filter(|(_, one)| one.failure.as_ref() == Some(failure) && one.is_change() && touches(one))
        .map(|(at, _)| at)
        .collect();
    let first = *same.first()?;
    (same.len() >= CHASES).then_some(Circle { round: Round::Symptom, earlier: first })
}

/// How much of a change is in another.
fn contained(now: &Attempt, earlier: &Attempt) -> f64 {
    share(now, |file, change| {
        let Some(other) = earlier.changes.get(file) else { return 0 };
        change.added.intersection(&other.added).count()
            + change.removed.intersection(&other.removed).count()
    })
}

/// How much of a change takes back another.
fn inverted(now: &Attempt, earlier: &Attempt) -> f64 {
    share(now, |file, change| {
        let Some(other) = earlier.changes.get(file) else { return 0 };
        change.added.intersection(&other.removed).count()
            + change.removed.intersection(&other.added).count()
    })
}

#[expect(clippy::cast_precision_loss, reason = "changes have few lines")]
fn share(attempt: &Attempt, count: impl Fn(&str, &Change) -> usize) -> f64 {
    let all: usize =
        attempt.changes.values().map(|change| change.added.len() + change.removed.len()).sum();
    let hit: usize = attempt.changes.iter().map(|(file, change)| count(file, change)).sum();
    if all == 0 { 0.0 } else { hit as f64 / all as f64 }
}

/// A line without layout, comments, numbers and quoted text; `None` if nothing
/// is left of it.
fn digest(line: &str) -> Option<u64> {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut any = false;
    for byte in skeleton(line).bytes() {
        any = true;
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    any.then_some(hash)
}

fn skeleton(line: &str) -> String {
    let mut kept = String::with_capacity(line.len());
    let mut rest = line.trim();
    if ["//", "#", "--", "*", "/*"].iter().any(|mark| rest.starts_with(mark))
        && !rest.starts_with("#[")
        && !rest.starts_with("#!")
        && !rest.starts_with("#include")
        && !rest.starts_with("#define")
    {
        return kept;
    }
    while let Some(c) = rest.chars().next() {
        let length = c.len_utf8();
        if matches!(c, '"' | '\'' | '`')
            && let Some(end) = rest[length..].find(c)
        {
            kept.push('"');
            rest = &rest[length + end + length..];
            continue;
        }
        if rest.starts_with(" //") || rest.starts_with(" #") {
            break;
        }
        let follows_word = kept.ends_with(|last: char| last.is_alphanumeric() || last == '_');
        if c.is_ascii_digit() && !follows_word {
            kept.push('0');
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '.' && c != '_');
            rest = &rest[end.unwrap_or(rest.len())..];
            continue;
        }
        if !c.is_whitespace() {
            kept.push(c);
        }
        rest = &rest[length..];
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(tree: &str, added: &[&str], removed: &[&str]) -> Attempt {
        let base = Attempt {
            tree: Some(tree.to_owned()),
            failure: Some("t: x".to_owned()),
            ..Attempt::default()
        };
        base.change("a.py", added, removed)
    }

    fn round(attempts: &[Attempt]) -> Option<Round> {
        let (now, earlier) = attempts.split_last().unwrap();
        notice(earlier, now).map(|circle| circle.round)
    }

    #[test]
    fn files_as_a_failed_attempt_left_them_are_a_circle() {
        let other = |attempt: Attempt, failure: &str| Attempt {
            failure: Some(failure.to_owned()),
            ..attempt
        };
        let attempts = [
            failed("t1", &["a = f(x)"], &[]),
            other(failed("t2", &["b = g(x)"], &["a = f(x)"]), "u: y"),
            other(failed("t1", &["a = f(x)"], &["b = g(x)"]), "v: z"),
        ];
        assert_eq!(round(&attempts), Some(Round::Exact));
    }

    #[test]
    fn a_test_that_passed_on_these_files_shows_nothing() {
        let passed = Attempt { failure: None, ..failed("t1", &["a()"], &[]) };
        assert_eq!(
            round(&[passed, failed("t2", &["b()"], &[]), failed("t1", &["a()"], &["b()"])]),
            None
        );
    }

    #[test]
    fn a_change_that_failed_is_known_again_in_another_layout() {
        let mut again = failed("t9", &["   a = f( x , 7)  # try"], &[]);
        again.failure = Some("other".to_owned());
        assert_eq!(round(&[failed("t1", &["a = f(x, 3)"], &[]), again]), Some(Round::Repeat));
    }

    #[test]
    fn taking_back_once_is_a_change_of_mind_and_twice_goes_round() {
        let mut attempts = vec![failed("t1", &["a()"], &["b()"]), failed("t2", &["b()"], &["a()"])];
        attempts[1].failure = Some("u".to_owned());
        assert_eq!(round(&attempts), None);
        attempts
            .push(Attempt { failure: Some("v".to_owned()), ..failed("t3", &["a()"], &["b()"]) });
        assert!(
            matches!(round(&attempts), Some(Round::Oscillation | Round::Repeat)),
            "{:?}",
            round(&attempts)
        );
    }

    #[test]
    fn one_failure_after_three_changes_of_a_file_is_chasing_a_symptom() {
        let attempts =
            [failed("t1", &["a()"], &[]), failed("t2", &["b()"], &[]), failed("t3", &["c()"], &[])];
        assert_eq!(round(&attempts[..2]), None);
        assert_eq!(round(&attempts), Some(Round::Symptom));
    }

    #[test]
    fn looking_again_without_a_change_is_no_circle() {
        assert_eq!(round(&[failed("t1", &["a()"], &[]), failed("t1", &[], &[])]), None);
    }
}
