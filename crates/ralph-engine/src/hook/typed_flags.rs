//! Takes the flags out of a typed task; they may stand anywhere in it.

use std::ops::Range;

use super::words::{PromptWord, next_word, word_at, words};
use crate::user_error::UserError;

/// A typed task and its flags.
pub struct SlashPromptParts {
    /// The task, as it was typed.
    pub task: String,
    /// The flags, each with its value.
    pub flags: Vec<String>,
    /// The paths behind an `@`.
    pub targets: Vec<String>,
    /// The first word that looks like a flag but is none.
    pub odd: Option<LooseDash>,
}

/// A word with one dash, outside quotation marks.
pub struct LooseDash {
    word: Range<usize>,
    /// The flag and value right before it; the word may belong to that value.
    after: Option<Range<usize>>,
}

/// Takes the flags out of a text; the rest is the task, as it was typed. `--` before
/// the task ends the flags.
///
/// `takes_value` tells whether a flag takes the next word.
pub fn take_flags(text: &str, takes_value: &dyn Fn(&str) -> bool) -> SlashPromptParts {
    let (mut flags, mut targets, mut odd) = (Vec::new(), Vec::new(), None);
    let mut cut: Vec<Range<usize>> = Vec::new();
    let mut left: Vec<PromptWord> = Vec::new();
    let mut at = 0;
    while let Some(start) = next_word(text, at) {
        if left.is_empty() && is_end_of_flags(&text[start..]) {
            cut.push(start..start + 2);
            left.extend(words(&text[start + 2..]).into_iter().map(|word| word.moved(start + 2)));
            break;
        }
        if is_flag(&text[start..]) {
            let (flag, end) = read_flag(text, start, takes_value);
            flags.push(flag);
            cut.push(start..end);
            at = end;
            continue;
        }
        let word = word_at(text, start);
        let raw = &text[word.span.clone()];
        if odd.is_none() && is_loose_dash(raw) {
            let is_next = |flag: &&Range<usize>| text[flag.end..start].trim().is_empty();
            let after = cut.last().filter(is_next).cloned();
            odd = Some(LooseDash { word: word.span.clone(), after });
        }
        if word.quote.is_none() && raw.len() > 1 {
            targets.extend(raw.strip_prefix('@').map(str::to_owned));
        }
        at = word.span.end;
        left.push(word);
    }
    let task = match left.as_slice() {
        [only] if only.quote.is_some() => only.value(text).into_owned(),
        _ => without(text, &cut),
    };
    SlashPromptParts { task, flags, targets, odd }
}

fn is_end_of_flags(text: &str) -> bool {
    text.strip_prefix("--").is_some_and(|rest| rest.starts_with(char::is_whitespace))
}

/// Returns true if a word is one dash and a letter: an unknown flag.
fn is_loose_dash(word: &str) -> bool {
    let name = word.strip_prefix('-').and_then(|name| name.chars().next());
    name.is_some_and(char::is_alphabetic)
}

/// Makes the error for a word with one dash, and shows where to put quotation marks.
pub fn loose_dash(text: &str, odd: &LooseDash) -> UserError {
    let word = &text[odd.word.clone()];
    let typed = match &odd.after {
        Some(flag) => {
            let end = following_flag(text, odd.word.end);
            let (name, value) = text[flag.start..end]
                .trim()
                .split_at(text[flag.clone()].find([' ', '=']).unwrap_or(flag.len()));
            format!("{name} \"{}\"", value.trim_start_matches([' ', '=']).replace('"', "'"))
        }
        None => format!("/ralph \"{}\"", text[..following_flag(text, 0)].trim().replace('"', "'")),
    };
    UserError::usage(format!("`{word}` is no flag of a loop"))
        .with_hint(format!("put what belongs together in quotes: {typed}"))
        .in_korean(
            format!("`{word}` 은(는) 루프의 플래그가 아닙니다"),
            Some(&format!("함께 쓰는 말은 따옴표로 묶으세요: {typed}")),
        )
}

/// Returns where the next flag with two dashes begins, or the end of the text.
fn following_flag(text: &str, from: usize) -> usize {
    let mut at = from;
    while let Some(start) = next_word(text, at) {
        if is_flag(&text[start..]) {
            return start;
        }
        at = word_at(text, start).span.end;
    }
    text.len()
}

fn is_flag(text: &str) -> bool {
    text.strip_prefix("--").is_some_and(|name| name.starts_with(char::is_alphabetic))
}

/// Reads the flag that begins at `start`, with its value; returns where it ends.
fn read_flag(text: &str, start: usize, takes_value: &dyn Fn(&str) -> bool) -> (String, usize) {
    let is_end = |c: char| c == '=' || c.is_whitespace();
    let end = text[start..].find(is_end).map_or(text.len(), |length| start + length);
    let name = &text[start..end];
    let value = if text[end..].starts_with('=') {
        Some(end + 1)
    } else if takes_value(name) {
        next_word(text, end)
    } else {
        None
    };
    match value {
        Some(at) => {
            let (value, end) = read_value(text, at);
            (format!("{name}={value}"), end)
        }
        None => (name.to_owned(), end),
    }
}

/// Reads the value that begins here, as a shell would: it may contain quotations
/// anywhere. An unclosed quotation mark is an ordinary character.
fn read_value(text: &str, start: usize) -> (String, usize) {
    let mut value = String::new();
    let mut rest = text[start..].char_indices();
    while let Some((offset, c)) = rest.next() {
        let at = start + offset;
        if c.is_whitespace() {
            return (value, at);
        }
        let inner = &text[at + c.len_utf8()..];
        match inner.find(c).filter(|_| matches!(c, '"' | '\'')) {
            Some(length) => {
                value.push_str(&inner[..length]);
                rest = text[start..].char_indices();
                let end = offset + c.len_utf8() + length;
                rest.by_ref().take_while(|(seen, _)| *seen < end).for_each(drop);
            }
            None => value.push(c),
        }
    }
    (value, text.len())
}

/// Returns the text without these parts.
fn without(text: &str, cut: &[Range<usize>]) -> String {
    let mut out = String::new();
    let mut from = 0;
    for part in cut {
        out.push_str(&text[from..part.start]);
        // One of the two gaps around a part is removed with it.
        let gap = text[part.end..].chars().next().filter(|c| c.is_whitespace());
        from = part.end + gap.map_or(0, char::len_utf8);
    }
    out.push_str(&text[from.min(text.len())..]);
    out.trim().to_owned()
}
