//! Sessions, and what was done in them.

use ralph_core::locale::Locale;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};

use crate::error::StorageFault;
use crate::event::SessionStatus;
use crate::resume::resume_context;
use crate::session::{PermissionMode, SessionFilter, SessionObservation, SessionRecord};

/// Observations that are kept: the latest.
const KEPT: i64 = 50_000;

const COLUMNS: &str = "id, task_id, session_id, state, mode, worktree, run, last_checkpoint, \
                       messages, files, last_failure, created, updated, is_broken, taken_up";

/// The session with this id.
pub(crate) fn read(
    connection: &Connection,
    id: &str,
) -> Result<Option<SessionRecord>, StorageFault> {
    let sql = format!("SELECT {COLUMNS} FROM sessions WHERE id = ?1");
    let mut statement = connection.prepare_cached(&sql)?;
    let raw = statement.query_row([id], RawSessionRow::of).optional()?;
    raw.map(RawSessionRow::session).transpose()
}

/// Writes a session in place of what was known of it.
pub(crate) fn write(connection: &Connection, session: &SessionRecord) -> Result<(), StorageFault> {
    let sql = "INSERT OR REPLACE INTO sessions (id, task_id, session_id, state, mode, worktree, \
               run, last_checkpoint, messages, files, last_failure, created, updated, \
               resume_context, is_broken, taken_up) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)";
    let context = resume_context(session, Locale::En);
    let SessionRecord { id, task, external, state, mode, worktree, .. } = session;
    let SessionRecord { last_checkpoint, messages, files, last_failure, created, updated, .. } =
        session;
    let SessionRecord { run, is_broken, taken_up, .. } = session;
    connection.prepare_cached(sql)?.execute(params![
        id,
        task,
        external,
        state.word(),
        mode.word(),
        worktree,
        run,
        last_checkpoint,
        json(messages),
        json(files),
        last_failure,
        created,
        updated,
        context,
        is_broken,
        taken_up,
    ])?;
    Ok(())
}

/// Of what nothing is left, or nothing ever was, there is nothing to go on with;
/// it is told of only while it may go on by itself.
const IS_THERE: &str = "(task_id IS NOT NULL OR last_failure IS NOT NULL OR messages <> '[]' \
                        OR files <> '[]' OR state = 'active')";

/// The conditions that a session meets, and the values in them.
fn conditions(wanted: &SessionFilter) -> (String, Vec<String>) {
    let mut conditions = vec![IS_THERE.to_owned()];
    let mut values: Vec<String> = Vec::new();
    if !wanted.states.is_empty() {
        let places = vec!["?"; wanted.states.len()].join(", ");
        conditions.push(format!("state IN ({places})"));
        values.extend(wanted.states.iter().map(|state| state.word().to_owned()));
    }
    let equal = [("worktree", &wanted.worktree), ("task_id", &wanted.task), ("run", &wanted.run)];
    for (column, value) in equal {
        if let Some(value) = value {
            conditions.push(format!("{column} = ?"));
            values.push(value.clone());
        }
    }
    (conditions.join(" AND "), values)
}

/// How many sessions there are, whatever the limit.
pub(crate) fn count(
    connection: &Connection,
    wanted: &SessionFilter,
) -> Result<usize, StorageFault> {
    let (conditions, values) = conditions(wanted);
    let sql = format!("SELECT count(*) FROM sessions WHERE {conditions}");
    let count: i64 =
        connection.prepare(&sql)?.query_row(params_from_iter(values), |row| row.get(0))?;
    Ok(usize::try_from(count).unwrap_or(0))
}

/// Sessions, the latest first.
pub(crate) fn list(
    connection: &Connection,
    wanted: &SessionFilter,
) -> Result<Vec<SessionRecord>, StorageFault> {
    let (conditions, values) = conditions(wanted);
    let limit = wanted.limit.map_or(-1, |limit| i64::try_from(limit).unwrap_or(i64::MAX));
    let sql = format!(
        "SELECT {COLUMNS} FROM sessions WHERE {conditions} ORDER BY updated DESC, id LIMIT {limit}"
    );
    let mut statement = connection.prepare(&sql)?;
    let rows = statement.query_map(params_from_iter(values), RawSessionRow::of)?;
    rows.map(|raw| raw.map_err(StorageFault::from).and_then(RawSessionRow::session)).collect()
}

/// What a session is called: by us, by its host, and by its run.
pub(crate) type SessionNames = (String, Option<String>, Option<String>);

