//! `ralph rollback`: restores the files from before a run.

mod overlap;
mod view;

use std::path::{Path, PathBuf};

use ralph_config::OnFail;
use ralph_core::Run;
use ralph_core::state::RunState;
use ralph_engine::command_log::{self, RollbackRecord};
use ralph_engine::loops;
use ralph_engine::outside_changes::OutsideChanges;
use ralph_engine::undo::{self, SnapshotName};
use ralph_snapshot::{
    ChangeKind, ConflictPolicy, RollbackOutcome, RollbackPlan, SnapshotLabel, Snapshots,
    UntouchedFile,
};
use ralph_store::RunStore;

use self::overlap::SharedFiles;
use super::resume::refuse_elsewhere;
use crate::app::App;
use crate::error::CliError;
use crate::rights::CallRight;
use crate::{closing, out, texts};

/// Take back what a run changed
///
/// Restores contents, modes, links and deletions exactly, and removes only
/// files that appeared during the run. Files that others changed, after the
/// run or while it rested, are left unless `--force` is given. If another run
/// worked here at the same time and changed the same files, they are listed and
/// nothing happens without `--force`. A safety snapshot is taken first, so that
/// `--undo` brings everything back.
#[derive(clap::Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct RollbackArgs {
    /// The run (default: the newest of this work tree)
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// Where to go back to: `start`, `best`, `last` or an iteration's number
    #[arg(long, value_name = "SNAPSHOT", default_value = "start")]
    to: String,
    /// Only show what would change; the repository gains no object
    #[arg(long)]
    dry_run: bool,
    /// Only this file or folder (repeatable)
    #[arg(long, value_name = "PATH")]
    path: Vec<PathBuf>,
    /// Also take back files that others changed
    #[arg(long)]
    force: bool,
    /// Undo the last rollback; once more, the one before it
    #[arg(long, conflicts_with_all = ["to", "path", "dry_run"])]
    undo: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl RollbackArgs {
    /// Returns who may call this command.
    pub(crate) fn right(&self) -> CallRight {
        if self.dry_run { CallRight::Anyone } else { CallRight::UserOnly }
    }
}

pub(crate) fn run(args: &RollbackArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    let given = args.run.as_deref();
    let (store, run) =
        if args.dry_run { app.recorded(given)? } else { app.recorded_to_change(given)? };
    refuse_if_at_work(&app, &run)?;
    keep_lost_turn(&app, &store, &run)?;
    let mut tree = app.work_tree(&run.id)?;
    let scratch = args.dry_run.then(tempfile::tempdir).transpose()?;
    if let Some(scratch) = &scratch {
        tree.only_look(scratch.path()).map_err(|error| CliError::internal(&error))?;
    }
    let snapshots = Snapshots::new(&tree, run.id.clone()).worked_until(run.updated_at);
    let conflicts = if args.force { ConflictPolicy::Force } else { ConflictPolicy::Leave };
    if !args.dry_run {
        let pending = snapshots.pending()?;
        if let Some(done) = snapshots.resume_pending(app.now())? {
            let to = pending.filter(|to| !is_undo(*to));
            keep(&app, &store, &run, to, &done)?;
            out::note(view::completed(run.policy.locale));
            report(args, &run, &done, &[]);
            // `--undo` was meant for the interrupted rollback. A second undo would undo
            // an earlier one.
            if args.undo && pending.is_some_and(is_undo) {
                return Ok(outcome(&done));
            }
        }
    }
    if args.undo {
        let done = snapshots.undo(conflicts, app.now())?;
        keep(&app, &store, &run, None, &done)?;
        report(args, &run, &done, &[]);
        if !args.json && snapshots.undoable_rollbacks()? > 0 {
            out::line(view::one_before(run.policy.locale));
        }
        return Ok(outcome(&done));
    }
    let all = snapshots.list()?;
    let name: SnapshotName =
        args.to.parse().map_err(|error| CliError::usage(format!("--to: {error}")))?;
    let to = undo::find(name, &run, &all).ok_or_else(|| texts::no_snapshot(&run, &args.to))?;
    let outside = outside_changes(&app, &run);
    let plan = undo::plan(&snapshots, &all, &outside, to, &relative(&app, &args.path)?)?;
    let shared = overlap::shared(&app, &store, &run, &plan)?;
    if args.dry_run || plan.is_empty() {
        show_plan(args, &run, &plan, &shared);
        return Ok(0);
    }
    if !args.force && !shared.is_empty() {
        return Err(overlap::refused(&run, &shared));
    }
    let conflicts = match conflicts {
        ConflictPolicy::Leave if !plan.conflicts.is_empty() && !args.json => {
            view::ask_about(&plan, run.policy.locale)?
        }
        ConflictPolicy::Leave | ConflictPolicy::Force => conflicts,
    };
    let done = snapshots.apply(&plan, conflicts, app.now())?;
    keep(&app, &store, &run, Some(plan.to), &done)?;
    report(args, &run, &done, &plan.kept);
    Ok(outcome(&done))
}

