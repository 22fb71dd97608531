//! `pyright --outputjson`.

use std::io::BufRead;

use ralph_core::finding::FindingLevel;
use serde::Deserialize;

use super::json::{number, records};
use super::printed::one_line;
use super::{FindingCollector, FormatError, ToolFinding};

#[derive(Deserialize)]
struct PyrightDiagnostic {
    file: Option<String>,
    severity: String,
    message: String,
    range: Option<PyrightRange>,
    rule: Option<String>,
}

#[derive(Deserialize)]
struct PyrightRange {
    start: PyrightPosition,
}

/// Counted from 0.
#[derive(Deserialize)]
struct PyrightPosition {
    line: i64,
    character: i64,
}

/// Reads the list of diagnostics.
pub(super) fn read(input: &mut dyn BufRead, out: &mut FindingCollector) -> Result<(), FormatError> {
    records("pyright", "generalDiagnostics", input, &mut |diagnostic: PyrightDiagnostic| {
        let level = match diagnostic.severity.as_str() {
            "error" => FindingLevel::Error,
            "warning" => FindingLevel::Warning,
            _ => FindingLevel::Info,
        };
        let start = diagnostic.range.as_ref().map(|range| &range.start);
        let line = number(start.map(|start| start.line.saturating_add(1)));
        let column = number(start.map(|start| start.character.saturating_add(1)));
        let place = out.place(diagnostic.file.as_deref().unwrap_or_default(), line, column);
        let message = one_line(&diagnostic.message);
        let rule = diagnostic.rule.as_deref();
        let found = ToolFinding { tool: "pyright", rule, level, message: &message, context: "" };
        out.finding(place, &found);
    })
}

#[cfg(test)]
mod tests {
    use super::super::sampled::{refuses_every_beginning, summaries};
    use super::*;

    const SAMPLE: &str = include_str!("../../tests/samples/pyright/errors.json");

    #[test]
    fn places_are_counted_from_one_and_messages_are_on_one_line() {
        let found = summaries(read, SAMPLE);
        assert_eq!(found.len(), 12);
        assert_eq!(
            found[..3],
            [
                "error pyright reportAssignmentType py/a.py:7:14 Type \"Literal['three']\" is not assignable to declared type \"int\" \"Literal['three']\" is not assignable to \"int\"",
                "error pyright reportOperatorIssue py/a.py:8:21 Operator \"+\" not supported for types \"Literal['ls ']\" and \"int\"",
                "error pyright reportUndefinedVariable py/a.py:9:12 \"undefined_name\" is not defined",
            ]
        );
        assert_eq!(found[5], "error pyright - py/broken.py:1:6 \"(\" was not closed");
    }

    #[test]
    fn a_document_that_breaks_off_is_refused() {
        refuses_every_beginning(read, SAMPLE);
    }
}
