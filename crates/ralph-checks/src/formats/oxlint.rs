//! `oxlint --format=json`.

use std::io::BufRead;

use ralph_core::finding::FindingLevel;
use serde::Deserialize;

use super::json::{number, records};
use super::printed::one_line;
use super::{FindingCollector, FormatError, ToolFinding};

#[derive(Deserialize)]
struct OxlintDiagnostic {
    message: String,
    /// Such as `eslint(no-debugger)`; none for a syntax error.
    code: Option<String>,
    severity: Option<String>,
    filename: Option<String>,
    #[serde(default)]
    labels: Vec<OxlintLabel>,
}

#[derive(Deserialize)]
struct OxlintLabel {
    span: OxlintSpan,
}

#[derive(Deserialize)]
struct OxlintSpan {
    line: Option<i64>,
    column: Option<i64>,
}

/// Reads the list of diagnostics.
pub(super) fn read(input: &mut dyn BufRead, out: &mut FindingCollector) -> Result<(), FormatError> {
    records("oxlint", "diagnostics", input, &mut |diagnostic: OxlintDiagnostic| {
        let level = match diagnostic.severity.as_deref() {
            Some("error") => FindingLevel::Error,
            Some("advice") => FindingLevel::Info,
            Some(_) | None => FindingLevel::Warning,
        };
        let span = diagnostic.labels.first().map(|label| &label.span);
        let line = span.and_then(|span| number(span.line));
        let column = span.and_then(|span| number(span.column));
        let place = out.place(diagnostic.filename.as_deref().unwrap_or_default(), line, column);
        let message = one_line(&diagnostic.message);
        let rule = diagnostic.code.as_deref();
        let found = ToolFinding { tool: "oxlint", rule, level, message: &message, context: "" };
        out.finding(place, &found);
    })
}

#[cfg(test)]
mod tests {
    use super::super::sampled::{refuses_every_beginning, summaries};
    use super::*;

    const SAMPLE: &str = include_str!("../../tests/samples/oxlint/errors.json");

    #[test]
    fn lints_and_syntax_errors_are_found() {
        assert_eq!(
            summaries(read, SAMPLE),
            [
                "error oxlint - broken.js:1:10 Expected function name",
                "error oxlint - broken.js:2:1 Expected `}` but found `EOF`",
                "warning oxlint eslint(no-implicit-globals) a.js:1:5 Unexpected 'var' declaration in the global scope.",
                "error oxlint eslint(no-unused-vars) a.js:1:5 Variable 'unused' is declared but never used. Unused variables should start with a '_'.",
                "warning oxlint eslint(no-var) a.js:1:1 Unexpected var, use let or const instead.",
                "error oxlint eslint(no-debugger) a.js:2:1 `debugger` statement is not allowed",
                "error oxlint eslint(no-constant-condition) a.js:3:5 Unexpected constant condition",
                "error oxlint eslint(no-eval) a.js:3:15 eval can be harmful.",
                "warning oxlint eslint(no-console) a.js:4:1 Unexpected console statement.",
            ]
        );
    }

    #[test]
    fn a_document_that_breaks_off_is_refused() {
        refuses_every_beginning(read, SAMPLE);
    }
}
