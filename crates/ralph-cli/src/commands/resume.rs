//! `ralph resume`: continues a run after a crash, a pause or a wait.

use ralph_core::state::{RunState, WaitReason};
use ralph_core::{Run, wording};
use ralph_engine::events::RunStart;
use ralph_engine::loops;
use ralph_memory::event::EventContext;
use ralph_memory::{Notebook, SessionRecord};

use super::drive::{EventFormat, drive};
use super::run::{close, open_ledger};
use super::{sessions, trust};
use crate::app::App;
use crate::error::CliError;
use crate::options::{AgentOptions, TrustOptions};
use crate::{out, texts};
use ralph_engine::run::{self, PreparedRun, RunChecks};
use ralph_engine::sandbox;

/// Resume a run or a session
///
/// The run keeps its task and rules, and its agent unless another is named.
/// The gates run first: if they already pass, the run ends without another
/// turn. A run that a session of a host began is taken over only by an agent
/// that is named.
///
/// For a host session, it prints the context an agent needs and the command that
/// resumes it: where the session stands and what was said last, or after 30
/// minutes all that is remembered for its task.
#[derive(clap::Args, Debug)]
pub(crate) struct ResumeArgs {
    /// The run or session to resume (default: the open run of this work tree)
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// What to tell the agent, such as the answer to its question
    #[arg(long, value_name = "TEXT")]
    answer: Option<String>,
    /// Resume with this agent
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Resume with this command as the agent
    #[arg(long, value_name = "COMMAND")]
    agent_cmd: Option<String>,
    #[command(flatten)]
    trust: TrustOptions,
    /// Print one JSON object per event
    #[arg(long)]
    pub(super) json: bool,
}

impl ResumeArgs {
    /// Returns the first option that is valid only for runs with a driver.
    pub(super) fn for_a_driver(&self) -> Option<&'static str> {
        let given = [
            ("--answer", &self.answer),
            ("--agent", &self.agent),
            ("--agent-cmd", &self.agent_cmd),
        ];
        given.into_iter().find(|(_, value)| value.is_some()).map(|(name, _)| name)
    }
}

pub(crate) fn run(args: &ResumeArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    app.refuse_if_disabled()?;
    let id = match args.id.as_deref().map(|id| meant(&app, id)).transpose()? {
        Some(ResumeTarget::Session(session)) => return sessions::resume(&app, &session, args),
        Some(ResumeTarget::Run(id)) => Some(id),
        None => None,
    };
    if app.existing_store()?.is_none() {
        return Err(ralph_engine::app::without_run());
    }
    let ledger = open_ledger(&app)?;
    let found = app.find_run_to_change(ledger.store(), id.as_deref())?;
    let run = found.ok_or_else(ralph_engine::app::without_run)?;
    run::refuse_elsewhere(&app, &run)?;
    let named = AgentOptions::named(args.agent.clone(), args.agent_cmd.clone());
    match named {
        Some(_) => loops::ensure_adoptable(&run)?,
        None => loops::ensure_resumable(&run)?,
    }
    if args.trust.trust_project {
        trust::settings(&app, &args.trust)?;
    }
    let mut settings = run::settings_with(&app, &run, &|layers| match &named {
        Some(named) => named.apply(layers),
        None => Ok(()),
    })?;
    sandbox::keep_recorded(&mut settings.sandbox, ledger.store(), &run)?;
    crate::app::say_fallback(&app);
    let agent = match named {
        Some(_) => run::agent(&app, &settings, None)?,
        None => run::recorded_agent(&app, &settings, &run.agent)?,
    };
    let on_fail = settings.on_fail;
    let checks = RunChecks::new(&app, settings)?;
    let sandboxes = sandbox::of_run(&app, &*agent, &checks.settings)?;
    let owned = match named {
        Some(_) => loops::adopt(ledger.store(), &run, run::reference(&*agent), app.now())?,
        None => loops::take_over(ledger.store(), &run, app.now())?,
    };
    let said = |answer: &String| wording::answer(question(&run), answer, run.policy.locale);
    let answer = args.answer.as_ref().map(said);
    out::note(texts::resuming(&run));
    let view = if args.json { EventFormat::Json } else { EventFormat::Human };
    let ready = PreparedRun { agent, checks, begin: RunStart::Resumed, answer, sandboxes };
    let run = drive(&app, ledger, ready, owned, view)?;
    close(&app, &run, view, on_fail)
}

/// The run or session that an id names.
enum ResumeTarget {
    Run(String),
    Session(Box<SessionRecord>),
}

/// Finds what an id names: a run, else a session. A session of a driver's run counts as that run.
fn meant(app: &App, id: &str) -> Result<ResumeTarget, CliError> {
    let store = app.existing_store()?;
    if store.is_none() && !Notebook::exists(&app.home) {
        return Err(ralph_engine::app::without_run());
    }
    let runs = match store {
        Some(store) if !id.is_empty() => store.run_ids(id)?,
        Some(_) | None => Vec::new(),
    };
    if !runs.is_empty() {
        return Ok(ResumeTarget::Run(id.to_owned()));
    }
    let session = ralph_engine::sessions::find(app, id)?;
    match session.place() {
        EventContext { session: None, run: Some(run), .. } => Ok(ResumeTarget::Run(run)),
        EventContext { .. } => Ok(ResumeTarget::Session(session)),
    }
}

fn question(run: &Run) -> Option<&str> {
    if let RunState::Waiting(WaitReason::Human { question }) = &run.state {
        Some(question)
    } else {
        None
    }
}
