//! A note as a list of words that can be compared: contractions spelled out,
//! code kept whole, endings cut, amounts in one unit, one word for each idea.

use std::sync::LazyLock;

use super::korean;
use super::phrases;
use super::quantity::{self, Quantity, Unit};
use super::synonyms::{key, opposites};
use super::tables::Words;

/// What kind of word it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// A word of the language.
    Plain,
    /// A number, a version, a size or a span of time.
    Number(Unit),
    /// An identifier, a path, a command, something in backticks or quotes.
    Code,
    /// A mark between words.
    Mark,
}

/// One word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// What it is compared by.
    pub(super) stem: String,
    /// As it is written, in lower case.
    pub(super) text: String,
    /// What kind it is.
    pub(super) class: Class,
    /// Whether a Korean particle says that the sentence is about it.
    pub(super) is_topic: bool,
    /// Whether it is written as names are.
    pub(super) is_name: bool,
    /// Whether it stands where only a verb can.
    pub(super) is_verb: bool,
    /// The stems that it says the opposite of.
    pub(super) opposites: &'static [String],
    /// What it says about what a note is about, in tenths of a plain word.
    pub(super) tenths: u8,
    sense: Sense,
}

/// Whether a word carries meaning of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sense {
    Full,
    Empty,
}

impl Word {
    /// A word of the language.
    pub(super) fn plain(text: &str) -> Self {
        Self::new(key(text), text, Class::Plain)
    }

    /// An amount.
    pub(super) fn amount(quantity: Quantity) -> Self {
        let text = quantity.amount.clone();
        Self::number(&text, quantity)
    }

    fn new(stem: String, text: &str, class: Class) -> Self {
        let mut word = Self {
            opposites: opposites(&stem),
            stem,
            text: text.to_owned(),
            class,
            is_topic: false,
            is_name: false,
            is_verb: false,
            tenths: 0,
            sense: Sense::Full,
        };
        if class == Class::Mark || word.is(&EMPTY) {
            word.sense = Sense::Empty;
        }
        word
    }

    fn mark(text: &str) -> Self {
        Self::new(text.to_owned(), text, Class::Mark)
    }

    fn number(text: &str, quantity: Quantity) -> Self {
        Self::new(quantity.amount, text, Class::Number(quantity.unit))
    }

    /// Whether it carries meaning of its own.
    pub(super) fn is_content(&self) -> bool {
        self.sense == Sense::Full
    }

    /// Whether it is a plain word of a list.
    pub(super) fn is(&self, list: &List) -> bool {
        self.class == Class::Plain && list.0.contains(&self.stem)
    }

    /// Whether it is a number of any kind.
    pub(super) fn is_number(&self) -> bool {
        matches!(self.class, Class::Number(_))
    }

    /// Whether it is a word or a number, not code.
    pub(super) fn is_spoken(&self) -> bool {
        self.class == Class::Plain || self.is_number()
    }

    /// Whether it is this mark.
    pub(super) fn is_mark(&self, mark: &str) -> bool {
        self.class == Class::Mark && self.stem == mark
    }
}

/// Words that are looked for, in any of their forms.
pub(super) struct List(LazyLock<Words<String>>);

/// A list of words, written as people do, with spaces between them.
macro_rules! list {
    ($($words:literal)*) => {
        $crate::memory::words::List::new(|| {
            let words = [$($words),*];
            let words = words.iter().flat_map(|line| line.split(' '));
            words.map($crate::memory::synonyms::key).collect()
        })
    };
}
pub(super) use list;

impl List {
    pub(super) const fn new(make: fn() -> Words<String>) -> Self {
        Self(LazyLock::new(make))
    }
}

