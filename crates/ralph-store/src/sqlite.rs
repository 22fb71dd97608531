//! The store on disk: one `SQLite` file shared by many processes.

mod code;
mod events;
mod iterations;
mod migrate;
mod open;
mod runs;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ralph_core::run::Owner;
use ralph_core::{Run, RunId, SessionId, Timestamp, TreeId};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

use self::open::FileIdentity;
use crate::error::StoreError;
use crate::event::{EventQuery, NewEvent, StoredEvent};
use crate::iteration::IterationRecord;
use crate::redaction::redacted;
use crate::row;
use crate::run_store::{GatePass, OwnerRequest, RunQuery, RunStep, RunVersion};

pub use self::code::{CodeStore, FolderChanges, NewFacts};
pub use self::open::OpenedStore;

/// A write transaction, which holds the write lock from its start.
type WriteTransaction<'c> = Transaction<'c>;

/// Keeps runs in one `SQLite` file.
///
/// Processes and threads may share the file, each with its own store. Writers
/// queue for the lock for some seconds; readers never wait.
pub struct SqliteStore {
    connection: Mutex<Connection>,
    path: PathBuf,
    generation: u32,
    identity: FileIdentity,
}

/// An error of a database job before the path of the file is added.
enum DatabaseFault {
    /// The store refused.
    Refused(StoreError),
    /// `SQLite` failed.
    Sqlite(rusqlite::Error),
}

impl From<StoreError> for DatabaseFault {
    fn from(error: StoreError) -> Self {
        Self::Refused(error)
    }
}

impl From<rusqlite::Error> for DatabaseFault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl DatabaseFault {
    fn at(self, path: &Path) -> StoreError {
        match self {
            Self::Refused(error) => error,
            Self::Sqlite(error) => StoreError::from_sqlite(path, error),
        }
    }
}

