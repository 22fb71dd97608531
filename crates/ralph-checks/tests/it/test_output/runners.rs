//! Text of runners that print for people, whatever command started them.

use std::fs;

use ralph_checks::formats::{FindingCollector, read, text_runners};
use ralph_core::format::OutputFormat;

use super::{check, check_bytes, sample, samples};

#[track_caller]
fn reads(name: &str, want: &str) {
    check(OutputFormat::Text, &format!("text/{name}.txt"), want);
}

#[track_caller]
fn reads_text(text: &str, want: &str) {
    check_bytes(OutputFormat::Text, text.as_bytes(), want);
}

#[test]
fn mocha_is_read_whatever_its_reporter() {
    let want = r#"
        failed at the top @test/till.js:21: AssertionError [ERR_ASSERTION]: Expected values to be strictly deep-equal: | + actual - expected |  | { | a: 1, | b: [ | 1, | +     2 | -     3 | ] | } | + expected - actual |  | { | "a": 1 | "b": [ | 1 | -    2 | +    3 | ] | }
        failed hooks > "before all" hook for "never runs" @test/till.js:17: Error: no database
        failed till > adding > is wrong @test/till.js:6: AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: |  | 2 !== 3 |  | + expected - actual |  | -2 | +3
        failed till > throws @test/till.js:12: TypeError: no <till> & nothing
        2 passed, 4 failed, 2 skipped
    "#;
    reads("mocha", want);
    reads("mocha-dot", want);
}

#[test]
fn jest_is_read_without_its_report() {
    reads(
        "jest",
        "
        failed broken.test.js @broken.test.js:1: Cannot find module './nothing-like-this' from 'broken.test.js'
        failed other.test.js::b > c > d @other.test.js:1: expect(received).toEqual(expected) // deep equality |  | - Expected  - 1 | + Received  + 1 |  | Array [ | 1, | -   3, | +   2, | ]
        failed till.test.js::till > adding > is wrong @till.test.js:5: expect(received).toBe(expected) // Object.is equality |  | Expected: 3 | Received: 2
        failed till.test.js::till > throws @till.test.js:12: TypeError: no <till> & nothing
        2 passed, 4 failed, 2 skipped
    ",
    );
    reads(
        "jest-verbose",
        "
        failed till.test.js::till > adding > is wrong @till.test.js:5: expect(received).toBe(expected) // Object.is equality |  | Expected: 3 | Received: 2
        failed till.test.js::till > throws @till.test.js:12: TypeError: no <till> & nothing
        1 passed, 2 failed, 2 skipped
    ",
    );
}

#[test]
fn vitest_is_read_without_its_report() {
    reads(
        "vitest",
        r#"
        failed broken.test.js @broken.test.js:2: Error: Cannot find module './nothing-like-this' imported from /project/broken.test.js
        failed till.test.js::object @till.test.js:16: AssertionError: expected { a: 1 } to deeply equal { a: 2 } |  | - Expected | + Received |  | { | -   "a": 2, | +   "a": 1, | }
        failed till.test.js::till > adding > is wrong @till.test.js:6: AssertionError: expected 2 to be 3 // Object.is equality |  | - Expected | + Received |  | - 3 | + 2
        failed till.test.js::till > throws @till.test.js:13: TypeError: no <till> & nothing
        3 passed, 4 failed, 2 skipped
    "#,
    );
}

#[test]
fn tests_of_vitest_may_share_a_message() {
    reads_text(
        " RUN  v4.1.12 /project\n\n⎯⎯⎯ Failed Tests 2 ⎯⎯⎯\n\n FAIL  |web| a.test.js > one\n \
         FAIL  |web| a.test.js > two\nError: no\n ❯ a.test.js:3:1\n\n⎯⎯⎯[1/1]⎯\n\n \
         Test Files  1 failed (1)\n      Tests  2 failed | 1 passed (3)\n",
        "
        failed a.test.js::one @a.test.js:3: Error: no
        failed a.test.js::two @a.test.js:3: Error: no
        1 passed, 2 failed, 0 skipped
    ",
    );
}

