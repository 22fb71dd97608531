//! JSON texts of users, edited so that every other byte stays.
//!
//! `jsonc-parser` finds the positions. Its own editing lays out the containers that it
//! touches, so that removing an entry would not restore the text from before.

use std::ops::Range;

use jsonc_parser::ast::{ObjectProp, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::errors::ParseErrorKind;
use jsonc_parser::tokens::Token;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};
use serde::Serialize;
use serde_json::ser::PrettyFormatter;

/// The syntax of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonSyntax {
    /// Plain JSON.
    Strict,
    /// JSON with comments, and with commas after the last item.
    Comments,
}

/// An error in a JSON text. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum JsonTextError {
    /// The text is not JSON.
    #[error("line {line}, column {column}: {reason}")]
    Syntax {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// The error.
        reason: String,
    },
    /// A value has the wrong type, also for the client.
    #[error("line {line}, column {column}: `{place}` is {found}, not {wanted}")]
    Shape {
        /// The path of the value, as keys.
        place: String,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// The actual type.
        found: &'static str,
        /// The expected type.
        wanted: &'static str,
    },
}

/// The name of the whole file in paths.
pub(crate) const ROOT: &str = ".";

/// A JSON text whose root is an object.
pub(crate) struct JsonText<'t> {
    text: &'t str,
    root: Value<'t>,
    /// The positions of all commas between items.
    commas: Vec<usize>,
}

/// An object or an array.
pub(crate) struct JsonContainer<'t> {
    /// The range between its brackets.
    pub(crate) inner: Range<usize>,
    /// Its items, in order.
    pub(crate) items: Vec<JsonItem<'t>>,
}

/// An element of an array, or a member of an object.
pub(crate) struct JsonItem<'t> {
    member: Option<&'t ObjectProp<'t>>,
    /// The value.
    pub(crate) value: &'t Value<'t>,
}

/// One replacement in a text.
pub(crate) type TextEdit = (Range<usize>, String);

/// The effect of a removal on a value.
pub(crate) enum RemovalEffect {
    /// Nothing in it was removed.
    Untouched,
    /// It stays, with these changes.
    Changed(Vec<TextEdit>),
    /// It is removed.
    Gone,
}

impl RemovalEffect {
    /// Returns the same effect, but keeps a container that would be removed, with
    /// `inner` between its brackets.
    pub(crate) fn kept(self, container: &JsonContainer<'_>, inner: Option<&str>) -> Self {
        match (self, inner) {
            (Self::Gone, Some(inner)) => {
                Self::Changed(vec![(container.inner.clone(), inner.to_owned())])
            }
            (effect, _) => effect,
        }
    }
}

impl<'t> JsonItem<'t> {
    /// Returns the name of a member of an object.
    pub(crate) fn name(&self) -> Option<&'t str> {
        self.member.map(|member| member.name.as_str())
    }

    /// Returns the range of the whole item, key and value.
    fn span(&self) -> Range<usize> {
        self.member.map_or(self.value.start(), Ranged::start)..self.value.end()
    }
}

impl<'t> JsonContainer<'t> {
    /// Returns an object with its members; `None` for other values.
    pub(crate) fn object(value: &'t Value<'t>) -> Option<Self> {
        let object = value.as_object()?;
        let items = object.properties.iter();
        let items = items.map(|prop| JsonItem { member: Some(prop), value: &prop.value }).collect();
        Some(Self { inner: object.range.start + 1..object.range.end - 1, items })
    }

    /// Returns an array with its elements; `None` for other values.
    pub(crate) fn array(value: &'t Value<'t>) -> Option<Self> {
        let array = value.as_array()?;
        let items = array.elements.iter().map(|value| JsonItem { member: None, value }).collect();
        Some(Self { inner: array.range.start + 1..array.range.end - 1, items })
    }

    /// Returns the value of this name. Of several, the last one counts, as for the client.
    pub(crate) fn member(&self, name: &str) -> Option<&'t Value<'t>> {
        self.items.iter().rev().find(|item| item.name() == Some(name)).map(|item| item.value)
    }
}

