//! Loops that an agent may ask for. It is judged by them, so it can only ask for more than
//! the settings.

use std::time::{Duration, Instant};

use ralph_agents::host::HOSTS;
use ralph_config::{RunSettings, SettingLayers, SettingValue, render_span};
use ralph_core::run::Task;
use ralph_core::{Run, SessionId};
use ralph_store::OwnerRequest;

use crate::app::App;
use crate::command_log::CommandSource;
use crate::driver::Driver;
use crate::events::SilentSink;
use crate::host::SessionDir;
use crate::ledger::RunLedger;
use crate::run::{RunChecks, start_for_session};
use crate::stop::{self, RunStop};
use crate::user_error::UserError;

/// Time that the agent waits for the first results of the checks.
const FIRST_LOOK: Duration = Duration::from_secs(10);

/// Returns an error if ralph is switched off, or drives the calling agent.
pub fn refuse_driven(app: &App) -> Result<(), UserError> {
    app.refuse_if_disabled()?;
    if app.is_driven() {
        return Err(UserError::refused("this agent is in a loop already: ralph drives it"));
    }
    Ok(())
}

/// Starts a loop for a session, and records what fails before its first turn.
pub fn start_loop(
    app: &App,
    task: Task,
    settings: RunSettings,
    session: &str,
) -> Result<Run, UserError> {
    let run = start_for_session(app, task, settings.clone(), session)?.run;
    with_baseline(app, settings, run)
}

/// Records what fails before the first turn, as far as it is known in time: the agent
/// did not cause it. The next event tells the user that a loop began.
fn with_baseline(app: &App, settings: RunSettings, run: Run) -> Result<Run, UserError> {
    let Some(session) = run.session() else { return Ok(run) };
    let place = SessionDir::new(&app.home, session);
    place.note_unannounced();
    let checks = RunChecks::new(app, settings)?.until(Instant::now() + FIRST_LOOK);
    let mut sink = SilentSink;
    let mut driver = Driver::of_run(app, RunLedger::open(&app.home)?.0, checks, &run, &mut sink)?;
    let _arming = place.note_arming();
    Ok(driver.hosted().arm(run)?)
}

/// Returns the given session, else the one in the client's environment.
pub fn known_session(app: &App, given: Option<String>) -> Option<String> {
    let named = HOSTS.iter().filter_map(|host| host.session_variable);
    let mut known = named.filter_map(|name| app.variable(name));
    given.or_else(|| known.find(|value| !value.is_empty()))
}

/// Returns the open loop of the calling session.
pub fn own_run(app: &App, given: Option<String>) -> Result<Option<String>, UserError> {
    let session = known_session(app, given).and_then(|id| SessionId::new(&id));
    let (Some(session), Some(store)) = (session, app.existing_store()?) else { return Ok(None) };
    Ok(store.run_of_session(&session)?.map(|run| run.id.to_string()))
}

/// Ends a resting loop; `None` if there is none. An agent could be in an active one, so
/// that is an error.
pub fn stop_resting(app: &App, given: Option<&str>) -> Result<Option<(Run, RunStop)>, UserError> {
    let Some(store) = app.existing_store()? else { return Ok(None) };
    let run = if given.is_some() {
        app.find_run(&store, given)?
    } else {
        app.find_run_to_change(&store, None)?.filter(|run| !run.state.is_ended())
    };
    let Some(run) = run else { return Ok(None) };
    if run.state.is_active() {
        return Err(UserError::refused(format!(
            "{} is active, and an agent cannot end the loop it may be in; finish the task, or \
             ask the user to type /cancel-ralph or to run `ralph stop`",
            run.id
        )));
    }
    let stopped = stop::end(app, &store, &run, OwnerRequest::Stop, CommandSource::Session)?;
    Ok(Some((run, stopped)))
}

/// Returns the settings with the requested changes; an error if they would demand less.
pub fn stricter_settings(
    app: &App,
    criteria: &[&str],
    change: &dyn Fn(&mut SettingLayers) -> Result<(), UserError>,
) -> Result<RunSettings, UserError> {
    let mut layers = app.layers()?;
    add_criteria(&mut layers, criteria);
    let plain = app.settings(&layers)?.policy.limits;
    change(&mut layers)?;
    let settings = app.settings(&layers)?;
    let limits = &settings.policy.limits;
    let raised = if limits.iterations > plain.iterations {
        Some(("max_iterations", limits.iterations.to_string(), plain.iterations.to_string()))
    } else if limits.duration > plain.duration {
        let (asked, most) = (render_span(limits.duration), render_span(plain.duration));
        Some(("max_duration", asked, most))
    } else if limits.stalled > plain.stalled {
        Some(("stagnation_limit", limits.stalled.to_string(), plain.stalled.to_string()))
    } else {
        None
    };
    match raised {
        None => Ok(settings),
        Some((field, asked, most)) => {
            let text = format!("`{field}`: {asked} is more than the {most} that hold here");
            let hint = "limits can only be lowered; the user can start a loop with more";
            Err(UserError::refused(text).with_hint(hint))
        }
    }
}

/// Adds checks to those that the settings name.
fn add_criteria(layers: &mut SettingLayers, criteria: &[&str]) {
    if criteria.is_empty() {
        return;
    }
    let mut names = match layers.get("run.criteria") {
        Some(SettingValue::List(names)) => names.clone(),
        Some(_) | None => Vec::new(),
    };
    for name in criteria {
        if !names.iter().any(|known| known == name) {
            names.push((*name).to_owned());
        }
    }
    layers.set_flag("run.criteria", SettingValue::List(names));
}
