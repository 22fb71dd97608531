//! Finds the session whose work is summarised for a session that begins or continues:
//! its own earlier one, or one that was left here.
//!
//! A session is alive as long as its host's process is. The work of such a session is
//! not summarised to others.

use crate::host::{SessionDir, SessionLiveness};
use ralph_core::SessionId;
use ralph_core::host::{
    EventAgent, HostChannel, HostEvent, HostEventKind, PromptEvent, SessionEvent, SessionStart,
};
use ralph_memory::event;
use ralph_memory::resume::{self, SessionAge, SummaryReader};
use ralph_memory::{
    LockPatience, MemoryError, Notebook, SessionFilter, SessionLookup, SessionRecord, session_id,
};

use super::capture::{self, CaptureStatus};
use super::reading::{EventReading, SessionOwnership};
use super::{HookInvocation, log};
use crate::app::App;
use crate::sessions;

/// The session file that marks a compaction after which nothing could be shown.
const SHORTENED: &str = "shortened";

/// Number of sessions that are searched for the last one.
const FEW: usize = 5;

/// A session that was left, and the reader of its summary.
pub(super) struct PreviousSession {
    pub(super) session: SessionRecord,
    pub(super) reader: SummaryReader,
    pub(super) age: SessionAge,
}

/// Returns true if an event reports the end of a session that continues in another
/// process. Only one of its processes ended.
pub(super) fn goes_on_elsewhere(app: &App, call: &HookInvocation<'_>, event: &HostEvent) -> bool {
    let HostEventKind::Session(SessionEvent::Ended { reason }) = &event.what else { return false };
    let dwelling = |session| SessionDir::new(&app.home, session).liveness(call.caller);
    // A deleted session is gone everywhere.
    reason != "deleted" && event.session.as_ref().map(dwelling) == Some(SessionLiveness::Elsewhere)
}

/// Returns true if the session's host was restarted since its last event.
pub(super) fn was_left(app: &App, call: &HookInvocation<'_>, session: &SessionId) -> bool {
    SessionDir::new(&app.home, session).liveness(call.caller) == SessionLiveness::Gone
}

/// Returns true if a session was compacted since it was last shown notes.
pub(super) fn was_shortened(app: &App, event: &HostEvent) -> bool {
    let place = |session| SessionDir::new(&app.home, session);
    event.session.as_ref().is_some_and(|session| place(session).folder().join(SHORTENED).exists())
}

/// Records that a session was compacted and cannot be shown notes now.
pub(super) fn note_shortened(place: &SessionDir) {
    // If that fails, the notes are only not repeated.
    let _ = place.keep(SHORTENED, "");
}

/// Records that a compacted session was shown its notes again.
pub(super) fn note_told(place: &SessionDir) {
    // It may be missing.
    let _ = std::fs::remove_file(place.folder().join(SHORTENED));
}

/// Finds the work to summarise, if the event calls for it. It must run before the event
/// is recorded, which makes the session look alive.
pub(super) fn look(
    app: &App,
    call: &HookInvocation<'_>,
    event: &HostEvent,
) -> Option<PreviousSession> {
    let session = event.session.as_ref().filter(|_| Notebook::exists(&app.home))?;
    let whose = EventReading::new(app, call, event).summarised()?;
    let now = app.now();
    let found = Notebook::attempt_within(&app.home, LockPatience::Short, |book| match whose {
        SessionOwnership::Own(_) => own(book, session),
        SessionOwnership::Others => last(app, call, book, session),
    });
    match found {
        Ok((session, _)) => session.map(|session| {
            let age = resume::age(&session, now);
            let reader = match whose {
                SessionOwnership::Own(reader) => reader,
                SessionOwnership::Others => SummaryReader::Successor,
            };
            PreviousSession { session, reader, age }
        }),
        Err(error) => {
            log::write(&app.home, &format!("{}: {error}", session.as_str()));
            None
        }
    }
}

fn own(book: &Notebook, session: &SessionId) -> Result<Option<SessionRecord>, MemoryError> {
    match book.session(&our_name(session))? {
        SessionLookup::One(session) => Ok(Some(*session)),
        SessionLookup::Several(_) | SessionLookup::None { .. } => Ok(None),
    }
}

fn last(
    app: &App,
    call: &HookInvocation<'_>,
    book: &Notebook,
    session: &SessionId,
) -> Result<Option<SessionRecord>, MemoryError> {
    let worktree = Some(app.worktree());
    let limit = Some(FEW);
    let known = book.sessions(&SessionFilter { worktree, limit, ..SessionFilter::default() })?;
    let own = our_name(session);
    let is_alive = |other: &SessionRecord| sessions::is_alive(app, other, call.caller);
    Ok(resume::left(known, Some(&own), app.now(), is_alive))
}

fn our_name(session: &SessionId) -> String {
    let session = Some(session.as_str().to_owned());
    session_id(&event::EventContext { session, ..event::EventContext::default() })
        .unwrap_or_default()
}

/// Records the host process of a session, as far as an event tells.
pub(super) fn note(app: &App, call: &HookInvocation<'_>, event: &HostEvent, kept: CaptureStatus) {
    let is_main = event.actor == EventAgent::Main && !app.is_driven() && kept == CaptureStatus::Yes;
    let Some(session) = event.session.as_ref().filter(|_| is_main) else { return };
    let place = SessionDir::new(&app.home, session);
    if let HostEventKind::Session(SessionEvent::Ended { .. }) = &event.what {
        if !goes_on_elsewhere(app, call, event) {
            place.forget_host();
        }
    } else if let HostEventKind::Session(SessionEvent::Started(_))
    | HostEventKind::Prompt(PromptEvent::Sent { .. }) = &event.what
    {
        let start = match place.liveness(call.caller) {
            SessionLiveness::Here => return,
            SessionLiveness::Unknown => SessionStart::New,
            SessionLiveness::Gone | SessionLiveness::Elsewhere => SessionStart::Resumed,
        };
        // If that fails, the age of its last event decides.
        let _ = place.note_host(call.caller);
        if call.host.reach == HostChannel::Messages {
            capture::open(app, event, start);
        }
    }
}
