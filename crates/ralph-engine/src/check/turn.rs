//! Lets one check of a work tree run at a time, and runs the gates of its loop: for agents
//! whose hook has no time for them.

use std::fs::{self, File, TryLockError};
use std::time::Duration;

use ralph_checks::security::ScanSelection;
use ralph_core::Run;
use ralph_store::SqliteStore;

use super::project::{CheckNote, CheckObserver, CheckResult};
use crate::app::App;
use crate::caller::{self, InvocationKind};
use crate::clock::InterruptSignal;
use crate::driver::Driver;
use crate::events::EventSink;
use crate::ledger::RunLedger;
use crate::loops;
use crate::run::{self, RunChecks};
use crate::user_error::UserError;

/// Time between two attempts to take the lock.
const LOOK: Duration = Duration::from_millis(50);

/// Waits until no other check of this work tree runs. The lock is held as long as the
/// file is open.
pub(super) fn wait(
    app: &App,
    interrupt: &InterruptSignal,
    observer: &mut dyn CheckObserver,
) -> Result<File, UserError> {
    fs::create_dir_all(&app.home)?;
    let file =
        ralph_files::create_own(app.home.join(format!("check-{}.lock", app.worktree_name())))?;
    let mut has_said = false;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if !has_said => {
                has_said = true;
                observer.note(CheckNote::AnotherCheck);
            }
            Err(TryLockError::WouldBlock) if interrupt.wait(LOOK) => {
                return Err(UserError::refused("another check runs here")
                    .in_korean("여기서 다른 검사가 실행 중입니다", None));
            }
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
    }
}

/// Uses the settings of the run that is active here if the present ones cannot be read.
pub fn fall_back(app: &App) {
    let store = app.existing_store().ok().flatten();
    let run = store.and_then(|store| judged_run(app, &store).ok()?);
    if let Some(run) = run {
        app.fall_back_on(&run.id);
    }
}

/// Returns the active run here that has gates: that of the calling agent, else the newest.
fn judged_run(app: &App, store: &SqliteStore) -> Result<Option<Run>, UserError> {
    let mut active = loops::active(store, &app.worktree())?;
    active.retain(|run| !run.policy.gates.is_empty());
    if active.len() > 1
        && let Some(own) = caller::open_run(app, InvocationKind::Command)
    {
        active.sort_by_key(|run| run.id != own.id);
    }
    Ok(active.into_iter().next())
}

/// Runs the gates of the run that is active here, on the files as the run sees them.
/// Returns `None` if there is no such run or it has no gates.
pub(super) fn check_run(
    app: &App,
    interrupt: &InterruptSignal,
    observer: &mut dyn CheckObserver,
) -> Result<Option<CheckResult>, UserError> {
    if app.existing_store()?.is_none() {
        return Ok(None);
    }
    let (ledger, _) = RunLedger::open(&app.home)?;
    let Some(run) = judged_run(app, ledger.store())? else { return Ok(None) };
    let chosen = ScanSelection::default();
    let gates = run::gates(app, &run.policy.gates, &chosen)?;
    if gates.is_empty() {
        return Ok(None);
    }
    let settings = run::settings_of(app, &run)?;
    observer.speaks(run.policy.locale);
    let checks = RunChecks { gates, judge: None, until: None, chosen, settings };
    let sink: &mut dyn EventSink = observer;
    let mut driver = Driver::of_run(app, ledger, checks, &run, sink)?;
    driver.context.interrupt = interrupt.clone();
    let evidence = driver.gatherer().check_gates(&run)?;
    drop(driver);
    for held in &evidence.weakened {
        observer.note(CheckNote::Held { place: &held.place, what: &held.what });
    }
    let is_held = !evidence.weakened.is_empty();
    Ok(Some(CheckResult { reports: evidence.gates, is_held }))
}
