//! `ralph status`: where the runs of this work tree stand.

use ralph_engine::loops;
use ralph_engine::wire::{RunList, RunView};
use ralph_store::{RunQuery, RunStore, Which};

use super::gc;
use crate::app::App;
use crate::error::CliError;
use crate::{out, texts};

/// How many iterations a status shows in JSON.
const SHOWN: u32 = 20;

/// Show where the runs of this work tree stand
#[derive(clap::Args, Debug)]
pub(crate) struct StatusArgs {
    /// The run to show (default: the open ones, else the newest)
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &StatusArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    let mut runs = Vec::new();
    let store = app.existing_store()?;
    if let Some(store) = &store {
        runs = if let Some(given) = args.run.as_deref() {
            app.find_run(store, Some(given))?.into_iter().collect()
        } else {
            let worktree = Some(app.worktree());
            store.runs(&RunQuery { worktree, which: Which::Open, limit: 100 })?
        };
        if runs.is_empty() {
            runs.extend(loops::current(store, &app.worktree())?);
        }
    }
    let mut views = Vec::new();
    for run in &runs {
        let iterations = match &store {
            Some(store) => store.iterations(&run.id, SHOWN)?,
            None => Vec::new(),
        };
        if !args.json {
            out::raw(&texts::status(run, &iterations, app.now()));
            let space = ralph_engine::report::size(gc::size_of(&app, run)?);
            out::raw(&texts::fact("space", &space, run.policy.locale));
        }
        views.push(RunView::new(run, &iterations));
    }
    if args.json {
        let list = RunList::new(views);
        out::line(serde_json::to_string_pretty(&list).map_err(|error| CliError::internal(&error))?);
    } else if runs.is_empty() {
        out::line(texts::no_run(app.locale()));
    }
    Ok(0)
}
