//! What a search has to know of a document beside its words, in few bytes:
//! thousands of documents are looked at for one question.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, params};

use crate::error::StorageFault;

/// Documents in one row: as many as fit into a page.
const SLICE: i64 = 320;

/// Bytes of a document.
const BYTES: usize = 24;

/// A document as a search sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SearchDocument {
    pub(crate) kind: u32,
    pub(crate) scope: u32,
    /// The number of its group; 0 if it has none.
    pub(crate) group: u32,
    /// The documents before and after it.
    pub(crate) links: [Option<i64>; 2],
    /// How long its text is, in words of their weight.
    pub(crate) length: u32,
    pub(crate) is_retired: bool,
}

impl SearchDocument {
    fn to_bytes(self) -> [u8; BYTES] {
        let link = |link: Option<i64>| link.map_or(0, |doc| narrow(doc + 1));
        let state = if self.is_retired { 2 } else { 1 };
        let numbers = [
            self.kind,
            self.scope,
            self.group,
            link(self.links[0]),
            link(self.links[1]),
            self.length << 2 | state,
        ];
        let mut bytes = [0; BYTES];
        for (into, number) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(numbers) {
            *into = number.to_le_bytes();
        }
        bytes
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.first_chunk::<BYTES>()?;
        let mut numbers = bytes.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes));
        let mut next = || numbers.next().unwrap_or(0);
        let (kind, scope, group) = (next(), next(), next());
        let links =
            [next(), next()].map(|link| i64::from(link).checked_sub(1).filter(|doc| *doc >= 0));
        let last = next();
        let is_retired = match last & 3 {
            1 => false,
            2 => true,
            _ => return None,
        };
        Some(Self { kind, scope, group, links, length: last >> 2, is_retired })
    }
}

/// Numbers of names and documents are given out one after the other.
fn narrow(number: i64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Looks documents up and changes them; changes are written at the end.
pub(crate) struct DocumentTable<'c> {
    connection: &'c Connection,
    slices: BTreeMap<i64, DocumentSlice>,
}

#[derive(Default)]
struct DocumentSlice {
    bytes: Vec<u8>,
    is_changed: bool,
}

impl<'c> DocumentTable<'c> {
    pub(crate) fn new(connection: &'c Connection) -> Self {
        Self { connection, slices: BTreeMap::new() }
    }

    /// The place of a document; `None` when it is gone.
    pub(crate) fn get(&mut self, doc: i64) -> Result<Option<SearchDocument>, StorageFault> {
        let at = offset(doc);
        Ok(self.slice(doc)?.bytes.get(at..).and_then(SearchDocument::parse))
    }

    /// Changes a document's place; `None` where it goes.
    pub(crate) fn set(
        &mut self,
        doc: i64,
        place: Option<SearchDocument>,
    ) -> Result<(), StorageFault> {
        let at = offset(doc);
        let slice = self.slice(doc)?;
        slice.is_changed = true;
        slice.bytes.resize(slice.bytes.len().max(at + BYTES), 0);
        let bytes = place.map_or([0; BYTES], SearchDocument::to_bytes);
        slice.bytes[at..at + BYTES].copy_from_slice(&bytes);
        Ok(())
    }

    fn slice(&mut self, doc: i64) -> Result<&mut DocumentSlice, StorageFault> {
        let number = doc / SLICE;
        match self.slices.entry(number) {
            std::collections::btree_map::Entry::Occupied(known) => Ok(known.into_mut()),
            std::collections::btree_map::Entry::Vacant(new) => {
                let sql = "SELECT documents FROM places WHERE slice = ?1";
                let mut statement = self.connection.prepare_cached(sql)?;
                let bytes = statement.query_row([number], |row| row.get(0)).optional()?;
                Ok(new
                    .insert(DocumentSlice { bytes: bytes.unwrap_or_default(), is_changed: false }))
            }
        }
    }

    /// Writes what was changed.
    pub(crate) fn write(self) -> Result<(), StorageFault> {
        let sql = "REPLACE INTO places VALUES (?1, ?2)";
        let mut statement = self.connection.prepare_cached(sql)?;
        for (number, slice) in self.slices.iter().filter(|(_, slice)| slice.is_changed) {
            statement.execute(params![number, slice.bytes])?;
        }
        Ok(())
    }
}

fn offset(doc: i64) -> usize {
    usize::try_from(doc % SLICE).unwrap_or(0) * BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_read_back_as_it_was_written_and_a_removed_one_is_gone() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(include_str!("schema.sql")).unwrap();
        let place = |kind, links, is_retired| SearchDocument {
            kind,
            scope: 2,
            group: 0,
            links,
            length: 70,
            is_retired,
        };
        let all = [
            (0, place(7, [None, Some(1)], false)),
            (319, place(8, [Some(0), None], true)),
            (320, place(9, [Some(319), Some(1_000_000)], false)),
        ];
        let mut places = DocumentTable::new(&connection);
        for (doc, place) in all {
            places.set(doc, Some(place)).unwrap();
        }
        places.write().unwrap();
        let mut places = DocumentTable::new(&connection);
        for (doc, place) in all {
            assert_eq!(places.get(doc).unwrap(), Some(place));
        }
        assert_eq!(places.get(1).unwrap(), None);
        assert_eq!(places.get(100_000).unwrap(), None);
        places.set(319, None).unwrap();
        places.write().unwrap();
        assert_eq!(DocumentTable::new(&connection).get(319).unwrap(), None);
    }
}
