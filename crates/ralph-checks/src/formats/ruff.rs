//! `ruff check --output-format=json`.

use std::io::BufRead;

use ralph_core::finding::FindingLevel;
use serde::Deserialize;

use super::json::{number, records};
use super::printed::one_line;
use super::{FindingCollector, FormatError, ToolFinding};

#[derive(Deserialize)]
struct RuffViolation {
    code: Option<String>,
    filename: String,
    location: Option<RuffLocation>,
    message: String,
}

#[derive(Deserialize)]
struct RuffLocation {
    row: Option<i64>,
    column: Option<i64>,
}

/// Reads the list of violations.
pub(super) fn read(input: &mut dyn BufRead, out: &mut FindingCollector) -> Result<(), FormatError> {
    records("ruff", "diagnostics", input, &mut |violation: RuffViolation| {
        let rule = violation.code.as_deref();
        let line = violation.location.as_ref().and_then(|at| number(at.row));
        let column = violation.location.as_ref().and_then(|at| number(at.column));
        let message = one_line(&violation.message);
        let found =
            ToolFinding { tool: "ruff", rule, level: level(rule), message: &message, context: "" };
        out.finding(out.place(&violation.filename, line, column), &found);
    })
}

/// Returns the severity of a violation of a rule of ruff or flake8. Without a rule it is a syntax
/// error.
pub(crate) fn level(rule: Option<&str>) -> FindingLevel {
    let Some(rule) = rule else { return FindingLevel::Error };
    // `FBT` and `ERA` begin with the same letters as `F` and `E`.
    let group = rule.trim_end_matches(|c: char| c.is_ascii_digit());
    match group {
        "E" | "F" | "invalid-syntax" => FindingLevel::Error,
        "S" => FindingLevel::Security,
        _ => FindingLevel::Warning,
    }
}

#[cfg(test)]
mod tests {
    use super::super::sampled::{refuses_every_beginning, summaries};
    use super::*;

    const SAMPLE: &str = include_str!("../../tests/samples/ruff/errors.json");

    #[test]
    fn violations_and_syntax_errors_are_found() {
        assert_eq!(
            summaries(read, SAMPLE),
            [
                "error ruff F401 py/a.py:1:8 `os` imported but unused",
                "security ruff S602 py/a.py:8:5 `subprocess` call with `shell=True` identified, security issue",
                "error ruff F821 py/a.py:9:12 Undefined name `undefined_name`",
                "security ruff S301 py/a.py:13:12 `pickle` and modules that wrap it can be unsafe when used to deserialize untrusted data, possible security issue",
                "security ruff S101 py/a.py:20:1 Use of `assert` detected",
                "error ruff E711 py/a.py:20:20 Comparison to `None` should be `cond is None`",
                "error ruff invalid-syntax py/broken.py:1:7 Expected a parameter or the end of the parameter list",
                "error ruff invalid-syntax py/broken.py:1:8 Expected `)`, found newline",
            ]
        );
    }

    #[test]
    fn only_whole_groups_decide_the_level() {
        for (rule, want) in [
            ("E501", FindingLevel::Error),
            ("ERA001", FindingLevel::Warning),
            ("EM101", FindingLevel::Warning),
            ("F401", FindingLevel::Error),
            ("FBT001", FindingLevel::Warning),
            ("S101", FindingLevel::Security),
            ("SIM102", FindingLevel::Warning),
            ("W605", FindingLevel::Warning),
        ] {
            assert_eq!(level(Some(rule)), want, "{rule}");
        }
        assert_eq!(level(None), FindingLevel::Error);
    }

    #[test]
    fn a_document_that_breaks_off_is_refused() {
        refuses_every_beginning(read, SAMPLE);
    }
}
