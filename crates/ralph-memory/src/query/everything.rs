//! Scoring everything that has one of the words.
//!
//! An entry with one word of a question is far behind by itself, and comes to
//! the front by what else its group has: which entries are the best is known
//! only when all groups are. Where the words are in few enough entries, all of
//! them are gone through, list after list, which costs some nanoseconds each.

use rusqlite::Connection;

use super::groups::{Groups, Judged, Seen, index};
use super::terms::{Found, Waiting};
use crate::error::Fault;
use crate::index::PARTITION_BITS;
use crate::store::groups;
use crate::store::segments::{self, Stored};

/// Scores all entries that have one of some terms, and their groups.
pub(super) fn judge(
    connection: &Connection,
    found: &mut Found,
    terms: &[usize],
) -> Result<Judged, Fault> {
    let mut sums = Sums::new(found.weights.clone());
    for partition in found.partitions() {
        groups::of_partition(connection, partition, &mut sums.groups)?;
        for part in found.segments.iter_mut().filter(|part| part.segment.partition == partition) {
            let lists = part.lists.iter_mut().zip(&part.terms);
            for (list, term) in lists.filter(|(_, term)| terms.contains(term)) {
                list.each(&mut Stored(connection), |local, impact| {
                    if part.allowed.has(local) {
                        sums.add(local, *term, impact);
                    }
                })?;
            }
        }
        for Waiting { doc, impacts } in &found.pending {
            let (of, local) = segments::place(*doc);
            for term in terms.iter().filter(|term| of == partition && impacts[**term] > 0) {
                sums.add(local, *term, impacts[*term]);
            }
        }
        sums.finish(partition);
    }
    Ok(sums.judged)
}

/// What is added up, one partition after the other.
struct Sums {
    weights: Vec<u32>,
    /// The scores of the partition's documents.
    scores: Vec<u32>,
    /// Documents whose score is not 0.
    touched: Vec<u32>,
    /// The numbers of their groups.
    groups: Vec<u32>,
    judged: Judged,
}

impl Sums {
    fn new(weights: Vec<u32>) -> Self {
        let judged = Judged { seen: Vec::new(), groups: Groups::new(weights.len()) };
        Self { weights, scores: Vec::new(), touched: Vec::new(), groups: Vec::new(), judged }
    }

    /// Counts a document that has a term, whose weight is not 0.
    fn add(&mut self, local: u32, term: usize, impact: u8) {
        let at = index(local);
        if at >= self.scores.len() {
            self.scores.resize(at + 1, 0);
        }
        if self.scores[at] == 0 {
            self.touched.push(local);
        }
        self.scores[at] += self.weights[term] * u32::from(impact);
        if let Some(place) = self.group(local) {
            self.judged.groups.add(place, term, impact);
        }
    }

    fn group(&mut self, local: u32) -> Option<u32> {
        let group = self.groups.get(index(local)).copied().unwrap_or(0);
        self.judged.groups.place(group)
    }

    /// Moves what was added up to what is known of others.
    fn finish(&mut self, partition: i64) {
        let base = partition << PARTITION_BITS;
        for local in std::mem::take(&mut self.touched) {
            let own = std::mem::take(&mut self.scores[index(local)]);
            let group = self.group(local);
            self.judged.seen.push(Seen { doc: base + i64::from(local), own, group });
        }
    }
}
