//! `ruff check --output-format=json`.

use std::io::BufRead;

use ralph_core::finding::Level;
use serde::Deserialize;

use super::json::{number, records};
use super::printed::one_line;
use super::{Collector, Found, Unreadable};

#[derive(Deserialize)]
struct Violation {
    code: Option<String>,
    filename: String,
    location: Option<Location>,
    message: String,
}

#[derive(Deserialize)]
struct Location {
    row: Option<i64>,
    column: Option<i64>,
}

/// Reads the list of violations.
pub(super) fn read(input: &mut dyn BufRead, out: &mut Collector) -> Result<(), Unreadable> {
    records("ruff", "diagnostics", input, &mut |violation: Violation| {
        let rule = violation.code.as_deref();
        let line = violation.location.as_ref().and_then(|at| number(at.row));
        let column = violation.location.as_ref().and_then(|at| number(at.column));
        let message = one_line(&violation.message);
        let found =
            Found { tool: "ruff", rule, level: level(rule), message: &message, context: "" };
        out.finding(out.place(&violation.filename, line, column), &found);
    })
}

/// Returns the severity of a violation of a rule of ruff or flake8. Without a rule it is a syntax
/// error.
pub(crate) fn level(rule: Option<&str>) -> Level {
    let Some(rule) = rule else { return Level::Error };
    // `FBT` and `ERA` begin with the same letters as `F` and `E`.
    let group = rule.trim_end_matches(|c: char| c.is_ascii_digit());
    match group {
        "E" | "F" | "invalid-syntax" => Level::Error,
        "S" => Level::Security,
        _ => Level::Warning,
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
            ("E501", Level::Error),
            ("ERA001", Level::Warning),
            ("EM101", Level::Warning),
            ("F401", Level::Error),
            ("FBT001", Level::Warning),
            ("S101", Level::Security),
            ("SIM102", Level::Warning),
            ("W605", Level::Warning),
        ] {
            assert_eq!(level(Some(rule)), want, "{rule}");
        }
        assert_eq!(level(None), Level::Error);
    }

    #[test]
    fn a_document_that_breaks_off_is_refused() {
        refuses_every_beginning(read, SAMPLE);
    }
}
