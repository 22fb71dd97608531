//! Edits a list of tool servers in JSON, with or without comments.

use std::ops::Range;

use serde_json::ser::PrettyFormatter;
use serde_json::{Map, Value};

use super::NAME;
use crate::spans::{self, Container, Item};

/// The syntax of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// Plain JSON.
    Strict,
    /// JSON with comments, and with commas after the last item.
    Comments,
}

/// The treatment of a list without entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Emptied {
    /// Remove it: it existed only for our entry.
    Goes,
    /// Keep it: it existed before.
    Stays,
}

/// An error in a file, which is left unchanged.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum BadList {
    #[error("line {line}, column {column}: {reason}")]
    Syntax { line: usize, column: usize, reason: String },
    #[error("line {line}, column {column}: `{place}` is {found}, not an object")]
    Shape { place: String, line: usize, column: usize, found: &'static str },
}

/// The file with its list.
pub(super) struct List<'a> {
    text: &'a str,
    /// The text with spaces in place of comments and trailing commas. All other
    /// bytes stay at their positions.
    plain: String,
    name: &'static str,
    root: Container,
    entries: Option<Container>,
}

impl<'a> List<'a> {
    pub(super) fn read(text: &'a str, name: &'static str, syntax: Syntax) -> Result<Self, BadList> {
        let plain = match syntax {
            Syntax::Strict => text.to_owned(),
            Syntax::Comments => without_comments(text),
        };
        if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(&plain) {
            let reason = error.to_string();
            let reason = reason.split(" at line ").next().unwrap_or(&reason).to_owned();
            return Err(BadList::Syntax { line: error.line(), column: error.column(), reason });
        }
        let misshapen = |place: &str, at: &Range<usize>| {
            let (line, column) = spans::position(text, at.start);
            let found = spans::kind(&plain, at);
            BadList::Shape { place: place.to_owned(), line, column, found }
        };
        let whole = spans::root(&plain);
        let root = Container::object(&plain, &whole).ok_or_else(|| misshapen(".", &whole))?;
        let entries = match root.member(&plain, name) {
            None => None,
            Some(item) => {
                let object = Container::object(&plain, &item.value);
                Some(object.ok_or_else(|| misshapen(name, &item.value))?)
            }
        };
        Ok(Self { text, plain, name, root, entries })
    }

    /// Returns our entry.
    pub(super) fn entry(&self) -> Option<Value> {
        let item = self.item()?;
        serde_json::from_str(&self.plain[item.value.clone()]).ok()
    }

    fn item(&self) -> Option<&Item> {
        self.entries.as_ref()?.member(&self.plain, NAME)
    }

    /// Returns true if the file has an empty list.
    pub(super) fn is_there_and_empty(&self) -> bool {
        self.entries.as_ref().is_some_and(|list| list.items.is_empty())
    }

    /// Returns the text with our entry before the others.
    pub(super) fn added(&self, entry: &Value) -> String {
        if let Some(list) = &self.entries {
            return self.put_first(list, NAME, entry);
        }
        let list: Map<String, Value> = [(NAME.to_owned(), entry.clone())].into_iter().collect();
        self.put_first(&self.root, self.name, &Value::Object(list))
    }

    /// Returns the text with our entry replaced.
    pub(super) fn replaced(&self, entry: &Value) -> String {
        let Some(item) = self.item() else { return self.added(entry) };
        let is_tall = self.text[item.value.clone()].contains('\n');
        let value = if is_tall {
            self.tall(entry, line_indent(self.text, item.span().start))
        } else {
            entry.to_string()
        };
        let Range { start, end } = item.value.clone();
        format!("{}{value}{}", &self.text[..start], &self.text[end..])
    }

    /// Returns the text without our entry.
    pub(super) fn removed(&self, emptied: Emptied) -> String {
        let Some((list, item)) = self.entries.as_ref().zip(self.item()) else {
            return self.text.to_owned();
        };
        match self.root.member(&self.plain, self.name) {
            Some(member) if list.items.len() == 1 && emptied == Emptied::Goes => {
                self.without(&self.root, member)
            }
            Some(_) | None => self.without(list, item),
        }
    }

