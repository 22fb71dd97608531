//! What the log comes to: a pure function of its events, in their order.
//!
//! Decisions are never made here. That a note replaces another, or says the
//! same, is an event; so replaying the log gives the same notes for ever.

use std::collections::{BTreeMap, HashMap};

use ralph_core::Timestamp;
use ralph_core::memory::Outcome;

use super::known::{Known, Retirement};
use super::outcomes::PastAttempt;
use super::turn::{Checks, Part, Turn};
use crate::error::Fault;
use crate::event::{Actor, Event, Invariant, Note, Place, RestoredNote, Scope, What};

/// What was projected before.
pub(super) trait Stored {
    /// The note with an id.
    fn note(&self, id: &str) -> Result<Option<Known>, Fault>;
    /// The notes that took part in a turn.
    fn turn(&self, turn: &Turn) -> Result<BTreeMap<String, Part>, Fault>;
}

/// What has to be written about a note.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Change {
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
pub(super) struct Slot {
    pub(super) known: Option<Known>,
    pub(super) change: Change,
    /// The files of the note that is stored; `None` if none is stored.
    pub(super) stored: Option<Vec<String>>,
    /// Whether what is stored has to go, even if the note was written again.
    pub(super) gone: bool,
    /// When it was written among the others: new notes are stored in order.
    pub(super) order: usize,
}

/// Notes and turns that events touched.
pub(super) struct Projection<S> {
    stored: S,
    pub(super) notes: HashMap<String, Slot>,
    pub(super) turns: BTreeMap<Turn, BTreeMap<String, Part>>,
    pub(super) beside: Beside,
    written: usize,
}

/// What is kept beside the notes, in the order it happened.
#[derive(Debug, Default)]
pub(super) struct Beside {
    pub(super) attempts: Vec<PastAttempt>,
    pub(super) landings: Vec<Landing>,
    pub(super) checks: Vec<(String, Option<Invariant>)>,
}

/// What notes have to do with commits.
#[derive(Debug)]
pub(super) enum Landing {
    /// These notes were kept along with these commits.
    Came(Vec<String>, Vec<String>),
    /// A note stands or falls with no commit any more: it was said again since,
    /// the user wants it, or it was withdrawn.
    Lapsed(String),
}

/// When, where and by whom.
struct Circumstances {
    at: Timestamp,
    place: Place,
    actor: Actor,
}

impl<S: Stored> Projection<S> {
    pub(super) fn new(stored: S) -> Self {
        let beside = Beside::default();
        Self { stored, notes: HashMap::new(), turns: BTreeMap::new(), beside, written: 0 }
    }

    /// Applies the next event.
    pub(super) fn apply(&mut self, event: Event) -> Result<(), Fault> {
        let Event { at, place, actor, what } = event;
        let at = Timestamp::from_millis(at);
        match what {
            What::Noted(note) => self.noted(Circumstances { at, place, actor }, *note),
            What::Shown { ids, tokens } => {
                let each = u64::from(tokens) / u64::try_from(ids.len()).unwrap_or(1).max(1);
                // Nobody need have read it, so it takes no part in the turn.
                self.took_part(&ids, None, |known, _| {
                    known.counts.shown += 1;
                    known.counts.tokens += each;
                })
            }
            What::Cited { ids } => self.took_part(&ids, Turn::of(&place), |known, part| {
                known.counts.cited += 1;
                part.cited = true;
            }),
            What::Checked { passed, .. } => {
                let checks = if passed { Checks::Passed } else { Checks::Failed };
                Turn::of(&place).map_or(Ok(()), |turn| self.settle(turn, checks, at))
            }
            What::SeenAgain { id } => self.seen_again(Circumstances { at, place, actor }, id),
            What::Corrected { id } => {
                self.change(&id, Change::Counts, |known| known.came(Outcome::Corrected, at))
            }
            What::Replaced { id, by, why } => {
                self.retire(id, Retirement { at, who: actor, why, by: Some(by) })
            }
            What::Retracted { id, why } => {
                self.retire(id, Retirement { at, who: actor, why, by: None })
            }
            What::Promoted { id, scope } => self.promote(id, scope, actor),
            What::Forgotten { id } => self.forget(&id),
            What::Restored(restored) => self.restore(*restored, (actor, place)),
            What::Attempted(tried) => {
                self.beside.attempts.push(PastAttempt { at, place, tried: *tried });
                Ok(())
            }
            What::Landed { ids, commits } => {
                self.beside.landings.push(Landing::Came(ids, commits));
                Ok(())
            }
            What::Bound { id, check } => {
                self.beside.checks.push((id, check));
                Ok(())
            }
            // No note takes part in these.
            What::Observed(_)
            | What::Asked { .. }
            | What::Answered { .. }
            | What::Opened { .. }
            | What::Closed { .. }
            | What::Checkpointed { .. }
            | What::Committed(_) => Ok(()),
        }
    }

