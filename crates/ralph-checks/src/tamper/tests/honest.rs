//! What must be left alone.

use super::super::{Rules, Severity, Tampering};
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
fn an_expected_value_that_changed_is_reported_and_does_not_block() {
    let old = &[("tests/test_a.py", "def test_a():\n    assert f(1) == 2\n")];
    let new = &[("tests/test_a.py", "def test_a():\n    assert f(1) == 3\n")];
    let found = findings(old, new, &Rules::default());
    assert!(weakenings(&found).is_empty());
    let said: Vec<String> = found.iter().map(Tampering::what).collect();
    assert_eq!(
        said,
        ["assertion in `test_a` changed: `assert f(1) == 2` became `assert f(1) == 3`"]
    );
}

#[test]
fn snapshots_and_data_that_were_edited_or_moved_do_not_block() {
    let old = &[("tests/__snapshots__/a.snap", "x\n"), ("tests/fixtures/a.json", "{}\n")];
    let new = &[("tests/__snapshots__/a.snap", "y\n"), ("tests/fixtures/b/a.json", "{}\n")];
    let found = findings(old, new, &Rules::default());
    let said: Vec<(Severity, String)> =
        found.iter().map(|one| (one.severity(), one.what())).collect();
    assert_eq!(said, [(Severity::Edit, "snapshot rewritten".to_owned())]);
}

#[test]
fn a_path_that_is_allowed_is_left_alone() {
    let old = &[("tests/a/test_a.py", "def test_a():\n    assert f(1) == 2\n")];
    for glob in ["tests/a/test_a.py", "tests/", "tests/**/*.py", "./tests/a", "test_*.py"] {
        let rules = Rules::new(&[], &[glob.to_owned()]).unwrap();
        assert!(findings(old, &[], &rules).is_empty(), "{glob}");
    }
    let rules = Rules::new(&[], &["tests/b/".to_owned()]).unwrap();
    assert_eq!(findings(old, &[], &rules).len(), 1);
}
