//! `ralph rollback`: restores the files from before a run.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use ralph_config::OnFail;
use ralph_core::Run;
use ralph_core::locale::Locale;
use ralph_engine::undo::{self, FailureEnd, SharedFiles, SnapshotName, refused, view};
use ralph_engine::wire::rollback as wire;
use ralph_snapshot::{
    ConflictPolicy, RollbackOutcome, RollbackPlan, SnapshotLabel, Snapshots, UntouchedFile,
};

use crate::app::App;
use crate::error::CliError;
use crate::out;
use ralph_engine::rights::CallRight;

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
    undo::refuse_if_at_work(&app, &run)?;
    undo::keep_lost_turn(&app, &store, &run)?;
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
            undo::record(&app, &store, &run, to, &done)?;
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
        undo::record(&app, &store, &run, None, &done)?;
        report(args, &run, &done, &[]);
        if !args.json && snapshots.undoable_rollbacks()? > 0 {
            out::line(view::one_before(run.policy.locale));
        }
        return Ok(outcome(&done));
    }
    let all = snapshots.list()?;
    let name: SnapshotName =
        args.to.parse().map_err(|error| CliError::usage(format!("--to: {error}")))?;
    let to = undo::find(name, &run, &all).ok_or_else(|| undo::no_snapshot(&run, &args.to))?;
    let outside = undo::outside_changes(&app, &run);
    let plan = undo::plan(&snapshots, &all, &outside, to, &undo::relative(&app, &args.path)?)?;
    let shared = undo::shared(&app, &store, &run, &plan)?;
    if args.dry_run || plan.is_empty() {
        show_plan(args, &run, &plan, &shared);
        return Ok(0);
    }
    if !args.force && !shared.is_empty() {
        return Err(refused(&run, &shared));
    }
    let conflicts = match conflicts {
        ConflictPolicy::Leave if !plan.conflicts.is_empty() && !args.json => {
            ask_about(&plan, run.policy.locale)?
        }
        ConflictPolicy::Leave | ConflictPolicy::Force => conflicts,
    };
    let done = snapshots.apply(&plan, conflicts, app.now())?;
    undo::record(&app, &store, &run, Some(plan.to), &done)?;
    report(args, &run, &done, &plan.kept);
    Ok(outcome(&done))
}

/// Asks whether to restore files that others changed. Without a terminal they are left.
fn ask_about(plan: &RollbackPlan, locale: Locale) -> io::Result<ConflictPolicy> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Ok(ConflictPolicy::Leave);
    }
    view::conflict_lines(plan, locale).into_iter().for_each(out::note);
    let question = locale.say(
        "Not only the agent changed these. Take them back as well? [y/N] ",
        "에이전트만 변경한 파일이 아닙니다. 이것도 되돌릴까요? [y/N] ",
    );
    write!(io::stderr(), "{question}")?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    let is_yes = matches!(answer.trim().to_lowercase().as_str(), "y" | "yes");
    Ok(if is_yes { ConflictPolicy::Force } else { ConflictPolicy::Leave })
}

/// Restores the files that the settings name after a failed run, and prints what was done.
pub(crate) fn after_failure(app: &App, run: &Run, on_fail: OnFail) -> Result<(), CliError> {
    match undo::after_failure(app, run, on_fail)? {
        FailureEnd::Left => {}
        FailureEnd::Restored(done) => out::note(view::closing(run, &done)),
        FailureEnd::Shared(shared) => out::error(&refused(run, &shared)),
    }
    Ok(())
}

/// Tells how to take a run back: the command, and the way without ralph.
pub(crate) fn way_back(app: &App, run: &Run) -> Result<Option<String>, CliError> {
    let changes = undo::changes_of(app, run)?;
    Ok(changes.map(|changes| ralph_engine::report::way_back(run, &changes.start, changes.added)))
}

/// Returns true if a rollback to this snapshot undoes another.
fn is_undo(to: SnapshotLabel) -> bool {
    matches!(to, SnapshotLabel::Safety(_))
}

/// Returns 0 if everything is restored, 1 if something was left.
fn outcome(done: &RollbackOutcome) -> u8 {
    u8::from(!done.left.is_empty() || !done.blocked.is_empty())
}

fn show_plan(args: &RollbackArgs, run: &Run, plan: &RollbackPlan, shared: &[SharedFiles]) {
    if args.json {
        out::line(wire::planned(plan, shared));
    } else {
        view::plan_lines(plan, run.policy.locale).into_iter().for_each(out::line);
        if !shared.is_empty() {
            out::error(&refused(run, shared));
        }
    }
}

fn report(args: &RollbackArgs, run: &Run, done: &RollbackOutcome, kept: &[UntouchedFile]) {
    if args.json {
        out::line(wire::done(run, done, kept));
    } else {
        let lines = view::done_lines(run, done, kept);
        lines.kept.into_iter().for_each(out::note);
        lines.steps.into_iter().for_each(out::line);
        lines.left.into_iter().for_each(out::note);
        out::line(if args.undo { view::undone(run, done) } else { view::closing(run, done) });
    }
}
