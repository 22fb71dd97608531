//! Failures that change nothing else: they only go to the log.

use std::fmt::Display;
use std::fs;
use std::io;
use std::path::Path;

/// A result whose failure changes nothing else.
pub trait LogFailure {
    /// Logs a failure with what was tried.
    fn or_log(self, tried: &str);
}

impl<T, E: Display> LogFailure for Result<T, E> {
    fn or_log(self, tried: &str) {
        if let Err(error) = self {
            tracing::debug!("{tried}: {error}");
        }
    }
}

/// Removes a file that may be missing. Any other failure is logged.
pub fn remove_if_there(path: &Path) {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            tracing::debug!("removing {}: {error}", path.display());
        }
        Ok(()) | Err(_) => {}
    }
}
