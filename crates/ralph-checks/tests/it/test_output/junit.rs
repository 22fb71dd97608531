//! `JUnit` reports of many tools.

use ralph_core::format::OutputFormat;

use super::{check, check_bytes, reading, sample};

#[test]
fn pytest_reports_parameters_fixtures_and_expected_failures() {
    check(
        OutputFormat::Junit,
        "junit/pytest.xml",
        r#"
        passed tests.test_case.CaseTest::test_adds
        failed tests.test_case.CaseTest::test_errs @tests/test_case.py:18: KeyError: 'till'
        failed tests.test_case.CaseTest::test_fails @tests/test_case.py:11: AssertionError: 1 != 0 : not zero
        skipped tests.test_case.CaseTest::test_skipped
        passed tests.test_till.TestTill::test_adds
        skipped tests.test_till.TestTill::test_expected_to_fail
        failed tests.test_till.TestTill::test_needs_a_fixture @tests/test_till.py:8: failed on setup with "RuntimeError: no till"
        failed tests.test_till.TestTill::test_raises @tests/test_till.py:21: ValueError: a <bad> & #x1B[31mred#x1B[0m value
        skipped tests.test_till.TestTill::test_skipped
        passed tests.test_till::test_doubles[1-1]
        failed tests.test_till::test_doubles[1-2] @tests/test_till.py:13: assert 3 == (2 * 1) |  +  where 3 = add(1, 2)
        3 passed, 5 failed, 3 skipped
    "#,
    );
}

#[test]
fn a_module_that_cannot_be_imported_has_failed() {
    check(
        OutputFormat::Junit,
        "junit/pytest-broken.xml",
        "
        failed tests.test_broken @tests/test_broken.py:1: ModuleNotFoundError: No module named 'nothing_like_this'
        0 passed, 1 failed, 0 skipped
    ",
    );
}

#[test]
fn maven_reports_flaky_tests_as_passed() {
    check(
        OutputFormat::Junit,
        "junit/surefire.xml",
        "
        passed com.shop.TillTest::adds
        passed com.shop.TillTest::isFlaky
        skipped com.shop.TillTest::isSkipped
        failed com.shop.TillTest::isWrong @: expected: <3> but was: <2>
        failed com.shop.TillTest::throws @: no till
        2 passed, 2 failed, 1 skipped
    ",
    );
}

#[test]
fn gradle_reports_are_read() {
    check(
        OutputFormat::Junit,
        "junit/gradle.xml",
        "
        passed com.shop.TillTest::adds(int, int)[1]
        skipped com.shop.TillTest::isSkipped()
        failed com.shop.TillTest::isWrong() @: org.opentest4j.AssertionFailedError: expected: <3> but was: <2>
        1 passed, 1 failed, 1 skipped
    ",
    );
}

#[test]
fn phpunit_nests_suites_and_reports_risky_tests_as_errors() {
    check(
        OutputFormat::Junit,
        "junit/phpunit.xml",
        r#"
        skipped EmptyTest::Warning
        passed TillTest::testAdds
        passed TillTest::testDoubles with data set "one"
        failed TillTest::testDoubles with data set "two" @tests/TillTest.php:19: TillTest::testDoubles with data set "two" (2, 5) | Failed asserting that 4 is identical to 5. |  | /project/tests/TillTest.php:19
        skipped TillTest::testIncomplete
        failed TillTest::testIsWrong @tests/TillTest.php:8: TillTest::testIsWrong | a <b> & "c" | Failed asserting that 2 is identical to 3. |  | /project/tests/TillTest.php:8
        passed TillTest::testRisky
        skipped TillTest::testSkipped
        failed TillTest::testThrows @tests/TillTest.php:14: TillTest::testThrows | RuntimeException: no till |  | /project/tests/TillTest.php:14
        3 passed, 3 failed, 3 skipped
    "#,
    );
}

#[test]
fn ctest_reports_missing_programs_as_failures() {
    check(
        OutputFormat::Junit,
        "junit/ctest.xml",
        "
        passed adds
        failed crashes @: 
        skipped disabled
        failed hangs @: 
        failed is wrong @till.cpp:7: till: /project/till.cpp:7: int main(int, char**): Assertion `1 + 1 == 3' failed.
        failed missing @: Unable to find executable
        failed says_nothing @: Required regular expression not found. Regex=[hello | ]
        skipped skipped
        1 passed, 5 failed, 2 skipped
    ",
    );
}

#[test]
fn rspec_and_minitest_reports_are_read() {
    check(
        OutputFormat::Junit,
        "junit/rspec.xml",
        "
        failed spec.till_spec::Till adding is wrong @spec/till_spec.rb:4: expected: 3 |      got: 2 |  | (compared using ==)
        passed spec.till_spec::Till adding works
        skipped spec.till_spec::Till is skipped
        failed spec.till_spec::Till throws @spec/till_spec.rb:7: a <b> & c
        1 passed, 2 failed, 1 skipped
    ",
    );
    check(OutputFormat::Junit, "junit/rspec-broken.xml", "0 passed, 0 failed, 0 skipped");
    check(
        OutputFormat::Junit,
        "junit/minitest.xml",
        "
        passed Minitest::Result::test_adds
        failed Minitest::Result::test_is_wrong @test/till_test.rb:7: Failure: | test_is_wrong(Minitest::Result) [test/till_test.rb:7]: | Expected: 3 |   Actual: 2
        skipped Minitest::Result::test_skipped
        failed Minitest::Result::test_throws @test/till_test.rb:9: Failure: | test_throws(Minitest::Result) [test/till_test.rb:9]: | ArgumentError: a <b> & c |     test/till_test.rb:9:in `test_throws'
        1 passed, 2 failed, 1 skipped
    ",
    );
}

