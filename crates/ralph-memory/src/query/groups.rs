//! What the groups of the best entries add.
//!
//! A group is judged by the candidates it has, as if they were one text: each
//! term counts by its best entry, and less by every further one. So a session
//! that has the words of a question in several turns outranks one that has one
//! of them often.

use std::cmp::Ordering;
use std::collections::HashMap;

use rusqlite::Connection;

use super::Candidates;
use crate::error::Fault;
use crate::index::Scored;
use crate::ranking::FULL;
use crate::store::groups::Lookup;

/// The groups of candidates and their scores.
pub(super) struct Groups {
    /// The place of each candidate's group among the scores.
    of: Vec<Option<usize>>,
    /// The score of each group.
    scores: Vec<(f64, i64)>,
}

impl Groups {
    pub(super) fn of(connection: &Connection, candidates: &mut Candidates) -> Result<Self, Fault> {
        let impacts = candidates.impacts(connection)?;
        let terms = candidates.found.weights.len();
        let mut order: Vec<(i64, usize)> =
            candidates.best.iter().enumerate().map(|(place, best)| (best.doc(), place)).collect();
        // In their order, so that each row of groups is read once.
        order.sort_unstable();
        let mut groups = Self { of: vec![None; order.len()], scores: Vec::new() };
        let mut lookup = Lookup::new(connection);
        let mut places: HashMap<i64, usize> = HashMap::new();
        // What each term of each group lacks to be fully there, as a share.
        let mut lacking: Vec<f64> = Vec::new();
        for (doc, candidate) in order {
            let Some(group) = lookup.group(doc)? else { continue };
            let place = *places.entry(group).or_insert(groups.scores.len());
            if place == groups.scores.len() {
                groups.scores.push((0.0, group));
                lacking.resize(lacking.len() + terms, 1.0);
            }
            groups.of[candidate] = Some(place);
            let lacking = lacking.iter_mut().skip(place * terms);
            for (lacking, impact) in lacking.zip(impacts.of(candidate)) {
                *lacking *= 1.0 - f64::from(*impact) / f64::from(FULL);
            }
        }
        for (score, lacking) in groups.scores.iter_mut().zip(lacking.chunks(terms.max(1))) {
            let weighted = candidates.found.weights.iter().zip(lacking);
            let terms = weighted
                .map(|(weight, lacking)| f64::from(*weight) * f64::from(FULL) * (1.0 - lacking));
            score.0 = terms.sum();
        }
        Ok(groups)
    }

    /// Documents by their score and their group's, best first. An entry
    /// without a group is a group of its own.
    pub(super) fn ranked(&self, best: &[Scored], prior: f32) -> Vec<(f64, i64)> {
        let score = |(best, place): (&Scored, &Option<usize>)| {
            let own = f64::from(best.score);
            let group = place.and_then(|place| self.scores.get(place));
            (own + f64::from(prior) * group.map_or(own, |(score, _)| *score), best.doc())
        };
        let mut ranked: Vec<(f64, i64)> = best.iter().zip(&self.of).map(score).collect();
        ranked.sort_unstable_by(best_first);
        ranked
    }

    /// Groups by their scores, best first.
    pub(super) fn best(mut self) -> Vec<(f64, i64)> {
        self.scores.sort_unstable_by(best_first);
        self.scores
    }
}

/// Of equal scores the lower number comes first.
fn best_first(one: &(f64, i64), other: &(f64, i64)) -> Ordering {
    other.0.total_cmp(&one.0).then(one.1.cmp(&other.1))
}
