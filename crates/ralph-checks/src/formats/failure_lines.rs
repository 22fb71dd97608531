//! Lines of unknown programs that name what failed: `FAIL x`, `✗ x`,
//! `not ok 3 - x`, `ERROR: x`, `x ... FAILED`.
//!
//! What a program means by them is not known, so they never decide whether a
//! gate passes. But they are a set, and when it shrinks, something was mended.

use std::collections::HashMap;

use ralph_core::finding::normalised;

use super::FindingCollector;

/// The maximum number of such lines that are looked at.
const MOST: u32 = 5_000;

/// Words that say that the name next to them failed.
const VERDICTS: [&str; 5] = ["FAIL", "FAILED", "FAILURE", "ERROR", "not ok"];

/// Marks that say the same of what follows them.
const MARKS: [char; 6] = ['✗', '✘', '✕', '✖', '×', '❌'];

/// Takes in text line by line.
#[derive(Debug, Default)]
pub(super) struct FailureLines {
    named: u32,
    /// The number of times each line was seen: one that gives no name comes many times.
    seen: HashMap<String, u32>,
}

impl FailureLines {
    /// Takes in the next line.
    pub(super) fn line(&mut self, line: &str, out: &mut FindingCollector) {
        if self.named == MOST || !may_name(line) || !names_failure(line) {
            return;
        }
        self.named += 1;
        let name = normalised(without_time(line));
        let times = self.seen.entry(name.clone()).or_default();
        *times += 1;
        let name = if *times == 1 { name } else { format!("{name} ({times})") };
        out.failure_line(name);
    }
}

/// Cheap signs: most lines are something else.
fn may_name(line: &str) -> bool {
    let bytes = line.as_bytes();
    let first = bytes.iter().find(|byte| !matches!(byte, b' ' | b'\t'));
    let last = bytes.iter().rev().find(|byte| !matches!(byte, b' ' | b'\t'));
    matches!(first, Some(b'F' | b'E' | b'n' | b'[' | b'-' | 0xc3 | 0xe2))
        || matches!(last, Some(b'D' | b'L' | b'E' | b'R' | b']' | b')'))
}

/// True if a verdict stands at the beginning or the end of the line, next to a name.
fn names_failure(line: &str) -> bool {
    let text = without_time(line);
    let is_name = |name: &str| name.contains(char::is_alphanumeric);
    if let Some(name) = text.strip_prefix(MARKS) {
        return name.starts_with([' ', '\t']) && is_name(name);
    }
    let head = text.trim_start_matches(['[', '(', '*', '-', ' ']);
    let tail = text.trim_end_matches([']', ')', '*', '.', '!', ' ']);
    VERDICTS.iter().any(|verdict| {
        let ends = tail.strip_suffix(verdict).is_some_and(|name| {
            !name.ends_with(|c: char| c.is_alphanumeric() || c == '_') && is_name(name)
        });
        let begins = || {
            let name = head.strip_prefix(verdict);
            name.is_some_and(|name| name.starts_with([' ', ':', ']', '\t', '-']) && is_name(name))
        };
        ends || begins()
    })
}

/// A line without the time it took, at its end: `(0.12s)`, `[3 ms]`, `in 4s`.
fn without_time(line: &str) -> &str {
    let text = line.trim();
    let opened = match text.as_bytes().last() {
        Some(b')') => text.rfind('('),
        Some(b']') => text.rfind('['),
        _ => None,
    };
    match opened {
        Some(at) if text[at..].contains(|c: char| c.is_ascii_digit()) => text[..at].trim_end(),
        Some(_) | None => text,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn named(text: &str) -> Vec<String> {
        let mut out = FindingCollector::new(Path::new("/"), "");
        let mut lines = FailureLines::default();
        text.lines().for_each(|line| lines.line(line, &mut out));
        out.finish().failure_lines.into_iter().collect()
    }

    #[test]
    fn lines_that_name_a_failure_are_known_by_a_verdict_at_either_end() {
        for line in [
            "FAIL adds",
            "FAIL: adds",
            "  ✗ adds two numbers",
            "✘ adds",
            "× adds",
            "not ok 3 - adds",
            "ERROR: no such table",
            "adds ... FAILED",
            "adds .......... FAILED (0.12s)",
            "[FAIL] adds",
            "[  FAILED  ] Till.Adds (3 ms)",
            "test adds [FAIL]",
            "adds: FAIL",
            "FAILED tests/adds",
            "--- FAIL: adds",
        ] {
            assert_eq!(named(line).len(), 1, "{line}");
        }
        for line in [
            "FAIL",
            "FAILED",
            "[ERROR]",
            "✗",
            "✓ adds",
            "it did fail",
            "NO FAILURES HERE, it says",
            "FAILOVER works",
            "UNFAILED",
            "not okay",
            "errors: 3",
            "",
        ] {
            assert_eq!(named(line), [""; 0], "{line}");
        }
    }

    #[test]
    fn times_and_numbers_do_not_make_a_line_new_but_how_often_it_comes_does() {
        assert_eq!(named("FAIL a (0.1s)\n"), named("FAIL a (0.7s)\n"));
        assert_eq!(named("ERROR: took 12 s\n"), named("ERROR: took 9 s\n"));
        assert_eq!(named("FAIL case 1\nFAIL case 2\n"), ["FAIL case #", "FAIL case # (2)"]);
    }
}
