//! Answers hooks: the events that a host reports about its sessions.
//!
//! A surface reads the payload, calls [`answer`] and prints what it is given. Most calls do
//! not concern us and must cost almost nothing: no database is opened for a session
//! without a loop. Whatever goes wrong, the host continues as if we were not there.

mod arm;
mod auto;
mod calls;
mod capture;
mod deadline;
pub mod door;
mod edits;
mod log;
mod notes;
mod reading;
mod session;
mod slash;
mod standing;
pub mod typed_flags;
pub mod words;

use std::path::PathBuf;
use std::time::Duration;

use ralph_agents::Host;
use ralph_config::ArmingMoment;
use ralph_core::host::{
    ActionReport, EventAgent, HostEvent, HostEventKind, HostReply, NoteTone, PromptEvent,
    SessionEvent, SessionStart, TurnEvent,
};
use ralph_core::{SessionId, Timestamp};

use crate::app::{App, KILL_SWITCHES};
use crate::host::{SessionDir, complete};
use crate::ledger::RunLedger;
use crate::sandboxed_host;
use crate::user_error::UserError;
use deadline::AnswerDeadline;
use reading::EventReading;

pub use auto::blindness;
pub use slash::{
    CommandEffect, ResumeWords, RunArgument, SessionCommand, SessionCommands, SettingChange,
    SlashPrompt, TypedTask, behind, help, is_ours, misfit, unclear,
};

/// The name of the session in which `ralph doctor` tests hooks. No host and no run uses it.
pub const REHEARSAL: &str = "ralph-doctor";

/// One call of a host.
pub struct HookInvocation<'a> {
    /// The host.
    pub host: &'static Host,
    /// The time after which the host would end this process.
    pub timeout: Duration,
    /// The host's limit on continuations, as the installation has it.
    pub cap: Option<u32>,
    /// The moment when loops begin, as the installation has it.
    pub arm: Option<ArmingMoment>,
    /// The moment when this process began.
    pub heard: Timestamp,
    /// The calling process; 0 if it is not known.
    pub caller: u32,
    /// The commands that can be typed in a session.
    pub commands: &'a dyn SessionCommands,
    /// Prints a part of the answer. Another thread may call it when the time runs out.
    pub print: fn(&str),
}

/// Answers an event. `payload` is what the host wrote.
pub fn answer(call: &HookInvocation<'_>, payload: Vec<u8>) {
    if let Some(name) = switched_off_by() {
        return say_switched_off(call, &payload, name);
    }
    let Ok(mut event) = call.host.parse(&payload) else { return };
    drop(payload);
    let Some(app) = app(call, &event) else { return };
    crate::debug_log::write_in(&app.home);
    log_oddities(&app, &event);
    if event.what == HostEventKind::HostStarted {
        note_load(&app, call.host);
    }
    let has_notes = notes::concerns(&app, call, &event);
    let standing = if has_notes { standing::look(&app, call, &event) } else { None };
    // It comes before anything else that may fail.
    let kept = capture::take(&app, call, &mut event);
    standing::note(&app, call, &event, kept);
    let is_ours = EventReading::new(&app, call, &event).concerns_run();
    let left_out = if begins(&event) { app.left_out() } else { None };
    if !is_ours && !has_notes && left_out.is_none() {
        return;
    }
    if is_ours {
        complete(&app, call.host, &mut event);
    }
    let deadline = AnswerDeadline::start(call.timeout, call.print);
    let answer = || session::HookRequest::new(&app, call, &event, &deadline).answer();
    let answered = if is_ours { answer() } else { Ok(HostReply::silent()) };
    let reply = answered.unwrap_or_else(|error| {
        let session = event.session.as_ref().map_or("no session", SessionId::as_str);
        log::write(&app.home, &format!("{session}: {error}"));
        apology(&app, &event, &error)
    });
    let reply = app.with_fallback(reply).and_note(left_out.map(|text| format!("ralph: {text}")));
    capture::begin(&app, &event, &reply, kept);
    let reply = if has_notes { notes::add(&app, call, &event, reply, standing) } else { reply };
    deadline.answer(&call.host.render(&event, &reply));
}

