//! Finds runs that worked at the same time in one work tree, and the files they share.
//! The changes of one run there cannot be taken back alone.

use std::collections::BTreeSet;
use std::path::PathBuf;

use ralph_core::{Run, RunId, Timestamp};
use ralph_snapshot::{RollbackPlan, Snapshots};
use ralph_store::{RunQuery, RunStateFilter, SqliteStore};

use super::{SnapshotName, find, last};
use crate::app::App;
use crate::user_error::UserError;

/// Number of runs of a work tree that are searched.
const MOST_RUNS: u32 = 1000;

/// Files of a plan that another run changed, too.
pub struct SharedFiles {
    /// The other run.
    pub run: RunId,
    /// The files.
    pub paths: Vec<PathBuf>,
}

/// Returns the files of a plan that were changed by runs at the same time.
pub fn shared(
    app: &App,
    store: &SqliteStore,
    run: &Run,
    plan: &RollbackPlan,
) -> Result<Vec<SharedFiles>, UserError> {
    let worktree = Some(run.worktree.clone());
    let runs = store.runs(&RunQuery { worktree, which: RunStateFilter::All, limit: MOST_RUNS })?;
    let mut found = Vec::new();
    for other in runs.iter().filter(|other| overlap(run, other, app.now())) {
        let changed = changed_by(app, other)?;
        let steps = plan.steps.iter().chain(&plan.conflicts).map(|step| &step.path);
        let mut paths: Vec<PathBuf> =
            steps.filter(|path| changed.contains(*path)).cloned().collect();
        paths.sort();
        if !paths.is_empty() {
            found.push(SharedFiles { run: other.id.clone(), paths });
        }
    }
    Ok(found)
}

/// Returns true if two runs worked at the same time.
fn overlap(run: &Run, other: &Run, now: Timestamp) -> bool {
    let end = |run: &Run| match run.ended_at {
        Some(end) => end,
        None if run.state.is_active() => now,
        None => run.updated_at,
    };
    run.id != other.id && run.started_at < end(other) && other.started_at < end(run)
}

/// Returns the files that a run changed: from its start to its last snapshot, or to the
/// present files if it is still at work.
fn changed_by(app: &App, run: &Run) -> Result<BTreeSet<PathBuf>, UserError> {
    let tree = app.work_tree(&run.id)?;
    let snapshots = Snapshots::new(&tree, run.id.clone());
    let all = snapshots.list()?;
    let (Some(start), Some(last)) = (find(SnapshotName::Start, run, &all), last(&all)) else {
        return Ok(BTreeSet::new());
    };
    let mut changed = BTreeSet::new();
    if start.is_beside(last) {
        changed.extend(snapshots.changes(start, last)?.into_iter().map(|change| change.path));
    }
    if run.state.is_active() {
        let plan = snapshots.plan(start, start, &[])?;
        let steps = plan.steps.into_iter().chain(plan.conflicts).map(|step| step.path);
        changed.extend(steps.chain(plan.kept.into_iter().map(|kept| kept.path)));
    }
    Ok(changed)
}
