//! Byte positions of values in a JSON text.
//!
//! The text was validated before, so this only scans. It reads no deeper into a
//! value than needed, and does not recurse.

use std::ops::Range;

/// An object or an array.
#[derive(Debug)]
pub(crate) struct Container {
    /// The range between its brackets.
    pub(crate) inner: Range<usize>,
    /// Its items, in order.
    pub(crate) items: Vec<Item>,
}

/// An element of an array, or a member of an object.
#[derive(Debug)]
pub(crate) struct Item {
    /// The key with its quotation marks; `None` in an array.
    pub(crate) key: Option<Range<usize>>,
    /// The value.
    pub(crate) value: Range<usize>,
}

impl Item {
    /// Returns the range of the whole item, key and value.
    pub(crate) fn span(&self) -> Range<usize> {
        self.key.as_ref().map_or(self.value.start, |key| key.start)..self.value.end
    }

    /// Returns true if it is the member of this name.
    pub(crate) fn is(&self, text: &str, name: &str) -> bool {
        self.key.as_ref().is_some_and(|key| string(text, key).as_deref() == Some(name))
    }
}

impl Container {
    /// Returns the object at this range; `None` if it is something else.
    pub(crate) fn object(text: &str, at: &Range<usize>) -> Option<Self> {
        text[at.clone()].starts_with('{').then(|| read(text, at))
    }

    /// Returns the array at this range; `None` if it is something else.
    pub(crate) fn array(text: &str, at: &Range<usize>) -> Option<Self> {
        text[at.clone()].starts_with('[').then(|| read(text, at))
    }

    /// Returns the member of this name. Of several, the last one counts, as for
    /// the client.
    pub(crate) fn member(&self, text: &str, name: &str) -> Option<&Item> {
        self.items.iter().rev().find(|item| item.is(text, name))
    }
}

/// Returns the range of the root value.
pub(crate) fn root(text: &str) -> Range<usize> {
    let start = skip_space(text, 0);
    start..value_end(text, start)
}

/// Returns the text of a string value; `None` for other values.
pub(crate) fn string(text: &str, at: &Range<usize>) -> Option<String> {
    serde_json::from_str(&text[at.clone()]).ok()
}

/// Returns the type of a value, for messages.
pub(crate) fn kind(text: &str, at: &Range<usize>) -> &'static str {
    match text.as_bytes().get(at.start) {
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b'"') => "a text",
        Some(b't' | b'f') => "a truth value",
        Some(b'n') => "null",
        Some(_) | None => "a number",
    }
}

/// Returns line and column of a position, both from 1.
pub(crate) fn position(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..at];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or(before).chars().count() + 1;
    (line, column)
}

fn read(text: &str, at: &Range<usize>) -> Container {
    let inner = at.start + 1..at.end - 1;
    let is_object = text[at.clone()].starts_with('{');
    let mut items = Vec::new();
    let mut next = skip_space(text, inner.start);
    while next < inner.end {
        let key = is_object.then(|| next..string_end(text, next));
        let start = key.as_ref().map_or(next, |key| skip_past(text, key.end, b':'));
        let value = start..value_end(text, start);
        next = skip_past(text, value.end, b',');
        items.push(Item { key, value });
    }
    Container { inner, items }
}

fn skip_space(text: &str, from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    from + rest.bytes().take_while(u8::is_ascii_whitespace).count()
}

/// Skips `sign`, if present, and the white space around it.
fn skip_past(text: &str, from: usize, sign: u8) -> usize {
    let at = skip_space(text, from);
    if text.as_bytes().get(at) == Some(&sign) { skip_space(text, at + 1) } else { at }
}

fn value_end(text: &str, start: usize) -> usize {
    match text.as_bytes().get(start) {
        Some(b'"') => string_end(text, start),
        Some(b'{' | b'[') => container_end(text, start),
        Some(_) | None => {
            let rest = text.get(start..).unwrap_or_default();
            let ends = |c: char| c.is_ascii_whitespace() || matches!(c, ',' | ']' | '}');
            rest.find(ends).map_or(text.len(), |length| start + length)
        }
    }
}

fn string_end(text: &str, start: usize) -> usize {
    let mut at = start + 1;
    loop {
        match text.as_bytes().get(at) {
            Some(b'"') => return at + 1,
            Some(b'\\') => at += 2,
            Some(_) => at += 1,
            None => return text.len(),
        }
    }
}

fn container_end(text: &str, start: usize) -> usize {
    let (mut at, mut depth) = (start, 0_usize);
    while let Some(byte) = text.as_bytes().get(at) {
        match byte {
            b'"' => {
                at = string_end(text, at);
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 1 => return at + 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    text.len()
}
