//! Documents that are in no segment yet: few, and searched one by one.

use rusqlite::{Connection, params};

use crate::error::Fault;
use crate::index::Malformed;

/// A document's terms with their weighted frequencies.
pub(crate) struct Pending {
    pub(crate) doc: i64,
    pub(crate) length: f32,
    terms: Vec<u8>,
}

impl Pending {
    pub(crate) fn new(doc: i64, length: f32) -> Self {
        Self { doc, length, terms: Vec::new() }
    }

    /// Adds a term; no term has more than 255 bytes.
    pub(crate) fn push(&mut self, term: &str, frequency: f32) {
        if let Ok(length) = u8::try_from(term.len()) {
            self.terms.push(length);
            self.terms.extend_from_slice(term.as_bytes());
            self.terms.extend_from_slice(&frequency.to_le_bytes());
        }
    }

    /// Its terms and their frequencies.
    pub(crate) fn terms(&self) -> impl Iterator<Item = Result<(&str, f32), Malformed>> {
        let mut rest = self.terms.as_slice();
        std::iter::from_fn(move || {
            let (length, after) = rest.split_first()?;
            rest = after;
            let next = term(&mut rest, usize::from(*length)).ok_or(Malformed);
            if next.is_err() {
                rest = &[];
            }
            Some(next)
        })
    }

    pub(crate) fn write(&self, connection: &Connection) -> Result<(), Fault> {
        let sql = "INSERT OR REPLACE INTO pending VALUES (?1, ?2, ?3)";
        let values = params![self.doc, self.length, self.terms];
        connection.prepare_cached(sql)?.execute(values)?;
        Ok(())
    }
}

fn term<'a>(rest: &mut &'a [u8], length: usize) -> Option<(&'a str, f32)> {
    let (term, after) = rest.split_at_checked(length)?;
    let (frequency, after) = after.split_first_chunk()?;
    *rest = after;
    Some((std::str::from_utf8(term).ok()?, f32::from_le_bytes(*frequency)))
}

/// All of them, by number.
pub(crate) fn all(connection: &Connection) -> Result<Vec<Pending>, Fault> {
    let sql = "SELECT doc, length, terms FROM pending ORDER BY doc";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([], |row| {
        Ok(Pending { doc: row.get(0)?, length: row.get(1)?, terms: row.get(2)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(crate) fn count(connection: &Connection) -> Result<i64, Fault> {
    let mut statement = connection.prepare_cached("SELECT count(*) FROM pending")?;
    Ok(statement.query_row([], |row| row.get(0))?)
}

pub(crate) fn remove(connection: &Connection, doc: i64) -> Result<(), Fault> {
    connection.prepare_cached("DELETE FROM pending WHERE doc = ?1")?.execute([doc])?;
    Ok(())
}

pub(crate) fn clear(connection: &Connection) -> Result<(), Fault> {
    connection.execute("DELETE FROM pending", [])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_read_back_and_damage_is_noticed() {
        let mut pending = Pending::new(7, 3.0);
        pending.push("설정", 1.5);
        pending.push("lock", 4.0);
        let terms: Vec<_> = pending.terms().map(Result::unwrap).collect();
        assert_eq!(terms, [("설정", 1.5), ("lock", 4.0)]);
        pending.terms.pop();
        assert_eq!(pending.terms().last(), Some(Err(Malformed)));
    }
}
