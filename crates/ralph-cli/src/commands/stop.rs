//! `ralph stop` and `ralph cancel`: end runs.

use std::time::Duration;

use ralph_core::{Run, RunId};
use ralph_engine::caller;
use ralph_engine::clock::InterruptSignal;
use ralph_engine::command_log::{self, CommandLog, CommandSource};
use ralph_engine::log_end_of;
use ralph_engine::loops::{self, StopOutcome};
use ralph_store::{OwnerRequest, RunQuery, RunStateFilter, RunStore, SqliteStore};

use super::rollback;
use crate::app::App;
use crate::error::CliError;
use crate::{out, texts};

/// Longest time that a driver may take to stop.
const PATIENCE: Duration = Duration::from_secs(30);

/// Time between two looks at the record.
const LOOK: Duration = Duration::from_millis(50);

/// End a run; its snapshots and records stay
///
/// The agent's turn is ended with all its processes. Doing it twice is no
/// error, nor is it when there is no run.
#[derive(clap::Args, Debug)]
pub(crate) struct StopArgs {
    /// The run to end (default: the open one of this work tree)
    #[arg(value_name = "RUN", conflicts_with_all = ["run", "all"])]
    id: Option<String>,
    /// The same
    #[arg(long, value_name = "RUN")]
    run: Option<String>,
    /// End every open run of this project
    #[arg(long, conflicts_with = "run")]
    all: bool,
}

pub(crate) fn run(args: &StopArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    let Some(store) = app.existing_store()? else {
        out::line(texts::no_open_run(app.locale()));
        return Ok(0);
    };
    let runs = wanted(&app, &store, args)?;
    if runs.is_empty() {
        out::line(texts::no_open_run(app.locale()));
    }
    for run in runs {
        out::line(end(&app, &store, &run, OwnerRequest::Stop, caller::source(&app))?);
    }
    Ok(0)
}

fn wanted(app: &App, store: &SqliteStore, args: &StopArgs) -> Result<Vec<Run>, CliError> {
    if let Some(given) = args.id.as_ref().or(args.run.as_ref()) {
        return Ok(app.find_run(store, Some(given))?.into_iter().collect());
    }
    if args.all {
        return Ok(store.runs(&RunQuery {
            worktree: None,
            which: RunStateFilter::Open,
            limit: 1000,
        })?);
    }
    let meant = app.find_run_to_change(store, None)?;
    Ok(meant.filter(|run| !run.state.is_ended()).into_iter().collect())
}

/// Asks a run to end or to pause and waits for its driver. Returns the sentence for the user.
pub(crate) fn end(
    app: &App,
    store: &SqliteStore,
    run: &Run,
    request: OwnerRequest,
    source: CommandSource,
) -> Result<String, CliError> {
    // A run can be ended even if its files cannot be read.
    if let Err(error) = rollback::keep_lost_turn(app, store, run) {
        out::error(&error);
    }
    if !run.state.is_ended() {
        command_log::record_order(store, run, source, app.now())?;
    }
    match loops::request(store, run, request, app.now())? {
        StopOutcome::Already => Ok(texts::already(run, app.locale())),
        StopOutcome::AtOnce => {
            let now = reload(store, &run.id)?;
            let now = now.as_ref().unwrap_or(run);
            // It has no driver that could do this.
            log_end_of(&app.home, now, app.now());
            Ok(said(store, now))
        }
        StopOutcome::Asked => match await_end(app, store, &run.id, request)? {
            Some(run) => Ok(said(store, &run)),
            None => Err(CliError::refused(format!(
                "the driver of {} has not followed within {} seconds",
                run.id,
                PATIENCE.as_secs()
            ))
            .in_korean(
                format!("{} 의 드라이버가 {}초 안에 따르지 않았습니다", run.id, PATIENCE.as_secs()),
                None,
            )),
        },
    }
}

fn said(store: &SqliteStore, run: &Run) -> String {
    texts::state_line(run, &CommandLog::load(store, &run.id).unwrap_or_default())
}

fn reload(store: &SqliteStore, id: &RunId) -> Result<Option<Run>, CliError> {
    Ok(store.run(id)?)
}

fn await_end(
    app: &App,
    store: &SqliteStore,
    id: &RunId,
    request: OwnerRequest,
) -> Result<Option<Run>, CliError> {
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