/// Words that say nothing by themselves. Negations are not among them.
static EMPTY: List = list![
    "a an the this that these those it its is are was were be been being am do does did has have"
    "had will would shall should must can could may might of to in on at by for with from as and or"
    "but so then there here we you i they he she our your their my all any some each when while if"
    "which who whose what where how also just only very please sure into onto via through per about"
    "now current currently still already us because since new instead rather than too both whole"
    "entire let got get gets always longer every everything everywhere anything them him her"
    "itself themselves himself yourself ourselves up out off own-way such more most than under over"
    "around within across again yet these otherwise etc ever even well not never no nothing none"
    "nobody neither nor cannot unless until whenever once without lack different other another"
    "today nowadays anymore actually really simply mostly usually generally alone thing way"
    "during throughout 한 에서 outof insteadof case lot time everyone everybody anyone anybody something somebody"
];

/// The words of a note.
pub(super) fn words(text: &str) -> Vec<Word> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if let Some((inside, behind)) = quoted(rest) {
            quoted_words(inside, &mut found);
            rest = behind;
        } else if first.is_whitespace() {
            rest = &rest[first.len_utf8()..];
        } else if is_mark(first) && !rest.starts_with("=>") {
            found.push(Word::mark(&first.to_string()));
            rest = &rest[first.len_utf8()..];
        } else {
            let end = end_of_token(rest);
            token(&rest[..end], &mut found);
            rest = &rest[end..];
        }
    }
    without_label(&mut found);
    without_places(&mut found);
    phrases::joined(&found)
}

/// Verbs that say that something is another now.
static TURNING: List = list!["change move replace migrate increase decrease upload raise lower"];

/// Korean says "from" and "at" with one particle: it counts only before a verb
/// that leads away.
fn without_places(words: &mut Vec<Word>) {
    if !words.iter().any(|word| word.is(&TURNING)) {
        words.retain(|word| word.text != "에서");
    }
}

/// What people put before a note to say what kind it is: "Bug: …".
static KINDS_OF_NOTES: List = list![
    "bug note decision plan fyi til hint tip gotcha important reminder nb caution conclusion finding"
    "lesson convention summary fact attention heads-up warning agreed decided"
];

fn without_label(words: &mut Vec<Word>) {
    let is_label = |word: &Word| word.is(&KINDS_OF_NOTES);
    if let [first, mark, _, ..] = words.as_slice()
        && is_label(first)
        && mark.is_mark(":")
    {
        words.drain(..2);
    }
}

/// Where the first word of a text ends; a lone quotation mark is a word too.
fn end_of_token(text: &str) -> usize {
    let first = text.chars().next().map_or(0, char::len_utf8);
    let mut depth = 0_i32;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '`' | '"' => return at,
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' if depth > 0 => depth -= 1,
            ',' if text[at + 1..].starts_with(|c: char| c.is_ascii_digit()) => {}
            c if depth > 0 && (c == ' ' || is_mark(c)) && text[at..].contains(')') => {}
            '=' if text[..at].ends_with(['>', '<', '=', '~', '!', '^']) => {}
            c if c.is_whitespace() || is_mark(c) => return at,
            _ => {}
        }
    }
    text.len().max(first)
}

fn is_mark(c: char) -> bool {
    matches!(c, ',' | ';' | '(' | ')' | '!' | '?' | '[' | ']' | '{' | '}' | '→' | '—' | '–' | '=')
}

/// What stands in backticks or double quotes at the start of a text.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let mark = text.chars().next().filter(|c| matches!(c, '`' | '"' | '“' | '{'))?;
    let inside = &text[mark.len_utf8()..];
    let close = match mark {
        '“' => '”',
        '{' => '}',
        _ => mark,
    };
    let end = inside.find(close)?;
    (end > 0).then(|| (&inside[..end], &inside[end + close.len_utf8()..]))
}

/// Quoted text is one word, but for a version at its end: `go 1.22`.
fn quoted_words(inside: &str, found: &mut Vec<Word>) {
    let end = inside.rsplit_once(' ').map(|(name, end)| (name, quantity::parse(end), end));
    if let Some((name, Some(quantity), end)) = end {
        found.push(code(name));
        found.push(Word::number(end, quantity));
    } else if let Some((name, version)) = tagged(inside) {
        found.push(code(name));
        found.push(version);
    } else {
        found.push(code(inside));
    }
}

