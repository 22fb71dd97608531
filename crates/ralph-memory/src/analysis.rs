//! Text to terms: what is looked up, and what is looked for.
//!
//! Words are lower-cased and stemmed. Identifiers (`parseConfig`, `max_age`),
//! paths, versions and dates are kept whole and cut into their parts as well.
//! Chinese, Japanese and Korean runs become pairs of characters; a Korean word
//! is kept whole too, so that an exact hit outranks one with a particle. Stop
//! words are dropped on both sides: they are a quarter of all postings, and no
//! query asks for them. Entries and queries go through the same code.

mod fold;
mod stop;

use std::collections::HashMap;

use rust_stemmers::{Algorithm, Stemmer};

use self::fold::fold;
use self::stop::is_stop_word;

/// No term is longer, in bytes; what is longer is cut.
pub(crate) const LONGEST_TERM: usize = 64;

/// What is longer is no identifier and not cut into parts.
const LONGEST_IDENTIFIER: usize = 128;

/// Korean words up to this many syllables may be one syllable and a particle.
const SHORT_KOREAN: usize = 3;

/// What kind of word a term comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermClass {
    /// Prose, numbers, versions.
    Word,
    /// A name from code, or a part of one.
    Identifier,
    /// A path.
    Path,
}

/// Cuts texts into terms; keeps its buffers from text to text.
#[derive(Default)]
pub struct TextAnalyzer {
    lower: String,
    pair: String,
    /// The terms of words that were met before, empty for a stop word: most
    /// words are, and finding the stem of one costs more than all else.
    known: HashMap<Box<str>, Box<str>>,
}

impl TextAnalyzer {
    /// Calls `each` with every term of the text, in order, repetitions too.
    pub fn analyse(&mut self, text: &str, mut each: impl FnMut(&str, TermClass)) {
        for chunk in chunks(&fold(text)) {
            self.chunk(chunk, &mut each);
        }
    }

    /// The terms of a text as a list.
    pub fn terms(&mut self, text: &str) -> Vec<String> {
        let mut found = Vec::new();
        self.analyse(text, |term, _| found.push(term.to_owned()));
        found
    }

    /// Words with nothing but joiners between them.
    fn chunk(&mut self, chunk: &str, each: &mut impl FnMut(&str, TermClass)) {
        if chunk.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return self.name(chunk, TermClass::Word, each);
        }
        let shape = WordShape::of(chunk);
        if let Some(whole) = shape.whole(chunk) {
            self.whole(whole, shape.class(), each);
        }
        for word in chunk.split(|character| is_joiner(character) && character != '\'') {
            // Days, line numbers and the like are in too many of them.
            let is_small = word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_digit());
            if shape == WordShape::Single || !is_small {
                self.word(word, shape.class(), each);
            }
        }
    }

    /// A compound as it stands, with one spelling of the separator.
    fn whole(&mut self, whole: &str, class: TermClass, each: &mut impl FnMut(&str, TermClass)) {
        self.lower.clear();
        let room = LONGEST_TERM * 2;
        for character in
            whole.chars().map(|character| if character == '\\' { '/' } else { character })
        {
            self.lower.extend(character.to_lowercase());
            if self.lower.len() > room {
                break;
            }
        }
        each(cut(&self.lower), class);
    }

    /// One word, possibly in several scripts: a particle may follow a name.
    fn word(&mut self, word: &str, class: TermClass, each: &mut impl FnMut(&str, TermClass)) {
        if word.is_ascii() {
            return self.possessive(word, class, each);
        }
        let mut rest = word;
        while let Some(first) = rest.chars().next() {
            let script = CharScript::of(first);
            let end =
                rest.find(|character| CharScript::of(character) != script).unwrap_or(rest.len());
            let (run, after) = rest.split_at(end);
            match script {
                CharScript::Other => self.possessive(run, class, each),
                CharScript::Hangul if run.len() == first.len_utf8() && rest.len() < word.len() => {}
                CharScript::Hangul => {
                    each(cut(run), class);
                    self.pairs(run, script, each);
                }
                CharScript::Ideographs => self.pairs(run, script, each),
            }
            rest = after;
        }
    }

    /// Each character with the next one.
    fn pairs(&mut self, run: &str, script: CharScript, each: &mut impl FnMut(&str, TermClass)) {
        let count = run.chars().take(SHORT_KOREAN + 1).count();
        if script == CharScript::Hangul && (2..=SHORT_KOREAN).contains(&count) || count == 1 {
            let first = run.chars().next().map_or(0, char::len_utf8);
            if count > 1 || script == CharScript::Ideographs {
                each(&run[..first], TermClass::Word);
            }
        }
        let mut before = None;
        for character in run.chars() {
            if let Some(before) = before.replace(character) {
                self.pair.clear();
                self.pair.extend([before, character]);
                each(&self.pair, TermClass::Word);
            }
        }
    }

    fn possessive(&mut self, word: &str, class: TermClass, each: &mut impl FnMut(&str, TermClass)) {
        let word = word.strip_suffix("'s").unwrap_or(word);
        if word.contains('\'') {
            self.name(&word.replace('\'', ""), class, each);
        } else if !word.is_empty() {
            self.name(word, class, each);
        }
    }

    /// A word or an identifier: whole, and in parts if it has several.
    fn name(&mut self, name: &str, class: TermClass, each: &mut impl FnMut(&str, TermClass)) {
        let plain = name.bytes().all(|byte| byte.is_ascii_lowercase())
            || name.bytes().all(|byte| byte.is_ascii_digit());
        if plain || name.len() > LONGEST_IDENTIFIER {
            return self.part(name, class, each);
        }
        let mut parts = IdentifierWords { rest: name };
        let first = parts.next().unwrap_or_default();
        if first.len() == name.len() {
            return self.part(name, class, each);
        }
        let cased = name.contains('_')
            || IdentifierWords { rest: name }
                .any(|part| part.len() < name.len() && part.starts_with(char::is_uppercase));
        let class = if cased && class == TermClass::Word { TermClass::Identifier } else { class };
        self.whole(name, class, each);
        for part in std::iter::once(first).chain(parts) {
            if part.len() > 1 {
                self.part(part, class, each);
            }
        }
    }

    /// A single word: lower-cased, stemmed, dropped if it is a stop word.
    fn part(&mut self, word: &str, class: TermClass, each: &mut impl FnMut(&str, TermClass)) {
        self.lower.clear();
        let word = cut(word);
        if word.is_ascii() {
            self.lower.push_str(word);
            self.lower.make_ascii_lowercase();
        } else {
            self.lower.extend(word.chars().flat_map(char::to_lowercase));
        }
        if !self.known.contains_key(self.lower.as_str()) {
            self.known.insert(self.lower.as_str().into(), term_of(&self.lower));
        }
        if let Some(term) = self.known.get(self.lower.as_str()).filter(|term| !term.is_empty()) {
            each(term, class);
        }
    }
}

