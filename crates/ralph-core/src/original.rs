//! Compares old tests with new code, and new tests with old code.
//!
//! The original tests are those of the start of the run. Results are compared test
//! by test. The result of a whole suite says little: a coverage limit may fail
//! although all tests pass.

use std::collections::BTreeSet;

use crate::evidence::{OldCodeFailure, ProofTest};
use crate::finding::{TestResults, TestState};
use crate::preserve::{self, BaselineTests, is_part_of};

/// The result of the original tests on the current code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OriginalVerdict {
    /// Number of original tests that pass.
    pub passing: u64,
    /// The original tests that fail.
    pub objections: Vec<OriginalTestFailure>,
}

/// An original test that fails on the current code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OriginalTestFailure {
    /// Id of the test.
    pub id: String,
    /// The reason.
    pub reason: OriginalFailureReason,
}

/// The reason why an original test fails on the current code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OriginalFailureReason {
    /// It failed at the start, and its original version still fails. Its current
    /// version passes.
    OnlyChanged,
    /// It failed at the start, its original version still fails, and it was removed since.
    OnlyRemoved,
    /// It passed at the start, and its original version fails now.
    NewBehaviour,
    /// Its original version cannot run now.
    CannotRun,
}

/// Compares the tests at the start (`then`), the current ones (`now`), and the
/// original ones on the current code (`judged`).
pub fn judge(then: &BaselineTests, now: &TestResults, judged: &TestResults) -> OriginalVerdict {
    let fails_now = |id: &str| now.states.get(id) == Some(&TestState::Failed);
    let not_run = not_run(then, judged);
    // A file or package that does not load has an id of another form.
    let is_load_failure = |id: &str| {
        not_run.iter().any(|test| is_part_of(test, id)) || (!not_run.is_empty() && is_file(id))
    };
    let mut objections = Vec::new();
    for (id, state) in &judged.states {
        let passed = passed_then(then, id) || then.skipped.contains(id);
        let is_new = !passed && !then.failed.contains(id);
        if *state != TestState::Failed || fails_now(id) || (is_new && is_load_failure(id)) {
            continue;
        }
        let may_be_there = now.states.contains_key(id) || preserve::unlisted(now) > 0;
        let reason = match (passed, may_be_there) {
            (true, _) => OriginalFailureReason::NewBehaviour,
            (false, true) => OriginalFailureReason::OnlyChanged,
            (false, false) => OriginalFailureReason::OnlyRemoved,
        };
        objections.push(OriginalTestFailure { id: id.clone(), reason });
    }
    objections.extend(not_run.into_iter().map(|id| OriginalTestFailure {
        id: id.clone(),
        reason: OriginalFailureReason::CannotRun,
    }));
    objections.extend(unnamed(then, now, judged));
    objections.sort_by(|a, b| (a.reason, &a.id).cmp(&(b.reason, &b.id)));
    OriginalVerdict { passing: judged.counts.passed, objections }
}

/// Returns true if a test passed at the start. Some runners name only failing
/// tests; the others that ran then count as passed.
fn passed_then(then: &BaselineTests, id: &str) -> bool {
    let named = (then.passed.len() + then.failed.len()) as u64;
    let is_unnamed = || then.ran > named && !then.failed.iter().any(|one| is_part_of(id, one));
    then.passed.contains(id)
        || (then.passed.is_empty() && !then.failed.contains(id) && is_unnamed())
}

/// Returns true if a test passes, or may pass because the runner names only failing tests.
pub fn may_pass(tests: &TestResults, id: &str) -> bool {
    match tests.states.get(id) {
        Some(state) => *state == TestState::Passed,
        None => lists_failures_only(tests),
    }
}

fn lists_failures_only(tests: &TestResults) -> bool {
    tests.counts.passed > 0 && !tests.states.values().any(|state| *state == TestState::Passed)
}

/// Describes a number of tests whose names are unknown.
fn nameless(count: u64) -> String {
    match count {
        1 => "1 test without a name".to_owned(),
        _ => format!("{count} tests without a name"),
    }
}

/// Returns true if an id is the name of a file: some runners name tests without
/// their files, and files that do not load.
fn is_file(id: &str) -> bool {
    let extension = id.rsplit(['/', '\\']).next().and_then(|name| name.rsplit_once('.'));
    extension.is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && !id.contains([' ', ':'])
            && matches!(extension.len(), 1..=4)
            && extension.chars().all(char::is_alphanumeric)
    })
}