    fn noted(&mut self, circumstances: Circumstances, mut note: Note) -> Result<(), Fault> {
        note.title = note.title.filter(|title| !title.is_empty());
        // Stands between paths where they are stored.
        note.files.iter_mut().for_each(|file| file.retain(|c| c != '\0'));
        let id = note.id.clone();
        let Circumstances { at, place, actor } = circumstances;
        let turn = (actor != Actor::Import).then(|| Turn::of(&place)).flatten();
        self.written += 1;
        let order = self.written;
        let slot = self.slot(&id)?;
        let is_again = slot.known.is_some() && actor != Actor::Import;
        match &mut slot.known {
            None => {
                slot.order = order;
                slot.known = Some(Known::written(note, (actor, place), at));
            }
            Some(known) => match rewrite(known, note, Circumstances { at, place, actor }) {
                Rewriting::Done => {}
                Rewriting::Refused => return Ok(()),
            },
        }
        slot.change = Change::Note;
        if is_again {
            self.beside.landings.push(Landing::Lapsed(id.clone()));
        }
        match turn {
            Some(turn) => self.took_part(&[id], Some(turn), |_, part| part.noted = true),
            None => Ok(()),
        }
    }

    /// What a note says was said again. An agent that says so wrote it, as far
    /// as the checks of its turn are concerned.
    fn seen_again(&mut self, circumstances: Circumstances, id: String) -> Result<(), Fault> {
        let Circumstances { at, place, actor } = circumstances;
        let turn = Turn::of(&place).filter(|_| actor == Actor::Agent);
        self.change(&id, Change::Counts, |known| known.seen_from(place, at))?;
        self.beside.landings.push(Landing::Lapsed(id.clone()));
        match turn {
            Some(turn) => self.took_part(&[id], Some(turn), |_, part| part.noted = true),
            None => Ok(()),
        }
    }

    fn slot(&mut self, id: &str) -> Result<&mut Slot, Fault> {
        if !self.notes.contains_key(id) {
            let known = self.stored.note(id)?;
            let stored = known.as_ref().map(|known| known.note.files.clone());
            let slot = Slot { known, change: Change::Nothing, stored, gone: false, order: 0 };
            self.notes.insert(id.to_owned(), slot);
        }
        let missing = || Fault::Damaged(format!("note {id} was lost while it was read"));
        self.notes.get_mut(id).ok_or_else(missing)
    }

    /// Changes a note, if there is one.
    fn change(
        &mut self,
        id: &str,
        change: Change,
        apply: impl FnOnce(&mut Known),
    ) -> Result<(), Fault> {
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
        turn: Option<Turn>,
        apply: impl Fn(&mut Known, &mut Part),
    ) -> Result<(), Fault> {
        let mut parts = match &turn {
            Some(turn) => self.take_turn(turn)?,
            None => BTreeMap::new(),
        };
        for id in ids {
            let mut part = parts.get(id).copied().unwrap_or_default();
            self.change(id, Change::Counts, |known| apply(known, &mut part))?;
            if part != Part::default() {
                parts.insert(id.clone(), part);
            }
        }
        if let Some(turn) = turn {
            self.turns.insert(turn, parts);
        }
        Ok(())
    }

