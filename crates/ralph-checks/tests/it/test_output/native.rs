//! Output of ctest.

use ralph_core::format::OutputFormat;

use super::{check, reading, sample, told};

#[test]
fn ctest_prints_how_each_test_ended() {
    check(
        OutputFormat::Ctest,
        "ctest/mixed.txt",
        "
        passed adds
        failed crashes @: Exception: SegFault
        skipped disabled
        failed hangs @: Timeout
        failed is wrong @till.cpp:7: Subprocess aborted Exception | till: /project/till.cpp:7: int main(int, char**): Assertion `1 + 1 == 3' failed.
        failed missing @: Not Run
        failed says_nothing @: Failed  Required regular expression not found. Regex=[hello | ]  0.00 sec
        skipped skipped
        1 passed, 5 failed, 2 skipped
    ",
    );
    check(
        OutputFormat::Ctest,
        "ctest/verbose.txt",
        "
        passed adds
        failed is wrong @till.cpp:7: Subprocess aborted Exception | till: /project/till.cpp:7: int main(int, char**): Assertion `1 + 1 == 3' failed.
        1 passed, 1 failed, 0 skipped
    ",
    );
}

#[test]
fn no_tests_are_no_tests_passed() {
    check(OutputFormat::Ctest, "ctest/none.txt", "0 passed, 0 failed, 0 skipped");
}

#[test]
fn plain_text_of_ctest_is_recognised() {
    for name in ["ctest/mixed.txt", "ctest/verbose.txt", "ctest/pass.txt", "ctest/none.txt"] {
        let text = sample(name);
        let own = reading(OutputFormat::Ctest, &text).unwrap();
        assert_eq!(told(&own), told(&reading(OutputFormat::Text, &text).unwrap()), "{name}");
    }
}

#[test]
fn of_a_test_that_failed_what_passed_in_it_is_not_the_reason() {
    check(
        OutputFormat::Ctest,
        "ctest/unity.txt",
        "
        failed crash @t.c:15: Subprocess aborted Exception | t: /project/t.c:15: main: Assertion `1==2' failed.
        skipped skipme
        passed works
        failed wrong @t.c:42: /project/t.c:42:parse_should_fail:FAIL: Expected 3 Was 2 |  | ----------------------- | 3 Tests 1 Failures 0 Ignored | FAIL
        1 passed, 2 failed, 1 skipped
    ",
    );
}
