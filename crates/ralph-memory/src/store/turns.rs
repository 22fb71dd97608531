//! Notes that took part in turns, and lines of the log that were lost.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, params};

use crate::error::StorageFault;
use crate::notebook::{NoteInvolvement, TurnKey};

/// The notes that took part in a turn.
pub(crate) fn read(
    connection: &Connection,
    turn: &TurnKey,
) -> Result<BTreeMap<String, NoteInvolvement>, StorageFault> {
    let sql = "SELECT id, part FROM turns WHERE turn = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement
        .query_map([&turn.0], |row| Ok((row.get(0)?, NoteInvolvement::from_bits(row.get(1)?))))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Writes the notes of a turn in place of those that were there.
pub(crate) fn write(
    connection: &Connection,
    turn: &TurnKey,
    parts: &BTreeMap<String, NoteInvolvement>,
) -> Result<(), StorageFault> {
    connection.prepare_cached("DELETE FROM turns WHERE turn = ?1")?.execute([&turn.0])?;
    let mut statement = connection.prepare_cached("INSERT INTO turns VALUES (?1, ?2, ?3)")?;
    for (id, part) in parts {
        statement.execute(params![turn.0, id, part.bits()])?;
    }
    Ok(())
}

/// Remembers a line of the log that nobody can read.
pub(crate) fn add_damage(
    connection: &Connection,
    path: &Path,
    place: u64,
) -> Result<(), StorageFault> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let place = i64::try_from(place).unwrap_or(i64::MAX);
    let sql = "INSERT OR IGNORE INTO damage VALUES (?1, ?2)";
    connection.prepare_cached(sql)?.execute(params![name, place])?;
    Ok(())
}

/// The lines of the log that nobody can read: file and byte.
pub(crate) fn damage(connection: &Connection) -> Result<Vec<(PathBuf, u64)>, StorageFault> {
    let mut statement = connection.prepare_cached("SELECT path, place FROM damage")?;
    let rows = statement.query_map([], |row| {
        let place: i64 = row.get(1)?;
        Ok((PathBuf::from(row.get::<_, String>(0)?), u64::try_from(place).unwrap_or(0)))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
