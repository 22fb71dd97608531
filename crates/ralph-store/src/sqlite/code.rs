//! The index of a project's code: derived data in a file of its own.
//!
//! It can be rebuilt from the project at any time. So hooks do not open it with
//! the store of runs, a damaged file is deleted instead of kept, and each
//! version of the format uses its own file instead of a migration.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, params};

use super::migrate::use_write_ahead_log;
use super::open::{PATIENCE, connect_plain, create_file, create_folder, creating, shorten_log};
use super::{DatabaseFault, immediately};
use crate::error::StoreError;

/// The tables. Pages are larger than usual, since the blobs have some
/// kilobytes.
const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS outlines (key INTEGER PRIMARY KEY, blob BLOB NOT NULL);
    CREATE TABLE IF NOT EXISTS facts (key INTEGER PRIMARY KEY, blob BLOB NOT NULL);
    CREATE TABLE IF NOT EXISTS folders (
        root TEXT NOT NULL, path TEXT NOT NULL, blob BLOB NOT NULL,
        PRIMARY KEY (root, path)
    ) WITHOUT ROWID;
";

/// A write-ahead log longer than this many bytes is moved into the database on
/// opening.
const LONG_LOG: u64 = 512 * 1024;

/// Minimum number of files of a large write.
const MANY: usize = 64;

/// Pages of the log at which it is moved into the database during large writes.
const LOG_PAGES: i64 = 8192;

/// The facts about one file, encoded, under a key made of its contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewFacts {
    /// A key of the contents: equal contents have equal keys.
    pub key: i64,
    /// The part that most queries need.
    pub outline: Vec<u8>,
    /// All of it.
    pub facts: Vec<u8>,
}

/// The changes in the folders of a root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FolderChanges {
    /// New or changed folders, with their contents.
    pub put: Vec<(String, Vec<u8>)>,
    /// Folders that no longer exist.
    pub removed: Vec<String>,
}

/// The database with the index of a project's code.
pub struct CodeStore {
    connection: Connection,
    path: PathBuf,
}

fn file(dir: &Path, version: u32) -> PathBuf {
    dir.join(format!("code.{version}.db"))
}

impl CodeStore {
    /// Opens the file for this version of the format, or creates it.
    ///
    /// A damaged file is deleted, and so are files of earlier versions.
    pub fn open(dir: &Path, version: u32) -> Result<Self, StoreError> {
        create_folder(dir)?;
        let path = file(dir, version);
        match Self::open_file(&path) {
            Err(StoreError::Damaged { .. }) => Self::open_anew(dir, version),
            opened => opened,
        }
    }

    /// Deletes the file for this version of the format and creates another.
    ///
    /// Use it for damage that opening does not detect. Processes that have the
    /// old file open keep using it.
    pub fn open_anew(dir: &Path, version: u32) -> Result<Self, StoreError> {
        let path = file(dir, version);
        remove(&path);
        Self::open_file(&path)
    }

    /// Returns true if a file for this version of the format exists.
    pub fn is_there(dir: &Path, version: u32) -> bool {
        file(dir, version).exists()
    }

    /// Creates a store in memory, for projects whose state folder is not
    /// writable.
    pub fn in_memory() -> Result<Self, StoreError> {
        let path = PathBuf::from(":memory:");
        let made =
            Connection::open_in_memory().map_err(DatabaseFault::from).and_then(|connection| {
                connection.execute_batch(TABLES)?;
                Ok(connection)
            });
        let connection = made.map_err(|fault| fault.at(&path))?;
        Ok(Self { connection, path })
    }

    fn open_file(path: &Path) -> Result<Self, StoreError> {
        let is_new = !path.exists();
        create_file(path)?;
        drop(creating());
        if is_new {
            remove_earlier(path);
        }
        let made = connect_plain(path).and_then(|mut connection| {
            prepare(&mut connection)?;
            shorten_log(&connection, path, LONG_LOG)?;
            Ok(connection)
        });
        let connection = made.map_err(|fault| fault.at(path))?;
        Ok(Self { connection, path: path.to_owned() })
    }

    /// Deletes everything, for contents that make no sense.
    pub fn clear(&mut self) -> Result<(), StoreError> {
        let cleared = immediately(&mut self.connection, |tx| {
            tx.execute_batch("DELETE FROM outlines; DELETE FROM facts; DELETE FROM folders")?;
            Ok(())
        });
        cleared.map_err(|fault| fault.at(&self.path))
    }

