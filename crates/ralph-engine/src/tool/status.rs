//! The loops of a project and their records.

use ralph_core::Run;
use ralph_store::{IterationRecord, RunQuery, RunStateFilter};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::app::App;
use crate::command_log::CommandLog;
use crate::loops;
use crate::tool::{ToolReply, own_run};
use crate::user_error::UserError;
use crate::wire::{RunList, RunView};

/// Number of iterations in the JSON.
const SHOWN: u32 = 20;

/// A run with its records.
pub struct RunFacts {
    /// The run.
    pub run: Run,
    /// Its latest iterations.
    pub iterations: Vec<IterationRecord>,
    /// The commands that changed it.
    pub commands: CommandLog,
}

/// The run to show.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoopStatusInput {
    /// Only the run with this id.
    #[serde(default)]
    run: Option<String>,
    /// The session, from a client that fills it in; the model does not see it.
    #[serde(default)]
    #[schemars(skip)]
    session: Option<String>,
}

/// Shows the caller's loop, else the open ones of the project, else the newest.
pub fn loop_status(app: &App, input: LoopStatusInput) -> Result<ToolReply, UserError> {
    let own = own_run(app, input.session)?;
    ToolReply::new(&run_list(app, input.run.or(own).as_deref())?)
}

/// Returns views of the selected runs: the given one, else the open ones of this work
/// tree, else its newest.
pub fn run_list(app: &App, given: Option<&str>) -> Result<RunList, UserError> {
    let found = run_facts(app, given)?;
    let views = found.iter().map(|found| RunView::new(&found.run, &found.iterations));
    Ok(RunList::new(views.collect()))
}

/// Returns the same runs with their records.
pub fn run_facts(app: &App, given: Option<&str>) -> Result<Vec<RunFacts>, UserError> {
    let Some(store) = app.existing_store()? else { return Ok(Vec::new()) };
    let mut runs = if given.is_some() {
        app.find_run(&store, given)?.into_iter().collect()
    } else {
        let worktree = Some(app.worktree());
        store.runs(&RunQuery { worktree, which: RunStateFilter::Open, limit: 100 })?
    };
    if runs.is_empty() {
        runs.extend(loops::current(&store, &app.worktree())?);
    }
    // The state of a run is shown even if the settings are broken.
    if let Some(run) = runs.first() {
        app.fall_back_on(&run.id);
    }
    let with_facts = runs.into_iter().map(|run| {
        let iterations = store.iterations(&run.id, SHOWN)?;
        let commands = CommandLog::load(&store, &run.id)?;
        Ok(RunFacts { run, iterations, commands })
    });
    with_facts.collect()
}