/// Compares counts for runners that name no tests.
fn unnamed(
    then: &BaselineTests,
    now: &TestResults,
    judged: &TestResults,
) -> Option<OriginalTestFailure> {
    let listed = |tests: &TestResults| {
        tests.states.values().filter(|state| **state == TestState::Failed).count() as u64
    };
    let failing = |tests: &TestResults| tests.counts.failed.saturating_sub(listed(tests));
    let more = failing(judged).saturating_sub(failing(now));
    if more > 0 {
        let reason = OriginalFailureReason::OnlyChanged;
        return Some(OriginalTestFailure { id: nameless(more), reason });
    }
    let ran = judged.counts.passed.saturating_add(judged.counts.failed);
    let has_names = !then.passed.is_empty() || !then.failed.is_empty();
    let fewer = if has_names { 0 } else { then.ran.saturating_sub(ran) };
    let reason = OriginalFailureReason::CannotRun;
    (fewer > 0).then(|| OriginalTestFailure { id: nameless(fewer), reason })
}

/// Returns the original tests that no longer run.
fn not_run<'a>(then: &'a BaselineTests, judged: &TestResults) -> Vec<&'a String> {
    let mut unlisted = preserve::unlisted(judged);
    let mut missing = Vec::new();
    for id in then.passed.iter().chain(&then.failed) {
        let is_run = match judged.states.get(id) {
            Some(TestState::Passed | TestState::Failed) => true,
            Some(TestState::Skipped) => false,
            // Some runners name a passing package instead of its tests. A file that
            // did not load is now represented by its tests.
            None => judged.states.iter().any(|(other, state)| {
                (*state == TestState::Passed && is_part_of(id, other)) || is_part_of(other, id)
            }),
        };
        if is_run {
        } else if unlisted > 0 {
            unlisted -= 1;
        } else {
            missing.push(id);
        }
    }
    missing
}

impl OriginalVerdict {
    /// Drops objections that a second run (`again`) does not confirm, because the
    /// tests pass there. The original tests also ran on the original code
    /// (`control`). A test with another result there than at the start cannot be
    /// judged, and is dropped as well.
    pub fn confirm(
        &mut self,
        then: &BaselineTests,
        again: &TestResults,
        control: Option<&TestResults>,
    ) {
        let now = |id: &str| again.states.get(id).copied();
        self.objections.retain(|one| match one.reason {
            OriginalFailureReason::CannotRun => true,
            OriginalFailureReason::OnlyChanged
            | OriginalFailureReason::OnlyRemoved
            | OriginalFailureReason::NewBehaviour => now(&one.id) != Some(TestState::Passed),
        });
        let Some(control) = control.filter(|_| then.ran > 0) else { return };
        let state = |id: &str| control.states.get(id).copied();
        self.objections.retain(|one| {
            let id = one.id.as_str();
            if then.passed.contains(id) {
                state(id) == Some(TestState::Passed)
            } else if passed_then(then, id) {
                state(id) != Some(TestState::Failed)
            } else if then.failed.contains(id) {
                state(id) == Some(TestState::Failed)
            } else {
                state(id) != Some(TestState::Skipped)
            }
        });
    }

    /// Returns true if a test objects for this reason.
    pub fn has(&self, reason: OriginalFailureReason) -> bool {
        self.objections.iter().any(|one| one.reason == reason)
    }
}

/// Returns the tests with another result in a copy of the same files. Code that
/// detects the copy could cheat there.
pub fn unlike(here: &TestResults, copy: &TestResults) -> BTreeSet<String> {
    let ran = |tests: &TestResults| tests.counts.passed.saturating_add(tests.counts.failed);
    let lacks_some = ran(copy) < ran(here);
    let is_unlike = |id: &str, state: TestState| match copy.states.get(id) {
        _ if state == TestState::Skipped => false,
        Some(other) => *other != state,
        None => lacks_some,
    };
    let named = here.states.iter().filter(|(id, state)| is_unlike(id, **state));
    let mut found: BTreeSet<String> = named.map(|(id, _)| id.clone()).collect();
    let failing = copy.counts.failed.abs_diff(here.counts.failed);
    if found.is_empty() && failing > 0 {
        found.insert(nameless(failing));
    }
    found
}

