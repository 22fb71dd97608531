//! Where the work stands that a session takes up: its own, or that of a session
//! which was left here.
//!
//! A session is known to be alive by the process of its host. Nobody is told
//! of the work of one that is: it is in good hands.

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

/// The file of a session that was shortened where it could not be told again.
const SHORTENED: &str = "shortened";

/// How many sessions are looked at to find the last one.
const FEW: usize = 5;

/// A session as it was left, and who is to be told of it.
pub(super) struct Standing {
    pub(super) session: Session,
    pub(super) reader: Reader,
    pub(super) age: Age,
}

/// Whose work may have to be told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whose {
    /// That of the session itself, to such a reader.
    Own(Reader),
    /// That of the last session in the work tree.
    Others,
}

/// Whether an event speaks of the end of a session that goes on elsewhere: a
/// process in which it was open too is left, and that is all.
pub(super) fn goes_on_elsewhere(app: &App, call: &Call, event: &HostEvent) -> bool {
    let Happening::SessionEnded { reason } = &event.what else { return false };
    let dwelling = |session| Place::new(&app.home, session).dwelling(call.caller);
    // What is deleted is gone for everybody.
    reason != "deleted" && event.session.as_ref().map(dwelling) == Some(Dwelling::Elsewhere)
}

/// Whether the host of a session was started anew since it was heard of.
pub(super) fn was_left(app: &App, call: &Call, session: &SessionId) -> bool {
    Place::new(&app.home, session).dwelling(call.caller) == Dwelling::Gone
}

/// Whether a session has been shortened since it was shown anything.
pub(super) fn was_shortened(app: &App, event: &HostEvent) -> bool {
    let place = |session| Place::new(&app.home, session);
    event.session.as_ref().is_some_and(|session| place(session).folder().join(SHORTENED).exists())
}

/// Notes that a session was shortened and cannot be told anything now.
pub(super) fn note_shortened(place: &Place) {
    // Should that fail, nothing is told twice.
    let _ = place.keep(SHORTENED, "");
}

/// Notes that a session that was shortened knows all again.
pub(super) fn note_told(place: &Place) {
    let _ = std::fs::remove_file(place.folder().join(SHORTENED));
}

/// Where the work stands, if an event calls for it to be told. Asked before
/// the event itself is kept, which would make every session a present one.
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

/// Notes where a session lives, as far as an event tells.
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
            // Should that fail, its silence tells how it is.
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
