//! Runs in `SQLite`.

use ralph_core::run::{Owner, Run};
use ralph_core::{RunId, SessionId, Timestamp};
use rusqlite::types::FromSql;
use rusqlite::{Connection, Params, Row, named_params, params};

use super::{DatabaseFault, WriteTransaction, events, iterations};
use crate::error::StoreError;
use crate::redaction::redacted;
use crate::row::{OwnerRow, RunRow, decode_run_id, unfit};
use crate::run_store::{OwnerRequest, RunQuery, RunStateFilter, RunStep, RunVersion};

/// Maximum number of ids that a prefix is completed to.
const MOST_IDS: u32 = 10;

/// The columns of a run, in the order in which they are read: looking columns
/// up by name takes longer than reading them.
const SELECT: &str = "
    SELECT id, worktree, task_text, task_description, task_targets, task_id, agent_name,
        agent_command, policy, status, reason, detail, active, ended, iteration, epoch,
        owner_session, owner_pid, owner_started, heartbeat_at, baseline, progress,
        restarts, usage, waited, asleep, feedback, last_output, tree, best_iteration,
        best_failing, started_at, updated_at, ended_at, errands, gated
    FROM runs";

const INSERT: &str = "
    INSERT INTO runs (
        id, worktree, task_text, task_description, task_targets, task_id, agent_name,
        agent_command, policy, status, reason, detail, active, ended, iteration, epoch,
        owner_session, owner_pid, owner_started, heartbeat_at, baseline, progress, restarts,
        usage, waited, asleep, feedback, last_output, tree, best_iteration, best_failing, started_at,
        updated_at, ended_at, errands, gated
    ) VALUES (
        :id, :worktree, :task_text, :task_description, :task_targets, :task_id, :agent_name,
        :agent_command, :policy, :status, :reason, :detail, :active, :ended, :iteration, :epoch,
        :owner_session, :owner_pid, :owner_started, :heartbeat_at, :baseline, :progress, :restarts,
        :usage, :waited, :asleep, :feedback, :last_output, :tree, :best_iteration, :best_failing,
        :started_at, :updated_at, :ended_at, :errands, :gated
    )";

/// Replaces a run that is still at the expected version. Its place and start
/// never change; a pending request is not touched.
///
/// The heartbeat of the same driver never goes back: the run may have been read
/// before the last one.
const UPDATE: &str = "
    UPDATE runs SET
        task_text = ?4, task_description = ?5,
        task_targets = ?6, task_id = ?7, policy = ?8,
        agent_name = ?9, agent_command = ?10, status = ?11,
        reason = ?12, detail = ?13, active = ?14, ended = ?15,
        iteration = ?16, epoch = ?17, owner_session = ?18,
        owner_pid = ?19, owner_started = ?20,
        heartbeat_at = CASE
            WHEN owner_pid = ?19 AND owner_started = ?20
            THEN max(heartbeat_at, ?21)
            ELSE ?21
        END,
        baseline = ?22, progress = ?23, restarts = ?24, usage = ?25,
        waited = ?26, asleep = ?27, feedback = ?28, last_output = ?29,
        tree = ?30, best_iteration = ?31, best_failing = ?32,
        updated_at = ?33, ended_at = ?34, errands = ?35, gated = ?36
    WHERE id = ?1 AND epoch = ?2 AND iteration = ?3";

pub(super) fn create(tx: &WriteTransaction<'_>, run: &Run) -> Result<(), DatabaseFault> {
    if one(tx, &run.id)?.is_some() {
        return Err(StoreError::RunExists { run: run.id.clone() }.into());
    }
    refuse_excluded(tx, run)?;
    insert(tx, run)
}

pub(super) fn one(connection: &Connection, id: &RunId) -> Result<Option<Run>, DatabaseFault> {
    first(connection, &format!("{SELECT} WHERE id = ?1"), [id.as_str()])
}

pub(super) fn ids(connection: &Connection, prefix: &str) -> Result<Vec<RunId>, DatabaseFault> {
    let digits = prefix.strip_prefix("run-").unwrap_or(prefix);
    if !digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
        return Ok(Vec::new());
    }
    // `g` is the letter after the last hex digit, so it ends the range.
    let sql = "SELECT id FROM runs
               WHERE id >= 'run-' || ?1 AND id < 'run-' || ?1 || 'g' ORDER BY id LIMIT ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params![digits, MOST_IDS])?;
    let mut ids = Vec::new();
    while let Some(row) = rows.next()? {
        ids.push(decode_run_id(&row.get::<_, String>(0)?)?);
    }
    Ok(ids)
}

