//! Finds recorded sessions, and tells which of them are alive.

mod answers;

use ralph_core::SessionId;
use ralph_memory::event::{EventActor, LogEvent, LogEventKind, SessionStatus};
use ralph_memory::{MemoryError, Notebook, SessionLookup, SessionRecord, resume};

use crate::app::App;
use crate::host::{SessionDir, SessionLiveness};
use crate::owner;
use crate::user_error::UserError;
use crate::wire::sessions::ListedSession;

pub use answers::SessionRenderer;

/// Finds a session by its id; an error names similar ones.
pub fn find(app: &App, id: &str) -> Result<Box<SessionRecord>, UserError> {
    let found = ask(app, |book| book.session(id))?;
    match found.unwrap_or(SessionLookup::None { near: None }) {
        SessionLookup::One(session) => Ok(session),
        SessionLookup::Several(ids) => {
            Err(UserError::usage(format!("`{id}` could be {}", ids.join(", ")))
                .in_korean(format!("`{id}` 에 해당하는 것이 여럿입니다: {}", ids.join(", ")), None))
        }
        SessionLookup::None { near } => {
            let (hint, korean) = match near {
                Some(near) => (
                    format!("perhaps {near}; `ralph sessions --all` lists them"),
                    format!("혹시 {near} 입니까? `ralph sessions --all` 로 목록을 볼 수 있습니다"),
                ),
                None => (
                    "`ralph runs` and `ralph sessions --all` list them".to_owned(),
                    "`ralph runs` 와 `ralph sessions --all` 로 목록을 볼 수 있습니다".to_owned(),
                ),
            };
            Err(UserError::usage(format!("there is no run or session `{id}`"))
                .with_hint(hint)
                .in_korean(format!("`{id}` 실행이나 세션이 없습니다"), Some(&korean)))
        }
    }
}

/// Returns true if a session has anything to show.
pub fn is_told(session: &SessionRecord) -> bool {
    session.has_content() || !session.files.is_empty() || session.last_failure.is_some()
}

/// Returns the session as it is listed.
pub fn seen(app: &App, session: SessionRecord) -> ListedSession {
    ListedSession { is_alive: is_alive(app, &session, 0), session }
}

/// Returns true if a session's host process or driver is alive. If neither is known, an
/// unfinished session counts as alive until it is silent for a while.
pub fn is_alive(app: &App, session: &SessionRecord, here: u32) -> bool {
    let place = session.place();
    if let Some(name) = place.session.as_deref().and_then(SessionId::new) {
        return match SessionDir::new(&app.home, &name).liveness(here) {
            SessionLiveness::Here | SessionLiveness::Elsewhere => {
                session.state != SessionStatus::Completed
            }
            SessionLiveness::Gone => false,
            SessionLiveness::Unknown => resume::seems_alive(session, app.now()),
        };
    }
    let record = place.run.and_then(|run| {
        let run = run.parse().ok()?;
        app.existing_store().ok()??.run(&run).ok()?
    });
    match record {
        Some(run) => run.state.is_active() && run.owner.as_ref().is_some_and(owner::is_alive),
        None => resume::seems_alive(session, app.now()),
    }
}

/// Reads from the notebook, if it exists. Reading creates nothing.
pub fn ask<T>(
    app: &App,
    job: impl Fn(&Notebook) -> Result<T, MemoryError>,
) -> Result<Option<T>, UserError> {
    if !Notebook::exists(&app.home) {
        return Ok(None);
    }
    Ok(Some(Notebook::attempt(&app.home, job)?.0))
}

/// Records that the user was shown how to resume a session.
pub fn take_up(app: &App, session: &SessionRecord) -> Result<(), UserError> {
    let (worktree, external) = (session.worktree.clone(), session.external.clone());
    let what = LogEventKind::Opened { worktree, source: "resumed".to_owned(), external };
    let at = app.now().as_millis();
    let event = LogEvent { at, place: session.place(), actor: EventActor::User, what };
    Ok(Notebook::open(&app.home)?.write(&[event])?)
}