#[test]
fn rspec_names_what_fails_and_what_is_pending() {
    reads(
        "rspec",
        r#"
        failed Till adding is wrong @spec/till_spec.rb:5: Failure/Error: expect(1 + 1).to eq(3) |  | expected: 3 | got: 2 |  | (compared using ==)
        failed Till aggregates @spec/till_spec.rb:24: Got 2 failures: |  | 4.1) Failure/Error: expect(1).to eq 2 |  | expected: 2 | got: 1 |  | (compared using ==)
        failed Till doubles 2 @spec/till_spec.rb:22: Failure/Error: [1, 2].each { |n| it("doubles #{n}") { expect(n * 2).to eq(2) } } |  | expected: 2 | got: 4 |  | (compared using ==)
        failed Till is fixed by accident @spec/till_spec.rb:18: Expected pending 'later' to fail. No error was raised.
        skipped Till is known to be broken
        skipped Till is skipped
        skipped Till is to be written
        failed Till throws @spec/till_spec.rb:12: Failure/Error: raise ArgumentError, "no <till> & nothing" |  | ArgumentError: | no <till> & nothing
        2 passed, 5 failed, 3 skipped
    "#,
    );
    reads(
        "rspec-broken",
        r#"
        failed spec/broken_spec.rb @spec/broken_spec.rb:1: Failure/Error: require "nothing_like_this" |  | LoadError: | cannot load such file -- nothing_like_this
        0 passed, 1 failed, 0 skipped
    "#,
    );
}

#[test]
fn phpunit_is_read_without_its_report() {
    reads(
        "phpunit",
        r#"
        failed TillTest::testArrays @tests/TillTest.php:24: Failed asserting that two arrays are equal. | --- Expected | +++ Actual | @@ @@ | Array ( | -    'a' => 1 | +    'a' => 2 | )
        failed TillTest::testDoubles with data set "two" @tests/TillTest.php:19: Failed asserting that 4 is identical to 5.
        failed TillTest::testIsWrong @tests/TillTest.php:8: sums | Failed asserting that 2 is identical to 3.
        failed TillTest::testThrows @tests/TillTest.php:14: InvalidArgumentException: no <till> & nothing
        failed TillTest::testWarns @tests/TillTest.php:23: Undefined array key 5
        4 passed, 5 failed, 2 skipped
    "#,
    );
    reads_text(
        "PHPUnit 11.4.3 by Sebastian Bergmann and contributors.\n\n.  1 / 1 (100%)\n\n\
         Time: 00:00.003, Memory: 8.00 MB\n\nOK (1 test, 1 assertion)\n",
        "1 passed, 0 failed, 0 skipped",
    );
}

#[test]
fn surefire_is_read_in_the_forms_of_both_its_versions() {
    reads(
        "surefire",
        "
        failed shop.TillTest::isThrowing @TillTest.java:12: java.lang.IllegalStateException: no <till> & nothing
        failed shop.TillTest::isWrong @TillTest.java:7: java.lang.AssertionError: expected:<3> but was:<2>
        2 passed, 2 failed, 1 skipped
    ",
    );
    reads_text(
        "[INFO] Running shop.TillTest\n\
         [ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.05 s <<< FAILURE! -- in shop.TillTest\n\
         [ERROR] shop.TillTest.isWrong -- Time elapsed: 0.003 s <<< FAILURE!\n\
         org.opentest4j.AssertionFailedError: expected: <3> but was: <2>\n\
         \tat org.junit.jupiter.api.AssertionUtils.fail(AssertionUtils.java:55)\n\
         \tat shop.TillTest.isWrong(TillTest.java:7)\n\n\
         [INFO] Results:\n[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0\n",
        "
        failed shop.TillTest::isWrong @TillTest.java:7: org.opentest4j.AssertionFailedError: expected: <3> but was: <2>
        1 passed, 1 failed, 0 skipped
    ",
    );
}

#[test]
fn gradle_counts_tests_where_one_failed_and_tasks_elsewhere() {
    reads(
        "gradle",
        "
        failed :test > shop.TillTest > isThrowing @TillTest.java:12: java.lang.IllegalStateException at TillTest.java:12
        failed :test > shop.TillTest > isWrong @TillTest.java:7: java.lang.AssertionError at TillTest.java:7
        2 passed, 2 failed, 1 skipped
    ",
    );
    reads_text(
        "> Task :app:compileTestJava UP-TO-DATE\n> Task :app:test\n> Task :lib:test NO-SOURCE\n\n\
         BUILD SUCCESSFUL in 2s\n3 actionable tasks: 1 executed\n",
        "passed :app:test
         1 passed, 0 failed, 0 skipped",
    );
    reads_text(
        "> Task :test\n\nTillTest > adds() PASSED\n\nTillTest > isWrong() FAILED\n    \
         org.opentest4j.AssertionFailedError: expected: <3> but was: <2>\n        \
         at app//shop.TillTest.isWrong(TillTest.java:7)\n\nTillTest > waits() SKIPPED\n\n\
         3 tests completed, 1 failed, 1 skipped\n\n> Task :test FAILED\n\nBUILD FAILED in 2s\n",
        "passed :test > TillTest > adds()
         failed :test > TillTest > isWrong() @TillTest.java:7: org.opentest4j.AssertionFailedError: expected: <3> but was: <2>
         skipped :test > TillTest > waits()
         1 passed, 1 failed, 1 skipped",
    );
}

