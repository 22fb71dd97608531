//! `ralph start`: starts a loop for a session of a host.

use ralph_core::wording::told;
use ralph_engine::wire::{RunList, RunView};

use super::trust;
use crate::app::App;
use crate::error::CliError;
use crate::options::{PolicyOptions, TaskOptions, TrustOptions};
use crate::out;
use ralph_engine::run::{StartedRun, start_for_session};

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
    #[command(flatten)]
    trust: TrustOptions,
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
    let mut layers = trust::settings(&app, &args.trust)?;
    args.policy.apply(&mut layers)?;
    let StartedRun { run, set_aside } =
        start_for_session(&app, task, app.settings(&layers)?, given)?;
    for left in set_aside {
        out::note(told::set_aside(&left, app.locale()));
    }
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
