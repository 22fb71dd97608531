//! A store for tests.

use std::ops::Deref;

use ralph_store::SqliteStore;
use tempfile::TempDir;

/// A new, empty store, whose folder is deleted with it.
pub(crate) struct TemporaryStore {
    store: SqliteStore,
    _folder: TempDir,
}

impl TemporaryStore {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { store: SqliteStore::open(folder.path()).unwrap().store, _folder: folder }
    }
}

impl Deref for TemporaryStore {
    type Target = SqliteStore;

    fn deref(&self) -> &SqliteStore {
        &self.store
    }
}
