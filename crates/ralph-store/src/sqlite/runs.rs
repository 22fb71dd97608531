//! Runs in `SQLite`.

use ralph_core::run::{Owner, Run};
use ralph_core::{RunId, SessionId, Timestamp};
use rusqlite::{Connection, OptionalExtension, Params, Row, named_params, params};

use super::{Fault, Tx, events, iterations};
use crate::error::StoreError;
use crate::redaction::redacted;
use crate::row::{OwnerRow, RunRow, decode_run_id, unfit};
use crate::run_store::{Request, RunQuery, Step, Version, Which};

/// Ids that a prefix is completed to at most.
const MOST_IDS: u32 = 10;

const SELECT: &str = "SELECT * FROM runs";

const INSERT: &str = "
    INSERT INTO runs (
        id, worktree, task_text, task_description, task_targets, task_id, agent_name,
        agent_command, policy, status, reason, detail, active, ended, iteration, epoch,
        owner_session, owner_pid, owner_started, heartbeat_at, baseline, progress, restarts,
        usage, waited, asleep, feedback, last_output, tree, best_iteration, best_failing, started_at,
        updated_at, ended_at
    ) VALUES (
        :id, :worktree, :task_text, :task_description, :task_targets, :task_id, :agent_name,
        :agent_command, :policy, :status, :reason, :detail, :active, :ended, :iteration, :epoch,
        :owner_session, :owner_pid, :owner_started, :heartbeat_at, :baseline, :progress, :restarts,
        :usage, :waited, :asleep, :feedback, :last_output, :tree, :best_iteration, :best_failing,
        :started_at, :updated_at, :ended_at
    )";

/// Replaces a run that is still at the expected version. Where it is and when
/// it began never change; the pending request is not the writer's.
///
/// The heartbeat of one and the same driver is never turned back: the run that
/// is written may have been read before the last one.
const UPDATE: &str = "
    UPDATE runs SET
        task_text = :task_text, task_description = :task_description,
        task_targets = :task_targets, task_id = :task_id, policy = :policy,
        agent_name = :agent_name, agent_command = :agent_command, status = :status,
        reason = :reason, detail = :detail, active = :active, ended = :ended,
        iteration = :iteration, epoch = :epoch, owner_session = :owner_session,
        owner_pid = :owner_pid, owner_started = :owner_started,
        heartbeat_at = CASE
            WHEN owner_pid = :owner_pid AND owner_started = :owner_started
            THEN max(heartbeat_at, :heartbeat_at)
            ELSE :heartbeat_at
        END,
        baseline = :baseline, progress = :progress, restarts = :restarts, usage = :usage,
        waited = :waited, asleep = :asleep, feedback = :feedback, last_output = :last_output,
        tree = :tree, best_iteration = :best_iteration, best_failing = :best_failing,
        updated_at = :updated_at, ended_at = :ended_at
    WHERE id = :id AND epoch = :expected_epoch AND iteration = :expected_iteration";

pub(super) fn create(tx: &Tx<'_>, run: &Run) -> Result<(), Fault> {
    if one(tx, &run.id)?.is_some() {
        return Err(StoreError::RunExists { run: run.id.clone() }.into());
    }
    refuse_busy_worktree(tx, run)?;
    insert(tx, run)
}

pub(super) fn one(connection: &Connection, id: &RunId) -> Result<Option<Run>, Fault> {
    first(connection, &format!("{SELECT} WHERE id = ?1"), [id.as_str()])
}