/// A name with its version: `node:20-slim`, `left-pad@1.3`.
fn tagged(text: &str) -> Option<(&str, Word)> {
    let (name, version) = text.split_once([':', '@'])?;
    let is_name = name.len() > 1 && name.chars().all(|c| c.is_alphanumeric() || "/.-_".contains(c));
    let begins = version.trim_start_matches('v').starts_with(|c: char| c.is_ascii_digit());
    let word = Word::new(version.to_lowercase(), version, Class::Number(Unit::Version));
    (is_name && begins && !name.contains(|c: char| c.is_ascii_digit())).then_some((name, word))
}

fn code(inside: &str) -> Word {
    let text = inside.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    if let Some(quantity) = quantity::parse(&text) {
        return Word::number(&text, quantity);
    }
    let text = text.trim_end_matches("()").trim_end_matches('/');
    let is_word = !text.is_empty() && text.chars().all(char::is_alphabetic);
    let stem = if is_word { key(text) } else { text.to_owned() };
    Word::new(stem, text, Class::Code)
}

fn token(token: &str, found: &mut Vec<Word>) {
    let token = token.trim_start_matches(['\'', '‘', ':', '"', '`']);
    let token = if token.starts_with("~/") { token } else { token.trim_start_matches('~') };
    let bare = token.trim_end_matches(['.', ':', '\'', '’', '"', '`', '…']);
    let end = token[bare.len()..].trim_start_matches(['\'', '’', '"', '`']).chars().next();
    if matches!(token, "->" | "=>" | "-" | "--") {
        found.push(Word::mark("→"));
    } else if bare.contains(|c: char| c.is_alphanumeric() || c == '%') {
        for part in split_scripts(bare) {
            bare_word(part, found);
        }
    }
    if let Some(mark) = end {
        found.push(Word::mark(&mark.to_string()));
    }
}

/// The Latin and the Korean part of a word such as `JSON이다`.
fn split_scripts(token: &str) -> Vec<&str> {
    let is_korean = |c: char| ('가'..='힣').contains(&c);
    let Some(at) = token.find(is_korean).filter(|at| *at > 0) else { return vec![token] };
    vec![&token[..at], &token[at..]]
}

fn bare_word(token: &str, found: &mut Vec<Word>) {
    let lower = token.to_lowercase().replace('’', "'");
    let lower = lower.strip_suffix("'s").unwrap_or(&lower);
    if korean::is_hangul(lower) {
        return korean_word(lower, found);
    }
    if let Some(quantity) = quantity::parse(lower) {
        found.push(Word::number(lower, quantity));
    } else if let Some((thing, unit)) = rate(lower) {
        found.extend([Word::plain(thing), Word::plain("per"), Word::plain(unit)]);
    } else if is_code(token) || METHODS.contains(&token) {
        quoted_words(lower, found);
    } else if token == "A" && found.last().is_some_and(Word::is_content) {
        found.push(Word { is_name: true, ..Word::new("letter a".to_owned(), "a", Class::Plain) });
    } else if token == "Go" {
        found.push(Word::plain("golang"));
    } else if token == "None" && !found.is_empty() {
        found.push(Word { is_name: true, ..Word::plain("null") });
    } else if token == "US" {
        found.push(Word::new("usa".to_owned(), "us", Class::Plain));
    } else {
        let is_first = found.last().is_none_or(|word| word.is_mark("."));
        let is_name = !is_first && token.starts_with(char::is_uppercase);
        let parts = spelled_out(lower);
        found.extend(parts.iter().map(|part| as_named(Word { is_name, ..Word::plain(part) })));
    }
}

/// A word that keeps its ending if it is a name: "Fastly" is no manner of
/// doing things.
fn as_named(word: Word) -> Word {
    let keeps = word.is_name && word.text.ends_with("ly");
    if keeps { Word { stem: word.text.clone(), ..word } } else { word }
}

