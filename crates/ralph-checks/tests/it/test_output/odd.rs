//! Titles and messages that look like something else, and endings that say
//! little: what is read is what the runner meant.

use ralph_checks::formats::{FindingCollector, read};
use ralph_core::format::OutputFormat;

use super::check_bytes;

#[track_caller]
fn reads(text: &str, want: &str) {
    check_bytes(OutputFormat::Text, text.as_bytes(), want);
}

#[test]
fn a_message_that_looks_like_a_summary_of_mocha_counts_nothing() {
    let text = "
  1 passing (3ms)
  2 failing

  1) till
       prints:
     Error: it said
  2) another

  3 passing (2ms)
  4 failing
      at Context.<anonymous> (test/till.js:6:34)

  2) till
       adds: one: two:
     Error: no
      at Context.<anonymous> (test/till.js:9:34)
";
    let want = "
        failed till > adds: one: two @test/till.js:9: Error: no
        failed till > prints @test/till.js:6: Error: it said | 2) another |  | 3 passing (2ms) | 4 failing
        1 passed, 2 failed, 0 skipped
    ";
    reads(text, want);
}

#[test]
fn titles_of_several_lines_are_names_of_several_lines() {
    let failed = |text: &str| {
        let mut out = FindingCollector::new(std::path::Path::new("/project"), "");
        read(OutputFormat::Text, &mut text.as_bytes(), &mut out).unwrap();
        let tests = out.finish().tests.unwrap();
        let first = tests.failures.into_iter().next().unwrap();
        (first.0, first.1.message, tests.counts.failed)
    };
    let mocha = "
  0 passing (3ms)
  1 failing

  1) till
         padded, and
more:
     Error: no
      at Context.<anonymous> (test/till.js:6:34)
";
    let want = |id: &str, message: &str| (id.to_owned(), message.to_owned(), 1);
    assert_eq!(failed(mocha), want("till > padded, and\nmore", "Error: no"));
    let jest = "FAIL ./till.test.js
  ● till › one
two

    thrown: 1

      at Object.<anonymous> (till.test.js:3:5)

Test Suites: 1 failed, 1 total
Tests:       1 failed, 1 total
";
    assert_eq!(failed(jest), want("till.test.js::till > one\ntwo", "thrown: 1"));
    let rspec = "
Failures:

  1) Till one
two
     Failure/Error: raise 'no'
     # ./spec/till_spec.rb:2:in `block'

Finished in 0.1 seconds (files took 0.1 seconds to load)
1 example, 1 failure
";
    assert_eq!(failed(rspec), want("Till one\ntwo", "Failure/Error: raise 'no'"));
}

#[test]
fn a_test_that_ends_jest_is_no_test_of_the_file_before_it() {
    let text = "PASS ./till.test.js
  ●  process.exit called with \"0\"

      at Object.exit (other.test.js:1:27)
";
    let want = r#"
        failed process.exit called with "0" @other.test.js:1:
        0 passed, 1 failed, 0 skipped
    "#;
    reads(text, want);
}

#[test]
fn what_vitest_expected_to_fail_passed() {
    let text = " RUN  v4.1.12 /project

 Test Files  1 passed (1)
      Tests  2 passed | 1 expected fail | 1 skipped (4)
";
    reads(text, "3 passed, 0 failed, 1 skipped");
}

#[test]
fn what_a_test_of_phpunit_prints_is_no_count() {
    let text = "PHPUnit 9.6.7 by Sebastian Bergmann and contributors.

OK (9 tests, 9 assertions)
There was 1 failure:

1) Other::testNo
.FE                                                                  3 / 3 (100%)

Time: 00:00.012, Memory: 8.00 MB

There were 2 errors:

1) TillTest::testThrows
Exception: FAILURES!
Tests: 9, Assertions: 9, Failures: 9.

/project/tests/TillTest.php:6

2) Error
The data provider specified for TillTest::testData is invalid.

ERRORS!
Tests: 3, Assertions: 1, Errors: 2.
";
    let want = "
        failed Error @: The data provider specified for TillTest::testData is invalid.
        failed TillTest::testThrows @: Exception: FAILURES!
        1 passed, 2 failed, 0 skipped
    ";
    reads(text, want);
}

#[test]
fn exunit_names_more_than_nine_failures_and_knows_an_empty_suite() {
    let failure = |number: usize| {
        format!(
            "{number:>3}) test no {number} (TillTest)\n     test/till_test.exs:{number}\n     \
             no\n     stacktrace:\n       test/till_test.exs:{number}: (test)\n\n"
        )
    };
    let ends = "Finished in 0.1 seconds (0.00s async, 0.1s sync)\n";
    let text = format!("{}{}{ends}2 tests, 2 failures\n", failure(9), failure(10));
    let want = "
        failed TillTest > no 10 @test/till_test.exs:10: no
        failed TillTest > no 9 @test/till_test.exs:9: no
        0 passed, 2 failed, 0 skipped
    ";
    reads(&text, want);
    reads(&format!("\n{ends}0 failures\n"), "0 passed, 0 failed, 0 skipped");
}

#[test]
fn ctest_takes_names_with_dots() {
    let text = "Test project /project/out
1/1 Test #1: range 1...3 ......................***Failed    0.00 sec
0% tests passed, 1 tests failed out of 1
";
    reads(text, "failed range 1...3 @: Failed\n0 passed, 1 failed, 0 skipped");
}

