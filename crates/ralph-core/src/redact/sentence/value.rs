//! Where a value in a sentence ends, and what follows it.

use super::super::spoken::After;
use super::{LONGEST, word_at};

/// A value and where it begins in its line.
pub(super) struct Value<'a> {
    pub(super) start: usize,
    pub(super) text: &'a str,
    pub(super) quoted: bool,
}

/// How many syllables may begin a value.
const MOST_SYLLABLES: usize = 16;

/// How far the end of a call is looked for, in bytes.
const LONGEST_CALL: usize = 128;

/// A phrase has at least and at most this many words.
const PHRASE: std::ops::RangeInclusive<usize> = 4..=12;

const QUOTES: [char; 8] = ['`', '"', '\'', '*', ')', '”', '’', '」'];

/// The value that begins at `start`: between quotes, or up to a blank or a
/// letter of another script.
pub(super) fn value_at(line: &str, start: usize) -> Option<Value<'_>> {
    let rest = line.get(start..)?.trim_start_matches([' ', '\t', '*', '(']);
    let start = line.len() - rest.len();
    let quote = rest.chars().next()?;
    let closing = match quote {
        '"' | '\'' | '`' => Some(quote),
        '“' => Some('”'),
        '‘' => Some('’'),
        '「' => Some('」'),
        _ => None,
    };
    if let Some(closing) = closing {
        let start = start + quote.len_utf8();
        let inner = &line[start..];
        let end = inner.char_indices().take(LONGEST).find(|(_, c)| *c == closing)?.0;
        return Some(Value { start, text: &inner[..end], quoted: true });
    }
    let is_hangul = |c: &char| ('가'..='힣').contains(c);
    let syllables = rest.chars().take(MOST_SYLLABLES).take_while(is_hangul);
    let begin: usize = syllables.map(char::len_utf8).sum();
    let is_part = |byte: &u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'`');
    let length = rest[begin..].bytes().take_while(is_part).count();
    let text = without_marks(&rest[..begin + length]);
    let is_value = length > 0 && !text.is_empty() && !begins_a_call(text, rest);
    is_value.then_some(Value { start, text, quoted: false })
}

/// A value without what ends its sentence, and without brackets that close what
/// it did not open.
fn without_marks(text: &str) -> &str {
    let [round, angle, square] = ['(', '<', '['].map(|opening| text.contains(opening));
    text.trim_end_matches(|c: char| match c {
        '.' | ',' | ';' | ':' | '\'' | '*' => true,
        ')' => !round,
        '>' => !angle,
        ']' => !square,
        _ => false,
    })
}

/// Whether a value is only the beginning of a call: `sign(user, key)`.
fn begins_a_call(text: &str, rest: &str) -> bool {
    let Some((name, arguments)) = text.split_once(['(', '<']) else { return false };
    let closing = if text.as_bytes().get(name.len()) == Some(&b'(') { b')' } else { b'>' };
    let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_');
    let mut later = rest.bytes().skip(text.len()).take(LONGEST_CALL);
    is_name && !arguments.bytes().any(|b| b == closing) && later.any(|b| b == closing)
}

/// Where a phrase of plain words that begins at `start` ends.
///
/// Sentences about a phrase have small words or verbs in them.
pub(super) fn phrase_end(line: &str, start: usize) -> Option<usize> {
    let (mut at, mut end, mut words) = (start, start, 0);
    while let Some((begin, word)) = word_at(line, at) {
        let bare = word.trim_end_matches(['.', ',', ';', '!']);
        if is_small(bare) || is_copula(word) {
            break;
        }
        if !is_of_a_phrase(bare) || words == *PHRASE.end() {
            return None;
        }
        words += 1;
        (at, end) = (begin + word.len(), begin + bare.len());
        if bare.len() < word.len() {
            break;
        }
    }
    PHRASE.contains(&words).then_some(end)
}

fn is_of_a_phrase(word: &str) -> bool {
    let is_told_of = ["ed", "ing", "ly"].iter().any(|end| word.ends_with(end));
    (2..=15).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_lowercase()) && !is_told_of
}

fn is_small(word: &str) -> bool {
    #[rustfmt::skip]
    const SMALL: &[&str] = &[
        "a", "after", "all", "also", "always", "an", "and", "any", "as", "at", "be", "because",
        "before", "between", "but", "by", "characters", "each", "empty", "every", "everywhere",
        "for", "from", "given", "has", "have", "here", "if", "in", "into", "is", "it", "its",
        "kept", "key", "known", "long", "more", "must", "never", "no", "not", "now", "of", "on",
        "once", "only", "optional", "or", "our", "out", "part", "passphrase", "password", "per",
        "random", "read", "required", "same", "secret", "set", "short", "so", "still", "text",
        "than", "that", "the", "their", "there", "this", "to", "too", "twice", "until", "up",
        "used", "user", "users", "via", "we", "when", "where", "which", "while", "who", "will",
        "with", "without", "word", "words", "written", "you", "your",
    ];
    SMALL.contains(&word)
}

/// What follows a value.
pub(super) fn after(rest: &str) -> After {
    let rest = rest.trim_start_matches(QUOTES);
    let next = rest.trim_start();
    if next.is_empty() || rest.starts_with(['.', ',', ';', '!']) || is_copula(next) {
        After::End
    } else if is_place(rest) {
        After::Place
    } else {
        After::More
    }
}

fn is_copula(text: &str) -> bool {
    ["입니다", "이다", "이에요", "예요", "이며", "이고", "였다", "이었"]
        .iter()
        .any(|one| text.starts_with(one))
}

/// Whether a particle makes of what stands before it where or with what
/// something is done, and not what a secret was changed to.
fn is_place(rest: &str) -> bool {
    const CHANGES: &[&str] =
        &["바꾸", "바꿨", "바꿔", "바뀌", "변경", "설정", "재설정", "정하", "정했", "지정", "교체"];
    let into = ["으로 ", "로 "].iter().find_map(|one| rest.strip_prefix(one));
    if let Some(next) = into {
        return !CHANGES.iter().any(|change| next.starts_with(change));
    }
    ["에", "와", "과", "로", "으로"].iter().any(|one| rest.starts_with(one))
}
