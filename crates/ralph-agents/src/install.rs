//! What installing into a host changes: planned here, carried out elsewhere.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Reads a file of the folder that is installed into; `None` if there is none.
pub type Read<'a> = dyn Fn(&Path) -> io::Result<Option<String>> + 'a;

/// What is to be installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The program that the host calls.
    pub program: String,
    /// How often in a row an agent may be continued that uses no tool; 0 for
    /// any number of times.
    pub cap: u32,
    /// When loops begin, if not when somebody asks.
    pub arm: Option<String>,
    /// Whether a loop may begin because of what an edit broke, so that files
    /// have to be looked at before.
    pub looks_before_edits: bool,
    /// How long all gates together may take.
    pub gates: Duration,
}

/// What installing or uninstalling comes to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Files that change; none if all is as it should be.
    pub changes: Vec<Change>,
    /// Files that are in the way and stay as they are.
    pub left: Vec<PathBuf>,
}

/// One file as it is and as it is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Below the folder that is installed into.
    pub path: PathBuf,
    /// What it holds; `None` if it is not there.
    pub before: Option<String>,
    /// What it is to hold; `None` if it is to go.
    pub after: Option<String>,
}

/// A file of the host that cannot be changed. Nothing was.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", path.display())]
pub struct Unreadable {
    /// Below the folder that is installed into.
    pub path: PathBuf,
    /// What is wrong with it, and where.
    pub reason: String,
}

impl Unreadable {
    /// A file that the system does not let us read.
    pub(crate) fn new(path: &Path, reason: impl std::fmt::Display) -> Self {
        Self { path: path.to_owned(), reason: reason.to_string() }
    }
}

/// What a file holds; `None` if it is not there.
pub(crate) fn text(read: &Read<'_>, path: &str) -> Result<Option<String>, Unreadable> {
    read(Path::new(path)).map_err(|error| Unreadable::new(Path::new(path), error))
}

impl Plan {
    /// Adds a change, if it is one.
    pub(crate) fn change(&mut self, path: &str, before: Option<String>, after: Option<String>) {
        if before != after {
            self.changes.push(Change { path: PathBuf::from(path), before, after });
        }
    }
}
