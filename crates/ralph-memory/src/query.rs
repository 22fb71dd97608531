//! Searching: from a question to entries.

mod candidates;
mod everything;
mod filter;
mod groups;
mod terms;

use rusqlite::Connection;

use self::filter::Filter;
use self::groups::Judged;
use self::terms::{Extent, Terms};
use crate::error::Fault;
use crate::ranking::Ranking;
use crate::store::counters::{Sequence, Totals};
use crate::store::segments;
use crate::store::{entries, pending};

/// How much is looked at to answer a question.
#[derive(Clone, Copy, Debug)]
struct Effort {
    /// Postings that are gone through: if there are not more, the answer is
    /// exact.
    postings: u64,
    /// Entries that are looked at if there are more.
    candidates: usize,
}

impl Effort {
    /// The usual: some milliseconds. Of a million notes, four words that a tenth
    /// of them have, or forty that are as rare as most.
    const USUAL: Self = Self { postings: 400_000, candidates: 3000 };

    /// For so many hits.
    ///
    /// Whoever wants more than there are candidates gets the best of all, found
    /// the other way: so the two can be compared.
    fn for_hits(limit: usize) -> Self {
        if limit > Self::USUAL.candidates {
            Self { postings: 0, candidates: usize::MAX }
        } else {
            Self::USUAL
        }
    }
}

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

/// What has one of the words of a question, and the weights of these: all of
/// it, if that is not too much, else the most promising.
fn judged(
    connection: &Connection,
    ranking: &Ranking,
    query: &Query,
    effort: Effort,
) -> Result<(Judged, Vec<u32>), Fault> {
    let totals = Totals::read(connection)?;
    let terms = Terms::of(&query.text);
    let waiting = pending::all(connection)?;
    let mut found = terms.find(connection, &waiting, (ranking, totals))?;
    found.keep(connection, &Filter::new(connection, &query.filters)?)?;
    let judged = match found.rarest(effort.postings) {
        (all, Extent::All) => everything::judge(connection, &mut found, &all)?,
        (rare, Extent::Some) => {
            let rare = (rare.as_slice(), ranking.group_prior);
            candidates::judge(connection, &mut found, rare, effort.candidates)?
        }
    };
    Ok((judged, found.weights))
}

/// Documents by their own score and their group's, as people read scores.
pub(crate) fn ranked(
    connection: &Connection,
    ranking: &Ranking,
    query: &Query,
) -> Result<Vec<(f64, i64)>, Fault> {
    let (judged, weights) = judged(connection, ranking, query, Effort::for_hits(query.limit))?;
    let ranked = judged.ranked(&weights, (ranking.group_prior, query.limit));
    Ok(ranked.into_iter().map(|(score, doc)| (ranking.readable(score), doc)).collect())
}

/// Entries by their own score and their group's.
pub(crate) fn hits(
    connection: &Connection,
    ranking: &Ranking,
    query: &Query,
) -> Result<Vec<Hit>, Fault> {
    let ranked = ranked(connection, ranking, query)?;
    ranked.into_iter().map(|(score, doc)| hit(connection, doc, score)).collect()
}

/// Calls `see` for the documents that pass filters, the newest first, until it
/// has enough. Some may be gone.
pub(crate) fn matching(
    connection: &Connection,
    filters: &Filters,
    mut see: impl FnMut(i64) -> Result<Next, Fault>,
) -> Result<(), Fault> {
    let filter = Filter::new(connection, filters)?;
    let mut sieve = filter.sieve(connection);
    let end = Sequence::documents(connection)?.upcoming();
    for doc in (0..end).rev() {
        if sieve.allows(doc)? && see(doc)? == Next::Stop {
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
    let (judged, weights) = judged(connection, ranking, query, Effort::for_hits(query.limit))?;
    let ranked = judged.best_groups(&weights, query.limit);
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

#[cfg(test)]
#[path = "query_tests.rs"]
mod tests;
