//! Starts and drives runs: the agent, the gates and the judge that the settings name.
//!
//! A surface reads the settings ([`App::layers`]), makes the agent ([`agent`]) and the
//! [`RunChecks`], records the run ([`start`]) and lets [`drive`] work until it ends. Events
//! go to the surface's [`EventSink`].

mod agents;
mod checks;
mod settings;

use ralph_agents::Agent;
use ralph_config::{RunSettings, SandboxMode};
use ralph_core::run::{AgentRef, NewRun, Owner, Task};
use ralph_core::{Run, SessionId};
use ralph_proc::Supervisor;

use crate::app::App;
use crate::clock::InterruptSignal;
use crate::driver::Driver;
use crate::events::{EventSink, RunStart};
use crate::host::{self, SessionDir};
use crate::ledger::RunLedger;
use crate::sandbox::RunSandboxes;
use crate::user_error::UserError;
use crate::{folder_guard, loops, owner, undo};

pub use agents::{agent, recorded_agent, reference};
pub use checks::{RunChecks, affected, gate_env, gates, judge, security_pack};
pub use settings::{refuse_elsewhere, settings_of, settings_with};

/// Everything a run needs, checked before it starts.
pub struct PreparedRun {
    /// The agent.
    pub agent: Box<dyn Agent>,
    /// What proves its work.
    pub checks: RunChecks,
    /// Tells whether the run is new.
    pub begin: RunStart,
    /// The user's answer to the agent, as the agent reads it.
    pub answer: Option<String>,
    /// The sandboxes of agent and gates.
    pub sandboxes: RunSandboxes,
}

/// The surface that a run is driven for.
pub struct RunSurface<'a> {
    /// The receiver of events.
    pub sink: &'a mut dyn EventSink,
    /// Raised to pause the run.
    pub interrupt: InterruptSignal,
    /// The supervisor that starts and ends processes.
    pub supervisor: Supervisor,
}

/// A run that was recorded, and the runs that were set aside for it.
pub struct StartedRun {
    /// The run.
    pub run: Run,
    /// Runs whose client is gone.
    pub set_aside: Vec<Run>,
}

/// Records a new run of this process.
pub fn start(
    app: &App,
    ledger: &RunLedger,
    task: Task,
    ready: &PreparedRun,
) -> Result<StartedRun, UserError> {
    let new = NewRun {
        task,
        worktree: app.worktree(),
        agent: reference(&*ready.agent),
        policy: ready.checks.settings.policy.clone(),
        owner: owner::this_process(app.now()),
    };
    let set_aside = undo::set_left_aside(app, ledger.store())?;
    let run = loops::start(ledger.store(), new, app.now())?;
    app.keep_settings(&run.id);
    Ok(StartedRun { run, set_aside })
}

/// Records a run that belongs to the named session.
pub fn start_for_session(
    app: &App,
    task: Task,
    settings: RunSettings,
    session: &str,
) -> Result<StartedRun, UserError> {
    let session = SessionId::new(session).ok_or_else(|| {
        UserError::usage(format!("`{session}` is not a session id"))
            .with_hint("letters, digits, `-`, `_`, `.` and `:`, at most 200 of them")
            .in_korean(
                format!("`{session}` 은(는) 세션 id 가 아닙니다"),
                Some("글자, 숫자, `-`, `_`, `.`, `:` 를 200자까지 쓸 수 있습니다"),
            )
    })?;
    settings.ensure_tools()?;
    folder_guard::refuse_unfit(app, settings.folders)?;
    let settings = RunChecks::new(app, settings)?.settings;
    let (ledger, _) = RunLedger::open(&app.home)?;
    let new = NewRun {
        task,
        worktree: app.worktree(),
        agent: AgentRef { name: "host".to_owned(), command: Vec::new() },
        policy: settings.policy,
        owner: Owner::Session(session.clone()),
    };
    let set_aside = undo::set_left_aside(app, ledger.store())?;
    let place = SessionDir::new(&app.home, &session);
    let run = host::start(ledger.store(), &place, new, app.now())?;
    app.keep_settings(&run.id);
    Ok(StartedRun { run, set_aside })
}

/// Drives a run to its end; returns its final state.
pub fn drive(
    app: &App,
    ledger: RunLedger,
    ready: PreparedRun,
    run: Run,
    surface: RunSurface<'_>,
) -> Result<Run, UserError> {
    let PreparedRun { agent, mut checks, begin, answer, sandboxes } = ready;
    // The sandbox of the gates is made already.
    checks.settings.sandbox.gates = SandboxMode::Off;
    let mut driver = Driver::of_run(app, ledger, checks, &run, surface.sink)?;
    driver.context.interrupt = surface.interrupt;
    driver.context.supervisor = surface.supervisor;
    driver.inputs.answer = answer;
    sandboxes.enclose(&mut driver, &run, app.now())?;
    Ok(driver.drive(&*agent, run, begin)?)
}
