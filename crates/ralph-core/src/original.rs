//! What the tests of the start say about the present code, and what the
//! present tests say about the code of the start.
//!
//! Both are told test by test. How a suite ended as a whole says little: a
//! bar for coverage may fail with tests that all pass.

use std::collections::BTreeSet;

use crate::evidence::{Bite, BitingTest};
use crate::finding::{TestState, Tests};
use crate::preserve::{self, Start, is_part_of};

/// What the tests of the start say about the present code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OriginalVerdict {
    /// How many of them pass.
    pub passing: u64,
    /// Those that object.
    pub objections: Vec<Objection>,
}

/// A test of the start that does not accept the present code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objection {
    /// Its id.
    pub id: String,
    /// Why not.
    pub reason: ObjectionReason,
}

/// Why a test of the start does not accept the present code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ObjectionReason {
    /// It failed at the start and fails now as it was then. As it is now it
    /// passes.
    OnlyChanged,
    /// It failed at the start, fails now as it was then, and is gone.
    OnlyRemoved,
    /// It passed at the start and fails now as it was then.
    NewBehaviour,
    /// It cannot be run as it was then.
    CannotRun,
}

/// Compares the tests of the start (`then`), the present ones (`now`), and
/// those of the start on the present code (`judged`).
pub fn judge(then: &Start, now: &Tests, judged: &Tests) -> OriginalVerdict {
    let fails_now = |id: &str| now.states.get(id) == Some(&TestState::Failed);
    let not_run = not_run(then, judged);
    // A file or a package that does not load has the name of neither.
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
            (true, _) => ObjectionReason::NewBehaviour,
            (false, true) => ObjectionReason::OnlyChanged,
            (false, false) => ObjectionReason::OnlyRemoved,
        };
        objections.push(Objection { id: id.clone(), reason });
    }
    objections.extend(
        not_run
            .into_iter()
            .map(|id| Objection { id: id.clone(), reason: ObjectionReason::CannotRun }),
    );
    objections.extend(unnamed(then, now, judged));
    objections.sort_by(|a, b| (a.reason, &a.id).cmp(&(b.reason, &b.id)));
    OriginalVerdict { passing: judged.counts.passed, objections }
}

/// Whether a test passed at the start. Some runners name only tests that fail:
/// what they ran and did not name passed.
fn passed_then(then: &Start, id: &str) -> bool {
    let named = (then.passed.len() + then.failed.len()) as u64;
    let is_unnamed = || then.ran > named && !then.failed.iter().any(|one| is_part_of(id, one));
    then.passed.contains(id)
        || (then.passed.is_empty() && !then.failed.contains(id) && is_unnamed())
}

/// Whether a test passes. Where a runner names only tests that fail, one that
/// it does not name may be among those that pass.
pub fn may_pass(tests: &Tests, id: &str) -> bool {
    match tests.states.get(id) {
        Some(state) => *state == TestState::Passed,
        None => lists_failures_only(tests),
    }
}

fn lists_failures_only(tests: &Tests) -> bool {
    tests.counts.passed > 0 && !tests.states.values().any(|state| *state == TestState::Passed)
}

/// So many tests, where a runner gives numbers and no names.
fn nameless(count: u64) -> String {
    match count {
        1 => "1 test without a name".to_owned(),
        _ => format!("{count} tests without a name"),
    }
}

/// Whether an id is the name of a file: some runners name tests without their
/// files, and files that do not load.
fn is_file(id: &str) -> bool {
    let extension = id.rsplit(['/', '\\']).next().and_then(|name| name.rsplit_once('.'));
    extension.is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && !id.contains([' ', ':'])
            && matches!(extension.len(), 1..=4)
            && extension.chars().all(char::is_alphanumeric)
    })
}

/// What the numbers of a runner say that names no tests.
fn unnamed(then: &Start, now: &Tests, judged: &Tests) -> Option<Objection> {
    let listed = |tests: &Tests| {
        tests.states.values().filter(|state| **state == TestState::Failed).count() as u64
    };
    let failing = |tests: &Tests| tests.counts.failed.saturating_sub(listed(tests));
    let more = failing(judged).saturating_sub(failing(now));
    if more > 0 {
        let reason = ObjectionReason::OnlyChanged;
        return Some(Objection { id: nameless(more), reason });
    }
    let ran = judged.counts.passed.saturating_add(judged.counts.failed);
    let has_names = !then.passed.is_empty() || !then.failed.is_empty();
    let fewer = if has_names { 0 } else { then.ran.saturating_sub(ran) };
    let reason = ObjectionReason::CannotRun;
    (fewer > 0).then(|| Objection { id: nameless(fewer), reason })
}

