//! What the groups of entries add.
//!
//! A group is judged by the entries of it that have a word of the question, as
//! if they were one text: each term counts by its best entry, and less by every
//! further one. So a session that has the words of a question in several turns
//! outranks one that has one of them often.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

use crate::ranking::FULL;

/// Steps to the next power of e, in which what a term lacks in a group shrinks.
const STEPS: f64 = 256.0;

/// From so many steps on nothing lacks: a hundredth of what the least impact
/// changes.
const LAST_STEP: u16 = 2560;

/// Impacts there can be.
const IMPACTS: usize = 256;

/// Groups by what was found of them.
pub(super) struct Groups {
    terms: usize,
    /// The place of each group, by its number.
    places: HashMap<u32, u32, BuildHasherDefault<Spread>>,
    /// The numbers of the groups in order of their places.
    numbers: Vec<u32>,
    /// How far each term of each group is there, in steps. Whole numbers, so
    /// that a sum does not depend on its order.
    steps: Vec<u16>,
    /// How far an impact brings a term.
    by_impact: [u16; IMPACTS],
}

/// An entry that was found.
pub(super) struct Seen {
    pub(super) doc: i64,
    /// Its own score.
    pub(super) own: u32,
    /// The place of its group.
    pub(super) group: Option<u32>,
}

/// Entries and their groups, ready to be ranked.
pub(super) struct Judged {
    pub(super) seen: Vec<Seen>,
    pub(super) groups: Groups,
}

impl Groups {
    pub(super) fn new(terms: usize) -> Self {
        Self {
            terms,
            places: HashMap::default(),
            numbers: Vec::new(),
            steps: Vec::new(),
            by_impact: by_impact(),
        }
    }

    /// The place of the group with a number; `None` for 0, which is no group.
    pub(super) fn place(&mut self, group: u32) -> Option<u32> {
        if group == 0 {
            return None;
        }
        let next = u32::try_from(self.numbers.len()).ok()?;
        let place = *self.places.entry(group).or_insert(next);
        if place == next {
            self.numbers.push(group);
            self.steps.resize(self.steps.len() + self.terms, 0);
        }
        Some(place)
    }

    /// Counts an entry of the group at a place that has a term.
    pub(super) fn add(&mut self, place: u32, term: usize, impact: u8) {
        if let Some(steps) = self.steps.get_mut(index(place) * self.terms + term) {
            *steps = steps.saturating_add(self.by_impact[usize::from(impact)]);
        }
    }

    /// The scores of the groups in order of their places.
    pub(super) fn scores(&self, weights: &[u32]) -> Vec<f64> {
        let there = there();
        let weights: Vec<f64> =
            weights.iter().map(|weight| f64::from(*weight) * f64::from(FULL)).collect();
        let score = |steps: &[u16]| {
            let terms = weights.iter().zip(steps);
            terms.map(|(weight, steps)| weight * there[usize::from(*steps.min(&LAST_STEP))]).sum()
        };
        self.steps.chunks(self.terms.max(1)).map(score).collect()
    }
}

impl Judged {
    /// Documents by their score and their group's, best first. An entry
    /// without a group is a group of its own.
    pub(super) fn ranked(&self, weights: &[u32], (prior, limit): (f32, usize)) -> Vec<(f64, i64)> {
        let scores = self.groups.scores(weights);
        let prior = f64::from(prior);
        let score = |seen: &Seen| {
            let own = f64::from(seen.own);
            let group = seen.group.and_then(|place| scores.get(index(place)));
            (own + prior * group.copied().unwrap_or(own), seen.doc)
        };
        best(self.seen.iter().map(score).collect(), limit)
    }

    /// Numbers of groups by their scores, best first.
    pub(super) fn best_groups(&self, weights: &[u32], limit: usize) -> Vec<(f64, i64)> {
        let scores = self.groups.scores(weights).into_iter();
        let numbers = self.groups.numbers.iter().map(|number| i64::from(*number));
        best(scores.zip(numbers).collect(), limit)
    }

