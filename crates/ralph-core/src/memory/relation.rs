//! Does a new note say the same as an old one, take its place, or stand beside it?
//!
//! Likeness alone cannot tell: "the port is 8080" and "the port is 9090" are as
//! alike as two notes can be. So what the notes share is set against what only
//! one of them has. Two notes about the same thing with different values, or
//! one that denies the other, cannot both stand: the later one does. If what
//! differs is the thing itself, both stand. In doubt both stay.

use super::comparison::Comparison;
use super::statement::Statement;

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

/// Longer texts, in bytes, say more than one thing. Words are compared with
/// words, so what a pair costs grows with the square.
pub const LONGEST: usize = 4096;

/// Relates a new note to an old one.
pub fn relate(old: &str, new: &str) -> Relation {
    if old.len().max(new.len()) > LONGEST {
        return if old == new { Relation::Same } else { Relation::Apart };
    }
    let relation = related(old, new);
    // Denials of one language are not found in the other.
    let is_unsure = is_korean(old) != is_korean(new);
    if is_unsure && matches!(relation, Relation::Replaces(_)) { Relation::Apart } else { relation }
}

fn is_korean(text: &str) -> bool {
    text.contains(|c| ('가'..='힣').contains(&c))
}

fn related(old: &str, new: &str) -> Relation {
    let (old, new) = Statement::pair(old, new);
    if old.is_empty() || new.is_empty() {
        return Relation::Apart;
    }
    let pair = Comparison::of(&old, &new);
    if !pair.is_about_one_thing() {
        return Relation::Apart;
    }
    if pair.has_sibling_subjects() || pair.is_about_others() {
        return Relation::Apart;
    }
    if pair.is_opened_up() || pair.ends_otherwise() {
        return Relation::Replaces(Why::Denied);
    }
    if pair.is_one_bound() {
        return Relation::Same;
    }
    if pair.is_given_up() || pair.is_turned_round() || pair.is_exchanged() {
        return Relation::Replaces(Why::Denied);
    }
    if pair.is_about_siblings() {
        return Relation::Apart;
    }
    if (pair.is_announced() && !pair.is_added()) || pair.is_done_without() {
        return Relation::Replaces(Why::Denied);
    }
    if pair.is_denied() {
        let stands = if pair.has_other_subject() {
            Relation::Apart
        } else {
            Relation::Replaces(Why::Denied)
        };
        return stands;
    }
    if pair.is_added() {
        return Relation::Apart;
    }
    if let Some((was, now)) =
        pair.changed_value().or_else(|| pair.reframed()).or_else(|| pair.realigned())
        && (pair.is_news() || !pair.differs_twice())
    {
        let (was, now) = (was.text.clone(), now.text.clone());
        return Relation::Replaces(Why::Value { was, now });
    }
    if pair.is_news_of_it() || pair.sends_off_the_old() {
        return Relation::Replaces(Why::Denied);
    }
    if pair.says_the_same() {
        return Relation::Same;
    }
    Relation::Apart
}

#[cfg(test)]
#[path = "relation_tests.rs"]
mod tests;
