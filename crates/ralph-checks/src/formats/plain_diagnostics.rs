//! Diagnostics in plain text, in the usual forms of compilers and linters.
//!
//! Only what is certain counts: a path with a line and a known level, or the
//! exact form of one tool. Text that merely speaks of errors is no finding;
//! neither are stack traces, failing assertions, logs, times and URLs.

mod forms;

use ralph_core::finding::{FindingLevel, SourceLocation};

use self::forms::PlacedFinding;
use super::located::{brackets, colons, has_place, is_path};
use super::printed::{RepeatFilter, uncoloured};
use super::{FindingCollector, ToolFinding, tsc};

/// Reads diagnostics line by line.
#[derive(Debug, Default)]
pub(super) struct PlainDiagnostics {
    said: RepeatFilter,
    before: PrecedingLine,
}

/// The start of a diagnostic, or of a group of them, in the line before.
#[derive(Debug, Default)]
enum PrecedingLine {
    /// Nothing that matters.
    #[default]
    Nothing,
    /// A message whose place comes in the next line, after an arrow.
    Message { tool: &'static str, rule: Option<String>, level: FindingLevel, message: String },
    /// The diagnostics of a Go package.
    GoPackage,
    /// The diagnostics of a file, with only their lines and columns.
    File(String),
}

impl PlainDiagnostics {
    /// Takes in the next line, without its end.
    pub(super) fn line(&mut self, text: &str, out: &mut FindingCollector) {
        let text = uncoloured(text);
        let text = trimmed(&text);
        match text.as_bytes().first() {
            None => self.before = PrecedingLine::Nothing,
            Some(b' ' | b'\t') => self.indented(text.trim_start(), out),
            Some(first) => self.unindented(*first, text, out),
        }
    }

    /// A line that is not indented.
    fn unindented(&mut self, first: u8, text: &str, out: &mut FindingCollector) {
        let go = matches!(self.before, PrecedingLine::GoPackage);
        self.before = PrecedingLine::Nothing;
        let special = match first {
            b'e' | b'w' => forms::kotlin(text, out),
            b'[' => forms::maven(text, out),
            b'P' | b'F' => forms::php(text, out),
            _ => None,
        };
        if let Some(seen) = special {
            return self.found(seen, out);
        }
        // Most lines end here: looking closer is many times slower.
        if has_place(text) {
            let seen = located(text, out).or_else(|| if go { forms::go(text, out) } else { None });
            if let Some(seen) = seen {
                if go {
                    self.before = PrecedingLine::GoPackage;
                }
                return self.found(seen, out);
            }
        }
        self.begin(first, text);
    }

    /// True if the line says something about the lines that follow.
    fn begin(&mut self, first: u8, text: &str) {
        if first == b'#' && forms::is_go_package(text) {
            self.before = PrecedingLine::GoPackage;
        } else if first == b'/' && is_path(text) {
            self.before = PrecedingLine::File(text.to_owned());
        } else if let Some(found) = forms::before_arrow(text) {
            self.before = PrecedingLine::Message {
                tool: found.tool,
                rule: found.rule.map(str::to_owned),
                level: found.level,
                message: found.message.to_owned(),
            };
        }
    }

    fn indented(&mut self, text: &str, out: &mut FindingCollector) {
        match &self.before {
            PrecedingLine::Message { .. } => self.arrow(text, out),
            PrecedingLine::File(file) => {
                let seen = forms::stylish(file, text, out).or_else(|| forms::dashed(text, out));
                if let Some(seen) = seen {
                    self.found(seen, out);
                }
            }
            // What a build of several projects prints is indented.
            PrecedingLine::Nothing => {
                if let Some(seen) = brackets(text).and_then(|at| forms::coded(&at, out)) {
                    self.found(seen, out);
                }
            }
            // Go indents what explains a diagnostic.
            PrecedingLine::GoPackage => {}
        }
    }

    /// ` --> file:line:column`
    fn arrow(&mut self, text: &str, out: &mut FindingCollector) {
        let before = std::mem::take(&mut self.before);
        let PrecedingLine::Message { tool, rule, level, message } = before else { return };
        let at = text.strip_prefix("--> ").and_then(colons).filter(|at| at.rest.is_empty());
        if let Some(at) = at {
            let place = out.place(at.file, Some(at.line), at.column);
            let found =
                ToolFinding { tool, rule: rule.as_deref(), level, message: &message, context: "" };
            self.found(PlacedFinding { place, found }, out);
        }
    }

    fn found(
        &mut self,
        PlacedFinding { place, found }: PlacedFinding<'_>,
        out: &mut FindingCollector,
    ) {
        // A header of the system or an installed package cannot be mended here.
        let foreign = place.file.starts_with('/') && found.level != FindingLevel::Error;
        let SourceLocation { file, line, column } = &place;
        if !foreign && self.said.is_new(&(file, line, column, found.message)) {
            out.finding(place, &found);
        }
    }
}

/// Like `trim_end`, but quick where there is nothing to trim.
fn trimmed(text: &str) -> &str {
    match text.as_bytes().last() {
        Some(b'!'..=b'~') | None => text,
        Some(_) => text.trim_end(),
    }
}

/// Forms that begin with a place.
fn located<'a>(text: &'a str, out: &FindingCollector) -> Option<PlacedFinding<'a>> {
    let text = ["vet: ", "ruby: "].iter().find_map(|tool| text.strip_prefix(tool)).unwrap_or(text);
    if let Some((place, found)) = tsc::diagnostic(text, out) {
        return Some(PlacedFinding { place, found });
    }
    if let Some(at) = brackets(text) {
        return forms::coded(&at, out);
    }
    let at = colons(text)?;
    if at.rest.starts_with(" - ") {
        return forms::dashed(text, out);
    }
    if let Some(said) = at.rest.strip_prefix(": ") {
        return forms::levelled(&at, said, out)
            .or_else(|| forms::python(&at, said, out))
            .or_else(|| forms::golang_linter(&at, said, out))
            .or_else(|| forms::ruby(&at, said, out));
    }
    forms::phpstan(&at, out)
}

#[cfg(test)]
#[path = "plain_diagnostics_tests.rs"]
mod tests;