    /// Numbers of the groups whose best entries are the best.
    pub(super) fn promising_groups(
        &self,
        weights: &[u32],
        (prior, limit): (f32, usize),
    ) -> BTreeSet<u32> {
        let mut owns = vec![0; self.groups.numbers.len()];
        for Seen { own, group, .. } in &self.seen {
            if let Some(best) = group.and_then(|place| owns.get_mut(index(place))) {
                *best = (*own).max(*best);
            }
        }
        let scores = self.groups.scores(weights).into_iter().zip(owns);
        let scores = scores.map(|(score, own)| f64::from(own) + f64::from(prior) * score);
        let numbers = self.groups.numbers.iter().map(|number| i64::from(*number));
        let best = best(scores.zip(numbers).collect(), limit).into_iter();
        best.filter_map(|(_, number)| u32::try_from(number).ok()).collect()
    }
}

/// The best, best first. Of equal scores the lower number comes first.
fn best(mut all: Vec<(f64, i64)>, limit: usize) -> Vec<(f64, i64)> {
    if all.len() > limit {
        all.select_nth_unstable_by(limit, best_first);
        all.truncate(limit);
    }
    all.sort_unstable_by(best_first);
    all
}

fn best_first(one: &(f64, i64), other: &(f64, i64)) -> Ordering {
    other.0.total_cmp(&one.0).then(one.1.cmp(&other.1))
}

pub(super) fn index(place: u32) -> usize {
    usize::try_from(place).unwrap_or(usize::MAX)
}

/// How far an impact brings a term of a group: what lacks is multiplied with
/// what lacks in the entry.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to what fits")]
fn by_impact() -> [u16; IMPACTS] {
    let mut steps = [LAST_STEP; IMPACTS];
    for (impact, steps) in (0..=u8::MAX).zip(&mut steps) {
        let lacking = 1.0 - f64::from(impact) / f64::from(FULL);
        if lacking > 0.0 {
            *steps = (-lacking.ln() * STEPS).round().clamp(0.0, f64::from(LAST_STEP)) as u16;
        }
    }
    steps
}

/// Which share of a term is there after each number of steps.
fn there() -> Vec<f64> {
    let step = (-1.0 / STEPS).exp();
    let lacking = std::iter::successors(Some(1.0), |lacking| Some(lacking * step));
    let mut there: Vec<f64> =
        lacking.take(usize::from(LAST_STEP)).map(|lacking| 1.0 - lacking).collect();
    there.push(1.0);
    there
}

/// Spreads the numbers of groups, which follow each other: no defence against
/// anybody, as nobody chooses them.
#[derive(Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u32(u32::from(*byte));
        }
    }

    fn write_u32(&mut self, number: u32) {
        let mixed = (self.0 ^ u64::from(number)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = mixed ^ mixed >> 32;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_in_which_entries_are_counted_does_not_matter() {
        let found = [(7, 0, 40), (9, 1, 3), (7, 1, 12), (7, 0, 8), (9, 1, 63), (7, 0, 1)];
        let scores = |found: &[(u32, usize, u8)]| {
            let mut groups = Groups::new(2);
            for (group, term, impact) in found {
                let place = groups.place(*group).unwrap();
                groups.add(place, *term, *impact);
            }
            let judged = Judged { seen: Vec::new(), groups };
            judged.best_groups(&[1000, 700], 5)
        };
        let once = scores(&found);
        let backwards: Vec<_> = found.iter().rev().copied().collect();
        assert_eq!(scores(&backwards), once);
        // 1 - 23/63 * 55/63 * 62/63 of the first term, 12/63 of the second.
        let [(first, 7), (second, 9)] = once[..] else { unreachable!("{once:?}") };
        let want =
            63.0 * (1000.0 * (1.0 - 23.0 * 55.0 * 62.0 / 63_f64.powi(3)) + 700.0 * 12.0 / 63.0);
        assert!((first / want - 1.0).abs() < 0.005, "{first} {want}");
        assert!((second - 63.0 * 700.0).abs() < 1e-6, "{second}");
    }

    #[test]
    fn many_entries_with_a_word_are_worth_the_word_at_most() {
        let mut groups = Groups::new(1);
        let place = groups.place(3).unwrap();
        assert_eq!(groups.place(0), None);
        for _ in 0..100_000 {
            groups.add(place, 0, 60);
        }
        assert!((groups.scores(&[1])[0] - 63.0).abs() < 1e-9);
    }
}
