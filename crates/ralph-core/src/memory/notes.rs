//! Renders notes as data, inside a fence that they cannot close.
//!
//! A note may hold any text, even the output of a tool that was written as an
//! attack. So each note is one line, and nothing in it can close the fence or open
//! another. Text that reads like an order to the agent is marked.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use super::orders::is_unseen;
pub use super::orders::{OrderKind, orders};

/// Start of the fence.
pub const OPENING: &str = "<ralph-notes>";

/// End of the fence.
pub const CLOSING: &str = "</ralph-notes>";

/// Puts a note on one line, without anything that could end the fence.
pub fn as_data(text: &str) -> String {
    static TAG: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)[<＜]([\s|/]*(?:ralph|system|assistant|user|human|im_|instruction|tool|function|endof|promise|/))").ok()
    });
    let mut line = String::with_capacity(text.len());
    for c in text.chars().filter(|c| !is_unseen(*c)) {
        if c.is_whitespace() {
            if !line.ends_with(' ') {
                line.push(' ');
            }
        } else {
            line.push(c);
        }
    }
    let line = line.trim();
    match TAG.as_ref() {
        Some(tag) => tag.replace_all(line, "‹$1").into_owned(),
        None => line.replace('<', "‹"),
    }
}

/// Renders at most `most` file names on one line. A name that reads like an order
/// is left out: anybody may name a file.
pub fn file_names<'a>(files: impl IntoIterator<Item = &'a str>, most: usize) -> String {
    let harmless = files.into_iter().filter(|file| orders(file).is_empty());
    harmless.take(most).map(as_data).collect::<Vec<_>>().join(", ")
}

/// Removes our fences from a text, so that recalled notes are not learned again.
pub fn without_notes(text: &str) -> Cow<'_, str> {
    if !text.contains(OPENING) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(OPENING) {
        kept.push_str(&rest[..start]);
        let inside = &rest[start + OPENING.len()..];
        rest = inside.find(CLOSING).map_or("", |end| &inside[end + CLOSING.len()..]);
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

/// Returns the ids of the notes inside our fences.
pub fn names(text: &str) -> Vec<String> {
    let inside = text.split(OPENING).skip(1).filter_map(|part| part.split(CLOSING).next());
    let named = inside.flat_map(str::lines).filter_map(|line| line.strip_prefix("- ["));
    named.filter_map(|rest| Some(rest.split_once(']')?.0.to_owned())).collect()
}

#[cfg(test)]
#[path = "notes_tests.rs"]
mod tests;
