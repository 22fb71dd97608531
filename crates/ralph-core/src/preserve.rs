//! What worked at the start has to work at the end: tests that ran then must
//! still run.
//!
//! Failing tests are the gate's business. Here is what a gate cannot see:
//! tests that are no longer collected, or are skipped now.

use std::collections::{BTreeMap, BTreeSet};

use crate::finding::{TestState, Tests};

/// The tests of one gate before the first turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// Those that passed.
    pub passed: BTreeSet<String>,
    /// Those that failed or were skipped.
    pub others: BTreeSet<String>,
}

/// What became of tests that passed at the start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// No longer collected, and nothing came in their place.
    pub gone: Vec<String>,
    /// Skipped now.
    pub skipped: Vec<String>,
}

/// The tests as they are now, to be remembered.
pub fn start(tests: &Tests) -> Start {
    let ids = |is_wanted: fn(TestState) -> bool| {
        let wanted = tests.states.iter().filter(|(_, state)| is_wanted(**state));
        wanted.map(|(id, _)| id.clone()).collect()
    };
    Start {
        passed: ids(|state| state == TestState::Passed),
        others: ids(|state| state != TestState::Passed),
    }
}

/// Compares what ran then with what runs now.
///
/// A test that moved to another file or module is found by its own name. A
/// renamed test cannot be told from one that was removed while another was
/// added, so as many as were added are forgiven: the static comparison of the
/// files looks at those. A test that failed then is not one that was added.
pub fn losses(then: &Start, now: &Tests) -> Losses {
    let passed = &then.passed;
    let state = |id: &String| now.states.get(id).copied();
    let is_skipped = |id: &&String| state(id) == Some(TestState::Skipped);
    let skipped: Vec<String> = passed.iter().filter(is_skipped).cloned().collect();
    let runs = |state: TestState| state != TestState::Skipped;
    let is_new = |id: &String| !passed.contains(id) && !then.others.contains(id);
    let added = now.states.iter().filter(|(id, state)| runs(**state) && is_new(id));
    let mut spare = names(added.map(|(id, _)| id));
    let mut gone = Vec::new();
    for id in passed.iter().filter(|id| state(id).is_none()) {
        match spare.get_mut(own_name(id)) {
            Some(count) if *count > 0 => *count -= 1,
            Some(_) | None => gone.push(id.clone()),
        }
    }
    let added: usize = spare.values().sum();
    let forgiven = added.saturating_add(unlisted(now));
    let gone = gone.split_off(forgiven.min(gone.len()));
    Losses { gone, skipped }
}

/// How many tests ran that are not listed: any test may be one of them.
fn unlisted(now: &Tests) -> usize {
    let listed = now.states.values().filter(|state| **state != TestState::Skipped).count();
    let ran = now.counts.passed.saturating_add(now.counts.failed);
    usize::try_from(ran).unwrap_or(usize::MAX).saturating_sub(listed)
}

/// The tests that passed then and fail now.
pub fn broken<'a>(then: &'a Start, now: &'a Tests) -> impl Iterator<Item = &'a str> {
    let failed = |id: &&String| now.states.get(*id) == Some(&TestState::Failed);
    then.passed.iter().filter(failed).map(String::as_str)
}

fn names<'a>(ids: impl Iterator<Item = &'a String>) -> BTreeMap<&'a str, usize> {
    let mut names = BTreeMap::new();
    for id in ids {
        *names.entry(own_name(id)).or_default() += 1;
    }
    names
}

/// The name of a test without what it lies in.
fn own_name(id: &str) -> &str {
    let end = id.find('[').unwrap_or(id.len());
    let head = &id[..end];
    let start = head.rfind([':', '.', '/', '>', '$', ' ']).map_or(0, |at| at + 1);
    if start < head.len() { &id[start..] } else { id }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn then(ids: &[&str]) -> Start {
        Start { passed: ids.iter().map(|&id| id.to_owned()).collect(), ..Start::default() }
    }

    fn now(passed: &[&str], skipped: &[&str]) -> Tests {
        let mut tests = Tests::default();
        for (ids, state) in [(passed, TestState::Passed), (skipped, TestState::Skipped)] {
            tests.states.extend(ids.iter().map(|&id| (id.to_owned(), state)));
        }
        tests.counts.passed = passed.len() as u64;
        tests.counts.skipped = skipped.len() as u64;
        tests
    }

    #[test]
    fn a_test_that_is_not_collected_any_more_is_gone() {
        let losses = losses(&then(&["a::one", "a::two"]), &now(&["a::one"], &[]));
        assert_eq!(losses.gone, ["a::two"]);
    }

    #[test]
    fn a_test_that_is_skipped_now_is_named() {
        let losses = losses(&then(&["one", "two"]), &now(&["one"], &["two"]));
        assert_eq!((losses.gone.len(), losses.skipped), (0, vec!["two".to_owned()]));
    }

    #[test]
    fn a_test_may_move_and_others_may_come() {
        let before = then(&["tests/a.py::one", "tests/a.py::two[x]"]);
        let after = now(&["tests/b.py::one", "tests/b.py::two[x]", "tests/b.py::three"], &[]);
        assert_eq!(losses(&before, &after), Losses::default());
    }

    #[test]
    fn renamed_tests_are_forgiven_and_one_more_is_not() {
        let before = then(&["one", "two", "three"]);
        assert_eq!(losses(&before, &now(&["uno", "dos", "tres"], &[])), Losses::default());
        assert_eq!(losses(&before, &now(&["uno", "dos"], &[])).gone.len(), 1);
    }

    #[test]
    fn failing_is_not_gone() {
        let mut after = now(&[], &[]);
        after.states.insert("one".to_owned(), TestState::Failed);
        after.counts.failed = 1;
        assert_eq!(losses(&then(&["one"]), &after), Losses::default());
        assert_eq!(broken(&then(&["one", "two"]), &after).collect::<Vec<_>>(), ["one"]);
    }

    #[test]
    fn a_list_that_was_cut_says_nothing_about_what_is_missing() {
        let mut after = now(&["a"], &[]);
        after.counts.passed = 200_000;
        assert_eq!(losses(&then(&["z"]), &after), Losses::default());
    }

    #[test]
    fn a_test_that_was_mended_does_not_take_the_place_of_one_that_is_gone() {
        let before = Start { others: ["fails".to_owned()].into(), ..then(&["holds"]) };
        assert_eq!(losses(&before, &now(&["fails"], &[])).gone, ["holds"]);
    }

    #[test]
    fn a_new_test_that_is_skipped_does_not_take_the_place_of_one_that_is_gone() {
        assert_eq!(losses(&then(&["one"]), &now(&[], &["two"])).gone, ["one"]);
    }

    #[test]
    fn skipped_tests_that_are_only_counted_hide_nothing() {
        let mut after = now(&["one"], &[]);
        after.counts.skipped = 3;
        assert_eq!(losses(&then(&["one", "two"]), &after).gone, ["two"]);
    }

    #[test]
    fn what_did_not_pass_is_remembered_apart() {
        let start = start(&now(&["one"], &["two"]));
        assert_eq!(start.others, ["two".to_owned()].into());
        assert_eq!(start, Start { others: start.others.clone(), ..then(&["one"]) });
    }
}