pub(super) fn list(connection: &Connection, query: &RunQuery) -> Result<Vec<Run>, DatabaseFault> {
    let mut statement = connection.prepare_cached(&list_sql(query.which))?;
    let mut rows = statement.query(params![query.worktree, query.limit])?;
    let mut runs = Vec::new();
    while let Some(row) = rows.next()? {
        runs.push(read(row)?);
    }
    Ok(runs)
}

fn list_sql(which: RunStateFilter) -> String {
    // Few runs are open, and they have indexes of their own. The plus sign
    // keeps `SQLite` from walking the index over all runs, which is in the
    // right order, to its end in search of them.
    let (which, start) = match which {
        RunStateFilter::All => ("TRUE", "started_at"),
        RunStateFilter::Active => ("active = 1", "+started_at"),
        RunStateFilter::Open => ("ended = 0", "+started_at"),
        RunStateFilter::Ended => ("ended = 1", "started_at"),
    };
    format!(
        "{SELECT} WHERE {which} AND (?1 IS NULL OR worktree = ?1)
         ORDER BY {start} DESC, seq DESC LIMIT ?2"
    )
}

pub(super) fn of_session(
    connection: &Connection,
    session: &SessionId,
) -> Result<Option<Run>, DatabaseFault> {
    // A session hardly ever has two runs, so sorting in SQL would cost more.
    let sql = format!("{SELECT} WHERE owner_session = ?1 AND ended = 0 ORDER BY seq");
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query([session.as_str()])?;
    let mut newest: Option<Run> = None;
    while let Some(row) = rows.next()? {
        let run = read(row)?;
        if newest.as_ref().is_none_or(|newest| newest.started_at <= run.started_at) {
            newest = Some(run);
        }
    }
    Ok(newest)
}

pub(super) fn save(
    tx: &WriteTransaction<'_>,
    expected: RunVersion,
    step: &RunStep<'_>,
) -> Result<(), DatabaseFault> {
    let RunStep { run, iteration, events } = *step;
    match update(tx, run, expected) {
        Ok(0) => {
            standing(tx, &run.id)?;
            return Err(StoreError::Stale { run: run.id.clone() }.into());
        }
        Ok(_) => {}
        Err(fault) => {
            // The indexes refuse a run that excludes an active one; that run is
            // looked up only here.
            refuse_excluded(tx, run)?;
            return Err(fault);
        }
    }
    if let Some(record) = iteration {
        iterations::insert(tx, record)?;
    }
    for event in events {
        events::insert(tx, event)?;
    }
    Ok(())
}

pub(super) fn take_over(
    tx: &WriteTransaction<'_>,
    id: &RunId,
    expected_epoch: u64,
    owner: &Owner,
    now: Timestamp,
) -> Result<Run, DatabaseFault> {
    pending(tx, id, expected_epoch)?;
    let run = one(tx, id)?.ok_or_else(|| no_such_run(id))?;
    refuse_excluded(tx, &Run { owner: Some(owner.clone()), ..run })?;
    let owner = OwnerRow::from(Some(owner.clone()));
    tx.prepare_cached(
        "UPDATE runs SET epoch = :epoch, owner_session = :session, owner_pid = :pid,
             owner_started = :started, heartbeat_at = :heartbeat_at, request = NULL,
             updated_at = :now
         WHERE id = :id",
    )?
    .execute(named_params! {
        ":epoch": expected_epoch.wrapping_add(1).cast_signed(),
        ":session": owner.session,
        ":pid": owner.pid,
        ":started": owner.started,
        ":heartbeat_at": owner.heartbeat_at,
        ":now": now.as_millis(),
        ":id": id.as_str(),
    })?;
    one(tx, id)?.ok_or_else(|| no_such_run(id))
}

