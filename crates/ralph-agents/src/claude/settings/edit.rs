//! Edits of a JSON text that leave every other byte unchanged.

use std::ops::Range;

use serde::Serialize;
use serde_json::ser::PrettyFormatter;

use super::spans::{self, Container};

/// One replacement in a text.
pub(super) type Edit = (Range<usize>, String);

/// The effect of a removal on a value.
pub(super) enum Fate {
    /// Nothing in it was removed.
    Untouched,
    /// It stays, with these changes.
    Changed(Vec<Edit>),
    /// It is removed.
    Gone,
}

impl Fate {
    /// Returns the same fate, but keeps a container that would be removed, with
    /// `inner` between its brackets.
    pub(super) fn kept(self, container: &Container, inner: Option<&str>) -> Self {
        match (self, inner) {
            (Self::Gone, Some(inner)) => {
                Self::Changed(vec![(container.inner.clone(), inner.to_owned())])
            }
            (fate, _) => fate,
        }
    }
}

/// Returns the fate of a container from those of its items.
///
/// An item is removed together with the comma before it, which restores the
/// text before it was added.
pub(super) fn fate(container: &Container, items: Vec<Fate>) -> Fate {
    if items.iter().all(|item| matches!(item, Fate::Untouched)) {
        return Fate::Untouched;
    }
    let Some(first) = items.iter().position(|item| !matches!(item, Fate::Gone)) else {
        return Fate::Gone;
    };
    let span = |index: usize| container.items[index].span();
    let mut edits = Vec::new();
    if first > 0 {
        edits.push((span(0).start..span(first).start, String::new()));
    }
    for (index, item) in items.into_iter().enumerate().skip(first) {
        match item {
            Fate::Untouched => {}
            Fate::Changed(inside) => edits.extend(inside),
            Fate::Gone => edits.push((span(index - 1).end..span(index).end, String::new())),
        }
    }
    Fate::Changed(edits)
}

/// Returns the text after these edits, which must not overlap.
pub(super) fn apply(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|(range, _)| range.start);
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for (range, put) in edits {
        out.push_str(&text[from..range.start]);
        out.push_str(&put);
        from = range.end;
    }
    out.push_str(&text[from..]);
    out
}

/// The layout of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Style {
    newline: &'static str,
    /// One level of indentation.
    unit: String,
    /// True if the whole file is one line.
    is_one_line: bool,
}

impl Style {
    /// Detects the layout of a text whose root is an object.
    pub(super) fn of(text: &str, root: &Container) -> Self {
        let inner = &text[root.inner.clone()];
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let space = &inner[..inner.len() - inner.trim_start().len()];
        let unit = space.rsplit_once('\n').map(|(_, indent)| indent);
        let unit = unit.filter(|indent| !indent.is_empty() && !root.items.is_empty());
        Self {
            newline,
            unit: unit.unwrap_or("  ").to_owned(),
            is_one_line: !root.items.is_empty() && !inner.contains('\n'),
        }
    }

    /// Returns the text with one more item at the end of a container.
    pub(super) fn add(
        &self,
        text: &str,
        container: &Container,
        key: Option<&str>,
        value: &impl Serialize,
    ) -> String {
        let inner = &text[container.inner.clone()];
        let is_one_line =
            if container.items.is_empty() { self.is_one_line } else { !inner.contains('\n') };
        let edit = match container.items.last() {
            Some(last) if is_one_line => {
                let gap = gap_before(text, last.span().start);
                let colon = last.key.as_ref().map_or(":", |key| &text[key.end..last.value.start]);
                (last.value.end..last.value.end, format!(",{gap}{}", flat(key, colon, value)))
            }
            Some(last) => {
                let item = self.tall(key, value, &self.indent_of(text, container));
                (last.value.end..last.value.end, format!(",{item}"))
            }
            None if is_one_line => (container.inner.clone(), flat(key, ":", value)),
            None => {
                let item = self.tall(key, value, &self.indent_of(text, container));
                let end = line_indent(text, container.inner.start);
                (container.inner.clone(), format!("{item}{}{end}", self.newline))
            }
        };
        apply(text, vec![edit])
    }

    /// Returns the indentation of a container's items: that of the last one, or
    /// one level more than the container's first line.
    fn indent_of(&self, text: &str, container: &Container) -> String {
        let gap = container.items.last().map(|last| gap_before(text, last.span().start));
        match gap.and_then(|gap| gap.rsplit_once('\n')) {
            Some((_, indent)) => indent.to_owned(),
            None => format!("{}{}", line_indent(text, container.inner.start), self.unit),
        }
    }

    /// Renders an item on lines of its own, with the first line break.
    fn tall(&self, key: Option<&str>, value: &impl Serialize, indent: &str) -> String {
        let mut bytes = Vec::new();
        let format = PrettyFormatter::with_indent(self.unit.as_bytes());
        let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, format);
        // Our own texts and numbers always serialise.
        let _ = value.serialize(&mut serializer);
        let value = String::from_utf8_lossy(&bytes);
        let line_break = format!("{}{indent}", self.newline);
        let key = key.map(|key| format!("{}: ", json(&key))).unwrap_or_default();
        format!("{line_break}{key}{}", value.replace('\n', &line_break))
    }
}

fn flat(key: Option<&str>, colon: &str, value: &impl Serialize) -> String {
    let key = key.map(|key| format!("{}{colon}", json(&key))).unwrap_or_default();
    format!("{key}{}", json(value))
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// Returns the white space before a position.
fn gap_before(text: &str, at: usize) -> &str {
    let before = &text[..at];
    &before[before.trim_end_matches(|c: char| c.is_ascii_whitespace()).len()..]
}

/// Returns the indentation of the line at a position.
fn line_indent(text: &str, at: usize) -> &str {
    let line = text[..at].rsplit('\n').next().unwrap_or_default();
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Returns the object at a path of member names.
pub(super) fn object(text: &str, names: &[&str]) -> Option<Container> {
    let mut found = Container::object(text, &spans::root(text))?;
    for name in names {
        let value = found.member(text, name)?.value.clone();
        found = Container::object(text, &value)?;
    }
    Some(found)
}