/// The term of a word in lower case; empty for a stop word.
fn term_of(word: &str) -> Box<str> {
    if is_stop_word(word) {
        return "".into();
    }
    let word = cut(word);
    if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Stemmer::create(Algorithm::English).stem(word).into();
    }
    word.into()
}

/// The parts of a folded text that are cut without regard to each other.
fn chunks(folded: &str) -> impl Iterator<Item = &str> {
    let is_part = |character: char| is_word(character) || is_joiner(character);
    let chunks = folded.split(move |character| !is_part(character));
    chunks.map(|chunk| chunk.trim_matches(is_joiner)).filter(|chunk| !chunk.is_empty())
}

fn is_word(character: char) -> bool {
    character == '_' || character.is_alphanumeric()
}

fn is_joiner(character: char) -> bool {
    matches!(character, '-' | '.' | '/' | '\\' | ':' | '\'')
}

/// As much of a term as is kept.
fn cut(term: &str) -> &str {
    &term[..term.floor_char_boundary(LONGEST_TERM)]
}

/// What words with joiners between them are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WordShape {
    Single,
    Numbers,
    Path,
    Qualified,
    Compound,
    /// Punctuation that only looks like a compound.
    Loose,
}

impl WordShape {
    fn of(chunk: &str) -> Self {
        let is_separator = |character: char| is_joiner(character) && character != '\'';
        if !chunk.contains(is_separator) {
            return Self::Single;
        }
        if chunk.contains("::") {
            return Self::Qualified;
        }
        if chunk.contains(['/', '\\']) {
            return Self::Path;
        }
        if chunk.split(is_separator).any(str::is_empty) {
            return Self::Loose;
        }
        if chunk.bytes().all(|byte| !byte.is_ascii_alphabetic()) && chunk.is_ascii() {
            return Self::Numbers;
        }
        Self::Compound
    }

    fn class(self) -> TermClass {
        match self {
            Self::Path => TermClass::Path,
            Self::Qualified => TermClass::Identifier,
            Self::Single | Self::Numbers | Self::Compound | Self::Loose => TermClass::Word,
        }
    }

    /// What of the chunk is kept whole; a path without its line numbers.
    fn whole(self, chunk: &str) -> Option<&str> {
        match self {
            Self::Single | Self::Loose => None,
            Self::Path => {
                let is_place = |character: char| character == ':' || character.is_ascii_digit();
                let bare = chunk.trim_end_matches(is_place);
                let rest = &chunk[bare.len()..];
                Some(if rest.starts_with(':') { bare } else { chunk })
            }
            Self::Numbers | Self::Qualified | Self::Compound => Some(chunk),
        }
    }
}

/// How a character is cut.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CharScript {
    Other,
    Hangul,
    Ideographs,
}

impl CharScript {
    fn of(character: char) -> Self {
        match character {
            '\u{AC00}'..='\u{D7A3}' | '\u{1100}'..='\u{11FF}' | '\u{3130}'..='\u{318F}' => {
                Self::Hangul
            }
            '\u{3040}'..='\u{30FF}'
            | '\u{3400}'..='\u{4DBF}'
            | '\u{4E00}'..='\u{9FFF}'
            | '\u{F900}'..='\u{FAFF}'
            | '\u{FF66}'..='\u{FF9D}'
            | '\u{20000}'..='\u{3FFFF}' => Self::Ideographs,
            _ => Self::Other,
        }
    }
}

/// The words inside an identifier.
struct IdentifierWords<'a> {
    rest: &'a str,
}

impl<'a> Iterator for IdentifierWords<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest = self.rest.trim_start_matches('_');
        if rest.is_empty() {
            return None;
        }
        let (part, after) = rest.split_at(boundary(rest));
        self.rest = after;
        Some(part)
    }
}

/// Where the first word of an identifier ends.
fn boundary(name: &str) -> usize {
    let mut characters = name.char_indices().peekable();
    let mut before = None;
    while let Some((at, character)) = characters.next() {
        let next = characters.peek().map(|(_, next)| *next);
        if before.is_some_and(|before| is_boundary(before, character, next)) {
            return at;
        }
        before = Some(character);
    }
    name.len()
}

fn is_boundary(before: char, character: char, next: Option<char>) -> bool {
    let rises = character.is_uppercase()
        && (before.is_lowercase() || before.is_uppercase() && next.is_some_and(char::is_lowercase));
    let numeric = before.is_numeric() != character.is_numeric();
    character == '_' || rises || numeric
}

#[cfg(test)]
#[path = "analysis_tests.rs"]
mod tests;
