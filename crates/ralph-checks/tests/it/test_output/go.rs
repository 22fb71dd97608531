//! Output of `go test`.

use std::fs;

use ralph_checks::formats::{FindingCollector, read};
use ralph_core::format::OutputFormat;

use super::{check, check_bytes, sample};

#[test]
fn subtests_panics_skips_and_broken_packages_are_read() {
    check(
        OutputFormat::GoTest,
        "go-test/mixed.json",
        r#"
        failed example.com/shop.TestAdd
        passed example.com/shop.TestAdd/right
        failed example.com/shop.TestAdd/wrong_value @shop_test.go:16: Add(1, 1) = 2, | want 3
        passed example.com/shop.TestParallelOne
        failed example.com/shop.TestParallelTwo @shop_test.go:26: two
        skipped example.com/shop.TestSkipped
        failed example.com/shop/broken @: build failed
        failed example.com/shop/exits.TestExits @: it did not end
        passed example.com/shop/fine.TestFine
        passed example.com/shop/sub.TestFine
        failed example.com/shop/sub.TestPanics @sub/sub_test.go:9: panic: assignment to entry in nil map [recovered] | panic: assignment to entry in nil map
        error @broken/broken_test.go:6: go - broken/broken_test.go: cannot use "x" (untyped string constant) as int value in variable declaration
        error @broken/broken_test.go:7: go - broken/broken_test.go: undefined: undefined
        4 passed, 6 failed, 1 skipped
    "#,
    );
}

#[test]
fn events_about_the_build_are_read_and_cached_packages_pass() {
    check(
        OutputFormat::GoTest,
        "go-test/build-events.json",
        r#"
        failed example.com/shop/broken @: build failed
        error @broken/broken_test.go:6: go - broken/broken_test.go: cannot use "x" (untyped string constant) as int value in variable declaration
        0 passed, 1 failed, 0 skipped
    "#,
    );
}

#[test]
fn files_are_found_in_the_folder_of_their_package() {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join("api")).unwrap();
    fs::write(root.path().join("api/go.mod"), "module example.com/shop\n\ngo 1.19\n").unwrap();
    let text = "{\"Action\":\"run\",\"Package\":\"example.com/shop/sub\",\"Test\":\"TestA\"}\n\
                {\"Action\":\"output\",\"Package\":\"example.com/shop/sub\",\"Test\":\"TestA\",\
                 \"Output\":\"    sub_test.go:3: no\\n\"}\n\
                {\"Action\":\"fail\",\"Package\":\"example.com/shop/sub\",\"Test\":\"TestA\"}\n";
    let mut out = FindingCollector::new(root.path(), "api");
    read(OutputFormat::GoTest, &mut text.as_bytes(), &mut out).unwrap();
    let tests = out.finish().tests.unwrap();
    let failure = &tests.failures["example.com/shop/sub.TestA"];
    assert_eq!(failure.place.display(), "api/sub/sub_test.go:3");
    assert_eq!(failure.message, "no");
}

#[test]
fn plain_text_names_packages_that_passed_silently() {
    check(
        OutputFormat::Text,
        "text/go.txt",
        "
        failed example.com/shop.TestAdd
        failed example.com/shop.TestAdd/wrong_value @shop_test.go:16: Add(1, 1) = 2, | want 3
        failed example.com/shop.TestParallelTwo @shop_test.go:26: two
        failed example.com/shop/broken @: build failed
        failed example.com/shop/exits @: exit status 3
        passed example.com/shop/fine
        failed example.com/shop/sub.TestPanics @sub/sub_test.go:9: panic: assignment to entry in nil map [recovered] | panic: assignment to entry in nil map
        error @broken/broken_test.go:6: go - broken/broken_test.go: cannot use \"x\" (untyped string constant) as int value in variable declaration
        error @broken/broken_test.go:7: go - broken/broken_test.go: undefined: undefined
        1 passed, 6 failed, 0 skipped
    ",
    );
    check(
        OutputFormat::Text,
        "text/go-verbose.txt",
        "
        failed example.com/shop.TestAdd
        passed example.com/shop.TestAdd/right
        failed example.com/shop.TestAdd/wrong_value @shop_test.go:16: Add(1, 1) = 2, | want 3
        passed example.com/shop.TestParallelOne
        failed example.com/shop.TestParallelTwo @shop_test.go:26: two
        skipped example.com/shop.TestSkipped
        passed example.com/shop/fine.TestFine
        3 passed, 3 failed, 1 skipped
    ",
    );
}

#[test]
fn a_package_that_was_cut_off_has_failed() {
    let text = sample("go-test/mixed.json");
    let cut = text.split_inclusive(|byte| *byte == b'\n').take(6).collect::<Vec<_>>().concat();
    check_bytes(
        OutputFormat::GoTest,
        &cut,
        "failed example.com/shop.TestAdd @: noise on the way
         error @broken/broken_test.go:6: go - broken/broken_test.go: cannot use \"x\" (untyped string constant) as int value in variable declaration
         error @broken/broken_test.go:7: go - broken/broken_test.go: undefined: undefined
         0 passed, 1 failed, 0 skipped",
    );
}

#[test]
fn a_test_binary_that_runs_alone_has_no_package() {
    check_bytes(
        OutputFormat::Text,
        b"=== RUN   TestA\n--- PASS: TestA (0.00s)\n=== RUN   TestB\n    b_test.go:3: no\n\
          --- FAIL: TestB (0.00s)\nFAIL\nmake: *** [test] Error 1\n",
        "passed TestA
         failed TestB @b_test.go:3: no
         1 passed, 1 failed, 0 skipped",
    );
}

#[test]
fn a_panic_is_blamed_on_the_test_that_panicked_and_not_on_those_that_waited() {
    let want = "
        passed example.com/till.TestAdds
        failed example.com/till.TestPanics @till_test.go:10: panic: assignment to entry in nil map [recovered] | panic: assignment to entry in nil map
        skipped example.com/till.TestParallelOne
        skipped example.com/till.TestParallelThree
        skipped example.com/till.TestParallelTwo
        1 passed, 1 failed, 3 skipped
    ";
    check(OutputFormat::GoTest, "go-test/panic.json", want);
    check(OutputFormat::Text, "text/go-panic.txt", want);
}
