//! What the log comes to: a pure function of its events, in their order.
//!
//! Decisions are never made here. That a note replaces another, or says the
//! same, is an event; so replaying the log gives the same notes for ever.

use std::collections::{BTreeMap, HashMap};

use ralph_core::Timestamp;
use ralph_core::memory::BeliefEvent;

use super::known::{NoteRetirement, StoredNote};
use super::outcomes::PastAttempt;
use super::turn::{NoteInvolvement, TurnCheckStatus, TurnKey};
use crate::error::StorageFault;
use crate::event::{
    EventActor, EventContext, LogEvent, LogEventKind, NoteCheck, NoteContent, NoteScope,
};

/// What was projected before.
pub(super) trait ProjectionSource {
    /// The note with an id.
    fn note(&self, id: &str) -> Result<Option<StoredNote>, StorageFault>;
    /// The notes that took part in a turn.
    fn turn(&self, turn: &TurnKey) -> Result<BTreeMap<String, NoteInvolvement>, StorageFault>;
}

/// What has to be written about a note.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PendingWrite {
    /// Nothing.
    #[default]
    Nothing,
    /// What became of it.
    Counts,
    /// What it says, or for whom, or whether it holds.
    Note,
}

/// A note while events are applied.
#[derive(Debug)]
pub(super) struct NoteSlot {
    pub(super) known: Option<StoredNote>,
    pub(super) change: PendingWrite,
    /// The files of the note that is stored; `None` if none is stored.
    pub(super) stored: Option<Vec<String>>,
    /// Whether what is stored has to go, even if the note was written again.
    pub(super) gone: bool,
    /// When it was written among the others: new notes are stored in order.
    pub(super) order: usize,
}

/// Notes and turns that events touched.
pub(super) struct NoteProjection<S> {
    stored: S,
    pub(super) notes: HashMap<String, NoteSlot>,
    pub(super) turns: BTreeMap<TurnKey, BTreeMap<String, NoteInvolvement>>,
    pub(super) beside: ProjectionExtras,
    written: usize,
}

/// What is kept beside the notes, in the order it happened.
#[derive(Debug, Default)]
pub(super) struct ProjectionExtras {
    pub(super) attempts: Vec<PastAttempt>,
    pub(super) landings: Vec<NoteLanding>,
    pub(super) checks: Vec<(String, Option<NoteCheck>)>,
}

/// What notes have to do with commits.
#[derive(Debug)]
pub(super) enum NoteLanding {
    /// These notes were kept along with these commits.
    Came(Vec<String>, Vec<String>),
    /// A note stands or falls with no commit any more: it was said again since,
    /// the user wants it, or it was withdrawn.
    Lapsed(String),
}

/// When, where and by whom.
struct EventOrigin {
    at: Timestamp,
    place: EventContext,
    actor: EventActor,
}

impl<S: ProjectionSource> NoteProjection<S> {
    pub(super) fn new(stored: S) -> Self {
        let beside = ProjectionExtras::default();
        Self { stored, notes: HashMap::new(), turns: BTreeMap::new(), beside, written: 0 }
    }

    /// Applies the next event.
    pub(super) fn apply(&mut self, event: LogEvent) -> Result<(), StorageFault> {
        let LogEvent { at, place, actor, what } = event;
        let at = Timestamp::from_millis(at);
        match what {
            LogEventKind::Noted(note) => self.noted(EventOrigin { at, place, actor }, *note),
            LogEventKind::Shown { ids, tokens } => {
                let each = u64::from(tokens) / u64::try_from(ids.len()).unwrap_or(1).max(1);
                // Nobody need have read it, so it takes no part in the turn.
                self.took_part(&ids, None, |known, _| {
                    known.counts.shown += 1;
                    known.counts.tokens += each;
                })
            }
            LogEventKind::Cited { ids } => {
                self.took_part(&ids, TurnKey::of(&place), |known, part| {
                    known.counts.cited += 1;
                    part.cited = true;
                })
            }
            LogEventKind::Checked { passed } => {
                let checks = if passed { TurnCheckStatus::Passed } else { TurnCheckStatus::Failed };
                TurnKey::of(&place).map_or(Ok(()), |turn| self.settle(turn, checks, at))
            }
            LogEventKind::SeenAgain { id } => self.seen_again(EventOrigin { at, place, actor }, id),
            LogEventKind::Corrected { id } => self
                .change(&id, PendingWrite::Counts, |known| known.came(BeliefEvent::Corrected, at)),
            LogEventKind::Replaced { id, by, why } => {
                self.retire(id, NoteRetirement { at, who: actor, why, by: Some(by) })
            }
            LogEventKind::Retracted { id, why } => {
                self.retire(id, NoteRetirement { at, who: actor, why, by: None })
            }
            LogEventKind::Promoted { id, scope } => self.promote(id, scope, actor),
            LogEventKind::Forgotten { id } => self.forget(&id),
            LogEventKind::Restored(restored) => self.restore(*restored, (actor, place)),
            LogEventKind::Attempted(tried) => {
                self.beside.attempts.push(PastAttempt { at, place, tried: *tried });
                Ok(())
            }
            LogEventKind::Landed { ids, commits } => {
                self.beside.landings.push(NoteLanding::Came(ids, commits));
                Ok(())
            }
            LogEventKind::Bound { id, check } => {
                self.beside.checks.push((id, check));
                Ok(())
            }
            // No note takes part in these.
            LogEventKind::Observed(_)
            | LogEventKind::Asked { .. }
            | LogEventKind::Answered { .. }
            | LogEventKind::Opened { .. }
            | LogEventKind::Closed { .. }
            | LogEventKind::Checkpointed { .. }
            | LogEventKind::Committed(_) => Ok(()),
        }
    }

