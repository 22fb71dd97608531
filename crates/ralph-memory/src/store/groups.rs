//! Which group each document is in, in the order of the documents: runs of one
//! group, many in a row. A search asks for all of them at once.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, OptionalExtension, Rows, params};

use crate::error::Fault;
use crate::index::PARTITION;

/// Documents of a row; a partition has a whole number of rows.
const SLICE: i64 = 4096;

/// Bytes of a run: the number of the group, 0 where there is none, and how many
/// documents follow each other in it.
const RUN: usize = 6;

fn slice_of(doc: i64) -> (i64, usize) {
    let place = usize::try_from(doc.rem_euclid(SLICE)).unwrap_or(0);
    (doc.div_euclid(SLICE), place)
}

/// The runs of a row, one after the other.
fn runs(row: &[u8]) -> impl Iterator<Item = (u32, u16)> {
    let run = |&[a, b, c, d, e, f]: &[u8; RUN]| {
        (u32::from_le_bytes([a, b, c, d]), u16::from_le_bytes([e, f]))
    };
    row.as_chunks::<RUN>().0.iter().map(run)
}

/// Appends the group of each document of a row.
fn expand(row: &[u8], into: &mut Vec<u32>) {
    for (group, length) in runs(row) {
        into.extend(std::iter::repeat_n(group, usize::from(length)));
    }
}

fn compress(groups: &[u32]) -> Vec<u8> {
    let mut row = Vec::new();
    for run in groups.chunk_by(|one, other| one == other) {
        row.extend_from_slice(&run[0].to_le_bytes());
        // A row is shorter than what fits.
        row.extend_from_slice(&u16::try_from(run.len()).unwrap_or(u16::MAX).to_le_bytes());
    }
    row
}

/// Replaces `into` by the groups of the documents of a row.
fn read(connection: &Connection, slice: i64, into: &mut Vec<u32>) -> Result<(), Fault> {
    let sql = "SELECT runs FROM groups WHERE slice = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    into.clear();
    let found = statement.query_row([slice], |row| {
        expand(row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?, into);
        Ok(())
    });
    found.optional()?;
    Ok(())
}

/// Changes of groups, written at the end.
#[derive(Default)]
pub(crate) struct Changes(BTreeMap<i64, Vec<u32>>);

impl Changes {
    pub(crate) fn set(
        &mut self,
        connection: &Connection,
        doc: i64,
        group: Option<i64>,
    ) -> Result<(), Fault> {
        let (slice, place) = slice_of(doc);
        let groups = match self.0.entry(slice) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let mut groups = Vec::new();
                read(connection, slice, &mut groups)?;
                new.insert(groups)
            }
        };
        groups.resize(groups.len().max(place + 1), 0);
        groups[place] = group.and_then(|group| u32::try_from(group).ok()).unwrap_or(0);
        Ok(())
    }

    pub(crate) fn write(self, connection: &Connection) -> Result<(), Fault> {
        let sql = "INSERT OR REPLACE INTO groups VALUES (?1, ?2, ?3, ?4)";
        let mut statement = connection.prepare_cached(sql)?;
        for (slice, groups) in self.0 {
            let least = groups.iter().filter(|group| **group > 0).min();
            let most = groups.iter().max();
            statement.execute(params![slice, least, most, compress(&groups)])?;
        }
        Ok(())
    }
}

/// Looks up groups; documents that follow each other are cheap.
pub(crate) struct Lookup<'c> {
    connection: &'c Connection,
    slice: Option<i64>,
    groups: Vec<u32>,
}

impl<'c> Lookup<'c> {
    pub(crate) fn new(connection: &'c Connection) -> Self {
        Self { connection, slice: None, groups: Vec::new() }
    }

    /// The group of a document; 0 if it has none.
    pub(crate) fn group(&mut self, doc: i64) -> Result<u32, Fault> {
        let (slice, place) = slice_of(doc);
        if self.slice != Some(slice) {
            self.slice = None;
            read(self.connection, slice, &mut self.groups)?;
            self.slice = Some(slice);
        }
        Ok(self.groups.get(place).copied().unwrap_or(0))
    }
}

