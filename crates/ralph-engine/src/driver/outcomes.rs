//! Learns from judged turns. Lessons are written to the memory once the turn is
//! stored. A failure of the memory never fails the run.

mod attempt;
mod closing;
mod failures;
mod mend;
mod recall;
mod tries;

use ralph_core::memory::attempt::TaskAttempt;
use ralph_core::memory::citations::cited;
use ralph_core::state::RunState;
use ralph_core::{Evidence, Run};
use ralph_files::LogFailure as _;
use ralph_memory::event::{
    AttemptRecord, EventActor, EventContext, LogEvent, LogEventKind, NoteContent, NoteKind,
    NoteScope, WorkPhase,
};
use ralph_memory::log::EventLog;
use ralph_memory::{
    LockPatience, MemoryError, Notebook, Notebooks, StoredNote, clean, failure_key, failure_name,
    failure_note,
};

use ralph_snapshot::Snapshot;

use self::attempt::TurnAttempt;
use self::failures::{CheckedTurn, TurnFailure};
use super::turn::checks_log;
use super::{CheckSet, MemoryUse, RunContext};

/// Maximum number of a turn's new failures that are noted: the first explain
/// the rest.
const MOST_NOTED: usize = 3;

/// Maximum number of files of a note.
const MOST_FILES: usize = 20;

/// The events for the memory that are written once a turn is stored.
#[derive(Debug, Default)]
pub(crate) struct TurnLesson(Vec<LogEvent>);

/// A turn that failed.
struct FailedTurn<'a> {
    run: &'a Run,
    evidence: &'a Evidence,
    failures: Vec<TurnFailure>,
    attempt: TaskAttempt,
    hunks: Option<String>,
}

impl FailedTurn<'_> {
    /// Returns its record for the memory.
    fn tried(&self) -> AttemptRecord {
        let signatures = self.failures.iter().map(|one| one.signature.clone()).collect();
        let printed = self.failures.first().map(|one| format!("{}: {}", one.title, one.text));
        let hunks = self.hunks.clone();
        AttemptRecord { printed, hunks, ..AttemptRecord::new(self.attempt.clone(), signatures) }
    }
}

/// Writes what the checks of a run taught.
pub(crate) struct LessonWriter<'d, 'a> {
    pub(super) context: &'d RunContext<'a>,
    pub(super) checks: &'d CheckSet,
    pub(super) memory: &'d MemoryUse,
    /// The newest snapshot.
    pub(super) kept: Option<&'d Snapshot>,
}

impl LessonWriter<'_, '_> {
    /// Returns the lesson of a turn. If it failed, known facts about such
    /// failures are added to the next prompt.
    ///
    /// The notebook is opened only if the turn failed or ends the run.
    pub(crate) fn prepare_lesson(
        &mut self,
        run: &Run,
        evidence: &Evidence,
        next: &mut Run,
    ) -> TurnLesson {
        if !self.memory.remembers || self.context.ledger.place_is_gone() {
            return TurnLesson::default();
        }
        match failures::outcome(evidence) {
            None => TurnLesson::default(),
            Some(CheckedTurn::Passed) => {
                let mut events = match &next.state {
                    RunState::Success(_) if !evidence.accepts_changes => {
                        self.proven_fix_events(run, evidence)
                    }
                    RunState::Success(_)
                    | RunState::Running
                    | RunState::Waiting(_)
                    | RunState::Paused(_)
                    | RunState::Failed(_)
                    | RunState::Stopped => Vec::new(),
                };
                let attempt = self.attempt_of(run, evidence);
                events.extend(citing(run, evidence));
                events.push(checked(run, evidence, &[]));
                events.push(attempted(
                    run,
                    evidence,
                    AttemptRecord::new(attempt.attempt, Vec::new()),
                ));
                TurnLesson(events)
            }
            Some(CheckedTurn::Failed(failures)) => {
                let TurnAttempt { attempt, hunks } = self.attempt_of(run, evidence);
                self.learn_from(&FailedTurn { run, evidence, failures, attempt, hunks }, next)
            }
        }
    }

    fn learn_from(&mut self, failed: &FailedTurn<'_>, next: &mut Run) -> TurnLesson {
        let FailedTurn { run, evidence, failures, .. } = failed;
        let home = self.context.ledger.home();
        let path = checks_log(&self.context.places.folder, run.iteration);
        ralph_files::write_own(path, failures::printed(evidence))
            .or_log("writing output of checks");
        let mut events = Vec::new();
        let tried = failed.tried();
        if let Ok(notebook) = Notebook::open(home) {
            events.extend(gotchas(failed, &notebook));
            match &next.state {
                RunState::Running => events.extend(self.tell_of_the_past(failed, &notebook, next)),
                RunState::Failed(_) => {
                    let given_up = tries::given_up(run, &notebook, &tried).unwrap_or_default();
                    let verify = |what| event(run, evidence, WorkPhase::Verify, what);
                    events.extend(given_up.into_iter().map(verify));
                }
                RunState::Waiting(_)
                | RunState::Paused(_)
                | RunState::Success(_)
                | RunState::Stopped => {}
            }
        }
        let signatures: Vec<String> = failures.iter().map(|one| one.signature.clone()).collect();
        events.extend(citing(run, evidence));
        events.push(checked(run, evidence, &signatures));
        events.push(attempted(run, evidence, tried));
        TurnLesson(events)
    }

