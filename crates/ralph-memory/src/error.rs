//! Why memory did not do what it was asked. Nothing was written then.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use crate::entry::ImportRefusal;
use crate::log::{LogError, is_refusal};

/// Why memory did not do what it was asked. Nothing was written then.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// A newer ralph wrote the file; this one leaves it alone.
    #[error(
        "{} has schema {found}, this version of ralph knows schema {known}",
        path.display()
    )]
    NewerSchema {
        /// The file.
        path: PathBuf,
        /// The schema it has.
        found: i64,
        /// The schema this version knows.
        known: i64,
    },
    /// The file is not a sound one.
    #[error("{} is damaged: {detail}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, in one line.
        detail: String,
    },
    /// The log could not be read or written.
    #[error(transparent)]
    Log(#[from] LogError),
    /// A note cannot be kept as it is.
    #[error("note {id} cannot be kept: {refusal}")]
    Refused {
        /// Which.
        id: String,
        /// Why.
        refusal: ImportRefusal,
    },
    /// Others kept the file locked for too long.
    #[error("{} stayed locked by another process", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// The folder or a file in it cannot be used.
    #[error("cannot use {}", path.display())]
    Io {
        /// The folder or file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Anything else that `SQLite` reports.
    #[error("cannot use the database {}", path.display())]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// What `SQLite` said.
        source: rusqlite::Error,
    },
}

impl MemoryError {
    /// Whether the database is damaged.
    pub(crate) fn is_damage(&self) -> bool {
        matches!(self, Self::Damaged { .. })
    }

    /// Whether the database may be another one by now: somebody found it damaged
    /// and makes it anew. Opening it again helps.
    pub(crate) fn is_passing(&self) -> bool {
        match self {
            Self::Damaged { .. } => true,
            Self::Sqlite { source, .. } => matches!(
                source.sqlite_error_code(),
                Some(ErrorCode::SystemIoFailure | ErrorCode::CannotOpen | ErrorCode::ReadOnly)
            ),
            Self::NewerSchema { .. }
            | Self::Log(_)
            | Self::Refused { .. }
            | Self::Busy { .. }
            | Self::Io { .. } => false,
        }
    }

    /// Whether somebody put another database in its place meanwhile.
    pub(crate) fn is_moved(&self) -> bool {
        let Self::Sqlite { source: rusqlite::Error::SqliteFailure(error, _), .. } = self else {
            return false;
        };
        error.extended_code == rusqlite::ffi::SQLITE_READONLY_DBMOVED
    }

    /// The next step that helps, printed below the error as `hint:`.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NewerSchema { .. } => Some("use the newer version of ralph here".to_owned()),
            Self::Damaged { path, .. } => {
                Some(format!("move {} away; memory can be built anew", path.display()))
            }
            Self::Log(LogError::Io { source, .. }) if is_refusal(source.kind()) => Some(
                "what is remembered here can be read and not be changed; nothing was kept"
                    .to_owned(),
            ),
            Self::Log(_)
            | Self::Refused { .. }
            | Self::Busy { .. }
            | Self::Io { .. }
            | Self::Sqlite { .. } => None,
        }
    }
}

/// What ends a job before it is known which file it was about.
#[derive(Debug)]
pub(crate) enum StorageFault {
    Sqlite(rusqlite::Error),
    /// What is stored cannot be.
    Damaged(String),
    NewerSchema(i64),
    /// The log could not be read meanwhile.
    Log(LogError),
}

impl From<rusqlite::Error> for StorageFault {
    fn from(error: rusqlite::Error) -> Self {
        let code = error.sqlite_error_code();
        // A table is missing where parts of the file were taken away.
        let is_torn = error.to_string().starts_with("no such table");
        let is_corrupt = matches!(code, Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase));
        if is_corrupt || is_torn { Self::Damaged(error.to_string()) } else { Self::Sqlite(error) }
    }
}

impl From<LogError> for StorageFault {
    fn from(error: LogError) -> Self {
        Self::Log(error)
    }
}

impl StorageFault {
    /// The schema that this version knows.
    pub(crate) const SCHEMA: i64 = 10;

    /// Whether a file cannot be created or changed.
    pub(crate) fn is_refusal(&self) -> bool {
        let Self::Sqlite(error) = self else { return false };
        matches!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly))
    }

    /// The file is not the one any more that was opened.
    pub(crate) fn moved() -> Self {
        let error = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_READONLY_DBMOVED);
        Self::Sqlite(rusqlite::Error::SqliteFailure(error, None))
    }

    pub(crate) fn at(self, path: &Path) -> MemoryError {
        let path = path.to_owned();
        match self {
            Self::Damaged(detail) => MemoryError::Damaged { path, detail },
            Self::Log(error) => MemoryError::Log(error),
            Self::NewerSchema(found) => {
                MemoryError::NewerSchema { path, found, known: Self::SCHEMA }
            }
            Self::Sqlite(source) => {
                let code = source.sqlite_error_code();
                if matches!(code, Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)) {
                    return MemoryError::Busy { path };
                }
                MemoryError::Sqlite { path, source }
            }
        }
    }
}
