//! Sets of documents: a kind's, a scope's, the retired ones, and those whose
//! postings in a segment no longer count.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, params};

use crate::error::Fault;
use crate::index::PARTITION;

/// Documents of one stored piece of a set.
const SLICE: i64 = 1 << 14;

/// Bytes of one piece.
const BYTES: usize = 1 << 11;

/// The name of the set of retired entries.
pub(crate) const RETIRED: &str = "retired";

/// The name of the set of a kind.
pub(crate) fn of_kind(kind: i64) -> String {
    format!("kind/{kind}")
}

/// The name of the set of a scope.
pub(crate) fn of_scope(scope: i64) -> String {
    format!("scope/{scope}")
}

/// The name of the set of documents whose postings in a segment are stale.
pub(crate) fn stale(segment: i64) -> String {
    format!("stale/{segment}")
}

/// Changes of sets, written at the end.
#[derive(Default)]
pub(crate) struct Marks(BTreeMap<(String, i64), Vec<u8>>);

impl Marks {
    pub(crate) fn add(
        &mut self,
        connection: &Connection,
        name: &str,
        doc: i64,
    ) -> Result<(), Fault> {
        let (byte, bit) = self.place(connection, name, doc)?;
        *byte |= bit;
        Ok(())
    }

    pub(crate) fn remove(
        &mut self,
        connection: &Connection,
        name: &str,
        doc: i64,
    ) -> Result<(), Fault> {
        let (byte, bit) = self.place(connection, name, doc)?;
        *byte &= !bit;
        Ok(())
    }

    fn place(
        &mut self,
        connection: &Connection,
        name: &str,
        doc: i64,
    ) -> Result<(&mut u8, u8), Fault> {
        let key = (name.to_owned(), doc / SLICE);
        let bits = match self.0.entry(key) {
            std::collections::btree_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::btree_map::Entry::Vacant(new) => {
                let mut bits = slice(connection, name, doc / SLICE)?.unwrap_or_default();
                bits.resize(BYTES, 0);
                new.insert(bits)
            }
        };
        let at = usize::try_from(doc % SLICE).unwrap_or(0);
        Ok((&mut bits[at / 8], 1 << (at % 8)))
    }

    pub(crate) fn write(self, connection: &Connection) -> Result<(), Fault> {
        let sql = "INSERT OR REPLACE INTO marks VALUES (?1, ?2, ?3)";
        let mut statement = connection.prepare_cached(sql)?;
        for ((name, slice), bits) in self.0 {
            statement.execute(params![name, slice, bits])?;
        }
        Ok(())
    }
}

fn slice(connection: &Connection, name: &str, slice: i64) -> Result<Option<Vec<u8>>, Fault> {
    let sql = "SELECT bits FROM marks WHERE name = ?1 AND slice = ?2";
    let mut statement = connection.prepare_cached(sql)?;
    Ok(statement.query_row(params![name, slice], |row| row.get(0)).optional()?)
}

/// The bits of a partition; `None` when the set has no document there.
pub(crate) fn of_partition(
    connection: &Connection,
    name: &str,
    partition: i64,
) -> Result<Option<Vec<u8>>, Fault> {
    let slices = i64::from(PARTITION) / SLICE;
    let first = partition * slices;
    let sql = "SELECT slice, bits FROM marks WHERE name = ?1 AND slice >= ?2 AND slice < ?3";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params![name, first, first + slices])?;
    let mut found = None;
    while let Some(row) = rows.next()? {
        let all =
            found.get_or_insert_with(|| vec![0_u8; BYTES * usize::try_from(slices).unwrap_or(0)]);
        let at = usize::try_from(row.get::<_, i64>(0)? - first).unwrap_or(0) * BYTES;
        let bits = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
        all.iter_mut().skip(at).zip(bits).for_each(|(into, bits)| *into = *bits);
    }
    Ok(found)
}

/// Forgets a set.
pub(crate) fn forget(connection: &Connection, name: &str) -> Result<(), Fault> {
    connection.prepare_cached("DELETE FROM marks WHERE name = ?1")?.execute([name])?;
    Ok(())
}