impl<'t> JsonText<'t> {
    /// Parses a text.
    pub(crate) fn parse(text: &'t str, syntax: JsonSyntax) -> Result<Self, JsonTextError> {
        let is_loose = syntax == JsonSyntax::Comments;
        let options = ParseOptions {
            allow_comments: is_loose,
            allow_trailing_commas: is_loose,
            allow_loose_object_property_names: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        let collect = CollectOptions { comments: CommentCollectionStrategy::Off, tokens: true };
        let parsed = parse_to_ast(text, &collect, &options).map_err(|error| {
            let reason = if matches!(error.kind(), ParseErrorKind::CommentsNotAllowed) {
                "a comment, which JSON does not have".to_owned()
            } else {
                lower_first(&error.kind().to_string())
            };
            let (line, column) = (error.line_display(), error.column_display());
            JsonTextError::Syntax { line, column, reason }
        })?;
        let is_comma = |token: &Token<'_>| matches!(token, Token::Comma);
        let tokens = parsed.tokens.unwrap_or_default().into_iter();
        let commas = tokens.filter(|token| is_comma(&token.token)).map(|token| token.range.start);
        let Some(root) = parsed.value else {
            let reason = "the file has no value".to_owned();
            return Err(JsonTextError::Syntax { line: 1, column: 1, reason });
        };
        let parsed = Self { text, commas: commas.collect(), root };
        match parsed.root.as_object() {
            Some(_) => Ok(parsed),
            None => Err(parsed.misshapen(ROOT, &parsed.root, "an object")),
        }
    }

    /// Returns the root.
    pub(crate) fn root(&self) -> JsonContainer<'_> {
        let empty = JsonContainer { inner: 0..0, items: Vec::new() };
        JsonContainer::object(&self.root).unwrap_or(empty)
    }

