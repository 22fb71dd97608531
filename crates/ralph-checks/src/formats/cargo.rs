//! `cargo build|check|clippy --message-format=json`.
//!
//! One message a line. A finding lies where its primary span is, or, when that is inside a macro
//! from outside the project, where the project calls the macro.

use std::borrow::Cow;
use std::io::BufRead;
use std::path::Path;

use ralph_core::finding::{FindingLevel, SourceLocation};
use serde::Deserialize;

use super::printed::{RepeatFilter, each_line, one_line};
use super::{FindingCollector, FormatError, ToolFinding};

const FORM: &str = "cargo";

/// The maximum length of a message; the longest seen are some hundred kilobytes.
const LINE_BYTES: usize = 16 * 1024 * 1024;

/// Reads the messages of cargo; other lines are passed over.
pub(super) fn read(input: &mut dyn BufRead, out: &mut FindingCollector) -> Result<(), FormatError> {
    let mut reader = CargoJsonReader::default();
    each_line(input, LINE_BYTES, |line| reader.line(line, out))?;
    if reader.finished {
        return Ok(());
    }
    let what = format!("it ends after line {} without `build-finished`", reader.lines);
    Err(FormatError::Form { form: FORM, what })
}

#[derive(Default)]
struct CargoJsonReader {
    lines: usize,
    finished: bool,
    /// The number of errors since the last build finished.
    errors: usize,
    said: RepeatFilter,
}

#[derive(Deserialize)]
struct CompilerMessage<'a> {
    #[serde(borrow)]
    manifest_path: Cow<'a, str>,
    #[serde(borrow)]
    target: CargoTarget<'a>,
    #[serde(borrow)]
    message: RustcDiagnostic<'a>,
}

#[derive(Deserialize)]
struct CargoTarget<'a> {
    #[serde(borrow)]
    src_path: Cow<'a, str>,
}

#[derive(Deserialize)]
struct BuildFinished {
    success: bool,
}

#[derive(Deserialize)]
struct RustcDiagnostic<'a> {
    #[serde(borrow)]
    message: Cow<'a, str>,
    code: Option<RustcErrorCode>,
    #[serde(borrow)]
    level: Cow<'a, str>,
    #[serde(borrow)]
    spans: Vec<RustcSpan<'a>>,
}

#[derive(Deserialize)]
struct RustcErrorCode {
    code: String,
}

#[derive(Deserialize)]
struct RustcSpan<'a> {
    #[serde(borrow)]
    file_name: Cow<'a, str>,
    line_start: u32,
    column_start: u32,
    is_primary: bool,
    #[serde(borrow)]
    text: Vec<SpanText<'a>>,
    #[serde(borrow)]
    expansion: Option<Box<MacroExpansion<'a>>>,
}

#[derive(Deserialize)]
struct SpanText<'a> {
    #[serde(borrow)]
    text: Cow<'a, str>,
}

#[derive(Deserialize)]
struct MacroExpansion<'a> {
    #[serde(borrow)]
    span: RustcSpan<'a>,
}

impl CargoJsonReader {
    fn line(&mut self, line: &str, out: &mut FindingCollector) -> Result<(), FormatError> {
        self.lines += 1;
        // Programs and their tests print to the same stream.
        let Some(reason) = line.strip_prefix("{\"reason\":\"") else { return Ok(()) };
        let read = if reason.starts_with("compiler-message\"") {
            serde_json::from_str(line).map(|message| self.message(&message, out))
        } else if reason.starts_with("build-finished\"") {
            serde_json::from_str(line).map(|build| self.end(&build, out))
        } else {
            Ok(())
        };
        read.map_err(|error| {
            let what = error.to_string();
            let what = what.split(" at line ").next().unwrap_or_default();
            let what = format!("{what} at line {} column {}", self.lines, error.column());
            FormatError::Form { form: FORM, what }
        })
    }

