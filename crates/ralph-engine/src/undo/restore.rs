//! Restores the files of a run, and records that it did.

use std::path::{Path, PathBuf};

use ralph_config::OnFail;
use ralph_core::Run;
use ralph_core::state::RunState;
use ralph_snapshot::{
    ChangeKind, ConflictPolicy, OutsideChanges, RollbackOutcome, Snapshot, SnapshotLabel, Snapshots,
};
use ralph_store::SqliteStore;

use super::overlap::{SharedFiles, shared};
use super::{SnapshotName, find, last, plan};
use crate::app::{App, without_run};
use crate::command_log::{self, RollbackRecord};
use crate::driver::log_changes_of;
use crate::run::refuse_elsewhere;
use crate::user_error::UserError;
use crate::{loops, owner};

/// Loads the changes that are known not to be the agent's.
pub fn outside_changes(app: &App, run: &Run) -> OutsideChanges {
    OutsideChanges::load(&app.home.join("runs").join(run.id.as_str()))
}

/// The files that a failed run left, as the settings want them.
pub enum FailureEnd {
    /// Nothing was to be restored.
    Left,
    /// These were restored.
    Restored(Box<RollbackOutcome>),
    /// Nothing was restored: another run changed the same files.
    Shared(Vec<SharedFiles>),
}

/// Restores the files that the settings name after a failed run.
pub fn after_failure(app: &App, run: &Run, on_fail: OnFail) -> Result<FailureEnd, UserError> {
    let name = match on_fail {
        OnFail::Keep => return Ok(FailureEnd::Left),
        OnFail::Best => SnapshotName::Best,
        OnFail::Start => SnapshotName::Start,
    };
    if !matches!(run.state, RunState::Failed(_)) {
        return Ok(FailureEnd::Left);
    }
    let tree = app.work_tree(&run.id)?;
    let snapshots = Snapshots::new(&tree, run.id.clone()).worked_until(run.updated_at);
    let all = snapshots.list()?;
    let Some(to) = find(name, run, &all) else {
        return Ok(FailureEnd::Left);
    };
    let plan = plan(&snapshots, &all, &outside_changes(app, run), to, &[])?;
    if plan.is_empty() {
        return Ok(FailureEnd::Left);
    }
    let store = app.existing_store()?.ok_or_else(without_run)?;
    let shared = shared(app, &store, run, &plan)?;
    if !shared.is_empty() {
        return Ok(FailureEnd::Shared(shared));
    }
    let done = snapshots.apply(&plan, ConflictPolicy::Leave, app.now())?;
    record(app, &store, run, Some(plan.to), &done)?;
    Ok(FailureEnd::Restored(Box::new(done)))
}

/// Takes the newest run of the work tree back to its start.
pub fn to_start(app: &App) -> Result<RollbackOutcome, UserError> {
    let (store, run) = app.recorded(None)?;
    let tree = app.work_tree(&run.id)?;
    let snapshots = Snapshots::new(&tree, run.id.clone()).worked_until(run.updated_at);
    let all = snapshots.list()?;
    let start = find(SnapshotName::Start, &run, &all).ok_or_else(|| {
        UserError::refused(format!("{} has no snapshots", run.id))
            .in_korean(format!("{} 에는 스냅샷이 없습니다", run.id), None)
    })?;
    let plan = plan(&snapshots, &all, &outside_changes(app, &run), start, &[])?;
    let done = snapshots.apply(&plan, ConflictPolicy::Leave, app.now())?;
    record(app, &store, &run, Some(plan.to), &done)?;
    Ok(done)
}

/// Records with the run that files went back to a snapshot. Without one, its last
/// rollback was undone.
pub fn record(
    app: &App,
    store: &SqliteStore,
    run: &Run,
    to: Option<SnapshotLabel>,
    done: &RollbackOutcome,
) -> Result<(), UserError> {
    let files = done.steps.len() as u64;
    let record = RollbackRecord { at: app.now(), to: to.map(|to| to.to_string()), files };
    if files > 0 {
        command_log::record_rollback(store, run, &record)?;
    }
    Ok(())
}

/// The changes of a run that can be taken back.
pub struct RunChanges {
    /// The snapshot of its start.
    pub start: Snapshot,
    /// Number of files that it added.
    pub added: usize,
}