    /// Returns the text between the brackets of a container.
    pub(crate) fn inner(&self, container: &JsonContainer<'_>) -> &'t str {
        &self.text[container.inner.clone()]
    }

    /// Returns an error about the type of a value.
    pub(crate) fn misshapen(
        &self,
        place: &str,
        value: &Value<'_>,
        wanted: &'static str,
    ) -> JsonTextError {
        let before = &self.text[..value.start()];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or(before).chars().count() + 1;
        let found = match value {
            Value::Object(_) => "an object",
            Value::Array(_) => "an array",
            Value::StringLit(_) => "a text",
            Value::BooleanLit(_) => "a truth value",
            Value::NullKeyword(_) => "null",
            Value::NumberLit(_) => "a number",
        };
        JsonTextError::Shape { place: place.to_owned(), line, column, found, wanted }
    }

    /// Returns the text with one more item at the end of a container.
    pub(crate) fn with_last(
        &self,
        container: &JsonContainer<'_>,
        key: Option<&str>,
        value: &impl Serialize,
    ) -> String {
        let inner = self.inner(container);
        let root = self.root();
        let is_one_line = match container.items.last() {
            Some(_) => !inner.contains('\n'),
            None => !root.items.is_empty() && !self.inner(&root).contains('\n'),
        };
        let last = container.items.last();
        let gap = last.map(|last| gap_before(self.text, last.span().start));
        let indent = || match gap.and_then(|gap| gap.rsplit_once('\n')) {
            Some((_, indent)) => indent.to_owned(),
            None => format!("{}{}", line_indent(self.text, container.inner.start), self.unit()),
        };
        let edit = match last {
            Some(last) if is_one_line => {
                let name = last.member.map(|member| member.name.end()..last.value.start());
                let colon = name.map_or(":", |at| &self.text[at]);
                let item = flat(key, colon, value);
                (last.value.end()..last.value.end(), format!(",{}{item}", gap.unwrap_or_default()))
            }
            Some(last) => {
                let item = self.tall(key, value, &indent());
                (last.value.end()..last.value.end(), format!(",{item}"))
            }
            None if is_one_line => (container.inner.clone(), flat(key, ":", value)),
            None => {
                let item = self.tall(key, value, &indent());
                let end = line_indent(self.text, container.inner.start);
                (container.inner.clone(), format!("{item}{}{end}", self.newline()))
            }
        };
        self.with(vec![edit])
    }

    /// Returns the text with one more member before the others, where no comment of
    /// theirs can come to stand behind it.
    pub(crate) fn with_first(
        &self,
        container: &JsonContainer<'_>,
        key: &str,
        value: &impl Serialize,
    ) -> String {
        let at = container.inner.start;
        let first = container.items.first().map(JsonItem::span);
        let gap = at..first.as_ref().map_or(container.inner.end, |first| first.start);
        // An empty file must not come to look like one of ours.
        let is_blank = self.root().items.is_empty();
        let item = if self.text[gap].contains('\n') && !is_blank {
            let indent = match &first {
                Some(first) => line_indent(self.text, first.start).to_owned(),
                None => format!("{}{}", line_indent(self.text, at), self.unit()),
            };
            self.tall(Some(key), value, &indent)
        } else {
            flat(Some(key), ":", value)
        };
        let comma = if first.is_some() { "," } else { "" };
        self.with(vec![(at..at, format!("{item}{comma}"))])
    }

    /// Returns the text with another value in place of this one.
    pub(crate) fn with_value(&self, old: &Value<'_>, new: &impl Serialize) -> String {
        let indent = line_indent(self.text, old.start());
        let new = if old.text(self.text).contains('\n') {
            self.pretty(new, &format!("{}{indent}", self.newline()))
        } else {
            json(new)
        };
        self.with(vec![(old.start()..old.end(), new)])
    }

    /// Returns the effect on a container of the effects on its items.
    ///
    /// An item is removed together with the white space and the comma before it, or
    /// behind it if it was the first, which restores the text before it was added.
    pub(crate) fn removal(
        &self,
        container: &JsonContainer<'_>,
        items: Vec<RemovalEffect>,
    ) -> RemovalEffect {
        if items.iter().all(|item| matches!(item, RemovalEffect::Untouched)) {
            return RemovalEffect::Untouched;
        }
        if items.iter().all(|item| matches!(item, RemovalEffect::Gone)) {
            return RemovalEffect::Gone;
        }
        let mut edits = Vec::new();
        let mut has_before = false;
        for (index, effect) in items.into_iter().enumerate() {
            has_before |= !matches!(effect, RemovalEffect::Gone);
            match effect {
                RemovalEffect::Gone if has_before => edits.extend(self.cut_back(container, index)),
                RemovalEffect::Gone => edits.extend(self.cut_first(container, index)),
                RemovalEffect::Changed(inside) => edits.extend(inside),
                RemovalEffect::Untouched => {}
            }
        }
        RemovalEffect::Changed(edits)
    }

    /// Returns the text after these edits, which must not overlap.
    pub(crate) fn with(&self, mut edits: Vec<TextEdit>) -> String {
        edits.sort_by_key(|(range, _)| range.start);
        let mut out = String::with_capacity(self.text.len());
        let mut from = 0;
        for (range, put) in edits {
            out.push_str(&self.text[from..range.start]);
            out.push_str(&put);
            from = range.end;
        }
        out.push_str(&self.text[from..]);
        out
    }

    /// Returns the text without an item.
    pub(crate) fn without(&self, container: &JsonContainer<'_>, index: usize) -> String {
        self.with(match index {
            0 => self.cut_first(container, index),
            _ => self.cut_back(container, index),
        })
    }

    /// Returns the edits that remove an item and the comma before it.
    fn cut_back(&self, container: &JsonContainer<'_>, index: usize) -> Vec<TextEdit> {
        let start = container.items[index].span().start;
        let comma = self.commas.iter().rfind(|comma| **comma < start);
        self.cut(container, index, comma.copied())
    }

    /// Returns the edits that remove an item and the comma behind it.
    fn cut_first(&self, container: &JsonContainer<'_>, index: usize) -> Vec<TextEdit> {
        let behind = container.items[index].span().end..container.inner.end;
        let comma = self.commas.iter().find(|comma| behind.contains(comma));
        self.cut(container, index, comma.copied())
    }

    fn cut(
        &self,
        container: &JsonContainer<'_>,
        index: usize,
        comma: Option<usize>,
    ) -> Vec<TextEdit> {
        let span = container.items[index].span();
        let start = span.start - gap_before(self.text, span.start).len();
        let comma = comma.map(|comma| comma..comma + 1);
        [Some(start..span.end), comma].into_iter().flatten().map(|at| (at, String::new())).collect()
    }

    fn newline(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }

    /// Returns one level of indentation.
    fn unit(&self) -> &'t str {
        let root = self.root();
        let first = root.items.first().map(|first| line_indent(self.text, first.span().start));
        first.filter(|indent| !indent.is_empty()).unwrap_or("  ")
    }

    /// Renders an item on lines of its own, with the first line break.
    fn tall(&self, key: Option<&str>, value: &impl Serialize, indent: &str) -> String {
        let line_break = format!("{}{indent}", self.newline());
        let key = key.map(|key| format!("{}: ", json(&key))).unwrap_or_default();
        format!("{line_break}{key}{}", self.pretty(value, &line_break))
    }

    /// Renders a value over several lines.
    fn pretty(&self, value: &impl Serialize, line_break: &str) -> String {
        let mut bytes = Vec::new();
        let format = PrettyFormatter::with_indent(self.unit().as_bytes());
        let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, format);
        // Our own texts and numbers always serialise.
        let _ = value.serialize(&mut serializer);
        String::from_utf8_lossy(&bytes).replace('\n', line_break)
    }
}

fn flat(key: Option<&str>, colon: &str, value: &impl Serialize) -> String {
    let key = key.map(|key| format!("{}{colon}", json(&key))).unwrap_or_default();
    format!("{key}{}", json(value))
}

fn lower_first(text: &str) -> String {
    let (first, rest) = text.split_at_checked(1).unwrap_or_default();
    format!("{}{rest}", first.to_ascii_lowercase())
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
