//! Tree ids of a work tree, and what changed between two of them.
//!
//! [`Project::discover`] finds where a project is, [`state_home()`] where our
//! own files for it belong, and [`WorkTree`] names its present contents.
//! In a git repository the name is a git tree made with a private index;
//! elsewhere it is a digest of the files. Nothing of the user's is changed:
//! not the files, nor the index, `HEAD`, the stash, hooks or the reflog.

mod approach;
mod error;
mod file_tree;
mod git;
mod git_tree;
mod index;
mod left_out;
mod manifest;
pub mod path_bytes;
mod probe;
mod project;
#[cfg(test)]
mod scratch;
mod stat;
mod state_home;
mod work_tree;

pub use error::TreeError;
pub use project::{DiscoverError, GitDirs, Project};
pub use state_home::{platform_state_dir, state_home};
pub use work_tree::{Change, ChangeKind, WorkTree};
