//! The store of a running loop. The agent may delete it during the run.

use std::path::{Path, PathBuf};

use ralph_core::Run;
use ralph_store::{SqliteStore, StoreError};

/// An open store and its folder.
pub struct RunLedger {
    home: PathBuf,
    store: SqliteStore,
}

impl RunLedger {
    /// Opens the store in a state home, creating it if needed. Also returns the
    /// damaged file that was left in place, if any.
    pub fn open(home: &Path) -> Result<(Self, Option<PathBuf>), StoreError> {
        let opened = SqliteStore::open(home)?;
        Ok((Self { home: home.to_owned(), store: opened.store }, opened.damaged))
    }

    /// Opens the store in a state home if there is one; creates nothing.
    pub fn open_existing(home: &Path) -> Result<Option<Self>, StoreError> {
        let opened = SqliteStore::open_unseen(home)?;
        Ok(opened.map(|opened| Self { home: home.to_owned(), store: opened.store }))
    }

    /// Returns the store.
    pub fn store(&self) -> &SqliteStore {
        &self.store
    }

    /// Returns the state home.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Returns true if the folder around our state home is gone, as after the
    /// deletion of a whole repository.
    pub(crate) fn place_is_gone(&self) -> bool {
        self.home.parent().is_some_and(|place| !place.exists())
    }

    /// Continues in another state home, and stores the run there.
    pub(crate) fn move_to(&mut self, home: &Path, run: &Run) -> Result<(), StoreError> {
        let (moved, _) = Self::open(home)?;
        moved.adopt(run)?;
        *self = moved;
        Ok(())
    }

    /// Leaves a damaged store in place and stores the run in a new one.
    pub(crate) fn begin_next_generation(&mut self, run: &Run) -> Result<(), StoreError> {
        self.store = self.store.abandon()?.store;
        self.adopt(run)
    }

    /// Stores the run here, unless it is stored already.
    fn adopt(&self, run: &Run) -> Result<(), StoreError> {
        if self.store.run(&run.id)?.is_some() {
            return Ok(());
        }
        self.store.create_run(run)
    }

    /// Stores the run again if the store's file is gone. Returns true if it
    /// was.
    ///
    /// The state in memory is the newest one, so only history is lost, and the
    /// limits still apply.
    pub(crate) fn restore_if_lost(&mut self, run: &Run) -> Result<bool, StoreError> {
        if self.store.is_attached() {
            return Ok(false);
        }
        self.store = SqliteStore::open(&self.home)?.store;
        self.adopt(run)?;
        Ok(true)
    }
}
