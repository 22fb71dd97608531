//! The entries themselves.

use std::collections::HashMap;

use ralph_core::Timestamp;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, ToSql, params};

use crate::entry::{
    EntryState, SearchEntry, beginning_of_name, derived_id, name_of_number, number_of_name,
};
use crate::error::StorageFault;

/// Stands between the paths of one entry: no path contains it.
const BETWEEN_FILES: char = '\0';

/// The entries before and after one.
pub(crate) type NeighbourIds = [Option<i64>; 2];

/// What is stored of an entry, with numbers for names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EntryRecord {
    pub(crate) kind: i64,
    pub(crate) scope: i64,
    pub(crate) group: Option<i64>,
    pub(crate) state: EntryState,
    pub(crate) at: Option<i64>,
    pub(crate) id: String,
    pub(crate) external_id: Option<String>,
    pub(crate) title: String,
    pub(crate) text: String,
    pub(crate) why: Option<String>,
    pub(crate) files: Vec<String>,
}

/// A stored entry and what stands beside it.
#[derive(Clone, Debug)]
pub(crate) struct LinkedEntry {
    pub(crate) record: EntryRecord,
    pub(crate) links: NeighbourIds,
}

const COLUMNS: &str = "kind, scope, group_id, retired, at, prev, next, id, external_id, \
                       title, text, files, why";

fn known(row: &Row<'_>) -> rusqlite::Result<LinkedEntry> {
    let files: Option<String> = row.get(11)?;
    let retired: bool = row.get(3)?;
    let record = EntryRecord {
        kind: row.get(0)?,
        scope: row.get(1)?,
        group: row.get(2)?,
        state: if retired { EntryState::Retired } else { EntryState::Active },
        at: row.get(4)?,
        id: id(row, 7)?,
        external_id: row.get(8)?,
        title: row.get(9)?,
        text: row.get(10)?,
        why: row.get(12)?,
        files: files.map_or_else(Vec::new, |files| split_files(&files)),
    };
    Ok(LinkedEntry { record, links: [row.get(5)?, row.get(6)?] })
}

/// An id as it is stored: names that we made take less room as numbers.
struct StoredId<'a>(&'a str);

impl ToSql for StoredId<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let number = number_of_name(self.0).and_then(|number| i64::try_from(number).ok());
        Ok(match number {
            Some(number) => number.into(),
            None => self.0.into(),
        })
    }
}

fn id(row: &Row<'_>, column: usize) -> rusqlite::Result<String> {
    if let ValueRef::Integer(number) = row.get_ref(column)? {
        return Ok(name_of_number(number.unsigned_abs()));
    }
    row.get(column)
}

fn split_files(files: &str) -> Vec<String> {
    files.split(BETWEEN_FILES).map(str::to_owned).collect()
}

pub(crate) fn read(connection: &Connection, doc: i64) -> Result<Option<LinkedEntry>, StorageFault> {
    let sql = format!("SELECT {COLUMNS} FROM entries WHERE doc = ?1");
    Ok(connection.prepare_cached(&sql)?.query_row([doc], known).optional()?)
}

/// The document with an id or external id; a name made from one counts less.
pub(crate) fn resolve(connection: &Connection, name: &str) -> Result<Option<i64>, StorageFault> {
    if let Some(doc) = by_external_id(connection, name)? {
        return Ok(Some(doc));
    }
    by_id(connection, name)
}

pub(crate) fn by_id(connection: &Connection, id: &str) -> Result<Option<i64>, StorageFault> {
    let mut statement = connection.prepare_cached("SELECT doc FROM entries WHERE id = ?1")?;
    Ok(statement.query_row([StoredId(id)], |row| row.get(0)).optional()?)
}

