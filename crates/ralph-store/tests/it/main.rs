//! The store through its public interface: the rules that it keeps.

#![expect(clippy::unwrap_used, reason = "a rule is kept or the test panics")]

mod many;
mod owners;
mod records;
mod runs;
mod sample;
mod steps;

use std::ops::Deref;

use ralph_core::run::{AgentRef, NewRun, Owner, Task};
use ralph_core::{Policy, Run};
use ralph_store::SqliteStore;
use tempfile::TempDir;

/// A new, empty store, whose folder is deleted with it.
struct EmptyStore {
    store: SqliteStore,
    _folder: TempDir,
}

impl Deref for EmptyStore {
    type Target = SqliteStore;

    fn deref(&self) -> &SqliteStore {
        &self.store
    }
}

fn open() -> EmptyStore {
    let folder = tempfile::tempdir().unwrap();
    EmptyStore { store: SqliteStore::open(folder.path()).unwrap().store, _folder: folder }
}

/// The run `run(bits)` without anything that can be left out.
pub(crate) fn bare_run(bits: u32) -> Run {
    let run = sample::run(bits);
    let new = NewRun {
        task: Task { text: "do it".to_owned(), ..Task::default() },
        worktree: run.worktree,
        agent: AgentRef::default(),
        policy: Policy::promise(),
        owner: Owner::Session(sample::session_id("bare")),
    };
    let updated_at = run.updated_at;
    Run {
        owner: None,
        epoch: 0,
        state: run.state,
        updated_at,
        ..Run::new(run.id, new, run.started_at)
    }
}
