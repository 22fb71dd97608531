//! Records a run under a driver as a session in the memory.

use std::path::{Path, PathBuf};
use std::time::Duration;

use ralph_core::state::RunState;
use ralph_core::{Run, Timestamp};
use ralph_memory::clean;
use ralph_memory::event::{
    EventActor, EventContext, LogEvent, LogEventKind, SessionStatus, WorkPhase,
};
use ralph_memory::log::EventLog;
use ralph_memory::{Notebook, SessionFilter, SessionRecord};
use ralph_snapshot::TreeChange;

use super::{MemoryUse, RunContext};
use crate::events::RunStart;

/// Time between two checkpoints during a turn.
const CHECKPOINT: Duration = Duration::from_mins(5);

/// Maximum number of a turn's files that are recorded: a session has no more.
const MOST_FILES: usize = 50;

/// Records from time to time that a turn is under way.
pub(crate) struct CheckpointRecorder {
    home: PathBuf,
    place: EventContext,
    last: Timestamp,
}

impl CheckpointRecorder {
    /// Records a checkpoint if it is due.
    pub(crate) fn tick(&mut self, now: Timestamp) {
        if now.since(self.last) >= CHECKPOINT {
            self.last = now;
            let number = self.place.iteration.unwrap_or_default();
            let (about, files) = (format!("iteration {number} goes on"), Vec::new());
            let what = LogEventKind::Checkpointed { about, files };
            append(&self.home, &self.place, now, EventActor::Ralph, what);
        }
    }
}

/// Records a run as a session.
pub(crate) struct SessionLog<'d, 'a> {
    pub(super) context: &'d RunContext<'a>,
    pub(super) memory: &'d MemoryUse,
}

impl SessionLog<'_, '_> {
    /// Records the start or the resumption of the run, and its prompt.
    pub(super) fn log_start(&self, run: &Run, how: RunStart, answer: Option<&str>) {
        let (source, asked) = match how {
            RunStart::New => ("new", Some(run.task.text.clone())),
            RunStart::Resumed => ("resumed", answer.map(str::to_owned)),
        };
        let worktree = Some(run.worktree.clone());
        let source = source.to_owned();
        self.log_event(
            run,
            EventActor::Ralph,
            LogEventKind::Opened { worktree, source, external: None },
        );
        if let Some(text) = asked {
            self.log_event(run, EventActor::User, LogEventKind::Asked { text });
        }
    }

    /// Returns the session of a resumed run as it was left. Call it before the
    /// resumption is recorded.
    pub(super) fn as_it_was_left(&self, run: &Run, how: RunStart) -> Option<SessionRecord> {
        let home = self.context.ledger.home();
        let goes_on = match how {
            RunStart::New => false,
            RunStart::Resumed => self.memory.recall.is_some() && Notebook::exists(home),
        };
        let (run, limit) = (Some(run.id.to_string()), Some(1));
        let filter = SessionFilter { run, limit, ..SessionFilter::default() };
        // Without it the run uses its own records.
        let found = goes_on.then(|| Notebook::attempt(home, |book| book.sessions(&filter)));
        found?.ok()?.0.pop()
    }

    /// Records the final text of a turn.
    pub(super) fn log_answer(&self, run: &Run, text: &str) {
        self.log_event(run, EventActor::Agent, LogEventKind::Answered { text: text.to_owned() });
    }

    /// Records the files that a turn changed. A host records the changes in its
    /// session itself.
    pub(super) fn log_changed_files(&self, run: &Run, changes: &[TreeChange]) {
        if run.session().is_none() && !changes.is_empty() {
            self.log_event(run, EventActor::Ralph, changed(run, named(changes)));
        }
    }

    /// Records the end or the pause of the run.
    pub(super) fn log_end(&self, run: &Run) {
        self.log_event(run, EventActor::Ralph, closing(run));
    }

    /// Records that a session of a host finished its loop. After a failure the
    /// session stays as it was.
    pub(crate) fn log_host_success(&self, run: &Run) {
        let is_done = matches!(&run.state, RunState::Success(_) | RunState::Stopped);
        let home = self.context.ledger.home();
        let Some(session) = run.session().filter(|_| is_done) else { return };
        if self.memory.remembers && !self.context.ledger.place_is_gone() && Notebook::exists(home) {
            let place = EventContext { session: Some(session.to_string()), ..place(run) };
            append(home, &place, self.context.clock.now(), EventActor::Ralph, closing(run));
        }
    }