#[test]
fn pytest_names_subtests_and_parameters_with_the_mark_of_a_message() {
    let text = "=========================== short test summary info ============================
SUBFAILED[why: so] (n=1, s='a b') tests/test_a.py::Till::test_sub - AssertionError: no
FAILED tests/test_a.py::test_par[ - ] - AssertionError: assert ' - ' == 'no'
FAILED tests/test_a.py::test_list - assert [1] == [2]
========================= 3 failed, 1 passed in 0.07s ==========================
";
    let want = "
        failed tests/test_a.py::Till::test_sub @tests/test_a.py: AssertionError: no
        failed tests/test_a.py::test_list @tests/test_a.py: assert [1] == [2]
        failed tests/test_a.py::test_par[ - ] @tests/test_a.py: AssertionError: assert ' - ' == 'no'
        1 passed, 3 failed, 0 skipped
    ";
    reads(text, want);
}

#[test]
fn unittest_counts_what_passed_beside_subtests_and_classes() {
    let rule = "=".repeat(70);
    let text = format!(
        "{rule}\nERROR: setUpClass (test_a.Other)\nException: no\n\n\
         {rule}\nFAIL: test_sub (test_a.Till.test_sub) (n=1)\nAssertionError: 1\n\n\
         {rule}\nFAIL: test_sub (test_a.Till.test_sub) (n=3)\nAssertionError: 3\n\n\
         Ran 3 tests in 0.002s\n\nFAILED (failures=2, errors=1)\n"
    );
    let want = "
        failed test_a.Other.setUpClass @: Exception: no
        failed test_a.Till.test_sub (n=1) @: AssertionError: 1
        failed test_a.Till.test_sub (n=3) @: AssertionError: 3
        2 passed, 3 failed, 0 skipped
    ";
    reads(&text, want);
}

#[test]
fn unittest_takes_expected_failures_for_no_failures() {
    for end in ["OK (expected failures=1)", "OK (skipped=0, expected failures=1)"] {
        reads(&format!("Ran 3 tests in 0.002s\n\n{end}\n"), "2 passed, 0 failed, 1 skipped");
    }
    let end = "FAILED (errors=1, expected failures=1, unexpected successes=1)";
    reads(&format!("Ran 4 tests in 0.002s\n\n{end}\n"), "1 passed, 2 failed, 1 skipped");
}

#[test]
fn go_says_why_a_package_fell_without_a_test() {
    let text = "panic: in goroutine

goroutine 20 [running]:
example.com/till.TestGo.func1()
\t/project/till_test.go:4 +0x27
FAIL\texample.com/till\t0.008s
exit status 3
FAIL\texample.com/shop\t0.001s
FAIL
";
    let want = "
        failed example.com/shop @: exit status 3
        failed example.com/till @till_test.go:4: panic: in goroutine
        0 passed, 2 failed, 0 skipped
    ";
    reads(text, want);
    // A program that falls without tests is none.
    let mut out = FindingCollector::new(std::path::Path::new("/project"), "");
    read(OutputFormat::Text, &mut &b"panic: no\n\ngoroutine 1 [running]:\n"[..], &mut out).unwrap();
    assert!(out.finish().tests.is_none());
}

#[test]
fn prove_alone_names_files_and_says_why_they_failed() {
    let text = "
#   Failed test 'is wrong'
#   at t/till.t line 4.
#          got: '2'
# Looks like you failed 1 test of 2.
t/till.t .... 
Dubious, test returned 1 (wstat 256, 0x100)
Failed 1/2 subtests 
t/empty.t ... 
No subtests run 
t/adds.t .... ok
t/waits.t ... skipped: no database

Test Summary Report
-------------------
t/till.t  (Wstat: 256 (exited 1) Tests: 2 Failed: 1)
Files=4, Tests=4,  0 wallclock secs ( 0.03 usr  0.01 sys +  0.16 cusr  0.05 csys =  0.25 CPU)
Result: FAIL
";
    let want = "
        passed t/adds.t
        failed t/empty.t @t/empty.t: No subtests run
        failed t/till.t @t/till.t:4: Dubious, test returned 1 (wstat 256, 0x100) | Failed test 'is wrong' | got: '2' | Failed 1/2 subtests
        skipped t/waits.t
        1 passed, 2 failed, 1 skipped
    ";
    reads(text, want);
}

#[test]
fn node_is_read_as_it_prints_for_people() {
    let text = "✔ adds (0.5ms)
✖ is wrong (1.6ms)
ℹ tests 6
ℹ suites 0
ℹ pass 1
ℹ fail 2
ℹ cancelled 1
ℹ skipped 1
ℹ todo 1
ℹ duration_ms 81.6

✖ failing tests:

test at till.test.js:2:1
✖ is wrong (1.6ms)
  AssertionError [ERR_ASSERTION]: no
  
      at TestContext.<anonymous> (/project/till.test.js:3:34)

test at till.test.js:6:43
✖ to do (0.08ms) # todo
  Error: not yet
      at TestContext.<anonymous> (/project/till.test.js:6:84)

test at till.test.js:9:79
✖ never
  'test did not finish before its parent and was cancelled'

test at broken.test.js:1:1
✖ /project/broken.test.js (43.6ms)
  'test failed'
";
    let want = "
        failed broken.test.js @broken.test.js:1: 'test failed'
        failed till.test.js > is wrong @till.test.js:3: AssertionError [ERR_ASSERTION]: no
        failed till.test.js > never @till.test.js:9: 'test did not finish before its parent and was cancelled'
        1 passed, 3 failed, 2 skipped
    ";
    reads(text, want);
}