/// The documents that hold and have this very text, the oldest first. Looks at
/// all: 100,000 take some ten milliseconds.
pub(crate) fn saying(connection: &Connection, text: &str) -> Result<Vec<i64>, StorageFault> {
    let sql = "SELECT doc FROM entries WHERE retired = 0 AND text = ?1 ORDER BY doc";
    let mut statement = connection.prepare_cached(sql)?;
    Ok(statement.query_map([text], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// Whether there is a document with this number.
pub(crate) fn is_there(connection: &Connection, doc: i64) -> Result<bool, StorageFault> {
    let mut statement = connection.prepare_cached("SELECT 1 FROM entries WHERE doc = ?1")?;
    Ok(statement.exists([doc])?)
}

/// How many ids are told of those that begin alike.
const FEW: i64 = 5;

/// The ids of documents that begin like this, a few of them. Looks at all: ids
/// of ours are numbers, whose last digits are written first.
pub(crate) fn beginning(connection: &Connection, start: &str) -> Result<Vec<String>, StorageFault> {
    let mut found = Vec::new();
    if let Some((value, mask)) = beginning_of_name(start) {
        let sql = "SELECT id FROM entries WHERE typeof(id) = 'integer' AND id & ?1 = ?2 LIMIT ?3";
        let mut statement = connection.prepare_cached(sql)?;
        let ids = statement.query_map([mask, value, FEW], |row| id(row, 0))?;
        found = ids.collect::<Result<_, _>>()?;
    }
    let sql = "SELECT id FROM entries WHERE typeof(id) = 'text' \
               AND substr(id, 1, length(?1)) = ?1 LIMIT ?2";
    let mut statement = connection.prepare_cached(sql)?;
    for other in statement.query_map(params![start, FEW], |row| id(row, 0))? {
        found.push(other?);
    }
    Ok(found)
}

pub(crate) fn by_external_id(
    connection: &Connection,
    name: &str,
) -> Result<Option<i64>, StorageFault> {
    if let Some(doc) = by_id(connection, &derived_id(name))? {
        return Ok(Some(doc));
    }
    by_other_id(connection, name)
}

/// The document with an external id that its own id does not come from.
pub(crate) fn by_other_id(
    connection: &Connection,
    name: &str,
) -> Result<Option<i64>, StorageFault> {
    let sql = "SELECT doc FROM entries WHERE external_id = ?1 AND named = 1";
    let mut statement = connection.prepare_cached(sql)?;
    Ok(statement.query_row([name], |row| row.get(0)).optional()?)
}

/// Writes a document that is not there. Where nothing can be replaced, no page
/// is kept for the case that half of it goes wrong.
pub(crate) fn add(
    connection: &Connection,
    doc: i64,
    record: &EntryRecord,
    links: NeighbourIds,
) -> Result<(), StorageFault> {
    let sql = "INSERT INTO entries VALUES \
               (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";
    let derived = record.external_id.as_deref().is_some_and(|name| derived_id(name) == record.id);
    let separator = BETWEEN_FILES.to_string();
    let files = (!record.files.is_empty()).then(|| record.files.join(&separator));
    let values = params![
        doc,
        record.kind,
        record.scope,
        record.group,
        record.state == EntryState::Retired,
        record.at,
        links[0],
        links[1],
        StoredId(&record.id),
        record.external_id,
        !derived,
        record.title,
        record.text,
        files,
        record.why,
    ];
    connection.prepare_cached(sql)?.execute(values)?;
    Ok(())
}

/// Changes what stands beside a document.
pub(crate) fn relink(
    connection: &Connection,
    doc: i64,
    links: NeighbourIds,
) -> Result<(), StorageFault> {
    let sql = "UPDATE entries SET prev = ?2, next = ?3 WHERE doc = ?1";
    connection.prepare_cached(sql)?.execute(params![doc, links[0], links[1]])?;
    Ok(())
}

pub(crate) fn set_state(
    connection: &Connection,
    doc: i64,
    state: EntryState,
) -> Result<(), StorageFault> {
    let sql = "UPDATE entries SET retired = ?2 WHERE doc = ?1";
    connection.prepare_cached(sql)?.execute(params![doc, state == EntryState::Retired])?;
    Ok(())
}

/// Takes a document away that is written again.
pub(crate) fn take(connection: &Connection, doc: i64) -> Result<(), StorageFault> {
    connection.prepare_cached("DELETE FROM entries WHERE doc = ?1")?.execute([doc])?;
    Ok(())
}

/// Removes a document, and its waiting for others.
pub(crate) fn remove(connection: &Connection, doc: i64) -> Result<(), StorageFault> {
    take(connection, doc)?;
    connection.prepare_cached("DELETE FROM expected WHERE doc = ?1")?.execute([doc])?;
    Ok(())
}

/// Remembers that `doc` waits for an entry with this name on one side.
pub(crate) fn expect(
    connection: &Connection,
    name: &str,
    (doc, side): (i64, usize),
) -> Result<(), StorageFault> {
    let sql = "INSERT OR IGNORE INTO expected VALUES (?1, ?2, ?3)";
    connection.prepare_cached(sql)?.execute(params![name, doc, side == 1])?;
    Ok(())
}

/// Whether anybody waits for an entry.
pub(crate) fn is_any_expected(connection: &Connection) -> Result<bool, StorageFault> {
    Ok(connection.prepare_cached("SELECT 1 FROM expected LIMIT 1")?.exists([])?)
}

/// Who waits for an entry with this name, and on which side; they no longer do.
pub(crate) fn arrived(
    connection: &Connection,
    name: &str,
) -> Result<Vec<(i64, usize)>, StorageFault> {
    let mut statement =
        connection.prepare_cached("SELECT doc, side FROM expected WHERE name = ?1")?;
    let rows = statement
        .query_map([name], |row| Ok((row.get(0)?, usize::from(row.get::<_, bool>(1)?))))?;
    let found: Vec<(i64, usize)> = rows.collect::<Result<_, _>>()?;
    if !found.is_empty() {
        connection.prepare_cached("DELETE FROM expected WHERE name = ?1")?.execute([name])?;
    }
    Ok(found)
}

/// Numbers for the names of kinds, scopes and groups.
#[derive(Default)]
pub(crate) struct NameNumbers(HashMap<String, i64>);

impl NameNumbers {
    /// The number of a name, which gets one if it has none.
    pub(crate) fn number(
        &mut self,
        connection: &Connection,
        name: &str,
    ) -> Result<i64, StorageFault> {
        if let Some(number) = self.0.get(name) {
            return Ok(*number);
        }
        let number = if let Some(number) = number(connection, name)? {
            number
        } else {
            let sql = "INSERT INTO names (name) VALUES (?1)";
            connection.prepare_cached(sql)?.execute([name])?;
            connection.last_insert_rowid()
        };
        self.0.insert(name.to_owned(), number);
        Ok(number)
    }

    /// What is stored of an entry.
    pub(crate) fn record(
        &mut self,
        connection: &Connection,
        entry: &SearchEntry,
        id: &str,
    ) -> Result<EntryRecord, StorageFault> {
        Ok(EntryRecord {
            kind: self.number(connection, &entry.kind)?,
            scope: self.number(connection, &entry.scope)?,
            group: entry
                .group
                .as_deref()
                .map(|group| self.number(connection, group))
                .transpose()?,
            state: entry.state,
            at: entry.at.map(Timestamp::as_millis),
            id: id.to_owned(),
            external_id: entry.external_id.clone(),
            title: entry.title.clone(),
            text: entry.text.clone(),
            why: entry.why.clone(),
            files: entry.files.clone(),
        })
    }
}

/// The number of a name, if it has one.
pub(crate) fn number(connection: &Connection, name: &str) -> Result<Option<i64>, StorageFault> {
    let mut statement = connection.prepare_cached("SELECT id FROM names WHERE name = ?1")?;
    Ok(statement.query_row([name], |row| row.get(0)).optional()?)
}

/// The name that has a number.
pub(crate) fn name(connection: &Connection, number: i64) -> Result<String, StorageFault> {
    let mut statement = connection.prepare_cached("SELECT name FROM names WHERE id = ?1")?;
    Ok(statement.query_row([number], |row| row.get(0))?)
}

/// The entry as it was given, with our id.
pub(crate) fn entry(
    connection: &Connection,
    known: LinkedEntry,
) -> Result<SearchEntry, StorageFault> {
    let id_of = |doc: Option<i64>| -> Result<Option<String>, StorageFault> {
        let Some(doc) = doc else { return Ok(None) };
        let mut statement = connection.prepare_cached("SELECT id FROM entries WHERE doc = ?1")?;
        Ok(statement.query_row([doc], |row| id(row, 0)).optional()?)
    };
    let LinkedEntry { record, links: [prev, next], .. } = known;
    Ok(SearchEntry {
        id: Some(record.id),
        external_id: record.external_id,
        kind: name(connection, record.kind)?,
        scope: name(connection, record.scope)?,
        title: record.title,
        text: record.text,
        why: record.why,
        files: record.files,
        at: record.at.map(Timestamp::from_millis),
        group: record.group.map(|group| name(connection, group)).transpose()?,
        prev: id_of(prev)?,
        next: id_of(next)?,
        state: record.state,
    })
}
