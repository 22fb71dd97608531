//! Text of pytest and unittest.

use ralph_core::format::OutputFormat;

use super::{check, check_bytes, reading, sample, told};

#[test]
fn pytest_lists_failures_and_counts_the_rest() {
    check(
        OutputFormat::Text,
        "text/pytest-quiet.txt",
        "
        failed tests/test_case.py::CaseTest::test_errs @tests/test_case.py:18: KeyError: 'till'
        failed tests/test_case.py::CaseTest::test_fails @tests/test_case.py:11: AssertionError: 1 != 0 : not zero
        2 passed, 2 failed, 1 skipped
    ",
    );
}

#[test]
fn pytest_names_every_test_when_asked() {
    check(
        OutputFormat::Text,
        "text/pytest-verbose.txt",
        "
        passed tests/test_case.py::CaseTest::test_adds
        failed tests/test_case.py::CaseTest::test_errs @tests/test_case.py:18: KeyError: 'till'
        failed tests/test_case.py::CaseTest::test_fails @tests/test_case.py:11: AssertionError: 1 != 0 : not zero
        skipped tests/test_case.py::CaseTest::test_skipped
        passed tests/test_till.py::TestTill::test_adds
        skipped tests/test_till.py::TestTill::test_expected_to_fail
        failed tests/test_till.py::TestTill::test_needs_a_fixture @tests/test_till.py:8: RuntimeError: no till
        failed tests/test_till.py::TestTill::test_raises @tests/test_till.py:21: ValueError: a <bad> & red value
        skipped tests/test_till.py::TestTill::test_skipped
        passed tests/test_till.py::test_doubles[1-1]
        failed tests/test_till.py::test_doubles[1-2] @tests/test_till.py:13: assert 3 == (2 * 1) | +  where 3 = add(1, 2)
        3 passed, 5 failed, 3 skipped
    ",
    );
}

#[test]
fn a_file_pytest_cannot_import_has_failed() {
    check(
        OutputFormat::Text,
        "text/pytest-broken.txt",
        "
        failed tests/test_broken.py @tests/test_broken.py:1: ModuleNotFoundError: No module named 'nothing_like_this'
        0 passed, 1 failed, 0 skipped
    ",
    );
}

#[test]
fn unittest_shows_failures_and_counts_the_rest() {
    check(
        OutputFormat::Text,
        "text/unittest.txt",
        "
        failed tests.test_case.CaseTest.test_errs @tests/test_case.py:18: KeyError: 'till'
        failed tests.test_case.CaseTest.test_fails (n=1) @tests/test_case.py:11: AssertionError: 1 != 0 : not zero
        failed unittest.loader._FailedTest.nope @: ModuleNotFoundError: No module named 'tests.nope'
        1 passed, 3 failed, 1 skipped
    ",
    );
    check(
        OutputFormat::Text,
        "text/unittest-verbose.txt",
        "
        passed tests.test_case.CaseTest.test_adds
        failed tests.test_case.CaseTest.test_errs @tests/test_case.py:18: KeyError: 'till'
        failed tests.test_case.CaseTest.test_fails (n=1) @tests/test_case.py:11: AssertionError: 1 != 0 : not zero
        skipped tests.test_case.CaseTest.test_skipped
        1 passed, 2 failed, 1 skipped
    ",
    );
}

#[test]
fn sentences_about_tests_are_no_tests() {
    let text = b"FAILED to connect\nERROR no such file a.py\n3 passed the bridge in 2 hours\n\
                 OK\nok then\nnot ok\nall tests passed\n1 failed attempt in 5 minutes\n\
                 test result: ok. we think\nrunning away\n--- FAIL: everything (really)\n\
                 FAIL\tnothing\n";
    check_bytes(OutputFormat::Text, text, "no tests");
}

#[test]
fn unittest_names_the_error_and_not_the_last_line_of_its_comparison() {
    let rule = ["=".repeat(70), "-".repeat(70)];
    let text = format!(
        "{}\nFAIL: test_s (test_g.T.test_s)\n{}\nTraceback (most recent call last):\n  \
         File \"/p/test_g.py\", line 4, in test_s\n    self.assertEqual(a, b)\n\
         AssertionError: 'hello world' != 'hello wurld!'\n- hello world\n?        ^\n\
         + hello wurld!\n?        ^    +\n\n\n{}\nRan 1 test in 0.001s\n\nFAILED (failures=1)\n",
        rule[0], rule[1], rule[1]
    );
    check_bytes(
        OutputFormat::Text,
        text.as_bytes(),
        "
        failed test_g.T.test_s @/p/test_g.py:4: AssertionError: 'hello world' != 'hello wurld!' | - hello world | + hello wurld!
        0 passed, 1 failed, 0 skipped
    ",
    );
}

#[test]
fn what_could_not_be_imported_is_named() {
    check(
        OutputFormat::Text,
        "text/pytest-collect.txt",
        r#"
        failed tests/test_broken.py @tests/test_broken.py:2: ModuleNotFoundError: No module named 'pkg'
        failed tests/test_syntax.py @tests/test_syntax.py:1: File "/project/tests/test_syntax.py", line 1 | def test_b(: | ^ | SyntaxError: invalid syntax
        0 passed, 2 failed, 0 skipped
    "#,
    );
    check(
        OutputFormat::Junit,
        "junit/pytest-collect.xml",
        r#"
        failed tests.test_broken @tests/test_broken.py:2: ModuleNotFoundError: No module named 'pkg'
        failed tests.test_syntax @tests/test_syntax.py:1: File "/project/tests/test_syntax.py", line 1 | def test_b(: | ^ | SyntaxError: invalid syntax
        0 passed, 2 failed, 0 skipped
    "#,
    );
}

#[test]
fn unittest_names_the_error_above_the_values_and_tests_that_should_have_failed() {
    let text = String::from_utf8(sample("text/unittest-values.txt")).unwrap();
    let found = told(&reading(OutputFormat::Text, text.as_bytes()).unwrap());
    let begins = |line: &str| line.split(" | ").next().unwrap().to_owned();
    let lines: Vec<String> = found.lines().map(begins).collect();
    assert_eq!(
        lines,
        [
            "failed test_g.T.test_c @test_g.py:11: ValueError: bad",
            "failed test_g.T.test_d @test_g.py:4: AssertionError: {'a': 1, 'b': [0, 1, 2, 3, 4, 5, \
             6, 7, 8, 9, 10[73 chars] 29]} != {'a': 2, 'b': [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10[77 \
             chars] 30]}",
            r"failed test_g.T.test_m @test_g.py:5: AssertionError: 'a\nb\nc\n' != 'a\nx\nc\n'",
            "failed test_g.T.test_r @test_g.py:8: RuntimeError: line one",
            "failed test_g.T.test_s @test_g.py:3: AssertionError: 'hello world' != 'hello wurld!'",
            "failed test_g.T.test_x @: it passed, but was expected to fail",
            "0 passed, 6 failed, 0 skipped",
        ]
    );
}