pub(super) fn heartbeat(
    tx: &WriteTransaction<'_>,
    id: &RunId,
    epoch: u64,
    now: Timestamp,
) -> Result<Option<OwnerRequest>, DatabaseFault> {
    let request = pending(tx, id, epoch)?;
    tx.prepare_cached("UPDATE runs SET heartbeat_at = ?1 WHERE id = ?2 AND owner_pid IS NOT NULL")?
        .execute(params![now.as_millis(), id.as_str()])?;
    Ok(request)
}

pub(super) fn pending(
    connection: &Connection,
    id: &RunId,
    epoch: u64,
) -> Result<Option<OwnerRequest>, DatabaseFault> {
    let standing = standing(connection, id)?;
    if standing.version.epoch == epoch {
        Ok(standing.request)
    } else {
        Err(StoreError::Stale { run: id.clone() }.into())
    }
}

pub(super) fn request(
    tx: &WriteTransaction<'_>,
    id: &RunId,
    request: OwnerRequest,
    now: Timestamp,
) -> Result<(), DatabaseFault> {
    let request = standing(tx, id)?.request.map_or(request, |earlier| earlier.and(request));
    tx.prepare_cached("UPDATE runs SET request = ?1, updated_at = ?2 WHERE id = ?3 AND ended = 0")?
        .execute(params![request.name(), now.as_millis(), id.as_str()])?;
    Ok(())
}

fn no_such_run(id: &RunId) -> DatabaseFault {
    StoreError::NoSuchRun { run: id.clone() }.into()
}

/// The version of a run, and the request to its owner.
struct RequestedRun {
    version: RunVersion,
    request: Option<OwnerRequest>,
}

fn standing(connection: &Connection, id: &RunId) -> Result<RequestedRun, DatabaseFault> {
    let mut statement =
        connection.prepare_cached("SELECT epoch, iteration, request FROM runs WHERE id = ?1")?;
    let mut rows = statement.query([id.as_str()])?;
    let row = rows.next()?.ok_or_else(|| no_such_run(id))?;
    let version =
        RunVersion { epoch: row.get::<_, i64>(0)?.cast_unsigned(), iteration: row.get(1)? };
    let request = match row.get::<_, Option<String>>(2)?.as_deref() {
        None => None,
        Some("stop") => Some(OwnerRequest::Stop),
        Some("pause") => Some(OwnerRequest::Pause),
        Some(other) => return Err(unfit("a request", other).into()),
    };
    Ok(RequestedRun { version, request })
}

/// Returns an error if the run is active beside one that it excludes.
fn refuse_excluded(tx: &WriteTransaction<'_>, run: &Run) -> Result<(), DatabaseFault> {
    if !run.state.is_active() {
        return Ok(());
    }
    let worktree = Some(run.worktree.clone());
    let active = list(tx, &RunQuery { worktree, which: RunStateFilter::Active, limit: u32::MAX })?;
    match active.into_iter().find(|other| run.excludes(other)) {
        None => Ok(()),
        Some(other) => Err(StoreError::excluded(run, &other).into()),
    }
}

fn first(
    connection: &Connection,
    sql: &str,
    params: impl Params,
) -> Result<Option<Run>, DatabaseFault> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    rows.next()?.map(read).transpose()
}

fn insert(tx: &WriteTransaction<'_>, run: &Run) -> Result<(), DatabaseFault> {
    let row = RunRow::from_run(redacted(run))?;
    tx.prepare_cached(INSERT)?.execute(named_params! {
        ":id": row.id,
        ":worktree": row.worktree,
        ":task_text": row.task_text,
        ":task_description": row.task_description,
        ":task_targets": row.task_targets,
        ":task_id": row.task_id,
        ":agent_name": row.agent_name,
        ":agent_command": row.agent_command,
        ":policy": row.policy,
        ":status": row.status,
        ":reason": row.reason,
        ":detail": row.detail,
        ":active": row.active,
        ":ended": row.ended,
        ":iteration": row.iteration,
        ":epoch": row.epoch,
        ":owner_session": row.owner.session,
        ":owner_pid": row.owner.pid,
        ":owner_started": row.owner.started,
        ":heartbeat_at": row.owner.heartbeat_at,
        ":baseline": row.baseline,
        ":progress": row.progress,
        ":restarts": row.restarts,
        ":usage": row.usage,
        ":waited": row.waited,
        ":asleep": row.asleep,
        ":feedback": row.feedback,
        ":last_output": row.last_output,
        ":tree": row.tree,
        ":best_iteration": row.best_iteration,
        ":best_failing": row.best_failing,
        ":started_at": row.started_at,
        ":updated_at": row.updated_at,
        ":ended_at": row.ended_at,
        ":errands": row.errands,
        ":gated": row.gated,
    })?;
    Ok(())
}

