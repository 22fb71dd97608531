//! Which notes an agent named as its reason.

mod english;
mod english_words;
mod korean;

use std::collections::HashSet;

use super::notes::without_notes;

/// Nobody has more reasons than this.
const MOST: usize = 100;

/// The names of notes that a text gives as reasons, in the order in which they
/// stand there.
///
/// A citation stands in brackets with nothing but other names: `[id]`, or
/// `[id, id]`. A name alone is only spoken of, as we do ourselves when a note
/// was taken. What stands in our own fence was repeated, not cited. A note that
/// is called wrong, or passed over, is no reason, whatever else is said of it.
/// Whether there is such a note is for the notebook to say: a name may be
/// invented.
pub fn cited(text: &str) -> Vec<String> {
    let text = without_notes(text);
    let (mut reasons, mut seen) = (Vec::new(), HashSet::new());
    for sentence in sentences(&text) {
        let mentions = mentions(sentence);
        let english = english::rejected(sentence, &mentions);
        let rejected = english.into_iter().zip(korean::rejected(sentence, &mentions));
        for (mention, (in_english, in_korean)) in mentions.into_iter().zip(rejected) {
            if in_english || in_korean {
                seen.extend(mention.names);
            } else {
                reasons.extend(mention.names);
            }
        }
    }
    let names = reasons.into_iter().filter(|name| seen.insert(*name));
    names.take(MOST).map(str::to_owned).collect()
}

/// Names in one pair of brackets.
#[derive(Debug)]
struct Mention<'a> {
    names: Vec<&'a str>,
    /// Where the brackets open in their sentence.
    start: usize,
    /// Where what follows them begins.
    end: usize,
}

/// The names in brackets without brackets of their own.
fn mentions(sentence: &str) -> Vec<Mention<'_>> {
    let opening = sentence.match_indices('[').map(|(at, _)| at);
    let found = opening.filter_map(|start| {
        let inside = sentence.get(start + 1..)?.split(['[', ']']).next()?;
        let end = start + inside.len() + 2;
        let is_closed = sentence.get(..end)?.ends_with(']');
        is_closed.then(|| Mention { names: names(inside), start, end })
    });
    found.filter(|mention| !mention.names.is_empty()).collect()
}

/// A text in sentences. A line that goes on in small letters is one with the
/// next.
fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut begin = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let end = at + c.len_utf8();
        let next = chars.peek().map(|(_, next)| *next);
        let is_over = match c {
            '.' | '!' | '?' => next.is_none_or(char::is_whitespace),
            '。' => true,
            '\n' => next.is_none_or(|next| !next.is_lowercase()),
            _ => false,
        };
        if is_over {
            found.extend(text.get(begin..end));
            begin = end;
        }
    }
    found.extend(text.get(begin..));
    found
}

/// The names in brackets; none if anything else stands there too but names that
/// were cut short or misspelt, in a list.
fn names(inside: &str) -> Vec<&str> {
    let mut words: Vec<&str> =
        inside.split(|c: char| !is_part_of_a_name(c)).filter(|word| !word.is_empty()).collect();
    let is_like_ours = |item: &str| {
        let item = item.trim_matches(|c: char| !is_part_of_a_name(c));
        let is_digit = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
        item.strip_prefix('m').is_some_and(|rest| rest.len() >= 3 && rest.bytes().all(is_digit))
    };
    if !words.iter().all(|word| is_ours(word)) && !inside.split(',').all(is_like_ours) {
        return Vec::new();
    }
    words.retain(|word| is_ours(word));
    words
}

const fn is_part_of_a_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Whether a name looks like those that we give: `m` and twelve digits of 32.
fn is_ours(id: &str) -> bool {
    let digits = id.strip_prefix('m').unwrap_or_default();
    digits.len() == 12 && digits.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
}

#[cfg(test)]
#[path = "citations_tests.rs"]
mod tests;
