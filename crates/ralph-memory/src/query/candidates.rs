//! The most promising entries, where there are too many to score them all.

use std::collections::BTreeSet;

use rusqlite::Connection;

use super::everything;
use super::groups::{Groups, Judged, Seen};
use super::terms::Found;
use crate::error::Fault;
use crate::index::{Scored, Top, search};
use crate::store::groups::{self, Lookup};
use crate::store::segments::Stored;

/// Groups that are found by the rarer words: with sessions of 20 turns, as many
/// entries as are found by themselves.
const MOST_GROUPS: usize = 150;

/// Scores the best entries, and all of the best groups.
///
/// The best `most` entries by their own score are exact. Groups are found by
/// `rare` terms alone, and judged by the entries that came to be looked at.
pub(super) fn judge(
    connection: &Connection,
    found: &mut Found,
    (rare, prior): (&[usize], f32),
    most: usize,
) -> Result<Judged, Fault> {
    let mut docs: BTreeSet<i64> =
        best(connection, found, most)?.into_iter().map(Scored::doc).collect();
    if !rare.is_empty() {
        let judged = everything::judge(connection, found, rare)?;
        let wanted = judged.promising_groups(&found.weights, (prior, MOST_GROUPS));
        for partition in found.partitions() {
            docs.extend(groups::of_any(connection, partition, &wanted)?);
        }
    }
    let docs: Vec<i64> = docs.into_iter().collect();
    let impacts = found.impacts(connection, &docs)?;
    let mut judged = Judged { seen: Vec::new(), groups: Groups::new(found.weights.len()) };
    let mut lookup = Lookup::new(connection);
    for (at, doc) in docs.into_iter().enumerate() {
        let own = found.score(impacts.of(at));
        if own == 0 {
            continue;
        }
        let group = judged.groups.place(lookup.group(doc)?);
        if let Some(place) = group {
            for (term, impact) in impacts.of(at).iter().enumerate() {
                judged.groups.add(place, term, *impact);
            }
        }
        judged.seen.push(Seen { doc, own, group });
    }
    Ok(judged)
}

/// The best entries by their own score.
fn best(connection: &Connection, found: &mut Found, most: usize) -> Result<Vec<Scored>, Fault> {
    let mut top = Top::new(most);
    for waiting in &found.pending {
        top.push(Scored::new(found.score(&waiting.impacts), waiting.doc));
    }
    for part in found.segments.iter_mut().filter(|part| !part.lists.is_empty()) {
        let base = part.segment.base();
        search(&mut part.lists, &part.allowed, base, &mut top, &mut Stored(connection))?;
    }
    Ok(top.into_sorted())
}
