//! Events in `SQLite`.

use ralph_core::{RunId, SessionId, Timestamp};
use rusqlite::{Connection, Row, ToSql, params};

use super::{DatabaseFault, WriteTransaction};
use crate::event::{EventQuery, NewEvent, StoredEvent};
use crate::redaction::redacted;
use crate::row::{decode_run_id, decode_session_id};

pub(super) fn insert(tx: &WriteTransaction<'_>, event: &NewEvent) -> Result<u64, DatabaseFault> {
    let event = redacted(event);
    tx.prepare_cached(
        "INSERT INTO events (run, iteration, session, kind, at, data)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .execute(params![
        event.run.as_ref().map(RunId::as_str),
        event.iteration,
        event.session.as_ref().map(SessionId::as_str),
        event.kind,
        event.at.as_millis(),
        event.data,
    ])?;
    Ok(tx.last_insert_rowid().cast_unsigned())
}

pub(super) fn list(
    connection: &Connection,
    query: &EventQuery,
) -> Result<Vec<StoredEvent>, DatabaseFault> {
    // Larger numbers do not occur, so nothing is lost by capping.
    let after = i64::try_from(query.after).unwrap_or(i64::MAX);
    let run = query.run.as_ref().map(RunId::as_str);
    let session = query.session.as_ref().map(SessionId::as_str);

    // Only the conditions in use are named, so that each finds its index.
    let mut sql = "SELECT * FROM events WHERE seq > ?".to_owned();
    let mut values: Vec<&dyn ToSql> = vec![&after];
    for (condition, value) in [(" AND run = ?", &run), (" AND session = ?", &session)] {
        if value.is_some() {
            sql.push_str(condition);
            values.push(value);
        }
    }
    sql.push_str(" ORDER BY seq LIMIT ?");
    values.push(&query.limit);

    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(values.as_slice())?;
    let mut events = Vec::new();
    while let Some(row) = rows.next()? {
        events.push(read(row)?);
    }
    Ok(events)
}

fn read(row: &Row<'_>) -> Result<StoredEvent, DatabaseFault> {
    let run: Option<String> = row.get("run")?;
    let session: Option<String> = row.get("session")?;
    let event = NewEvent {
        run: run.as_deref().map(decode_run_id).transpose()?,
        iteration: row.get("iteration")?,
        session: session.as_deref().map(decode_session_id).transpose()?,
        kind: row.get("kind")?,
        at: Timestamp::from_millis(row.get("at")?),
        data: row.get("data")?,
    };
    Ok(StoredEvent { seq: row.get::<_, i64>("seq")?.cast_unsigned(), event })
}
