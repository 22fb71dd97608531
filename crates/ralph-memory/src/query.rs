//! Searching: from a question to entries.

mod filter;
mod groups;
mod terms;

use rusqlite::Connection;

use self::filter::Filter;
use self::groups::Groups;
use self::terms::{Found, Terms};
use crate::error::Fault;
use crate::index::{Scored, Top, search};
use crate::ranking::Ranking;
use crate::store::counters::{Sequence, Totals};
use crate::store::segments::{self, Stored};
use crate::store::{entries, pending};

/// Candidates that groups are judged by, for each hit that is wanted.
const CANDIDATES_PER_HIT: usize = 4;

/// Candidates that groups are judged by at least.
///
/// A turn with one word of a question is far behind by itself and comes to the
/// front by its session: of 100,000 generated turns, the ten best of 100
/// candidates had 80.5 of 100 answers, of 1000 had 89.0, of 3000 had 91.0, of
/// 10,000 had 91.5. Of a million turns 3000 are too few.
const FEWEST_CANDIDATES: usize = 3000;

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

/// The best entries, without regard to groups.
pub(crate) struct Candidates {
    pub(crate) best: Vec<Scored>,
    found: Found,
}

/// Finds the best entries by their own score.
pub(crate) fn candidates(
    connection: &Connection,
    ranking: &Ranking,
    query: &Query,
    most: usize,
) -> Result<Candidates, Fault> {
    let totals = Totals::read(connection)?;
    let terms = Terms::of(&query.text);
    let waiting = pending::all(connection)?;
    let mut found = terms.find(connection, &waiting, (ranking, totals))?;
    let filter = Filter::new(connection, &query.filters)?;
    let mut top = Top::new(most);
    for document in &found.pending {
        if filter.allows(connection, document.doc)? {
            top.push(Scored::new(found.score(&document.impacts), document.doc));
        }
    }
    for part in &mut found.segments {
        if !part.lists.is_empty() {
            part.allowed = filter.allowed(connection, part.segment)?;
            search(
                &mut part.lists,
                &part.allowed,
                part.segment.base(),
                &mut top,
                &mut Stored(connection),
            )?;
        }
    }
    Ok(Candidates { best: top.into_sorted(), found })
}

/// Documents by their own score and their group's, as people read scores.
pub(crate) fn ranked(
    connection: &Connection,
    ranking: &Ranking,
    query: &Query,
) -> Result<Vec<(f64, i64)>, Fault> {
    let most = query.limit.saturating_mul(CANDIDATES_PER_HIT).max(FEWEST_CANDIDATES);
    let mut candidates = candidates(connection, ranking, query, most)?;
    let groups = Groups::of(connection, &mut candidates)?;
    let mut ranked = groups.ranked(&candidates.best, ranking.group_prior);
    ranked.truncate(query.limit);
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
    let end = Sequence::documents(connection)?.upcoming();
    let mut allowed = None;
    for doc in (0..end).rev() {
        let (partition, local) = segments::place(doc);
        let known = match &allowed {
            Some((of, allowed)) if *of == partition => allowed,
            Some(_) | None => {
                &allowed.insert((partition, filter.of_partition(connection, partition)?)).1
            }
        };
        if known.has(local) && see(doc)? == Next::Stop {
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
    let most = query.limit.saturating_mul(CANDIDATES_PER_HIT * 4).max(FEWEST_CANDIDATES);
    let mut candidates = candidates(connection, ranking, query, most)?;
    let mut ranked = Groups::of(connection, &mut candidates)?.best();
    ranked.truncate(query.limit);
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