/// Returns what a rollback of a run would take back; `None` if nothing.
pub fn changes_of(app: &App, run: &Run) -> Result<Option<RunChanges>, UserError> {
    let tree = app.work_tree(&run.id)?;
    let snapshots = Snapshots::new(&tree, run.id.clone());
    let all = snapshots.list()?;
    let (Some(start), Some(last)) = (find(SnapshotName::Start, run, &all), last(&all)) else {
        return Ok(None);
    };
    // Snapshots in different storages cannot be compared.
    let is_beside = start.is_beside(last);
    let changes = if is_beside { snapshots.changes(start, last)? } else { Vec::new() };
    if is_beside && changes.is_empty() {
        return Ok(None);
    }
    let added = changes.iter().filter(|change| change.kind == ChangeKind::Added).count();
    Ok(Some(RunChanges { start: start.clone(), added }))
}

/// Returns an error if the run is at work: it would write the files again.
pub fn refuse_if_at_work(app: &App, run: &Run) -> Result<(), UserError> {
    refuse_elsewhere(app, run)?;
    if owner::is_at_work(run) {
        return Err(UserError::refused(format!("{} is still at work", run.id))
            .with_hint(format!("`ralph stop --run {}` ends it", run.id))
            .in_korean(
                format!("{} 은(는) 아직 작업 중입니다", run.id),
                Some(&format!("`ralph stop --run {}` 으로 끝낼 수 있습니다", run.id)),
            ));
    }
    Ok(())
}

/// Takes the snapshot that a dead driver did not take of its last turn. Otherwise its
/// changes would look like another person's.
pub fn keep_lost_turn(app: &App, store: &SqliteStore, run: &Run) -> Result<(), UserError> {
    // A session takes no snapshots during its turn.
    let is_driven = run.session().is_none() && run.owner.as_ref().is_some_and(owner::is_alive);
    let is_there = Path::new(&run.worktree).is_dir();
    if run.state != RunState::Running || is_driven || !is_there || run.iteration == 0 {
        return Ok(());
    }
    let elsewhere = (run.worktree != app.worktree())
        .then(|| App::at(Path::new(&run.worktree), app.env.clone()))
        .transpose()?;
    let app = elsewhere.as_ref().unwrap_or(app);
    let tree = app.work_tree(&run.id)?;
    let snapshots = Snapshots::new(&tree, run.id.clone());
    let label = SnapshotLabel::Iteration(run.iteration);
    let all = snapshots.list()?;
    let is_kept = all.iter().any(|snapshot| snapshot.label == label);
    if !is_kept && store.iteration(&run.id, run.iteration)?.is_none() {
        let taken = snapshots.take(label, app.now())?;
        if let Some(before) = last(&all).filter(|before| before.is_beside(&taken)) {
            let changes = snapshots.changes(before, &taken).unwrap_or_default();
            log_changes_of(&app.home, run, &changes, app.now());
        }
    }
    Ok(())
}

/// Records turns that will never end, and pauses the runs of this work tree whose
/// client is gone. Returns the paused runs.
pub fn set_left_aside(app: &App, store: &SqliteStore) -> Result<Vec<Run>, UserError> {
    let mut left = Vec::new();
    for run in loops::active(store, &app.worktree())? {
        let is_left = app.is_left(&run);
        if is_left || !owner::is_at_work(&run) {
            keep_lost_turn(app, store, &run)?;
        }
        if is_left {
            loops::pause_abandoned(store, &run, app.now())?;
            left.push(run);
        }
    }
    Ok(left)
}

/// Returns the user's paths relative to the project's root.
pub fn relative(app: &App, paths: &[PathBuf]) -> Result<Vec<PathBuf>, UserError> {
    let here = std::env::current_dir()?;
    let inside = |path: &PathBuf| {
        let full = normal(&here.join(path));
        full.strip_prefix(&app.project.root).map(Path::to_owned).map_err(|_| {
            UserError::usage(format!("{} is not in {}", path.display(), app.project.root.display()))
                .in_korean(
                    format!(
                        "{} 은(는) {} 안에 없습니다",
                        path.display(),
                        app.project.root.display()
                    ),
                    None,
                )
        })
    };
    paths.iter().map(inside).collect()
}

/// Returns the path without `.` and `..`; the file need not exist.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => {
                out.pop();
            }
            std::path::Component::CurDir => {}
            std::path::Component::Normal(_)
            | std::path::Component::RootDir
            | std::path::Component::Prefix(_) => out.push(part),
        }
    }
    out
}
