//! The front door.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::entry::{EntryState, SearchEntry};
use crate::error::{MemoryError, StorageFault};
use crate::import::{self, EntryBatch, IdentityRule, ImportCounts};
use crate::query::{self, EntryHit, GroupHit, SearchQuery};
use crate::ranking::RankingWeights;
use crate::store::counters::DocumentTotals;
use crate::store::entries;
use crate::store::open::{
    DatabaseFileId, LargeCache, LockPatience, OpenDatabase, file_id, fold_log, open, open_nowhere,
};
use crate::store::words;

/// All that is remembered in one folder.
///
/// Processes and threads may share the folder, each with its own `SearchIndex`.
/// Writers queue for some seconds; readers never wait.
pub struct SearchIndex {
    pub(crate) connection: Connection,
    path: PathBuf,
    file: Option<DatabaseFileId>,
    pub(crate) ranking: RankingWeights,
}

impl SearchIndex {
    /// Opens the memory of a folder, and creates both if needed.
    pub fn open(dir: &Path) -> Result<Self, MemoryError> {
        Self::open_ranked(dir, RankingWeights::default())
    }

    /// Opens the memory of a folder with weights of one's own.
    pub fn open_ranked(dir: &Path, ranking: RankingWeights) -> Result<Self, MemoryError> {
        let OpenDatabase { connection, path, file } = open(dir, LockPatience::Long)?;
        Ok(Self { connection, path, file, ranking })
    }

    /// Opens the memory of a folder for somebody with so much patience.
    pub(crate) fn open_within(dir: &Path, patience: LockPatience) -> Result<Self, MemoryError> {
        let OpenDatabase { connection, path, file } = open(dir, patience)?;
        Ok(Self { connection, path, file, ranking: RankingWeights::default() })
    }

    /// An empty memory that is gone with this value, for a folder that takes
    /// no file.
    pub(crate) fn open_nowhere(dir: &Path) -> Result<Self, MemoryError> {
        let (connection, path) = open_nowhere(dir)?;
        Ok(Self { connection, path, file: None, ranking: RankingWeights::default() })
    }

    /// The database file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes entries; those that are there already are updated.
    ///
    /// Large imports are written in several transactions: after an error the
    /// entries of earlier ones stay, and the same import can be made again.
    pub fn import(
        &self,
        entries: impl IntoIterator<Item = SearchEntry>,
    ) -> Result<ImportCounts, MemoryError> {
        let mut counts = ImportCounts::default();
        let mut batch = EntryBatch::default();
        let mut batches = 0;
        for (place, entry) in (0..).zip(entries) {
            if let Some(refusal) = entry.refusal() {
                counts.refused.push((place, refusal));
                continue;
            }
            batch.push(entry, IdentityRule::AnyName, &self.ranking);
            if batch.is_full() {
                self.write_batch(std::mem::take(&mut batch), &mut counts)?;
                batches += 1;
            }
        }
        if !batch.is_empty() {
            self.write_batch(batch, &mut counts)?;
        }
        if batches > 0 {
            fold_log(&self.connection);
        }
        Ok(counts)
    }

    fn write_batch(&self, batch: EntryBatch, counts: &mut ImportCounts) -> Result<(), MemoryError> {
        let mut now = counts.clone();
        let _cache = batch.is_large().then(|| LargeCache::new(&self.connection));
        self.write(|tx| batch.write(tx, &mut now))?;
        *counts = now;
        Ok(())
    }

    /// The best entries for a query, best first. Equal scores are ordered by
    /// when the entries came.
    pub fn search(&self, query: &SearchQuery) -> Result<Vec<EntryHit>, MemoryError> {
        self.read(|tx| query::hits(tx, &self.ranking, query))
    }

    /// The best groups for a query, best first.
    pub fn search_groups(&self, query: &SearchQuery) -> Result<Vec<GroupHit>, MemoryError> {
        self.read(|tx| query::group_hits(tx, &self.ranking, query))
    }

    /// The entry with this id or external id.
    pub fn get(&self, name: &str) -> Result<Option<SearchEntry>, MemoryError> {
        self.read(|tx| {
            let Some(doc) = entries::resolve(tx, name)? else { return Ok(None) };
            entries::read(tx, doc)?.map(|known| entries::entry(tx, known)).transpose()
        })
    }

    /// Sets whether an entry still holds; says whether there is one.
    pub fn set_state(&self, name: &str, state: EntryState) -> Result<bool, MemoryError> {
        self.write(|tx| {
            let Some(doc) = entries::resolve(tx, name)? else { return Ok(false) };
            import::set_state(tx, doc, state)?;
            Ok(true)
        })
    }

    /// Removes an entry; says whether there was one.
    pub fn remove(&self, name: &str) -> Result<bool, MemoryError> {
        self.write(|tx| {
            let Some(doc) = entries::resolve(tx, name)? else { return Ok(false) };
            import::remove(tx, doc)?;
            Ok(true)
        })
    }

    /// How many entries there are.
    pub fn count(&self) -> Result<u64, MemoryError> {
        self.read(|tx| Ok(u64::try_from(DocumentTotals::read(tx)?.documents).unwrap_or(0)))
    }

    /// Makes the index as small and fast as it gets; takes seconds when large.
    pub fn tidy(&self) -> Result<(), MemoryError> {
        let cache = LargeCache::new(&self.connection);
        self.write(|tx| words::merge(tx))?;
        drop(cache);
        self.shrink()
    }

    /// Gives room that is no longer used back to the disk.
    pub fn shrink(&self) -> Result<(), MemoryError> {
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
    use crate::synthetic;

    #[test]
    fn no_page_is_left_unused() {
        let folder = tempfile::tempdir().unwrap();
        let memory = SearchIndex::open(folder.path()).unwrap();
        for first in [0, 40, 80] {
            memory
                .import((first..first + 40).flat_map(|at| synthetic::session(1, at).turns))
                .unwrap();
        }
        memory.tidy().unwrap();
        let unused: i64 =
            memory.connection.query_row("PRAGMA freelist_count", [], |row| row.get(0)).unwrap();
        assert_eq!(unused, 0);
    }

    #[test]
    fn a_newer_file_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let memory = SearchIndex::open(folder.path()).unwrap();
        memory.connection.pragma_update(None, "user_version", 9).unwrap();
        let error = SearchIndex::open(folder.path()).err().unwrap();
        assert!(matches!(error, MemoryError::NewerSchema { found: 9, .. }), "{error:?}");
    }

    #[test]
    fn a_damaged_index_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let memory = SearchIndex::open(folder.path()).unwrap();
        memory.import((0..10).flat_map(|at| synthetic::session(1, at).turns)).unwrap();
        memory.connection.execute("UPDATE words_data SET block = x'ffffffffffff'", []).unwrap();
        let text = synthetic::session(1, 0).turns.remove(0).text;
        let query = SearchQuery { text, limit: 5, ..SearchQuery::default() };
        drop(memory);
        let error = SearchIndex::open(folder.path()).unwrap().search(&query).err().unwrap();
        assert!(matches!(error, MemoryError::Damaged { .. }), "{error:?}");
    }
}
