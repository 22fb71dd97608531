//! Stores runs, iterations, evidence and events so that they survive crashes.
//!
//! [`SqliteStore`] keeps everything in one file that many short-lived processes
//! share. Every decision about a run is a compare-and-swap, so of several
//! processes that react to one event exactly one wins.

mod error;
mod event;
mod iteration;
mod redaction;
mod row;
mod run_store;
mod sqlite;

#[cfg(test)]
extern crate self as ralph_store;

/// Values for tests inside the library and outside.
#[cfg(test)]
#[path = "../tests/it/sample.rs"]
mod sample;

pub use error::StoreError;
pub use event::{EventQuery, NewEvent, StoredEvent};
pub use iteration::IterationRecord;
pub use run_store::{GatePass, OwnerRequest, RunQuery, RunStateFilter, RunStep, RunVersion};
pub use sqlite::{CodeStore, FolderChanges, NewFacts, OpenedStore, SqliteStore};