/// Loads the changes that are known not to be the agent's.
fn outside_changes(app: &App, run: &Run) -> OutsideChanges {
    OutsideChanges::load(&app.home.join("runs").join(run.id.as_str()))
}

/// Restores the files that the settings name after a failed run, and prints what was done.
pub(crate) fn after_failure(app: &App, run: &Run, on_fail: OnFail) -> Result<(), CliError> {
    let name = match on_fail {
        OnFail::Keep => return Ok(()),
        OnFail::Best => SnapshotName::Best,
        OnFail::Start => SnapshotName::Start,
    };
    if !matches!(run.state, RunState::Failed(_)) {
        return Ok(());
    }
    let tree = app.work_tree(&run.id)?;
    let snapshots = Snapshots::new(&tree, run.id.clone()).worked_until(run.updated_at);
    let all = snapshots.list()?;
    let Some(to) = undo::find(name, run, &all) else {
        return Ok(());
    };
    let plan = undo::plan(&snapshots, &all, &outside_changes(app, run), to, &[])?;
    if plan.is_empty() {
        return Ok(());
    }
    let store = app.existing_store()?.ok_or_else(texts::without_run)?;
    let shared = overlap::shared(app, &store, run, &plan)?;
    if !shared.is_empty() {
        out::error(&overlap::refused(run, &shared));
        return Ok(());
    }
    let done = snapshots.apply(&plan, ConflictPolicy::Leave, app.now())?;
    keep(app, &store, run, Some(plan.to), &done)?;
    out::note(view::closing(run, &done));
    Ok(())
}

/// Takes the newest run of the work tree back to its start.
pub(crate) fn to_start(app: &App) -> Result<RollbackOutcome, CliError> {
    let (store, run) = app.recorded(None)?;
    let tree = app.work_tree(&run.id)?;
    let snapshots = Snapshots::new(&tree, run.id.clone()).worked_until(run.updated_at);
    let all = snapshots.list()?;
    let start = undo::find(SnapshotName::Start, &run, &all).ok_or_else(|| {
        CliError::refused(format!("{} has no snapshots", run.id))
            .in_korean(format!("{} 에는 스냅샷이 없습니다", run.id), None)
    })?;
    let plan = undo::plan(&snapshots, &all, &outside_changes(app, &run), start, &[])?;
    let done = snapshots.apply(&plan, ConflictPolicy::Leave, app.now())?;
    keep(app, &store, &run, Some(plan.to), &done)?;
    Ok(done)
}

/// Records with the run that files went back to a snapshot. Without one, its last
/// rollback was undone.
fn keep(
    app: &App,
    store: &dyn RunStore,
    run: &Run,
    to: Option<SnapshotLabel>,
    done: &RollbackOutcome,
) -> Result<(), CliError> {
    let files = done.steps.len() as u64;
    let record = RollbackRecord { at: app.now(), to: to.map(|to| to.to_string()), files };
    if files > 0 {
        command_log::record_rollback(store, run, &record)?;
    }
    Ok(())
}

