use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use ralph_core::TreeId;

/// An error while naming or comparing a tree. The work tree and the user's git
/// state are unchanged.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    /// The git program that was found when the work tree was opened is gone.
    #[error("no git program at {}", program.display())]
    GitMissing {
        /// The path it had.
        program: PathBuf,
    },
    /// Git ran and refused.
    #[error("`git {command}` ended with {status}: {stderr}")]
    Git {
        /// The git command, without its options.
        command: &'static str,
        /// Exit status of the process.
        status: ExitStatus,
        /// The end of its error output.
        stderr: String,
    },
    /// A file or folder could not be used.
    #[error("cannot {doing} {}", path.display())]
    Io {
        /// A verb: `read`, `write`, `start` …
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The tree is not recorded here, or was deleted since.
    #[error("tree {id} is not known here")]
    UnknownTree {
        /// The id as it was given.
        id: TreeId,
    },
    /// The contents of the object do not match its name: it was altered.
    #[error("object {id} is not what its name says: it was altered")]
    Altered {
        /// The name of the object.
        id: String,
    },
    /// A file changed each time it was read.
    #[error("{} changes while it is read", path.display())]
    Restless {
        /// Relative to the root of the work tree.
        path: PathBuf,
    },
    /// The path of a file that git would read holds something else, or has no
    /// end.
    #[error("{} is not a file of a sensible size", path.display())]
    NoFile {
        /// The path of the file.
        path: PathBuf,
    },
    /// A signal asked for the end of the work.
    #[error("interrupted")]
    Interrupted,
    /// The state folder is the work tree itself, so it would delete its own
    /// state.
    #[error("{} is the work tree; its state needs a folder of its own", path.display())]
    StateIsTree {
        /// The folder that was given for both.
        path: PathBuf,
    },
}

impl TreeError {
    /// Returns a closure for `map_err` that adds the verb and the path to an
    /// I/O error.
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { doing, path, source }
    }
}