/// Names that are verbs when written small.
const METHODS: [&str; 6] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"];

/// A Korean word, or what follows a word in another script.
fn korean_word(word: &str, found: &mut Vec<Word>) {
    let is_topic = korean::is_topic(word) || matches!(word, "은" | "는" | "이" | "가");
    let unit = korean::without_ending(word);
    let during = unit.strip_suffix('간').filter(|unit| quantity::unit(unit).is_some());
    let unit = during.filter(|_| quantity::unit(unit).is_none()).unwrap_or(unit);
    let counts = |word: &Word| word.is_number() || quantity::spelled(&word.text).is_some();
    if found.last().is_some_and(counts) && quantity::unit(unit).is_some() {
        found.push(Word { is_topic, ..Word::plain(unit) });
        return;
    }
    if let Some(span) = quantity::span(unit) {
        found.push(Word::amount(span));
        return;
    }
    if let Some(number) = quantity::sino_korean(unit) {
        found.push(Word::amount(quantity::measured(number, Unit::Count, 1.0)));
        return;
    }
    if (korean::is_ending(word) || korean::is_filler(unit)) && !matches!(word, "한" | "시도") {
        if let Some(last) = found.last_mut() {
            last.is_topic |= is_topic;
        }
        found.extend((word == "에서").then(|| Word::plain("에서")));
        return;
    }
    for part in korean::read(word) {
        // These follow what they belong to, so they must not look like English.
        let text = match part.as_str() {
            "not" => "않",
            "before" => "전",
            "after" => "뒤",
            // Which half of the day is meant is decided with the hour.
            "morning" | "evening" | "dawn" => word,
            other => other,
        };
        let is_verb = korean::is_verb(word);
        found.push(Word { is_topic, is_verb, text: text.to_owned(), ..Word::plain(&part) });
    }
    found.extend(word.ends_with("에서").then(|| Word::plain("에서")));
}

/// `req/min` is requests per minute.
fn rate(token: &str) -> Option<(&str, &'static str)> {
    let (thing, unit) = token.split_once('/')?;
    let unit = match unit {
        "s" | "sec" | "second" => "second",
        "m" | "min" | "minute" => "minute",
        "h" | "hr" | "hour" => "hour",
        "d" | "day" => "day",
        _ => return None,
    };
    (thing.len() > 1 && thing.chars().all(|c| c.is_ascii_alphabetic())).then_some((thing, unit))
}

/// Whether a word looks as only code does.
fn is_code(token: &str) -> bool {
    let inner = token.trim_matches('.');
    let has_mark = inner.contains([
        '_', '/', '\\', '@', '#', '$', '*', '<', '>', '|', ':', '(', '{', '~', '+', '&',
    ]);
    let has_dot = inner.contains('.') || (token.starts_with('.') && token.len() > 2);
    // `PostgreSQL` is a name, `isOpen` is code.
    let is_camel = inner.starts_with(|c: char| c.is_ascii_lowercase())
        && inner
            .as_bytes()
            .windows(2)
            .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    let has_digit = inner.contains('-') && inner.contains(|c: char| c.is_ascii_digit());
    let is_flag = token.starts_with('-')
        && token.trim_start_matches('-').starts_with(|c: char| c.is_ascii_alphabetic());
    // `YYYY-MM-DD` is a form, not three words.
    let is_form = inner.contains("YY");
    has_mark || has_dot || is_camel || is_flag || has_digit || is_form
}

/// Words that deny what they are made of.
const NEGATED: &[(&str, &str)] = &[
    ("inactive", "active"),
    ("invalid", "valid"),
    ("incomplete", "complete"),
    ("impossible", "possible"),
    ("irreversible", "reversible"),
    ("immutable", "mutable"),
    ("invisible", "visible"),
    ("insecure", "secure"),
    ("incompatible", "compatible"),
    ("inaccessible", "accessible"),
    ("unavailable", "available"),
    ("unable", "able"),
    ("unsafe", "safe"),
    ("unreachable", "reachable"),
    ("unnecessary", "necessary"),
    ("unusable", "usable"),
    ("nonexistent", "existing"),
];

