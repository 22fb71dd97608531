//! `ralph resume`: goes on after a crash, a pause or a wait.

use ralph_core::state::{State, Wait};
use ralph_core::{Run, wording};
use ralph_engine::events::Begin;
use ralph_engine::loops;

use super::drive::{self, Checks, Ready, View};
use super::run::{close, open_ledger};
use crate::app::App;
use crate::config::{Settings, Value};
use crate::error::CliError;
use crate::options::AgentOptions;
use crate::{out, texts};

/// Go on with a run after a crash, a pause or a wait
///
/// The run keeps its task and rules, and its agent unless another is named.
/// The gates run first: if they already pass, the run ends without another
/// turn. A run that a session of a host began is taken over only by an agent
/// that is named.
#[derive(clap::Args, Debug)]
pub(crate) struct ResumeArgs {
    /// The run to go on with (default: the open one of this work tree)
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// What to tell the agent, such as the answer to its question
    #[arg(long, value_name = "TEXT")]
    answer: Option<String>,
    /// Go on with this agent
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Go on with this command line as the agent
    #[arg(long, value_name = "COMMAND")]
    agent_cmd: Option<String>,
    /// Print one JSON object per event
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &ResumeArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    app.refuse_if_disabled()?;
    if app.existing_store()?.is_none() {
        return Err(nothing(&app));
    }
    let ledger = open_ledger(&app)?;
    let found = app.find_run(ledger.store(), args.run.as_deref())?;
    let run = found.ok_or_else(|| nothing(&app))?;
    refuse_elsewhere(&app, &run)?;
    let named = AgentOptions::named(args.agent.clone(), args.agent_cmd.clone());
    match named {
        Some(_) => loops::ensure_adoptable(&run)?,
        None => loops::ensure_resumable(&run)?,
    }
    let settings = settings_of(&app, &run, named.as_ref())?;
    let agent = match named {
        Some(_) => drive::agent(&app, &settings, None)?,
        None => drive::recorded_agent(&app, &settings, &run.agent)?,
    };
    let on_fail = settings.on_fail;
    let checks = Checks::new(&app, settings)?;
    let owned = match named {
        Some(_) => loops::adopt(ledger.store(), &run, drive::reference(&*agent), app.now())?,
        None => loops::take_over(ledger.store(), &run, app.now())?,
    };
    let said = |answer: &String| wording::answer(question(&run), answer, run.policy.locale);
    let answer = args.answer.as_ref().map(said);
    out::note(texts::resuming(&run));
    let view = if args.json { View::Json } else { View::Human };
    let ready = Ready { agent, checks, answer };
    let run = drive::drive(&app, ledger, ready, (owned, Begin::Resumed), view)?;
    close(&app, &run, view, on_fail)
}

/// A run is proven by the files of its own work tree.
pub(crate) fn refuse_elsewhere(app: &App, run: &Run) -> Result<(), CliError> {
    if run.worktree == app.worktree() {
        return Ok(());
    }
    Err(CliError::refused(format!("{} belongs to {}", run.id, run.worktree))
        .with_hint("change to that folder first"))
}

fn question(run: &Run) -> Option<&str> {
    match &run.state {
        State::Waiting(Wait::Human { question }) => Some(question),
        State::Waiting(Wait::Limit { .. } | Wait::Child | Wait::Host)
        | State::Running
        | State::Paused(_)
        | State::Success(_)
        | State::Failed(_)
        | State::Stopped => None,
    }
}

fn nothing(app: &App) -> CliError {
    CliError::refused(texts::no_run(app.locale())).with_hint("`ralph run` starts one")
}

/// How turns are taken comes from the present settings; the rules of the run
/// are its own and stay.
pub(crate) fn settings_of(
    app: &App,
    run: &Run,
    named: Option<&AgentOptions>,
) -> Result<Settings, CliError> {
    let mut layers = app.layers()?;
    if let Some(named) = named {
        named.apply(&mut layers)?;
    }
    layers.set_flag("run.criteria", Value::List(Vec::new()));
    let judged = run.policy.gates.iter().find(|gate| gate.is_judge());
    let criterion = judged.map(|gate| gate.command.display()).unwrap_or_default();
    layers.set_flag("judge.criterion", Value::Text(criterion));
    let trust = if judged.is_some() { "evidence" } else { "claim" };
    layers.set_flag("run.trust", Value::Text(trust.to_owned()));
    layers.set_flag("run.promise", Value::Text("DONE".to_owned()));
    for path in ["run.zero_errors", "run.zero_warnings"] {
        layers.set_flag(path, Value::Switch(false));
    }
    if run.session().is_some() {
        // What the agent of a host remembers is no matter of ours.
        layers.set_flag("run.context", Value::Text("auto".to_owned()));
    }
    // The gates of the run are its own.
    let settings = app.plain_settings(&layers)?;
    Ok(Settings { policy: run.policy.clone(), ..settings })
}
