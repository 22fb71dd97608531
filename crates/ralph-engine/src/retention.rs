//! Deletes snapshots and logs of old runs, and old records of sessions.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ralph_config::RetentionLimits;
use ralph_core::{Run, RunId, Timestamp};
use ralph_memory::{Notebook, RetentionOutcome, SessionRetention};
use ralph_snapshot::Snapshots;
use ralph_store::{RunQuery, RunStateFilter};
use serde_json::{Value, json};

use crate::app::App;
use crate::report;
use crate::texts::counted;
use crate::user_error::UserError;

/// Choice to delete, or only to tell what would go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectionMode {
    /// Delete.
    Remove,
    /// Delete nothing.
    DryRun,
}

/// All that a collection deletes.
pub struct CollectedGarbage {
    mode: CollectionMode,
    /// The runs that lose their snapshots and logs, with the bytes of each.
    runs: Vec<(RunId, u64)>,
    captured: RetentionOutcome,
}

/// Deletes what the limits of the settings do not keep. `gone` hears of each run.
pub fn collect(
    app: &App,
    mode: CollectionMode,
    gone: &mut dyn FnMut(&RunId, u64),
) -> Result<CollectedGarbage, UserError> {
    let retention = RetentionLimits::new(&app.counted_layers()?);
    let runs = surplus(app, &retention)?;
    // A collection that is half done would be harder to understand than none.
    for (run, _) in &runs {
        let tree = app.work_tree(run)?;
        Snapshots::new(&tree, run.clone()).check_nothing_pending()?;
    }
    for (run, size) in &runs {
        if mode == CollectionMode::Remove {
            let tree = app.work_tree(run)?;
            Snapshots::new(&tree, run.clone()).remove()?;
            remove_folder(&folder(app, run))?;
        }
        gone(run, *size);
    }
    if mode == CollectionMode::Remove {
        // Older versions kept what failed checks printed there.
        remove_folder(&app.home.join("memory/raw"))?;
    }
    let captured = let_go_of_sessions(app, &retention, mode)?;
    Ok(CollectedGarbage { mode, runs, captured })
}

/// Returns the runs over a limit that still have something to delete.
fn surplus(app: &App, retention: &RetentionLimits) -> Result<Vec<(RunId, u64)>, UserError> {
    let Some(store) = app.existing_store()? else { return Ok(Vec::new()) };
    let query = RunQuery { worktree: None, which: RunStateFilter::Ended, limit: u32::MAX };
    let mut ended = store.runs(&query)?;
    // Newest first: runs over a limit are at the end.
    ended.sort_by_key(|run| std::cmp::Reverse(run.started_at));
    let (mut kept, mut bytes, mut gone) = (0, 0, Vec::new());
    for run in ended {
        let size = size_of(app, &run.id)?;
        let stays = kept < retention.runs
            && age(&run, app.now()) <= retention.age
            && bytes + size <= retention.bytes;
        if stays {
            kept += 1;
            bytes += size;
        } else if size > 0 {
            gone.push((run.id, size));
        }
    }
    Ok(gone)
}

impl CollectedGarbage {
    fn bytes(&self) -> u64 {
        let runs: u64 = self.runs.iter().map(|(_, size)| size).sum();
        self.captured.bytes + runs
    }

    /// Renders it as JSON.
    pub fn as_json(&self) -> Value {
        let ids: Vec<String> = self.runs.iter().map(|(run, _)| run.to_string()).collect();
        json!({
            "schema": 1,
            "removed": ids,
            "bytes": self.bytes(),
            "session_bytes": self.captured.bytes,
            "sessions": self.captured.sessions,
            "dry_run": self.mode == CollectionMode::DryRun,
        })
    }

    /// Renders it in a sentence.
    pub fn sentence(&self, app: &App) -> String {
        let (bytes, runs, sessions) =
            (report::size(self.bytes()), self.runs.len(), self.captured.sessions);
        let parts =
            [(runs, "run"), (sessions, "session")].into_iter().filter(|(count, _)| *count > 0);
        let parts: Vec<String> = parts.map(|(count, one)| counted(count, one)).collect();
        let of =
            if parts.is_empty() { String::new() } else { format!(" of {}", parts.join(" and ")) };
        if self.mode == CollectionMode::DryRun {
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
}

/// Deletes old records of sessions; returns how much was deleted.
fn let_go_of_sessions(
    app: &App,
    retention: &RetentionLimits,
    mode: CollectionMode,
) -> Result<RetentionOutcome, UserError> {
    if !Notebook::exists(&app.home) {
        return Ok(RetentionOutcome::default());
    }
    let age = i64::try_from(retention.session_age.as_millis()).unwrap_or(i64::MAX);
    let since = Timestamp::from_millis(app.now().as_millis().saturating_sub(age));
    let keep = SessionRetention { since, bytes: retention.log_bytes, now: app.now() };
    let job = |book: &Notebook| {
        if mode == CollectionMode::DryRun { book.surplus(keep) } else { book.let_go(keep) }
    };
    let (gone, _) = Notebook::attempt(&app.home, job)?;
    Ok(gone)
}

fn age(run: &Run, now: Timestamp) -> Duration {
    now.since(run.ended_at.unwrap_or(run.updated_at))
}

fn folder(app: &App, run: &RunId) -> PathBuf {
    app.home.join("runs").join(run.as_str())
}

/// Returns the size of the run's snapshots and logs.
fn size_of(app: &App, run: &RunId) -> Result<u64, UserError> {
    let tree = app.work_tree(run)?;
    let snapshots = Snapshots::new(&tree, run.clone()).space_used()?;
    let files = fs::read_dir(folder(app, run)).into_iter().flatten().flatten();
    let logs: u64 = files.filter_map(|file| Some(file.metadata().ok()?.len())).sum();
    Ok(snapshots + logs)
}

fn remove_folder(folder: &Path) -> Result<(), UserError> {
    match fs::remove_dir_all(folder) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error.into()),
    }
}
