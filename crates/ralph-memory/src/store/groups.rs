//! Which group each document is in: numbers of groups in the order of the
//! documents, many in a row. A search asks for thousands at once.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use rusqlite::{Connection, OptionalExtension, params};

use crate::error::Fault;

/// Documents of a row; two rows fill a page.
const SLICE: i64 = 1000;

/// Bytes of one number; 0 says that there is no group.
const WIDTH: usize = 4;

fn slice_of(doc: i64) -> (i64, usize) {
    let place = usize::try_from(doc.rem_euclid(SLICE)).unwrap_or(0);
    (doc.div_euclid(SLICE), place)
}

/// The numbers of a row, one after the other.
fn numbers(row: &[u8]) -> impl Iterator<Item = u32> {
    row.as_chunks::<WIDTH>().0.iter().map(|bytes| u32::from_le_bytes(*bytes))
}

fn read(connection: &Connection, slice: i64) -> Result<Option<Vec<u8>>, Fault> {
    let sql = "SELECT numbers FROM groups WHERE slice = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    Ok(statement.query_row([slice], |row| row.get(0)).optional()?)
}

/// Changes of groups, written at the end.
#[derive(Default)]
pub(crate) struct Changes(BTreeMap<i64, Vec<u8>>);

impl Changes {
    pub(crate) fn set(
        &mut self,
        connection: &Connection,
        doc: i64,
        group: Option<i64>,
    ) -> Result<(), Fault> {
        let (slice, place) = slice_of(doc);
        let row = match self.0.entry(slice) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(read(connection, slice)?.unwrap_or_default()),
        };
        let group = group.and_then(|group| u32::try_from(group).ok()).unwrap_or(0);
        row.resize(row.len().max((place + 1) * WIDTH), 0);
        row[place * WIDTH..][..WIDTH].copy_from_slice(&group.to_le_bytes());
        Ok(())
    }

    pub(crate) fn write(self, connection: &Connection) -> Result<(), Fault> {
        let sql = "INSERT OR REPLACE INTO groups VALUES (?1, ?2, ?3, ?4)";
        let mut statement = connection.prepare_cached(sql)?;
        for (slice, row) in self.0 {
            let least = numbers(&row).filter(|group| *group > 0).min();
            let most = numbers(&row).max();
            statement.execute(params![slice, least, most, row])?;
        }
        Ok(())
    }
}

/// Looks up groups; documents that follow each other are cheap.
pub(crate) struct Lookup<'c> {
    connection: &'c Connection,
    slice: Option<i64>,
    row: Vec<u8>,
}

impl<'c> Lookup<'c> {
    pub(crate) fn new(connection: &'c Connection) -> Self {
        Self { connection, slice: None, row: Vec::new() }
    }

    /// The group of a document.
    pub(crate) fn group(&mut self, doc: i64) -> Result<Option<i64>, Fault> {
        let (slice, place) = slice_of(doc);
        if self.slice != Some(slice) {
            self.row = read(self.connection, slice)?.unwrap_or_default();
            self.slice = Some(slice);
        }
        let bytes = self.row.get(place * WIDTH..).and_then(<[u8]>::first_chunk);
        let group = bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes));
        Ok((group > 0).then_some(i64::from(group)))
    }
}

/// The documents of a group, those that are gone too.
pub(crate) fn documents(connection: &Connection, group: i64) -> Result<Vec<i64>, Fault> {
    let sql = "SELECT slice, numbers FROM groups WHERE least <= ?1 AND most >= ?1 ORDER BY slice";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([group])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let first = row.get::<_, i64>(0)? * SLICE;
        let row = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
        let all = (first..).zip(numbers(row));
        found.extend(all.filter(|(_, of)| i64::from(*of) == group).map(|(doc, _)| doc));
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
        write(&[(0, Some(7)), (999, Some(8)), (1000, Some(7)), (5000, Some(9))]);
        write(&[(1, None), (999, Some(7)), (1001, Some(12))]);
        let mut lookup = Lookup::new(&connection);
        let groups =
            [0, 1, 999, 1000, 1001, 3000, 5000, 5001].map(|doc| lookup.group(doc).unwrap());
        let want = [Some(7), None, Some(7), Some(7), Some(12), None, Some(9), None];
        assert_eq!(groups, want);
        let of = |group| documents(&connection, group).unwrap();
        assert_eq!([of(7), of(8), of(9)], [vec![0, 999, 1000], vec![], vec![5000]]);
    }
}
