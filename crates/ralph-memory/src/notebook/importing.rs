//! Notes that come from a file.

use std::collections::HashMap;

use ralph_core::Timestamp;

use super::{NoteRetirement, Notebook, StoredNote};
use crate::clean;
use crate::entry::{ImportRefusal, LONGEST_NAME, refusal};
use crate::error::MemoryError;
use crate::event::{EventActor, EventContext, LogEvent, LogEventKind, NoteContent};
use crate::store::notes;

/// The result of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportCounts {
    /// Notes that were not there.
    pub added: u64,
    /// Notes that were there and differed.
    pub updated: u64,
    /// Notes that were there as they are.
    pub unchanged: u64,
    /// Notes that were there, differed, and stay as the user has them here.
    pub kept: u64,
    /// Notes that hold and are the user's word by this import.
    pub said: Vec<String>,
    /// Notes that were left out: where in the order they came, and why.
    pub refused: Vec<(u64, ImportRefusal)>,
}

/// A note as a file has it.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedNote {
    /// What it says.
    pub note: NoteContent,
    /// Who stands for it: the user, or nobody but the file.
    pub actor: EventActor,
    /// Why it did not hold any more where it comes from.
    pub retired: Option<NoteRetirement>,
}

impl From<NoteContent> for ImportedNote {
    fn from(note: NoteContent) -> Self {
        Self { note, actor: EventActor::Import, retired: None }
    }
}

/// What is there of a note that is imported.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ImportMatch {
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
        notes: Vec<impl Into<ImportedNote>>,
        place: &EventContext,
        at: Timestamp,
    ) -> Result<ImportCounts, MemoryError> {
        self.catch_up()?;
        let mut done = ImportCounts::default();
        let mut ends: Vec<LogEvent> = Vec::new();
        let mut events: Vec<LogEvent> = Vec::with_capacity(notes.len());
        let notes: Vec<ImportedNote> = notes.into_iter().map(|one| cleaned(one.into())).collect();
        let notes = kept_lines(notes, &mut done);
        let present = self.present(&notes, at)?;
        for (brought, present) in notes.into_iter().zip(present) {
            let id = brought.note.id.clone();
            match present {
                ImportMatch::Same => {
                    done.unchanged += 1;
                    continue;
                }
                ImportMatch::Users => {
                    done.kept += 1;
                    continue;
                }
                ImportMatch::Not => done.added += 1,
                ImportMatch::Different => done.updated += 1,
                ImportMatch::Moved => {
                    done.updated += 1;
                    // No import brings back what was withdrawn, so it is written anew.
                    let what = LogEventKind::Forgotten { id: id.clone() };
                    let place = place_of(brought.actor, place);
                    events.push(LogEvent { at: at.as_millis(), place, actor: brought.actor, what });
                }
            }
            if brought.actor == EventActor::User && brought.retired.is_none() {
                done.said.push(id);
            }
            let is_decided = present != ImportMatch::Not && brought.actor != EventActor::User;
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
    fn present(
        &self,
        brought: &[ImportedNote],
        at: Timestamp,
    ) -> Result<Vec<ImportMatch>, MemoryError> {
        self.memory.read(|tx| {
            let present = |brought: &ImportedNote| {
                let doc = notes::by_id(tx, &brought.note.id)?;
                let known = doc.map_or(Ok(None), |doc| notes::read(tx, doc))?;
                Ok(known.map_or(ImportMatch::Not, |known| compared(brought, &known, at)))
            };
            brought.iter().map(present).collect()
        })
    }
}

/// A note without what must not be kept.
fn cleaned(brought: ImportedNote) -> ImportedNote {
    ImportedNote { note: clean::note(brought.note), ..brought }
}

/// The lines that can be kept, one for each note: what is left out is counted.
fn kept_lines(notes: Vec<ImportedNote>, done: &mut ImportCounts) -> Vec<ImportedNote> {
    let mut first: HashMap<String, usize> = HashMap::new();
    let mut kept: Vec<ImportedNote> = Vec::with_capacity(notes.len());
    for (line, brought) in (0..).zip(notes) {
        let note = &brought.note;
        let nothing = note.text.trim().is_empty().then_some(ImportRefusal::Empty);
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
            DuplicateChoice::Kept => done.kept += 1,
            DuplicateChoice::Former => done.unchanged += 1,
            DuplicateChoice::Latter => {
                done.unchanged += 1;
                *before = brought;
            }
        }
    }
    kept
}

