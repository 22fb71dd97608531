//! What the log says about sessions.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use rusqlite::Connection;

use super::Notebook;
use crate::error::{MemoryError, StorageFault};
use crate::event::{
    AttemptRecord, CommitRecord, EventActor, LogEvent, LogEventKind, SessionStatus, ToolUseRecord,
    WorkPhase,
};
use crate::session::{
    MOST_FILES, MOST_MESSAGES, MessageRole, PermissionMode, SessionFilter, SessionLookup,
    SessionMessage, SessionObservation, SessionRecord, session_id,
};
use crate::store::sessions::{self, SessionNames};

/// Within how many milliseconds the same thing is one that a host told us
/// twice.
const ECHO: i64 = 2_000;

/// How much of what was asked first names a session, in characters.
const LONGEST_TASK: usize = 200;

/// The tool of observations that are commits.
const COMMIT: &str = "commit";

/// Sessions that events touched, and what was done in them.
pub(super) struct SessionProjection<'c> {
    connection: &'c Connection,
    touched: BTreeMap<String, SessionRecord>,
    done: Vec<SessionObservation>,
}

impl<'c> SessionProjection<'c> {
    pub(super) fn new(connection: &'c Connection) -> Self {
        Self { connection, touched: BTreeMap::new(), done: Vec::new() }
    }

    /// Applies the next event.
    pub(super) fn apply(&mut self, event: &LogEvent) -> Result<(), StorageFault> {
        match &event.what {
            LogEventKind::Committed(made) => self.committed(event.at, made),
            LogEventKind::Attempted(tried) => self.attempted(event, tried),
            LogEventKind::Observed(used) => self.observed(event, used),
            LogEventKind::Opened { .. } if event.actor == EventActor::User => self.taken_up(event),
            LogEventKind::Asked { text } => {
                let Some(session) = self.session(event)? else { return Ok(()) };
                session.state = SessionStatus::Active;
                if session.task.is_none() {
                    session.task = first_words(text);
                }
                say(session, event.at, MessageRole::User, text);
                Ok(())
            }
            LogEventKind::Answered { text } => {
                let Some(session) = self.session(event)? else { return Ok(()) };
                // A turn that broke off ends as well, without a word.
                if !text.trim().is_empty() {
                    mend(session);
                }
                say(session, event.at, MessageRole::Agent, text);
                Ok(())
            }
            LogEventKind::Opened { worktree, external, .. } => {
                let Some(session) = self.session(event)? else { return Ok(()) };
                session.state = SessionStatus::Active;
                session.worktree = worktree.clone().or(session.worktree.take());
                session.external = external.clone().or(session.external.take());
                Ok(())
            }
            LogEventKind::Closed { state, why } => {
                let Some(session) = self.session(event)? else { return Ok(()) };
                // Who leaves a session that is done leaves nothing undone.
                let is_left = *state == SessionStatus::Paused;
                if !(is_left && session.state == SessionStatus::Completed) {
                    session.state = *state;
                }
                // What the checks of a run said matters more than which limit
                // ended it.
                let is_news = event.place.session.is_some() || session.last_failure.is_none();
                if *state == SessionStatus::Failed && is_news {
                    session.last_failure = Some(why.clone());
                    session.is_broken = true;
                }
                Ok(())
            }
            LogEventKind::Checkpointed { files, .. } => {
                let Some(session) = self.session(event)? else { return Ok(()) };
                touch(session, files);
                Ok(())
            }
            LogEventKind::Noted(_)
            | LogEventKind::Shown { .. }
            | LogEventKind::Cited { .. }
            | LogEventKind::Checked { .. }
            | LogEventKind::SeenAgain { .. }
            | LogEventKind::Replaced { .. }
            | LogEventKind::Promoted { .. }
            | LogEventKind::Retracted { .. }
            | LogEventKind::Corrected { .. }
            | LogEventKind::Restored(_)
            | LogEventKind::Forgotten { .. }
            | LogEventKind::Landed { .. }
            | LogEventKind::Bound { .. } => Ok(()),
        }
    }

    /// Writes what was learned.
    pub(super) fn write(self) -> Result<(), StorageFault> {
        sessions::observe(self.connection, &self.done)?;
        for session in self.touched.values() {
            sessions::write(self.connection, session)?;
        }
        Ok(())
    }

