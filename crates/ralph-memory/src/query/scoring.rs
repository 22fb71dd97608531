//! What the documents that have a word of the question are worth.
//!
//! A document is judged by its own words, and a little by those of the
//! documents beside it. A group is judged by the documents of it that were
//! found, as if they were one text: each term counts by its best document, and
//! less by every further one. So a session that has the words of a question in
//! several turns outranks one that has one of them often.

use std::cmp::Ordering;
use std::collections::HashMap;

use rusqlite::Connection;

use super::filter::ResolvedFilters;
use crate::analysis::TextAnalyzer;
use crate::error::StorageFault;
use crate::ranking::{RankingWeights, rarity, telling};
use crate::store::counters::DocumentTotals;
use crate::store::places::DocumentTable;
use crate::store::words;

/// Terms of a query that are looked for: the rarest.
const MOST_TERMS: usize = 64;

/// Terms of a query that are looked up at all.
const MOST_LOOKED_UP: usize = 1000;

/// Documents that are looked at, counted once for each term that they have: the
/// most frequent terms are left out where there are more. Some ten milliseconds.
const MOST_PLACES: u64 = 200_000;

/// How often a repeated word of a query counts at most.
const MOST_REPEATED: u8 = 4;

/// A document that was found.
struct ScoredDocument {
    doc: i64,
    /// Its own score.
    own: f64,
    /// How many telling words it has itself.
    telling: f64,
    /// The number of its group; 0 if it has none.
    group: u32,
}

/// A document in its place among those that were found.
pub(crate) struct RankedDocument {
    pub(crate) doc: i64,
    pub(crate) score: f64,
    /// See [`telling`].
    pub(crate) telling: f64,
}

/// Documents and groups that were found, with their scores.
#[derive(Default)]
pub(super) struct ScoreTable {
    documents: Vec<ScoredDocument>,
    groups: HashMap<u32, f64>,
}

/// A document that has a term, and what the term counts there.
#[derive(Clone, Copy)]
struct TermPosting {
    doc: i64,
    term: usize,
    weight: f32,
}

/// Scores all that has one of the words of a question and passes a filter.
pub(super) fn score(
    connection: &Connection,
    ranking: &RankingWeights,
    (text, filter): (&str, &ResolvedFilters),
) -> Result<ScoreTable, StorageFault> {
    let terms = terms(connection, text)?;
    let mut places = DocumentTable::new(connection);
    let mut postings = Vec::new();
    for (term, (word, _)) in terms.iter().enumerate() {
        find(connection, ranking, (term, word), &mut postings)?;
    }
    spread(ranking, &mut places, &mut postings)?;
    let totals = DocumentTotals::read(connection)?;
    let having = having(&postings, terms.len());
    let weight = |((_, times), having): (&(String, u8), &f64)| {
        f64::from(*times) * rarity(totals.documents(), *having)
    };
    let weights: Vec<f64> = terms.iter().zip(&having).map(weight).collect();
    let tells: Vec<f64> = having.iter().map(|it| telling(totals.documents(), *it)).collect();
    let mut scores = ScoreTable::default();
    let mut lacking: HashMap<u32, Vec<f64>> = HashMap::new();
    for postings in postings.chunk_by(|one, other| one.doc == other.doc) {
        let doc = postings[0].doc;
        let Some(place) = places.get(doc)?.filter(|place| filter.allows(place)) else { continue };
        let mut group = (place.group > 0)
            .then(|| lacking.entry(place.group).or_insert_with(|| vec![1.0; terms.len()]));
        let (mut own, mut telling) = (0.0, 0.0);
        for same in postings.chunk_by(|one, other| one.term == other.term) {
            let frequency = same.iter().map(|posting| posting.weight).sum();
            let impact = ranking.impact(frequency, totals.relative(place.length));
            own += weights[same[0].term] * impact;
            // A word that only stands beside it says nothing about it.
            let is_own = same.iter().any(|posting| posting.weight > ranking.neighbour);
            telling += if is_own { tells[same[0].term] } else { 0.0 };
            if let Some(lacking) = &mut group {
                lacking[same[0].term] *= 1.0 - impact;
            }
        }
        scores.documents.push(ScoredDocument { doc, own, telling, group: place.group });
    }
    for (group, lacking) in lacking {
        let there = lacking.iter().zip(&weights).map(|(lacking, weight)| weight * (1.0 - lacking));
        scores.groups.insert(group, there.sum());
    }
    Ok(scores)
}

