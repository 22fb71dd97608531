//! `ralph gc`: deletes snapshots and logs of old runs.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use ralph_config::RetentionLimits;
use ralph_core::{Run, Timestamp};
use ralph_engine::report;
use ralph_memory::raw::{OutputRetention, RawOutputStore};
use ralph_memory::{Notebook, RetentionOutcome, SessionRetention};
use ralph_snapshot::Snapshots;
use ralph_store::{RunQuery, RunStateFilter, RunStore};
use serde_json::json;

use crate::app::App;
use crate::error::CliError;
use crate::out;
use crate::texts::counted;
use ralph_engine::rights::CallRight;

/// Remove snapshots and logs of old runs, and old output of failed checks
///
/// Only runs that ended lose them; their records and reports stay. How much
/// is kept is set by `retention.runs`, `retention.days` and `retention.size`.
/// Notes stay; what failed checks printed goes after `retention.days` too, and
/// what happened in sessions after `memory.days`; of sessions that take more than
/// `memory.size` the oldest go sooner, but none of the last day.
#[derive(clap::Args, Debug)]
pub(crate) struct GcArgs {
    /// Only show what would go
    #[arg(long)]
    dry_run: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl GcArgs {
    /// Returns who may call this command.
    pub(crate) fn right(&self) -> CallRight {
        if self.dry_run { CallRight::Anyone } else { CallRight::UserOnly }
    }
}

pub(crate) fn run(args: &GcArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    let retention = RetentionLimits::new(&app.layers()?);
    let mut ended = match app.existing_store()? {
        Some(store) => store.runs(&RunQuery {
            worktree: None,
            which: RunStateFilter::Ended,
            limit: u32::MAX,
        })?,
        None => Vec::new(),
    };
    // Newest first: runs over a limit are at the end.
    ended.sort_by_key(|run| std::cmp::Reverse(run.started_at));
    let (mut kept, mut bytes, mut gone) = (0, 0, Vec::new());
    for run in &ended {
        let size = size_of(&app, run)?;
        let stays = kept < retention.runs
            && age(run, app.now()) <= retention.age
            && bytes + size <= retention.bytes;
        if stays {
            kept += 1;
            bytes += size;
        } else if size > 0 {
            gone.push((run, size));
        }
    }
    // A collection that is half done would be harder to understand than none.
    for (run, _) in &gone {
        let tree = app.work_tree(&run.id)?;
        Snapshots::new(&tree, run.id.clone()).check_nothing_pending()?;
    }
    for (run, size) in &gone {
        if !args.dry_run {
            let tree = app.work_tree(&run.id)?;
            Snapshots::new(&tree, run.id.clone()).remove()?;
            remove_folder(&folder(&app, run))?;
        }
        if !args.json {
            out::line(format!("{}  {}", run.id, report::size(*size)));
        }
    }
    let printed = let_go_of_outputs(&app, &retention, args.dry_run)?;
    let captured = let_go_of_sessions(&app, &retention, args.dry_run)?;
    let freed = printed + captured.bytes + gone.iter().map(|(_, size)| size).sum::<u64>();
    if args.json {
        let ids: Vec<String> = gone.iter().map(|(run, _)| run.id.to_string()).collect();
        out::line(json!({
            "schema": 1,
            "removed": ids,
            "bytes": freed,
            "raw_bytes": printed,
            "session_bytes": captured.bytes,
            "sessions": captured.sessions,
            "dry_run": args.dry_run,
        }));
    } else {
        let (runs, sessions) = (gone.len(), captured.sessions);
        out::line(summary(&app, args.dry_run, &report::size(freed), runs, sessions));
    }
    Ok(0)
}

#[expect(clippy::fn_params_excessive_bools, reason = "it is the option of the command line")]
fn summary(app: &App, dry_run: bool, bytes: &str, runs: usize, sessions: usize) -> String {
    let parts = [(runs, "run"), (sessions, "session")].into_iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts.map(|(count, one)| counted(count, one)).collect();
    let of = if parts.is_empty() { String::new() } else { format!(" of {}", parts.join(" and ")) };
    if dry_run {
        app.locale().say(
            format!("Would free {bytes}{of}."),
            format!("실행 {runs}개와 세션 {sessions}개에서 {bytes} 를 비우게 됩니다."),
        )
    } else {
        app.locale().say(
            format!("Freed {bytes}{of}."),
            format!("실행 {runs}개와 세션 {sessions}개에서 {bytes} 를 비웠습니다."),
        )
    }
}

/// Deletes old output of failed checks; returns the number of bytes.
#[expect(clippy::fn_params_excessive_bools, reason = "it is the option of the command line")]
fn let_go_of_outputs(
    app: &App,
    retention: &RetentionLimits,
    dry_run: bool,
) -> Result<u64, CliError> {
    let keeping = OutputRetention { age: retention.age, ..OutputRetention::default() };
    let since = u64::try_from(app.now().as_millis()).unwrap_or(0);
    let now = SystemTime::UNIX_EPOCH + Duration::from_millis(since);
    let freed = RawOutputStore::new(&app.home)
        .let_go(keeping, now, |path| if dry_run { Ok(()) } else { fs::remove_file(path) })?;
    Ok(freed)
}

/// Deletes old records of sessions; returns how much was deleted.
#[expect(clippy::fn_params_excessive_bools, reason = "it is the option of the command line")]
fn let_go_of_sessions(
    app: &App,
    retention: &RetentionLimits,
    dry_run: bool,
) -> Result<RetentionOutcome, CliError> {
    if !Notebook::exists(&app.home) {
        return Ok(RetentionOutcome::default());
    }
    let age = i64::try_from(retention.session_age.as_millis()).unwrap_or(i64::MAX);
    let since = Timestamp::from_millis(app.now().as_millis().saturating_sub(age));
    let keep = SessionRetention { since, bytes: retention.log_bytes, now: app.now() };
    let job = |book: &Notebook| if dry_run { book.surplus(keep) } else { book.let_go(keep) };
    let (gone, _) = Notebook::attempt(&app.home, job)?;
    Ok(gone)
}

fn age(run: &Run, now: Timestamp) -> Duration {
    now.since(run.ended_at.unwrap_or(run.updated_at))
}

fn folder(app: &App, run: &Run) -> std::path::PathBuf {
    app.home.join("runs").join(run.id.as_str())
}

/// Returns the size of the run's snapshots and logs.
fn size_of(app: &App, run: &Run) -> Result<u64, CliError> {
    let tree = app.work_tree(&run.id)?;
    let snapshots = Snapshots::new(&tree, run.id.clone()).space_used()?;
    let files = fs::read_dir(folder(app, run)).into_iter().flatten().flatten();
    let logs: u64 = files.filter_map(|file| Some(file.metadata().ok()?.len())).sum();
    Ok(snapshots + logs)
}

fn remove_folder(folder: &Path) -> Result<(), CliError> {
    match fs::remove_dir_all(folder) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error.into()),
    }
}
