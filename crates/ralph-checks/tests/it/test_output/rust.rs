//! Output of cargo and nextest.

use ralph_core::format::OutputFormat;

use super::{check, check_bytes, reading, sample, told};

#[test]
fn every_binary_of_a_run_is_read_with_unique_ids() {
    check(
        OutputFormat::Libtest,
        "libtest/mixed.txt",
        r#"
        passed bin/till$tests::works
        failed shop$tests::adding::is_wrong @src/lib.rs:53: assertion `left == right` failed: one and two |   left: 3 |  right: 4
        passed shop$tests::adding::works
        failed shop$tests::fails_in_a_thread @src/lib.rs:90: called `Result::unwrap()` on an `Err` value: Any { .. }
        skipped shop$tests::is_ignored
        skipped shop$tests::is_ignored_without_reason
        failed shop$tests::nothing_panics @src/lib.rs:71: test did not panic as expected
        failed shop$tests::returns_an_error @: Error: "no change left"
        passed shop$tests::underflow_panics
        failed shop$tests::underflow_says_something_else @src/lib.rs:34: panic did not contain expected string |       panic message: "attempt to subtract with overflow" |  expected substring: "something else"
        failed shop::crash @: (signal: 6, SIGABRT: process abort signal)
        passed shop::doc$src/lib.rs - add
        failed shop::doc$src/lib.rs - sub @src/lib.rs:14: assertion `left == right` failed |   left: 1 |  right: 2
        skipped shop::doc$src/lib.rs - sub (2)
        passed shop::doc$src/lib.rs - sub (3)
        passed shop::doc$src/lib.rs - sub (4)
        passed shop::doc$src/lib.rs - sub (5)
        failed shop::works$fails @tests/works.rs:10: a till
        passed shop::works$works
        8 passed, 8 failed, 3 skipped
    "#,
    );
}

#[test]
fn output_that_was_not_captured_stands_between_name_and_end() {
    check(
        OutputFormat::Libtest,
        "libtest/one-thread.txt",
        r#"
        passed bin/till$tests::works
        failed shop$tests::adding::is_wrong @src/lib.rs:53: assertion `left == right` failed: one and two |   left: 3 |  right: 4
        passed shop$tests::adding::works
        failed shop$tests::fails_in_a_thread @src/lib.rs:90: called `Result::unwrap()` on an `Err` value: Any { .. }
        skipped shop$tests::is_ignored
        skipped shop$tests::is_ignored_without_reason
        failed shop$tests::nothing_panics @src/lib.rs:71: test did not panic as expected
        failed shop$tests::returns_an_error @: Error: "no change left"
        passed shop$tests::underflow_panics
        failed shop$tests::underflow_says_something_else @: panic did not contain expected string |       panic message: "attempt to subtract with overflow" |  expected substring: "something else"
        passed shop::crash$a_fine
        failed shop::crash$crashes @: (signal: 6, SIGABRT: process abort signal)
        passed shop::doc$src/lib.rs - add
        failed shop::doc$src/lib.rs - sub @src/lib.rs:14: assertion `left == right` failed |   left: 1 |  right: 2
        skipped shop::doc$src/lib.rs - sub (2)
        passed shop::doc$src/lib.rs - sub (3)
        passed shop::doc$src/lib.rs - sub (4)
        passed shop::doc$src/lib.rs - sub (5)
        failed shop::works$fails @tests/works.rs:10: a till
        passed shop::works$works
        9 passed, 8 failed, 3 skipped
    "#,
    );
}

#[test]
fn backtraces_and_colours_change_nothing() {
    let want = "
        failed works::works$fails @tests/works.rs:10: a till
        passed works::works$works
        1 passed, 1 failed, 0 skipped";
    check(OutputFormat::Libtest, "libtest/backtrace.txt", want);
    check(OutputFormat::Libtest, "libtest/colours.txt", want);
}

#[test]
fn a_quiet_run_names_only_failures_but_counts_all() {
    check(
        OutputFormat::Libtest,
        "libtest/quiet.txt",
        r#"
        failed tests::adding::is_wrong @src/lib.rs:53: assertion `left == right` failed: one and two |   left: 3 |  right: 4
        failed tests::fails_in_a_thread @src/lib.rs:90: called `Result::unwrap()` on an `Err` value: Any { .. }
        failed tests::nothing_panics @src/lib.rs:71: test did not panic as expected
        failed tests::returns_an_error @: Error: "no change left"
        failed tests::underflow_says_something_else @src/lib.rs:34: panic did not contain expected string |       panic message: "attempt to subtract with overflow" |  expected substring: "something else"
        2 passed, 5 failed, 2 skipped
    "#,
    );
}

#[test]
fn errors_of_the_compiler_are_findings() {
    let want = r#"
        error @tests/works.rs:12: rustc E0425 tests/works.rs: cannot find value `zz` in this scope @ fn broken() -> u32 { "x" } fn two() { let y: u8 = zz; }
        error @tests/works.rs:12: rustc E0308 tests/works.rs: mismatched types @ fn broken() -> u32 { "x" } fn two() { let y: u8 = zz; }
        no tests
    "#;
    check(OutputFormat::Libtest, "libtest/compile-error.txt", want);
    check(OutputFormat::Nextest, "nextest/compile-error.txt", want);
    check(
        OutputFormat::Text,
        "libtest/compile-error.txt",
        "
        error @tests/works.rs:12: rustc E0425 tests/works.rs: cannot find value `zz` in this scope
        error @tests/works.rs:12: rustc E0308 tests/works.rs: mismatched types
        no tests
    ",
    );
}

