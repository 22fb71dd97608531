//! Sessions in `SQLite`.

use ralph_core::{SessionId, Timestamp};
use rusqlite::{Connection, Row, params};

use super::{Fault, Tx};
use crate::redaction::redacted;
use crate::row::{decode_session_id, unfit};
use crate::session::{Session, SessionMode, SessionState};

pub(super) fn put(tx: &Tx<'_>, session: &Session) -> Result<(), Fault> {
    let session = redacted(session);
    tx.prepare_cached(
        "INSERT OR REPLACE INTO sessions (
             id, task_id, external, state, mode, last_checkpoint, resume_context, messages,
             created_at, updated_at
         ) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?
    .execute(params![
        session.id,
        session.task_id,
        session.external.as_ref().map(SessionId::as_str),
        session.state.name(),
        session.mode.name(),
        session.last_checkpoint.map(Timestamp::as_millis),
        session.resume_context,
        session.messages,
        session.created_at.as_millis(),
        session.updated_at.as_millis(),
    ])?;
    Ok(())
}

pub(super) fn one(connection: &Connection, id: &str) -> Result<Option<Session>, Fault> {
    Ok(list(connection, "id = ?1", id)?.pop())
}

pub(super) fn of_host(
    connection: &Connection,
    external: &SessionId,
) -> Result<Option<Session>, Fault> {
    Ok(list(connection, "external = ?1", external.as_str())?.into_iter().next())
}

pub(super) fn of_task(connection: &Connection, task_id: &str) -> Result<Vec<Session>, Fault> {
    list(connection, "task_id = ?1", task_id)
}

/// Returns the sessions that meet `condition`, the one that changed last first.
fn list(connection: &Connection, condition: &str, value: &str) -> Result<Vec<Session>, Fault> {
    let sql = format!("SELECT * FROM sessions WHERE {condition} ORDER BY updated_at DESC, id");
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query([value])?;
    let mut sessions = Vec::new();
    while let Some(row) = rows.next()? {
        sessions.push(read(row)?);
    }
    Ok(sessions)
}

fn read(row: &Row<'_>) -> Result<Session, Fault> {
    let external: Option<String> = row.get("external")?;
    let state: String = row.get("state")?;
    let mode: String = row.get("mode")?;
    Ok(Session {
        id: row.get("id")?,
        task_id: row.get("task_id")?,
        external: external.as_deref().map(decode_session_id).transpose()?,
        state: SessionState::ALL
            .into_iter()
            .find(|known| known.name() == state)
            .ok_or_else(|| unfit("the state of a session", &state))?,
        mode: SessionMode::ALL
            .into_iter()
            .find(|known| known.name() == mode)
            .ok_or_else(|| unfit("the mode of a session", &mode))?,
        last_checkpoint: row.get::<_, Option<i64>>("last_checkpoint")?.map(Timestamp::from_millis),
        resume_context: row.get("resume_context")?,
        messages: row.get("messages")?,
        created_at: Timestamp::from_millis(row.get("created_at")?),
        updated_at: Timestamp::from_millis(row.get("updated_at")?),
    })
}
