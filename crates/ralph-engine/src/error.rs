//! Errors around a run.

use std::io;
use std::path::PathBuf;

use ralph_core::RunId;
use ralph_proc::ProcError;
use ralph_snapshot::{SnapshotError, TreeError};
use ralph_store::StoreError;

/// The reason why the engine could not continue. The run stays as it was last
/// stored.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The store refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A process could not be run.
    #[error(transparent)]
    Process(#[from] ProcError),
    /// The work tree could not be read.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// A snapshot could not be taken.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    /// A pattern for allowed changes is not valid.
    #[error(transparent)]
    Glob(#[from] ralph_tamper::GlobError),
    /// A file of ours could not be written.
    #[error("cannot write {}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// Another process owns the run now.
    #[error("{run} was taken over by another process")]
    TakenOver {
        /// The run.
        run: RunId,
    },
    /// The run cannot be resumed.
    #[error("{run} has ended ({status}), so it cannot go on")]
    NotResumable {
        /// The run.
        run: RunId,
        /// Its status.
        status: &'static str,
    },
    /// The run's owner is alive.
    #[error("{run} is being driven by process {pid}")]
    Owned {
        /// The run.
        run: RunId,
        /// Its driver.
        pid: u32,
    },
    /// The run belongs to a session of a host.
    #[error("{run} belongs to session {session}")]
    Hosted {
        /// The run.
        run: RunId,
        /// The session.
        session: String,
    },
}
