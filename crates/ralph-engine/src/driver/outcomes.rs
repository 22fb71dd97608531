//! Learns from judged turns. Lessons are written to the memory once the turn is
//! stored. A failure of the memory never fails the run.

mod attempt;
mod closing;
mod failures;
mod mend;
mod recall;
mod tries;

use ralph_core::memory::attempt::Attempt;
use ralph_core::memory::citations::cited;
use ralph_core::state::State;
use ralph_core::{Evidence, Run};
use ralph_memory::event::{Actor, Event, Note, NoteKind, Phase, Place, Scope, Tried, What};
use ralph_memory::log::Log;
use ralph_memory::raw::Raw;
use ralph_memory::{
    Known, MemoryError, Notebook, Notebooks, Patience, clean, failure_key, failure_name,
    failure_note,
};

use self::attempt::TurnAttempt;
use self::failures::{Failure, Outcome};
use super::Driver;

/// Maximum number of a turn's new failures that are noted: the first explain
/// the rest.
const MOST_NOTED: usize = 3;

/// Maximum number of files of a note.
const MOST_FILES: usize = 20;

/// The events for the memory that are written once a turn is stored.
#[derive(Debug, Default)]
pub(crate) struct Lesson(Vec<Event>);

/// A turn that failed.
struct Failed<'a> {
    run: &'a Run,
    evidence: &'a Evidence,
    failures: Vec<Failure>,
    attempt: Attempt,
    hunks: Option<String>,
}

impl Failed<'_> {
    /// Returns its record for the memory.
    fn tried(&self) -> Tried {
        let signatures = self.failures.iter().map(|one| one.signature.clone()).collect();
        let printed = self.failures.first().map(|one| format!("{}: {}", one.title, one.text));
        let hunks = self.hunks.clone();
        Tried { printed, hunks, ..Tried::new(self.attempt.clone(), signatures) }
    }
}

impl Driver<'_> {
    /// Returns the lesson of a turn. If it failed, known facts about such
    /// failures are added to the next prompt.
    ///
    /// The notebook is opened only if the turn failed or ends the run.
    pub(crate) fn learn(&mut self, run: &Run, evidence: &Evidence, next: &mut Run) -> Lesson {
        if !self.remembers || self.ledger.place_is_gone() {
            return Lesson::default();
        }
        match failures::outcome(evidence) {
            None => Lesson::default(),
            Some(Outcome::Passed) => {
                let mut events = match &next.state {
                    State::Success(_) if !evidence.accepts_changes => self.earned(run, evidence),
                    State::Success(_)
                    | State::Running
                    | State::Waiting(_)
                    | State::Paused(_)
                    | State::Failed(_)
                    | State::Stopped => Vec::new(),
                };
                let attempt = self.attempt_of(run, evidence);
                events.extend(citing(run, evidence));
                events.push(checked(run, evidence, &[], None));
                events.push(attempted(run, evidence, Tried::new(attempt.attempt, Vec::new())));
                Lesson(events)
            }
            Some(Outcome::Failed(failures)) => {
                let TurnAttempt { attempt, hunks } = self.attempt_of(run, evidence);
                self.learn_from(&Failed { run, evidence, failures, attempt, hunks }, next)
            }
        }
    }

    fn learn_from(&mut self, failed: &Failed<'_>, next: &mut Run) -> Lesson {
        let Failed { run, evidence, failures, .. } = failed;
        let home = self.ledger.home();
        let raw = Raw::new(home).keep(&failures::printed(evidence)).ok();
        let mut events = Vec::new();
        let tried = failed.tried();
        if let Ok(notebook) = Notebook::open(home) {
            events.extend(gotchas(failed, &notebook));
            match &next.state {
                State::Running => events.extend(self.tell_of_the_past(failed, &notebook, next)),
                State::Failed(_) => {
                    let given_up = tries::given_up(run, &notebook, &tried).unwrap_or_default();
                    let verify = |what| event(run, evidence, Phase::Verify, what);
                    events.extend(given_up.into_iter().map(verify));
                }
                State::Waiting(_) | State::Paused(_) | State::Success(_) | State::Stopped => {}
            }
        }
        let signatures: Vec<String> = failures.iter().map(|one| one.signature.clone()).collect();
        events.extend(citing(run, evidence));
        events.push(checked(run, evidence, &signatures, raw));
        events.push(attempted(run, evidence, tried));
        Lesson(events)
    }

    /// Writes the lesson of a turn that is stored now.
    pub(crate) fn write_down(&self, lesson: Lesson) {
        if lesson.0.is_empty() || self.ledger.place_is_gone() {
            return;
        }
        // A lesson that cannot be stored is lost; the run goes on.
        let home = self.ledger.home();
        let _ = if let Some(recall) = &self.recall {
            Notebooks::new(home, &recall.user_home, Patience::Long).hand_in(lesson.0)
        } else {
            let events: Vec<Event> = lesson.0.into_iter().map(clean::event).collect();
            Log::new(home).hand_in(&events).map_err(MemoryError::from)
        };
    }
}