/// The terms of a question that are looked for, and how often it has each.
fn terms(connection: &Connection, text: &str) -> Result<Vec<(String, u8)>, StorageFault> {
    let mut all = TextAnalyzer::default().terms(text);
    all.sort_unstable();
    let mut counted = Vec::new();
    for same in all.chunk_by(|one, other| one == other).take(MOST_LOOKED_UP) {
        let times = u8::try_from(same.len()).unwrap_or(MOST_REPEATED).min(MOST_REPEATED);
        let count = words::count(connection, &same[0])?;
        if count > 0 {
            counted.push((count, same[0].clone(), times));
        }
    }
    counted.sort_unstable();
    let mut places = 0;
    let rarest = counted.into_iter().take(MOST_TERMS).take_while(|(count, ..)| {
        let is_first = places == 0;
        places += count;
        is_first || places <= MOST_PLACES
    });
    Ok(rarest.map(|(_, term, times)| (term, times)).collect())
}

/// Appends the documents that have a term.
fn find(
    connection: &Connection,
    ranking: &RankingWeights,
    (term, word): (usize, &str),
    postings: &mut Vec<TermPosting>,
) -> Result<(), StorageFault> {
    words::each(connection, word, |doc, column| {
        postings.push(TermPosting { doc, term, weight: ranking.weight(column) });
    })
}

/// Adds to each document what the documents beside it have, and puts all in
/// order of documents and terms.
fn spread(
    ranking: &RankingWeights,
    places: &mut DocumentTable<'_>,
    postings: &mut Vec<TermPosting>,
) -> Result<(), StorageFault> {
    for at in 0..postings.len() {
        let TermPosting { doc, term, .. } = postings[at];
        let is_repeated = at
            .checked_sub(1)
            .is_some_and(|before| postings[before].doc == doc && postings[before].term == term);
        if is_repeated {
            continue;
        }
        let Some(place) = places.get(doc)? else { continue };
        for doc in place.links.into_iter().flatten() {
            postings.push(TermPosting { doc, term, weight: ranking.neighbour });
        }
    }
    postings.retain(|posting| posting.weight > 0.0);
    postings.sort_by_key(|posting| (posting.doc, posting.term));
    Ok(())
}

/// How many documents have each term, or have it beside them.
fn having(postings: &[TermPosting], terms: usize) -> Vec<f64> {
    let mut having = vec![0.0; terms];
    let is_same =
        |one: &TermPosting, other: &TermPosting| (one.doc, one.term) == (other.doc, other.term);
    for same in postings.chunk_by(is_same) {
        having[same[0].term] += 1.0;
    }
    having
}

impl ScoreTable {
    /// Documents by their score and their group's, best first. A document
    /// without a group is a group of its own.
    pub(super) fn documents(self, prior: f32, limit: usize) -> Vec<RankedDocument> {
        let Self { documents, groups } = self;
        let score = |one: &ScoredDocument| {
            let of_group = groups.get(&one.group).copied().unwrap_or(one.own);
            (one.own + f64::from(prior) * of_group, one.doc)
        };
        let best = best(documents.iter().map(score).collect(), limit);
        // They are in the order of their numbers.
        let telling = |doc: i64| {
            let at = documents.binary_search_by_key(&doc, |one| one.doc);
            at.map_or(0.0, |at| documents[at].telling)
        };
        best.into_iter()
            .map(|(score, doc)| RankedDocument { doc, score, telling: telling(doc) })
            .collect()
    }

    /// Numbers of groups by their scores, best first.
    pub(super) fn groups(self, limit: usize) -> Vec<(f64, i64)> {
        let groups = self.groups.into_iter().map(|(group, score)| (score, i64::from(group)));
        best(groups.collect(), limit)
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
