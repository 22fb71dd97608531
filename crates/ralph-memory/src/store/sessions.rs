//! Sessions, and what was done in them.

use ralph_core::locale::Locale;
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};

use crate::error::StorageFault;
use crate::resume::resume_context;
use crate::session::{SessionFilter, SessionObservation, SessionRecord};

/// Observations that are kept: the latest.
const KEPT: i64 = 50_000;

/// The session with this id.
pub(crate) fn read(
    connection: &Connection,
    id: &str,
) -> Result<Option<SessionRecord>, StorageFault> {
    let mut statement = connection.prepare_cached("SELECT session FROM sessions WHERE id = ?1")?;
    let text: Option<String> = statement.query_row([id], |row| row.get(0)).optional()?;
    text.map(|text| parsed(&text)).transpose()
}

/// Writes a session in place of what was known of it.
pub(crate) fn write(connection: &Connection, session: &SessionRecord) -> Result<(), StorageFault> {
    let sql = "INSERT OR REPLACE INTO sessions (id, session, resume_context) VALUES (?1, ?2, ?3)";
    let context = resume_context(session, Locale::En);
    connection.prepare_cached(sql)?.execute(params![session.id, json(session), context])?;
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
        "SELECT session FROM sessions WHERE {conditions} ORDER BY updated DESC, id LIMIT {limit}"
    );
    let mut statement = connection.prepare(&sql)?;
    let rows = statement.query_map(params_from_iter(values), |row| row.get::<_, String>(0))?;
    rows.map(|text| parsed(&text?)).collect()
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
    let sql = "INSERT INTO observations (at, observation) VALUES (?1, ?2) RETURNING number";
    let mut row = connection.prepare_cached(sql)?;
    let mut of_file =
        connection.prepare_cached("INSERT OR IGNORE INTO observation_files VALUES (?1, ?2)")?;
    for done in new {
        let number: i64 = row.query_row(params![done.at, json(done)], |row| row.get(0))?;
        for file in &done.files {
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
        "SELECT observation FROM observations \
         WHERE at >= {since} {about}ORDER BY at DESC, number DESC LIMIT {limit}"
    );
    let mut statement = connection.prepare(&sql)?;
    let rows = statement.query_map(params_from_iter(list), |row| row.get::<_, String>(0))?;
    rows.map(|text| parsed(&text?)).collect()
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

fn json(value: &impl serde::Serialize) -> String {
    // Texts, numbers and lists of them all have a form in JSON.
    serde_json::to_string(value).unwrap_or_default()
}

fn parsed<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, StorageFault> {
    serde_json::from_str(text)
        .map_err(|error| StorageFault::Damaged(format!("a session has {error}")))
}
