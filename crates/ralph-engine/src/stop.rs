//! Ends and pauses runs.

use std::time::Duration;

use ralph_core::{Run, RunId};
use ralph_store::{OwnerRequest, SqliteStore};

use crate::app::App;
use crate::clock::InterruptSignal;
use crate::command_log::{self, CommandSource};
use crate::driver::log_end_of;
use crate::loops::{self, StopOutcome};
use crate::undo;
use crate::user_error::UserError;

/// Longest time that a driver may take to stop.
const PATIENCE: Duration = Duration::from_secs(30);

/// Time between two looks at the record.
const LOOK: Duration = Duration::from_millis(50);

/// A run that was asked to end or to pause.
pub struct RunStop {
    /// The run as it is now; `None` if it had ended before.
    pub run: Option<Run>,
    /// The reason why its last turn has no snapshot.
    pub unread: Option<UserError>,
}

/// Asks a run to end or to pause and waits for its driver.
pub fn end(
    app: &App,
    store: &SqliteStore,
    run: &Run,
    request: OwnerRequest,
    source: CommandSource,
) -> Result<RunStop, UserError> {
    // A run can be ended even if its files cannot be read.
    let unread = undo::keep_lost_turn(app, store, run).err();
    if !run.state.is_ended() {
        command_log::record_order(store, run, source, app.now())?;
    }
    let run = match loops::request(store, run, request, app.now())? {
        StopOutcome::Already => None,
        StopOutcome::AtOnce => {
            let now = reload(store, &run.id)?.unwrap_or_else(|| run.clone());
            // It has no driver that could do this.
            log_end_of(&app.home, &now, app.now());
            Some(now)
        }
        StopOutcome::Asked => match await_end(app, store, &run.id, request)? {
            Some(run) => Some(run),
            None => return Err(does_not_follow(run)),
        },
    };
    Ok(RunStop { run, unread })
}

fn does_not_follow(run: &Run) -> UserError {
    let (id, seconds) = (&run.id, PATIENCE.as_secs());
    UserError::refused(format!("the driver of {id} has not followed within {seconds} seconds"))
        .in_korean(format!("{id} 의 드라이버가 {seconds}초 안에 따르지 않았습니다"), None)
}

fn reload(store: &SqliteStore, id: &RunId) -> Result<Option<Run>, UserError> {
    Ok(store.run(id)?)
}

fn await_end(
    app: &App,
    store: &SqliteStore,
    id: &RunId,
    request: OwnerRequest,
) -> Result<Option<Run>, UserError> {
    let deadline = app.now().plus(PATIENCE);
    let pause = InterruptSignal::default();
    while app.now() < deadline {
        match reload(store, id)? {
            Some(run) if !run.state.is_active() => return Ok(Some(run)),
            // Its driver may have died meanwhile.
            Some(run)
                if loops::request(store, &run, request, app.now())? == StopOutcome::AtOnce =>
            {
                let ended = reload(store, id)?;
                if let Some(run) = &ended {
                    log_end_of(&app.home, run, app.now());
                }
                return Ok(ended);
            }
            Some(_) | None => {
                pause.wait(LOOK);
            }
        }
    }
    Ok(None)
}
