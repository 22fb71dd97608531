//! Plans of changes to a host's folder; callers carry them out.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A function that reads a file of the folder; `None` if there is none.
pub type FolderReader<'a> = dyn Fn(&Path) -> io::Result<Option<String>> + 'a;

/// The options of an installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstallOptions {
    /// The program that the host calls.
    pub program: String,
    /// Maximum number of continuations in a row for an agent that uses no tool;
    /// 0 for no limit.
    pub cap: u32,
    /// The condition that starts loops automatically, if any.
    pub arm: Option<String>,
    /// True if errors after an edit may start a loop, so that files must be
    /// checked before.
    pub looks_before_edits: bool,
    /// Time limit for all gates together.
    pub gates: Duration,
}

/// The changes of an installation or uninstallation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstallPlan {
    /// Files to change; none if everything is up to date.
    pub changes: Vec<InstallChange>,
    /// Foreign files in the place of ours, which stay unchanged.
    pub left: Vec<PathBuf>,
}

/// The change of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstallChange {
    /// Relative to the folder.
    pub path: PathBuf,
    /// The present contents; `None` if the file does not exist.
    pub before: Option<String>,
    /// The new contents; `None` if the file is removed.
    pub after: Option<String>,
}

/// A file of the host that cannot be changed. Nothing was changed.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", path.display())]
pub struct HostFileError {
    /// Relative to the folder.
    pub path: PathBuf,
    /// The error and its place.
    pub reason: String,
}

impl HostFileError {
    /// Creates the error for a file.
    pub(crate) fn new(path: &Path, reason: impl std::fmt::Display) -> Self {
        Self { path: path.to_owned(), reason: reason.to_string() }
    }
}

/// Reads a file; `None` if it does not exist.
pub(crate) fn text(read: &FolderReader<'_>, path: &str) -> Result<Option<String>, HostFileError> {
    read(Path::new(path)).map_err(|error| HostFileError::new(Path::new(path), error))
}

impl InstallPlan {
    /// Returns the contents of a file after the plan; `None` if it does not change
    /// the file.
    pub fn after(&self, path: &Path) -> Option<Option<String>> {
        let change = self.changes.iter().find(|change| change.path == path)?;
        Some(change.after.clone())
    }

    /// Adds the changes of a later plan in the same folder, which was made with
    /// [`Self::after`].
    pub fn followed_by(&mut self, later: Self) {
        for change in later.changes {
            match self.changes.iter_mut().find(|known| known.path == change.path) {
                Some(known) => known.after = change.after,
                None => self.changes.push(change),
            }
        }
        self.changes.retain(|change| change.before != change.after);
        self.left.extend(later.left);
    }

    /// Adds a change, if the contents differ.
    pub(crate) fn change(&mut self, path: &str, before: Option<String>, after: Option<String>) {
        if before != after {
            self.changes.push(InstallChange { path: PathBuf::from(path), before, after });
        }
    }
}
