//! The unsuccessful end of a task.

use std::fmt;
use std::path::Path;

/// The reason why a task failed; it decides the exit code.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum TaskFailure {
    /// The arguments are wrong.
    Usage(String),
    /// A check did not hold, or something that was started failed.
    Failed(String),
}

impl TaskFailure {
    /// Wraps an input/output error with the path it is about.
    pub(crate) fn io(path: &Path, error: &std::io::Error) -> Self {
        Self::Failed(format!("{}: {error}", path.display()))
    }

    /// Returns the exit code of the process: 2 for usage, 1 for the rest.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Failed(_) => 1,
        }
    }
}

impl fmt::Display for TaskFailure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(text) | Self::Failed(text) => out.write_str(text),
        }
    }
}