    fn noted(
        &mut self,
        circumstances: EventOrigin,
        mut note: NoteContent,
    ) -> Result<(), StorageFault> {
        note.title = note.title.filter(|title| !title.is_empty());
        // Stands between paths where they are stored.
        note.files.iter_mut().for_each(|file| file.retain(|c| c != '\0'));
        let id = note.id.clone();
        let EventOrigin { at, place, actor } = circumstances;
        let turn = (actor != EventActor::Import).then(|| TurnKey::of(&place)).flatten();
        self.written += 1;
        let order = self.written;
        let slot = self.slot(&id)?;
        let is_again = slot.known.is_some() && actor != EventActor::Import;
        match &mut slot.known {
            None => {
                slot.order = order;
                slot.known = Some(StoredNote::written(note, (actor, place), at));
            }
            Some(known) => match rewrite(known, note, EventOrigin { at, place, actor }) {
                RewriteOutcome::Done => {}
                RewriteOutcome::Refused => return Ok(()),
            },
        }
        slot.change = PendingWrite::Note;
        if is_again {
            self.beside.landings.push(NoteLanding::Lapsed(id.clone()));
        }
        match turn {
            Some(turn) => self.took_part(&[id], Some(turn), |_, part| part.noted = true),
            None => Ok(()),
        }
    }

    /// What a note says was said again. An agent that says so wrote it, as far
    /// as the checks of its turn are concerned.
    fn seen_again(&mut self, circumstances: EventOrigin, id: String) -> Result<(), StorageFault> {
        let EventOrigin { at, place, actor } = circumstances;
        let turn = TurnKey::of(&place).filter(|_| actor == EventActor::Agent);
        self.change(&id, PendingWrite::Counts, |known| known.seen_from(place, at))?;
        self.beside.landings.push(NoteLanding::Lapsed(id.clone()));
        match turn {
            Some(turn) => self.took_part(&[id], Some(turn), |_, part| part.noted = true),
            None => Ok(()),
        }
    }

    fn slot(&mut self, id: &str) -> Result<&mut NoteSlot, StorageFault> {
        if !self.notes.contains_key(id) {
            let known = self.stored.note(id)?;
            let stored = known.as_ref().map(|known| known.note.files.clone());
            let slot =
                NoteSlot { known, change: PendingWrite::Nothing, stored, gone: false, order: 0 };
            self.notes.insert(id.to_owned(), slot);
        }
        let missing = || StorageFault::Damaged(format!("note {id} was lost while it was read"));
        self.notes.get_mut(id).ok_or_else(missing)
    }

    /// Changes a note, if there is one.
    fn change(
        &mut self,
        id: &str,
        change: PendingWrite,
        apply: impl FnOnce(&mut StoredNote),
    ) -> Result<(), StorageFault> {
        let slot = self.slot(id)?;
        if let Some(known) = &mut slot.known {
            apply(known);
            slot.change = slot.change.max(change);
        }
        Ok(())
    }