#[test]
fn dotnet_is_read_on_both_of_its_platforms() {
    reads(
        "dotnet",
        "
        skipped Shop.Tests.TillTests.IsSkipped
        failed Shop.Tests.TillTests.IsWrong @Shop.Tests/TillTests.cs:14: Assert.Equal() Failure: Values differ | Expected: 3 | Actual:   2
        failed Shop.Tests.TillTests.Throws @Shop.Tests/TillTests.cs:23: System.InvalidOperationException : no <till> & nothing
        2 passed, 2 failed, 1 skipped
    ",
    );
    reads_text(
        "failed Shop.Tests.TillTests.IsWrong (5ms)\n  Assert.AreEqual failed. Expected:<3>. Actual:<2>.\n    \
         at Shop.Tests.TillTests.IsWrong() in /project/TillTests.cs:14\n\n\
         Test run summary: Failed! - bin/Shop.Tests.dll (net9.0|x64)\n  total: 3\n  failed: 1\n  \
         succeeded: 1\n  skipped: 1\n  duration: 212ms\n",
        "
        failed Shop.Tests.TillTests.IsWrong @TillTests.cs:14: Assert.AreEqual failed. Expected:<3>. Actual:<2>.
        1 passed, 1 failed, 1 skipped
    ",
    );
    reads_text(
        "Test Run Failed.\nTotal tests: 3\n     Passed: 1\n     Failed: 2\n Total time: 1.2 Seconds\n",
        "1 passed, 2 failed, 0 skipped",
    );
    reads_text(
        "Test summary: total: 4, failed: 1, succeeded: 2, skipped: 1, duration: 0.9s\n",
        "2 passed, 1 failed, 1 skipped",
    );
}

#[test]
fn sbt_is_read_with_the_usual_frameworks() {
    reads(
        "sbt",
        "
        failed TillSpec > should be wrong @TillSpec.scala:10: 2 did not equal 3 (TillSpec.scala:10)
        failed TillSpec > should throw @TillSpec.scala:14: java.lang.IllegalStateException: no <till> & nothing
        failed shop.CartTest.isWrong @CartTest.java:7: java.lang.AssertionError: expected:<3> but was:<2>
        2 passed, 3 failed, 1 skipped
    ",
    );
    reads_text(
        "[error] ==> X shop.TillSuite.is wrong  0.05s munit.ComparisonFailException: /project/src/test/scala/TillSuite.scala:7\n\
         [error] Failed: Total 1, Failed 1, Errors 0, Passed 0\n",
        "
        failed shop.TillSuite.is wrong @src/test/scala/TillSuite.scala:7: munit.ComparisonFailException: /project/src/test/scala/TillSuite.scala:7
        0 passed, 1 failed, 0 skipped
    ",
    );
}

#[test]
fn exunit_counts_tests_whose_setup_failed() {
    reads(
        "exunit",
        r#"
        failed SetupTest @test/till_test.exs:24: ** (RuntimeError) no database
        failed TillTest > adding is wrong @test/till_test.exs:9: Assertion with == failed | code:  assert Till.add(1, 1) == 3 | left:  2 | right: 3
        failed TillTest > is to be written @test/till_test.exs:18: Not implemented
        failed TillTest > matches @test/till_test.exs:19: match (=) failed | code:  assert {:ok, _} = {:error, 1} | left:  {:ok, _} | right: {:error, 1}
        failed TillTest > throws @test/till_test.exs:16: ** (ArgumentError) no <till> & nothing | code: raise ArgumentError, "no <till> & nothing"
        1 passed, 6 failed, 1 skipped
    "#,
    );
}

#[test]
fn swift_is_read_with_both_of_its_libraries() {
    reads(
        "swift",
        r#"
        passed TillTests.testAdds
        skipped TillTests.testIsSkipped
        failed TillTests.testIsWrong @Tests/shopTests/TillTests.swift:12: XCTAssertEqual failed: ("2") is not equal to ("3") - sums
        passed adds()
        skipped isSkipped()
        failed isWrong() @CartTests.swift:9: Expectation failed: (add(1, 1) → 2) == 3 | sums
        2 passed, 2 failed, 2 skipped
    "#,
    );
}

#[test]
fn dart_names_what_fails() {
    reads(
        "dart",
        "
        failed test/till_test.dart: till is wrong @test/till_test.dart:8: Expected: <3> | Actual: <2> | sums
        failed test/till_test.dart: till throws @lib/till.dart:5: Bad state: no <till> & nothing
        2 passed, 2 failed, 1 skipped
    ",
    );
}

