//! `ralph run`: drives an agent until the work is done.

use ralph_core::Run;
use ralph_core::run::{AgentRef, NewRun};
use ralph_engine::events::Begin;
use ralph_engine::loops;
use ralph_engine::{Ledger, owner};

use super::drive::{self, Ready, View};
use crate::app::App;
use crate::config::Settings;
use crate::error::CliError;
use crate::options::{AgentOptions, PolicyOptions, TaskOptions};
use crate::{out, texts};

/// Drive an agent until the work is proven done
///
/// The agent gets the task on its standard input and answers on its standard
/// output. After every turn the gates run on the present tree; the run ends
/// with success only when they pass. Exit codes: 0 success, 1 ended without
/// success, 2 usage, 3 internal error, 4 waiting for a person, 130 interrupted.
#[derive(clap::Args, Debug)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    task: TaskOptions,
    #[command(flatten)]
    policy: PolicyOptions,
    #[command(flatten)]
    agent: AgentOptions,
    /// Print one JSON object per event
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &RunArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    app.refuse_if_disabled()?;
    let task = args.task.read()?;
    let mut layers = app.layers()?;
    args.policy.apply(&mut layers)?;
    args.agent.apply(&mut layers)?;
    let settings = Settings::new(&layers, app.locale())?;
    let agent = drive::agent(&app, &settings, args.agent.script.as_deref())?;
    let gates = drive::gates(&app, &settings.policy.gates)?;

    let ledger = open_ledger(&app)?;
    let new = NewRun {
        task,
        worktree: app.worktree(),
        agent: AgentRef { name: agent.name().to_owned(), command: agent.command_line() },
        policy: settings.policy.clone(),
        owner: owner::this_process(app.now()),
    };
    let run = loops::start(ledger.store(), new, app.now())?;
    let view = if args.json { View::Json } else { View::Human };
    let ready = Ready { agent, gates, settings, answer: None };
    let run = drive::drive(&app, ledger, ready, (run, Begin::New), view)?;
    if view == View::Human {
        closing_words(&run);
    }
    Ok(run.state.exit_code())
}

/// Opens the store for writing; a damaged one is left in place, loudly.
pub(crate) fn open_ledger(app: &App) -> Result<Ledger, CliError> {
    let (ledger, damaged) = Ledger::open(&app.home)?;
    if let Some(path) = damaged {
        out::note(format!(
            "warning: {} is damaged; it was left in place and a new store was begun beside it",
            path.display()
        ));
    }
    Ok(ledger)
}

/// What a person reads when a run is over.
pub(crate) fn closing_words(run: &Run) {
    out::line(texts::closing(run));
}
