//! Finds the session whose work is summarised for a session that begins or continues:
//! its own earlier one, or one that was left here.
//!
//! A session is alive as long as its host's process is. The work of such a session is
//! not summarised to others.

use ralph_core::SessionId;
use ralph_core::host::{Actor, Happening, HostEvent, Position, Reach, Start};
use ralph_engine::host::{Dwelling, Place};
use ralph_memory::event;
use ralph_memory::resume::{self, Age, Reader};
use ralph_memory::{
    MemoryError, Notebook, Patience, Session, SessionFilter, SessionFound, session_id,
};

use super::capture::{self, Kept};
use super::{Call, log};
use crate::app::App;
use crate::commands::sessions;

/// The session file that marks a compaction after which nothing could be shown.
const SHORTENED: &str = "shortened";

/// Number of sessions that are searched for the last one.
const FEW: usize = 5;

/// A session that was left, and the reader of its summary.
pub(super) struct Standing {
    pub(super) session: Session,
    pub(super) reader: Reader,
    pub(super) age: Age,
}

/// The session whose work is summarised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whose {
    /// The session itself, for this reader.
    Own(Reader),
    /// The last session in the work tree.
    Others,
}

/// Returns true if an event reports the end of a session that continues in another
/// process. Only one of its processes ended.
pub(super) fn goes_on_elsewhere(app: &App, call: &Call, event: &HostEvent) -> bool {
    let Happening::SessionEnded { reason } = &event.what else { return false };
    let dwelling = |session| Place::new(&app.home, session).dwelling(call.caller);
    // A deleted session is gone everywhere.
    reason != "deleted" && event.session.as_ref().map(dwelling) == Some(Dwelling::Elsewhere)
}

/// Returns true if the session's host was restarted since its last event.
pub(super) fn was_left(app: &App, call: &Call, session: &SessionId) -> bool {
    Place::new(&app.home, session).dwelling(call.caller) == Dwelling::Gone
}

/// Returns true if a session was compacted since it was last shown notes.
pub(super) fn was_shortened(app: &App, event: &HostEvent) -> bool {
    let place = |session| Place::new(&app.home, session);
    event.session.as_ref().is_some_and(|session| place(session).folder().join(SHORTENED).exists())
}

/// Records that a session was compacted and cannot be shown notes now.
pub(super) fn note_shortened(place: &Place) {
    // If that fails, the notes are only not repeated.
    let _ = place.keep(SHORTENED, "");
}

/// Records that a compacted session was shown its notes again.
pub(super) fn note_told(place: &Place) {
    let _ = std::fs::remove_file(place.folder().join(SHORTENED));
}

/// Finds the work to summarise, if the event calls for it. It must run before the event
/// is recorded, which makes the session look alive.
pub(super) fn look(app: &App, call: &Call, event: &HostEvent) -> Option<Standing> {
    let session = event.session.as_ref().filter(|_| Notebook::exists(&app.home))?;
    let whose = whose(app, call, event)?;
    let now = app.now();
    let found = Notebook::attempt_within(&app.home, Patience::Short, |book| match whose {
        Whose::Own(_) => own(book, session),
        Whose::Others => last(app, call, book, session),
    });
    match found {
        Ok((session, _)) => session.map(|session| {
            let age = resume::age(&session, now);
            let reader = match whose {
                Whose::Own(reader) => reader,
                Whose::Others => Reader::Successor,
            };
            Standing { session, reader, age }
        }),
        Err(error) => {
            log::write(&app.home, &format!("{}: {error}", session.as_str()));
            None
        }
    }
}

