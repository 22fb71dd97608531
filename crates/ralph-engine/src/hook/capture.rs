//! Records the events of sessions, if memory is in use.
//!
//! A project that was only opened has no memory and gets none. Finding that out costs
//! one access to the file system.

use crate::capture::{SessionCapture, SessionNameSource};
use crate::host::{SessionDir, complete};
use ralph_config::MemoryRules;
use ralph_core::SessionId;
use ralph_core::host::{
    HostEvent, HostEventKind, HostReply, ReplyEffect, SessionEvent, SessionStart, ToolEvent,
};
use ralph_memory::Notebook;
use ralph_memory::event;

use super::REHEARSAL;
use super::{HookInvocation, log, standing};
use crate::app::App;

/// Tells whether the event was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CaptureStatus {
    Yes,
    No,
}

/// Records what an event says about its session. A final text read from the transcript
/// is stored in the event, so that it is read once.
pub(super) fn take(app: &App, call: &HookInvocation<'_>, event: &mut HostEvent) -> CaptureStatus {
    let concerns =
        event.session.is_some() && !matches!(event.what, HostEventKind::Tools(ToolEvent::Asked(_)));
    if !concerns || !Notebook::exists(&app.home) || !is_enabled(app) {
        return CaptureStatus::No;
    }
    if standing::goes_on_elsewhere(app, call, event) {
        return CaptureStatus::No;
    }
    complete(app, call.host, event);
    write(app, event);
    CaptureStatus::Yes
}

/// Starts recording a session when its project begins its first loop.
pub(super) fn begin(app: &App, event: &HostEvent, reply: &HostReply, kept: CaptureStatus) {
    let is_first = matches!(reply.effect, ReplyEffect::Begin { .. }) && kept == CaptureStatus::No;
    let has_place = || is_enabled(app) && app.has_a_place_for_memory();
    if is_first && event.session.is_some() && has_place() {
        write(app, event);
    }
}

/// Records the start of a session whose host does not report it.
pub(super) fn open(app: &App, event: &HostEvent, start: SessionStart) {
    write(
        app,
        &HostEvent { what: HostEventKind::Session(SessionEvent::Started(start)), ..event.clone() },
    );
}

fn write(app: &App, event: &HostEvent) {
    // The doctor's session is not a real one.
    let is_real = |session: &&SessionId| session.as_str() != REHEARSAL;
    let Some(session) = event.session.as_ref().filter(is_real) else { return };
    let (teller, place) = if let Some(run) = app.driven_run() {
        let iteration = app.variable("RALPH_ITERATION").and_then(|number| number.parse().ok());
        let run = Some(run.to_string());
        (
            SessionNameSource::Driven,
            event::EventContext { run, iteration, ..event::EventContext::default() },
        )
    } else {
        let run = SessionDir::new(&app.home, session).run().map(|run| run.to_string());
        let session = Some(session.as_str().to_owned());
        (
            SessionNameSource::Host,
            event::EventContext { run, session, ..event::EventContext::default() },
        )
    };
    let (home, root, worktree) = (&app.home, &app.project.root, app.worktree());
    let capture = SessionCapture { home, root, worktree, place, teller };
    if let Err(error) = capture.take(event, app.now()) {
        // The host goes on; only this record is lost.
        log::write(&app.home, &format!("{}: {error}", session.as_str()));
    }
}

/// Returns true if memory is in use. Every event asks, so settings are read only if
/// they may switch it off.
fn is_enabled(app: &App) -> bool {
    let is_set = app.variable("RALPH_MEMORY").is_some() || app.settings_mention("memory");
    // With unreadable settings nothing is recorded.
    !is_set || app.counted_layers().is_ok_and(|layers| MemoryRules::new(&layers).is_enabled)
}
