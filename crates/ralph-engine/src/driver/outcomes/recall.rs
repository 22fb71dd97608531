//! Tells the agent about the past after a turn that failed.

use ralph_core::Run;
use ralph_core::memory::attempt::{RepeatedAttempt, RepetitionKind, TaskAttempt, notice};
use ralph_core::memory::hydration::{
    HydrationInput, NoteCandidate, NoteCategory, PrefaceMode, hydrate,
};
use ralph_core::memory::label::{NoteEvidence, NoteLabel};
use ralph_core::memory::notes::orders;
use ralph_core::wording::learned::{TriedBefore, tried_before};
use ralph_memory::anchor::AnchorResolver;
use ralph_memory::event::{AttemptRecord, LogEvent, LogEventKind, WorkPhase};
use ralph_memory::{AttemptQuery, Notebook, PastAttempt, StoredNote, failure_key, failure_note};

use super::{FailedTurn, LessonWriter, event, place};
use crate::recall::{NotePortion, NoteRequest};

/// Maximum number of earlier attempts that are compared.
const MOST_ATTEMPTS: usize = 200;

/// Maximum number of earlier failures that the agent is reminded of.
const MOST_REMINDERS: usize = 3;

/// Maximum length of these notes together, in tokens.
const TOKENS: usize = 1000;

impl LessonWriter<'_, '_> {
    /// Adds to the next prompt that the agent repeats itself, and the known
    /// fixes of such failures.
    pub(super) fn tell_of_the_past(
        &self,
        failed: &FailedTurn<'_>,
        notebook: &Notebook,
        next: &mut Run,
    ) -> Option<LogEvent> {
        if let Some(told) = repetition_sentence(failed, notebook, next) {
            next.feedback.past = told;
        }
        let known = known_before(failed, notebook);
        let mut sight = AnchorResolver::new(&self.context.places.root);
        let mut notes: Vec<NoteCandidate> =
            known.iter().map(|known| candidate(known, &mut sight)).collect();
        let (expected, open) = self.expected(failed);
        notes.extend(expected);
        let preface = if self.context.seen().is_empty() {
            PrefaceMode::Written
        } else {
            PrefaceMode::LeftOut
        };
        let material = HydrationInput { notes, resume: open, preface, ..HydrationInput::default() };
        let shown = hydrate(&material, TOKENS, next.policy.locale).ok().flatten()?;
        shown.text.trim_end().clone_into(&mut next.feedback.notes);
        let tokens = u32::try_from(shown.tokens).unwrap_or(u32::MAX);
        let what = LogEventKind::Shown { ids: shown.ids(), tokens };
        // The turn that reads it may cite it.
        let reader = Run { iteration: failed.run.iteration + 1, ..failed.run.clone() };
        Some(event(&reader, failed.evidence, WorkPhase::Verify, what))
    }

    /// Returns notes about the turn's files that were not shown yet, and their
    /// open questions. The gate itself reports notes that it checks.
    fn expected(&self, failed: &FailedTurn<'_>) -> (Vec<NoteCandidate>, Vec<String>) {
        let Some(recall) = self.memory.recall.as_ref().filter(|recall| recall.has_anything())
        else {
            return (Vec::new(), Vec::new());
        };
        let files: Vec<String> = failed.attempt.changes.keys().cloned().collect();
        if files.is_empty() {
            return (Vec::new(), Vec::new());
        }
        let wanted = NoteRequest {
            part: NotePortion::Asked,
            files,
            seen: self.context.seen(),
            place: place(failed.run, WorkPhase::Verify),
            ..NoteRequest::new(WorkPhase::Verify)
        };
        let found = recall.expected(&wanted, failed.evidence.now);
        let (mut notes, open) = found.unwrap_or_default();
        let has_gate = self.checks.gates.iter().any(|gate| gate.spec().is_memory());
        notes.retain(|note| !(note.is_checked && has_gate));
        notes.truncate(MOST_REMINDERS);
        (notes, open)
    }
}

fn candidate(known: &StoredNote, sight: &mut AnchorResolver<'_>) -> NoteCandidate {
    let note = &known.note;
    let anchors = known.look(sight);
    let grounds = NoteEvidence { is_verified: known.verified, has_citation: !anchors.is_empty() };
    NoteCandidate {
        id: note.id.clone(),
        shelf: NoteCategory::Gotcha,
        label: NoteLabel::of(grounds, &anchors),
        title: note.title.clone(),
        text: note.text.clone(),
        why: None,
        files: note.files.clone(),
        is_checked: false,
    }
}

/// Returns the sentence about an earlier attempt that this one repeats.
fn repetition_sentence(failed: &FailedTurn<'_>, notebook: &Notebook, next: &Run) -> Option<String> {
    let FailedTurn { run, failures, attempt, .. } = failed;
    let files: Vec<String> = attempt.changes.keys().cloned().collect();
    if files.is_empty() {
        return None;
    }
    let query = AttemptQuery { files, limit: MOST_ATTEMPTS, ..AttemptQuery::default() };
    let earlier = notebook.attempts(&query).ok()?;
    let signatures: Vec<String> = failures.iter().map(|one| one.signature.clone()).collect();
    let now = TaskAttempt { ending: AttemptRecord::ending(&signatures), ..attempt.clone() };
    let attempts: Vec<TaskAttempt> = earlier.iter().map(|past| past.tried.attempt()).collect();
    let RepeatedAttempt { round, earlier: at } = notice(&attempts, &now)?;
    let past: &PastAttempt = earlier.get(at)?;
    let is_here = past.place.run.as_deref() == Some(run.id.as_str());
    if is_here && says_so_already(next, round) {
        return None;
    }
    let failure = past.tried.printed.as_ref().or(past.tried.failures.first());
    let failure = failure.map_or("", String::as_str);
    let tried = TriedBefore {
        round,
        run: past.place.run.as_deref().filter(|_| !is_here),
        iteration: past.place.iteration.unwrap_or(0),
        approach: past.tried.approach.as_deref().filter(|said| orders(said).is_empty()),
        failure: if orders(failure).is_empty() { failure } else { "" },
    };
    Some(tried_before(&tried, next.policy.locale))
}

/// Returns true if the feedback already says that files are as before.
fn says_so_already(next: &Run, round: RepetitionKind) -> bool {
    let is_said = next.progress.circle.is_some() && next.progress.stalled > 0;
    match round {
        RepetitionKind::Exact | RepetitionKind::Oscillation | RepetitionKind::Repeat => is_said,
        RepetitionKind::Symptom => false,
    }
}

/// Returns notes about the same failures that tell their fix.
fn known_before(failed: &FailedTurn<'_>, notebook: &Notebook) -> Vec<StoredNote> {
    let known = failed.failures.iter().filter_map(|failure| {
        let id = failure_note(&failure_key(&failure.signature));
        let known = notebook.get(&id).ok().flatten()?;
        let is_told = known.verified && known.retired.is_none() && known.orders().is_empty();
        is_told.then_some(known)
    });
    known.take(MOST_REMINDERS).collect()
}