/// Returns the place of an event in a run.
fn place(run: &Run, phase: Phase) -> Place {
    Place {
        run: Some(run.id.to_string()),
        iteration: Some(run.iteration),
        task: run.task.id.clone(),
        session: run.session().map(ToString::to_string),
        phase: Some(phase),
    }
}

fn event(run: &Run, evidence: &Evidence, phase: Phase, what: What) -> Event {
    let at = evidence.now.as_millis();
    Event { at, place: place(run, phase), actor: Actor::Ralph, what }
}

/// Returns the event that the agent cited notes.
fn citing(run: &Run, evidence: &Evidence) -> Option<Event> {
    let ids = cited(&evidence.text);
    let what = What::Cited { ids: ids.clone() };
    let event = Event { actor: Actor::Agent, ..event(run, evidence, Phase::Code, what) };
    (!ids.is_empty()).then_some(event)
}

/// Returns the event that the checks of a turn ended. It comes after all notes
/// of the turn, because it gives them credit.
fn checked(run: &Run, evidence: &Evidence, signatures: &[String], raw: Option<String>) -> Event {
    let what = What::Checked {
        passed: signatures.is_empty(),
        tree: evidence.tree.as_ref().map(ToString::to_string),
        failures: signatures.iter().map(|signature| failure_key(signature)).collect(),
        raw,
    };
    event(run, evidence, Phase::Verify, what)
}

fn attempted(run: &Run, evidence: &Evidence, tried: Tried) -> Event {
    event(run, evidence, Phase::Verify, What::Attempted(Box::new(tried)))
}

/// Returns notes about failures that are new in this run. A known failure is
/// marked as seen again; a note that the user withdrew stays withdrawn.
fn gotchas(failed: &Failed<'_>, notebook: &Notebook) -> Vec<Event> {
    let Failed { run, evidence, failures, .. } = failed;
    let is_new = |failure: &&Failure| {
        run.iteration <= 1 || !run.progress.failing.contains(&failure.fingerprint)
    };
    let mut events = Vec::new();
    for failure in failures.iter().filter(is_new).take(MOST_NOTED) {
        let key = failure_key(&failure.signature);
        let id = failure_note(&key);
        let what = match notebook.get(&id) {
            Ok(known) if is_unheard_of(known.as_ref()) => {
                What::Noted(Box::new(gotcha(failed, failure, &key)))
            }
            Ok(Some(known)) if is_seen_again(&known, run) => What::SeenAgain { id },
            Ok(_) | Err(_) => continue,
        };
        events.push(event(run, evidence, Phase::Verify, what));
    }
    events
}

/// Returns true if we have no note of our own about it, or retracted it. A note
/// that an agent wrote under the name of a failure does not count.
fn is_unheard_of(known: Option<&Known>) -> bool {
    known.is_none_or(|known| match known.actor {
        Actor::User => false,
        Actor::Agent | Actor::Import => known.note.scope == Scope::Task && known.may_be_learned(),
        Actor::Ralph => known.retired.is_some() && known.may_be_learned(),
    })
}

fn is_seen_again(known: &Known, run: &Run) -> bool {
    known.retired.is_none() && known.place.run.as_deref() != Some(run.id.as_str())
}

fn gotcha(failed: &Failed<'_>, failure: &Failure, key: &str) -> Note {
    let attempt = &failed.attempt;
    let mut files: Vec<String> = failure.file.iter().cloned().collect();
    files.extend(
        attempt.changes.keys().filter(|file| Some(*file) != failure.file.as_ref()).cloned(),
    );
    files.truncate(MOST_FILES);
    Note {
        title: Some(failure.title.clone()),
        files,
        external_id: Some(failure_name(key)),
        ..Note::new(failure_note(key), NoteKind::Gotcha, Scope::Task, failure.text.clone())
    }
}
