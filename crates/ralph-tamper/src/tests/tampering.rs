//! Changes that must be reported.

use super::super::TamperRules;
use super::{FixtureFiles, findings, must_be_noticed, weakenings};

#[test]
fn weakened_rust_tests_are_noticed() {
    must_be_noticed(include_str!("scenarios/weaker_rust.txt"));
}

#[test]
fn weakened_python_tests_are_noticed() {
    must_be_noticed(include_str!("scenarios/weaker_python.txt"));
}

#[test]
fn weakened_javascript_tests_are_noticed() {
    must_be_noticed(include_str!("scenarios/weaker_javascript.txt"));
}

#[test]
fn weakened_go_tests_are_noticed() {
    must_be_noticed(include_str!("scenarios/weaker_go.txt"));
}

#[test]
fn weakened_tests_of_the_java_world_and_of_c_are_noticed() {
    must_be_noticed(include_str!("scenarios/weaker_java_kotlin_csharp_c.txt"));
}

#[test]
fn weakened_ruby_php_and_shell_tests_are_noticed() {
    must_be_noticed(include_str!("scenarios/weaker_ruby_php_shell.txt"));
}

#[test]
fn weakened_tests_in_odd_places_are_noticed() {
    must_be_noticed(include_str!("scenarios/weaker_odd_places.txt"));
}

#[test]
fn files_that_vanish_from_the_runner_are_noticed() {
    let test = "def test_a():\n    assert f(1) == 2\n\n\ndef test_b():\n    assert f(2) == 3\n";
    let said = |old: FixtureFiles<'_>, new: FixtureFiles<'_>| {
        weakenings(&findings(old, new, &TamperRules::default()))
    };
    assert_eq!(
        said(&[("tests/test_a.py", test)], &[("tests/a_test_disabled.py", test)]),
        [
            "tests/a_test_disabled.py:1: test `test_a` is not collected any more: it is now `tests/a_test_disabled.py`",
            "tests/a_test_disabled.py:5: test `test_b` is not collected any more: it is now `tests/a_test_disabled.py`",
        ]
    );
    assert_eq!(
        said(&[("tests/test_a.py", test)], &[("tests/test_a.py.bak", test)]).len(),
        2,
        "a file that is no Python any more"
    );
    assert_eq!(
        said(&[("tests/test_a.py", test)], &[]),
        [
            "tests/test_a.py:1: test `test_a` is gone (was at tests/test_a.py:1)",
            "tests/test_a.py:5: test `test_b` is gone (was at tests/test_a.py:5)",
        ]
    );
    assert_eq!(
        said(&[("tests/__snapshots__/a.snap", "x\n"), ("tests/fixtures/a.json", "{}\n")], &[]),
        [
            "tests/__snapshots__/a.snap:1: snapshot deleted",
            "tests/fixtures/a.json:1: test data deleted",
        ]
    );
}
