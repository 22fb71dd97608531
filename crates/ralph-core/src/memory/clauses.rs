//! The clauses of a note: what it says, when that holds, and what happens
//! otherwise.

use super::grammar::{AUXILIARY, NOUNS, OPENERS, VERBS, is_negation, is_verb};
use super::words::{Class, List, Word, list};

/// A part of a note between commas, or from an "if" on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clause {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) part: Part,
}

/// What a clause is to the note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// What it says.
    Claim,
    /// When that holds.
    Condition,
    /// What happens otherwise.
    Outcome,
}

/// What begins a condition.
static CONDITIONS: List = list!["if when whenever unless while until"];

/// What begins the outcome of not doing what was said.
static OTHERWISE: List = list!["or else otherwise"];

/// What begins another clause.
static JOINTS: List = list!["so but because since although though whereas"];

pub(super) fn clauses(words: &[Word]) -> Vec<Clause> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, word) in words.iter().enumerate() {
        let is_end = word.class == Class::Mark && word.stem != "=";
        let begins = word.is(&CONDITIONS)
            || word.is(&JOINTS)
            || is_outcome(words, at)
            || is_second_half(words, at);
        if (is_end || begins) && at > start {
            found.push(clause(words, start, at));
            start = at;
        }
    }
    // The full stop at the end is no clause.
    if words[start..].iter().any(|word| word.class != Class::Mark) {
        found.push(clause(words, start, words.len()));
    }
    found
}

/// Whether an "and" begins a sentence of its own: "and do not wait", "and sits
/// in the root".
fn is_second_half(words: &[Word], at: usize) -> bool {
    let acts = |word: &Word| word.is_verb || word.is(&AUXILIARY) || word.is(&VERBS);
    let begins = |word: &Word| {
        let is_third = word.text.ends_with('s') && is_verb(word) && !word.is(&NOUNS);
        is_negation(word) || word.is(&AUXILIARY) || is_third
    };
    words[at].text == "and" && words[..at].iter().any(acts) && words.get(at + 1).is_some_and(begins)
}

/// Whether an "or" begins a sentence of its own: "or the build fails".
fn is_outcome(words: &[Word], at: usize) -> bool {
    let acts = |word: &Word| word.is_verb || word.is(&AUXILIARY) || word.is(&VERBS);
    let before = &words[..at];
    words[at].is(&OTHERWISE)
        && before.iter().any(acts)
        && words.get(at + 1).is_some_and(|word| word.is(&OPENERS) || word.text == "it")
        && words[at..].iter().any(acts)
}

fn clause(words: &[Word], start: usize, end: usize) -> Clause {
    let first = words[start..end].iter().find(|word| word.class != Class::Mark);
    // "Do it, or it stays empty": what happens otherwise is not said to be so.
    let part = match first {
        Some(word) if word.is(&CONDITIONS) => Part::Condition,
        Some(word) if start > 0 && word.is(&OTHERWISE) => Part::Outcome,
        Some(_) | None => Part::Claim,
    };
    Clause { start, end, part }
}

/// Puts a condition that a note begins with behind what it holds for: "if it
/// is missing, it crashes" is "it crashes, if it is missing".
pub(super) fn put_conditions_last(words: &mut Vec<Word>) {
    if !words.first().is_some_and(|word| word.is(&CONDITIONS)) {
        return;
    }
    let Some(comma) = words.iter().position(|word| word.is_mark(",")) else { return };
    let is_end = |word: &Word| word.class == Class::Mark && !word.is_mark(":");
    let behind = words[comma + 1..].iter().position(is_end);
    let end = behind.map_or(words.len(), |step| comma + 1 + step);
    if words[comma + 1..end].iter().filter(|word| word.is_content()).count() < 2 {
        return;
    }
    let claim: Vec<Word> = words[comma + 1..end].to_vec();
    let condition: Vec<Word> = words[..comma].to_vec();
    let rest = claim.into_iter().chain([words[comma].clone()]).chain(condition);
    words.splice(..end, rest.collect::<Vec<_>>());
}
