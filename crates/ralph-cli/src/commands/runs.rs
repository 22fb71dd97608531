//! `ralph runs`: lists the runs of this project.

use ralph_core::wording;
use ralph_engine::wire::{RunList, RunView, local_time};
use ralph_store::{RunQuery, RunStateFilter};

use crate::app::App;
use crate::error::CliError;
use crate::{out, texts};

/// List the runs of this project, newest first
#[derive(clap::Args, Debug)]
pub(crate) struct RunsArgs {
    /// How many to list
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20)]
    limit: u32,
    /// Only runs of this work tree
    #[arg(long)]
    here: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &RunsArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    let query = RunQuery {
        worktree: args.here.then(|| app.worktree()),
        which: RunStateFilter::All,
        limit: args.limit,
    };
    let runs = match app.existing_store()? {
        Some(store) => store.runs(&query)?,
        None => Vec::new(),
    };
    if args.json {
        let list = RunList::new(runs.iter().map(|run| RunView::new(run, &[])).collect());
        out::line(serde_json::to_string_pretty(&list).map_err(|error| CliError::internal(&error))?);
        return Ok(0);
    }
    if runs.is_empty() {
        out::line(ralph_engine::app::no_run(app.locale()));
        return Ok(0);
    }
    let rows = runs.iter().map(|run| {
        vec![
            run.id.to_string(),
            wording::state_words(&run.state, app.locale()),
            format!("{}/{}", run.iteration, run.policy.limits.iterations),
            local_time(run.started_at),
            texts::one_line(run.task.description.as_deref().unwrap_or(&run.task.text), 50),
        ]
    });
    let heads = app
        .locale()
        .say(["run", "status", "turns", "started", "task"], ["실행", "상태", "턴", "시작", "작업"]);
    out::text(&texts::table(&heads, rows));
    Ok(0)
}
