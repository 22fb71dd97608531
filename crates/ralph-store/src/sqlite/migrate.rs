//! Migrates a database to the current schema. Migrations only add.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode};

use super::{DatabaseFault, immediately};
use crate::error::StoreError;

/// The migrations in order; the number of a schema is the count of applied
/// ones.
const MIGRATIONS: [&str; 4] = [
    include_str!("../migrations/0001_create_tables.sql"),
    include_str!("../migrations/0002_add_errands.sql"),
    include_str!("../migrations/0003_add_gate_times.sql"),
    include_str!("../migrations/0004_limit_gated_runs.sql"),
];

/// Pause between two attempts to switch the journal.
const RETRY_PAUSE: Duration = Duration::from_millis(5);

/// Returns the newest schema that this version knows.
pub(super) fn known_schema() -> u32 {
    u32::try_from(MIGRATIONS.len()).unwrap_or(u32::MAX)
}

/// Migrates the database to the current schema; a newer one is not touched.
///
/// A database that is current costs one read. Any number of processes may open
/// a new file at once: they queue, and all but the first find the work done.
pub(super) fn migrate(
    connection: &mut Connection,
    path: &Path,
    patience: Duration,
) -> Result<(), DatabaseFault> {
    if pending(connection, path)?.is_empty() {
        return Ok(());
    }
    // It has no effect once a table exists, so it comes before the first one.
    connection.execute_batch("PRAGMA auto_vacuum = INCREMENTAL")?;
    use_write_ahead_log(connection, patience)?;
    immediately(connection, |tx| {
        // Checked again under the lock: another process may have been faster.
        for migration in pending(tx, path)? {
            tx.execute_batch(migration)?;
        }
        tx.pragma_update(None, "user_version", known_schema())?;
        Ok(())
    })
}

/// Returns the migrations that the database lacks.
fn pending(connection: &Connection, path: &Path) -> Result<&'static [&'static str], DatabaseFault> {
    let found: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let Ok(found) = u32::try_from(found) else {
        let detail = format!("its schema has the number {found}");
        return Err(StoreError::Damaged { path: path.to_owned(), detail }.into());
    };
    let newer = || {
        let path = path.to_owned();
        StoreError::NewerSchema { path, found, known: known_schema() }
    };
    let applied = usize::try_from(found).unwrap_or(usize::MAX);
    Ok(MIGRATIONS.get(applied..).ok_or_else(newer)?)
}

/// Switches to the write-ahead log. The file stores the setting.
///
/// The switch needs exclusive access and does not always wait for other
/// processes, so it is retried until `patience` ends.
pub(super) fn use_write_ahead_log(
    connection: &Connection,
    patience: Duration,
) -> Result<(), DatabaseFault> {
    let deadline = Instant::now() + patience;
    loop {
        let switched = connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()));
        match switched {
            Ok(()) => return Ok(()),
            Err(error) if is_busy(&error) && Instant::now() < deadline => pause(),
            Err(error) => return Err(error.into()),
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

#[expect(clippy::disallowed_methods, reason = "other processes hold the file; nothing signals us")]
fn pause() {
    std::thread::sleep(RETRY_PAUSE);
}