    fn took_part(
        &mut self,
        ids: &[String],
        turn: Option<TurnKey>,
        apply: impl Fn(&mut StoredNote, &mut NoteInvolvement),
    ) -> Result<(), StorageFault> {
        let mut parts = match &turn {
            Some(turn) => self.take_turn(turn)?,
            None => BTreeMap::new(),
        };
        for id in ids {
            let mut part = parts.get(id).copied().unwrap_or_default();
            self.change(id, PendingWrite::Counts, |known| apply(known, &mut part))?;
            if part != NoteInvolvement::default() {
                parts.insert(id.clone(), part);
            }
        }
        if let Some(turn) = turn {
            self.turns.insert(turn, parts);
        }
        Ok(())
    }

    fn take_turn(
        &mut self,
        turn: &TurnKey,
    ) -> Result<BTreeMap<String, NoteInvolvement>, StorageFault> {
        match self.turns.remove(turn) {
            Some(parts) => Ok(parts),
            None => self.stored.turn(turn),
        }
    }

    /// The checks of a turn had an end: what took part in it is credited, once
    /// and nothing else.
    fn settle(
        &mut self,
        turn: TurnKey,
        checks: TurnCheckStatus,
        at: Timestamp,
    ) -> Result<(), StorageFault> {
        for (id, part) in self.take_turn(&turn)? {
            if let Some(outcome) = part.outcome(checks) {
                self.change(&id, PendingWrite::Counts, |known| known.came(outcome, at))?;
            }
        }
        self.turns.insert(turn, BTreeMap::new());
        Ok(())
    }

    fn retire(&mut self, id: String, why: NoteRetirement) -> Result<(), StorageFault> {
        self.change(&id, PendingWrite::Note, |known| known.retired = Some(why))?;
        self.beside.landings.push(NoteLanding::Lapsed(id));
        Ok(())
    }

    fn promote(
        &mut self,
        id: String,
        scope: NoteScope,
        actor: EventActor,
    ) -> Result<(), StorageFault> {
        self.change(&id, PendingWrite::Note, |known| known.note.scope = scope)?;
        if actor == EventActor::User {
            self.beside.landings.push(NoteLanding::Lapsed(id));
        }
        Ok(())
    }

    fn restore(
        &mut self,
        mut restored: StoredNote,
        (actor, place): (EventActor, EventContext),
    ) -> Result<(), StorageFault> {
        self.written += 1;
        let order = self.written;
        let slot = self.slot(&restored.note.id)?;
        if slot.known.is_none() {
            slot.order = order;
        }
        (restored.actor, restored.place) = (actor, place);
        slot.known = Some(restored);
        slot.change = PendingWrite::Note;
        Ok(())
    }

    fn forget(&mut self, id: &str) -> Result<(), StorageFault> {
        let slot = self.slot(id)?;
        slot.known = None;
        slot.change = PendingWrite::Nothing;
        slot.gone = true;
        self.beside.checks.push((id.to_owned(), None));
        self.beside.landings.push(NoteLanding::Lapsed(id.to_owned()));
        Ok(())
    }
}

/// Whether a note was written once more.
enum RewriteOutcome {
    /// It was, be it in the same words.
    Done,
    /// It is not for this writer to change, or there is nothing to change.
    Refused,
}

/// Writes a note under the id of one that is there. What the user wrote is the
/// user's to change, whoever writes at the same time.
fn rewrite(
    known: &mut StoredNote,
    mut note: NoteContent,
    circumstances: EventOrigin,
) -> RewriteOutcome {
    let EventOrigin { at, place, actor } = circumstances;
    if actor == EventActor::Import {
        // For whom it is was decided here, not where it comes from.
        note.scope = known.note.scope;
    }
    let is_users = known.actor == EventActor::User;
    let is_withdrawn = known.retired.is_some();
    let says_the_same = known.note == note && (known.actor == actor || actor != EventActor::User);
    match actor {
        EventActor::Import if is_users || says_the_same => return RewriteOutcome::Refused,
        EventActor::Agent | EventActor::Ralph if is_users && !is_withdrawn => {
            return RewriteOutcome::Refused;
        }
        EventActor::User | EventActor::Agent | EventActor::Ralph
            if says_the_same && !is_withdrawn => {}
        EventActor::User | EventActor::Agent | EventActor::Ralph | EventActor::Import => {
            // What was withdrawn here comes back by no import.
            let withdrawn = known.retired.take().filter(|_| actor == EventActor::Import);
            known.rewritten(StoredNote::written(note, (actor, place), at));
            known.retired = withdrawn;
        }
    }
    RewriteOutcome::Done
}

#[cfg(test)]
#[path = "projection_tests.rs"]
mod tests;