#[test]
fn suites_without_tests_are_known_as_such() {
    for name in ["mocha", "jest", "vitest", "rspec", "phpunit", "exunit"] {
        reads(&format!("{name}-none"), "0 passed, 0 failed, 0 skipped");
    }
}

#[test]
fn runs_one_after_the_other_are_added_up() {
    let jest = String::from_utf8(sample("text/jest-verbose.txt")).unwrap();
    let mocha = String::from_utf8(sample("text/mocha-dot.txt")).unwrap();
    let text = format!("> shop@1.0.0 test\n> TZ=UTC jest && mocha\n\n{jest}\n{jest}\n{mocha}");
    let mut out = FindingCollector::new("/project".as_ref(), "");
    read(OutputFormat::Text, &mut text.as_bytes(), &mut out).unwrap();
    let tests = out.finish().tests.unwrap();
    let counts = tests.counts;
    assert_eq!((counts.passed, counts.failed, counts.skipped), (4, 8, 6));
    assert_eq!(tests.failures.len(), 6);
}

#[test]
fn a_file_that_is_named_without_its_folder_is_found() {
    let project = tempfile::tempdir().unwrap();
    let folder = project.path().join("src/test/java/shop");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("TillTest.java"), "").unwrap();
    let mut out = FindingCollector::new(project.path(), "");
    read(OutputFormat::Text, &mut &*sample("text/surefire.txt"), &mut out).unwrap();
    let failures = out.finish().tests.unwrap().failures;
    let place = failures["shop.TillTest::isWrong"].place.display();
    assert_eq!(place, "src/test/java/shop/TillTest.java:7");
}

/// A row of the table in the documentation: reader, version, known from.
fn documented() -> Vec<[String; 3]> {
    let text = include_str!("../../../../../docs/concepts/gates.md");
    let rows = text.lines().skip_while(|line| !line.starts_with("| reader |")).skip(2);
    let rows = rows.take_while(|line| line.starts_with('|'));
    let cell = |line: &str, index| line.split('|').nth(index).unwrap().trim().to_owned();
    rows.map(|line| [1, 2, 3].map(|index| cell(line, index))).collect()
}

#[test]
fn the_documentation_lists_every_runner_and_how_it_is_known() {
    let rows = documented();
    let names: Vec<&str> = rows.iter().map(|[name, ..]| name.as_str()).collect();
    assert_eq!(names, text_runners());
    let tools = include_str!("../../../../../xtask/src/tools.rs");
    let real = include_str!("../real_runners.rs").to_lowercase();
    for [name, version, known] in &rows {
        let own = name.split(' ').next().unwrap().to_lowercase();
        match known.as_str() {
            "real" if matches!(own.as_str(), "mocha" | "jest" | "vitest") => {
                assert!(tools.contains(&format!("\"{own}@{version}\"")), "{name} {version}");
            }
            "real" if own == "pytest" => assert!(tools.contains(&format!("\"pytest=={version}\""))),
            "real" => assert!(real.contains(&own), "no test runs {name}"),
            "recorded" | "documented" => {
                assert!(!real.contains(&format!("check(\"{own}\"")), "{name} is run for real");
                let own = if own == "nextest" { "../nextest/mixed".to_owned() } else { own };
                assert!(samples().join(format!("text/{own}.txt")).is_file(), "{name}");
            }
            other => panic!("{name} is known from `{other}`"),
        }
    }
}

#[test]
fn sentences_about_runners_are_no_tests() {
    let text = "3 passing cars\n  3 passing cars\nTests: 3 failed, 4 total\n Tests  3 failed (3)\n\
                9 examples, 9 failures\n9 tests, 9 failures\nTests run: 9, Failures: 9\n\
                Failures:\n\n  2 birds, 1 stone\nPHPUnit is a framework\nTests: 9, Assertions: 1\n\
                a > b FAILED\nno more\nTotal tests: many\nExecuted the plan, with care\n\
                12:30 +3 guests: all came\n[info] - all went well\n✘ Test of courage\n";
    reads_text(text, "no tests");
}

#[test]
fn a_task_of_gradle_that_cleans_is_no_test() {
    check_bytes(
        OutputFormat::Text,
        b":cleanTest\n:testClasses\n:testWARNING: deprecated\n\nshop.Till > adds FAILED\n    \
          java.lang.AssertionError at Till.java:7\n\n2 tests completed, 1 failed\n:test FAILED\n",
        "
        failed :test > shop.Till > adds @Till.java:7: java.lang.AssertionError at Till.java:7
        1 passed, 1 failed, 0 skipped
    ",
    );
}
