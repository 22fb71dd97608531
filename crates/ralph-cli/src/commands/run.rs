//! `ralph run`: drives an agent until the work is done.

use ralph_config::OnFail;
use ralph_core::Run;
use ralph_core::state::RunState;
use ralph_core::wording::told;
use ralph_engine::RunLedger;
use ralph_engine::agents::choose_agent;
use ralph_engine::command_log::CommandLog;
use ralph_engine::events::RunStart;
use ralph_engine::folder_guard;

use super::drive::{EventFormat, drive};
use super::{rollback, trust};
use crate::app::App;
use crate::error::CliError;
use crate::options::{AgentOptions, PolicyOptions, SandboxOptions, TaskOptions, TrustOptions};
use crate::{app, out};
use ralph_engine::run::{self, PreparedRun, RunChecks};
use ralph_engine::sandbox;

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
    #[command(flatten)]
    sandbox: SandboxOptions,
    #[command(flatten)]
    trust: TrustOptions,
    /// Print one JSON object per event
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &RunArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    app.refuse_if_disabled()?;
    let task = args.task.read()?;
    let mut layers = trust::settings(&app, &args.trust)?;
    args.policy.apply(&mut layers)?;
    args.agent.apply(&mut layers)?;
    args.sandbox.apply(&mut layers)?;
    if let Some(name) = choose_agent(&app, &mut layers)? {
        out::note(app.locale().say(
            format!("The agent is {name}, the only one that is installed."),
            format!("에이전트는 설치된 유일한 것인 {name} 입니다."),
        ));
    }
    let settings = app.settings(&layers)?;
    settings.ensure_tools()?;
    folder_guard::refuse_unfit(&app, settings.folders)?;
    let agent = run::agent(&app, &settings, args.agent.script.as_deref())?;
    let on_fail = settings.on_fail;
    let checks = RunChecks::new(&app, settings)?;
    let sandboxes = sandbox::of_run(&app, &*agent, &checks.settings)?;

    let ledger = open_ledger(&app)?;
    let ready = PreparedRun { agent, checks, begin: RunStart::New, answer: None, sandboxes };
    let started = run::start(&app, &ledger, task, &ready)?;
    for left in started.set_aside {
        out::note(told::set_aside(&left, app.locale()));
    }
    let view = if args.json { EventFormat::Json } else { EventFormat::Human };
    let run = drive(&app, ledger, ready, started.run, view)?;
    close(&app, &run, view, on_fail)
}

/// Prints how the run ended, restores files if the settings say so, and returns the exit code.
pub(crate) fn close(
    app: &App,
    run: &Run,
    view: EventFormat,
    on_fail: OnFail,
) -> Result<u8, CliError> {
    if view == EventFormat::Human {
        let store = app.existing_store().ok().flatten();
        let commands = store.and_then(|store| CommandLog::load(&store, &run.id).ok());
        out::text(&(ralph_engine::report::closing(run, &commands.unwrap_or_default()) + "\n"));
    }
    if !app.project.root.is_dir() {
        return Ok(run.state.exit_code());
    }
    app::say_at_the_end(app, run);
    rollback::after_failure(app, run, on_fail)?;
    let unhappy = matches!(run.state, RunState::Failed(_) | RunState::Stopped);
    if view == EventFormat::Human
        && unhappy
        && on_fail == OnFail::Keep
        && let Some(way) = rollback::way_back(app, run)?
    {
        out::line(way);
    }
    Ok(run.state.exit_code())
}

/// Opens the store for writing. A damaged one is left in place, with a warning.
pub(crate) fn open_ledger(app: &App) -> Result<RunLedger, CliError> {
    let (ledger, damaged) = RunLedger::open(&app.home)?;
    if let Some(path) = damaged {
        out::note(format!(
            "warning: {} is damaged; it was left in place, and a new store was created beside it",
            path.display()
        ));
    }
    Ok(ledger)
}
