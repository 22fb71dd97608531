//! The Test Anything Protocol.

use ralph_core::format::OutputFormat;

use super::{check, check_bytes, reading, sample, told};

#[test]
fn node_nests_subtests_and_says_where_they_are() {
    check(
        OutputFormat::Tap,
        "tap/node.tap",
        "
        passed alone
        failed broken.test.mjs @broken.test.mjs:1: Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/project/nothing-like-this.mjs' imported from /project/broken.test.mjs
        passed parent > child
        failed parent > child # with a hash @till.test.mjs:22: two | lines
        failed till > adding > is wrong @till.test.mjs:10: Expected values to be strictly equal: |  | 2 !== 3
        passed till > adding > works
        skipped till > is skipped
        skipped till > is to be written
        3 passed, 3 failed, 2 skipped
    ",
    );
}

#[test]
fn prove_names_files_and_with_v_their_tests() {
    check(
        OutputFormat::Tap,
        "tap/prove.txt",
        "
        failed t/crash.t @t/crash.t: Dubious, test returned 255 (wstat 65280, 0xff00) | Failed 2/3 subtests
        failed t/till.t @t/till.t:3: Dubious, test returned 2 (wstat 512, 0x200) | Failed test 'is wrong' | got: '2' | expected: '3' | Failed test 'inner' | Failed test 'two' | Failed 2/5 subtests
        0 passed, 2 failed, 0 skipped
    ",
    );
    check(
        OutputFormat::Tap,
        "tap/prove-verbose.txt",
        "
        failed t/crash.t @t/crash.t: Dubious, test returned 255 (wstat 65280, 0xff00) | Failed 2/3 subtests
        passed t/crash.t > adds
        skipped t/till.t > #4
        passed t/till.t > adds
        passed t/till.t > inner > one
        failed t/till.t > inner > two @t/till.t:4: 
        failed t/till.t > is wrong @t/till.t:3: got: '2' | expected: '3'
        skipped t/till.t > to do
        3 passed, 3 failed, 2 skipped
    ",
    );
}

#[test]
fn bats_says_where_a_test_failed_below_it() {
    check(
        OutputFormat::Tap,
        "tap/bats.tap",
        "
        failed a price has two digits @test/label.bats:10: `[ \"$output\" = \"1.50\" ]' failed | ls: cannot access '*.txt': No such file or directory
        passed nothing is free
        failed prices are added up @test/label.bats:21: `is 3' failed
        skipped thousands are grouped
        1 passed, 2 failed, 1 skipped
    ",
    );
}

#[test]
fn subtests_without_announcement_are_named_after_the_test_that_follows() {
    check_bytes(
        OutputFormat::Tap,
        b"TAP version 14\n1..2\n    1..2\n    ok 1 - one\n        not ok 1 - deep\n        1..1\n\
          \x20   not ok 2 - two\nnot ok 1 - outer\n  ---\n  message: \"it's\\nbroken\"\n  at:\n\
          \x20   file: lib/a.js\n    line: 7\n  ...\nok 2\n",
        "passed #2
         passed outer > one
         failed outer > two > deep @:
         2 passed, 1 failed, 0 skipped",
    );
}

#[test]
fn a_test_that_fails_beside_its_subtests_is_reported() {
    check_bytes(
        OutputFormat::Tap,
        b"1..1\n# Subtest: outer\n    ok 1 - one\n    1..1\nnot ok 1 - outer\n  ---\n\
          \x20 message: 'it''s broken'\n  at:\n    file: lib/a.js\n    line: 7\n  ...\n",
        "failed outer @lib/a.js:7: it's broken
         passed outer > one
         1 passed, 1 failed, 0 skipped",
    );
}

#[test]
fn fewer_tests_than_planned_are_a_failure() {
    check_bytes(
        OutputFormat::Tap,
        b"1..3\nok 1 - one\nBail out! no till\n",
        "passed one
         error @: tap - : Bail out! no till
         error @: tap - : # tests were planned, # ran
         1 passed, 3 failed, 0 skipped",
    );
    check_bytes(OutputFormat::Tap, b"1..0 # SKIP nothing to do\n", "0 passed, 0 failed, 0 skipped");
}

#[test]
fn plain_text_of_tap_is_recognised() {
    let text = sample("tap/node.tap");
    let own = reading(OutputFormat::Tap, &text).unwrap();
    assert_eq!(told(&own), told(&reading(OutputFormat::Text, &text).unwrap()));
}

#[test]
fn a_plan_at_the_end_is_recognised_in_plain_text_too() {
    for first in ["ok 1", "ok 1 - one", "not ok 1 - one", "ok 1 # skip"] {
        let text = format!("building\n{first}\nok 2 - two\n1..2\n");
        let own = reading(OutputFormat::Tap, text.as_bytes()).unwrap();
        let plain = reading(OutputFormat::Text, text.as_bytes()).unwrap();
        assert_eq!(told(&own), told(&plain), "{first}");
        assert_eq!(plain.findings, [], "{first}");
    }
    let prose = reading(OutputFormat::Text, b"ok 12 files\nok 1st try\nok\n").unwrap();
    assert_eq!(prose.tests, None);
}

#[test]
fn a_document_of_perl_without_a_header_is_recognised() {
    check(
        OutputFormat::Text,
        "tap/perl.tap",
        "
        skipped #3
        failed is wrong @t/till.t:3: got: '2' | expected: '3'
        skipped later
        passed works
        1 passed, 1 failed, 2 skipped
    ",
    );
}

#[test]
fn comments_below_a_failure_say_why_whatever_they_look_like() {
    check_bytes(
        OutputFormat::Text,
        b"1..3\nnot ok 1 bats-gather-tests\n# /t/broken.bats: line 3: syntax error\nok 2 fine\n\
          # beside it\nnot ok 3 fails\n# fail 2\n",
        "
        failed bats-gather-tests @: /t/broken.bats: line 3: syntax error
        failed fails @:
        passed fine
        1 passed, 2 failed, 0 skipped
    ",
    );
}
