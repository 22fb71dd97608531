//! Tree ids, snapshots and rollback of a work tree.
//!
//! [`ProjectLocation::discover`] finds where a project is, [`state_home()`] where our
//! own files for it belong, and [`WorkTree`] names its present contents;
//! [`Snapshots`] records them for a run and gives them back.
//! In a git repository the name is a git tree made with a private index;
//! elsewhere it is a digest of the files. Nothing of the user's is changed:
//! not the files, nor the index, `HEAD`, the stash, hooks or the reflog.
//!
//! # Details
//!
//! - A snapshot in git is a commit under `refs/ralph/<run>/<label>`, made without
//!   hooks, signing or an identity. References are for people: the state folder
//!   records the commit too, and links to all its objects (`kept.rs`). Outside git
//!   a snapshot is a manifest over compressed, content-addressed objects.
//! - Git sees a folder of ours with copies of the settings, attributes and ignore
//!   rules that say what a file is, and none that names a program
//!   (`git_rules.rs`). The copy is made at the start of a run, so a file that
//!   became ignored still counts. Where git converts contents, the bytes of the
//!   work tree are stored beside the commit.
//! - A snapshot also records what a tree does not hold: permissions, empty folders
//!   and the names of files that were left out.
//! - A rollback compares the snapshot, what the run left, and the present. What
//!   differs between the last two is the user's and stays unless forced. After a
//!   safety snapshot and a journal it replaces one file after the other, by
//!   renaming; a second call completes an interrupted one.
//! - Changes while a run rested have a snapshot of their own, `resumed-<n>`.
//! - A dry run stores its objects in a temporary folder.
//! - A signal ends work at the tree within a second (`work_handle.rs`). Only the
//!   snapshot of a turn continues until the second signal: without it the turn's
//!   changes would be unknown.
//!
//! # One rollback
//!
//! 1. `ralph rollback` finds the run, refuses if it is at work, and completes a
//!    rollback that was interrupted.
//! 2. `ownership.rs`, `plan`: [`Snapshots::plan`] compares the target, what the run
//!    left, and the present. Changes by others (`outside_changes.rs`) become
//!    conflicts. The engine finds files that another run changed too.
//! 3. `rollback.rs`, `apply`: checks that the files are still as planned, takes a
//!    safety snapshot (`keeper.rs`), writes the journal (`journal.rs`), then replaces
//!    one file after the other (`disk.rs`).

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
mod outside_changes;
mod overlay;
pub mod ownership;
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

pub use commits::{CommitReader, GitCommit, NoCommits};
pub use earlier::{EarlierFile, EarlierKind, PastContents};
pub use error::TreeError;
pub use folder_size::FolderSize;
pub use label::{ParseLabelError, SnapshotLabel};
pub use loose::{LooseFiles, files_changed_since};
pub use outside_changes::OutsideChanges;
pub use packages::{
    ChangedPackages, byte_code_changed_since, can_change, code_changed_since, is_changed_since,
};
pub use plan::{RollbackAction, RollbackPlan, RollbackStep, UntouchedFile, WhyKept};
pub use project::{DiscoverError, GitDirs, ProjectLocation};
pub use rollback::{BlockedFile, ConflictPolicy, RollbackOutcome};
pub use scope::{LeftOutFile, WhyLeftOut};
pub use snapshot::{Snapshot, SnapshotPlace};
pub use snapshots::{SnapshotError, Snapshots};
pub use stamp::file_stamp;
pub use state_home::{platform_state_dir, stands_in, state_home, takes_files};
pub use work_handle::{WorkHandle, WorkProgress};
pub use work_tree::{ChangeKind, TreeChange, WorkTree};
