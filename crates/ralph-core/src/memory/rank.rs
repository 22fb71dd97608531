//! Which notes come first, when several searches each have a list of their own.
//!
//! Scores of different searches cannot be compared, ranks can. What a note is
//! worth otherwise (how much it is believed, how old it is, for whom it was
//! written) then weighs, and of two that say nearly the same only one is needed.

use std::collections::{BTreeMap, HashSet};

use super::belief::Days;

/// How little the first places differ: the larger, the less.
const FLATNESS: f64 = 60.0;

/// Age takes away half of a note's weight at most.
const OLDEST: f64 = 0.5;

/// How much relevance counts against being different, from 0 to 1.
const RELEVANCE: f64 = 0.7;

/// A list of one search, the best first.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked<'a> {
    /// How much it counts; 1 for most.
    pub weight: f64,
    /// Names of notes.
    pub ids: Vec<&'a str>,
}

/// Puts several lists into one; a note that is in many, or high up, gets more.
pub fn fuse<'a>(lists: &[Ranked<'a>]) -> BTreeMap<&'a str, f64> {
    let mut fused = BTreeMap::new();
    for list in lists {
        for (place, id) in (1_u32..).zip(&list.ids) {
            *fused.entry(*id).or_insert(0.0) += list.weight / (FLATNESS + f64::from(place));
        }
    }
    fused
}

/// What a note is worth, whatever was looked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Worth {
    /// What it is right with at least, from 0 to 1.
    pub belief: f64,
    /// How old it is.
    pub age: Days,
    /// After how long it counts half; never without one.
    pub half_life: Option<Days>,
    /// More or less, by whom it was written for.
    pub scope: f64,
    /// More or less, by what the agent is about.
    pub phase: f64,
}

impl Worth {
    /// What a rank is multiplied with.
    pub fn factor(self) -> f64 {
        let belief = 0.5 + 0.5 * self.belief.clamp(0.0, 1.0);
        let recency = match self.half_life {
            Some(half_life) => 0.5_f64.powf(self.age.0.max(0.0) / half_life.0).max(OLDEST),
            None => 1.0,
        };
        belief * recency * self.scope * self.phase
    }
}

/// Puts what is worth most first, and what says the same as something before
/// it behind.
///
/// Takes what each is worth with its text, and returns places in that list.
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

/// How much of all their words two texts have in common, from 0 to 1.
pub fn shared_words(one: &str, other: &str) -> f64 {
    alike(&words(one), &words(other))
}

/// How much of all their words two have in common, from 0 to 1.
#[expect(clippy::cast_precision_loss, reason = "notes have few words")]
fn alike(one: &HashSet<String>, other: &HashSet<String>) -> f64 {
    let both = one.intersection(other).count();
    let all = one.len() + other.len() - both;
    if all == 0 { 0.0 } else { both as f64 / all as f64 }
}

#[cfg(test)]
#[path = "rank_tests.rs"]
mod tests;
