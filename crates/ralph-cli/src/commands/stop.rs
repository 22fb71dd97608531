//! `ralph stop` and `ralph cancel`: end runs.

use ralph_core::Run;
use ralph_engine::caller;
use ralph_engine::command_log::{CommandLog, CommandSource};
use ralph_engine::stop::{self, RunStop};
use ralph_store::{OwnerRequest, RunQuery, RunStateFilter, SqliteStore};

use crate::app::App;
use crate::error::CliError;
use crate::{out, texts};

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

/// Asks a run to end or to pause. Returns the sentence for the user.
pub(crate) fn end(
    app: &App,
    store: &SqliteStore,
    run: &Run,
    request: OwnerRequest,
    source: CommandSource,
) -> Result<String, CliError> {
    let outcome = stop::end(app, store, run, request, source)?;
    sentence(app, run, outcome)
}

/// Renders what became of a run that was asked to end or to pause.
pub(crate) fn sentence(app: &App, run: &Run, outcome: RunStop) -> Result<String, CliError> {
    if let Some(error) = &outcome.unread {
        out::error(error);
    }
    let Some(now) = outcome.run else { return Ok(texts::already(run, app.locale())) };
    let store = app.existing_store()?;
    let commands = store.and_then(|store| CommandLog::load(&store, &now.id).ok());
    Ok(texts::state_line(&now, &commands.unwrap_or_default()))
}