    fn end(&mut self, build: &BuildFinished, out: &mut FindingCollector) {
        if !build.success && self.errors == 0 {
            // Build scripts and cargo itself say why on standard error only.
            let message = "the build did not succeed, and no diagnostic says why";
            let found = ToolFinding {
                tool: "cargo",
                rule: None,
                level: FindingLevel::Error,
                message,
                context: "",
            };
            out.finding(SourceLocation::default(), &found);
        }
        self.finished = true;
        self.errors = 0;
    }

    fn message(&mut self, compiled: &CompilerMessage<'_>, out: &mut FindingCollector) {
        let message = &compiled.message;
        let Some(level) = level(&message.level) else { return };
        self.errors += usize::from(level == FindingLevel::Error);
        if is_summary(message) {
            return;
        }
        let primary = message.spans.iter().find(|span| span.is_primary);
        let (place, context) = match primary {
            Some(span) => compiled.located(span, out),
            None => (SourceLocation::default(), ""),
        };
        let code = message.code.as_ref().map(|code| code.code.as_str());
        let text = one_line(&message.message);
        if !self.said.is_new(&(&place.file, place.line, place.column, code, &text)) {
            return;
        }
        let found = ToolFinding { tool: tool(code), rule: code, level, message: &text, context };
        out.finding(place, &found);
    }
}

/// `None` for remarks about other messages.
fn level(level: &str) -> Option<FindingLevel> {
    match level {
        "warning" => Some(FindingLevel::Warning),
        "note" | "help" => Some(FindingLevel::Info),
        error if error.starts_with("error") => Some(FindingLevel::Error),
        _ => None,
    }
}

fn tool(code: Option<&str>) -> &'static str {
    match code.and_then(|code| code.split_once("::")) {
        Some(("clippy", _)) => "clippy",
        Some(("rustdoc", _)) => "rustdoc",
        Some(_) | None => "rustc",
    }
}

/// "2 warnings emitted" and "aborting due to 3 previous errors".
fn is_summary(message: &RustcDiagnostic<'_>) -> bool {
    let text = &message.message;
    let counts = text.starts_with("aborting due to ")
        || (text.ends_with(" emitted") && text.starts_with(|c: char| c.is_ascii_digit()));
    counts && message.code.is_none() && message.spans.is_empty()
}

impl CompilerMessage<'_> {
    /// Returns the place of a span and the text there. Of the places a macro expands through, it is
    /// the first in the project.
    fn located<'a>(
        &self,
        primary: &'a RustcSpan<'a>,
        out: &FindingCollector,
    ) -> (SourceLocation, &'a str) {
        let mut next = Some(primary);
        while let Some(span) = next {
            let place = self.place(span, out);
            if is_inside(&place) && !span.file_name.starts_with('<') {
                return (place, span.line());
            }
            next = span.expansion.as_ref().map(|expansion| &expansion.span);
        }
        (self.place(primary, out), primary.line())
    }

    /// Names of files are relative to the workspace, wherever cargo was
    /// started: its root is a folder from which they lead into the package.
    fn place(&self, span: &RustcSpan<'_>, out: &FindingCollector) -> SourceLocation {
        let (line, column) = (Some(span.line_start), Some(span.column_start));
        let file = Path::new(span.file_name.as_ref());
        if file.is_relative()
            && let Some(package) = Path::new(self.manifest_path.as_ref()).parent()
        {
            let target = Path::new(self.target.src_path.as_ref());
            let candidates = package
                .ancestors()
                .map(|root| root.join(file))
                .filter(|file| file.starts_with(package));
            let whole = candidates.reduce(|near, far| if near == target { near } else { far });
            let place = whole.map(|file| out.place(&file.to_string_lossy(), line, column));
            if let Some(place) = place.filter(is_inside) {
                return place;
            }
        }
        out.place(&span.file_name, line, column)
    }
}

impl RustcSpan<'_> {
    fn line(&self) -> &str {
        self.text.first().map_or("", |line| line.text.as_ref())
    }
}

fn is_inside(place: &SourceLocation) -> bool {
    !Path::new(&place.file).is_absolute() && !place.file.starts_with("../")
}

#[cfg(test)]
#[path = "cargo_tests.rs"]
mod tests;