pub(super) fn ids(connection: &Connection, prefix: &str) -> Result<Vec<RunId>, Fault> {
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

pub(super) fn list(connection: &Connection, query: &RunQuery) -> Result<Vec<Run>, Fault> {
    let mut statement = connection.prepare_cached(&list_sql(query.which))?;
    let mut rows = statement.query(params![query.worktree, query.limit])?;
    let mut runs = Vec::new();
    while let Some(row) = rows.next()? {
        runs.push(read(row)?);
    }
    Ok(runs)
}

fn list_sql(which: Which) -> String {
    // Few runs are open, and they have indexes of their own. The sign keeps
    // the index over all runs, which comes in the right order, from being
    // walked to its end in search of them.
    let (which, start) = match which {
        Which::All => ("TRUE", "started_at"),
        Which::Active => ("active = 1", "+started_at"),
        Which::Open => ("ended = 0", "+started_at"),
        Which::Ended => ("ended = 1", "started_at"),
    };
    format!(
        "{SELECT} WHERE {which} AND (?1 IS NULL OR worktree = ?1)
         ORDER BY {start} DESC, seq DESC LIMIT ?2"
    )
}

pub(super) fn active(connection: &Connection, worktree: &str) -> Result<Option<Run>, Fault> {
    first(connection, &format!("{SELECT} WHERE worktree = ?1 AND active = 1"), [worktree])
}

pub(super) fn of_session(
    connection: &Connection,
    session: &SessionId,
) -> Result<Option<Run>, Fault> {
    let sql = format!(
        "{SELECT} WHERE owner_session = ?1 AND ended = 0
         ORDER BY started_at DESC, seq DESC LIMIT 1"
    );
    first(connection, &sql, [session.as_str()])
}

pub(super) fn save(tx: &Tx<'_>, expected: Version, step: &Step<'_>) -> Result<(), Fault> {
    let Step { run, iteration, events } = *step;
    match update(tx, run, expected) {
        Ok(0) => {
            standing(tx, &run.id)?;
            return Err(StoreError::Stale { run: run.id.clone() }.into());
        }
        Ok(_) => {}
        Err(fault) => {
            // The index lets nobody in beside an active run; who it is has to
            // be asked only then.
            refuse_busy_worktree(tx, run)?;
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
    tx: &Tx<'_>,
    id: &RunId,
    expected_epoch: u64,
    (owner, now): (&Owner, Timestamp),
) -> Result<Run, Fault> {
    pending(tx, id, expected_epoch)?;
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
    tx: &Tx<'_>,
    id: &RunId,
    epoch: u64,
    now: Timestamp,
) -> Result<Option<Request>, Fault> {
    let request = pending(tx, id, epoch)?;
    tx.prepare_cached("UPDATE runs SET heartbeat_at = ?1 WHERE id = ?2 AND owner_pid IS NOT NULL")?
        .execute(params![now.as_millis(), id.as_str()])?;
    Ok(request)
}

pub(super) fn pending(
    connection: &Connection,
    id: &RunId,
    epoch: u64,
) -> Result<Option<Request>, Fault> {
    let standing = standing(connection, id)?;
    if standing.version.epoch == epoch {
        Ok(standing.request)
    } else {
        Err(StoreError::Stale { run: id.clone() }.into())
    }
}

pub(super) fn request(
    tx: &Tx<'_>,
    id: &RunId,
    request: Request,
    now: Timestamp,
) -> Result<(), Fault> {
    let request = standing(tx, id)?.request.map_or(request, |earlier| earlier.and(request));
    tx.prepare_cached("UPDATE runs SET request = ?1, updated_at = ?2 WHERE id = ?3 AND ended = 0")?
        .execute(params![request.name(), now.as_millis(), id.as_str()])?;
    Ok(())
}

fn no_such_run(id: &RunId) -> Fault {
    StoreError::NoSuchRun { run: id.clone() }.into()
}

/// What a run is compared by, and what its owner is asked for.
struct Standing {
    version: Version,
    request: Option<Request>,
}

fn standing(connection: &Connection, id: &RunId) -> Result<Standing, Fault> {
    let mut statement =
        connection.prepare_cached("SELECT epoch, iteration, request FROM runs WHERE id = ?1")?;
    let mut rows = statement.query([id.as_str()])?;
    let row = rows.next()?.ok_or_else(|| no_such_run(id))?;
    let version = Version { epoch: row.get::<_, i64>(0)?.cast_unsigned(), iteration: row.get(1)? };
    let request = match row.get::<_, Option<String>>(2)?.as_deref() {
        None => None,
        Some("stop") => Some(Request::Stop),
        Some("pause") => Some(Request::Pause),
        Some(other) => return Err(unfit("a request", other).into()),
    };
    Ok(Standing { version, request })
}

/// Active runs of one work tree exclude each other; others are free to be there.
fn refuse_busy_worktree(tx: &Tx<'_>, run: &Run) -> Result<(), Fault> {
    if !run.state.is_active() {
        return Ok(());
    }
    let busy: Option<String> = tx
        .prepare_cached("SELECT id FROM runs WHERE worktree = ?1 AND active = 1 AND id <> ?2")?
        .query_row([run.worktree.as_str(), run.id.as_str()], |row| row.get(0))
        .optional()?;
    match busy {
        None => Ok(()),
        Some(id) => Err(StoreError::WorktreeBusy { run: decode_run_id(&id)? }.into()),
    }
}

fn first(connection: &Connection, sql: &str, params: impl Params) -> Result<Option<Run>, Fault> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    rows.next()?.map(read).transpose()
}

fn insert(tx: &Tx<'_>, run: &Run) -> Result<(), Fault> {
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
    })?;
    Ok(())
}

