//! Filters as sets of documents.

use rusqlite::Connection;

use super::{Filters, Retired};
use crate::error::Fault;
use crate::index::{Allowed, PARTITION};
use crate::store::segments::{self, Segment};
use crate::store::{entries, groups, marks};

/// Filters whose names were looked up.
pub(super) struct Filter {
    /// An entry is in one set of each of these.
    any_of: Vec<Vec<String>>,
    group: Option<Vec<i64>>,
    retired: Retired,
}

impl Filter {
    pub(super) fn new(connection: &Connection, filters: &Filters) -> Result<Self, Fault> {
        let mut any_of = Vec::new();
        if !filters.kinds.is_empty() {
            let kinds = numbers(connection, &filters.kinds)?;
            any_of.push(kinds.into_iter().map(marks::of_kind).collect());
        }
        if !filters.scopes.is_empty() {
            let scopes = numbers(connection, &filters.scopes)?;
            any_of.push(scopes.into_iter().map(marks::of_scope).collect());
        }
        let group = match &filters.group {
            None => None,
            Some(name) => Some(match entries::number(connection, name)? {
                Some(group) => groups::documents(connection, group)?,
                None => Vec::new(),
            }),
        };
        Ok(Self { any_of, group, retired: filters.retired })
    }

    /// Which documents of a segment may be found.
    pub(super) fn allowed(
        &self,
        connection: &Connection,
        segment: Segment,
    ) -> Result<Allowed, Fault> {
        let mut allowed = self.of_partition(connection, segment.partition)?;
        let stale = marks::stale(segment.id);
        if let Some(stale) = marks::of_partition(connection, &stale, segment.partition)? {
            allowed.without(&stale);
        }
        Ok(allowed)
    }

    /// Looks at single documents.
    pub(super) fn sieve<'a>(&'a self, connection: &'a Connection) -> Sieve<'a> {
        Sieve { filter: self, connection, last: None }
    }

    /// Which documents of a partition may be found, those that are gone too.
    pub(super) fn of_partition(
        &self,
        connection: &Connection,
        partition: i64,
    ) -> Result<Allowed, Fault> {
        let mut allowed = Allowed::All;
        for sets in &self.any_of {
            let mut any = Vec::new();
            for set in sets {
                let bits = marks::of_partition(connection, set, partition)?.unwrap_or_default();
                any.resize(any.len().max(bits.len()), 0);
                any.iter_mut().zip(bits).for_each(|(any, bits)| *any |= bits);
            }
            allowed.and(&Allowed::only(&any));
        }
        if let Some(docs) = &self.group {
            allowed.and(&Allowed::only(&bits(docs, partition)));
        }
        if self.retired == Retired::Hidden
            && let Some(retired) = marks::of_partition(connection, marks::RETIRED, partition)?
        {
            allowed.without(&retired);
        }
        Ok(allowed)
    }
}

/// Looks at single documents; those of one partition in a row are cheap.
pub(super) struct Sieve<'a> {
    filter: &'a Filter,
    connection: &'a Connection,
    last: Option<(i64, Allowed)>,
}

impl Sieve<'_> {
    /// Whether a document may be found; it may be gone.
    pub(super) fn allows(&mut self, doc: i64) -> Result<bool, Fault> {
        let (partition, local) = segments::place(doc);
        let allowed = match &self.last {
            Some((of, allowed)) if *of == partition => allowed,
            Some(_) | None => {
                let allowed = self.filter.of_partition(self.connection, partition)?;
                &self.last.insert((partition, allowed)).1
            }
        };
        Ok(allowed.has(local))
    }
}

/// The numbers of those names that have one.
fn numbers(connection: &Connection, names: &[String]) -> Result<Vec<i64>, Fault> {
    let numbers = names.iter().map(|name| entries::number(connection, name));
    Ok(numbers.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

fn bits(docs: &[i64], partition: i64) -> Vec<u8> {
    let mut bits = vec![0; usize::try_from(PARTITION / 8).unwrap_or(0)];
    for (_, local) in
        docs.iter().map(|doc| segments::place(*doc)).filter(|(of, _)| *of == partition)
    {
        bits[usize::try_from(local / 8).unwrap_or(0)] |= 1 << (local % 8);
    }
    bits
}
