//! Notes as they are stored: a row each, with all that became of it.

use rusqlite::{Connection, OptionalExtension, params};

use crate::error::StorageFault;
use crate::event::{EventActor, EventContext};
use crate::notebook::StoredNote;

/// Maximum number of ids that are listed of those that begin alike.
const FEW: i64 = 5;

/// Reads the note with a number; `None` when it is gone.
pub(crate) fn read(connection: &Connection, doc: i64) -> Result<Option<StoredNote>, StorageFault> {
    let sql = "SELECT note FROM notes WHERE doc = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let text: Option<String> = statement.query_row([doc], |row| row.get(0)).optional()?;
    let parsed = |text: String| {
        let (actor, place, mut known): (EventActor, EventContext, StoredNote) =
            serde_json::from_str(&text)
                .map_err(|error| StorageFault::Damaged(format!("a note has {error}")))?;
        (known.actor, known.place) = (actor, place);
        Ok(known)
    };
    text.map(parsed).transpose()
}

/// Writes a note in place of what was stored under its number.
pub(crate) fn write(
    connection: &Connection,
    doc: i64,
    known: &StoredNote,
) -> Result<(), StorageFault> {
    let note = &known.note;
    let whole = (known.actor, &known.place, known);
    // Texts, numbers and lists of them all have a form in JSON.
    let whole = serde_json::to_string(&whole).unwrap_or_default();
    let sql = "INSERT OR REPLACE INTO notes VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    connection.prepare_cached(sql)?.execute(params![
        doc,
        note.id,
        note.external_id,
        text_key(&note.text),
        note.kind.word(),
        note.scope.word(),
        known.retired.is_some(),
        known.verified,
        whole,
    ])?;
    Ok(())
}

/// Removes a note.
pub(crate) fn remove(connection: &Connection, doc: i64) -> Result<(), StorageFault> {
    connection.prepare_cached("DELETE FROM notes WHERE doc = ?1")?.execute([doc])?;
    Ok(())
}

/// Returns the number of the note with an id.
pub(crate) fn by_id(connection: &Connection, id: &str) -> Result<Option<i64>, StorageFault> {
    let mut statement = connection.prepare_cached("SELECT doc FROM notes WHERE id = ?1")?;
    Ok(statement.query_row([id], |row| row.get(0)).optional()?)
}

/// Returns the number of the note with an id or external id.
pub(crate) fn by_name(connection: &Connection, name: &str) -> Result<Option<i64>, StorageFault> {
    if let Some(doc) = by_id(connection, name)? {
        return Ok(Some(doc));
    }
    let sql = "SELECT doc FROM notes WHERE external_id = ?1 ORDER BY doc";
    Ok(connection.prepare_cached(sql)?.query_row([name], |row| row.get(0)).optional()?)
}

/// Returns the ids that begin like this, a few of them.
pub(crate) fn beginning(connection: &Connection, start: &str) -> Result<Vec<String>, StorageFault> {
    let sql = "SELECT id FROM notes WHERE id >= ?1 AND id < ?1 || char(1114111) LIMIT ?2";
    let mut statement = connection.prepare_cached(sql)?;
    Ok(statement.query_map(params![start, FEW], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// Returns the numbers of notes that hold and probably have this very text, the oldest
/// first.
pub(crate) fn saying(connection: &Connection, text: &str) -> Result<Vec<i64>, StorageFault> {
    let sql = "SELECT doc FROM notes WHERE text_key = ?1 AND retired = 0 ORDER BY doc";
    let mut statement = connection.prepare_cached(sql)?;
    Ok(statement.query_map([text_key(text)], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// Returns the number under which equal texts are found.
fn text_key(text: &str) -> i64 {
    let hash = blake3::hash(text.as_bytes());
    i64::from_le_bytes(hash.as_bytes().first_chunk().copied().unwrap_or_default())
}

/// Writes which files a note is about, in place of those it was about.
pub(crate) fn write_files(
    connection: &Connection,
    doc: i64,
    before: &[String],
    now: &[String],
) -> Result<(), StorageFault> {
    if before == now {
        return Ok(());
    }
    let mut gone =
        connection.prepare_cached("DELETE FROM note_files WHERE file = ?1 AND doc = ?2")?;
    for file in before {
        gone.execute(params![file, doc])?;
    }
    let mut new = connection.prepare_cached("INSERT OR IGNORE INTO note_files VALUES (?1, ?2)")?;
    for file in now {
        new.execute(params![file, doc])?;
    }
    Ok(())
}

/// Returns the numbers of the notes about a file, the newest first.
pub(crate) fn of_file(connection: &Connection, file: &str) -> Result<Vec<i64>, StorageFault> {
    let sql = "SELECT doc FROM note_files WHERE file = ?1 ORDER BY doc DESC";
    let mut statement = connection.prepare_cached(sql)?;
    Ok(statement.query_map([file], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// A kind, a scope, and the numbers of all such notes, of retired and of verified ones.
pub(crate) type NoteTotals = (String, String, [u64; 3]);

/// Counts the notes of each kind and scope.
pub(crate) fn counts(connection: &Connection) -> Result<Vec<NoteTotals>, StorageFault> {
    let sql = "SELECT kind, scope, count(*), sum(retired), sum(verified) FROM notes \
               GROUP BY 1, 2 ORDER BY 1, 2";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([], |row| {
        let count = |at: usize| row.get::<_, i64>(at).map(|it| u64::try_from(it).unwrap_or(0));
        Ok((row.get(0)?, row.get(1)?, [count(2)?, count(3)?, count(4)?]))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
