//! What the groups of the best entries add.
//!
//! A group is judged by the candidates it has, as if they were one text: each
//! term counts by its best entry, and less by every further one. So a session
//! that has the words of a question in several turns outranks one that has one
//! of them often.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::Candidates;
use crate::error::Fault;
use crate::index::Scored;
use crate::ranking::FULL;
use crate::store::entries;

/// The groups of candidates and their scores.
pub(super) struct Groups {
    of: BTreeMap<i64, i64>,
    scores: BTreeMap<i64, f64>,
}

impl Groups {
    pub(super) fn of(connection: &Connection, candidates: &mut Candidates) -> Result<Self, Fault> {
        let impacts = candidates.impacts(connection)?;
        let mut groups = Self { of: BTreeMap::new(), scores: BTreeMap::new() };
        // What each term lacks to be fully there, as a share.
        let mut lacking: BTreeMap<i64, Vec<f64>> = BTreeMap::new();
        for (best, impacts) in candidates.best.iter().zip(&impacts) {
            let Some(group) = entries::group(connection, best.doc())? else { continue };
            groups.of.insert(best.doc(), group);
            let lacking = lacking.entry(group).or_insert_with(|| vec![1.0; impacts.len()]);
            for (lacking, impact) in lacking.iter_mut().zip(impacts) {
                *lacking *= 1.0 - f64::from(*impact) / f64::from(FULL);
            }
        }
        for (group, lacking) in lacking {
            let weights = candidates.found.weights.iter();
            let terms = weights
                .zip(&lacking)
                .map(|(weight, lacking)| f64::from(*weight) * f64::from(FULL) * (1.0 - lacking));
            groups.scores.insert(group, terms.sum());
        }
        Ok(groups)
    }

    /// Documents by their score and their group's, best first. An entry
    /// without a group is a group of its own.
    pub(super) fn ranked(&self, best: &[Scored], prior: f32) -> Vec<(f64, i64)> {
        let mut ranked: Vec<(f64, i64)> = best
            .iter()
            .map(|best| {
                let own = f64::from(best.score);
                let group = self.of.get(&best.doc()).and_then(|group| self.scores.get(group));
                (own + f64::from(prior) * group.copied().unwrap_or(own), best.doc())
            })
            .collect();
        ranked.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        ranked
    }

    /// Groups by their scores, best first.
    pub(super) fn best(self) -> Vec<(f64, i64)> {
        let mut best: Vec<(f64, i64)> =
            self.scores.into_iter().map(|(group, score)| (score, group)).collect();
        best.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        best
    }
}