/// Returns true for the beginning of a session or of the host itself.
fn begins(event: &HostEvent) -> bool {
    match event.what {
        HostEventKind::Session(SessionEvent::Started(how)) => how != SessionStart::Compacted,
        HostEventKind::HostStarted => true,
        HostEventKind::Session(_)
        | HostEventKind::Tools(_)
        | HostEventKind::Action(_)
        | HostEventKind::Prompt(_)
        | HostEventKind::Turn(_)
        | HostEventKind::Other { .. } => false,
    }
}

/// Logs events that would otherwise go unnoticed.
fn log_oddities(app: &App, event: &HostEvent) {
    let is_nameless = event.session.is_none() && event.what != HostEventKind::HostStarted;
    if is_nameless && SessionDir::any_is_marked(&app.home) {
        let text = format!("{}: the session it names cannot be one", event.name);
        log::write(&app.home, &text);
    }
    if let HostEventKind::Action(ActionReport { run, deed, result: Err(error), .. }) = &event.what {
        log::write(&app.home, &format!("{run}: {deed:?}: {error}"));
    }
}

/// Leaves a mark that tells `ralph doctor` that the host has loaded our hooks. It is in
/// the user's state, so opening a project does not change it.
fn note_load(app: &App, host: &Host) {
    if let Some(mark) = app.load_mark(host.name) {
        let made = mark.parent().map(std::fs::create_dir_all).transpose();
        // Without the mark it is said once more.
        let _ = made.and_then(|_| std::fs::write(mark, app.worktree()));
    }
}

/// Makes the reply for a turn of a loop whose end we cannot judge. The agent stops, and
/// only this tells the user why.
fn apology(app: &App, event: &HostEvent, error: &UserError) -> HostReply {
    let has_loop = |session| SessionDir::new(&app.home, session).is_marked();
    let is_end = matches!(event.what, HostEventKind::Turn(TurnEvent::Ended(_)))
        && event.actor == EventAgent::Main;
    if is_end && event.session.as_ref().is_some_and(has_loop) {
        return HostReply::silent().with_note(said(app, error)).in_tone(NoteTone::Error);
    }
    HostReply::silent()
}

/// Returns the variable that switches us off. It is checked before anything else.
fn switched_off_by() -> Option<&'static str> {
    let is_on =
        |name: &&str| std::env::var_os(name).is_some_and(|value| value == "1" || value == "true");
    KILL_SWITCHES.into_iter().find(is_on)
}

/// Answers our own commands while ralph is switched off. The user must not believe that
/// a loop began.
fn say_switched_off(call: &HookInvocation<'_>, payload: &[u8], name: &str) {
    let Ok(event) = call.host.parse(payload) else { return };
    if matches!(&event.what, HostEventKind::Prompt(PromptEvent::Sent { text, .. }) if is_ours(text))
    {
        let text = format!("ralph: switched off by {name}; unset it and restart the client.");
        let reply = session::answer(text).in_tone(NoteTone::Warning);
        (call.print)(&call.host.render(&event, &reply));
    }
}

/// Finds the project of the session where the host says it is. The event's folder moves
/// when the agent changes its own.
fn app(call: &HookInvocation<'_>, event: &HostEvent) -> Option<App> {
    let named = |name: &str| std::env::var_os(name);
    let said = named(sandboxed_host::ROOT).or_else(|| named(call.host.project_variable?));
    let said = said.filter(|value| !value.is_empty());
    let here = || std::env::current_dir().ok();
    let folder = said.map(PathBuf::from).or_else(|| event.folder.clone()).or_else(here)?;
    App::at(&folder, std::env::vars_os().collect()).ok()
}

/// Renders an error for the user.
fn said(app: &App, error: &UserError) -> String {
    format!("ralph: {}", error.said(app.chosen_locale()))
}

/// Opens the store for writing. A damaged one is left in place, and that is logged.
fn open_ledger(app: &App) -> Result<RunLedger, UserError> {
    let (ledger, damaged) = RunLedger::open(&app.home)?;
    if let Some(path) = damaged {
        log::write(
            &app.home,
            &format!("{} is damaged; a new store was created beside it", path.display()),
        );
    }
    Ok(ledger)
}
