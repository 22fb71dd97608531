use std::io::BufReader;

use super::super::sampled::{reading, summaries};
use super::*;

const ERRORS: &str = include_str!("../../tests/samples/cargo/errors.json");
const CLIPPY: &str = include_str!("../../tests/samples/cargo/clippy.json");
const MACRO: &str = include_str!("../../tests/samples/cargo/macro.json");

/// The end of a build that went well.
const END: &str = r#"{"reason":"build-finished","success":true}"#;

fn message(level: &str, text: &str) -> String {
    format!(
        r#"{{"reason":"compiler-message","manifest_path":"/project/Cargo.toml","target":{{"src_path":"/project/src/lib.rs"}},"message":{{"message":"{text}","code":null,"level":"{level}","spans":[]}}}}"#
    )
}

#[test]
fn what_several_targets_report_is_found_once() {
    assert_eq!(
        summaries(read, ERRORS),
        [
            "error rustc E0425 rust/src/broken.rs:2:20 cannot find value `missing` in this scope",
            "error rustc E0308 rust/src/broken.rs:3:5 mismatched types",
            "error rustc E0277 rust/src/lib.rs:11:12 cannot divide `u32` by `&str`",
            "error rustc E0308 rust/src/lib.rs:20:13 mismatched types",
            "warning rustc unused_variables rust/src/lib.rs:5:9 unused variable: `unused`",
        ]
    );
}

#[test]
fn lints_of_clippy_are_those_of_clippy() {
    assert_eq!(
        summaries(read, CLIPPY),
        [
            "warning rustc unused_variables rust2/src/lib.rs:5:9 unused variable: `unused`",
            "warning clippy clippy::needless_return rust2/src/lib.rs:7:9 unneeded `return` statement",
            "warning clippy clippy::needless_return rust2/src/lib.rs:9:9 unneeded `return` statement",
            "warning clippy clippy::needless_bool rust2/src/lib.rs:6:5 this if-then-else expression returns a bool literal",
        ]
    );
}

#[test]
fn a_macro_of_somebody_else_is_found_where_it_is_called() {
    assert_eq!(
        summaries(read, MACRO),
        [
            "error rustc E0369 ws/crates/inner/src/lib.rs:4:5 binary operation `==` cannot be applied to type `Plain`",
            "error rustc E0277 ws/crates/inner/src/lib.rs:4:5 `Plain` doesn't implement `Debug`",
        ]
    );
}

#[test]
fn names_are_relative_to_the_workspace_wherever_cargo_ran() {
    for dir in ["", "ws", "ws/crates/inner"] {
        let mut out = FindingCollector::new(Path::new("/project"), dir);
        read(&mut BufReader::new(MACRO.as_bytes()), &mut out).unwrap();
        assert_eq!(out.finish().findings[0].place.file, "ws/crates/inner/src/lib.rs", "{dir}");
    }
}

#[test]
fn the_text_of_the_line_is_part_of_the_fingerprint() {
    let reading = reading(read, CLIPPY.as_bytes()).unwrap();
    assert_eq!(
        reading.findings[1].fingerprint,
        "clippy clippy::needless_return rust2/src/lib.rs: unneeded `return` statement @ return true;"
    );
}

#[test]
fn output_that_ends_early_is_refused() {
    let lines: Vec<&str> = ERRORS.lines().collect();
    let early = lines[..3].join("\n");
    let error = |text: &str| reading(read, text.as_bytes()).unwrap_err().to_string();
    assert_eq!(
        error(&early),
        "its output is not what cargo prints: it ends after line 3 without `build-finished`"
    );
    let cut = error(&early[..early.len() - 5]);
    assert!(cut.contains("EOF while parsing a string at line 3 column "), "{cut}");
    assert!(error("").contains("without `build-finished`"));
}

#[test]
fn summaries_and_what_programs_print_are_passed_over() {
    let text = [
        "{\"reason\": some program prints this",
        "running 1 test",
        "{}",
        &message("error", "aborting due to 3 previous errors; 1 warning emitted"),
        &message("warning", "2 warnings emitted"),
        &message("failure-note", "For more information about this error, try `rustc`"),
        "{\"reason\":\"build-script-executed\",\"out_dir\":\"x\"}",
        END,
        "test a ... ok",
    ]
    .join("\r\n");
    assert_eq!(summaries(read, &text), [""; 0]);
}

#[test]
fn an_error_without_a_place_is_one_of_the_project() {
    let text = format!("{}\n{END}", message("error", "linking with `cc` failed"));
    assert_eq!(summaries(read, &text), ["error rustc -  linking with `cc` failed"]);
}

#[test]
fn a_build_that_fails_without_a_word_is_an_error() {
    let text = END.replace("true", "false");
    assert_eq!(
        summaries(read, &text),
        ["error cargo -  the build did not succeed, and no diagnostic says why"]
    );
}