/// Tells how to take a run back: the command, and the way without ralph.
pub(crate) fn way_back(app: &App, run: &Run) -> Result<Option<String>, CliError> {
    let tree = app.work_tree(&run.id)?;
    let snapshots = Snapshots::new(&tree, run.id.clone());
    let all = snapshots.list()?;
    let (Some(start), Some(last)) = (undo::find(SnapshotName::Start, run, &all), undo::last(&all))
    else {
        return Ok(None);
    };
    // Snapshots in different storages cannot be compared.
    let is_beside = start.is_beside(last);
    let changes = if is_beside { snapshots.changes(start, last)? } else { Vec::new() };
    if is_beside && changes.is_empty() {
        return Ok(None);
    }
    let added = changes.iter().filter(|change| change.kind == ChangeKind::Added).count();
    Ok(Some(closing::way_back(run, start, added)))
}

/// Returns an error if the run is at work: it would write the files again.
fn refuse_if_at_work(app: &App, run: &Run) -> Result<(), CliError> {
    refuse_elsewhere(app, run)?;
    if ralph_engine::owner::is_at_work(run) {
        return Err(CliError::refused(format!("{} is still at work", run.id))
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
pub(crate) fn keep_lost_turn(app: &App, store: &dyn RunStore, run: &Run) -> Result<(), CliError> {
    // A session takes no snapshots during its turn.
    let is_driven =
        run.session().is_none() && run.owner.as_ref().is_some_and(ralph_engine::owner::is_alive);
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
        if let Some(before) = undo::last(&all).filter(|before| before.is_beside(&taken)) {
            let changes = snapshots.changes(before, &taken).unwrap_or_default();
            ralph_engine::log_changes_of(&app.home, run, &changes, app.now());
        }
    }
    Ok(())
}

/// Records turns that will never end, and pauses the runs of this work tree whose
/// client is gone. Returns the paused runs.
pub(crate) fn set_left_aside(app: &App, store: &dyn RunStore) -> Result<Vec<Run>, CliError> {
    let mut left = Vec::new();
    for run in loops::active(store, &app.worktree())? {
        let is_left = app.is_left(&run);
        if is_left || !ralph_engine::owner::is_at_work(&run) {
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
pub(super) fn relative(app: &App, paths: &[PathBuf]) -> Result<Vec<PathBuf>, CliError> {
    let here = std::env::current_dir()?;
    let inside = |path: &PathBuf| {
        let full = normal(&here.join(path));
        full.strip_prefix(&app.project.root).map(Path::to_owned).map_err(|_| {
            CliError::usage(format!("{} is not in {}", path.display(), app.project.root.display()))
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

/// Returns true if a rollback to this snapshot undoes another.
fn is_undo(to: SnapshotLabel) -> bool {
    match to {
        SnapshotLabel::Safety(_) => true,
        SnapshotLabel::Start
        | SnapshotLabel::Iteration(_)
        | SnapshotLabel::Resumed(_)
        | SnapshotLabel::After(_) => false,
    }
}

/// Returns 0 if everything is restored, 1 if something was left.
fn outcome(done: &RollbackOutcome) -> u8 {
    u8::from(!done.left.is_empty() || !done.blocked.is_empty())
}

fn show_plan(args: &RollbackArgs, run: &Run, plan: &RollbackPlan, shared: &[SharedFiles]) {
    if args.json {
        out::line(view::plan_as_json(plan, shared));
    } else {
        view::show_plan(plan, run.policy.locale);
        if !shared.is_empty() {
            out::error(&overlap::refused(run, shared));
        }
    }
}

fn report(args: &RollbackArgs, run: &Run, done: &RollbackOutcome, kept: &[UntouchedFile]) {
    if args.json {
        out::line(view::done_as_json(run, done, kept));
    } else {
        view::show_done(run, done, kept);
        out::line(if args.undo { view::undone(run, done) } else { view::closing(run, done) });
    }
}
