//! Files that are broken, huge or no text at all.

use std::fmt::Write;

use super::super::{FilePair, FileVersion, TamperRules, compare};
use super::{must_be_noticed, weakenings};

fn said(path: &str, old: &[u8], new: &[u8]) -> Vec<String> {
    let version = |contents| Some(FileVersion { path, contents });
    let pair = FilePair { old: version(old), new: version(new) };
    weakenings(&compare(&[pair], &TamperRules::default()))
}

#[test]
fn broken_syntax_is_compared_line_by_line() {
    must_be_noticed(include_str!("scenarios/weaker_unparsable.txt"));
}

#[test]
fn line_ends_and_byte_order_marks_are_no_edit() {
    let old = "def test_a():\n    x = f(1)\n    assert x == 2  # noqa: E501\n";
    let new = old.replace('\n', "\r\n");
    assert_eq!(said("test_a.py", old.as_bytes(), new.as_bytes()), [""; 0]);
    let script = "it('a', () => {\n  expect(f()).toBe(1); // eslint-disable-line no-x\n});\n";
    let marked = format!("\u{feff}{}", script.replace('\n', "\r\n"));
    assert_eq!(said("a.test.js", script.as_bytes(), marked.as_bytes()), [""; 0]);
}

#[test]
fn what_is_no_text_is_read_as_far_as_it_goes() {
    let old = b"def test_a():\n    assert f('\xff\xfe') == 2\n    assert g() == 3\n";
    let new = b"def test_a():\n    assert f('\xff\xfe') == 2\n";
    assert_eq!(said("test_a.py", old, new).len(), 1);
    let noise: Vec<u8> = (0..=255).cycle().take(10_000).collect();
    for path in ["a_test.go", "a.test.tsx", "ATest.java", "package.json", "tox.ini", "a.yml"] {
        said(path, &noise, b"");
        said(path, b"", &noise);
    }
}

#[test]
fn a_huge_file_is_compared_all_the_same() {
    let mut old = String::new();
    let data = "0123456789abcdef".repeat(60);
    let mut at = 0;
    while old.len() < 10 << 20 {
        write!(old, "def test_{at}():\n    x = \"{data}\"\n    assert f(x) == {at}\n\n").unwrap();
        at += 1;
    }
    let new = old.replacen("    assert f(x) == 7\n", "", 1);
    assert_eq!(
        said("test_a.py", old.as_bytes(), new.as_bytes()),
        ["test_a.py:29: assertion removed from `test_7`: `assert f(x) == 7` (was at test_a.py:31)"]
    );
}

#[test]
fn nesting_without_end_is_no_danger() {
    let deep = format!("def test_a():\n    assert {}\n", "(".repeat(50_000));
    said("test_a.py", b"def test_a():\n    assert f() == 1\n", deep.as_bytes());
    let deep = format!("{{\"a\": {}", "[".repeat(50_000));
    said("package.json", b"{}", deep.as_bytes());
}

#[test]
fn a_renamed_file_may_come_as_one_pair() {
    let old = b"def test_a():\n    assert f(1) == 2\n    assert f(2) == 3\n";
    let new = b"def test_a():\n    assert f(1) == 2\n";
    let pair = FilePair {
        old: Some(FileVersion { path: "tests/test_a.py", contents: old }),
        new: Some(FileVersion { path: "tests/test_b.py", contents: new }),
    };
    assert_eq!(
        weakenings(&compare(&[pair], &TamperRules::default())),
        [
            "tests/test_b.py:1: assertion removed from `test_a`: `assert f(2) == 3` (was at tests/test_a.py:3)"
        ]
    );
}