/// Which of two lines about one note counts.
enum DuplicateChoice {
    /// The former, which is the user's word.
    Kept,
    /// The former.
    Former,
    /// The latter.
    Latter,
}

/// What a file says twice. A note that moved from one notebook to the other ended
/// in the first: it holds.
fn repeated(before: &ImportedNote, brought: &ImportedNote) -> DuplicateChoice {
    let holds = |one: &ImportedNote| one.retired.is_none();
    match (before.actor, brought.actor) {
        (EventActor::User, EventActor::Import) if before.note == brought.note => {
            DuplicateChoice::Former
        }
        (EventActor::User, EventActor::Import) => DuplicateChoice::Kept,
        (EventActor::User | EventActor::Agent | EventActor::Ralph | EventActor::Import, _)
            if before.actor == brought.actor && holds(before) && !holds(brought) =>
        {
            DuplicateChoice::Former
        }
        (EventActor::User | EventActor::Agent | EventActor::Ralph | EventActor::Import, _) => {
            DuplicateChoice::Latter
        }
    }
}

/// Whether a note that is imported says what is there. For whom it is was
/// decided here, and so was whether it holds, but for what the import that is
/// under way wrote itself.
fn compared(brought: &ImportedNote, known: &StoredNote, at: Timestamp) -> ImportMatch {
    let note = &brought.note;
    let since = note.since.filter(|since| *since != known.valid_from().as_millis());
    let since = since.or(known.note.since);
    let same = NoteContent { scope: known.note.scope, since, ..note.clone() } == known.note;
    let is_users = known.actor == EventActor::User;
    let is_new = known.recorded == at && known.actor == brought.actor;
    match (known.retired.is_none(), brought.retired.is_none()) {
        (false, true) if is_new => return ImportMatch::Moved,
        // What ended elsewhere says nothing about what holds here.
        (true, false)
            if known.actor == EventActor::Import && brought.actor == EventActor::Import =>
        {
            return ImportMatch::Same;
        }
        (true | false, true | false) => {}
    }
    match brought.actor {
        // Somebody else's word became the user's own since.
        EventActor::User if !is_users && known.retired.is_none() => ImportMatch::Different,
        EventActor::User if known.retired.is_some() != brought.retired.is_some() => {
            ImportMatch::Users
        }
        EventActor::User | EventActor::Agent | EventActor::Ralph | EventActor::Import if same => {
            ImportMatch::Same
        }
        EventActor::Agent | EventActor::Ralph | EventActor::Import if !is_users => {
            ImportMatch::Different
        }
        EventActor::User | EventActor::Agent | EventActor::Ralph | EventActor::Import => {
            ImportMatch::Users
        }
    }
}

fn noted(
    ImportedNote { note, actor, .. }: ImportedNote,
    (place, now): (&EventContext, Timestamp),
) -> LogEvent {
    let place = place_of(actor, place);
    LogEvent { at: now.as_millis(), place, actor, what: LogEventKind::Noted(Box::new(note)) }
}

/// That a note does not hold any more, since it did not where it comes from.
fn ended_at(
    brought: &ImportedNote,
    end: &NoteRetirement,
    (place, now): (&EventContext, Timestamp),
) -> LogEvent {
    let ImportedNote { note, actor, .. } = brought;
    let mut why = clean::text(&end.why).into_owned();
    why.truncate(why.floor_char_boundary(LONGEST_NAME));
    let id = note.id.clone();
    let what = match end.by.clone() {
        Some(by) => LogEventKind::Replaced { id, by, why },
        None => LogEventKind::Retracted { id, why },
    };
    let at = end.at.min(now).as_millis();
    clean::event(LogEvent { at, place: place_of(*actor, place), actor: end.who, what })
}

/// What the user vouches for was said in no task.
fn place_of(actor: EventActor, place: &EventContext) -> EventContext {
    match actor {
        EventActor::User => EventContext::default(),
        EventActor::Agent | EventActor::Ralph | EventActor::Import => place.clone(),
    }
}
