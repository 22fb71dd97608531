//! Searching: from a question to entries.

mod filter;
mod scoring;

use rusqlite::Connection;

use self::filter::ResolvedFilters;
pub(crate) use self::scoring::RankedDocument;
use self::scoring::{ScoreTable, score};
use crate::error::StorageFault;
use crate::ranking::RankingWeights;
use crate::store::places::DocumentTable;
use crate::store::{counters, index};

/// Whether retired entries are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RetiredEntries {
    /// They are not.
    #[default]
    Hidden,
    /// They are, like others.
    Shown,
}

/// Which entries may be found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchFilters {
    /// One of these kinds; any if there is none.
    pub kinds: Vec<String>,
    /// One of these scopes; any if there is none.
    pub scopes: Vec<String>,
    /// This group alone.
    pub group: Option<String>,
    /// Whether retired entries are found.
    pub retired: RetiredEntries,
}

/// What is looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchQuery {
    /// Words, in any order; an entry needs one of them.
    pub text: String,
    /// How many hits are wanted at most.
    pub limit: usize,
    /// Which entries may be found.
    pub filters: SearchFilters,
}

/// A group that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupHit {
    /// Its name.
    pub group: String,
    /// How well what was found of it fits, taken together.
    pub score: f64,
}

fn scores(
    connection: &Connection,
    ranking: &RankingWeights,
    query: &SearchQuery,
) -> Result<ScoreTable, StorageFault> {
    let filter = ResolvedFilters::new(connection, &query.filters)?;
    score(connection, ranking, (&query.text, &filter))
}

/// Documents by their own score and their group's, as people read scores.
pub(crate) fn ranked(
    connection: &Connection,
    ranking: &RankingWeights,
    query: &SearchQuery,
) -> Result<Vec<RankedDocument>, StorageFault> {
    let ranked = scores(connection, ranking, query)?.documents(ranking.group_prior, query.limit);
    let readable = |it: RankedDocument| RankedDocument { score: ranking.readable(it.score), ..it };
    Ok(ranked.into_iter().map(readable).collect())
}

/// The documents that pass filters, the newest first.
pub(crate) fn matching(
    connection: &Connection,
    filters: &SearchFilters,
) -> Result<Vec<i64>, StorageFault> {
    let filter = ResolvedFilters::new(connection, filters)?;
    let mut places = DocumentTable::new(connection);
    let mut found = Vec::new();
    for doc in (0..counters::next_document(connection)?).rev() {
        found.extend(places.get(doc)?.filter(|place| filter.allows(place)).map(|_| doc));
    }
    Ok(found)
}

/// Groups by what was found of them.
pub(crate) fn group_hits(
    connection: &Connection,
    ranking: &RankingWeights,
    query: &SearchQuery,
) -> Result<Vec<GroupHit>, StorageFault> {
    let ranked = scores(connection, ranking, query)?.groups(query.limit);
    let hit = |(score, group)| {
        Ok(GroupHit { group: index::name(connection, group)?, score: ranking.readable(score) })
    };
    ranked.into_iter().map(hit).collect()
}