/// Reads the next column of a row.
fn next<T: FromSql>(row: &Row<'_>, at: &mut usize) -> rusqlite::Result<T> {
    let value = row.get(*at);
    *at += 1;
    value
}

/// Writes a run if it is still at the expected version. Returns the number of
/// runs written.
fn update(
    tx: &WriteTransaction<'_>,
    run: &Run,
    expected: RunVersion,
) -> Result<usize, DatabaseFault> {
    let row = RunRow::from_run(redacted(run))?;
    let written = tx.prepare_cached(UPDATE)?.execute(params![
        row.id,
        expected.epoch.cast_signed(),
        expected.iteration,
        row.task_text,
        row.task_description,
        row.task_targets,
        row.task_id,
        row.policy,
        row.agent_name,
        row.agent_command,
        row.status,
        row.reason,
        row.detail,
        row.active,
        row.ended,
        row.iteration,
        row.epoch,
        row.owner.session,
        row.owner.pid,
        row.owner.started,
        row.owner.heartbeat_at,
        row.baseline,
        row.progress,
        row.restarts,
        row.usage,
        row.waited,
        row.asleep,
        row.feedback,
        row.last_output,
        row.tree,
        row.best_iteration,
        row.best_failing,
        row.updated_at,
        row.ended_at,
        row.errands,
        row.gated,
    ])?;
    Ok(written)
}

/// Reads a run whose columns are in the order of [`SELECT`].
fn read(row: &Row<'_>) -> Result<Run, DatabaseFault> {
    let mut at = 0;
    let row = RunRow {
        id: next(row, &mut at)?,
        worktree: next(row, &mut at)?,
        task_text: next(row, &mut at)?,
        task_description: next(row, &mut at)?,
        task_targets: next(row, &mut at)?,
        task_id: next(row, &mut at)?,
        agent_name: next(row, &mut at)?,
        agent_command: next(row, &mut at)?,
        policy: next(row, &mut at)?,
        status: next(row, &mut at)?,
        reason: next(row, &mut at)?,
        detail: next(row, &mut at)?,
        active: next(row, &mut at)?,
        ended: next(row, &mut at)?,
        iteration: next(row, &mut at)?,
        epoch: next(row, &mut at)?,
        owner: OwnerRow {
            session: next(row, &mut at)?,
            pid: next(row, &mut at)?,
            started: next(row, &mut at)?,
            heartbeat_at: next(row, &mut at)?,
        },
        baseline: next(row, &mut at)?,
        progress: next(row, &mut at)?,
        restarts: next(row, &mut at)?,
        usage: next(row, &mut at)?,
        waited: next(row, &mut at)?,
        asleep: next(row, &mut at)?,
        feedback: next(row, &mut at)?,
        last_output: next(row, &mut at)?,
        tree: next(row, &mut at)?,
        best_iteration: next(row, &mut at)?,
        best_failing: next(row, &mut at)?,
        started_at: next(row, &mut at)?,
        updated_at: next(row, &mut at)?,
        ended_at: next(row, &mut at)?,
        errands: next(row, &mut at)?,
        gated: next(row, &mut at)?,
    };
    Ok(row.into_run()?)
}

#[cfg(test)]
mod tests {
    use super::super::SqliteStore;
    use super::*;

    #[track_caller]
    fn check_plan(which: RunStateFilter, index: &str) {
        let dir = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(dir.path()).unwrap().store;
        let sql = format!("EXPLAIN QUERY PLAN {}", list_sql(which));
        let plan: String =
            store.lock().query_row(&sql, params!["/w", 1], |row| row.get(3)).unwrap();
        assert!(plan.ends_with(index), "{plan}");
    }

    #[test]
    fn open_runs_are_found_without_reading_the_ended_ones() {
        check_plan(RunStateFilter::Active, "USING INDEX runs_by_active_worktree");
        check_plan(RunStateFilter::Open, "USING INDEX runs_by_open_session");
        check_plan(RunStateFilter::All, "USING INDEX runs_by_start");
    }
}
