//! Output of jest and vitest.

use ralph_core::format::OutputFormat;

use super::{check, check_bytes, reading};

#[test]
fn jest_reports_files_that_cannot_be_loaded_too() {
    let want = r#"
        failed broken.jest.js @broken.jest.js:1: ● Test suite failed to run |  |     Cannot find module './nothing-like-this' from 'broken.jest.js' |  |     > 1 | const till = require("./nothing-like-this"); |         |              ^ |       2 | test("never runs", () => {}); |       3 |
        failed till.jest.js::till > adding > is wrong @till.jest.js:7: Error: expect(received).toBe(expected) // Object.is equality |  | Expected: 3 | Received: 2
        passed till.jest.js::till > adding > works
        skipped till.jest.js::till > is skipped
        skipped till.jest.js::till > is to be written
        failed till.jest.js::till > throws @till.jest.js:13: Error: no <till> & nothing
        1 passed, 3 failed, 2 skipped
    "#;
    check(OutputFormat::Jest, "jest/jest.json", want);
    check(OutputFormat::Jest, "jest/after-text.txt", want);
}

#[test]
fn vitest_reports_are_read() {
    check(
        OutputFormat::Jest,
        "jest/vitest.json",
        "
        failed broken.test.js @broken.test.js: Cannot find module './nothing-like-this' imported from /project/broken.test.js
        skipped till.test.js::till > is skipped
        skipped till.test.js::till > is to be written
        failed till.test.js::till > is wrong @till.test.js:7: AssertionError: expected 2 to be 3 // Object.is equality
        passed till.test.js::till > works
        1 passed, 2 failed, 2 skipped
    ",
    );
}

#[test]
fn bytes_that_are_no_text_do_not_matter() {
    check_bytes(
        OutputFormat::Jest,
        b"{\"success\":true,\"other\":\"\xff\",\"testResults\":[{\"name\":\"/project/a.js\",\
          \"status\":\"passed\",\"assertionResults\":[{\"title\":\"a\xff\",\"status\":\"passed\"}]}]}",
        "passed a.js::a\u{fffd}
         1 passed, 0 failed, 0 skipped",
    );
}

#[test]
fn broken_reports_are_refused_with_the_position() {
    #[track_caller]
    fn refused(input: &str, want: &str) {
        let error = reading(OutputFormat::Jest, input.as_bytes()).unwrap_err().to_string();
        assert_eq!(error, format!("its output is not what jest prints: {want}"), "{input}");
    }
    refused("", "it holds no report");
    refused("{ a: 1 }\nTests: 3\n", "it holds no report");
    refused("{\"success\":true}", "it holds no `testResults`");
    refused(
        "{\"numTotalTests\":1,\"testResults\":[{\"na",
        "EOF while parsing a string at line 1 column 38",
    );
}

#[test]
fn titles_may_be_anything() {
    check_bytes(
        OutputFormat::Jest,
        br#"{"success":false,"testResults":[{"name":"/project/a.js","status":"failed","assertionResults":[
            {"ancestorTitles":[7,null],"title":[2010,1,14],"status":"passed"},
            {"ancestorTitles":[true],"title":{"a":1},"status":"failed","failureMessages":[null]},
            {"ancestorTitles":[],"title":-1.5,"status":"pending"}]}]}"#,
        "
        skipped a.js::-1.5
        passed a.js::7 >  > 2010,1,14
        failed a.js::true > [object Object] @a.js:
        1 passed, 1 failed, 1 skipped
    ",
    );
}
