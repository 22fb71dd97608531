//! What a message is about, as terms.
//!
//! A term is kept as a number made from its letters: a search compares the
//! terms of all commits with those of the question, and nobody reads them.

use std::collections::BTreeMap;

use crate::analysis::TextAnalyzer;

/// What is longer says no more about what is touched, in bytes.
const LONGEST_BODY: usize = 4000;

/// A scope is a word or a few, in bytes: `area: what` or `[area] what`.
const LONGEST_SCOPE: usize = 40;

/// A term as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct TermKey(pub(crate) u64);

impl TermKey {
    pub(crate) fn of(term: &str) -> Self {
        Self::with(0xcbf2_9ce4_8422_2325, term)
    }

    /// The same word as the scope of a message is another term.
    fn of_scope(word: &str) -> Self {
        Self::with(0x8422_2325_cbf2_9ce4, word)
    }

    /// FNV-1a.
    fn with(start: u64, term: &str) -> Self {
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Self(term.bytes().fold(start, step))
    }
}

/// How often a term stands where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TermCounts {
    pub(crate) subject: u8,
    pub(crate) body: u8,
}

/// The terms of a text, repetitions too.
pub(crate) fn terms(analyzer: &mut TextAnalyzer, text: &str) -> Vec<TermKey> {
    let mut found = Vec::new();
    analyzer.analyse(text, |term, _| found.push(TermKey::of(term)));
    found
}

/// The terms of a message.
pub(crate) fn counted(
    analyzer: &mut TextAnalyzer,
    subject: &str,
    body: &str,
) -> BTreeMap<TermKey, TermCounts> {
    let mut found: BTreeMap<TermKey, TermCounts> = BTreeMap::new();
    for key in terms(analyzer, subject).into_iter().chain(scope(subject)) {
        let counts = found.entry(key).or_default();
        counts.subject = counts.subject.saturating_add(1);
    }
    for key in terms(analyzer, &without_trailers(cut(body))) {
        let counts = found.entry(key).or_default();
        counts.body = counts.body.saturating_add(1);
    }
    found
}

fn cut(body: &str) -> &str {
    &body[..body.floor_char_boundary(LONGEST_BODY)]
}

/// A message without lines like `Signed-off-by:`, which tell who and not what.
pub(crate) fn without_trailers(body: &str) -> String {
    let kept = body.lines().filter(|line| !is_trailer(line));
    kept.collect::<Vec<_>>().join("\n")
}

fn is_trailer(line: &str) -> bool {
    let Some((name, _)) = line.split_once(": ") else { return false };
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let name = name.to_ascii_lowercase();
    is_name && (name.ends_with("-by") || name.ends_with("-id") || name == "cc")
}

/// The words before the colon of `area: what` or `kind(area): what`, or in the
/// brackets of `[area] what`, as terms of their own.
pub(crate) fn scope(subject: &str) -> Vec<TermKey> {
    let words = |text: &str| {
        let words = text.split(|character: char| !is_word(character)).filter(|it| !it.is_empty());
        words.map(|word| TermKey::of_scope(&word.to_lowercase())).collect()
    };
    if let Some((inside, _)) = subject.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return if inside.len() <= LONGEST_SCOPE { words(inside) } else { Vec::new() };
    }
    let Some((before, _)) = subject.split_once(": ") else { return Vec::new() };
    let before = before.trim_end_matches('!');
    let is_scope = |it: char| is_word(it) || matches!(it, '.' | '/' | ',' | '(' | ')' | ' ' | '-');
    if before.len() > LONGEST_SCOPE || !before.chars().all(is_scope) {
        return Vec::new();
    }
    match before.strip_suffix(')').and_then(|before| before.split_once('(')) {
        Some((_, inside)) => words(inside),
        None => words(before),
    }
}

fn is_word(character: char) -> bool {
    character == '_' || character.is_alphanumeric()
}

/// The commit that a message says it takes back.
pub(crate) fn taken_back(body: &str) -> Option<&str> {
    let (_, after) = body.split_once("This reverts commit ")?;
    let end = after.find(|it: char| !it.is_ascii_hexdigit()).unwrap_or(after.len());
    Some(&after[..end]).filter(|name| name.len() >= 7)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<TermKey> {
        words.iter().map(|word| TermKey::of_scope(word)).collect()
    }

    #[test]
    fn a_scope_is_found_as_people_write_it() {
        assert_eq!(scope("core: do"), words(&["core"]));
        assert_eq!(scope("fix(core,cli)!: do"), words(&["core", "cli"]));
        assert_eq!(scope("[Core] do"), words(&["core"]));
        assert_eq!(scope("crates/core: do"), words(&["crates", "core"]));
        for none in ["do this", "see https://a.b", "what `this` does: that", "[x", ""] {
            assert_eq!(scope(none), [], "{none}");
        }
        assert_ne!(TermKey::of("core"), TermKey::of_scope("core"));
    }

    #[test]
    fn who_signed_says_nothing_of_what_changed() {
        let body = "Why.\n\nSigned-off-by: Jo <jo@a.b>\nChange-Id: I1\nNote: kept";
        assert_eq!(without_trailers(body), "Why.\n\nNote: kept");
    }

    #[test]
    fn a_revert_names_what_it_takes_back() {
        assert_eq!(taken_back("This reverts commit 0123456789abcdef.\n"), Some("0123456789abcdef"));
        assert_eq!(taken_back("This reverts commit of Jo"), None);
        assert_eq!(taken_back("nothing"), None);
    }
}
