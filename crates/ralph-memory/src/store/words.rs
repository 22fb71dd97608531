//! The words of documents, in an index of `SQLite`'s FTS5.
//!
//! FTS5 keeps which document has a word in which column, and is asked for that
//! list alone: what a hit is worth is decided in `query`.

use rusqlite::{Connection, OptionalExtension, params};

use crate::error::StorageFault;
use crate::ranking::{EntryColumn, EntryWords};

/// Writes the words of a document that has none.
pub(crate) fn add(
    connection: &Connection,
    doc: i64,
    words: &EntryWords,
) -> Result<(), StorageFault> {
    let sql = "INSERT INTO words (rowid, title, name, path, body, why) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let [title, name, path, body, why] = words.columns();
    connection.prepare_cached(sql)?.execute(params![doc, title, name, path, body, why])?;
    Ok(())
}

/// Removes the words of a document.
pub(crate) fn remove(connection: &Connection, doc: i64) -> Result<(), StorageFault> {
    connection.prepare_cached("DELETE FROM words WHERE rowid = ?1")?.execute([doc])?;
    Ok(())
}

/// How many documents have a word.
pub(crate) fn count(connection: &Connection, word: &str) -> Result<u64, StorageFault> {
    let mut statement = connection.prepare_cached("SELECT doc FROM word_counts WHERE term = ?1")?;
    let count: Option<i64> = statement.query_row([word], |row| row.get(0)).optional()?;
    Ok(count.and_then(|count| u64::try_from(count).ok()).unwrap_or(0))
}

/// Calls `each` with every document that has a word, in order, and every
/// column in which it has it.
pub(crate) fn each(
    connection: &Connection,
    word: &str,
    mut each: impl FnMut(i64, EntryColumn),
) -> Result<(), StorageFault> {
    let mut statement =
        connection.prepare_cached("SELECT doc, col FROM word_places WHERE term = ?1")?;
    let mut rows = statement.query([word])?;
    while let Some(row) = rows.next()? {
        let column = row.get_ref(1)?.as_str().ok().and_then(EntryColumn::named);
        let column =
            column.ok_or_else(|| StorageFault::Damaged("a word is in no column".to_owned()))?;
        each(row.get(0)?, column);
    }
    Ok(())
}

/// Merges all parts of the index into one.
pub(crate) fn merge(connection: &Connection) -> Result<(), StorageFault> {
    connection.execute("INSERT INTO words (words) VALUES ('optimize')", [])?;
    Ok(())
}
