//! Notes that come from a file.

use std::collections::HashMap;

use ralph_core::Timestamp;

use super::{Known, Notebook, Retirement, refusal};
use crate::clean;
use crate::entry::{LONGEST_NAME, Refusal};
use crate::error::MemoryError;
use crate::event::{Actor, Event, Note, Place, What};
use crate::import::Imported;
use crate::store::{entries, notes};

/// A note as a file has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Brought {
    /// What it says.
    pub note: Note,
    /// Who stands for it: the user, or nobody but the file.
    pub actor: Actor,
    /// Why it did not hold any more where it comes from.
    pub retired: Option<Retirement>,
}

impl From<Note> for Brought {
    fn from(note: Note) -> Self {
        Self { note, actor: Actor::Import, retired: None }
    }
}

/// What is there of a note that is imported.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Present {
    Not,
    Same,
    Different,
    /// It differs, and what the user decided here stays.
    Users,
    /// An earlier part of the same file ended it, and it holds.
    Moved,
}

impl Notebook {
    /// Writes notes of a file that comes from elsewhere. What is there as it is
    /// stays as it is, and so does what the user wrote here; what else differs is
    /// updated; nothing is merged. What did not hold any more where it comes from
    /// does not hold here either, unless it was known here before. The place is
    /// that of an agent that brings them.
    ///
    /// The notes of one call are in memory at once, so large files are given
    /// in parts.
    pub fn import(
        &self,
        notes: Vec<impl Into<Brought>>,
        place: &Place,
        at: Timestamp,
    ) -> Result<Imported, MemoryError> {
        self.catch_up()?;
        let mut done = Imported::default();
        let mut ends: Vec<Event> = Vec::new();
        let mut events: Vec<Event> = Vec::with_capacity(notes.len());
        let notes: Vec<Brought> = notes.into_iter().map(|one| cleaned(one.into())).collect();
        let notes = kept_lines(notes, &mut done);
        let present = self.present(&notes, at)?;
        for (brought, present) in notes.into_iter().zip(present) {
            let id = brought.note.id.clone();
            match present {
                Present::Same => {
                    done.unchanged += 1;
                    continue;
                }
                Present::Users => {
                    done.kept += 1;
                    continue;
                }
                Present::Not => done.added += 1,
                Present::Different => done.updated += 1,
                Present::Moved => {
                    done.updated += 1;
                    // No import brings back what was withdrawn, so it is written anew.
                    let what = What::Forgotten { id: id.clone() };
                    let place = place_of(brought.actor, place);
                    events.push(Event { at: at.as_millis(), place, actor: brought.actor, what });
                }
            }
            if brought.actor == Actor::User && brought.retired.is_none() {
                done.said.push(id);
            }
            let is_decided = present != Present::Not && brought.actor != Actor::User;
            let end = brought.retired.as_ref().filter(|_| !is_decided);
            ends.extend(end.map(|end| ended_at(&brought, end, (place, at))));
            events.push(noted(brought, (place, at)));
        }
        // With the notes or not at all: they would hold for whoever reads no further.
        events.extend(ends);
        self.append(events)?;
        Ok(done)
    }

    /// Whether notes that are imported are there already.
    fn present(&self, brought: &[Brought], at: Timestamp) -> Result<Vec<Present>, MemoryError> {
        self.memory.read(|tx| {
            let present = |brought: &Brought| {
                let doc = entries::by_id(tx, &brought.note.id)?;
                let known = doc.map_or(Ok(None), |doc| notes::read(tx, doc))?;
                Ok(known.map_or(Present::Not, |known| compared(brought, &known, at)))
            };
            brought.iter().map(present).collect()
        })
    }
}

/// A note without what must not be kept.
fn cleaned(brought: Brought) -> Brought {
    Brought { note: clean::note(brought.note), ..brought }
}

