//! Compares the tests that ran at the start with those that run now.
//!
//! Failing tests are the gate's business. This module detects what a gate cannot
//! see: tests of the start that are no longer collected, or are skipped.

use std::collections::{BTreeMap, BTreeSet};

use crate::finding::{TestResults, TestState};

/// The tests of one gate before the first turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BaselineTests {
    /// Tests that passed.
    pub passed: BTreeSet<String>,
    /// Tests that failed.
    pub failed: BTreeSet<String>,
    /// Tests that were skipped.
    pub skipped: BTreeSet<String>,
    /// Number of tests that ran, listed or not.
    pub ran: u64,
    /// Number of tests that the runner printed beside its report.
    pub printed: u64,
}

/// The tests of the start that no longer run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LostTestReport {
    /// The lost tests by id.
    pub tests: Vec<LostTest>,
    /// A drop in the number of tests, if none of the lost ones can be named.
    pub fewer: Option<FewerTests>,
}

/// A test of the start that no longer runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostTest {
    /// Id of the test at the start.
    pub id: String,
    /// The way it was lost.
    pub loss: TestLoss,
}

/// The way a test was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestLoss {
    /// It passed and is no longer collected; no new test can be the same one.
    PassedGone,
    /// It passed and is skipped now.
    PassedSkipped,
    /// It failed and is no longer collected.
    FailedGone,
    /// It failed and is skipped now.
    FailedSkipped,
}

/// A drop in the number of tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FewerTests {
    /// Number of tests that ran at the start.
    pub then: u64,
    /// Number of tests that run now.
    pub now: u64,
}

/// Records the results of these tests for a later comparison.
pub fn start(tests: &TestResults) -> BaselineTests {
    let ids = |wanted: TestState| {
        let found = tests.states.iter().filter(|(_, state)| **state == wanted);
        found.map(|(id, _)| id.clone()).collect()
    };
    BaselineTests {
        passed: ids(TestState::Passed),
        failed: ids(TestState::Failed),
        skipped: ids(TestState::Skipped),
        ran: ran(tests),
        printed: tests.printed,
    }
}

/// Returns true if the runner printed its result beside its report at the start,
/// and now writes only the report.
pub fn is_silent(then: &BaselineTests, now: &TestResults) -> bool {
    then.printed > 0 && now.printed == 0 && now.counts.passed > 0
}

/// Compares the tests that ran at the start with those that run now.
///
/// A test that moved to another file or module is found by its own name. A renamed
/// test looks like a removed and an added one, so for every added test one missing
/// test is accepted; reading the files tells more about those. A test that failed
/// is never accepted as missing: the run is about it, so it has to keep its name.
pub fn losses(then: &BaselineTests, now: &TestResults) -> LostTestReport {
    let state = |id: &String| now.states.get(id).copied();
    let is_new = |id: &String| {
        [&then.passed, &then.failed, &then.skipped].iter().all(|ids| !ids.contains(id))
    };
    let runs = |state: TestState| state != TestState::Skipped;
    let added = now.states.iter().filter(|(id, state)| runs(**state) && is_new(id));
    let added: Vec<&String> = added.map(|(id, _)| id).collect();
    let mut spare = names(added.iter().copied());
    let mut take = |id: &str| match spare.get_mut(own_name(id)) {
        Some(count) if *count > 0 => {
            *count -= 1;
            true
        }
        Some(_) | None => false,
    };
    let is_missing = |id: &&String| state(id).is_none();
    // Some runners name a passing package instead of its tests.
    let is_hidden = |id: &String| added.iter().any(|new| is_part_of(id, new));
    let mut lost = Vec::new();
    let (mut opened, mut hidden, mut unlisted) = (0, 0, unlisted(now));
    for id in then.failed.iter().filter(is_missing) {
        if take(id) {
        } else if is_hidden(id) {
            hidden += 1;
        } else if added.iter().any(|new| is_part_of(new, id)) {
            opened += 1;
        } else if unlisted > 0 {
            unlisted -= 1;
        } else {
            lost.push(LostTest { id: id.clone(), loss: TestLoss::FailedGone });
        }
    }
    let mut gone: Vec<&String> = then.passed.iter().filter(is_missing).collect();
    gone.retain(|id| !take(id));
    hidden += gone.extract_if(.., |id| is_hidden(id)).count();
    let forgiven = spare.values().sum::<usize>().saturating_add(unlisted);
    let gone = gone.into_iter().skip(forgiven);
    lost.extend(gone.map(|id| LostTest { id: id.clone(), loss: TestLoss::PassedGone }));
    for (ids, loss) in
        [(&then.failed, TestLoss::FailedSkipped), (&then.passed, TestLoss::PassedSkipped)]
    {
        let skipped = ids.iter().filter(|id| state(id) == Some(TestState::Skipped));
        lost.extend(skipped.map(|id| LostTest { id: id.clone(), loss }));
    }
    let fewer = FewerTests { then: then.ran.saturating_sub(opened), now: ran(now) };
    let is_told = lost.is_empty() && hidden == 0;
    let fewer = Some(fewer).filter(|fewer| is_told && fewer.now < fewer.then);
    LostTestReport { tests: lost, fewer }
}