    fn put_first(&self, container: &Container, key: &str, value: &Value) -> String {
        let at = container.inner.start;
        let first = container.items.first().map(Item::span);
        let gap = at..first.as_ref().map_or(container.inner.end, |first| first.start);
        // An empty file must not come to look like one of ours.
        let is_blank = self.root.items.is_empty();
        let item = if self.text[gap].contains('\n') && !is_blank {
            let indent = match &first {
                Some(first) => line_indent(self.text, first.start).to_owned(),
                None => format!("{}{}", line_indent(self.text, at), self.unit()),
            };
            let newline = self.newline();
            format!("{newline}{indent}\"{key}\": {}", self.tall(value, &indent))
        } else {
            format!("\"{key}\":{value}")
        };
        let comma = if first.is_some() { "," } else { "" };
        format!("{}{item}{comma}{}", &self.text[..at], &self.text[at..])
    }

    /// Returns the text without an item, its comma, and the white space before
    /// it.
    fn without(&self, container: &Container, item: &Item) -> String {
        let span = item.span();
        let start = self.text[..span.start].trim_end().len();
        let is_this = |other: &&Item| other.span() == span;
        let index = container.items.iter().position(|other| is_this(&other)).unwrap_or(0);
        let comma_behind = |end: usize| {
            let rest = &self.text[end..container.inner.end];
            let plain = &self.plain[end..container.inner.end];
            // A trailing comma in a file with comments is not in `plain`.
            let of_text = rest.trim_start().starts_with(',').then(|| rest.find(',')).flatten();
            let of_plain = plain.trim_start().starts_with(',').then(|| plain.find(',')).flatten();
            of_plain.or(of_text).map(|offset| end + offset)
        };
        let before = index.checked_sub(1).map(|index| &container.items[index]);
        let comma = match (comma_behind(span.end), before) {
            (Some(comma), _) => Some(comma),
            (None, Some(before)) => comma_behind(before.value.end),
            (None, None) => None,
        };
        let is_gone = |at: usize| (start..span.end).contains(&at) || comma == Some(at);
        let kept = self.text.char_indices().filter(|(at, _)| !is_gone(*at));
        kept.map(|(_, c)| c).collect()
    }

    fn newline(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }

    /// Returns one level of indentation.
    fn unit(&self) -> &str {
        let first = self.root.items.first().map(|first| line_indent(self.text, first.span().start));
        first.filter(|indent| !indent.is_empty()).unwrap_or("  ")
    }

    /// Renders a value over several lines, the first one not indented.
    fn tall(&self, value: &Value, indent: &str) -> String {
        let mut bytes = Vec::new();
        let format = PrettyFormatter::with_indent(self.unit().as_bytes());
        let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, format);
        // JSON values always serialise.
        let _ = serde::Serialize::serialize(value, &mut serializer);
        let line_break = format!("{}{indent}", self.newline());
        String::from_utf8_lossy(&bytes).replace('\n', &line_break)
    }
}

/// Returns the indentation of the line at a position.
fn line_indent(text: &str, at: usize) -> &str {
    let line = text[..at].rsplit('\n').next().unwrap_or_default();
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Replaces comments and trailing commas by spaces, but keeps line breaks.
fn without_comments(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let (mut at, mut comma) = (0, None);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                comma = None;
                at = string_end(&bytes, at);
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                let length = bytes[at..].iter().position(|byte| *byte == b'\n');
                let end = length.map_or(bytes.len(), |length| at + length);
                blank(&mut bytes, at..end);
                at = end;
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                let length = bytes[at + 2..].windows(2).position(|pair| pair == b"*/");
                let end = length.map_or(bytes.len(), |length| at + length + 4);
                blank(&mut bytes, at..end);
                at = end;
                continue;
            }
            b',' => comma = Some(at),
            b'}' | b']' => {
                if let Some(comma) = comma.take() {
                    bytes[comma] = b' ';
                }
            }
            byte if byte.is_ascii_whitespace() => {}
            _ => comma = None,
        }
        at += 1;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn blank(bytes: &mut [u8], at: Range<usize>) {
    for byte in &mut bytes[at] {
        if !matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
}