    /// Records that the run broke off with an error of ours.
    pub(super) fn log_failure(&self, run: &Run, why: &str) {
        let (state, why) = (SessionStatus::Failed, why.to_owned());
        self.log_event(run, EventActor::Ralph, LogEventKind::Closed { state, why });
    }

    /// Returns the checkpoints for a turn, if the run is recorded.
    pub(super) fn checkpoints(&self, run: &Run) -> Option<CheckpointRecorder> {
        let home = self.context.ledger.home().to_owned();
        let last = self.context.clock.now();
        self.memory.remembers.then(|| CheckpointRecorder { home, place: place(run), last })
    }

    fn log_event(&self, run: &Run, actor: EventActor, what: LogEventKind) {
        if self.memory.remembers && !self.context.ledger.place_is_gone() {
            append(self.context.ledger.home(), &place(run), self.context.clock.now(), actor, what);
        }
    }
}

impl MemoryUse {
    /// Adds the files of a turn that was cut off: the next reader needs them, too.
    pub(super) fn add_files(&mut self, changes: &[TreeChange]) {
        if let Some(left) = &mut self.left {
            let files = named(changes);
            let older = left.files.iter().filter(|file| !files.contains(file)).cloned();
            left.files = files.iter().cloned().chain(older.collect::<Vec<_>>()).collect();
        }
    }
}

/// Returns the closing event for the state of a run.
fn closing(run: &Run) -> LogEventKind {
    let state = match &run.state {
        RunState::Running | RunState::Waiting(_) | RunState::Paused(_) => SessionStatus::Paused,
        // A stopped run cannot be resumed.
        RunState::Success(_) | RunState::Stopped => SessionStatus::Completed,
        RunState::Failed(_) => SessionStatus::Failed,
    };
    LogEventKind::Closed { state, why: ralph_core::wording::host::ended(run, None) }
}

/// Returns the names of changed files, up to a maximum.
fn named(changes: &[TreeChange]) -> Vec<String> {
    let names = changes.iter().map(|one| one.path.to_string_lossy().into_owned());
    names.take(MOST_FILES).collect()
}

/// Returns the event that a turn changed files.
fn changed(run: &Run, files: Vec<String>) -> LogEventKind {
    LogEventKind::Checkpointed {
        about: format!("iteration {} changed files", run.iteration),
        files,
    }
}

/// Records the end of a run whose driver is gone, if its session was recorded.
/// A host's session records its own end.
pub fn log_end_of(home: &Path, run: &Run, now: Timestamp) {
    if is_kept(home, run) {
        append(home, &place(run), now, EventActor::Ralph, closing(run));
    }
}

/// Records the changes of the last turn of a run whose driver is gone, if its
/// session was recorded.
pub fn log_changes_of(home: &Path, run: &Run, changes: &[TreeChange], now: Timestamp) {
    if !changes.is_empty() && is_kept(home, run) {
        append(home, &place(run), now, EventActor::Ralph, changed(run, named(changes)));
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

fn place(run: &Run) -> EventContext {
    EventContext {
        run: Some(run.id.to_string()),
        iteration: Some(run.iteration),
        task: run.task.id.clone(),
        session: None,
        phase: Some(WorkPhase::Code),
    }
}

fn append(
    home: &Path,
    place: &EventContext,
    now: Timestamp,
    actor: EventActor,
    what: LogEventKind,
) {
    let event = LogEvent { at: now.as_millis(), place: place.clone(), actor, what };
    // An event that cannot be recorded is lost; the run goes on.
    let _ = EventLog::new(home).hand_in(&[clean::event(event)]);
}

#[cfg(test)]
mod tests {
    use ralph_memory::{Notebook, SessionFilter};

    use super::*;

    #[test]
    fn a_long_turn_is_kept_every_five_minutes() {
        let home = tempfile::tempdir().unwrap();
        let place = EventContext { run: Some("run-1".to_owned()), ..EventContext::default() };
        let start = Timestamp::from_millis(0);
        let mut turn = CheckpointRecorder { home: home.path().to_owned(), place, last: start };
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