    /// The session that an event is of, as of that event; a new one if nobody
    /// heard of it, none if the event names none.
    fn session(&mut self, event: &LogEvent) -> Result<Option<&mut SessionRecord>, StorageFault> {
        let LogEvent { at, place, .. } = event;
        let Some(id) = session_id(place) else { return Ok(None) };
        self.load(&id)?;
        let session = self.touched.entry(id).or_insert_with_key(|id| SessionRecord {
            id: id.clone(),
            created: *at,
            last_checkpoint: *at,
            updated: *at,
            ..SessionRecord::default()
        });
        session.last_checkpoint = session.last_checkpoint.max(*at);
        session.updated = session.updated.max(*at);
        session.taken_up = None;
        session.external = place.session.clone().or(session.external.take());
        session.run = place.run.clone().or(session.run.take());
        session.task = place.task.clone().or(session.task.take());
        match place.phase {
            Some(WorkPhase::Think) => session.mode = PermissionMode::Plan,
            Some(WorkPhase::Code | WorkPhase::Verify | WorkPhase::Consolidate) => {
                session.mode = PermissionMode::Agent;
            }
            None => {}
        }
        Ok(Some(session))
    }

    /// Somebody was told how a session goes on. That is nothing that happened
    /// in it: it gets no younger by it, and what is completed stays so.
    fn taken_up(&mut self, event: &LogEvent) -> Result<(), StorageFault> {
        let Some(id) = session_id(&event.place) else { return Ok(()) };
        self.load(&id)?;
        if let Some(session) = self.touched.get_mut(&id)
            && session.state != SessionStatus::Completed
        {
            session.state = SessionStatus::Active;
            session.taken_up = Some(event.at);
        }
        Ok(())
    }

    fn load(&mut self, id: &str) -> Result<(), StorageFault> {
        if !self.touched.contains_key(id)
            && let Some(known) = sessions::read(self.connection, id)?
        {
            self.touched.insert(id.to_owned(), known);
        }
        Ok(())
    }

    fn observed(&mut self, event: &LogEvent, used: &ToolUseRecord) -> Result<(), StorageFault> {
        let what = format!("{} {}", used.tool, used.about);
        let what = what.trim();
        let text = match &used.error {
            Some(error) => format!("{what}: {error}"),
            None => what.to_owned(),
        };
        let mut observation = observation(event.at, used);
        if let Some(session) = self.session(event)? {
            if is_echo(session, event.at, MessageRole::Tool, &text) {
                return Ok(());
            }
            session.state = SessionStatus::Active;
            touch(session, &used.files);
            match &used.error {
                Some(_) => {
                    session.last_failure = Some(text.clone());
                    session.is_broken = false;
                }
                // It works by now.
                None if failed_at(session, what) => session.last_failure = None,
                None => mend(session),
            }
            say(session, event.at, MessageRole::Tool, &text);
            observation.session = Some(session.id.clone());
        }
        self.done.push(observation);
        Ok(())
    }

    /// The checks of a turn say more about what is wrong than any tool.
    fn attempted(&mut self, event: &LogEvent, tried: &AttemptRecord) -> Result<(), StorageFault> {
        let Some(id) = session_id(&event.place) else { return Ok(()) };
        self.load(&id)?;
        if let Some(session) = self.touched.get_mut(&id) {
            session.updated = session.updated.max(event.at);
            session.last_failure = (!tried.failures.is_empty()).then(|| tried.failures.join("; "));
            session.is_broken = false;
            let files: Vec<String> = tried.changes.iter().map(|one| one.file.clone()).collect();
            touch(session, &files);
        }
        Ok(())
    }

    fn committed(&mut self, at: i64, made: &CommitRecord) -> Result<(), StorageFault> {
        // Whoever looks at git tells of it, and several may look at once.
        if !sessions::notice(self.connection, &made.commit)? {
            return Ok(());
        }
        let short = |name: &str| name.chars().take(10).collect::<String>();
        let mut about = format!("{} {}", short(&made.commit), made.subject);
        if let Some(old) = &made.reverts {
            let _ = write!(about, " (takes back {})", short(old));
        }
        let (tool, files) = (COMMIT.to_owned(), made.files.clone());
        self.done.push(SessionObservation { at, session: None, tool, files, about, error: None });
        Ok(())
    }
}

fn observation(at: i64, used: &ToolUseRecord) -> SessionObservation {
    let ToolUseRecord { tool, files, about, error } = used.clone();
    SessionObservation { at, session: None, tool, files, about, error }
}

fn is_echo(session: &SessionRecord, at: i64, who: MessageRole, text: &str) -> bool {
    session.messages.last().is_some_and(|last| {
        last.who == who && last.text == text && (0..=ECHO).contains(&at.saturating_sub(last.at))
    })
}

fn say(session: &mut SessionRecord, at: i64, who: MessageRole, text: &str) {
    if text.trim().is_empty() || is_echo(session, at, who, text) {
        return;
    }
    session.messages.push(SessionMessage { at, who, text: text.to_owned() });
    let surplus = session.messages.len().saturating_sub(MOST_MESSAGES);
    session.messages.drain(..surplus);
}

