//! `shellcheck --format=json1`, and `json`, which is the bare list.

use std::io::BufRead;

use ralph_core::finding::FindingLevel;
use serde::Deserialize;

use super::json::{number, records};
use super::printed::one_line;
use super::{FindingCollector, FormatError, ToolFinding};

#[derive(Deserialize)]
struct ShellcheckComment {
    file: String,
    line: Option<i64>,
    column: Option<i64>,
    level: String,
    code: i64,
    message: String,
}

/// Reads the list of comments.
pub(super) fn read(input: &mut dyn BufRead, out: &mut FindingCollector) -> Result<(), FormatError> {
    records("shellcheck", "comments", input, &mut |comment: ShellcheckComment| {
        let level = match comment.level.as_str() {
            "error" => FindingLevel::Error,
            "warning" => FindingLevel::Warning,
            _ => FindingLevel::Info,
        };
        let place = out.place(&comment.file, number(comment.line), number(comment.column));
        let rule = format!("SC{}", comment.code);
        let message = one_line(&comment.message);
        let found = ToolFinding {
            tool: "shellcheck",
            rule: Some(&rule),
            level,
            message: &message,
            context: "",
        };
        out.finding(place, &found);
    })
}

#[cfg(test)]
mod tests {
    use super::super::sampled::{refuses_every_beginning, summaries};
    use super::*;

    const SAMPLE: &str = include_str!("../../tests/samples/shellcheck/errors.json");

    #[test]
    fn comments_of_every_level_are_found() {
        let found = summaries(read, SAMPLE);
        assert_eq!(found.len(), 14);
        assert_eq!(
            found[..5],
            [
                "info shellcheck SC1009 broken.sh:3:1 The mentioned syntax error was in this simple command.",
                "error shellcheck SC1073 broken.sh:3:6 Couldn't parse this double quoted string. Fix to allow more checks.",
                "error shellcheck SC1072 broken.sh:4:1 Expected end of double quoted string. Fix any mentioned problems and try again.",
                "warning shellcheck SC2164 a.sh:2:1 Use 'cd ... || exit' or 'cd ... || return' in case cd fails.",
                "info shellcheck SC2086 a.sh:2:4 Double quote to prevent globbing and word splitting.",
            ]
        );
    }

    #[test]
    fn a_document_that_breaks_off_is_refused() {
        refuses_every_beginning(read, SAMPLE);
    }
}