#[test]
fn nextest_reports_are_read() {
    check(
        OutputFormat::Junit,
        "junit/nextest.xml",
        r#"
        passed shop::bin/till::tests::works
        passed shop::crash::a_fine
        failed shop::crash::crashes @: process aborted with signal 6 (SIGABRT)
        failed shop::tests::adding::is_wrong @src/lib.rs:53: assertion `left == right` failed: one and two |   left: 3 |  right: 4
        passed shop::tests::adding::works
        failed shop::tests::fails_in_a_thread @src/lib.rs:90: called `Result::unwrap()` on an `Err` value: Any { .. }
        failed shop::tests::nothing_panics @src/lib.rs:71: note: test did not panic as expected at src/lib.rs:71:8
        failed shop::tests::returns_an_error @: Error: "no change left"
        passed shop::tests::underflow_panics
        failed shop::tests::underflow_says_something_else @src/lib.rs:34: attempt to subtract with overflow
        failed shop::works::fails @tests/works.rs:10: a till
        passed shop::works::works
        5 passed, 7 failed, 0 skipped
    "#,
    );
}

#[test]
fn reports_of_javascript_runners_are_read() {
    check(
        OutputFormat::Junit,
        "junit/jest.xml",
        "
        failed till adding is wrong @till.jest.js:7: Error: expect(received).toBe(expected) // Object.is equality |  | Expected: 3 | Received: 2
        passed till adding works
        skipped till is skipped
        passed till is to be written
        failed till throws @till.jest.js:13: Error: no <till> & nothing
        2 passed, 2 failed, 1 skipped
    ",
    );
    check(
        OutputFormat::Junit,
        "junit/vitest.xml",
        "
        failed broken.test.js @broken.test.js:1: Cannot find module './nothing-like-this' imported from /project/broken.test.js
        skipped till.test.js::till > is skipped
        skipped till.test.js::till > is to be written
        failed till.test.js::till > is wrong @till.test.js:7: expected 2 to be 3 // Object.is equality
        passed till.test.js::till > works
        1 passed, 2 failed, 2 skipped
    ",
    );
    check(
        OutputFormat::Junit,
        "junit/node.xml",
        "
        passed alone
        failed broken.test.mjs @: test failed
        passed parent::child
        failed parent::child # with a hash @till.test.mjs:21: twolines
        failed till > adding::is wrong @till.test.mjs:10: Expected values to be strictly equal:2 !== 3
        passed till > adding::works
        skipped till::is skipped
        skipped till::is to be written
        3 passed, 3 failed, 2 skipped
    ",
    );
}

#[test]
fn several_reports_may_follow_each_other() {
    let both = [sample("junit/surefire.xml"), sample("junit/rspec.xml")].concat();
    let counts = reading(OutputFormat::Junit, &both).unwrap().tests.unwrap().counts;
    assert_eq!((counts.passed, counts.failed, counts.skipped), (3, 4, 2));
}

#[test]
fn entities_are_resolved_where_they_are_known() {
    check_bytes(
        OutputFormat::Junit,
        b"<testsuite><testcase classname='A&amp;B' name='a &lt; &#98; &unknown; &'>\
          <failure message='&quot;x&quot; &#27;[31mred&#27;[0m'/></testcase>\
          <testcase name='b'><failure>1 &lt; 2 & 3<![CDATA[ &lt; 4]]></failure></testcase>\
          </testsuite>",
        "failed A&B::a < b &unknown; & @: \"x\" red
         failed b @: 1 < 2 & 3 &lt; 4
         0 passed, 2 failed, 0 skipped",
    );
}

#[test]
fn a_suite_that_failed_as_a_whole_stands_for_itself() {
    check_bytes(
        OutputFormat::Junit,
        b"<testsuites><testsuite name='outer'><testsuite name='inner' file='a/b.rb'>\
          <error message='no set-up'/></testsuite></testsuite></testsuites>",
        "failed outer > inner @a/b.rb: no set-up
         0 passed, 1 failed, 0 skipped",
    );
}

#[test]
fn broken_reports_are_refused_with_the_position() {
    #[track_caller]
    fn refused(input: &[u8], want: &str) {
        let error = reading(OutputFormat::Junit, input).unwrap_err().to_string();
        let want = format!("its output is not what junit prints: {want}");
        assert_eq!(error, want, "{}", String::from_utf8_lossy(input));
    }
    refused(b"", "it holds no test suite");
    refused(b"no tests today", "it holds no test suite");
    refused(b"<html></html>", "`html` is no test suite at byte 6");
    refused(b"<testsuite><testcase name='a'>", "it ends within an element at byte 30");
    refused(
        b"<testsuite></testcase>",
        "ill-formed document: expected `</testsuite>`, but `</testcase>` was found at byte 11",
    );
}
