//! Tree ids, snapshots and rollback of a work tree.
//!
//! [`Project::discover`] finds where a project is, [`state_home()`] where our
//! own files for it belong, and [`WorkTree`] names its present contents;
//! [`Snapshots`] records them for a run and gives them back.
//! In a git repository the name is a git tree made with a private index;
//! elsewhere it is a digest of the files. Nothing of the user's is changed:
//! not the files, nor the index, `HEAD`, the stash, hooks or the reflog.

mod approach;
mod aside;
mod commits;
mod disk;
mod earlier;
mod error;
mod escape;
mod facts;
mod file_keeper;
mod file_system;
mod file_tree;
mod folder_size;
mod found;
mod git;
mod git_keeper;
mod git_objects;
mod git_rules;
mod git_tree;
mod git_watch;
mod glance;
mod history;
mod ignored_at_start;
mod ignored_then;
mod in_process;
mod index;
mod index_file;
#[cfg(test)]
mod interruption_tests;
mod journal;
mod keeper;
mod kept;
mod known_paths;
mod label;
mod layout;
mod left_out;
mod loose;
mod manifest;
mod modes;
mod objects;
mod oid;
mod overlay;
mod pack;
mod packages;
mod packs;
mod parallel;
pub mod path_bytes;
mod plan;
mod probe;
mod project;
mod raw;
mod read_entry;
mod references;
mod rollback;
mod rules;
mod scan;
mod scope;
#[cfg(test)]
mod scratch;
mod snapshot;
mod snapshots;
mod stamp;
mod stat;
mod state_home;
mod survey;
mod tree_object;
mod tree_reader;
mod view;
mod walk;
mod work_handle;
mod work_tree;

pub use commits::{Commit, Commits, NoCommits};
pub use earlier::{Earlier, EarlierKind, Past};
pub use error::TreeError;
pub use folder_size::FolderSize;
pub use label::{Label, ParseLabelError};
pub use loose::{Loose, files_changed_since};
pub use packages::{
    ChangedPackages, byte_code_changed_since, can_change, code_changed_since, is_changed_since,
};
pub use plan::{Action, Kept, Plan, Step, WhyKept};
pub use project::{DiscoverError, GitDirs, Project};
pub use rollback::{Blocked, Conflicts, Done};
pub use scope::{LeftOutFile, WhyLeftOut};
pub use snapshot::{Place, Snapshot};
pub use snapshots::{SnapshotError, Snapshots};
pub use stamp::file_stamp;
pub use state_home::{platform_state_dir, stands_in, state_home, takes_files};
pub use work_handle::{WorkHandle, WorkProgress};
pub use work_tree::{Change, ChangeKind, WorkTree};
