//! `ralph status`: where the runs of this work tree stand.

use ralph_core::Run;
use ralph_engine::loops;
use ralph_engine::wire::{RunList, RunView};
use ralph_store::{IterationRecord, RunQuery, RunStore, Which};

use super::{gc, memory};
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
    if args.json {
        let list = list(&app, args.run.as_deref())?.with_memory(memory::bytes(&app)?);
        out::line(serde_json::to_string_pretty(&list).map_err(|error| CliError::internal(&error))?);
        return Ok(0);
    }
    let found = found(&app, args.run.as_deref())?;
    for (run, iterations) in &found {
        out::raw(&texts::status(run, iterations, app.now()));
        // Where nothing can be written it cannot be measured.
        if let Ok(bytes) = gc::size_of(&app, run) {
            let space = ralph_engine::report::size(bytes);
            out::raw(&texts::fact("space", &space, run.policy.locale));
        }
    }
    if found.is_empty() {
        out::line(texts::no_run(app.locale()));
    }
    if let Some(size) = memory::size(&app)? {
        out::raw(&texts::fact("memory", &size, app.locale()));
    }
    Ok(0)
}

/// The runs that are meant, for machines: the given one, else the open ones of
/// this work tree, else its newest.
pub(crate) fn list(app: &App, given: Option<&str>) -> Result<RunList, CliError> {
    let found = found(app, given)?;
    let views = found.iter().map(|(run, iterations)| RunView::new(run, iterations));
    Ok(RunList::new(views.collect()))
}

/// The same with their last iterations.
fn found(app: &App, given: Option<&str>) -> Result<Vec<(Run, Vec<IterationRecord>)>, CliError> {
    let Some(store) = app.existing_store()? else { return Ok(Vec::new()) };
    let mut runs = if given.is_some() {
        app.find_run(&store, given)?.into_iter().collect()
    } else {
        let worktree = Some(app.worktree());
        store.runs(&RunQuery { worktree, which: Which::Open, limit: 100 })?
    };
    if runs.is_empty() {
        runs.extend(loops::current(&store, &app.worktree())?);
    }
    // The state of a run can be seen however broken the settings are.
    if let Some(run) = runs.first() {
        app.fall_back_on(&run.id);
    }
    let with_iterations = runs.into_iter().map(|run| {
        let iterations = store.iterations(&run.id, SHOWN)?;
        Ok((run, iterations))
    });
    with_iterations.collect()
}
