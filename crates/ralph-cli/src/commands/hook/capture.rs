//! Keeps what happens in sessions, wherever memory is in use.
//!
//! A project that was merely opened has no memory, and gets none by this: that
//! costs one look at the file system.

use ralph_core::SessionId;
use ralph_core::host::{Effect, Happening, HostEvent, HostReply, Start};
use ralph_engine::capture::{Capture, Teller};
use ralph_engine::host::{Place, final_text};
use ralph_memory::Notebook;
use ralph_memory::event;

use super::{Call, log, standing};
use crate::app::App;
use crate::commands::doctor;
use crate::config::MemoryRules;

/// Whether something was kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    Yes,
    No,
}

/// Keeps what an event says about its session. Last words that had to be looked
/// up in a transcript are in the event afterwards, so that nobody reads it again.
pub(super) fn take(app: &App, call: &Call, event: &mut HostEvent) -> Kept {
    let concerns = event.session.is_some() && !matches!(event.what, Happening::ToolAsked(_));
    if !concerns || !Notebook::exists(&app.home) || !is_enabled(app) {
        return Kept::No;
    }
    if standing::goes_on_elsewhere(app, call, event) {
        return Kept::No;
    }
    if let Happening::TurnEnded(silence) = &mut event.what
        && silence.text.is_none()
    {
        silence.text = Some(final_text(silence));
    }
    write(app, event);
    Kept::Yes
}

/// Begins to keep a session with the first loop of a project.
pub(super) fn begin(app: &App, event: &HostEvent, reply: &HostReply, kept: Kept) {
    let is_first = matches!(reply.effect, Effect::Begin { .. }) && kept == Kept::No;
    let has_place = || is_enabled(app) && app.has_a_place_for_memory();
    if is_first && event.session.is_some() && has_place() {
        write(app, event);
    }
}

/// Keeps that a session begins or goes on where its host tells of neither.
pub(super) fn open(app: &App, event: &HostEvent, start: Start) {
    write(app, &HostEvent { what: Happening::SessionStarted(start), ..event.clone() });
}

fn write(app: &App, event: &HostEvent) {
    // Nobody works in the session in which the doctor tries the hooks.
    let is_real = |session: &&SessionId| session.as_str() != doctor::REHEARSAL;
    let Some(session) = event.session.as_ref().filter(is_real) else { return };
    let (teller, place) = if let Some(run) = app.driven_run() {
        let iteration = app.variable("RALPH_ITERATION").and_then(|number| number.parse().ok());
        let run = Some(run.to_string());
        (Teller::Driven, event::Place { run, iteration, ..event::Place::default() })
    } else {
        let run = Place::new(&app.home, session).run().map(|run| run.to_string());
        let session = Some(session.as_str().to_owned());
        (Teller::Host, event::Place { run, session, ..event::Place::default() })
    };
    let (home, root, worktree) = (&app.home, &app.project.root, app.worktree());
    let capture = Capture { home, root, worktree, place, teller };
    if let Err(error) = capture.take(event, app.now()) {
        // The host goes on: what is not kept is lost, and nothing else.
        log::write(&app.home, &format!("{}: {error}", session.as_str()));
    }
}

/// Whether memory is in use. Asked at every event, so settings are read only
/// if they could say that it is not.
fn is_enabled(app: &App) -> bool {
    let is_set = app.variable("RALPH_MEMORY").is_some() || app.settings_mention("memory");
    // Nothing is kept on the word of settings that nobody can read.
    !is_set || app.layers().is_ok_and(|layers| MemoryRules::new(&layers).is_enabled)
}