/// Writes a run if it is still at the expected version; says how many were.
fn update(tx: &Tx<'_>, run: &Run, expected: Version) -> Result<usize, Fault> {
    let row = RunRow::from_run(redacted(run))?;
    let written = tx.prepare_cached(UPDATE)?.execute(named_params! {
        ":id": row.id,
        ":expected_epoch": expected.epoch.cast_signed(),
        ":expected_iteration": expected.iteration,
        ":task_text": row.task_text,
        ":task_description": row.task_description,
        ":task_targets": row.task_targets,
        ":task_id": row.task_id,
        ":policy": row.policy,
        ":agent_name": row.agent_name,
        ":agent_command": row.agent_command,
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
        ":updated_at": row.updated_at,
        ":ended_at": row.ended_at,
    })?;
    Ok(written)
}

fn read(row: &Row<'_>) -> Result<Run, Fault> {
    let row = RunRow {
        id: row.get("id")?,
        worktree: row.get("worktree")?,
        task_text: row.get("task_text")?,
        task_description: row.get("task_description")?,
        task_targets: row.get("task_targets")?,
        task_id: row.get("task_id")?,
        agent_name: row.get("agent_name")?,
        agent_command: row.get("agent_command")?,
        policy: row.get("policy")?,
        status: row.get("status")?,
        reason: row.get("reason")?,
        detail: row.get("detail")?,
        active: row.get("active")?,
        ended: row.get("ended")?,
        iteration: row.get("iteration")?,
        epoch: row.get("epoch")?,
        owner: OwnerRow {
            session: row.get("owner_session")?,
            pid: row.get("owner_pid")?,
            started: row.get("owner_started")?,
            heartbeat_at: row.get("heartbeat_at")?,
        },
        baseline: row.get("baseline")?,
        progress: row.get("progress")?,
        restarts: row.get("restarts")?,
        usage: row.get("usage")?,
        waited: row.get("waited")?,
        asleep: row.get("asleep")?,
        feedback: row.get("feedback")?,
        last_output: row.get("last_output")?,
        tree: row.get("tree")?,
        best_iteration: row.get("best_iteration")?,
        best_failing: row.get("best_failing")?,
        started_at: row.get("started_at")?,
        updated_at: row.get("updated_at")?,
        ended_at: row.get("ended_at")?,
    };
    Ok(row.into_run()?)
}

#[cfg(test)]
mod tests {
    use super::super::SqliteStore;
    use super::*;

    #[track_caller]
    fn check_plan(which: Which, index: &str) {
        let dir = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(dir.path()).unwrap().store;
        let sql = format!("EXPLAIN QUERY PLAN {}", list_sql(which));
        let plan: String =
            store.lock().query_row(&sql, params!["/w", 1], |row| row.get(3)).unwrap();
        assert!(plan.ends_with(index), "{plan}");
    }

    #[test]
    fn open_runs_are_found_without_reading_the_ended_ones() {
        check_plan(Which::Active, "USING INDEX runs_by_active_worktree");
        check_plan(Which::Open, "USING INDEX runs_by_open_session");
        check_plan(Which::All, "USING INDEX runs_by_start");
    }
}