#[test]
fn documentation_tests_keep_their_ids_when_lines_move() {
    let text = |first: u32, second: u32| {
        format!(
            "   Doc-tests shop\n\nrunning 2 tests\n\
             test src/lib.rs - sub (line {second}) ... FAILED\n\
             test src/lib.rs - sub (line {first}) ... ok\n\nfailures:\n\n\
             ---- src/lib.rs - sub (line {second}) stdout ----\nno\n\n\n\
             failures:\n    src/lib.rs - sub (line {second})\n\n\
             test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n"
        )
    };
    check_bytes(
        OutputFormat::Libtest,
        text(5, 9).as_bytes(),
        "passed shop::doc$src/lib.rs - sub
         failed shop::doc$src/lib.rs - sub (2) @src/lib.rs:9: no
         1 passed, 1 failed, 0 skipped",
    );
    check_bytes(
        OutputFormat::Libtest,
        text(80, 100).as_bytes(),
        "passed shop::doc$src/lib.rs - sub
         failed shop::doc$src/lib.rs - sub (2) @src/lib.rs:100: no
         1 passed, 1 failed, 0 skipped",
    );
}

#[test]
fn a_test_run_that_a_test_printed_is_not_believed() {
    let inner = String::from_utf8(sample("libtest/mixed.txt")).unwrap();
    let text = format!(
        "     Running tests/it.rs (target/debug/deps/it-0123456789abcdef)\n\n\
         running 2 tests\ntest runs_cargo ... FAILED\ntest works ... ok\n\nfailures:\n\n\
         ---- runs_cargo stdout ----\n{inner}\n\
         thread 'runs_cargo' (7) panicked at tests/it.rs:3:4:\nit failed\n\n\n\
         failures:\n    runs_cargo\n\n\
         test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n"
    );
    for format in [OutputFormat::Libtest, OutputFormat::Text] {
        let reading = reading(format, text.as_bytes()).unwrap();
        let counts = reading.tests.as_ref().unwrap().counts;
        assert_eq!((counts.passed, counts.failed, counts.skipped), (1, 1, 0), "{}", told(&reading));
    }
}

#[test]
fn a_binary_that_was_cut_off_has_failed() {
    let text = b"     Running tests/it.rs (target/debug/deps/it-0123456789abcdef)\n\n\
                 running 2 tests\ntest works ... ok\n";
    check_bytes(
        OutputFormat::Libtest,
        text,
        "failed it::it @: its output ends early
         passed it::it$works
         1 passed, 1 failed, 0 skipped",
    );
}

#[test]
fn a_line_that_announces_tests_is_no_test() {
    check_bytes(
        OutputFormat::Text,
        b"running 3 tests\nall fine\n",
        "0 passed, 0 failed, 0 skipped",
    );
}

#[test]
fn nextest_names_binaries_itself() {
    check(
        OutputFormat::Nextest,
        "nextest/mixed.txt",
        r#"
        failed shop$tests::adding::is_wrong @src/lib.rs:53: assertion `left == right` failed: one and two |   left: 3 |  right: 4
        passed shop$tests::adding::works
        failed shop$tests::fails_in_a_thread @src/lib.rs:90: called `Result::unwrap()` on an `Err` value: Any { .. }
        failed shop$tests::nothing_panics @src/lib.rs:71: test did not panic as expected
        failed shop$tests::returns_an_error @: Error: "no change left"
        passed shop$tests::underflow_panics
        failed shop$tests::underflow_says_something_else @src/lib.rs:34: panic did not contain expected string |       panic message: "attempt to subtract with overflow" |  expected substring: "something else"
        passed shop::bin/till$tests::works
        passed shop::crash$a_fine
        failed shop::crash$crashes @: SIGABRT | (test aborted with signal 6: SIGABRT)
        failed shop::works$fails @tests/works.rs:10: a till
        passed shop::works$works
        5 passed, 7 failed, 2 skipped
    "#,
    );
}

#[test]
fn of_several_attempts_the_last_one_counts() {
    check(
        OutputFormat::Nextest,
        "nextest/retries.txt",
        "failed shop::works$fails @tests/works.rs:10: a till
         passed shop::works$works
         1 passed, 1 failed, 0 skipped",
    );
    let flaky = b"    Starting 1 test across 1 binary\n\
                  \x20 TRY 1 FAIL [   0.010s] shop::works flaky\n\
                  \x20 TRY 2 PASS [   0.010s] shop::works flaky\n\
                  ------------\n\
                  \x20    Summary [   0.023s] 1 test run: 1 passed (1 flaky), 0 skipped\n\
                  \x20  FLAKY 2/3 [   0.010s] shop::works flaky\n";
    check_bytes(
        OutputFormat::Nextest,
        flaky,
        "passed shop::works$flaky
         1 passed, 0 failed, 0 skipped",
    );
}

#[test]
fn plain_text_of_both_is_recognised() {
    for (format, name) in [
        (OutputFormat::Libtest, "libtest/mixed.txt"),
        (OutputFormat::Libtest, "libtest/one-thread.txt"),
        (OutputFormat::Nextest, "nextest/mixed.txt"),
        (OutputFormat::Nextest, "nextest/retries.txt"),
    ] {
        let text = sample(name);
        let (own, plain) =
            (reading(format, &text).unwrap(), reading(OutputFormat::Text, &text).unwrap());
        assert_eq!(told(&own), told(&plain), "{name}");
    }
}
