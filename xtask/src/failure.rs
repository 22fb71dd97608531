//! How a task ends without success.

use std::fmt;
use std::path::Path;

/// Why a task did not succeed; decides the exit code.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The task was asked for something it cannot do.
    Usage(String),
    /// The task ran and what it checked or started did not hold.
    Failed(String),
}

impl Failure {
    /// Wraps an input/output error with the path it is about.
    pub(crate) fn io(path: &Path, error: &std::io::Error) -> Self {
        Self::Failed(format!("{}: {error}", path.display()))
    }

    /// The exit code of the process: 2 for usage, 1 for the rest.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Failed(_) => 1,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(text) | Self::Failed(text) => out.write_str(text),
        }
    }
}