/// Returns the tests that the run added or changed (`is_changed`), that pass now
/// and fail on the original code (`before`). A test that cannot run there has to be
/// new and to use code that the run added (`uses_change`).
pub fn proof_tests(
    then: &BaselineTests,
    now: &TestResults,
    before: &TestResults,
    is_changed: &dyn Fn(&str) -> bool,
    uses_change: &dyn Fn(&str) -> bool,
) -> Vec<ProofTest> {
    let is_new = |id: &String| {
        [&then.passed, &then.failed, &then.skipped].iter().all(|ids| !ids.contains(id))
    };
    let bite = |id: &String| match before.states.get(id) {
        Some(TestState::Failed) => {
            (is_new(id) || is_changed(id)).then_some(OldCodeFailure::OldBehaviour)
        }
        Some(TestState::Passed | TestState::Skipped) => None,
        None => (is_new(id) && uses_change(id)).then_some(OldCodeFailure::NeedsNewCode),
    };
    let named = now.states.keys();
    let unnamed = before.states.keys().filter(|id| !now.states.contains_key(*id));
    let passing = named.chain(unnamed).filter(|id| may_pass(now, id));
    passing.filter_map(|id| Some(ProofTest { id: id.clone(), bite: bite(id)? })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tests(passed: &[&str], failed: &[&str]) -> TestResults {
        let mut tests = TestResults::default();
        for (ids, state) in [(passed, TestState::Passed), (failed, TestState::Failed)] {
            tests.states.extend(ids.iter().map(|&id| (id.to_owned(), state)));
        }
        tests.counts.passed = passed.len() as u64;
        tests.counts.failed = failed.len() as u64;
        tests
    }

    fn then(passed: &[&str], failed: &[&str]) -> BaselineTests {
        preserve::start(&tests(passed, failed))
    }

    #[track_caller]
    fn check(found: &OriginalVerdict, want: &[(&str, OriginalFailureReason)]) {
        let found: Vec<_> = found.objections.iter().map(|one| (&*one.id, one.reason)).collect();
        assert_eq!(found, want);
    }

    #[test]
    fn a_test_that_was_mended_by_changing_it_still_fails_as_it_was() {
        let verdict = judge(
            &then(&["t::keeps"], &["t::div"]),
            &tests(&["t::keeps", "t::div"], &[]),
            &tests(&["t::keeps"], &["t::div"]),
        );
        check(&verdict, &[("t::div", OriginalFailureReason::OnlyChanged)]);
        assert_eq!(verdict.passing, 1);
    }

    #[test]
    fn a_runner_that_lists_failures_only_does_not_tell_that_a_test_is_gone() {
        let mut now = TestResults::default();
        now.counts.passed = 3;
        let verdict = judge(&then(&[], &["t::div"]), &now, &tests(&[], &["t::div"]));
        check(&verdict, &[("t::div", OriginalFailureReason::OnlyChanged)]);
    }

    #[test]
    fn a_file_that_does_not_load_is_no_test_that_failed_at_the_start() {
        let verdict = judge(
            &then(&["multiplies"], &["adds two numbers"]),
            &tests(&["multiplies", "adds two numbers"], &[]),
            &tests(&[], &["test/calc.test.js"]),
        );
        let want =
            ["adds two numbers", "multiplies"].map(|id| (id, OriginalFailureReason::CannotRun));
        check(&verdict, &want);
    }

    #[test]
    fn a_test_that_could_not_be_loaded_at_the_start_is_held_to_what_it_said() {
        let verdict = judge(
            &then(&[], &["tests/a.py"]),
            &tests(&["tests/a.py::one"], &[]),
            &tests(&[], &["tests/a.py::one"]),
        );
        check(&verdict, &[("tests/a.py::one", OriginalFailureReason::OnlyChanged)]);
    }

    #[test]
    fn behaviour_that_changed_with_its_test_is_a_question_of_its_own() {
        let verdict = judge(&then(&["t::a"], &[]), &tests(&["t::a"], &[]), &tests(&[], &["t::a"]));
        check(&verdict, &[("t::a", OriginalFailureReason::NewBehaviour)]);
    }

    #[test]
    fn moved_renamed_and_folded_tests_do_not_object_while_the_old_ones_pass() {
        let before = then(&["t::a", "t::b"], &["t::c"]);
        let all = tests(&["t::a", "t::b", "t::c"], &[]);
        check(&judge(&before, &tests(&["u::table"], &[]), &all), &[]);
    }

    #[test]
    fn a_test_that_cannot_run_is_named_unless_it_never_could() {
        let before = then(&["t::a", "t::2026-11-16"], &[]);
        let mut verdict = judge(&before, &tests(&[], &[]), &tests(&[], &[]));
        assert!(verdict.has(OriginalFailureReason::CannotRun));
        verdict.confirm(&before, &tests(&[], &[]), Some(&tests(&["t::a"], &[])));
        check(&verdict, &[("t::a", OriginalFailureReason::CannotRun)]);
    }

    #[test]
    fn a_test_that_never_passes_on_this_stage_is_not_judged_there() {
        let before = then(&["t::sudo", "t::a"], &[]);
        let judged = tests(&[], &["t::sudo", "t::a"]);
        let mut verdict = judge(&before, &tests(&["t::sudo", "t::a"], &[]), &judged);
        verdict.confirm(&before, &judged, Some(&tests(&["t::a"], &["t::sudo"])));
        check(&verdict, &[("t::a", OriginalFailureReason::NewBehaviour)]);
    }

    #[test]
    fn a_runner_that_names_failures_only_is_understood_on_both_sides() {
        let silent = |passed: u64, failed: &[&str]| {
            let mut found = tests(&[], failed);
            found.counts.passed = passed;
            found
        };
        let before = preserve::start(&silent(3, &[]));
        let verdict = judge(&before, &silent(3, &[]), &silent(2, &["t::a"]));
        check(&verdict, &[("t::a", OriginalFailureReason::NewBehaviour)]);
        let found =
            proof_tests(&before, &silent(4, &[]), &silent(3, &["t::new"]), &|_| false, &|_| false);
        let want = ProofTest { id: "t::new".to_owned(), bite: OldCodeFailure::OldBehaviour };
        assert_eq!(found, [want]);
        let still = proof_tests(
            &before,
            &silent(3, &["t::new"]),
            &silent(3, &["t::new"]),
            &|_| true,
            &|_| true,
        );
        assert!(still.is_empty());
    }

    #[test]
    fn numbers_without_names_object_too() {
        let counted = |passed, failed| {
            let mut tests = TestResults::default();
            (tests.counts.passed, tests.counts.failed) = (passed, failed);
            tests
        };
        let before = BaselineTests { ran: 5, ..BaselineTests::default() };
        let verdict = judge(&before, &counted(5, 0), &counted(4, 1));
        check(&verdict, &[("1 test without a name", OriginalFailureReason::OnlyChanged)]);
        let verdict = judge(&before, &counted(5, 0), &counted(3, 0));
        check(&verdict, &[("2 tests without a name", OriginalFailureReason::CannotRun)]);
        check(&judge(&before, &counted(6, 0), &counted(5, 0)), &[]);
    }

    #[test]
    fn a_file_that_does_not_load_names_the_tests_in_it() {
        let verdict = judge(
            &then(&["tests.a::one", "tests.b::two"], &[]),
            &tests(&["tests.a::uno", "tests.b::two"], &[]),
            &tests(&["tests.b::two"], &["tests.a"]),
        );
        check(&verdict, &[("tests.a::one", OriginalFailureReason::CannotRun)]);
    }

    #[test]
    fn a_test_that_passes_the_second_time_is_flaky_and_holds_nothing() {
        let before = then(&["t::a"], &["t::b"]);
        let now = tests(&["t::a", "t::b"], &[]);
        let mut verdict = judge(&before, &now, &tests(&[], &["t::a", "t::b"]));
        verdict.confirm(&before, &tests(&["t::a"], &["t::b"]), None);
        check(&verdict, &[("t::b", OriginalFailureReason::OnlyChanged)]);
    }

    #[test]
    fn a_test_that_gives_another_result_in_a_copy_is_told() {
        let here = tests(&["t::a", "t::b"], &["t::c"]);
        assert!(unlike(&here, &here).is_empty());
        let found = unlike(&here, &tests(&["t::a"], &["t::b", "t::c"]));
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["t::b"]);
        assert_eq!(unlike(&here, &tests(&["t::a"], &["t::c"])).len(), 1);
        let counted = |failed| {
            let mut tests = TestResults::default();
            tests.counts.failed = failed;
            tests
        };
        assert_eq!(unlike(&counted(0), &counted(2)).len(), 1);
    }

    #[test]
    fn a_test_bites_if_it_fails_on_the_old_code_or_is_new_and_needs_the_new() {
        let before = then(&["t::a", "t::b", "t::c"], &[]);
        let now = tests(&["t::a", "t::b", "t::c", "t::d", "t::loads", "t::idle", "t::empty"], &[]);
        let old_code = tests(&["t::idle"], &["t::a", "t::b", "t::d"]);
        let is_changed = |id: &str| id == "t::b";
        let uses_change = |id: &str| id == "t::loads" || id == "t::c";
        let found = proof_tests(&before, &now, &old_code, &is_changed, &uses_change);
        let found: Vec<_> = found.iter().map(|one| (&*one.id, one.bite)).collect();
        let (behaviour, code) = (OldCodeFailure::OldBehaviour, OldCodeFailure::NeedsNewCode);
        assert_eq!(found, [("t::b", behaviour), ("t::d", behaviour), ("t::loads", code)]);
    }
}
