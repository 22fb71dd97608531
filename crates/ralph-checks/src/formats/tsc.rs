//! `tsc --pretty false`, and the coloured form it prints to a terminal.

use std::io::BufRead;

use ralph_core::finding::{FindingLevel, SourceLocation};

use super::located::{LocatedLine, brackets, colons};
use super::printed::{LINE_BYTES, RepeatFilter, each_line, uncoloured};
use super::{FindingCollector, FormatError, ToolFinding};

/// Reads the diagnostics; other lines are passed over.
pub(super) fn read(input: &mut dyn BufRead, out: &mut FindingCollector) -> Result<(), FormatError> {
    // With references one file is checked for several projects.
    let mut said = RepeatFilter::default();
    each_line(input, LINE_BYTES, |line| {
        let line = uncoloured(line);
        let Some((place, diagnostic)) = diagnostic(line.trim_end(), out) else { return Ok(()) };
        if said.is_new(&(&place.file, place.line, place.column, diagnostic.message)) {
            out.finding(place, &diagnostic);
        }
        Ok(())
    })
}

/// The diagnostic that a line without colours is.
pub(super) fn diagnostic<'a>(
    line: &'a str,
    out: &FindingCollector,
) -> Option<(SourceLocation, ToolFinding<'a>)> {
    if line.starts_with("error TS") {
        return Some((SourceLocation::default(), found(line)?));
    }
    let plain = brackets(line).and_then(|at| Some((at, found(at.rest.strip_prefix(": ")?)?)));
    let (at, found) = plain.or_else(|| {
        let at = colons(line)?;
        Some((at, found(at.rest.strip_prefix(" - ")?)?))
    })?;
    let LocatedLine { file, line, column, .. } = at;
    Some((out.place(file, Some(line), column), found))
}

/// `error TS2322: message`.
fn found(text: &str) -> Option<ToolFinding<'_>> {
    let (word, text) = text.split_once(' ')?;
    let level = match word {
        "error" => FindingLevel::Error,
        "warning" => FindingLevel::Warning,
        "message" | "suggestion" => FindingLevel::Info,
        _ => return None,
    };
    let (rule, message) = text.split_once(": ")?;
    let number = rule.strip_prefix("TS")?;
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(ToolFinding { tool: "tsc", rule: Some(rule), level, message, context: "" })
}

#[cfg(test)]
mod tests {
    use super::super::sampled::{reading, summaries};
    use super::*;

    const PLAIN: &str = include_str!("../../tests/samples/tsc/plain.txt");
    const PRETTY: &str = include_str!("../../tests/samples/tsc/pretty.txt");
    const CONFIG: &str = include_str!("../../tests/samples/tsc/config.txt");

    #[test]
    fn both_forms_give_the_same_findings() {
        let found = summaries(read, PLAIN);
        assert_eq!(
            found,
            [
                "error tsc TS2322 a.ts:2:14 Type 'string' is not assignable to type 'number'.",
                "error tsc TS2322 a.ts:3:42 Type 'number' is not assignable to type 'string'.",
                "error tsc TS2304 a.ts:4:13 Cannot find name 'missing'.",
            ]
        );
        let (plain, pretty) = (reading(read, PLAIN.as_bytes()), reading(read, PRETTY.as_bytes()));
        assert_eq!(pretty.unwrap(), plain.unwrap());
    }

    #[test]
    fn an_error_without_a_file_is_one_of_the_project() {
        assert_eq!(
            summaries(read, CONFIG),
            ["error tsc TS5058  The specified path does not exist: '/project/js/nothere.json'."]
        );
    }

    #[test]
    fn what_only_looks_similar_is_passed_over() {
        for line in [
            "a.ts(1,2): TS2322: x",
            "a.ts(1,2): error: x",
            "a.ts(1,2): error TSX: x",
            "a.ts:1:2 - The expected type comes from property 'z'",
            "Found 3 errors in the same file, starting at: a.ts:2",
            "error TS: x",
            "12:30:01 - error TS1: x",
        ] {
            assert_eq!(summaries(read, line), [""; 0], "{line}");
        }
    }

    #[test]
    fn a_diagnostic_said_twice_counts_once() {
        let text = format!("{PLAIN}\r\n{PLAIN}");
        assert_eq!(summaries(read, &text).len(), 3);
    }
}
