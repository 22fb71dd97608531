//! Errors of the store. A call that fails has written nothing.

use std::io;
use std::path::{Path, PathBuf};

use ralph_core::{Run, RunId};
use rusqlite::ErrorCode;

/// The reason why a call failed. It has written nothing.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The work tree has an active run with gates, and this run has gates too.
    #[error("run {run} is already active in this work tree")]
    WorktreeBusy {
        /// The active run.
        run: RunId,
    },
    /// The session has an active run already.
    #[error("the session already has run {run}")]
    SessionBusy {
        /// The active run.
        run: RunId,
    },
    /// Another process changed the run since it was read.
    #[error("run {run} was updated by another process")]
    Stale {
        /// The run that was to be written.
        run: RunId,
    },
    /// A run with this id exists.
    #[error("there is a run {run} already")]
    RunExists {
        /// The id in question.
        run: RunId,
    },
    /// No run has this id.
    #[error("there is no run {run}")]
    NoSuchRun {
        /// The unknown id.
        run: RunId,
    },
    /// The iteration has a record; a second one is refused.
    #[error("iteration {iteration} of run {run} is decided already")]
    AlreadyDecided {
        /// The run.
        run: RunId,
        /// The iteration's number.
        iteration: u32,
    },
    /// A newer ralph wrote the database; this one leaves it alone.
    #[error(
        "{} has schema {found}, this version of ralph knows schemas up to {known}",
        path.display()
    )]
    NewerSchema {
        /// The database.
        path: PathBuf,
        /// The schema it has.
        found: u32,
        /// The newest schema this version knows.
        known: u32,
    },
    /// The file is not a sound database.
    #[error("{} is damaged: {detail}", path.display())]
    Damaged {
        /// The database.
        path: PathBuf,
        /// The problem, in one line.
        detail: String,
    },
    /// The file or folder cannot be written to.
    #[error("{} is read-only", path.display())]
    ReadOnly {
        /// The database or its folder.
        path: PathBuf,
    },
    /// There is no room left.
    #[error("no space is left for {}", path.display())]
    DiskFull {
        /// The database or its folder.
        path: PathBuf,
    },
    /// Other processes kept the database locked for too long.
    #[error("{} stayed locked by another process", path.display())]
    Busy {
        /// The database.
        path: PathBuf,
    },
    /// The state folder or a file in it cannot be used.
    #[error("cannot use {}", path.display())]
    Io {
        /// The folder or file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A value has no stored form, or a stored form has no value.
    #[error("{what} does not fit its stored form: {detail}")]
    Unfit {
        /// The kind of value.
        what: &'static str,
        /// The problem, in one line.
        detail: String,
    },
    /// Anything else that `SQLite` reports.
    #[error("cannot use the database {}", path.display())]
    Sqlite {
        /// The database.
        path: PathBuf,
        /// The error of `SQLite`.
        source: rusqlite::Error,
    },
}

impl StoreError {
    /// Returns the error for `run`, which `other` keeps from being active.
    pub fn excluded(run: &Run, other: &Run) -> Self {
        let id = other.id.clone();
        if run.session().is_some() && run.session() == other.session() {
            Self::SessionBusy { run: id }
        } else {
            Self::WorktreeBusy { run: id }
        }
    }

    /// Returns the next step that helps, printed below the error as `hint:`.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::WorktreeBusy { run } | Self::SessionBusy { run } => {
                Some(format!("`ralph stop --run {run}` ends it"))
            }
            Self::NoSuchRun { .. } => Some("`ralph runs` lists the runs".to_owned()),
            Self::NewerSchema { .. } => Some("use the newer version of ralph here".to_owned()),
            Self::Damaged { .. } => {
                Some("the next run starts a new database and leaves this one in place".to_owned())
            }
            Self::ReadOnly { .. } | Self::Io { .. } => {
                Some("set `RALPH_HOME` to a folder that can be written to".to_owned())
            }
            Self::DiskFull { .. } => {
                Some("free some space, or set `RALPH_HOME` to another disk".to_owned())
            }
            Self::Stale { .. }
            | Self::RunExists { .. }
            | Self::AlreadyDecided { .. }
            | Self::Busy { .. }
            | Self::Unfit { .. }
            | Self::Sqlite { .. } => None,
        }
    }

    /// Turns an I/O error at `path` into the matching variant.
    pub(crate) fn from_io(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        if source.kind() == io::ErrorKind::ReadOnlyFilesystem {
            Self::ReadOnly { path }
        } else if source.kind() == io::ErrorKind::StorageFull {
            Self::DiskFull { path }
        } else {
            Self::Io { path, source }
        }
    }

    /// Turns an `SQLite` error of the database at `path` into the matching
    /// variant.
    pub(crate) fn from_sqlite(path: &Path, source: rusqlite::Error) -> Self {
        let path = path.to_owned();
        let Some(code) = source.sqlite_error_code() else {
            return Self::Sqlite { path, source };
        };
        if matches!(code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) {
            Self::Damaged { path, detail: source.to_string() }
        } else if code == ErrorCode::ReadOnly {
            Self::ReadOnly { path }
        } else if code == ErrorCode::DiskFull {
            Self::DiskFull { path }
        } else if matches!(code, ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) {
            Self::Busy { path }
        } else {
            Self::Sqlite { path, source }
        }
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::ffi;

    use super::*;

    #[track_caller]
    fn check(code: i32, want: &str) {
        let source = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
        let text = StoreError::from_sqlite(Path::new("/state/ralph.1.db"), source).to_string();
        assert!(text.starts_with(want), "{text}");
    }

    #[test]
    fn trouble_with_the_disk_names_the_file() {
        check(ffi::SQLITE_READONLY, "/state/ralph.1.db is read-only");
        check(ffi::SQLITE_READONLY_DIRECTORY, "/state/ralph.1.db is read-only");
        check(ffi::SQLITE_FULL, "no space is left for /state/ralph.1.db");
        check(ffi::SQLITE_BUSY, "/state/ralph.1.db stayed locked");
        check(ffi::SQLITE_NOTADB, "/state/ralph.1.db is damaged");
        check(ffi::SQLITE_CORRUPT_INDEX, "/state/ralph.1.db is damaged");
        check(ffi::SQLITE_IOERR, "cannot use the database /state/ralph.1.db");
    }

    #[test]
    fn trouble_with_the_folder_names_the_folder() {
        let error = |kind: io::ErrorKind| StoreError::from_io(Path::new("/state"), kind.into());
        let read_only = error(io::ErrorKind::ReadOnlyFilesystem);
        assert_eq!(read_only.to_string(), "/state is read-only");
        assert!(matches!(error(io::ErrorKind::StorageFull), StoreError::DiskFull { .. }));
        assert!(matches!(error(io::ErrorKind::NotADirectory), StoreError::Io { .. }));
    }
}
