//! Iterations in `SQLite`.

use ralph_core::{Approach, RunId, Timestamp, TreeId};
use rusqlite::{Connection, Row, params};

use super::{DatabaseFault, WriteTransaction};
use crate::error::StoreError;
use crate::iteration::IterationRecord;
use crate::redaction::redacted;
use crate::row::{
    decode_changes, decode_gates, decode_run_id, decode_usage, encode_changes, encode_gates,
    encode_usage,
};

const SELECT: &str = "SELECT * FROM iterations WHERE run = ?1";

/// Writes the record of an iteration, which must not have one.
pub(super) fn insert(
    tx: &WriteTransaction<'_>,
    record: &IterationRecord,
) -> Result<(), DatabaseFault> {
    let written = write(tx, &redacted(record));
    // The key refuses a second record; that cause is checked only on failure.
    if written.is_err() && exists(tx, &record.run, record.number)? {
        let run = record.run.clone();
        return Err(StoreError::AlreadyDecided { run, iteration: record.number }.into());
    }
    written
}

/// Returns true if an iteration has a record.
pub(super) fn exists(
    connection: &Connection,
    run: &RunId,
    number: u32,
) -> Result<bool, DatabaseFault> {
    let sql = "SELECT 1 FROM iterations WHERE run = ?1 AND number = ?2";
    Ok(connection.prepare_cached(sql)?.exists(params![run.as_str(), number])?)
}

fn write(tx: &WriteTransaction<'_>, record: &IterationRecord) -> Result<(), DatabaseFault> {
    tx.prepare_cached(
        "INSERT INTO iterations (
             run, number, started_at, ended_at, turn, claim, decision, failing, tree, approach,
             usage, gates, changes, text, log
         ) VALUES (
             ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9,
             ?10, ?11, ?12, ?13, ?14, ?15
         )",
    )?
    .execute(params![
        record.run.as_str(),
        record.number,
        record.started_at.as_millis(),
        record.ended_at.as_millis(),
        record.turn,
        record.claim,
        record.decision,
        record.failing,
        record.tree.as_ref().map(TreeId::as_str),
        record.approach.as_ref().map(Approach::to_string),
        encode_usage(record.usage)?,
        encode_gates(&record.gates)?,
        encode_changes(&record.weakened, &record.edited)?,
        record.text,
        record.log,
    ])?;
    Ok(())
}

pub(super) fn last(
    connection: &Connection,
    id: &RunId,
    last: u32,
) -> Result<Vec<IterationRecord>, DatabaseFault> {
    let sql = format!("{SELECT} ORDER BY number DESC LIMIT ?2");
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(params![id.as_str(), last])?;
    let mut records = Vec::new();
    while let Some(row) = rows.next()? {
        records.push(read(row)?);
    }
    records.reverse();
    Ok(records)
}

pub(super) fn one(
    connection: &Connection,
    id: &RunId,
    number: u32,
) -> Result<Option<IterationRecord>, DatabaseFault> {
    let mut statement = connection.prepare_cached(&format!("{SELECT} AND number = ?2"))?;
    let mut rows = statement.query(params![id.as_str(), number])?;
    rows.next()?.map(read).transpose()
}

fn read(row: &Row<'_>) -> Result<IterationRecord, DatabaseFault> {
    let (weakened, edited) = decode_changes(&row.get::<_, String>("changes")?)?;
    Ok(IterationRecord {
        run: decode_run_id(&row.get::<_, String>("run")?)?,
        number: row.get("number")?,
        started_at: Timestamp::from_millis(row.get("started_at")?),
        ended_at: Timestamp::from_millis(row.get("ended_at")?),
        turn: row.get("turn")?,
        claim: row.get("claim")?,
        decision: row.get("decision")?,
        failing: row.get("failing")?,
        tree: row.get::<_, Option<String>>("tree")?.map(TreeId::new),
        approach: row.get::<_, Option<String>>("approach")?.as_deref().and_then(Approach::parse),
        usage: decode_usage(&row.get::<_, String>("usage")?)?,
        gates: decode_gates(&row.get::<_, String>("gates")?)?,
        weakened,
        edited,
        text: row.get("text")?,
        log: row.get("log")?,
    })
}
