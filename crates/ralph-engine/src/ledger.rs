//! The store of a running loop, which the agent may delete under our feet.

use std::path::{Path, PathBuf};

use ralph_core::Run;
use ralph_store::{RunStore, SqliteStore, StoreError};

/// The open store and the folder it lives in.
pub struct Ledger {
    home: PathBuf,
    store: SqliteStore,
}

impl Ledger {
    /// Opens the store in a state home, creating it if need be. Also says
    /// which damaged file was left in place, if one was.
    pub fn open(home: &Path) -> Result<(Self, Option<PathBuf>), StoreError> {
        let opened = SqliteStore::open(home)?;
        Ok((Self { home: home.to_owned(), store: opened.store }, opened.damaged))
    }

    /// Opens the store in a state home if there is one; creates nothing.
    pub fn open_existing(home: &Path) -> Result<Option<Self>, StoreError> {
        let opened = SqliteStore::open_unseen(home)?;
        Ok(opened.map(|opened| Self { home: home.to_owned(), store: opened.store }))
    }

    /// The store.
    pub fn store(&self) -> &SqliteStore {
        &self.store
    }

    /// The state home.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Whether the folder that held our state home is gone, as when a whole
    /// repository was deleted.
    pub(crate) fn place_is_gone(&self) -> bool {
        self.home.parent().is_some_and(|place| !place.exists())
    }

    /// Goes on in another state home, and puts the run on record there.
    pub(crate) fn move_to(&mut self, home: &Path, run: &Run) -> Result<(), StoreError> {
        let (moved, _) = Self::open(home)?;
        moved.adopt(run)?;
        *self = moved;
        Ok(())
    }

    /// Leaves a damaged store in place and puts the run into a new one.
    pub(crate) fn begin_next_generation(&mut self, run: &Run) -> Result<(), StoreError> {
        self.store = self.store.abandon()?.store;
        self.adopt(run)
    }

    /// Puts the run on record here, unless somebody did.
    fn adopt(&self, run: &Run) -> Result<(), StoreError> {
        if self.store.run(&run.id)?.is_some() {
            return Ok(());
        }
        self.store.create_run(run)
    }

    /// Writes the run anew when the store's file has vanished; says whether it had.
    ///
    /// What is in memory is the newest state, so nothing but history is lost,
    /// and the limits still bind.
    pub(crate) fn restore_if_lost(&mut self, run: &Run) -> Result<bool, StoreError> {
        if self.store.is_attached() {
            return Ok(false);
        }
        self.store = SqliteStore::open(&self.home)?.store;
        self.adopt(run)?;
        Ok(true)
    }
}
