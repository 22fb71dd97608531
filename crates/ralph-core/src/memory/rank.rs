//! Merges the result lists of several searches for notes.
//!
//! Scores of different searches cannot be compared, ranks can. The worth of a note
//! (confidence, age, scope) is a factor, and of two notes that say nearly the same
//! only one is needed.

use std::collections::{BTreeMap, HashSet};

use super::belief::Days;

/// Constant of rank fusion: the larger, the less the first ranks differ.
const FLATNESS: f64 = 60.0;

/// Smallest factor that age can lead to.
const OLDEST: f64 = 0.5;

/// Weight of relevance against diversity, from 0 to 1.
const RELEVANCE: f64 = 0.7;

/// The result list of one search, the best first.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedList<'a> {
    /// Weight of the list; 1 for most.
    pub weight: f64,
    /// Ids of notes.
    pub ids: Vec<&'a str>,
}

/// Merges several lists; a note that is in many, or high up, scores more.
pub fn fuse<'a>(lists: &[RankedList<'a>]) -> BTreeMap<&'a str, f64> {
    let mut fused = BTreeMap::new();
    for list in lists {
        for (place, id) in (1_u32..).zip(&list.ids) {
            *fused.entry(*id).or_insert(0.0) += list.weight / (FLATNESS + f64::from(place));
        }
    }
    fused
}

/// The worth of a note, independent of the query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NoteWorth {
    /// Lower bound of the confidence, from 0 to 1.
    pub belief: f64,
    /// Age of the note.
    pub age: Days,
    /// Age at which it counts half; `None` if it does not age.
    pub half_life: Option<Days>,
    /// Factor for the scope it was written for.
    pub scope: f64,
    /// Factor for the phase of the agent's work.
    pub phase: f64,
}

impl NoteWorth {
    /// Returns the factor for the rank.
    pub fn factor(self) -> f64 {
        let belief = 0.5 + 0.5 * self.belief.clamp(0.0, 1.0);
        let recency = match self.half_life {
            Some(half_life) => 0.5_f64.powf(self.age.0.max(0.0) / half_life.0).max(OLDEST),
            None => 1.0,
        };
        belief * recency * self.scope * self.phase
    }
}

/// Orders notes by worth, and moves notes that repeat an earlier one behind it.
///
/// Takes the worth and the text of each note, and returns indices into that list.
/// Of equal ones the earlier comes first.
pub fn diverse(notes: &[(f64, &str)], most: usize) -> Vec<usize> {
    let best = notes.iter().map(|(worth, _)| *worth).fold(f64::MIN_POSITIVE, f64::max);
    let words: Vec<HashSet<String>> = notes.iter().map(|(_, text)| words(text)).collect();
    let mut nearest = vec![0.0_f64; notes.len()];
    let mut left: Vec<usize> = (0..notes.len()).collect();
    let mut chosen = Vec::new();
    while chosen.len() < most {
        let value = |at: usize| RELEVANCE * notes[at].0 / best - (1.0 - RELEVANCE) * nearest[at];
        let Some(place) = (0..left.len())
            .reduce(|one, other| if value(left[other]) > value(left[one]) { other } else { one })
        else {
            break;
        };
        let taken = left.remove(place);
        for at in &left {
            nearest[*at] = nearest[*at].max(alike(&words[taken], &words[*at]));
        }
        chosen.push(taken);
    }
    chosen
}

fn words(text: &str) -> HashSet<String> {
    let parts = text.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    parts.map(str::to_lowercase).collect()
}

/// Returns the share of common words in all words of two texts, from 0 to 1.
pub fn shared_words(one: &str, other: &str) -> f64 {
    alike(&words(one), &words(other))
}

/// Returns the share of common words in all words, from 0 to 1.
#[expect(clippy::cast_precision_loss, reason = "notes have few words")]
fn alike(one: &HashSet<String>, other: &HashSet<String>) -> f64 {
    let both = one.intersection(other).count();
    let all = one.len() + other.len() - both;
    if all == 0 { 0.0 } else { both as f64 / all as f64 }
}

#[cfg(test)]
#[path = "rank_tests.rs"]
mod tests;