    fn take_turn(&mut self, turn: &Turn) -> Result<BTreeMap<String, Part>, Fault> {
        match self.turns.remove(turn) {
            Some(parts) => Ok(parts),
            None => self.stored.turn(turn),
        }
    }

    /// The checks of a turn had an end: what took part in it is credited, once
    /// and nothing else.
    fn settle(&mut self, turn: Turn, checks: Checks, at: Timestamp) -> Result<(), Fault> {
        for (id, part) in self.take_turn(&turn)? {
            if let Some(outcome) = part.outcome(checks) {
                self.change(&id, Change::Counts, |known| known.came(outcome, at))?;
            }
        }
        self.turns.insert(turn, BTreeMap::new());
        Ok(())
    }

    fn retire(&mut self, id: String, why: Retirement) -> Result<(), Fault> {
        self.change(&id, Change::Note, |known| known.retired = Some(why))?;
        self.beside.landings.push(Landing::Lapsed(id));
        Ok(())
    }

    fn promote(&mut self, id: String, scope: Scope, actor: Actor) -> Result<(), Fault> {
        self.change(&id, Change::Note, |known| known.note.scope = scope)?;
        if actor == Actor::User {
            self.beside.landings.push(Landing::Lapsed(id));
        }
        Ok(())
    }

    fn restore(
        &mut self,
        restored: RestoredNote,
        (actor, place): (Actor, Place),
    ) -> Result<(), Fault> {
        self.written += 1;
        let order = self.written;
        let slot = self.slot(&restored.note.id)?;
        if slot.known.is_none() {
            slot.order = order;
        }
        slot.known = Some(Known::from_restored(restored, (actor, place)));
        slot.change = Change::Note;
        Ok(())
    }

    fn forget(&mut self, id: &str) -> Result<(), Fault> {
        let slot = self.slot(id)?;
        slot.known = None;
        slot.change = Change::Nothing;
        slot.gone = true;
        self.beside.checks.push((id.to_owned(), None));
        self.beside.landings.push(Landing::Lapsed(id.to_owned()));
        Ok(())
    }
}

/// Whether a note was written once more.
enum Rewriting {
    /// It was, be it in the same words.
    Done,
    /// It is not for this writer to change, or there is nothing to change.
    Refused,
}

/// Writes a note under the id of one that is there. What the user wrote is the
/// user's to change, whoever writes at the same time.
fn rewrite(known: &mut Known, mut note: Note, circumstances: Circumstances) -> Rewriting {
    let Circumstances { at, place, actor } = circumstances;
    if actor == Actor::Import {
        // For whom it is was decided here, not where it comes from.
        note.scope = known.note.scope;
    }
    let is_users = known.actor == Actor::User;
    let is_withdrawn = known.retired.is_some();
    let says_the_same = known.note == note && (known.actor == actor || actor != Actor::User);
    match actor {
        Actor::Import if is_users || says_the_same => return Rewriting::Refused,
        Actor::Agent | Actor::Ralph if is_users && !is_withdrawn => return Rewriting::Refused,
        Actor::User | Actor::Agent | Actor::Ralph if says_the_same && !is_withdrawn => {}
        Actor::User | Actor::Agent | Actor::Ralph | Actor::Import => {
            let Known { recorded, counts, .. } = *known;
            // What was withdrawn here comes back by no import.
            let withdrawn = known.retired.take().filter(|_| actor == Actor::Import);
            let anew = Known::written(note, (actor, place), at);
            *known = Known { recorded, counts, retired: withdrawn, ..anew };
        }
    }
    Rewriting::Done
}

#[cfg(test)]
#[path = "projection_tests.rs"]
mod tests;
