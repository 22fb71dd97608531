//! Finds runs that worked at the same time in one work tree, and the files they share.
//! The changes of one run there cannot be taken back alone.

use std::collections::BTreeSet;
use std::path::PathBuf;

use ralph_core::{Run, RunId, Timestamp};
use ralph_engine::undo::{self, SnapshotName};
use ralph_snapshot::{RollbackPlan, Snapshots};
use ralph_store::{RunQuery, RunStateFilter, RunStore};

use crate::app::App;
use crate::error::CliError;
use crate::texts;

/// Number of runs of a work tree that are searched.
const MOST_RUNS: u32 = 1000;

/// Number of files of a run that are listed.
const NAMED: usize = 20;

/// Files of a plan that another run changed, too.
pub(super) struct SharedFiles {
    pub(super) run: RunId,
    pub(super) paths: Vec<PathBuf>,
}

/// Returns the files of a plan that were changed by runs at the same time.
pub(super) fn shared(
    app: &App,
    store: &dyn RunStore,
    run: &Run,
    plan: &RollbackPlan,
) -> Result<Vec<SharedFiles>, CliError> {
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

/// Makes the error for shared files.
pub(super) fn refused(run: &Run, shared: &[SharedFiles]) -> CliError {
    let list: String = shared.iter().map(rows).collect();
    let hint = "`--force` takes them back, with what the other run did there; `--path PATH` \
                takes back other files only";
    CliError::refused(format!("{} shares files with a run at the same time:{list}", run.id))
        .with_hint(hint)
        .in_korean(
            format!("{} 은(는) 같은 시간에 진행된 루프와 파일을 공유합니다:{list}", run.id),
            Some(
                "`--force` 는 다른 루프의 변경까지 되돌립니다. `--path 경로` 로 다른 파일만 \
                 되돌릴 수 있습니다",
            ),
        )
}

fn rows(shared: &SharedFiles) -> String {
    let name = |path: &PathBuf| format!("\n  {} ({})", texts::path(path), shared.run);
    let named: String = shared.paths.iter().take(NAMED).map(name).collect();
    match shared.paths.len().checked_sub(NAMED) {
        Some(more @ 1..) => format!("{named}\n  … +{more} ({})", shared.run),
        Some(0) | None => named,
    }
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
fn changed_by(app: &App, run: &Run) -> Result<BTreeSet<PathBuf>, CliError> {
    let tree = app.work_tree(&run.id)?;
    let snapshots = Snapshots::new(&tree, run.id.clone());
    let all = snapshots.list()?;
    let (Some(start), Some(last)) = (undo::find(SnapshotName::Start, run, &all), undo::last(&all))
    else {
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
