//! Does a new note say the same as an old one, take its place, or stand beside it?
//!
//! Likeness alone cannot tell: "the port is 8080" and "the port is 9090" are as
//! alike as two notes can be. So a note is taken apart into what it is about
//! and what it says of that. Two notes about the same thing with different
//! values, or one that denies the other, cannot both stand: the later one
//! does. In doubt both stay.

use std::collections::BTreeSet;

use super::statement::Statement;
use super::synonyms::{are_opposite, category};
use super::words::{Class, List, Word, list};

/// What a new note is to an old one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Relation {
    /// It says the same.
    Same,
    /// It takes the place of the old one.
    Replaces(Why),
    /// Both stand.
    Apart,
}

/// Why both cannot stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// The same thing has another value now.
    Value {
        /// What the old note says.
        was: String,
        /// What the new note says.
        now: String,
    },
    /// One denies what the other says.
    Denied,
}

/// Words of which this much is shared are about the same thing.
const SAME_SUBJECT: f64 = 0.6;

/// Notes of which this much is shared say the same, if nothing speaks against.
const SAME_WORDS: f64 = 0.7;

/// Words between two things whose order matters.
static TURNING: List = list!["before" "after" "over" "than" "under" "above" "below"];

/// What one thing does to another, and not the other way round.
static ACTING: List = list!["call" "import" "depend" "extend" "own" "include"];

/// Relates a new note to an old one.
pub fn relate(old: &str, new: &str) -> Relation {
    let (old, new) = (Statement::of(old), Statement::of(new));
    if old.is_empty() || new.is_empty() {
        return Relation::Apart;
    }
    if let Some(relation) = chosen(&old, &new) {
        return relation;
    }
    let (before, now) = (old.content(), new.content());
    let only_old = missing(&before, &now);
    let only_new = missing(&now, &before);
    if only_old.is_empty() && only_new.is_empty() {
        return reordered(&old, &new);
    }
    let opposed = opposed(&only_old, &only_new);
    if (old.is_negated() != new.is_negated()) != opposed.is_some() {
        let ignored = opposed.map_or_else(Vec::new, |(a, b)| vec![a, b]);
        return denied(&only_old, &only_new, &ignored, likeness(&before, &now, &ignored));
    }
    if let Some(relation) = valued(&old, &new) {
        return relation;
    }
    let has_value = only_old.iter().chain(&only_new).any(|word| is_value(word));
    if !has_value && likeness(&before, &now, &[]) >= SAME_WORDS {
        return Relation::Same;
    }
    Relation::Apart
}

/// A note that names what it rejects, against one that chose just that.
fn chosen(old: &Statement, new: &Statement) -> Option<Relation> {
    let reverses = |a: &Statement, b: &Statement| {
        let chosen = b.accepted();
        a.rejected().iter().any(|one| chosen.iter().any(|other| one.stem == other.stem))
    };
    let (a, b) = (old.subject_words(), new.subject_words());
    let is_about_the_same = a.is_empty() || b.is_empty() || a.intersection(&b).next().is_some();
    if !is_about_the_same || !(reverses(new, old) || reverses(old, new)) {
        return None;
    }
    let first = |statement: &Statement| {
        statement.accepted().first().map(|word| word.stem.clone()).unwrap_or_default()
    };
    let (was, now) = (first(old), first(new));
    (was != now).then_some(Relation::Replaces(Why::Value { was, now }))
}

/// The same words in another order say the same, unless their order matters.
fn reordered(old: &Statement, new: &Statement) -> Relation {
    if old.is_negated() != new.is_negated() {
        return Relation::Replaces(Why::Denied);
    }
    let around = |statement: &Statement| {
        let content = statement.content();
        let at = content.iter().position(|word| word.is(&TURNING))?;
        Some(content[at + 1..].iter().map(|word| word.stem.clone()).collect::<BTreeSet<_>>())
    };
    match (around(old), around(new)) {
        // "After A do B" is "do B after A", but "A after B" is not "B after A".
        (Some(a), Some(b)) if a.is_disjoint(&b) => Relation::Replaces(Why::Denied),
        (Some(_) | None, _) => {
            let acts = old.content().iter().any(|word| word.is(&ACTING));
            if acts && old.values() != new.values() { Relation::Apart } else { Relation::Same }
        }
    }
}

/// A pair of words, one of each note, that say the opposite.
fn opposed<'a>(old: &[&'a Word], new: &[&'a Word]) -> Option<(&'a Word, &'a Word)> {
    old.iter()
        .flat_map(|a| new.iter().map(move |b| (*a, *b)))
        .find(|(a, b)| are_opposite(&a.stem, &b.stem))
}

/// One note denies the other if they are about the same thing.
fn denied(old: &[&Word], new: &[&Word], ignored: &[&Word], likeness: f64) -> Relation {
    let differs =
        |words: &[&Word]| words.iter().any(|word| is_value(word) && !ignored.contains(word));
    if likeness >= SAME_SUBJECT && !(differs(old) && differs(new)) {
        Relation::Replaces(Why::Denied)
    } else {
        Relation::Apart
    }
}

/// Two notes that give a value to something.
fn valued(old: &Statement, new: &Statement) -> Option<Relation> {
    let (a, b) = (old.fact()?, new.fact()?);
    let same_subject = overlap(&a.subject, &b.subject) >= SAME_SUBJECT
        || (a.subject.is_empty() && b.subject.is_empty());
    if !same_subject || a.about != b.about {
        return None;
    }
    if a.value.stem == b.value.stem {
        return Some(Relation::Same);
    }
    let comparable = match (a.value.class, b.value.class) {
        (Class::Number, Class::Number) => true,
        (Class::Number, _) | (_, Class::Number) => false,
        (Class::Plain | Class::Code, Class::Plain | Class::Code) => {
            let (one, other) = (category(&a.value.stem), category(&b.value.stem));
            match (one, other) {
                (Some(one), Some(other)) => one == other || a.is_functional() && b.is_functional(),
                (Some(_) | None, None) | (None, Some(_)) => {
                    (a.is_functional() && b.is_functional()) || new.tells_a_change()
                }
            }
        }
    };
    let why = Why::Value { was: a.value.stem.clone(), now: b.value.stem.clone() };
    Some(if comparable { Relation::Replaces(why) } else { Relation::Apart })
}

fn is_value(word: &Word) -> bool {
    word.class != Class::Plain || category(&word.stem).is_some()
}

/// The words of one note that the other lacks.
fn missing<'a>(words: &[&'a Word], other: &[&Word]) -> Vec<&'a Word> {
    words.iter().copied().filter(|word| !other.iter().any(|one| one.stem == word.stem)).collect()
}

/// The part of all words that both notes have.
fn likeness(a: &[&Word], b: &[&Word], ignored: &[&Word]) -> f64 {
    let set = |words: &[&Word]| -> BTreeSet<String> {
        words.iter().filter(|word| !ignored.contains(word)).map(|word| word.stem.clone()).collect()
    };
    overlap(&set(a), &set(b))
}

#[expect(clippy::cast_precision_loss, reason = "notes have few words")]
fn overlap(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    let all = a.union(b).count();
    if all == 0 { 0.0 } else { a.intersection(b).count() as f64 / all as f64 }
}

#[cfg(test)]
#[path = "relation_tests.rs"]
mod tests;
