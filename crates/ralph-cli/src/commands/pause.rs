//! `ralph pause`: pauses a run, so that it can be resumed.

use ralph_engine::caller;
use ralph_store::OwnerRequest;

use super::stop;
use crate::app::App;
use crate::error::CliError;
use crate::{out, texts};

/// Pause a run; `ralph resume` goes on with it
#[derive(clap::Args, Debug)]
pub(crate) struct PauseArgs {
    /// The run to pause (default: the active one of this work tree)
    #[arg(value_name = "RUN")]
    run: Option<String>,
}

pub(crate) fn run(args: &PauseArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    let Some(store) = app.existing_store()? else {
        out::line(texts::no_open_run(app.locale()));
        return Ok(0);
    };
    match app.find_run_to_change(&store, args.run.as_deref())? {
        Some(run) if !run.state.is_ended() => {
            out::line(stop::end(&app, &store, &run, OwnerRequest::Pause, caller::source(&app))?);
        }
        Some(run) if args.run.is_some() => out::line(texts::already(&run, app.locale())),
        Some(_) | None => out::line(texts::no_open_run(app.locale())),
    }
    Ok(0)
}
