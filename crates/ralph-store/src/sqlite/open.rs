//! Finds, creates and opens the database of a state folder.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::migrate::migrate;
use super::{DatabaseFault, SqliteStore};
use crate::error::StoreError;

/// Longest wait of a writer for the lock.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// Number of prepared statements that are cached: more than the store has.
const STATEMENTS: usize = 64;

/// A write-ahead log longer than this many bytes is moved into the database on
/// opening.
///
/// The only process that opens a database reads its whole log and does not know
/// how much of it was moved already. Each short-lived process would do so, and
/// the log would grow for ever.
const LONG_LOG: u64 = 256 * 1024;

/// The generation of a state folder that never had a damaged database.
const FIRST_GENERATION: u32 = 1;

/// New generations that one call opens at most. A disk that damages every file
/// is reported, not filled.
const MOST_GENERATIONS: u32 = 3;

/// A store and the circumstances of its opening.
pub struct OpenedStore {
    /// The store.
    pub store: SqliteStore,
    /// The generation of the database; the first is 1.
    pub generation: u32,
    /// The damaged database that it replaces, left unchanged.
    pub damaged: Option<PathBuf>,
}

impl SqliteStore {
    /// Opens the newest database of a state folder, and creates both if needed.
    ///
    /// A damaged database is left in place and the next generation is opened.
    pub fn open(dir: &Path) -> Result<OpenedStore, StoreError> {
        create_folder(dir)?;
        let newest = newest_generation(dir)?.unwrap_or(FIRST_GENERATION);
        open_from(dir, newest, None)
    }

    /// Opens the newest database of a state folder; `None` if there is none.
    ///
    /// Creates nothing: a damaged database is an error here.
    pub fn open_existing(dir: &Path) -> Result<Option<OpenedStore>, StoreError> {
        let Some(generation) = newest_generation(dir)? else {
            return Ok(None);
        };
        let store = open_file(dir, generation, FirstRead::Now)?;
        Ok(Some(OpenedStore { store, generation, damaged: None }))
    }

    /// Opens a database like [`SqliteStore::open_existing`] without reading
    /// from it. Damage shows at the first use. For processes that live for two
    /// milliseconds.
    pub fn open_unseen(dir: &Path) -> Result<Option<OpenedStore>, StoreError> {
        let Some(generation) = newest_generation(dir)? else {
            return Ok(None);
        };
        let store = open_file(dir, generation, FirstRead::AtFirstUse)?;
        Ok(Some(OpenedStore { store, generation, damaged: None }))
    }

    /// Leaves this database in place and opens the next generation.
    ///
    /// For a database that turned out to be damaged after it was opened. If
    /// another process did so already, its database is opened.
    pub fn abandon(&self) -> Result<OpenedStore, StoreError> {
        let dir = self.path.parent().unwrap_or(Path::new("."));
        let newest = newest_generation(dir)?.unwrap_or(FIRST_GENERATION);
        open_from(dir, newest.max(self.generation.saturating_add(1)), Some(self.path.clone()))
    }
}

fn open_from(
    dir: &Path,
    first: u32,
    mut damaged: Option<PathBuf>,
) -> Result<OpenedStore, StoreError> {
    let last = first.saturating_add(MOST_GENERATIONS);
    let mut generation = first;
    loop {
        create_file(&database_path(dir, generation))?;
        match open_file(dir, generation, FirstRead::Now) {
            Ok(store) => return Ok(OpenedStore { store, generation, damaged }),
            Err(StoreError::Damaged { path, .. }) if generation < last => {
                damaged.get_or_insert(path);
                generation += 1;
            }
            Err(error) => return Err(error),
        }
    }
}

/// The moment at which a database is first read, so that damage shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FirstRead {
    Now,
    AtFirstUse,
}

fn open_file(dir: &Path, generation: u32, look: FirstRead) -> Result<SqliteStore, StoreError> {
    let path = database_path(dir, generation);
    drop(creating());
    let connection = connect(&path, look).map_err(|fault| fault.at(&path))?;
    let identity = FileIdentity::of(&path).map_err(|source| StoreError::from_io(&path, source))?;
    Ok(SqliteStore { connection: Mutex::new(connection), path, generation, identity })
}

