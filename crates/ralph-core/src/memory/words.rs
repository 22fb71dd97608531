//! A note as a list of words that can be compared: contractions spelled out,
//! code kept whole, endings cut, one word for each idea.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::synonyms::{canonical, key};

/// What kind of word it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// A word of the language.
    Plain,
    /// A number, a version, a size or a span of time.
    Number,
    /// An identifier, a path, a command, something in backticks or quotes.
    Code,
}

/// One word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// What it is compared by.
    pub(super) stem: String,
    /// What kind it is.
    pub(super) class: Class,
}

impl Word {
    fn plain(text: &str) -> Self {
        Self { stem: key(text), class: Class::Plain }
    }

    /// Whether it carries meaning of its own.
    pub(super) fn is_content(&self) -> bool {
        !self.is(&EMPTY)
    }

    /// Whether it is a plain word of a list.
    pub(super) fn is(&self, list: &List) -> bool {
        self.class == Class::Plain && list.0.contains(&self.stem)
    }
}

/// Words that are looked for, in any of their forms.
pub(super) struct List(LazyLock<HashSet<String>>);

/// A list of words, written as people do.
macro_rules! list {
    ($($word:literal)*) => {
        $crate::memory::words::List::new(|| [$($word),*].iter().map(|word| $crate::memory::synonyms::key(word)).collect())
    };
}
pub(super) use list;

impl List {
    pub(super) const fn new(make: fn() -> HashSet<String>) -> Self {
        Self(LazyLock::new(make))
    }
}

/// Words that say nothing by themselves. Negations are not among them.
static EMPTY: List = list![
    "a" "an" "the" "this" "that" "these" "those" "it" "its" "is" "are" "was" "were" "be" "been"
    "being" "am" "do" "does" "did" "has" "have" "had" "will" "would" "shall" "should" "must" "can"
    "could" "may" "might" "of" "to" "in" "on" "at" "by" "for" "with" "from" "as" "and" "or" "but"
    "so" "then" "there" "here" "we" "you" "i" "they" "he" "she" "our" "your" "their" "my" "all"
    "any" "some" "each" "when" "while" "if" "which" "who" "what" "where" "how" "also" "just" "only"
    "very" "please" "sure" "into" "onto" "via" "through" "per" "about" "now" "current" "currently"
    "still" "already" "us" "project" "codebase" "ensure" "because" "since" "new" "version"
    "instead" "rather" "team" "suite" "whole" "entire" "let" "one" "got" "get" "switch" "switched"
    "move" "moved" "migrate" "replace" "always" "longer" "directly"
];

/// The words of a note.
pub(super) fn words(text: &str) -> Vec<Word> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| !is_gap(c)) {
        rest = &rest[start..];
        rest = if let Some((inside, behind)) = quoted(rest) {
            found.push(code(inside));
            behind
        } else {
            let end = end_of_token(rest);
            bare(&rest[..end], &mut found);
            &rest[end..]
        };
    }
    found
}

/// Where the first word of a text ends; a lone quotation mark is a word too.
fn end_of_token(text: &str) -> usize {
    let first = text.chars().next().map_or(0, char::len_utf8);
    let rest = &text[first..];
    let is_end = |c: char| is_gap(c) || c == '`' || c == '"';
    first + rest.find(is_end).unwrap_or(rest.len())
}

fn is_gap(c: char) -> bool {
    c.is_whitespace() || matches!(c, ',' | ';' | '(' | ')' | '!' | '?' | '[' | ']' | '{' | '}')
}

/// What stands in backticks or double quotes at the start of a text.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let mark = text.chars().next().filter(|c| matches!(c, '`' | '"'))?;
    let inside = &text[1..];
    let end = inside.find(mark)?;
    (end > 0).then(|| (&inside[..end], &inside[end + 1..]))
}

fn code(inside: &str) -> Word {
    let text = inside.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let bare_word = text.chars().all(char::is_alphabetic) && !text.is_empty();
    if bare_word {
        return Word { class: Class::Code, stem: canonical(&text).to_owned() };
    }
    if is_number(&text) { number(&text) } else { Word { stem: text, class: Class::Code } }
}