/// The names of all sessions, the latest first.
pub(crate) fn names(connection: &Connection) -> Result<Vec<SessionNames>, StorageFault> {
    let sql = format!(
        "SELECT id, session_id, run FROM sessions WHERE {IS_THERE} ORDER BY updated DESC, id"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// What whoever goes on with a session has to know.
pub(crate) fn context(connection: &Connection, id: &str) -> Result<Option<String>, StorageFault> {
    let sql = "SELECT resume_context FROM sessions WHERE id = ?1";
    Ok(connection.prepare_cached(sql)?.query_row([id], |row| row.get(0)).optional()?)
}

/// Adds observations behind all others.
pub(crate) fn observe(
    connection: &Connection,
    new: &[SessionObservation],
) -> Result<(), StorageFault> {
    if new.is_empty() {
        return Ok(());
    }
    let mut row = connection.prepare_cached(
        "INSERT INTO observations (at, session, tool, files, about, error) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6) RETURNING number",
    )?;
    let mut of_file =
        connection.prepare_cached("INSERT OR IGNORE INTO observation_files VALUES (?1, ?2)")?;
    for SessionObservation { at, session, tool, files, about, error } in new {
        let values = params![at, session, tool, json(files), about, error];
        let number: i64 = row.query_row(values, |row| row.get(0))?;
        for file in files {
            of_file.execute(params![file, number])?;
        }
    }
    for (table, column) in [("observation_files", "observation"), ("observations", "number")] {
        let sql = format!(
            "DELETE FROM {table} WHERE {column} <= (SELECT max(number) FROM observations) - {KEPT}"
        );
        connection.prepare_cached(&sql)?.execute([])?;
    }
    Ok(())
}

/// What was done to files since a moment, the latest first; to any files if
/// none is named.
pub(crate) fn timeline(
    connection: &Connection,
    files: &[String],
    (since, limit): (i64, usize),
) -> Result<Vec<SessionObservation>, StorageFault> {
    let about = if files.is_empty() {
        ""
    } else {
        "AND number IN (SELECT observation FROM observation_files \
         WHERE file IN (SELECT value FROM json_each(?1))) "
    };
    // One list, as the places in a statement are limited.
    let list = (!files.is_empty()).then(|| json(&files));
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let sql = format!(
        "SELECT at, session, tool, files, about, error FROM observations \
         WHERE at >= {since} {about}ORDER BY at DESC, number DESC LIMIT {limit}"
    );
    let mut statement = connection.prepare(&sql)?;
    let rows = statement.query_map(params_from_iter(list), |row| {
        let files: String = row.get(3)?;
        let observation = SessionObservation {
            at: row.get(0)?,
            session: row.get(1)?,
            tool: row.get(2)?,
            files: Vec::new(),
            about: row.get(4)?,
            error: row.get(5)?,
        };
        Ok((files, observation))
    })?;
    let whole = |(files, observation): (String, SessionObservation)| {
        Ok(SessionObservation { files: parsed(&files)?, ..observation })
    };
    rows.map(|row| row.map_err(StorageFault::from).and_then(whole)).collect()
}

/// Remembers that a commit was noticed; says whether it is new.
pub(crate) fn notice(connection: &Connection, commit: &str) -> Result<bool, StorageFault> {
    let sql = "INSERT OR IGNORE INTO commits SELECT ?1, count(*) FROM commits";
    Ok(connection.prepare_cached(sql)?.execute([commit])? > 0)
}

/// Whether a commit was noticed.
pub(crate) fn is_noticed(connection: &Connection, commit: &str) -> Result<bool, StorageFault> {
    let sql = "SELECT 1 FROM commits WHERE hash = ?1";
    Ok(connection.prepare_cached(sql)?.exists([commit])?)
}

/// Forgets all sessions and all that was done in them.
pub(crate) fn clear(connection: &Connection) -> Result<(), StorageFault> {
    Ok(connection.execute_batch(
        "DELETE FROM sessions; DELETE FROM observations; DELETE FROM observation_files; \
         DELETE FROM commits; DELETE FROM damage",
    )?)
}

/// A row as it is stored.
struct RawSessionRow {
    session: SessionRecord,
    state: String,
    mode: String,
    messages: String,
    files: String,
}

impl RawSessionRow {
    fn of(row: &Row<'_>) -> rusqlite::Result<Self> {
        let session = SessionRecord {
            id: row.get(0)?,
            task: row.get(1)?,
            external: row.get(2)?,
            worktree: row.get(5)?,
            run: row.get(6)?,
            last_checkpoint: row.get(7)?,
            last_failure: row.get(10)?,
            created: row.get(11)?,
            updated: row.get(12)?,
            is_broken: row.get(13)?,
            taken_up: row.get(14)?,
            ..SessionRecord::default()
        };
        let (state, mode) = (row.get(3)?, row.get(4)?);
        Ok(Self { session, state, mode, messages: row.get(8)?, files: row.get(9)? })
    }

    fn session(self) -> Result<SessionRecord, StorageFault> {
        let odd = |what: &str| StorageFault::Damaged(format!("a session has the {what}"));
        let state = SessionStatus::ALL.into_iter().find(|state| state.word() == self.state);
        let mode = PermissionMode::ALL.into_iter().find(|mode| mode.word() == self.mode);
        Ok(SessionRecord {
            state: state.ok_or_else(|| odd(&format!("state {}", self.state)))?,
            mode: mode.ok_or_else(|| odd(&format!("mode {}", self.mode)))?,
            messages: parsed(&self.messages)?,
            files: parsed(&self.files)?,
            ..self.session
        })
    }
}

fn json(value: &impl serde::Serialize) -> String {
    // Texts, numbers and lists of them all have a form in JSON.
    serde_json::to_string(value).unwrap_or_default()
}

fn parsed<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, StorageFault> {
    serde_json::from_str(text)
        .map_err(|error| StorageFault::Damaged(format!("a session has {error}")))
}