    /// Returns the folders of a root, by path.
    pub fn folders(&self, root: &str) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT path, blob FROM folders WHERE root = $1 ORDER BY path";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map([root], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Returns all roots that have folders.
    pub fn roots(&self) -> Result<Vec<String>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT DISTINCT root FROM folders")?;
            let rows = statement.query_map([], |row| row.get(0))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Calls `each` with every outline.
    pub fn outlines(&self, mut each: impl FnMut(i64, &[u8])) -> Result<(), StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT key, blob FROM outlines")?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let blob = row.get_ref(1)?.as_blob().unwrap_or_default();
                each(row.get(0)?, blob);
            }
            Ok(())
        })
    }

    /// Returns the keys of all known contents.
    pub fn keys(&self) -> Result<HashSet<i64>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT key FROM outlines")?;
            let rows = statement.query_map([], |row| row.get(0))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Returns true if these contents are known.
    pub fn has(&self, key: i64) -> Result<bool, StoreError> {
        self.read(|connection| {
            let sql = "SELECT 1 FROM outlines WHERE key = $1";
            Ok(connection.prepare_cached(sql)?.exists([key])?)
        })
    }

    /// Returns the size of the file in bytes.
    pub fn size(&self) -> Result<u64, StoreError> {
        self.read(|connection| {
            let number = |sql| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
            let bytes = number("PRAGMA page_count")?.saturating_mul(number("PRAGMA page_size")?);
            Ok(u64::try_from(bytes).unwrap_or(0))
        })
    }

    /// Returns the number of known contents.
    pub fn len(&self) -> Result<usize, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT count(*) FROM outlines")?;
            let count: i64 = statement.query_row([], |row| row.get(0))?;
            Ok(usize::try_from(count).unwrap_or(0))
        })
    }

    /// Returns true if no contents are known.
    pub fn is_empty(&self) -> Result<bool, StoreError> {
        Ok(self.len()? == 0)
    }

    /// Returns the outline of some contents.
    pub fn outline(&self, key: i64) -> Result<Option<Vec<u8>>, StoreError> {
        self.blob("SELECT blob FROM outlines WHERE key = $1", key)
    }

    /// Returns all facts of some contents.
    pub fn facts(&self, key: i64) -> Result<Option<Vec<u8>>, StoreError> {
        self.blob("SELECT blob FROM facts WHERE key = $1", key)
    }

    fn blob(&self, sql: &str, key: i64) -> Result<Option<Vec<u8>>, StoreError> {
        self.read(|connection| {
            Ok(connection.prepare_cached(sql)?.query_row([key], |row| row.get(0)).optional()?)
        })
    }

    /// Adds facts and changes folders in one transaction.
    pub fn write(
        &mut self,
        root: &str,
        facts: &[NewFacts],
        folders: &FolderChanges,
    ) -> Result<(), StoreError> {
        if facts.len() >= MANY {
            // Moving the log into the database meanwhile would write the same
            // pages often.
            self.read(|connection| {
                Ok(connection.pragma_update(None, "wal_autocheckpoint", LOG_PAGES)?)
            })?;
        }
        // In key order, each page of the file is written once.
        let mut facts: Vec<&NewFacts> = facts.iter().collect();
        facts.sort_unstable_by_key(|new| new.key);
        let written = immediately(&mut self.connection, |tx| {
            // Statements are prepared only when needed: for one changed file
            // preparing takes longer than executing.
            for new in facts {
                let sql = "INSERT OR REPLACE INTO outlines (key, blob) VALUES ($1, $2)";
                tx.prepare_cached(sql)?.execute(params![new.key, new.outline])?;
                let sql = "INSERT OR REPLACE INTO facts (key, blob) VALUES ($1, $2)";
                tx.prepare_cached(sql)?.execute(params![new.key, new.facts])?;
            }
            for (path, blob) in &folders.put {
                let sql = "INSERT OR REPLACE INTO folders (root, path, blob) VALUES ($1, $2, $3)";
                tx.prepare_cached(sql)?.execute(params![root, path, blob])?;
            }
            for path in &folders.removed {
                let sql = "DELETE FROM folders WHERE root = $1 AND path = $2";
                tx.prepare_cached(sql)?.execute(params![root, path])?;
            }
            Ok(())
        });
        written.map_err(|fault| fault.at(&self.path))
    }

    /// Deletes the facts of some contents.
    pub fn forget(&mut self, keys: &[i64]) -> Result<(), StoreError> {
        let forgotten = immediately(&mut self.connection, |tx| {
            for key in keys {
                tx.prepare_cached("DELETE FROM outlines WHERE key = $1")?.execute([key])?;
                tx.prepare_cached("DELETE FROM facts WHERE key = $1")?.execute([key])?;
            }
            Ok(())
        });
        forgotten.map_err(|fault| fault.at(&self.path))
    }

    /// Deletes the folders of the roots in `gone`, and all contents except
    /// those in `keys`.
    pub fn keep_only(&mut self, gone: &[String], keys: &[i64]) -> Result<(), StoreError> {
        let kept = immediately(&mut self.connection, |tx| {
            for root in gone {
                tx.execute("DELETE FROM folders WHERE root = $1", [root])?;
            }
            tx.execute_batch("CREATE TEMP TABLE IF NOT EXISTS kept (key INTEGER PRIMARY KEY)")?;
            tx.execute_batch("DELETE FROM kept")?;
            let mut keep = tx.prepare_cached("INSERT OR IGNORE INTO kept (key) VALUES ($1)")?;
            for key in keys {
                keep.execute([key])?;
            }
            for table in ["outlines", "facts"] {
                let sql = format!("DELETE FROM {table} WHERE key NOT IN (SELECT key FROM kept)");
                tx.execute(&sql, [])?;
            }
            Ok(())
        });
        kept.map_err(|fault| fault.at(&self.path))?;
        self.read(|connection| {
            // Each step frees one page.
            let mut vacuum = connection.prepare("PRAGMA incremental_vacuum")?;
            let mut rows = vacuum.query([])?;
            while rows.next()?.is_some() {}
            Ok(())
        })
    }

    /// Moves the log into the file, which pays off after large writes.
    pub fn settle(&self) -> Result<(), StoreError> {
        self.read(|connection| {
            // The log can stay: the next writer moves it.
            let _ = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
            Ok(())
        })
    }

    fn read<T>(
        &self,
        job: impl FnOnce(&Connection) -> Result<T, DatabaseFault>,
    ) -> Result<T, StoreError> {
        job(&self.connection).map_err(|fault| fault.at(&self.path))
    }
}