/// What a "not" is joined to, also by people who leave out the apostrophe.
const BEFORE_NOT: [&str; 12] =
    ["do", "does", "did", "is", "are", "was", "were", "should", "could", "would", "has", "have"];

/// A word as the words it is made of: "isn't", "unused", "re-run", "warm-up".
fn spelled_out(word: &str) -> Vec<&str> {
    match word {
        "cannot" | "can't" | "cant" => return vec!["can", "not"],
        "won't" | "wont" => return vec!["will", "not"],
        "it's" | "that's" | "there's" => return vec!["is"],
        "we're" | "they're" | "you're" => return vec!["are"],
        "read-only" => return vec!["readonly"],
        "united" | "unified" | "e-mail" => return vec![word],
        _ => {}
    }
    let bare = word.strip_suffix("nt").filter(|rest| BEFORE_NOT.contains(rest));
    if let Some(rest) = word.strip_suffix("n't").or(bare) {
        return vec![rest, "not"];
    }
    if let Some((short, ending)) = word.split_once('\'')
        && matches!(ending, "ll" | "ve" | "d" | "re" | "m")
    {
        return vec![short];
    }
    if let Some(rest) = word.strip_prefix("un")
        && word.ends_with("ed")
        && rest.len() > 3
    {
        return vec!["not", rest.trim_start_matches('-')];
    }
    for (whole, rest) in NEGATED {
        if *whole == word {
            return vec!["not", rest];
        }
    }
    if let Some(rest) = word.strip_prefix("non-") {
        return vec!["not", rest];
    }
    if let Some(rest) = word.strip_prefix("re-") {
        return vec![rest];
    }
    let parts: Vec<&str> = word.split('-').filter(|part| !part.is_empty()).collect();
    if parts.iter().all(|part| part.len() > 1) { parts } else { vec![word] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let parts: Vec<String> = words(text)
            .iter()
            .filter(|word| word.class != Class::Mark)
            .map(|word| match word.class {
                Class::Plain | Class::Mark => word.stem.clone(),
                Class::Number(_) => format!("#{}", word.stem),
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
        assert_eq!(shown("three workers"), "#3 worker");
    }

    #[test]
    fn amounts_are_read_in_one_unit() {
        assert_eq!(shown("half a minute"), shown("30 seconds"));
        assert_eq!(shown("1 GiB"), shown("1024 MiB"));
        assert_eq!(shown("four times an hour"), shown("every 15 minutes").replace("every ", ""));
        assert_eq!(shown("a minute and a half"), shown("90 s"));
        assert_eq!(shown("삼십 초"), shown("30초"));
        assert_eq!(shown("일주일"), shown("7일"));
        assert_eq!(shown("600 requests per minute"), shown("600 req/min"));
    }

    #[test]
    fn what_kind_of_note_it_is_does_not_count() {
        assert_eq!(shown("Decision: we use npm"), shown("we use npm"));
    }

    #[test]
    fn phrases_are_found_in_their_forms() {
        assert_eq!(shown("warming up"), shown("warm-up"));
        assert_eq!(
            shown("it stopped polling"),
            shown("it is no longer polling").replace("is ", "")
        );
        assert_ne!(shown("CI is on GitHub"), shown("CI is enabled GitHub"));
    }

    #[test]
    fn korean_particles_do_not_count() {
        assert_eq!(shown("설정을 설정이 설정은"), shown("설정 설정 설정"));
        assert_eq!(shown("형식은 JSON이다"), shown("format JSON"));
    }

    #[test]
    fn odd_texts_are_read_to_the_end() {
        for text in ["", "`", "\"", "``", "= = =", "'", "…", "`a", "\u{0}\u{1}", "a=", "=b", "----"]
        {
            let _ = words(text);
        }
    }
}