fn touch(session: &mut SessionRecord, files: &[String]) {
    session.files.retain(|file| !files.contains(file));
    for file in files.iter().rev() {
        session.files.insert(0, file.clone());
    }
    session.files.dedup();
    session.files.truncate(MOST_FILES);
}

/// An error that broke a turn off is over once a tool or a turn succeeds.
fn mend(session: &mut SessionRecord) {
    if session.is_broken {
        session.last_failure = None;
        session.is_broken = false;
    }
}

/// Whether what went wrong last was this very thing.
fn failed_at(session: &SessionRecord, what: &str) -> bool {
    let failure = session.last_failure.as_deref();
    failure.and_then(|failure| failure.strip_prefix(what)).is_some_and(|rest| rest.starts_with(':'))
}

/// The first line of a text that says something, not too long.
fn first_words(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(line.chars().take(LONGEST_TASK).collect())
}

impl Notebook {
    /// Sessions, the latest first.
    pub fn sessions(&self, filter: &SessionFilter) -> Result<Vec<SessionRecord>, MemoryError> {
        self.catch_up()?;
        self.memory.read(|tx| sessions::list(tx, filter))
    }

    /// How many sessions a list without a limit would have.
    pub fn count_sessions(&self, filter: &SessionFilter) -> Result<usize, MemoryError> {
        self.catch_up()?;
        self.memory.read(|tx| sessions::count(tx, filter))
    }

    /// The session that is meant by our name for it, its host's, its run's, or
    /// the beginning of one of them.
    pub fn session(&self, name: &str) -> Result<SessionLookup, MemoryError> {
        self.catch_up()?;
        self.memory.read(|tx| {
            let known = sessions::names(tx)?;
            match meant(&known, name) {
                Ok(id) => match sessions::read(tx, &id)? {
                    Some(session) => Ok(SessionLookup::One(Box::new(session))),
                    None => Err(StorageFault::Damaged(format!("session {id} was lost"))),
                },
                Err(found) => Ok(found),
            }
        })
    }

    /// What whoever goes on with a session has to know, by its id.
    pub fn resume_context(&self, id: &str) -> Result<Option<String>, MemoryError> {
        self.catch_up()?;
        self.memory.read(|tx| sessions::context(tx, id))
    }

    /// What was done to files since a moment (in milliseconds since 1970), the
    /// latest first; to any files if none is named.
    pub fn timeline(
        &self,
        files: &[String],
        since: i64,
        limit: usize,
    ) -> Result<Vec<SessionObservation>, MemoryError> {
        self.catch_up()?;
        self.memory.read(|tx| sessions::timeline(tx, files, (since, limit)))
    }

    /// Whether a commit was noticed before.
    pub fn has_noticed(&self, commit: &str) -> Result<bool, MemoryError> {
        self.catch_up()?;
        self.memory.read(|tx| sessions::is_noticed(tx, commit))
    }
}

/// The id that a name leads to.
fn meant(known: &[SessionNames], name: &str) -> Result<String, SessionLookup> {
    let names = |one: &SessionNames| {
        let (id, external, run) = one.clone();
        [Some(id), external, run].into_iter().flatten()
    };
    let matching = |fits: &dyn Fn(&str) -> bool| -> Vec<String> {
        let fitting = known.iter().filter(|one| names(one).any(|known| fits(&known)));
        fitting.map(|(id, ..)| id.clone()).collect()
    };
    let exact = matching(&|known| known == name);
    let mut ids = if exact.is_empty() && !name.is_empty() {
        matching(&|known| known.starts_with(name))
    } else {
        exact
    };
    match ids.len() {
        0 => Err(SessionLookup::None { near: nearest(known, name) }),
        1 => Ok(ids.remove(0)),
        _ => Err(SessionLookup::Several(ids)),
    }
}

/// The id of the session whose name begins most like this one.
fn nearest(known: &[SessionNames], name: &str) -> Option<String> {
    let shared = |other: &str| other.chars().zip(name.chars()).take_while(|(a, b)| a == b).count();
    let best = known.iter().map(|(id, external, run)| {
        let others = external.iter().chain(run).map(|other| shared(other));
        (others.chain([shared(id)]).max().unwrap_or(0), id)
    });
    // Of equal ones the latest, which stands first.
    let best = best.rev().max_by_key(|(shared, _)| *shared)?;
    (best.0 * 2 >= name.chars().count() && best.0 > 1).then(|| best.1.clone())
}

#[cfg(test)]
#[path = "sessions_tests.rs"]
mod tests;