/// The lines that can be kept, one for each note: what is left out is counted.
fn kept_lines(notes: Vec<Brought>, done: &mut Imported) -> Vec<Brought> {
    let mut first: HashMap<String, usize> = HashMap::new();
    let mut kept: Vec<Brought> = Vec::with_capacity(notes.len());
    for (line, brought) in (0..).zip(notes) {
        let note = &brought.note;
        let nothing = note.text.trim().is_empty().then_some(Refusal::Empty);
        if let Some(refusal) = nothing.or_else(|| refusal(note)) {
            done.refused.push((line, refusal));
            continue;
        }
        let Some(before) = first.get(&note.id).and_then(|at| kept.get_mut(*at)) else {
            first.insert(note.id.clone(), kept.len());
            kept.push(brought);
            continue;
        };
        match repeated(before, &brought) {
            Repeated::Kept => done.kept += 1,
            Repeated::Former => done.unchanged += 1,
            Repeated::Latter => {
                done.unchanged += 1;
                *before = brought;
            }
        }
    }
    kept
}

/// Which of two lines about one note counts.
enum Repeated {
    /// The former, which is the user's word.
    Kept,
    /// The former.
    Former,
    /// The latter.
    Latter,
}

/// What a file says twice. A note that moved from one notebook to the other ended
/// in the first: it holds.
fn repeated(before: &Brought, brought: &Brought) -> Repeated {
    let holds = |one: &Brought| one.retired.is_none();
    match (before.actor, brought.actor) {
        (Actor::User, Actor::Import) if before.note == brought.note => Repeated::Former,
        (Actor::User, Actor::Import) => Repeated::Kept,
        (Actor::User | Actor::Agent | Actor::Ralph | Actor::Import, _)
            if before.actor == brought.actor && holds(before) && !holds(brought) =>
        {
            Repeated::Former
        }
        (Actor::User | Actor::Agent | Actor::Ralph | Actor::Import, _) => Repeated::Latter,
    }
}

/// Whether a note that is imported says what is there. For whom it is was
/// decided here, and so was whether it holds, but for what the import that is
/// under way wrote itself.
fn compared(brought: &Brought, known: &Known, at: Timestamp) -> Present {
    let note = &brought.note;
    let since = note.since.filter(|since| *since != known.valid_from.as_millis());
    let since = since.or(known.note.since);
    let same = Note { scope: known.note.scope, since, ..note.clone() } == known.note;
    let is_users = known.actor == Actor::User;
    let is_new = known.recorded == at && known.actor == brought.actor;
    match (known.retired.is_none(), brought.retired.is_none()) {
        (false, true) if is_new => return Present::Moved,
        // What ended elsewhere says nothing about what holds here.
        (true, false) if known.actor == Actor::Import && brought.actor == Actor::Import => {
            return Present::Same;
        }
        (true | false, true | false) => {}
    }
    match brought.actor {
        // Somebody else's word became the user's own since.
        Actor::User if !is_users && known.retired.is_none() => Present::Different,
        Actor::User if known.retired.is_some() != brought.retired.is_some() => Present::Users,
        Actor::User | Actor::Agent | Actor::Ralph | Actor::Import if same => Present::Same,
        Actor::Agent | Actor::Ralph | Actor::Import if !is_users => Present::Different,
        Actor::User | Actor::Agent | Actor::Ralph | Actor::Import => Present::Users,
    }
}

fn noted(Brought { note, actor, .. }: Brought, (place, now): (&Place, Timestamp)) -> Event {
    let place = place_of(actor, place);
    Event { at: now.as_millis(), place, actor, what: What::Noted(Box::new(note)) }
}

/// That a note does not hold any more, since it did not where it comes from.
fn ended_at(brought: &Brought, end: &Retirement, (place, now): (&Place, Timestamp)) -> Event {
    let Brought { note, actor, .. } = brought;
    let mut why = clean::text(&end.why).into_owned();
    why.truncate(why.floor_char_boundary(LONGEST_NAME));
    let id = note.id.clone();
    let what = match end.by.clone() {
        Some(by) => What::Replaced { id, by, why },
        None => What::Retracted { id, why },
    };
    let at = end.at.min(now).as_millis();
    clean::event(Event { at, place: place_of(*actor, place), actor: end.who, what })
}

/// What the user vouches for was said in no task.
fn place_of(actor: Actor, place: &Place) -> Place {
    match actor {
        Actor::User => Place::default(),
        Actor::Agent | Actor::Ralph | Actor::Import => place.clone(),
    }
}
