//! `ralph check --wait`: for agents whose hook has no time for the gates.

use std::fs::{self, File, TryLockError};
use std::time::Duration;

use ralph_checks::GateWatcher;
use ralph_checks::security::ScanSelection;
use ralph_core::evidence::GateReport;
use ralph_core::{Run, Timestamp};
use ralph_engine::caller::{self, InvocationKind};
use ralph_engine::clock::InterruptSignal;
use ralph_engine::events::{EventSink, RunEvent};
use ralph_engine::{RunLedger, loops};
use ralph_store::RunStore;

use super::CheckProgressPrinter;
use crate::app::App;
use crate::commands::drive::{self, RunChecks};
use crate::commands::resume::settings_of;
use crate::error::CliError;
use crate::{out, texts};

/// Time between two attempts to take the lock.
const LOOK: Duration = Duration::from_millis(50);

/// Waits until no other check of this work tree runs. The lock is held as long as the
/// file is open.
pub(super) fn for_turn(app: &App, interrupt: &InterruptSignal) -> Result<File, CliError> {
    fs::create_dir_all(&app.home)?;
    let file =
        ralph_files::create_own(app.home.join(format!("check-{}.lock", app.worktree_name())))?;
    let mut has_said = false;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if !has_said => {
                has_said = true;
                out::note(texts::another_check(app.locale()));
            }
            Err(TryLockError::WouldBlock) if interrupt.wait(LOOK) => {
                return Err(CliError::refused("another check runs here")
                    .in_korean("여기서 다른 검사가 실행 중입니다", None));
            }
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
    }
}

/// Uses the settings of the run that is active here if the present ones cannot be read.
pub(super) fn fall_back(app: &App) {
    let store = app.existing_store().ok().flatten();
    let run = store.and_then(|store| judged_run(app, &store).ok()?);
    if let Some(run) = run {
        app.fall_back_on(&run.id);
    }
}

/// Returns the active run here that has gates: that of the calling agent, else the newest.
fn judged_run(app: &App, store: &dyn RunStore) -> Result<Option<Run>, CliError> {
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
    progress: &mut CheckProgressPrinter,
) -> Result<Option<Vec<GateReport>>, CliError> {
    if app.existing_store()?.is_none() {
        return Ok(None);
    }
    let (ledger, _) = RunLedger::open(&app.home)?;
    let Some(run) = judged_run(app, ledger.store())? else { return Ok(None) };
    let chosen = ScanSelection::default();
    let gates = drive::gates(app, &run.policy.gates, &chosen)?;
    if gates.is_empty() {
        return Ok(None);
    }
    let settings = settings_of(app, &run, None)?;
    progress.locale = run.policy.locale;
    let checks = RunChecks { gates, judge: None, until: None, chosen, settings };
    let interrupt = progress.interrupt.clone();
    let mut driver = drive::driver(app, ledger, checks, &run, progress)?;
    driver.context.interrupt = interrupt;
    let evidence = driver.gatherer().check_gates(&run)?;
    drop(driver);
    for held in &evidence.weakened {
        progress.say(&texts::held_change(&held.place, &held.what, progress.locale));
    }
    progress.is_held = !evidence.weakened.is_empty();
    Ok(Some(evidence.gates))
}

impl EventSink for CheckProgressPrinter {
    fn event(&mut self, event: &RunEvent<'_>, _at: Timestamp) {
        match event {
            RunEvent::GateStarted { name, .. } => self.say_started(name),
            RunEvent::GateFinished { report, .. } => self.finished(report),
            RunEvent::Notice { text, .. } => self.say(text),
            RunEvent::RunStarted { .. }
            | RunEvent::IterationStarted { .. }
            | RunEvent::AgentOutput { .. }
            | RunEvent::IterationEnded { .. }
            | RunEvent::Waiting { .. }
            | RunEvent::RunBroken { .. }
            | RunEvent::RunEnded { .. } => {}
        }
    }
}
