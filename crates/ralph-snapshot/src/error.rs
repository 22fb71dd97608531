use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use ralph_core::TreeId;

/// Why a tree could not be named or compared. The work tree and the user's
/// git state are as before when one is returned.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    /// The git program that was found when the work tree was opened is gone.
    #[error("no git program at {}", program.display())]
    GitMissing {
        /// Where it was.
        program: PathBuf,
    },
    /// Git ran and refused.
    #[error("`git {command}` ended with {status}: {stderr}")]
    Git {
        /// The git command, without its options.
        command: &'static str,
        /// How the process ended.
        status: ExitStatus,
        /// The end of what it said.
        stderr: String,
    },
    /// A file or folder could not be used.
    #[error("cannot {doing} {}", path.display())]
    Io {
        /// A verb: `read`, `write`, `start` …
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The tree was never seen here, or was forgotten since.
    #[error("tree {id} is not known here")]
    UnknownTree {
        /// The id as it was given.
        id: TreeId,
    },
    /// What the repository has under this name is something else: somebody
    /// wrote there.
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
    /// Something else is in the place of a file that git would read, or it has
    /// no end.
    #[error("{} is not a file of a sensible size", path.display())]
    NoFile {
        /// Where it is.
        path: PathBuf,
    },
    /// Somebody asked for the end of the work, by a signal.
    #[error("interrupted")]
    Interrupted,
    /// The state folder is the work tree itself, so nothing would be left of it.
    #[error("{} is the work tree; its state needs a folder of its own", path.display())]
    StateIsTree {
        /// The folder that was given twice.
        path: PathBuf,
    },
}

impl TreeError {
    /// Puts the path and the verb to an error of the system, for `map_err`.
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { doing, path, source }
    }
}