/// The tests of the start that are not run any more.
fn not_run<'a>(then: &'a Start, judged: &Tests) -> Vec<&'a String> {
    let mut unlisted = preserve::unlisted(judged);
    let mut missing = Vec::new();
    for id in then.passed.iter().chain(&then.failed) {
        let is_run = match judged.states.get(id) {
            Some(TestState::Passed | TestState::Failed) => true,
            Some(TestState::Skipped) => false,
            // Runners that name a package while it passes hide the tests in
            // it; a file that did not load is now told by its tests.
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
    /// Drops what a second look (`again`) does not confirm: tests that pass
    /// then. With the tests of the start on the code of the start (`control`)
    /// each test has to do what it did then; what does not cannot be judged
    /// this way.
    pub fn confirm(&mut self, then: &Start, again: &Tests, control: Option<&Tests>) {
        let now = |id: &str| again.states.get(id).copied();
        self.objections.retain(|one| match one.reason {
            ObjectionReason::CannotRun => true,
            ObjectionReason::OnlyChanged
            | ObjectionReason::OnlyRemoved
            | ObjectionReason::NewBehaviour => now(&one.id) != Some(TestState::Passed),
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

    /// Whether any test objects for this reason.
    pub fn has(&self, reason: ObjectionReason) -> bool {
        self.objections.iter().any(|one| one.reason == reason)
    }
}

/// The tests that give another result in a copy of the same files. Code that
/// tells the two apart could please the judge alone.
pub fn unlike(here: &Tests, copy: &Tests) -> BTreeSet<String> {
    let ran = |tests: &Tests| tests.counts.passed.saturating_add(tests.counts.failed);
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

/// The tests that the run added or changed (`is_changed`), that pass now and
/// fail on the code of the start (`before`). One that cannot be run there has
/// to be new, and to use what the run added: `uses_change` says so.
pub fn biting(
    then: &Start,
    now: &Tests,
    before: &Tests,
    is_changed: &dyn Fn(&str) -> bool,
    uses_change: &dyn Fn(&str) -> bool,
) -> Vec<BitingTest> {
    let is_new = |id: &String| {
        [&then.passed, &then.failed, &then.skipped].iter().all(|ids| !ids.contains(id))
    };
    let bite = |id: &String| match before.states.get(id) {
        Some(TestState::Failed) => (is_new(id) || is_changed(id)).then_some(Bite::OldBehaviour),
        Some(TestState::Passed | TestState::Skipped) => None,
        None => (is_new(id) && uses_change(id)).then_some(Bite::NeedsNewCode),
    };
    let named = now.states.keys();
    let unnamed = before.states.keys().filter(|id| !now.states.contains_key(*id));
    let passing = named.chain(unnamed).filter(|id| may_pass(now, id));
    passing.filter_map(|id| Some(BitingTest { id: id.clone(), bite: bite(id)? })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tests(passed: &[&str], failed: &[&str]) -> Tests {
        let mut tests = Tests::default();
        for (ids, state) in [(passed, TestState::Passed), (failed, TestState::Failed)] {
            tests.states.extend(ids.iter().map(|&id| (id.to_owned(), state)));
        }
        tests.counts.passed = passed.len() as u64;
        tests.counts.failed = failed.len() as u64;
        tests
    }

    fn then(passed: &[&str], failed: &[&str]) -> Start {
        preserve::start(&tests(passed, failed))
    }

    #[track_caller]
    fn check(found: &OriginalVerdict, want: &[(&str, ObjectionReason)]) {
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
        check(&verdict, &[("t::div", ObjectionReason::OnlyChanged)]);
        assert_eq!(verdict.passing, 1);
    }

    #[test]
    fn a_runner_that_lists_failures_only_does_not_tell_that_a_test_is_gone() {
        let mut now = Tests::default();
        now.counts.passed = 3;
        let verdict = judge(&then(&[], &["t::div"]), &now, &tests(&[], &["t::div"]));
        check(&verdict, &[("t::div", ObjectionReason::OnlyChanged)]);
    }

    #[test]
    fn a_file_that_does_not_load_is_no_test_that_failed_at_the_start() {
        let verdict = judge(
            &then(&["multiplies"], &["adds two numbers"]),
            &tests(&["multiplies", "adds two numbers"], &[]),
            &tests(&[], &["test/calc.test.js"]),
        );
        let want = ["adds two numbers", "multiplies"].map(|id| (id, ObjectionReason::CannotRun));
        check(&verdict, &want);
    }

    #[test]
    fn a_test_that_could_not_be_loaded_at_the_start_is_held_to_what_it_said() {
        let verdict = judge(
            &then(&[], &["tests/a.py"]),
            &tests(&["tests/a.py::one"], &[]),
            &tests(&[], &["tests/a.py::one"]),
        );
        check(&verdict, &[("tests/a.py::one", ObjectionReason::OnlyChanged)]);
    }

    #[test]
    fn behaviour_that_changed_with_its_test_is_a_question_of_its_own() {
        let verdict = judge(&then(&["t::a"], &[]), &tests(&["t::a"], &[]), &tests(&[], &["t::a"]));
        check(&verdict, &[("t::a", ObjectionReason::NewBehaviour)]);
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
        assert!(verdict.has(ObjectionReason::CannotRun));
        verdict.confirm(&before, &tests(&[], &[]), Some(&tests(&["t::a"], &[])));
        check(&verdict, &[("t::a", ObjectionReason::CannotRun)]);
    }

    #[test]
    fn a_test_that_never_passes_on_this_stage_is_not_judged_there() {
        let before = then(&["t::sudo", "t::a"], &[]);
        let judged = tests(&[], &["t::sudo", "t::a"]);
        let mut verdict = judge(&before, &tests(&["t::sudo", "t::a"], &[]), &judged);
        verdict.confirm(&before, &judged, Some(&tests(&["t::a"], &["t::sudo"])));
        check(&verdict, &[("t::a", ObjectionReason::NewBehaviour)]);
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
        check(&verdict, &[("t::a", ObjectionReason::NewBehaviour)]);
        let found =
            biting(&before, &silent(4, &[]), &silent(3, &["t::new"]), &|_| false, &|_| false);
        let want = BitingTest { id: "t::new".to_owned(), bite: Bite::OldBehaviour };
        assert_eq!(found, [want]);
        let still =
            biting(&before, &silent(3, &["t::new"]), &silent(3, &["t::new"]), &|_| true, &|_| true);
        assert!(still.is_empty());
    }

    #[test]
    fn numbers_without_names_object_too() {
        let counted = |passed, failed| {
            let mut tests = Tests::default();
            (tests.counts.passed, tests.counts.failed) = (passed, failed);
            tests
        };
        let before = Start { ran: 5, ..Start::default() };
        let verdict = judge(&before, &counted(5, 0), &counted(4, 1));
        check(&verdict, &[("1 test without a name", ObjectionReason::OnlyChanged)]);
        let verdict = judge(&before, &counted(5, 0), &counted(3, 0));
        check(&verdict, &[("2 tests without a name", ObjectionReason::CannotRun)]);
        check(&judge(&before, &counted(6, 0), &counted(5, 0)), &[]);
    }

    #[test]
    fn a_file_that_does_not_load_names_the_tests_in_it() {
        let verdict = judge(
            &then(&["tests.a::one", "tests.b::two"], &[]),
            &tests(&["tests.a::uno", "tests.b::two"], &[]),
            &tests(&["tests.b::two"], &["tests.a"]),
        );
        check(&verdict, &[("tests.a::one", ObjectionReason::CannotRun)]);
    }

    #[test]
    fn a_test_that_passes_the_second_time_is_flaky_and_holds_nothing() {
        let before = then(&["t::a"], &["t::b"]);
        let now = tests(&["t::a", "t::b"], &[]);
        let mut verdict = judge(&before, &now, &tests(&[], &["t::a", "t::b"]));
        verdict.confirm(&before, &tests(&["t::a"], &["t::b"]), None);
        check(&verdict, &[("t::b", ObjectionReason::OnlyChanged)]);
    }

    #[test]
    fn a_test_that_gives_another_result_in_a_copy_is_told() {
        let here = tests(&["t::a", "t::b"], &["t::c"]);
        assert!(unlike(&here, &here).is_empty());
        let found = unlike(&here, &tests(&["t::a"], &["t::b", "t::c"]));
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["t::b"]);
        assert_eq!(unlike(&here, &tests(&["t::a"], &["t::c"])).len(), 1);
        let counted = |failed| {
            let mut tests = Tests::default();
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
        let found = biting(&before, &now, &old_code, &is_changed, &uses_change);
        let found: Vec<_> = found.iter().map(|one| (&*one.id, one.bite)).collect();
        let (behaviour, code) = (Bite::OldBehaviour, Bite::NeedsNewCode);
        assert_eq!(found, [("t::b", behaviour), ("t::d", behaviour), ("t::loads", code)]);
    }
}
