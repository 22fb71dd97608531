//! Removes secrets from text before it is stored, logged or shown.
//!
//! Text is read line by line. Tokens with a known prefix and assignments are found
//! by plain scans that need no set-up, because most calls come from processes that
//! live for two milliseconds. The few shapes that need a regular expression compile
//! it only after one of its literals was seen. Every scan takes time linear in the
//! length of the line.
//!
//! In doubt, a value with the shape of a known token is hidden. A value with only
//! the name of a variable as a sign is kept.

mod assignment;
mod patterns;
mod private_key;
mod shapes;
mod tokens;
mod told;
mod value;

/// A redactor for a stream of bytes that arrives in pieces.
///
/// It returns whole lines, so that no secret or character is cut in two. A line of
/// more than [`RedactedStream::LONGEST`] bytes comes in parts.
#[derive(Clone, Debug, Default)]
pub struct RedactedStream {
    redactor: Redactor,
    rest: Vec<u8>,
}

impl RedactedStream {
    /// Maximum number of bytes of a line that are held back.
    pub const LONGEST: usize = 64 * 1024;

    /// Adds the next piece and returns the complete lines, each with its line break.
    pub fn push(&mut self, bytes: &[u8]) -> String {
        self.rest.extend_from_slice(bytes);
        let complete = match self.rest.iter().rposition(|byte| *byte == b'\n') {
            Some(end) => end + 1,
            None if self.rest.len() > Self::LONGEST => self.rest.len(),
            None => return String::new(),
        };
        let whole: Vec<u8> = self.rest.drain(..complete).collect();
        self.clean(&whole)
    }

    /// Returns the rest, an unfinished line.
    pub fn finish(&mut self) -> String {
        let rest = std::mem::take(&mut self.rest);
        self.clean(&rest)
    }

    fn clean(&mut self, bytes: &[u8]) -> String {
        let text = String::from_utf8_lossy(bytes);
        text.split_inclusive('\n')
            .map(|line| {
                let (body, end) = line.strip_suffix('\n').map_or((line, ""), |body| (body, "\n"));
                self.redactor.line(body).into_owned() + end
            })
            .collect()
    }
}

#[cfg(test)]
mod samples;
#[cfg(test)]
#[path = "redact_tests.rs"]
mod tests;

use std::borrow::Cow;

pub use shapes::{SecretShape, assigned, shapes};

/// Start of every replacement; a value that contains it was replaced before.
pub const MARK: &str = "[redacted:";

/// Maximum number of passes over a line with secrets. Two are enough for anything
/// but an attack; the bound keeps the time linear even then.
const ROUNDS: usize = 8;

/// Maximum number of lines of another stream inside a key.
const FOREIGN_LINES: u8 = 8;

/// A range of bytes in a line that must be hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SecretSpan {
    start: usize,
    end: usize,
    kind: &'static str,
}

/// Replaces secrets in one complete text by `[redacted:<kind>]`.
///
/// Text without secrets is returned borrowed. A private key that spans lines
/// becomes one marker, so the result may have fewer lines than `text`. A second
/// call changes nothing.
pub fn redact(text: &str) -> Cow<'_, str> {
    redact_with(Redactor::new(), text)
}

/// Like [`redact`], for text whose beginning is missing.
///
/// It may begin inside a private key, so lines that look like the body of one are
/// removed, up to the first other line.
pub fn redact_cut(text: &str) -> Cow<'_, str> {
    redact_with(Redactor { in_key: true, ..Redactor::default() }, text)
}

fn redact_with(mut redactor: Redactor, text: &str) -> Cow<'_, str> {
    let mut out: Option<String> = None;
    let mut kept = 0;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let replacement = redactor.read(line);
        let next = at + line.len();
        if !matches!(replacement, RedactedLine::Same) {
            let out = out.get_or_insert_with(|| String::with_capacity(text.len()));
            out.push_str(&text[kept..at]);
            kept = next;
            match replacement {
                RedactedLine::Same => {}
                RedactedLine::Changed(new) => out.push_str(&new),
                RedactedLine::Key { after } => {
                    if !after.trim().is_empty() {
                        out.push_str(&after);
                    }
                }
            }
        }
        at = next;
    }
    match out {
        None => Cow::Borrowed(text),
        Some(mut out) => {
            out.push_str(&text[kept..]);
            Cow::Owned(out)
        }
    }
}

