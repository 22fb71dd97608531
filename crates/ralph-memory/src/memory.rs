//! The front door.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::error::{MemoryError, StorageFault};
use crate::ranking::RankingWeights;
use crate::store::counters::DocumentTotals;
use crate::store::open::{
    DatabaseFileId, LargeCache, LockPatience, NOTEBOOK, OpenDatabase, file_id, fold_log, open,
    open_nowhere, path_in,
};
use crate::store::words;

/// All that is remembered in one folder.
///
/// Processes and threads may share the folder, each with its own `SearchIndex`.
/// Writers queue for some seconds; readers never wait.
pub(crate) struct SearchIndex {
    pub(crate) connection: Connection,
    path: PathBuf,
    file: Option<DatabaseFileId>,
    pub(crate) ranking: RankingWeights,
}

impl SearchIndex {
    /// Opens the memory of a folder for somebody with so much patience.
    pub(crate) fn open_within(dir: &Path, patience: LockPatience) -> Result<Self, MemoryError> {
        let OpenDatabase { connection, path, file } = open(dir, patience)?;
        let probe = connection.prepare_cached("SELECT 1 FROM places LIMIT 1").map(drop);
        probe.map_err(|error| StorageFault::from(error).at(&path))?;
        Ok(Self { connection, path, file, ranking: RankingWeights::default() })
    }

    /// An empty memory that is gone with this value, for a folder that takes
    /// no file.
    pub(crate) fn open_nowhere(dir: &Path) -> Result<Self, MemoryError> {
        let path = path_in(dir);
        let connection = open_nowhere(&NOTEBOOK).map_err(|fault| fault.at(&path))?;
        Ok(Self { connection, path, file: None, ranking: RankingWeights::default() })
    }

    /// The database file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// How many notes there are.
    pub(crate) fn count(&self) -> Result<u64, MemoryError> {
        self.read(|tx| Ok(u64::try_from(DocumentTotals::read(tx)?.documents).unwrap_or(0)))
    }

    /// Makes the index as small and fast as it gets; takes seconds when large.
    pub(crate) fn tidy(&self) -> Result<(), MemoryError> {
        let cache = LargeCache::new(&self.connection);
        self.write(|tx| words::merge(tx))?;
        drop(cache);
        self.shrink()
    }

    /// Gives room that is no longer used back to the disk.
    pub(crate) fn shrink(&self) -> Result<(), MemoryError> {
        give_back(&self.connection).map_err(|fault| fault.at(&self.path))?;
        fold_log(&self.connection);
        Ok(())
    }

    /// One state of the database for all of `job`.
    pub(crate) fn read<T>(
        &self,
        job: impl FnOnce(&Transaction<'_>) -> Result<T, StorageFault>,
    ) -> Result<T, MemoryError> {
        self.transaction(TransactionBehavior::Deferred, job)
    }

    /// All of `job` or nothing, with the write lock from the beginning.
    pub(crate) fn write<T>(
        &self,
        job: impl FnOnce(&Transaction<'_>) -> Result<T, StorageFault>,
    ) -> Result<T, MemoryError> {
        self.transaction(TransactionBehavior::Immediate, job)
    }

    fn transaction<T>(
        &self,
        behavior: TransactionBehavior,
        job: impl FnOnce(&Transaction<'_>) -> Result<T, StorageFault>,
    ) -> Result<T, MemoryError> {
        let run = || {
            let tx = Transaction::new_unchecked(&self.connection, behavior)?;
            let value = job(&tx)?;
            if self.file.is_some_and(|own| file_id(&self.path) != Some(own)) {
                // Somebody found it damaged and makes another one. Side files
                // are opened by name, so half of what we saw may be of that.
                return Err(StorageFault::moved());
            }
            tx.commit()?;
            Ok(value)
        };
        run().map_err(|fault: StorageFault| fault.at(&self.path))
    }
}

/// Gives pages that nobody uses back to the file system. Each row that the
/// statement yields is one page, so all of them have to be asked for.
fn give_back(connection: &Connection) -> Result<(), StorageFault> {
    let mut statement = connection.prepare("PRAGMA incremental_vacuum")?;
    let mut rows = statement.query([])?;
    while rows.next()?.is_some() {}
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_file_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let memory = SearchIndex::open_within(folder.path(), LockPatience::Long).unwrap();
        memory.connection.pragma_update(None, "user_version", 99).unwrap();
        let error = SearchIndex::open_within(folder.path(), LockPatience::Long).err().unwrap();
        assert!(matches!(error, MemoryError::NewerSchema { found: 99, .. }), "{error:?}");
    }
}
