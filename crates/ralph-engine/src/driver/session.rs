//! Records a run under a driver as a session in the memory.

use std::path::{Path, PathBuf};
use std::time::Duration;

use ralph_core::state::State;
use ralph_core::{Run, Timestamp};
use ralph_memory::clean;
use ralph_memory::event::{Actor, Event, Phase, Place, SessionState, What};
use ralph_memory::log::Log;
use ralph_memory::{Notebook, Session, SessionFilter};
use ralph_snapshot::Change;

use super::Driver;
use crate::events::Begin;

/// Time between two checkpoints during a turn.
const CHECKPOINT: Duration = Duration::from_mins(5);

/// Maximum number of a turn's files that are recorded: a session has no more.
const MOST_FILES: usize = 50;

/// Records from time to time that a turn is under way.
pub(crate) struct Checkpoints {
    home: PathBuf,
    place: Place,
    last: Timestamp,
}

impl Checkpoints {
    /// Records a checkpoint if it is due.
    pub(crate) fn tick(&mut self, now: Timestamp) {
        if now.since(self.last) >= CHECKPOINT {
            self.last = now;
            let number = self.place.iteration.unwrap_or_default();
            let (about, files) = (format!("iteration {number} goes on"), Vec::new());
            let what = What::Checkpointed { about, files };
            append(&self.home, &self.place, now, Actor::Ralph, what);
        }
    }
}

impl Driver<'_> {
    /// Records the start or the resumption of the run, and its prompt.
    pub(super) fn keep_opening(&self, run: &Run, how: Begin) {
        let (source, asked) = match how {
            Begin::New => ("new", Some(run.task.text.clone())),
            Begin::Resumed => ("resumed", self.answer.clone()),
        };
        let worktree = Some(run.worktree.clone());
        let source = source.to_owned();
        self.keep(run, Actor::Ralph, What::Opened { worktree, source, external: None });
        if let Some(text) = asked {
            self.keep(run, Actor::User, What::Asked { text });
        }
    }

    /// Returns the session of a resumed run as it was left. Call it before the
    /// resumption is recorded.
    pub(super) fn as_it_was_left(&self, run: &Run, how: Begin) -> Option<Session> {
        let home = self.ledger.home();
        let goes_on = match how {
            Begin::New => false,
            Begin::Resumed => self.recall.is_some() && Notebook::exists(home),
        };
        let (run, limit) = (Some(run.id.to_string()), Some(1));
        let filter = SessionFilter { run, limit, ..SessionFilter::default() };
        // Without it the run uses its own records.
        let found = goes_on.then(|| Notebook::attempt(home, |book| book.sessions(&filter)));
        found?.ok()?.0.pop()
    }

    /// Records the final text of a turn.
    pub(super) fn keep_answer(&self, run: &Run, text: &str) {
        self.keep(run, Actor::Agent, What::Answered { text: text.to_owned() });
    }

    /// Records the files that a turn changed. A host records the changes in its
    /// session itself.
    pub(super) fn keep_files(&mut self, run: &Run, changes: &[Change]) {
        if run.session().is_some() || changes.is_empty() {
            return;
        }
        let files = named(changes);
        if let Some(left) = &mut self.left {
            // A turn was cut off; the next reader needs its files, too.
            let older = left.files.iter().filter(|file| !files.contains(file)).cloned();
            left.files = files.iter().cloned().chain(older.collect::<Vec<_>>()).collect();
        }
        self.keep(run, Actor::Ralph, changed(run, files));
    }

    /// Records the end or the pause of the run.
    pub(super) fn keep_closing(&self, run: &Run) {
        self.keep(run, Actor::Ralph, closing(run));
    }

    /// Records that a session of a host finished its loop. After a failure the
    /// session stays as it was.
    pub(crate) fn keep_success_in_host(&self, run: &Run) {
        let is_done = match &run.state {
            State::Success(_) | State::Stopped => true,
            State::Running | State::Waiting(_) | State::Paused(_) | State::Failed(_) => false,
        };
        let home = self.ledger.home();
        let Some(session) = run.session().filter(|_| is_done) else { return };
        if self.remembers && !self.ledger.place_is_gone() && Notebook::exists(home) {
            let place = Place { session: Some(session.to_string()), ..place(run) };
            append(home, &place, self.clock.now(), Actor::Ralph, closing(run));
        }
    }

    /// Records that the run broke off with an error of ours.
    pub(super) fn keep_breakage(&self, run: &Run, why: &str) {
        let (state, why) = (SessionState::Failed, why.to_owned());
        self.keep(run, Actor::Ralph, What::Closed { state, why });
    }

    /// Returns the checkpoints for a turn, if the run is recorded.
    pub(super) fn checkpoints(&self, run: &Run) -> Option<Checkpoints> {
        let home = self.ledger.home().to_owned();
        let last = self.clock.now();
        self.remembers.then(|| Checkpoints { home, place: place(run), last })
    }

    fn keep(&self, run: &Run, actor: Actor, what: What) {
        if self.remembers && !self.ledger.place_is_gone() {
            append(self.ledger.home(), &place(run), self.clock.now(), actor, what);
        }
    }
}