/// A redactor for a stream of lines; it knows when it is inside a private key.
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    in_key: bool,
    /// Number of lines inside the key that do not belong to it.
    foreign: u8,
    /// True if the line above ended where a password would begin.
    awaits_password: bool,
}

/// The result for one line.
enum RedactedLine {
    Same,
    Changed(String),
    /// The line belongs to a private key that began above; `after` is the rest of the line.
    Key {
        after: String,
    },
}

impl Redactor {
    /// Creates a redactor outside of any private key.
    pub fn new() -> Self {
        Self::default()
    }

    /// Redacts the next line, given with or without its line break.
    ///
    /// Each line results in exactly one line: the lines of a private key become one
    /// marker each.
    pub fn line<'a>(&mut self, line: &'a str) -> Cow<'a, str> {
        match self.read(line) {
            RedactedLine::Same => Cow::Borrowed(line),
            RedactedLine::Changed(new) => Cow::Owned(new),
            RedactedLine::Key { after } => {
                Cow::Owned(format!("{MARK}{}]{after}", private_key::KIND))
            }
        }
    }

    fn read(&mut self, line: &str) -> RedactedLine {
        if self.in_key {
            match private_key::body_end(line) {
                // Another stream may have put a line into the key. From then on
                // only text that cannot be a word belongs to the key.
                private_key::KeyLine::Inside
                    if self.foreign > 0 && !private_key::is_pure_material(line) =>
                {
                    self.note_foreign();
                }
                private_key::KeyLine::Inside => {
                    let text = line.trim_end_matches(['\r', '\n']);
                    return RedactedLine::Key { after: line[text.len()..].to_owned() };
                }
                private_key::KeyLine::EndsAt(end) => {
                    self.in_key = false;
                    let rest = &line[end..];
                    let after = self.replace(rest).unwrap_or_else(|| rest.to_owned());
                    return RedactedLine::Key { after };
                }
                private_key::KeyLine::NotOfKey => self.note_foreign(),
            }
        }
        self.replace(line).map_or(RedactedLine::Same, RedactedLine::Changed)
    }

    /// Counts a foreign line; after too many of them the key was cut short.
    fn note_foreign(&mut self) {
        self.foreign += 1;
        self.in_key = self.foreign <= FOREIGN_LINES;
    }

    /// Returns the line with its secrets replaced; `None` if it has none.
    fn replace(&mut self, line: &str) -> Option<String> {
        let above =
            std::mem::replace(&mut self.awaits_password, assignment::ends_before_value(line));
        let mut spans = Vec::new();
        if above {
            assignment::find_alone(line, &mut spans);
        }
        let mut out = self.replace_once(line, spans)?;
        // A replaced secret may reveal another one that was joined to it.
        for _ in 1..ROUNDS {
            match self.replace_once(&out, Vec::new()) {
                Some(next) => out = next,
                None => break,
            }
        }
        Some(out)
    }

    /// Replaces secrets in one pass; `spans` holds those already found.
    fn replace_once(&mut self, line: &str, mut spans: Vec<SecretSpan>) -> Option<String> {
        if private_key::find(line, &mut spans) {
            self.in_key = true;
            self.foreign = 0;
        }
        tokens::find(line, &mut spans);
        patterns::find(line, &mut spans);
        assignment::find(line, &mut spans);
        told::find(line, &mut spans);
        if spans.is_empty() {
            return None;
        }
        // The sort is stable: of spans with the same start, the first scan knows
        // the kind best and gives the name.
        spans.sort_by_key(|span| span.start);
        let mut out = String::with_capacity(line.len());
        let mut at = 0;
        for span in joined(&spans) {
            out.push_str(&line[at..span.start]);
            out.push_str(MARK);
            out.push_str(span.kind);
            out.push(']');
            at = span.end;
        }
        out.push_str(&line[at..]);
        Some(out)
    }
}

/// Merges overlapping spans, so that no part of either secret is left over.
fn joined(sorted: &[SecretSpan]) -> Vec<SecretSpan> {
    let mut out: Vec<SecretSpan> = Vec::with_capacity(sorted.len());
    for span in sorted {
        match out.last_mut() {
            Some(last) if span.start < last.end => last.end = last.end.max(span.end),
            Some(_) | None => out.push(*span),
        }
    }
    out
}
