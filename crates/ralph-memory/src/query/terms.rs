//! The words of a query, and where they are.

use rusqlite::Connection;

use super::{Candidates, segments};
use crate::analysis::Analyzer;
use crate::error::Fault;
use crate::index::{Allowed, List};
use crate::ranking::{Ranking, rarity};
use crate::store::counters::Totals;
use crate::store::pending::Pending;
use crate::store::segments::{Segment, Stored};

/// Terms of a query that are looked for: the rarest.
const MOST_TERMS: usize = 64;

/// Terms of a query that are looked up at all.
const MOST_LOOKED_UP: usize = 1000;

/// How often a repeated word of a query counts at most.
const MOST_REPEATED: u32 = 4;

/// The words of a query, each once, and how often it has them.
pub(super) struct Terms(Vec<(String, u32)>);

/// A document that is in no segment yet.
pub(super) struct Waiting {
    pub(super) doc: i64,
    /// Impacts in order of the terms; 0 where it has none.
    pub(super) impacts: Vec<u8>,
}

/// A segment with the lists of the terms it has.
pub(super) struct Part {
    pub(super) segment: Segment,
    pub(super) allowed: Allowed,
    pub(super) lists: Vec<List>,
    /// Which term each list is of.
    pub(super) terms: Vec<usize>,
}

impl Part {
    fn new(segment: Segment) -> Self {
        Self { segment, allowed: Allowed::All, lists: Vec::new(), terms: Vec::new() }
    }

    /// The number of a document in the segment, if it counts here.
    fn local(&self, doc: i64) -> Option<u32> {
        let (partition, local) = segments::place(doc);
        (partition == self.segment.partition && self.allowed.has(local)).then_some(local)
    }
}

/// Where the words of a query are.
pub(super) struct Found {
    pub(super) weights: Vec<u32>,
    pub(super) pending: Vec<Waiting>,
    pub(super) segments: Vec<Part>,
}

impl Terms {
    pub(super) fn of(text: &str) -> Self {
        let mut terms = Analyzer::default().terms(text);
        terms.sort_unstable();
        let groups = terms.chunk_by(|one, other| one == other).take(MOST_LOOKED_UP);
        let counted = groups.map(|same| {
            let times = u32::try_from(same.len()).unwrap_or(MOST_REPEATED);
            (same[0].clone(), times.min(MOST_REPEATED))
        });
        Self(counted.collect())
    }

    /// Looks the terms up and weighs them.
    pub(super) fn find(
        self,
        connection: &Connection,
        waiting: &[Pending],
        (ranking, totals): (&Ranking, Totals),
    ) -> Result<Found, Fault> {
        let mut counts = vec![0_u64; self.0.len()];
        let pending = self.waiting(waiting, (ranking, totals), &mut counts)?;
        let mut parts = Vec::new();
        for segment in segments::all(connection)? {
            let mut part = Part::new(segment);
            for (number, (term, _)) in self.0.iter().enumerate() {
                if let Some(list) = segments::list(connection, segment, term)? {
                    counts[number] += u64::try_from(list.count()).unwrap_or(0);
                    part.lists.push(list);
                    part.terms.push(number);
                }
            }
            parts.push(part);
        }
        let weights = self.weights(totals, &counts);
        for part in &mut parts {
            for (list, term) in part.lists.iter_mut().zip(&part.terms) {
                list.weigh(weights[*term]);
            }
        }
        Ok(Found { weights, pending, segments: parts })
    }

    /// What an impact of each term is multiplied with; 0 for one too many.
    fn weights(&self, totals: Totals, counts: &[u64]) -> Vec<u32> {
        let documents = u64::try_from(totals.documents).unwrap_or(0);
        let weight = |((_, times), count): (&(String, u32), &u64)| match count {
            0 => 0,
            _ => rarity(documents, *count) * times,
        };
        let mut weights: Vec<u32> = self.0.iter().zip(counts).map(weight).collect();
        if weights.len() > MOST_TERMS {
            let mut order: Vec<usize> = (0..weights.len()).collect();
            order.sort_by_key(|number| std::cmp::Reverse(weights[*number]));
            order.into_iter().skip(MOST_TERMS).for_each(|number| weights[number] = 0);
        }
        weights
    }

    /// Documents without a segment that have one of the terms.
    fn waiting(
        &self,
        waiting: &[Pending],
        (ranking, totals): (&Ranking, Totals),
        counts: &mut [u64],
    ) -> Result<Vec<Waiting>, Fault> {
        let mut found = Vec::new();
        for document in waiting {
            let mut impacts = vec![0; self.0.len()];
            let mut any = false;
            for term in document.terms() {
                let (term, frequency) = term?;
                let known = self.0.binary_search_by(|(known, _)| known.as_str().cmp(term));
                if let Ok(number) = known {
                    impacts[number] = ranking.impact(frequency, document.length, totals.mean());
                    counts[number] += 1;
                    any = true;
                }
            }
            if any {
                found.push(Waiting { doc: document.doc, impacts });
            }
        }
        Ok(found)
    }
}

impl Found {
    /// The score of a document with these impacts.
    pub(super) fn score(&self, impacts: &[u8]) -> u32 {
        self.weights.iter().zip(impacts).map(|(weight, impact)| weight * u32::from(*impact)).sum()
    }
}

/// The impacts of candidates, in order of the terms.
pub(super) struct Impacts {
    all: Vec<u8>,
    terms: usize,
}

impl Impacts {
    /// Those of the candidate at this place.
    pub(super) fn of(&self, candidate: usize) -> &[u8] {
        &self.all[candidate * self.terms..][..self.terms]
    }
}

impl Candidates {
    /// The impacts of each of the best.
    pub(super) fn impacts(&mut self, connection: &Connection) -> Result<Impacts, Fault> {
        let terms = self.found.weights.len();
        let mut all = vec![0; terms * self.best.len()];
        let mut order: Vec<(i64, usize)> =
            self.best.iter().enumerate().map(|(place, best)| (best.doc(), place)).collect();
        order.sort_unstable();
        // Those that wait are in order of their numbers too.
        let pending = &self.found.pending;
        order.retain(|(doc, place)| {
            let waits = pending.binary_search_by_key(doc, |document| document.doc);
            if let Ok(at) = waits {
                all[place * terms..][..terms].copy_from_slice(&pending[at].impacts);
            }
            waits.is_err()
        });
        for part in &mut self.found.segments {
            let here = order.iter().filter_map(|(doc, place)| Some((part.local(*doc)?, *place)));
            let here: Vec<(u32, usize)> = here.collect();
            for (list, term) in part.lists.iter_mut().zip(&part.terms) {
                list.rewind();
                for (local, place) in &here {
                    list.skip_to(*local);
                    let impact = list.impact(*local, &mut Stored(connection))?;
                    let known = &mut all[place * terms + term];
                    *known = impact.max(*known);
                }
            }
        }
        Ok(Impacts { all, terms })
    }
}