fn prepare(connection: &mut Connection) -> Result<(), DatabaseFault> {
    let sql = "SELECT count(*) FROM sqlite_schema WHERE name IN ('outlines', 'facts', 'folders')";
    let tables: i64 = connection.query_row(sql, [], |row| row.get(0))?;
    if tables == 3 {
        return Ok(());
    }
    connection.execute_batch("PRAGMA page_size = 16384; PRAGMA auto_vacuum = INCREMENTAL")?;
    use_write_ahead_log(connection, PATIENCE)?;
    immediately(connection, |tx| Ok(tx.execute_batch(TABLES)?))
}

fn remove(path: &Path) {
    for suffix in ["", "-wal", "-shm"] {
        let mut file = path.as_os_str().to_owned();
        file.push(suffix);
        // A file that stays is found damaged again and reported then.
        let _ = fs::remove_file(file);
    }
}

/// Removes the files of earlier versions in the same folder.
fn remove_earlier(path: &Path) {
    let Some(present) = version_of(path) else { return };
    let entries = path.parent().and_then(|dir| fs::read_dir(dir).ok()).into_iter().flatten();
    for entry in entries.flatten() {
        let earlier = entry.path();
        if version_of(&earlier).is_some_and(|version| version < present) {
            remove(&earlier);
        }
    }
}

fn version_of(path: &Path) -> Option<u32> {
    path.file_name()?.to_str()?.strip_prefix("code.")?.strip_suffix(".db")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(key: i64) -> NewFacts {
        NewFacts { key, outline: vec![1], facts: vec![2, 3] }
    }

    #[test]
    fn what_was_written_is_there_for_the_next_process() {
        let dir = tempfile::tempdir().unwrap();
        let folders = FolderChanges { put: vec![("src".into(), vec![7])], removed: Vec::new() };
        CodeStore::open(dir.path(), 1).unwrap().write("/a", &[facts(-5)], &folders).unwrap();
        let mut store = CodeStore::open(dir.path(), 1).unwrap();
        assert_eq!(store.folders("/a").unwrap(), [("src".to_owned(), vec![7])]);
        assert_eq!(store.folders("/b").unwrap(), []);
        assert_eq!(store.facts(-5).unwrap(), Some(vec![2, 3]));
        assert_eq!(store.outline(6).unwrap(), None);
        assert!(store.has(-5).unwrap() && !store.has(6).unwrap());
        let removed = FolderChanges { put: Vec::new(), removed: vec!["src".into()] };
        store.write("/a", &[], &removed).unwrap();
        assert_eq!(store.folders("/a").unwrap(), []);
    }

    #[test]
    fn a_damaged_file_is_made_anew() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("code.1.db"), "nonsense ".repeat(1000)).unwrap();
        let store = CodeStore::open(dir.path(), 1).unwrap();
        assert!(store.is_empty().unwrap());
    }

    #[test]
    fn an_earlier_version_leaves_no_file_behind() {
        let dir = tempfile::tempdir().unwrap();
        drop(CodeStore::open(dir.path(), 1).unwrap());
        drop(CodeStore::open(dir.path(), 2).unwrap());
        assert!(!dir.path().join("code.1.db").exists());
        assert!(dir.path().join("code.2.db").exists());
    }

    #[test]
    fn contents_that_nobody_has_are_forgotten() {
        let mut store = CodeStore::in_memory().unwrap();
        let folders = FolderChanges { put: vec![(String::new(), vec![7])], removed: Vec::new() };
        store.write("/gone", &[facts(1), facts(2)], &folders).unwrap();
        store.keep_only(&["/gone".to_owned()], &[2]).unwrap();
        assert_eq!(store.roots().unwrap(), Vec::<String>::new());
        assert_eq!((store.facts(1).unwrap(), store.len().unwrap()), (None, 1));
    }
}
