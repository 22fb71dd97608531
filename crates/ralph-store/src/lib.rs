//! Stores runs, iterations, evidence and events so that they survive crashes.
//!
//! [`RunStore`] is the main trait. [`SqliteStore`] keeps everything in one file
//! that many short-lived processes share; [`MemoryStore`] behaves the same and
//! is lost on exit. Every decision about a run is a compare-and-swap, so of
//! several processes that react to one event exactly one wins.

#[doc(hidden)]
pub mod contract;
mod error;
mod event;
mod iteration;
mod memory;
mod redaction;
mod row;
mod run_store;
mod sqlite;

pub use error::StoreError;
pub use event::{EventQuery, NewEvent, StoredEvent};
pub use iteration::IterationRecord;
pub use memory::MemoryStore;
pub use run_store::{
    GatePass, OwnerRequest, RunQuery, RunStateFilter, RunStep, RunStore, RunVersion,
};
pub use sqlite::{CodeStore, FolderChanges, NewFacts, OpenedStore, SqliteStore};
