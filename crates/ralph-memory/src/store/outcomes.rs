//! What was tried, what landed with which commit, and checks that notes have.

use ralph_core::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};

use crate::error::StorageFault;
use crate::event::{AttemptRecord, EventContext, NoteCheck};
use crate::notebook::{AttemptQuery, PastAttempt};

/// Attempts that are kept: the latest.
const KEPT: i64 = 2000;

/// Adds attempts behind all others.
pub(crate) fn add_attempts(
    connection: &Connection,
    new: &[PastAttempt],
) -> Result<(), StorageFault> {
    if new.is_empty() {
        return Ok(());
    }
    let mut row = connection.prepare_cached(
        "INSERT INTO attempts (at, run, place, tried) VALUES (?1, ?2, ?3, ?4) RETURNING number",
    )?;
    let mut file =
        connection.prepare_cached("INSERT OR IGNORE INTO attempt_files VALUES (?1, ?2)")?;
    for PastAttempt { at, place, tried } in new {
        let values = params![at.as_millis(), place.run, json(place), json(tried)];
        let number: i64 = row.query_row(values, |row| row.get(0))?;
        for trace in &tried.changes {
            file.execute(params![trace.file, number])?;
        }
    }
    for (table, column) in [("attempt_files", "attempt"), ("attempts", "number")] {
        let sql = format!(
            "DELETE FROM {table} WHERE {column} <= (SELECT max(number) FROM attempts) - {KEPT}"
        );
        connection.prepare_cached(&sql)?.execute([])?;
    }
    Ok(())
}

/// The latest attempts that were asked for, the oldest of them first.
pub(crate) fn attempts(
    connection: &Connection,
    query: &AttemptQuery,
) -> Result<Vec<PastAttempt>, StorageFault> {
    let about = if query.files.is_empty() {
        ""
    } else {
        "AND number IN (SELECT attempt FROM attempt_files \
         WHERE file IN (SELECT value FROM json_each(?))) "
    };
    let of_run = if query.run.is_some() { "AND run = ? " } else { "" };
    let sql = format!(
        "SELECT at, place, tried FROM attempts WHERE 1 {about}{of_run}ORDER BY number DESC LIMIT ?"
    );
    // One list, as the places in a statement are limited.
    let list = (!query.files.is_empty()).then(|| json(&query.files));
    let mut values: Vec<String> = list.into_iter().collect();
    values.extend(query.run.clone());
    values.push(query.limit.to_string());
    let mut statement = connection.prepare(&sql)?;
    let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
    let rows = statement.query_map(params_from_iter(values), read)?;
    let mut found = Vec::new();
    for row in rows {
        let (at, place, tried): (i64, String, String) = row?;
        found.push(PastAttempt {
            at: Timestamp::from_millis(at),
            place: parsed::<EventContext>(&place)?,
            tried: parsed::<AttemptRecord>(&tried)?,
        });
    }
    found.reverse();
    Ok(found)
}

/// Remembers which notes were kept along with which commit.
pub(crate) fn add_landing(
    connection: &Connection,
    ids: &[String],
    commits: &[String],
) -> Result<(), StorageFault> {
    let mut row = connection.prepare_cached("INSERT OR IGNORE INTO landings VALUES (?1, ?2)")?;
    for id in ids {
        for commit in commits {
            row.execute([id, commit])?;
        }
    }
    Ok(())
}

/// A note stands or falls with no commit any more.
pub(crate) fn end_landing(connection: &Connection, id: &str) -> Result<(), StorageFault> {
    connection.prepare_cached("DELETE FROM landings WHERE id = ?1")?.execute([id])?;
    Ok(())
}

/// Every commit that notes were kept along with, and one note each time.
pub(crate) fn landings(connection: &Connection) -> Result<Vec<(String, String)>, StorageFault> {
    let mut statement =
        connection.prepare_cached("SELECT hash, id FROM landings ORDER BY id, hash")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Gives a note a check, or takes it away.
pub(crate) fn bind(
    connection: &Connection,
    id: &str,
    check: Option<&NoteCheck>,
) -> Result<(), StorageFault> {
    match check {
        Some(check) => {
            let sql = "INSERT OR REPLACE INTO invariants VALUES (?1, ?2)";
            connection.prepare_cached(sql)?.execute(params![id, json(check)])?
        }
        None => connection.prepare_cached("DELETE FROM invariants WHERE id = ?1")?.execute([id])?,
    };
    Ok(())
}

/// The check of a note.
pub(crate) fn invariant(
    connection: &Connection,
    id: &str,
) -> Result<Option<NoteCheck>, StorageFault> {
    let mut statement =
        connection.prepare_cached("SELECT invariant FROM invariants WHERE id = ?1")?;
    let found: Option<String> = statement.query_row([id], |row| row.get(0)).optional()?;
    found.map(|text| parsed(&text)).transpose()
}

/// The notes that have a check.
pub(crate) fn bound(connection: &Connection) -> Result<Vec<String>, StorageFault> {
    let mut statement = connection.prepare_cached("SELECT id FROM invariants ORDER BY id")?;
    Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

fn json(value: &impl serde::Serialize) -> String {
    // Texts, numbers and lists of them all have a form in JSON.
    serde_json::to_string(value).unwrap_or_default()
}

fn parsed<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, StorageFault> {
    serde_json::from_str(text)
        .map_err(|error| StorageFault::Damaged(format!("an attempt has {error}")))
}
