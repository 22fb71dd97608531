//! Opening the file, and creating it.

use std::fs::{self, DirBuilder};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use crate::error::{MemoryError, StorageFault};

/// How long somebody can wait for others who write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LockPatience {
    /// As long as it takes: a large import holds the lock for seconds.
    #[default]
    Long,
    /// Not at all, to speak of: a host waits for the answer. What is not read by
    /// then is not there yet, and what is written comes later.
    Short,
}

impl LockPatience {
    const fn limit(self) -> Duration {
        match self {
            Self::Long => Duration::from_secs(30),
            Self::Short => Duration::from_millis(20),
        }
    }
}

/// Pause between two attempts to switch the journal.
const RETRY_PAUSE: Duration = Duration::from_millis(5);

/// Statements that stay prepared: more than there are.
const STATEMENTS: usize = 64;

/// A log longer than this many bytes is folded in on opening: whoever opens
/// the file alone reads all of it.
const LONG_LOG: u64 = 256 * 1024;

/// Memory for pages, in KiB.
const USUAL_CACHE: i64 = 8 * 1024;

/// The same while much is written: pages that do not fit are written twice.
const LARGE_CACHE: i64 = 96 * 1024;

/// The tables of a database of derived data: another version is built anew.
pub(crate) struct DatabaseLayout {
    pub(crate) version: i64,
    pub(crate) tables: &'static str,
}

/// The tables of the notebook.
pub(crate) const NOTEBOOK: DatabaseLayout =
    DatabaseLayout { version: StorageFault::SCHEMA, tables: include_str!("schema.sql") };

/// The database of a folder.
pub(crate) fn path_in(dir: &Path) -> PathBuf {
    dir.join("memory.1.db")
}

/// A database that was opened.
pub(crate) struct OpenDatabase {
    pub(crate) connection: Connection,
    pub(crate) path: PathBuf,
    /// Which file it was.
    pub(crate) file: Option<DatabaseFileId>,
}

/// Tells files apart that had the same name one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DatabaseFileId(u64, u64);

/// Opens the database of a folder, and creates both if needed.
pub(crate) fn open(dir: &Path, patience: LockPatience) -> Result<OpenDatabase, MemoryError> {
    create_folder(dir)?;
    let path = path_in(dir);
    let before = file_id(&path);
    let connection = connect(&path, &NOTEBOOK, patience).map_err(|fault| fault.at(&path))?;
    let file = before.or_else(|| file_id(&path));
    Ok(OpenDatabase { connection, path, file })
}

/// The file that has a name now; `None` if there is none, or nobody can tell.
pub(crate) fn file_id(path: &Path) -> Option<DatabaseFileId> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        fs::metadata(path).ok().map(|facts| DatabaseFileId(facts.dev(), facts.ino()))
    }
    #[cfg(not(unix))]
    {
        // Not used here.
        let _ = path;
        None
    }
}

/// A database in memory.
pub(crate) fn open_nowhere(layout: &DatabaseLayout) -> Result<Connection, StorageFault> {
    let connection = Connection::open_in_memory()?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    clear(&connection, layout)?;
    Ok(connection)
}

/// Creates a folder that only the owner can read, if there is none.
pub(crate) fn create_folder(dir: &Path) -> Result<(), MemoryError> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir).map_err(|source| MemoryError::Io { path: dir.to_owned(), source })
}

/// Opens a database, and creates the file and its tables if needed.
pub(crate) fn connect(
    path: &Path,
    layout: &DatabaseLayout,
    patience: LockPatience,
) -> Result<Connection, StorageFault> {
    let is_new = !path.exists();
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    if is_new {
        // By name: closing a descriptor of ours would drop SQLite's locks. The
        // side files get the same mode. Where it cannot be set, the folder's
        // mode protects the file.
        let _ = owner_only(path);
    }
    connection.busy_timeout(patience.limit())?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.execute_batch("PRAGMA synchronous = NORMAL")?;
    set_cache(&connection, USUAL_CACHE)?;
    create_tables(&connection, layout, patience)?;
    shorten_log(&connection, path, patience)?;
    Ok(connection)
}

fn owner_only(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
    }
    // Not used here.
    let _ = path;
    Ok(())
}

/// Creates the tables; any number of processes may do so at once.
fn create_tables(
    connection: &Connection,
    layout: &DatabaseLayout,
    patience: LockPatience,
) -> Result<(), StorageFault> {
    let version = || -> Result<i64, StorageFault> {
        let found: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        if found > layout.version { Err(StorageFault::NewerSchema(found)) } else { Ok(found) }
    };
    if version()? == layout.version {
        return Ok(());
    }
    // Without effect once there is a table. In larger pages less is left over
    // between lists.
    connection.execute_batch("PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL")?;
    use_write_ahead_log(connection, patience)?;
    let tx = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    if version()? != layout.version {
        clear(&tx, layout)?;
    }
    Ok(tx.commit()?)
}

/// Throws away all that is stored, of an older schema too: it is derived. What was there
/// is overwritten.
pub(crate) fn clear(connection: &Connection, layout: &DatabaseLayout) -> Result<(), StorageFault> {
    connection.pragma_update(None, "secure_delete", true)?;
    let tables: Vec<String> = connection
        .prepare(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' \
             ORDER BY sql NOT LIKE 'CREATE VIRTUAL%'",
        )?
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    // The tables of an index go with it.
    for table in tables.iter().map(|name| name.replace('"', "\"\"")) {
        connection.execute_batch(&format!("DROP TABLE IF EXISTS \"{table}\""))?;
    }
    connection.execute_batch(layout.tables)?;
    Ok(connection.pragma_update(None, "user_version", layout.version)?)
}

/// Deletes a database that cannot be used any more, with what belongs to it.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    // The log of changes first: left alone, it would be taken for that of the
    // next file.
    for end in ["-wal", "-shm", ""] {
        let mut file = path.as_os_str().to_owned();
        file.push(end);
        match fs::remove_file(&file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

/// The switch needs the file to itself and does not wait by itself.
fn use_write_ahead_log(
    connection: &Connection,
    patience: LockPatience,
) -> Result<(), StorageFault> {
    let deadline = Instant::now() + patience.limit();
    loop {
        match connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())) {
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

/// Empties a long log, unless others are at work.
fn shorten_log(
    connection: &Connection,
    path: &Path,
    patience: LockPatience,
) -> Result<(), StorageFault> {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    if fs::metadata(&log).is_ok_and(|facts| facts.len() > LONG_LOG) {
        connection.busy_timeout(Duration::ZERO)?;
        fold_log(connection);
        connection.busy_timeout(patience.limit())?;
    }
    Ok(())
}

fn set_cache(connection: &Connection, kib: i64) -> Result<(), StorageFault> {
    Ok(connection.pragma_update(None, "cache_size", -kib)?)
}

/// More memory for pages, as long as it lives.
pub(crate) struct LargeCache<'c>(&'c Connection);

impl<'c> LargeCache<'c> {
    pub(crate) fn new(connection: &'c Connection) -> Self {
        // Without it everything works as well, only slower.
        let _ = set_cache(connection, LARGE_CACHE);
        Self(connection)
    }
}

impl Drop for LargeCache<'_> {
    fn drop(&mut self) {
        // A cache that stays large ends with the connection.
        let _ = set_cache(self.0, USUAL_CACHE);
    }
}

/// Folds the log into the file as far as others let us: a long log is slow,
/// not wrong.
pub(crate) fn fold_log(connection: &Connection) {
    // The log can stay: the next writer moves it.
    let _ = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
}