fn bare(token: &str, found: &mut Vec<Word>) {
    let token = token.trim_end_matches(['.', ':', '\'', '’']).trim_start_matches(['\'', '‘', ':']);
    if token.is_empty() {
        return;
    }
    let lower = token.to_lowercase().replace('’', "'");
    if is_number(&lower) {
        found.push(number(&lower));
    } else if let Some((name, value)) = assignment(token) {
        found.push(code(name));
        found.push(code(value));
    } else if is_code(token) {
        found.push(code(token));
    } else if let Some(parts) = spelled_out(&lower) {
        found.extend(parts.iter().map(|part| Word::plain(part)));
    } else if lower.chars().any(char::is_alphanumeric) {
        found
            .push(spelled_number(&lower).unwrap_or_else(|| Word::plain(&without_particle(&lower))));
    }
}

fn assignment(token: &str) -> Option<(&str, &str)> {
    let (name, value) = token.split_once('=')?;
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let is_one = !name.is_empty() && name.chars().all(is_name) && !value.is_empty();
    is_one.then_some((name, value.trim_start_matches('=')))
}

fn is_number(text: &str) -> bool {
    let text = text.trim_start_matches(['>', '<', '=', '~', '^', 'v', '$', '+', '-']);
    text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().filter(char::is_ascii_alphabetic).count() <= 4
        && !text.contains('/')
}

fn number(text: &str) -> Word {
    let text = text.trim_start_matches(['>', '<', '=', '~', '^', 'v', '+']).replace('_', "");
    Word { stem: text, class: Class::Number }
}

fn spelled_number(word: &str) -> Option<Word> {
    const SMALL: [&str; 11] = [
        "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    ];
    let at = SMALL.iter().position(|small| *small == word)?;
    Some(number(&(at + 2).to_string()))
}

/// Whether a word looks as only code does.
fn is_code(token: &str) -> bool {
    let inner = token.trim_matches('.');
    let has_mark =
        inner.contains(['_', '/', '\\', '@', '#', '$', '*', '<', '>', '|']) || inner.contains("::");
    let has_dot = inner.contains('.') && !inner.ends_with('.');
    let is_camel = inner
        .as_bytes()
        .windows(2)
        .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    let is_flag = token.starts_with("--") || (token.starts_with('-') && token.len() == 2);
    has_mark || has_dot || is_camel || is_flag
}

fn spelled_out(word: &str) -> Option<Vec<&str>> {
    let pair = match word {
        "cannot" | "can't" => ("can", "not"),
        "won't" => ("will", "not"),
        _ => (word.strip_suffix("n't")?, "not"),
    };
    Some(vec![pair.0, pair.1])
}

/// A Korean word without the particle at its end.
fn without_particle(word: &str) -> String {
    const PARTICLES: [&str; 19] = [
        "에서는",
        "에서",
        "으로",
        "입니다",
        "이다",
        "합니다",
        "한다",
        "됩니다",
        "된다",
        "을",
        "를",
        "은",
        "는",
        "이",
        "가",
        "에",
        "의",
        "로",
        "도",
    ];
    if !word.chars().all(|c| ('가'..='힣').contains(&c)) {
        return word.to_owned();
    }
    for particle in PARTICLES {
        if let Some(rest) = word.strip_suffix(particle)
            && rest.chars().count() >= 2
        {
            return rest.to_owned();
        }
    }
    word.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let parts: Vec<String> = words(text)
            .iter()
            .map(|word| match word.class {
                Class::Plain => word.stem.clone(),
                Class::Number => format!("#{}", word.stem),
                Class::Code => format!("`{}`", word.stem),
            })
            .collect();
        parts.join(" ")
    }

    #[test]
    fn code_numbers_and_words_are_told_apart() {
        assert_eq!(shown("Run `cargo  test` in crates/core."), "run `cargo test` in `crates/core`");
        assert_eq!(shown("MAX_RETRIES=5"), "`max_retries` #5");
        assert_eq!(shown("It needs Python >=3.11, not v3.9."), "it requir python #3.11 not #3.9");
        assert_eq!(shown("Don't use the DB"), "do not use the databas");
        assert_eq!(shown("three workers"), "#3 work");
    }

    #[test]
    fn korean_particles_do_not_count() {
        assert_eq!(shown("설정을 설정이 설정은"), "설정 설정 설정");
    }

    #[test]
    fn odd_texts_are_read_to_the_end() {
        for text in ["", "`", "\"", "``", "= = =", "'", "…", "`a", "\u{0}\u{1}", "a=", "=b", "----"]
        {
            let _ = words(text);
        }
    }
}
