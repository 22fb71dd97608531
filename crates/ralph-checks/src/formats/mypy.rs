//! `mypy`, as text and with `--output json`.

use std::io::BufRead;

use ralph_core::finding::{FindingLevel, SourceLocation};
use serde::Deserialize;

use super::json::number;
use super::located::{colons, is_path};
use super::printed::{LINE_BYTES, each_line, one_line, uncoloured};
use super::{FindingCollector, FormatError, ToolFinding};

const FORM: &str = "mypy";

/// A line of `--output json`.
#[derive(Deserialize)]
struct MypyDiagnostic {
    file: String,
    line: Option<i64>,
    /// From 0, unlike in the text.
    column: Option<i64>,
    message: String,
    code: Option<String>,
    severity: String,
}

/// An error whose message may go on in the next line, as `--pretty` prints it.
struct PendingMypyError {
    place: SourceLocation,
    text: String,
}

/// Reads the errors; notes belong to them and are passed over.
pub(super) fn read(input: &mut dyn BufRead, out: &mut FindingCollector) -> Result<(), FormatError> {
    let mut begun = None;
    let mut lines = 0;
    each_line(input, LINE_BYTES, |line| {
        lines += 1;
        let line = uncoloured(line);
        if line.starts_with("{\"file\": ") {
            return json(&line, out).map_err(|error| FormatError::Form {
                form: FORM,
                what: format!("a message breaks off at line {lines} column {}", error.column()),
            });
        }
        text(&line, &mut begun, out);
        Ok(())
    })?;
    finish(&mut begun, out);
    Ok(())
}

fn json(line: &str, out: &mut FindingCollector) -> serde_json::Result<()> {
    let message: MypyDiagnostic = serde_json::from_str(line)?;
    if message.severity == "error" {
        let column = message.column.map(|column| column.saturating_add(1));
        let place = out.place(&message.file, number(message.line), number(column));
        out.finding(place, &found(message.code.as_deref(), &one_line(&message.message)));
    }
    Ok(())
}

fn text(line: &str, begun: &mut Option<PendingMypyError>, out: &mut FindingCollector) {
    if let Some((place, text)) = error(line, out) {
        finish(begun, out);
        *begun = Some(PendingMypyError { place, text: text.to_owned() });
        return;
    }
    match begun {
        // The source follows indented, a summary with its count.
        Some(error)
            if code(&error.text).is_none()
                && line.starts_with(|c: char| !c.is_whitespace())
                && colons(line).is_none()
                && !line.starts_with("Found ") =>
        {
            if !error.text.ends_with(' ') {
                error.text.push(' ');
            }
            // The code is set off by two blanks, one of which is at the break.
            let gap = if line.starts_with('[') { " " } else { "" };
            error.text.push_str(gap);
            error.text.push_str(line.trim_end());
        }
        Some(_) => finish(begun, out),
        None => {}
    }
}

/// `file:line: error: text` or `file: error: text`.
fn error<'a>(line: &'a str, out: &FindingCollector) -> Option<(SourceLocation, &'a str)> {
    if let Some(at) = colons(line) {
        let text = at.rest.strip_prefix(": error: ")?;
        return Some((out.place(at.file, Some(at.line), at.column), text));
    }
    let (file, text) = line.split_once(": error: ")?;
    is_path(file).then(|| (out.place(file, None, None), text))
}

/// The message and the code of `message  [code]`.
pub(super) fn code(text: &str) -> Option<(&str, &str)> {
    let (message, code) = text.trim_end().strip_suffix(']')?.rsplit_once("  [")?;
    let word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (!code.is_empty() && code.bytes().all(word)).then_some((message, code))
}

fn finish(begun: &mut Option<PendingMypyError>, out: &mut FindingCollector) {
    if let Some(PendingMypyError { place, text }) = begun.take() {
        let (message, code) =
            code(&text).map_or((text.as_str(), None), |(text, code)| (text, Some(code)));
        out.finding(place, &found(code, message));
    }
}

fn found<'a>(rule: Option<&'a str>, message: &'a str) -> ToolFinding<'a> {
    ToolFinding { tool: "mypy", rule, level: FindingLevel::Error, message, context: "" }
}

#[cfg(test)]
mod tests {
    use super::super::sampled::{reading, summaries};
    use super::*;

    const PLAIN: &str = include_str!("../../tests/samples/mypy/plain.txt");
    const PRETTY: &str = include_str!("../../tests/samples/mypy/pretty.txt");
    const LINES: &str = include_str!("../../tests/samples/mypy/lines.json");
    const SYNTAX: &str = include_str!("../../tests/samples/mypy/syntax.txt");

    #[test]
    fn errors_are_found_with_their_codes() {
        assert_eq!(
            summaries(read, PLAIN),
            [
                "error mypy assignment a.py:7 Incompatible types in assignment (expression has type \"str\", variable has type \"int\")",
                "error mypy operator a.py:8 Unsupported operand types for + (\"str\" and \"int\")",
                "error mypy name-defined a.py:9 Name \"undefined_name\" is not defined",
                "error mypy return-value a.py:18 Incompatible return value type (got \"int\", expected \"str\")",
                "error mypy call-arg a.py:20 Too many arguments for \"count\"",
            ]
        );
    }

    #[test]
    fn all_forms_give_the_same_fingerprints() {
        let prints = |text: &str| -> Vec<String> {
            let reading = reading(read, text.as_bytes()).unwrap();
            reading.findings.into_iter().map(|finding| finding.fingerprint).collect()
        };
        assert_eq!(prints(PRETTY), prints(PLAIN));
        assert_eq!(prints(LINES), prints(PLAIN));
    }

    #[test]
    fn columns_are_counted_from_one_in_both_forms() {
        let places = |text: &str| -> Vec<SourceLocation> {
            let reading = reading(read, text.as_bytes()).unwrap();
            reading.findings.into_iter().map(|finding| finding.place).collect()
        };
        assert_eq!(places(PRETTY), places(LINES));
    }

    #[test]
    fn syntax_errors_and_missing_files_are_found() {
        assert_eq!(
            summaries(read, &format!("{SYNTAX}nothere.py: error: Cannot read file\n")),
            [
                "error mypy syntax broken.py:1:8 Expected a parameter or the end of the parameter list",
                "error mypy syntax broken.py:1:9 Expected `)`, found newline",
                "error mypy - nothere.py Cannot read file",
            ]
        );
    }

    #[test]
    fn notes_and_summaries_are_no_findings() {
        let text = "a.py:3: note: Revealed type is \"int\"\n\
                    a.py:4: note: See https://mypy.example/a.py:4: error: x\n\
                    Found 1 error in 1 file (checked 1 source file)\n\
                    Success: no issues found in 1 source file\n";
        assert_eq!(summaries(read, text), [""; 0]);
    }

    #[test]
    fn a_message_that_breaks_off_is_refused_with_its_line() {
        let cut = &LINES[..LINES.len() - 10];
        let error = reading(read, cut.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("a message breaks off at line 5 column "), "{error}");
    }
}