    /// Writes the lesson of a turn that is stored now.
    pub(crate) fn save_lesson(&self, lesson: TurnLesson) {
        if lesson.0.is_empty() || self.context.ledger.place_is_gone() {
            return;
        }
        let home = self.context.ledger.home();
        let stored = if let Some(recall) = &self.memory.recall {
            Notebooks::new(home, &recall.user_home, LockPatience::Long).hand_in(lesson.0)
        } else {
            let events: Vec<LogEvent> = lesson.0.into_iter().map(clean::event).collect();
            EventLog::new(home).hand_in(&events).map_err(MemoryError::from)
        };
        // A lesson that cannot be stored is lost; the run goes on.
        stored.or_log("storing a lesson");
    }
}

/// Returns the place of an event in a run.
fn place(run: &Run, phase: WorkPhase) -> EventContext {
    EventContext {
        run: Some(run.id.to_string()),
        iteration: Some(run.iteration),
        task: run.task.id.clone(),
        session: run.session().map(ToString::to_string),
        phase: Some(phase),
    }
}

fn event(run: &Run, evidence: &Evidence, phase: WorkPhase, what: LogEventKind) -> LogEvent {
    let at = evidence.now.as_millis();
    LogEvent { at, place: place(run, phase), actor: EventActor::Ralph, what }
}

/// Returns the event that the agent cited notes.
fn citing(run: &Run, evidence: &Evidence) -> Option<LogEvent> {
    let ids = cited(&evidence.text);
    let what = LogEventKind::Cited { ids: ids.clone() };
    let event =
        LogEvent { actor: EventActor::Agent, ..event(run, evidence, WorkPhase::Code, what) };
    (!ids.is_empty()).then_some(event)
}

/// Returns the event that the checks of a turn ended. It comes after all notes
/// of the turn, because it gives them credit.
fn checked(run: &Run, evidence: &Evidence, signatures: &[String]) -> LogEvent {
    let what = LogEventKind::Checked { passed: signatures.is_empty() };
    event(run, evidence, WorkPhase::Verify, what)
}

fn attempted(run: &Run, evidence: &Evidence, tried: AttemptRecord) -> LogEvent {
    event(run, evidence, WorkPhase::Verify, LogEventKind::Attempted(Box::new(tried)))
}

/// Returns notes about failures that are new in this run. A known failure is
/// marked as seen again; a note that the user withdrew stays withdrawn.
fn gotchas(failed: &FailedTurn<'_>, notebook: &Notebook) -> Vec<LogEvent> {
    let FailedTurn { run, evidence, failures, .. } = failed;
    let is_new = |failure: &&TurnFailure| {
        run.iteration <= 1 || !run.progress.failing.contains(&failure.fingerprint)
    };
    let mut events = Vec::new();
    for failure in failures.iter().filter(is_new).take(MOST_NOTED) {
        let key = failure_key(&failure.signature);
        let id = failure_note(&key);
        let what = match notebook.get(&id) {
            Ok(known) if is_unheard_of(known.as_ref()) => {
                LogEventKind::Noted(Box::new(gotcha(failed, failure, &key)))
            }
            Ok(Some(known)) if is_seen_again(&known, run) => LogEventKind::SeenAgain { id },
            Ok(_) | Err(_) => continue,
        };
        events.push(event(run, evidence, WorkPhase::Verify, what));
    }
    events
}

/// Returns true if we have no note of our own about it, or retracted it. A note
/// that an agent wrote under the name of a failure does not count.
fn is_unheard_of(known: Option<&StoredNote>) -> bool {
    known.is_none_or(|known| match known.actor {
        EventActor::User => false,
        EventActor::Agent | EventActor::Import => {
            known.note.scope == NoteScope::Task && known.may_be_learned()
        }
        EventActor::Ralph => known.retired.is_some() && known.may_be_learned(),
    })
}

fn is_seen_again(known: &StoredNote, run: &Run) -> bool {
    known.retired.is_none() && known.place.run.as_deref() != Some(run.id.as_str())
}

fn gotcha(failed: &FailedTurn<'_>, failure: &TurnFailure, key: &str) -> NoteContent {
    let attempt = &failed.attempt;
    let mut files: Vec<String> = failure.file.iter().cloned().collect();
    files.extend(
        attempt.changes.keys().filter(|file| Some(*file) != failure.file.as_ref()).cloned(),
    );
    files.truncate(MOST_FILES);
    NoteContent {
        title: Some(failure.title.clone()),
        files,
        external_id: Some(failure_name(key)),
        ..NoteContent::new(
            failure_note(key),
            NoteKind::Gotcha,
            NoteScope::Task,
            failure.text.clone(),
        )
    }
}