fn whose(app: &App, call: &Call, event: &HostEvent) -> Option<Whose> {
    let session = event.session.as_ref().filter(|_| event.actor == Actor::Main)?;
    match &event.what {
        Happening::SessionStarted(Start::New) => Some(Whose::Others),
        Happening::SessionStarted(Start::Resumed) => Some(Whose::Own(Reader::Itself)),
        Happening::SessionStarted(Start::Compacted) | Happening::Compacted { .. } => {
            Some(Whose::Own(Reader::Newcomer))
        }
        Happening::Prompted { position, .. } if call.host.reach == Reach::Messages => {
            let dwelling = Place::new(&app.home, session).dwelling(call.caller);
            match (was_shortened(app, event), dwelling, position) {
                (true, ..) => Some(Whose::Own(Reader::Newcomer)),
                (false, Dwelling::Gone, _) => Some(Whose::Own(Reader::Itself)),
                (false, Dwelling::Unknown, Position::First) => Some(Whose::Others),
                (false, ..) => None,
            }
        }
        Happening::TurnEnded(_) if was_shortened(app, event) => Some(Whose::Own(Reader::Newcomer)),
        Happening::SessionStarted(Start::Cleared | Start::Forked | Start::Other)
        | Happening::Prompted { .. }
        | Happening::HostStarted
        | Happening::Done(_)
        | Happening::Woken
        | Happening::CommandCalled { .. }
        | Happening::ToolAsked(_)
        | Happening::ToolsUsed(_)
        | Happening::TurnEnded(_)
        | Happening::TurnBroken(_)
        | Happening::ChildEnded
        | Happening::PermissionAsked { .. }
        | Happening::PermissionAnswered
        | Happening::NotDelivered { .. }
        | Happening::Due
        | Happening::Compacting
        | Happening::SessionEnded { .. }
        | Happening::Other { .. } => None,
    }
}

fn own(book: &Notebook, session: &SessionId) -> Result<Option<Session>, MemoryError> {
    match book.session(&our_name(session))? {
        SessionFound::One(session) => Ok(Some(*session)),
        SessionFound::Several(_) | SessionFound::None { .. } => Ok(None),
    }
}

fn last(
    app: &App,
    call: &Call,
    book: &Notebook,
    session: &SessionId,
) -> Result<Option<Session>, MemoryError> {
    let worktree = Some(app.worktree());
    let limit = Some(FEW);
    let known = book.sessions(&SessionFilter { worktree, limit, ..SessionFilter::default() })?;
    let own = our_name(session);
    let is_alive = |other: &Session| sessions::is_alive(app, other, call.caller);
    Ok(resume::left(known, Some(&own), app.now(), is_alive))
}

fn our_name(session: &SessionId) -> String {
    let session = Some(session.as_str().to_owned());
    session_id(&event::Place { session, ..event::Place::default() }).unwrap_or_default()
}

/// Records the host process of a session, as far as an event tells.
pub(super) fn note(app: &App, call: &Call, event: &HostEvent, kept: Kept) {
    let is_main = event.actor == Actor::Main && !app.is_driven() && kept == Kept::Yes;
    let Some(session) = event.session.as_ref().filter(|_| is_main) else { return };
    let place = Place::new(&app.home, session);
    match &event.what {
        Happening::SessionStarted(_) | Happening::Prompted { .. } => {
            let start = match place.dwelling(call.caller) {
                Dwelling::Here => return,
                Dwelling::Unknown => Start::New,
                Dwelling::Gone | Dwelling::Elsewhere => Start::Resumed,
            };
            // If that fails, the age of its last event decides.
            let _ = place.note_host(call.caller);
            if call.host.reach == Reach::Messages {
                capture::open(app, event, start);
            }
        }
        Happening::SessionEnded { .. } if goes_on_elsewhere(app, call, event) => {}
        Happening::SessionEnded { .. } => place.forget_host(),
        Happening::HostStarted
        | Happening::Done(_)
        | Happening::Woken
        | Happening::CommandCalled { .. }
        | Happening::ToolAsked(_)
        | Happening::ToolsUsed(_)
        | Happening::TurnEnded(_)
        | Happening::TurnBroken(_)
        | Happening::ChildEnded
        | Happening::PermissionAsked { .. }
        | Happening::PermissionAnswered
        | Happening::NotDelivered { .. }
        | Happening::Due
        | Happening::Compacting
        | Happening::Compacted { .. }
        | Happening::Other { .. } => {}
    }
}
