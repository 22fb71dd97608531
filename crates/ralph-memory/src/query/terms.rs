//! The words of a query, and where they are.

use std::collections::BTreeSet;

use rusqlite::Connection;

use super::filter::Filter;
use super::segments;
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
    /// How many documents have each term.
    counts: Vec<u64>,
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
        Ok(Found { weights, counts, pending, segments: parts })
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
    /// Leaves out what filters do not let through.
    pub(super) fn keep(&mut self, connection: &Connection, filter: &Filter) -> Result<(), Fault> {
        let mut sieve = filter.sieve(connection);
        let mut pending = Vec::with_capacity(self.pending.len());
        for waiting in self.pending.drain(..) {
            if sieve.allows(waiting.doc)? {
                pending.push(waiting);
            }
        }
        self.pending = pending;
        for part in self.segments.iter_mut().filter(|part| !part.lists.is_empty()) {
            part.allowed = filter.allowed(connection, part.segment)?;
        }
        Ok(())
    }

    /// The score of a document with these impacts.
    pub(super) fn score(&self, impacts: &[u8]) -> u32 {
        self.weights.iter().zip(impacts).map(|(weight, impact)| weight * u32::from(*impact)).sum()
    }

    /// The partitions with one of the words.
    pub(super) fn partitions(&self) -> BTreeSet<i64> {
        let segments = self.segments.iter().filter(|part| !part.lists.is_empty());
        let waiting = self.pending.iter().map(|waiting| segments::place(waiting.doc).0);
        segments.map(|part| part.segment.partition).chain(waiting).collect()
    }

    /// The terms that count, the rarest first, as long as no more than `most`
    /// documents have them, counted once for each term; and whether these are
    /// all.
    pub(super) fn rarest(&self, most: u64) -> (Vec<usize>, Extent) {
        let mut terms: Vec<usize> =
            (0..self.weights.len()).filter(|term| self.weights[*term] > 0).collect();
        terms.sort_by_key(|term| self.counts[*term]);
        let all = terms.len();
        let mut documents = 0_u64;
        terms.retain(|term| {
            documents = documents.saturating_add(self.counts[*term]);
            documents <= most
        });
        let extent = if terms.len() == all { Extent::All } else { Extent::Some };
        (terms, extent)
    }

    /// The impacts of documents, which are in order.
    pub(super) fn impacts(
        &mut self,
        connection: &Connection,
        docs: &[i64],
    ) -> Result<Impacts, Fault> {
        let terms = self.weights.len();
        let mut all = vec![0; terms * docs.len()];
        for waiting in &self.pending {
            if let Ok(place) = docs.binary_search(&waiting.doc) {
                all[place * terms..][..terms].copy_from_slice(&waiting.impacts);
            }
        }
        for part in &mut self.segments {
            let here = docs.iter().zip(0..).filter_map(|(doc, at)| Some((part.local(*doc)?, at)));
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

/// How many of the terms there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    All,
    Some,
}

/// The impacts of documents, in order of the terms.
pub(super) struct Impacts {
    all: Vec<u8>,
    terms: usize,
}

impl Impacts {
    /// Those of the document at this place.
    pub(super) fn of(&self, place: usize) -> &[u8] {
        &self.all[place * self.terms..][..self.terms]
    }
}
