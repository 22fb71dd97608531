//! `rubocop --format json`.

use std::io::BufRead;

use ralph_core::finding::FindingLevel;
use serde::Deserialize;

use super::json::{number, records};
use super::printed::one_line;
use super::{FindingCollector, FormatError, ToolFinding};

#[derive(Deserialize)]
struct RubocopFile {
    path: String,
    offenses: Vec<RubocopOffense>,
}

#[derive(Deserialize)]
struct RubocopOffense {
    severity: String,
    message: String,
    cop_name: Option<String>,
    #[serde(default)]
    corrected: bool,
    location: Option<RubocopLocation>,
}

#[derive(Deserialize)]
struct RubocopLocation {
    /// Missing in old versions, which have `line`.
    start_line: Option<i64>,
    start_column: Option<i64>,
    line: Option<i64>,
    column: Option<i64>,
}

/// Reads the list of files with their offenses.
pub(super) fn read(input: &mut dyn BufRead, out: &mut FindingCollector) -> Result<(), FormatError> {
    records("rubocop", "files", input, &mut |file: RubocopFile| {
        for offense in file.offenses.iter().filter(|offense| !offense.corrected) {
            let rule = offense.cop_name.as_deref();
            let level = match offense.severity.as_str() {
                _ if rule.is_some_and(|rule| rule.starts_with("Security/")) => {
                    FindingLevel::Security
                }
                "error" | "fatal" => FindingLevel::Error,
                "info" => FindingLevel::Info,
                _ => FindingLevel::Warning,
            };
            let at = offense.location.as_ref();
            let line = at.and_then(|at| number(at.start_line.or(at.line)));
            let column = at.and_then(|at| number(at.start_column.or(at.column)));
            let message = one_line(&offense.message);
            let found =
                ToolFinding { tool: "rubocop", rule, level, message: &message, context: "" };
            out.finding(out.place(&file.path, line, column), &found);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::sampled::{refuses_every_beginning, summaries};
    use super::*;

    const SAMPLE: &str = include_str!("../../tests/samples/rubocop/errors.json");

    #[test]
    fn offenses_security_cops_and_syntax_errors_are_found() {
        let found = summaries(read, SAMPLE);
        assert_eq!(found.len(), 11);
        for expected in [
            "warning rubocop Lint/UselessAssignment a.rb:2:5 Useless assignment to variable - `unused`.",
            "warning rubocop Style/RedundantReturn a.rb:3:5 Redundant `return` detected.",
            "security rubocop Security/MarshalLoad a.rb:6:9 Avoid using `Marshal.load`.",
            "error rubocop Lint/Syntax broken.rb:2:7 unexpected token tEQL (Using Ruby 2.6 parser; configure using `TargetRubyVersion` parameter, under `AllCops`)",
        ] {
            assert!(found.iter().any(|finding| finding == expected), "{expected}: {found:#?}");
        }
    }

    #[test]
    fn what_rubocop_corrected_itself_is_no_finding() {
        let text = r#"{"files":[{"path":"a.rb","offenses":[{"severity":"convention",
            "message":"m","cop_name":"c","corrected":true,"location":{"line":1,"column":1}}]}]}"#;
        assert_eq!(summaries(read, text), [""; 0]);
    }

    #[test]
    fn a_document_that_breaks_off_is_refused() {
        refuses_every_beginning(read, SAMPLE);
    }
}