/// Returns the number of tests that ran.
fn ran(tests: &TestResults) -> u64 {
    tests.counts.passed.saturating_add(tests.counts.failed)
}

/// Returns true if `id` is part of `whole`, such as a test in a file or package
/// that could not be loaded before.
pub(crate) fn is_part_of(id: &str, whole: &str) -> bool {
    let inside = |rest: &str| rest.starts_with(|c: char| !c.is_alphanumeric() && c != '_');
    let name = own_name(whole);
    // A path is a prefix of the id. A module that could not be loaded may appear
    // after the name of the runner's own test for it.
    let names_module = || id.split(SEPARATORS).rev().skip(1).any(|part| part == name);
    id.strip_prefix(whole).is_some_and(inside) || (!whole.contains('/') && names_module())
}

/// Returns the number of tests that ran but are not listed.
pub(crate) fn unlisted(now: &TestResults) -> usize {
    let listed = now.states.values().filter(|state| **state != TestState::Skipped).count();
    usize::try_from(ran(now)).unwrap_or(usize::MAX).saturating_sub(listed)
}

/// Returns the tests that passed then and fail now.
pub fn broken<'a>(then: &'a BaselineTests, now: &'a TestResults) -> impl Iterator<Item = &'a str> {
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

/// Separators of the parts of a test's id.
const SEPARATORS: [char; 6] = [':', '.', '/', '>', '$', ' '];

/// Returns the name of a test without its file and module.
pub fn own_name(id: &str) -> &str {
    let end = id.find('[').unwrap_or(id.len());
    let head = &id[..end];
    let start = head.rfind(SEPARATORS).map_or(0, |at| at + 1);
    if start < head.len() { &id[start..] } else { id }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn then(passed: &[&str], failed: &[&str]) -> BaselineTests {
        let set = |ids: &[&str]| ids.iter().map(|&id| id.to_owned()).collect();
        let ran = (passed.len() + failed.len()) as u64;
        BaselineTests { passed: set(passed), failed: set(failed), ran, ..BaselineTests::default() }
    }

    fn now(passed: &[&str], skipped: &[&str]) -> TestResults {
        let mut tests = TestResults::default();
        for (ids, state) in [(passed, TestState::Passed), (skipped, TestState::Skipped)] {
            tests.states.extend(ids.iter().map(|&id| (id.to_owned(), state)));
        }
        tests.counts.passed = passed.len() as u64;
        tests.counts.skipped = skipped.len() as u64;
        tests
    }

    #[track_caller]
    fn check(then: &BaselineTests, now: &TestResults, want: &[(&str, TestLoss)]) {
        let found = losses(then, now);
        let named: Vec<(&str, TestLoss)> =
            found.tests.iter().map(|lost| (lost.id.as_str(), lost.loss)).collect();
        assert_eq!((named.as_slice(), found.fewer), (want, None));
    }

    #[test]
    fn a_test_that_is_not_collected_any_more_is_gone_whatever_became_of_it() {
        check(
            &then(&["a::one", "a::two"], &["a::three"]),
            &now(&["a::one"], &[]),
            &[("a::three", TestLoss::FailedGone), ("a::two", TestLoss::PassedGone)],
        );
    }

    #[test]
    fn a_test_that_is_skipped_now_is_named() {
        check(
            &then(&["one", "two"], &["three"]),
            &now(&["one"], &["three", "two"]),
            &[("three", TestLoss::FailedSkipped), ("two", TestLoss::PassedSkipped)],
        );
    }

    #[test]
    fn a_test_may_move_and_others_may_come() {
        let before = then(&["tests/a.py::one", "tests/a.py::two[x]"], &["tests/a.py::bad"]);
        let moved =
            ["tests/b.py::one", "tests/b.py::two[x]", "tests/b.py::three", "tests/c.py::bad"];
        check(&before, &now(&moved, &[]), &[]);
    }

    #[test]
    fn renamed_tests_are_forgiven_if_they_passed_and_one_more_is_not() {
        let before = then(&["one", "two", "three"], &[]);
        check(&before, &now(&["uno", "dos", "tres"], &[]), &[]);
        check(&before, &now(&["uno", "dos"], &[]), &[("two", TestLoss::PassedGone)]);
        check(&then(&[], &["one"]), &now(&["uno"], &[]), &[("one", TestLoss::FailedGone)]);
    }

    #[test]
    fn a_file_that_could_not_be_loaded_is_not_missed_once_its_tests_run() {
        for (whole, tests) in [
            ("tests/test_a.py", ["tests/test_a.py::one", "tests/test_a.py::two"]),
            ("unittest.loader._FailedTest.test_a", ["test_a.A.one", "test_a.A.two"]),
            ("example.com/m/a", ["example.com/m/a.TestOne", "example.com/m/a.TestTwo"]),
        ] {
            check(&then(&[], &[whole]), &now(&tests, &[]), &[]);
            let other = now(&["tests/other.py::one", "tests/test_ab.py::x"], &[]);
            check(&then(&[], &[whole]), &other, &[(whole, TestLoss::FailedGone)]);
        }
    }

    #[test]
    fn a_runner_that_names_packages_while_they_pass_hides_their_tests() {
        let before = BaselineTests { ran: 1, ..then(&[], &["example.com/a.TestOne"]) };
        check(&before, &now(&["example.com/a"], &[]), &[]);
        let other = &[("example.com/a.TestOne", TestLoss::FailedGone)];
        check(&before, &now(&["example.com/ab"], &[]), other);
    }

    #[test]
    fn fewer_tests_than_at_the_start_are_noticed_where_none_has_a_name() {
        let counted = |passed| {
            let mut tests = TestResults::default();
            tests.counts.passed = passed;
            tests
        };
        let before = BaselineTests { ran: 1256, ..BaselineTests::default() };
        assert_eq!(losses(&before, &counted(1256)), LostTestReport::default());
        let fewer = losses(&before, &counted(1204)).fewer;
        assert_eq!(fewer, Some(FewerTests { then: 1256, now: 1204 }));
    }

    #[test]
    fn a_failure_with_a_name_may_pass_among_tests_without_one() {
        let mut after = TestResults::default();
        after.counts.passed = 2;
        check(&BaselineTests { ran: 2, ..then(&[], &["one"]) }, &after, &[]);
        after.counts.passed = 1;
        let fewer = losses(&BaselineTests { ran: 2, ..then(&[], &["one"]) }, &after).fewer;
        assert_eq!(fewer, Some(FewerTests { then: 2, now: 1 }));
    }

    #[test]
    fn failing_is_not_gone() {
        let mut after = now(&[], &[]);
        after.states.insert("one".to_owned(), TestState::Failed);
        after.counts.failed = 1;
        check(&then(&["one"], &[]), &after, &[]);
        assert_eq!(broken(&then(&["one", "two"], &[]), &after).collect::<Vec<_>>(), ["one"]);
    }

    #[test]
    fn a_list_that_was_cut_says_nothing_about_what_is_missing() {
        let mut after = now(&["a"], &[]);
        after.counts.passed = 200_000;
        check(&then(&["z"], &[]), &after, &[]);
    }

    #[test]
    fn a_test_that_was_mended_does_not_take_the_place_of_one_that_is_gone() {
        let after = now(&["fails"], &[]);
        check(&then(&["holds"], &["fails"]), &after, &[("holds", TestLoss::PassedGone)]);
    }

    #[test]
    fn a_new_test_that_is_skipped_does_not_take_the_place_of_one_that_is_gone() {
        check(&then(&["one"], &[]), &now(&[], &["two"]), &[("one", TestLoss::PassedGone)]);
    }

    #[test]
    fn skipped_tests_that_are_only_counted_hide_nothing() {
        let mut after = now(&["one"], &[]);
        after.counts.skipped = 3;
        check(&then(&["one", "two"], &[]), &after, &[("two", TestLoss::PassedGone)]);
    }

    #[test]
    fn what_did_not_pass_is_remembered_apart() {
        let start = start(&now(&["one"], &["two"]));
        let skipped = ["two".to_owned()].into();
        assert_eq!(start, BaselineTests { skipped, ..then(&["one"], &[]) });
    }
}
