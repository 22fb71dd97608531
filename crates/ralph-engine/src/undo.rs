//! Restores the files of runs.

mod comparison;
mod listing;
mod overlap;
mod refusal;
mod restore;
pub mod view;

use std::path::Path;

use ralph_core::RunId;
use ralph_snapshot::{ProjectLocation, TreeError, WorkTree};

use crate::driver::leftovers::LeftoverFiles;

pub use comparison::{SnapshotComparison, cannot_start, own_git};
pub use listing::{
    SnapshotListRow, copy_out, list_snapshots, no_snapshot, snapshot_table, snapshots_as_json,
};
pub use overlap::{SharedFiles, shared};
pub use ralph_snapshot::ownership::{SnapshotName, find, last, plan};
pub use refusal::refused;
pub use restore::{
    FailureEnd, RunChanges, after_failure, changes_of, keep_lost_turn, outside_changes, record,
    refuse_if_at_work, relative, set_left_aside, to_start,
};

/// Opens the work tree of a run, without the files that its gates created.
pub fn work_tree(
    project: &ProjectLocation,
    home: &Path,
    run: &RunId,
) -> Result<WorkTree, TreeError> {
    let mut tree = WorkTree::open(project, &home.join("trees"))?;
    tree.heed_rules_of(run);
    let folder = home.join("runs").join(run.as_str());
    tree.leave_out(LeftoverFiles::load(&folder).untouched(&project.root));
    Ok(tree)
}