/// Returns the closing event for the state of a run.
fn closing(run: &Run) -> What {
    let state = match &run.state {
        State::Running | State::Waiting(_) | State::Paused(_) => SessionState::Paused,
        // A stopped run cannot be resumed.
        State::Success(_) | State::Stopped => SessionState::Completed,
        State::Failed(_) => SessionState::Failed,
    };
    What::Closed { state, why: ralph_core::wording::host::ended(run, None) }
}

/// Returns the names of changed files, up to a maximum.
fn named(changes: &[Change]) -> Vec<String> {
    let names = changes.iter().map(|one| one.path.to_string_lossy().into_owned());
    names.take(MOST_FILES).collect()
}

/// Returns the event that a turn changed files.
fn changed(run: &Run, files: Vec<String>) -> What {
    What::Checkpointed { about: format!("iteration {} changed files", run.iteration), files }
}

/// Records the end of a run whose driver is gone, if its session was recorded.
/// A host's session records its own end.
pub fn keep_end_of(home: &Path, run: &Run, now: Timestamp) {
    if is_kept(home, run) {
        append(home, &place(run), now, Actor::Ralph, closing(run));
    }
}

/// Records the changes of the last turn of a run whose driver is gone, if its
/// session was recorded.
pub fn keep_changes_of(home: &Path, run: &Run, changes: &[Change], now: Timestamp) {
    if !changes.is_empty() && is_kept(home, run) {
        append(home, &place(run), now, Actor::Ralph, changed(run, named(changes)));
    }
}

/// Returns true if a run has a session of its own. An unreadable memory counts
/// as none.
fn is_kept(home: &Path, run: &Run) -> bool {
    if run.session().is_some() || !Notebook::exists(home) {
        return false;
    }
    let filter = SessionFilter { run: Some(run.id.to_string()), ..SessionFilter::default() };
    let known = Notebook::attempt(home, |book| book.sessions(&filter));
    known.is_ok_and(|(known, _)| !known.is_empty())
}

fn place(run: &Run) -> Place {
    Place {
        run: Some(run.id.to_string()),
        iteration: Some(run.iteration),
        task: run.task.id.clone(),
        session: None,
        phase: Some(Phase::Code),
    }
}

fn append(home: &Path, place: &Place, now: Timestamp, actor: Actor, what: What) {
    let event = Event { at: now.as_millis(), place: place.clone(), actor, what };
    // An event that cannot be recorded is lost; the run goes on.
    let _ = Log::new(home).hand_in(&[clean::event(event)]);
}

#[cfg(test)]
mod tests {
    use ralph_memory::{Notebook, SessionFilter};

    use super::*;

    #[test]
    fn a_long_turn_is_kept_every_five_minutes() {
        let home = tempfile::tempdir().unwrap();
        let place = Place { run: Some("run-1".to_owned()), ..Place::default() };
        let start = Timestamp::from_millis(0);
        let mut turn = Checkpoints { home: home.path().to_owned(), place, last: start };
        let at = |seconds| start.plus(Duration::from_secs(seconds));
        turn.tick(at(299));
        assert!(!Notebook::exists(home.path()));
        for seconds in [300, 301, 599, 600] {
            turn.tick(at(seconds));
        }
        let book = Notebook::open(home.path()).unwrap();
        let session = book.sessions(&SessionFilter::default()).unwrap().remove(0);
        assert_eq!((session.created, session.last_checkpoint), (300_000, 600_000));
    }
}
