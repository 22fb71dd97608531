//! The block of details below a test point, as far as it is needed.

use ralph_core::finding::SourceLocation;

use super::super::FindingCollector;
use super::super::said::FailureMessage;
use super::super::spot::PrintedLocation;

/// Details of a failure.
#[derive(Debug, Default)]
pub(super) struct TapYamlBlock {
    /// The indentation of its keys.
    indent: usize,
    /// The key whose text goes on over several lines.
    open: Option<TapYamlKey>,
    said: FailureMessage,
    /// The place of the test.
    home: Option<SourceLocation>,
    /// The place where it went wrong.
    thrown: Option<SourceLocation>,
    /// A place told in parts.
    parts: SourceLocation,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TapYamlKey {
    Message,
    Stack,
}

impl TapYamlBlock {
    /// A block whose lines are indented this far.
    pub(super) fn at(indent: usize) -> Self {
        Self { indent, ..Self::default() }
    }

    /// True if a line ends the block.
    pub(super) fn ends_with(&self, line: &str) -> bool {
        let text = line.trim_start_matches(' ');
        let indent = line.len() - text.len();
        (text == "..." && indent <= self.indent) || (indent < self.indent && !text.is_empty())
    }

    /// Takes in a line of the block.
    pub(super) fn line(&mut self, line: &str, out: &FindingCollector) {
        let text = line.trim_start_matches(' ');
        let indent = line.len() - text.len();
        if let Some(key) = self.open {
            if text.is_empty() || indent > self.indent {
                let inner = line.get(self.indent + 2..).unwrap_or("");
                self.more(key, inner, out);
                return;
            }
            self.open = None;
        }
        let Some((key, value)) = text.split_once(':') else { return };
        let value = value.trim();
        let block = value.starts_with(['|', '>']);
        match key {
            "error" | "message" if self.said.is_empty() => {
                if block {
                    self.open = Some(TapYamlKey::Message);
                } else {
                    self.said.text(&unquoted(value));
                }
            }
            "stack" if block => self.open = Some(TapYamlKey::Stack),
            "location" => {
                self.home = PrintedLocation::parse(&unquoted(value)).map(|spot| spot.place(out));
            }
            "file" | "fileName" => self.parts = out.place(&unquoted(value), self.parts.line, None),
            "line" | "lineNumber" => self.parts.line = value.parse().ok(),
            _ => {}
        }
    }

    fn more(&mut self, key: TapYamlKey, text: &str, out: &FindingCollector) {
        match key {
            TapYamlKey::Message => self.said.line(text),
            TapYamlKey::Stack if self.thrown.is_none() => {
                self.thrown = PrintedLocation::find_in_line(text).map(|spot| spot.place(out));
            }
            TapYamlKey::Stack => {}
        }
    }

    /// Returns the place where it went wrong, or else that of the test, and its message.
    pub(super) fn told(self) -> (SourceLocation, String) {
        let parts = (!self.parts.file.is_empty()).then_some(self.parts);
        let place = self.thrown.or(self.home).or(parts).unwrap_or_default();
        (place, self.said.as_str().to_owned())
    }
}

/// A value without its quotes.
fn unquoted(value: &str) -> String {
    let inner = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
    if let Some(text) = inner('\'') {
        return text.replace("''", "'");
    }
    match inner('"') {
        Some(text) => text.replace("\\n", "\n").replace("\\\"", "\"").replace("\\\\", "\\"),
        None => value.to_owned(),
    }
}
