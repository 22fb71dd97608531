//! Searching: from a question to entries.

mod filter;
mod scoring;

use rusqlite::Connection;

use self::filter::Filter;
pub(crate) use self::scoring::Ranked;
use self::scoring::{Scores, score};
use crate::error::Fault;
use crate::ranking::Ranking;
use crate::store::counters::Sequence;
use crate::store::entries;
use crate::store::places::Places;

/// Whether retired entries are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Retired {
    /// They are not.
    #[default]
    Hidden,
    /// They are, like others.
    Shown,
}

/// Which entries may be found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filters {
    /// One of these kinds; any if there is none.
    pub kinds: Vec<String>,
    /// One of these scopes; any if there is none.
    pub scopes: Vec<String>,
    /// This group alone.
    pub group: Option<String>,
    /// Whether retired entries are found.
    pub retired: Retired,
}

/// What is looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Words, in any order; an entry needs one of them.
    pub text: String,
    /// How many hits are wanted at most.
    pub limit: usize,
    /// Which entries may be found.
    pub filters: Filters,
}

/// An entry that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Its number, which it keeps for life.
    pub doc: i64,
    /// Its id.
    pub id: String,
    /// Its external id.
    pub external_id: Option<String>,
    /// Its title.
    pub title: String,
    /// Its text.
    pub text: String,
    /// Its group.
    pub group: Option<String>,
    /// How well it fits, its group's share included.
    pub score: f64,
}

/// A group that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupHit {
    /// Its name.
    pub group: String,
    /// How well what was found of it fits, taken together.
    pub score: f64,
}

fn scores(connection: &Connection, ranking: &Ranking, query: &Query) -> Result<Scores, Fault> {
    let filter = Filter::new(connection, &query.filters)?;
    score(connection, ranking, (&query.text, &filter))
}

/// Documents by their own score and their group's, as people read scores.
pub(crate) fn ranked(
    connection: &Connection,
    ranking: &Ranking,
    query: &Query,
) -> Result<Vec<Ranked>, Fault> {
    let ranked = scores(connection, ranking, query)?.documents(ranking.group_prior, query.limit);
    let readable = |it: Ranked| Ranked { score: ranking.readable(it.score), ..it };
    Ok(ranked.into_iter().map(readable).collect())
}

/// Entries by their own score and their group's.
pub(crate) fn hits(
    connection: &Connection,
    ranking: &Ranking,
    query: &Query,
) -> Result<Vec<Hit>, Fault> {
    let ranked = ranked(connection, ranking, query)?;
    ranked.into_iter().map(|it| hit(connection, it.doc, it.score)).collect()
}

/// Calls `see` for the documents that pass filters, the newest first, until it
/// has enough.
pub(crate) fn matching(
    connection: &Connection,
    filters: &Filters,
    mut see: impl FnMut(i64) -> Result<Next, Fault>,
) -> Result<(), Fault> {
    let filter = Filter::new(connection, filters)?;
    let mut places = Places::new(connection);
    let end = Sequence::documents(connection)?.upcoming();
    for doc in (0..end).rev() {
        let place = places.get(doc)?;
        if place.is_some_and(|place| filter.allows(&place)) && see(doc)? == Next::Stop {
            break;
        }
    }
    Ok(())
}

/// Whether more is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    More,
    Stop,
}

/// Groups by what was found of them.
pub(crate) fn group_hits(
    connection: &Connection,
    ranking: &Ranking,
    query: &Query,
) -> Result<Vec<GroupHit>, Fault> {
    let ranked = scores(connection, ranking, query)?.groups(query.limit);
    let hit = |(score, group)| {
        Ok(GroupHit { group: entries::name(connection, group)?, score: ranking.readable(score) })
    };
    ranked.into_iter().map(hit).collect()
}

fn hit(connection: &Connection, doc: i64, score: f64) -> Result<Hit, Fault> {
    let known = entries::read(connection, doc)?.ok_or_else(|| {
        Fault::Damaged(format!("the index names entry {doc}, which is not there"))
    })?;
    let record = known.record;
    Ok(Hit {
        doc,
        id: record.id,
        external_id: record.external_id,
        title: record.title,
        text: record.text,
        group: record.group.map(|group| entries::name(connection, group)).transpose()?,
        score,
    })
}
