//! `ralph start`: starts a loop for a session of a host.

use ralph_config::RunSettings;
use ralph_core::run::{AgentRef, NewRun, Owner, Task};
use ralph_core::wording::told;
use ralph_core::{Run, SessionId};
use ralph_engine::folder_guard;
use ralph_engine::host::SessionDir;
use ralph_engine::wire::{RunList, RunView};

use super::{drive::RunChecks, rollback, run::open_ledger};
use crate::app::App;
use crate::error::CliError;
use crate::options::{PolicyOptions, TaskOptions};
use crate::out;

/// Arm a loop for a hosted session
///
/// Puts a run on record that belongs to the session, and drives nothing: it
/// is for hosts that call ralph when a turn ends. `ralph cancel` ends it.
#[derive(clap::Args, Debug)]
pub(crate) struct StartArgs {
    #[command(flatten)]
    task: TaskOptions,
    #[command(flatten)]
    policy: PolicyOptions,
    /// The session the loop is for
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Print the run as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &StartArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    app.refuse_if_disabled()?;
    let task = args.task.read()?;
    let given = args.session.as_deref().ok_or_else(|| {
        CliError::usage("which session is the loop for?")
            .with_hint("add `--session ID`")
            .in_korean("어느 세션의 루프입니까?", Some("`--session ID` 를 붙이세요"))
    })?;
    let mut layers = app.layers()?;
    args.policy.apply(&mut layers)?;
    let run = arm(&app, task, app.settings(&layers)?, given)?;
    if args.json {
        let list = RunList::new(vec![RunView::new(&run, &[])]);
        out::line(serde_json::to_string(&list).map_err(|error| CliError::internal(&error))?);
    } else {
        let limits = &run.policy.limits;
        out::line(format!(
            "Armed {} for session {given}: at most {} iterations and {}.",
            run.id,
            limits.iterations,
            ralph_config::render_span(limits.duration),
        ));
    }
    Ok(0)
}

/// Records a run that belongs to the named session.
pub(crate) fn arm(
    app: &App,
    task: Task,
    settings: RunSettings,
    session: &str,
) -> Result<Run, CliError> {
    let session = SessionId::new(session).ok_or_else(|| {
        CliError::usage(format!("`{session}` is not a session id"))
            .with_hint("letters, digits, `-`, `_`, `.` and `:`, at most 200 of them")
            .in_korean(
                format!("`{session}` 은(는) 세션 id 가 아닙니다"),
                Some("글자, 숫자, `-`, `_`, `.`, `:` 를 200자까지 쓸 수 있습니다"),
            )
    })?;
    settings.ensure_tools()?;
    folder_guard::refuse_unfit(app, settings.folders)?;
    let settings = RunChecks::new(app, settings)?.settings;
    let ledger = open_ledger(app)?;
    let new = NewRun {
        task,
        worktree: app.worktree(),
        agent: AgentRef { name: "host".to_owned(), command: Vec::new() },
        policy: settings.policy,
        owner: Owner::Session(session.clone()),
    };
    for left in rollback::set_left_aside(app, ledger.store())? {
        out::note(told::set_aside(&left, app.locale()));
    }
    let place = SessionDir::new(&app.home, &session);
    let run = ralph_engine::host::start(ledger.store(), &place, new, app.now())?;
    app.keep_settings(&run.id);
    Ok(run)
}
