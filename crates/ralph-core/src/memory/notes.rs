//! Notes as the agent reads them: as data, in a fence that they cannot leave.
//!
//! A note may hold anything, the output of a tool that somebody wrote for this
//! very purpose too. So each is one line, nothing in it can close the fence or
//! open another, and what reads like an order to the agent is marked as such.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use super::orders::is_unseen;
pub use super::orders::{Order, orders};

/// What opens the fence.
pub const OPENING: &str = "<ralph-notes>";

/// What closes it.
pub const CLOSING: &str = "</ralph-notes>";

/// A note on one line, with nothing in it that could end the fence.
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

/// The names of at most so many files, as data on one line. One that reads like
/// an order is left out: anybody may name a file.
pub fn file_names<'a>(files: impl IntoIterator<Item = &'a str>, most: usize) -> String {
    let harmless = files.into_iter().filter(|file| orders(file).is_empty());
    harmless.take(most).map(as_data).collect::<Vec<_>>().join(", ")
}

/// A text without the fences that we put into it: what was recalled is not
/// learned again.
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

/// The names of the notes that stand in fences of ours.
pub fn names(text: &str) -> Vec<String> {
    let inside = text.split(OPENING).skip(1).filter_map(|part| part.split(CLOSING).next());
    let named = inside.flat_map(str::lines).filter_map(|line| line.strip_prefix("- ["));
    named.filter_map(|rest| Some(rest.split_once(']')?.0.to_owned())).collect()
}

#[cfg(test)]
#[path = "notes_tests.rs"]
mod tests;
