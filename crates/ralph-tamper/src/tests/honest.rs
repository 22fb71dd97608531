//! Changes that must not be reported.

use super::super::{TamperRules, Tampering, TamperingSeverity};
use super::{findings, must_be_left_alone, weakenings};

#[test]
fn honest_edits_of_rust_are_left_alone() {
    must_be_left_alone(include_str!("scenarios/honest_rust.txt"));
}

#[test]
fn honest_edits_of_python_are_left_alone() {
    must_be_left_alone(include_str!("scenarios/honest_python.txt"));
}

#[test]
fn honest_edits_of_other_languages_are_left_alone() {
    must_be_left_alone(include_str!("scenarios/honest_others.txt"));
}

#[test]
fn what_only_looks_like_a_test_is_left_alone() {
    must_be_left_alone(include_str!("scenarios/honest_odd_places.txt"));
}

#[test]
fn an_expected_value_that_changed_is_reported_and_does_not_block() {
    let old = &[("tests/test_a.py", "def test_a():\n    assert f(1) == 2\n")];
    let new = &[("tests/test_a.py", "def test_a():\n    assert f(1) == 3\n")];
    let found = findings(old, new, &TamperRules::default());
    assert!(weakenings(&found).is_empty());
    let said: Vec<String> = found.iter().map(Tampering::what).collect();
    assert_eq!(
        said,
        ["assertion in `test_a` changed: `assert f(1) == 2` became `assert f(1) == 3`"]
    );
}

#[test]
fn what_a_package_exports_may_be_marked_and_other_unused_imports_may_not() {
    let marked = "from .total import total  # noqa: F401\n";
    let found =
        |path: &str| findings(&[(path, "")], &[(path, marked)], &TamperRules::default()).len();
    assert_eq!((found("shop/__init__.py"), found("shop/cart.py")), (0, 1));
}

#[test]
fn snapshots_and_data_that_were_edited_or_moved_do_not_block() {
    let old = &[("tests/__snapshots__/a.snap", "x\n"), ("tests/fixtures/a.json", "{}\n")];
    let new = &[("tests/__snapshots__/a.snap", "y\n"), ("tests/fixtures/b/a.json", "{}\n")];
    let found = findings(old, new, &TamperRules::default());
    let said: Vec<(TamperingSeverity, String)> =
        found.iter().map(|one| (one.severity(), one.what())).collect();
    assert_eq!(said, [(TamperingSeverity::Edit, "snapshot rewritten".to_owned())]);
}

#[test]
fn a_path_is_allowed_by_itself_its_folder_or_a_pattern() {
    let allows =
        |glob: &str, place: &str| TamperRules::new(&[], &[glob.to_owned()]).unwrap().allows(place);
    for glob in ["tests/a/test_a.py", "tests/", "tests/**/*.py", "./tests/a", "test_*.py"] {
        assert!(allows(glob, "tests/a/test_a.py"), "{glob}");
    }
    assert!(!allows("tests/b/", "tests/a/test_a.py"));
    assert!(allows("adder::add$zero", "adder::add$zero"), "a test by its id");
}