impl SqliteStore {
    /// The database file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns true if the file at our path is still the one that was opened.
    ///
    /// Once it is not, other processes do not see what is written here.
    pub fn is_attached(&self) -> bool {
        FileIdentity::of(&self.path).is_ok_and(|present| present == self.identity)
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        // A panic while the lock was held rolled its transaction back, so the
        // connection is still good.
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read<T>(
        &self,
        job: impl FnOnce(&Connection) -> Result<T, DatabaseFault>,
    ) -> Result<T, StoreError> {
        job(&self.lock()).map_err(|fault| fault.at(&self.path))
    }

    /// Runs `job` in one transaction, which is rolled back if `job` fails.
    ///
    /// It takes the write lock at once. A transaction that reads first and
    /// writes later fails without waiting if another process wrote in between.
    fn write<T>(
        &self,
        job: impl FnOnce(&WriteTransaction<'_>) -> Result<T, DatabaseFault>,
    ) -> Result<T, StoreError> {
        let mut connection = self.lock();
        immediately(&mut connection, job).map_err(|fault| fault.at(&self.path))
    }
}

fn immediately<T>(
    connection: &mut Connection,
    job: impl FnOnce(&WriteTransaction<'_>) -> Result<T, DatabaseFault>,
) -> Result<T, DatabaseFault> {
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let value = job(&tx)?;
    tx.commit()?;
    Ok(value)
}

/// Runs, their iterations and events.
///
/// Every method is one atomic step: it either happens as a whole, or returns an
/// error and writes nothing. Text captured from agents and tools is redacted
/// before it is stored; the task and the policy are kept verbatim.
impl SqliteStore {
    /// Stores a new run.
    ///
    /// Returns [`StoreError::WorktreeBusy`] or [`StoreError::SessionBusy`] if
    /// the run is active and it excludes another active run
    /// ([`Run::excludes`]). Returns [`StoreError::RunExists`] if the id is
    /// taken.
    pub fn create_run(&self, run: &Run) -> Result<(), StoreError> {
        self.write(|tx| runs::create(tx, run))
    }

    /// Returns the run with this id.
    pub fn run(&self, id: &RunId) -> Result<Option<Run>, StoreError> {
        self.read(|connection| runs::one(connection, id))
    }

    /// Returns the ids that begin with `prefix`, with or without `run-`: at
    /// most ten, in alphabetical order.
    pub fn run_ids(&self, prefix: &str) -> Result<Vec<RunId>, StoreError> {
        self.read(|connection| runs::ids(connection, prefix))
    }

    /// Returns the runs that match a query, newest first.
    pub fn runs(&self, query: &RunQuery) -> Result<Vec<Run>, StoreError> {
        self.read(|connection| runs::list(connection, query))
    }

    /// Returns the newest run that a session owns and that has not ended.
    pub fn run_of_session(&self, session: &SessionId) -> Result<Option<Run>, StoreError> {
        self.read(|connection| runs::of_session(connection, session))
    }

    /// Writes one step of a run: the run, the record of the iteration, events.
    ///
    /// Returns [`StoreError::Stale`] if the run is no longer at `expected`;
    /// [`StoreError::AlreadyDecided`] if the iteration has a record;
    /// [`StoreError::WorktreeBusy`] or [`StoreError::SessionBusy`] if the run
    /// would become active beside one that it excludes. A driver's heartbeat
    /// never goes back in time.
    pub fn save(&self, expected: RunVersion, step: &RunStep<'_>) -> Result<(), StoreError> {
        self.write(|tx| runs::save(tx, expected, step))
    }

    /// Gives the run to a new owner. Its epoch is raised by one, so that writes
    /// of the old owner are stale. A request to the old owner is dropped.
    ///
    /// Returns [`StoreError::Stale`] if the epoch is not the expected one;
    /// [`StoreError::SessionBusy`] if the run is active and the new owner has
    /// another active run.
    pub fn take_over(
        &self,
        id: &RunId,
        expected_epoch: u64,
        owner: &Owner,
        now: Timestamp,
    ) -> Result<Run, StoreError> {
        self.write(|tx| runs::take_over(tx, id, expected_epoch, owner, now))
    }

    /// Records that the owner is alive, and returns a request to it, if any.
    ///
    /// Returns [`StoreError::Stale`] if the epoch is not the current one.
    pub fn heartbeat(
        &self,
        id: &RunId,
        epoch: u64,
        now: Timestamp,
    ) -> Result<Option<OwnerRequest>, StoreError> {
        self.write(|tx| runs::heartbeat(tx, id, epoch, now))
    }

    /// Returns a request to the owner like [`Self::heartbeat`], but writes
    /// nothing.
    pub fn pending(&self, id: &RunId, epoch: u64) -> Result<Option<OwnerRequest>, StoreError> {
        self.read(|connection| runs::pending(connection, id, epoch))
    }

    /// Asks the owner of a run for something.
    ///
    /// The request stays until the run gets a new owner. A pause does not
    /// replace a stop, and an ended run is not changed.
    pub fn request(
        &self,
        id: &RunId,
        request: OwnerRequest,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.write(|tx| runs::request(tx, id, request, now))
    }

    /// Returns the last `last` iterations of a run, oldest first.
    pub fn iterations(&self, id: &RunId, last: u32) -> Result<Vec<IterationRecord>, StoreError> {
        self.read(|connection| iterations::last(connection, id, last))
    }

    /// Returns true if an iteration has a record.
    pub fn is_decided(&self, id: &RunId, number: u32) -> Result<bool, StoreError> {
        self.read(|connection| iterations::exists(connection, id, number))
    }

    /// Returns one iteration of a run.
    pub fn iteration(
        &self,
        id: &RunId,
        number: u32,
    ) -> Result<Option<IterationRecord>, StoreError> {
        self.read(|connection| iterations::one(connection, id, number))
    }

    /// Stores an event and returns its number.
    pub fn append(&self, event: &NewEvent) -> Result<u64, StoreError> {
        self.write(|tx| events::insert(tx, event))
    }

    /// Returns the events that match a query, oldest first.
    pub fn events(&self, query: &EventQuery) -> Result<Vec<StoredEvent>, StoreError> {
        self.read(|connection| events::list(connection, query))
    }

    /// Stores that a gate passed on a tree. `gate_key` identifies the gate and
    /// its whole configuration.
    pub fn remember_pass(
        &self,
        gate_key: &str,
        tree: &TreeId,
        pass: &GatePass,
    ) -> Result<(), StoreError> {
        let row = row::encode_pass(&redacted(pass))?;
        self.write(|tx| {
            tx.prepare_cached("INSERT OR REPLACE INTO gate_passes VALUES (?1, ?2, ?3, ?4)")?
                .execute(params![gate_key, tree.as_str(), row, pass.at.as_millis()])?;
            Ok(())
        })
    }

    /// Deletes the pass of a gate on a tree, because it failed there since.
    pub fn forget_pass(&self, gate_key: &str, tree: &TreeId) -> Result<(), StoreError> {
        self.write(|tx| {
            tx.prepare_cached("DELETE FROM gate_passes WHERE gate_key = ?1 AND tree = ?2")?
                .execute([gate_key, tree.as_str()])?;
            Ok(())
        })
    }

    /// Returns the last pass of a gate on a tree, if any.
    pub fn pass(&self, gate_key: &str, tree: &TreeId) -> Result<Option<GatePass>, StoreError> {
        let found: Option<(String, i64)> = self.read(|connection| {
            let sql =
                "SELECT reading, passed_at FROM gate_passes WHERE gate_key = ?1 AND tree = ?2";
            let mut statement = connection.prepare_cached(sql)?;
            let found = statement
                .query_row([gate_key, tree.as_str()], |row| Ok((row.get(0)?, row.get(1)?)));
            Ok(found.optional()?)
        })?;
        Ok(found.and_then(|(text, at)| row::decode_pass(&text, Timestamp::from_millis(at))))
    }

    /// Stores the duration of a gate, replacing the earlier one. `gate`
    /// identifies its name and command.
    pub fn remember_time(
        &self,
        gate: &str,
        took: Duration,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let millis = i64::try_from(took.as_millis()).unwrap_or(i64::MAX);
        self.write(|tx| {
            tx.prepare_cached("INSERT OR REPLACE INTO gate_times VALUES (?1, ?2, ?3)")?
                .execute(params![gate, millis, now.as_millis()])?;
            Ok(())
        })
    }

    /// Returns the last duration of a gate, to the millisecond, if known.
    pub fn time(&self, gate: &str) -> Result<Option<Duration>, StoreError> {
        let found: Option<i64> = self.read(|connection| {
            let sql = "SELECT millis FROM gate_times WHERE gate = ?1";
            let mut statement = connection.prepare_cached(sql)?;
            Ok(statement.query_row([gate], |row| row.get(0)).optional()?)
        })?;
        Ok(found.map(|millis| Duration::from_millis(u64::try_from(millis).unwrap_or(0))))
    }

    /// Reads everything once. Returns [`StoreError::Damaged`] if the file is
    /// damaged.
    pub fn check_integrity(&self) -> Result<(), StoreError> {
        let found: String = self.read(|connection| {
            Ok(connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?)
        })?;
        if found == "ok" {
            return Ok(());
        }
        Err(StoreError::Damaged { path: self.path.clone(), detail: found })
    }

    /// Moves the write-ahead log into the main file, as far as other processes
    /// allow.
    pub fn checkpoint(&self) -> Result<(), StoreError> {
        self.read(|connection| {
            Ok(connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?)
        })
    }
}