/// Opens a connection to an existing file, for a short-lived process.
pub(super) fn connect_plain(path: &Path) -> Result<Connection, DatabaseFault> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    // Short-lived processes would otherwise pay for a checkpoint each.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    // Values do not change a plan, so no second plan is made for them.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, true)?;
    connection.execute_batch("PRAGMA synchronous = NORMAL")?;
    Ok(connection)
}

fn connect(path: &Path, look: FirstRead) -> Result<Connection, DatabaseFault> {
    let mut connection = connect_plain(path)?;
    migrate(&mut connection, path, PATIENCE)?;
    if look == FirstRead::Now {
        // Reads the schema, which every use needs, so that damage shows here.
        connection.prepare_cached("SELECT 1 FROM runs LIMIT 1")?.exists([])?;
    }
    shorten_log(&connection, path, LONG_LOG)?;
    Ok(connection)
}

/// Empties a long log, unless other processes use it or the disk refuses. A
/// long log is slow, not wrong, and the next process tries again.
pub(super) fn shorten_log(
    connection: &Connection,
    path: &Path,
    most: u64,
) -> Result<(), DatabaseFault> {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    if fs::metadata(&log).is_ok_and(|facts| facts.len() > most) {
        connection.busy_timeout(Duration::ZERO)?;
        // The log can stay: the next writer moves it.
        let _ = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        connection.busy_timeout(PATIENCE)?;
    }
    Ok(())
}

fn database_path(dir: &Path, generation: u32) -> PathBuf {
    dir.join(format!("ralph.{generation}.db"))
}

/// Returns the highest generation in the folder; `None` without folder or
/// database.
fn newest_generation(dir: &Path) -> Result<Option<u32>, StoreError> {
    let trouble = |source: io::Error| StoreError::from_io(dir, source);
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(trouble(error)),
    };
    let mut newest = None;
    for entry in entries {
        let name = entry.map_err(trouble)?.file_name();
        newest = newest.max(name.to_str().and_then(generation_of));
    }
    Ok(newest)
}

/// Reads the generation from a file name such as `ralph.1.db`.
fn generation_of(name: &str) -> Option<u32> {
    let digits = name.strip_prefix("ralph.")?.strip_suffix(".db")?;
    let generation = digits.parse().ok()?;
    // Other spellings of a number are not our files.
    (format!("{generation}") == digits).then_some(generation)
}

pub(super) fn create_folder(dir: &Path) -> Result<(), StoreError> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir).map_err(|source| StoreError::from_io(dir, source))
}

/// Waits until no thread of this process is creating a database.
///
/// By POSIX rules, closing a file drops all locks of the process on it, those
/// of other connections included. So no thread opens a database until the
/// thread that created it has closed it, and only `SQLite` opens existing ones.
pub(super) fn creating() -> MutexGuard<'static, ()> {
    static CREATING: Mutex<()> = Mutex::new(());
    CREATING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Creates the empty file that `SQLite` fills, readable by our user only.
/// `SQLite` gives its side files the same mode.
pub(super) fn create_file(path: &Path) -> Result<(), StoreError> {
    let _until_closed = creating();
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(StoreError::from_io(path, error)),
    }
}

/// The identity of a file, which tells apart files with the same name.
#[derive(PartialEq, Eq)]
pub(super) struct FileIdentity {
    #[cfg(unix)]
    device: u64,
    #[cfg(unix)]
    inode: u64,
}

impl FileIdentity {
    /// Returns the identity of the file that is at `path` now.
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        let facts = fs::metadata(path)?;
        #[cfg(unix)]
        let identity = {
            use std::os::unix::fs::MetadataExt;
            Self { device: facts.dev(), inode: facts.ino() }
        };
        #[cfg(not(unix))]
        let identity = {
            // An open file cannot be deleted there, so its existence is enough.
            let _ = facts;
            Self {}
        };
        Ok(identity)
    }
}

#[cfg(test)]
#[path = "open_tests.rs"]
mod tests;