/// Replaces `into` by the groups of a partition's documents, in their order; 0
/// for one that has none. The end may be missing.
pub(crate) fn of_partition(
    connection: &Connection,
    partition: i64,
    into: &mut Vec<u32>,
) -> Result<(), Fault> {
    let slices = i64::from(PARTITION) / SLICE;
    let first = partition * slices;
    let sql = "SELECT slice, runs FROM groups WHERE slice >= ?1 AND slice < ?2 ORDER BY slice";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([first, first + slices])?;
    into.clear();
    while let Some(row) = rows.next()? {
        let start = (row.get::<_, i64>(0)? - first) * SLICE;
        into.resize(usize::try_from(start).unwrap_or(0), 0);
        expand(row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?, into);
    }
    Ok(())
}

/// The documents of a group, those that are gone too.
pub(crate) fn documents(connection: &Connection, group: i64) -> Result<Vec<i64>, Fault> {
    let sql = "SELECT slice, runs FROM groups WHERE least <= ?1 AND most >= ?1 ORDER BY slice";
    let mut statement = connection.prepare_cached(sql)?;
    gather(statement.query([group])?, |of| i64::from(of) == group)
}

/// The documents of a partition that are in one of some groups, those that are
/// gone too.
pub(crate) fn of_any(
    connection: &Connection,
    partition: i64,
    groups: &BTreeSet<u32>,
) -> Result<Vec<i64>, Fault> {
    let slices = i64::from(PARTITION) / SLICE;
    let first = partition * slices;
    let sql = "SELECT slice, runs FROM groups WHERE slice >= ?1 AND slice < ?2 ORDER BY slice";
    let mut statement = connection.prepare_cached(sql)?;
    gather(statement.query([first, first + slices])?, |of| groups.contains(&of))
}

/// The documents in rows whose group is wanted.
fn gather(mut rows: Rows<'_>, wanted: impl Fn(u32) -> bool) -> Result<Vec<i64>, Fault> {
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let mut next = row.get::<_, i64>(0)? * SLICE;
        for (group, length) in runs(row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?) {
            let end = next + i64::from(length);
            if wanted(group) {
                found.extend(next..end);
            }
            next = end;
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_found_by_group_and_groups_by_document() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(include_str!("schema.sql")).unwrap();
        let write = |groups: &[(i64, Option<i64>)]| {
            let mut changes = Changes::default();
            for (doc, group) in groups {
                changes.set(&connection, *doc, *group).unwrap();
            }
            changes.write(&connection).unwrap();
        };
        let next = i64::from(PARTITION);
        write(&[(0, Some(7)), (4095, Some(8)), (4096, Some(7)), (9000, Some(9)), (next, Some(9))]);
        write(&[(1, None), (4095, Some(7)), (4097, Some(12))]);
        let docs = [0, 1, 4095, 4096, 4097, 6000, 9000, 9001, next, next + 1];
        let want = [7, 0, 7, 7, 12, 0, 9, 0, 9, 0];
        let mut lookup = Lookup::new(&connection);
        assert_eq!(docs.map(|doc| lookup.group(doc).unwrap()), want);
        let of = |group| documents(&connection, group).unwrap();
        assert_eq!([of(7), of(8), of(9)], [vec![0, 4095, 4096], vec![], vec![9000, next]]);
        let any = of_any(&connection, 0, &BTreeSet::from([9, 12])).unwrap();
        assert_eq!(any, [4097, 9000]);
        let mut all = vec![5; 3];
        of_partition(&connection, 0, &mut all).unwrap();
        let group = |doc: i64| all.get(usize::try_from(doc).unwrap()).copied().unwrap_or(0);
        assert_eq!(docs[..8].iter().map(|doc| group(*doc)).collect::<Vec<_>>(), want[..8]);
        of_partition(&connection, 1, &mut all).unwrap();
        assert_eq!(all, [9]);
        of_partition(&connection, 2, &mut all).unwrap();
        assert!(all.is_empty());
    }

    #[test]
    fn a_session_takes_as_much_room_as_a_note() {
        let groups: Vec<u32> = (0..4096).map(|doc| doc / 20 + 1).collect();
        let row = compress(&groups);
        assert_eq!(row.len(), 205 * RUN);
        let mut read = Vec::new();
        expand(&row, &mut read);
        assert_eq!(read, groups);
    }
}
