//! Applying events to the tables.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::known::StoredNote;
use super::projection::{NoteLanding, NoteProjection, NoteSlot, PendingWrite, ProjectionSource};
use super::sessions::SessionProjection;
use super::turn::{NoteInvolvement, TurnKey};
use crate::error::StorageFault;
use crate::event::LogEventKind;
use crate::import::{self, EntryBatch, IdentityRule, ImportCounts};
use crate::log::LogEntry;
use crate::ranking::RankingWeights;
use crate::store::entries::{self, NameNumbers};
use crate::store::{notes, outcomes, turns};

/// What the tables say.
struct ProjectionTables<'a>(&'a Connection);

impl ProjectionSource for ProjectionTables<'_> {
    fn note(&self, id: &str) -> Result<Option<StoredNote>, StorageFault> {
        let doc = entries::by_id(self.0, id)?;
        doc.map_or(Ok(None), |doc| notes::read(self.0, doc))
    }

    fn turn(&self, turn: &TurnKey) -> Result<BTreeMap<String, NoteInvolvement>, StorageFault> {
        turns::read(self.0, turn)
    }
}

/// Applies entries of the log, in their order.
pub(super) fn project(
    connection: &Connection,
    ranking: &RankingWeights,
    entries: Vec<LogEntry>,
) -> Result<(), StorageFault> {
    let mut projection = NoteProjection::new(ProjectionTables(connection));
    let mut sessions = SessionProjection::new(connection);
    for entry in entries {
        match entry {
            LogEntry::Damaged { path, offset } => turns::add_damage(connection, &path, offset)?,
            LogEntry::Event(event) if is_too_large(&event.what) => {}
            LogEntry::Event(event) => {
                sessions.apply(&event)?;
                projection.apply(*event)?;
            }
        }
    }
    let NoteProjection { notes: slots, turns: parts, beside, .. } = projection;
    let mut slots: Vec<(String, NoteSlot)> = slots.into_iter().collect();
    slots.sort_unstable_by(|(one, a), (other, b)| a.order.cmp(&b.order).then(one.cmp(other)));
    write(connection, ranking, &slots)?;
    for (turn, parts) in &parts {
        turns::write(connection, turn, parts)?;
    }
    outcomes::add_attempts(connection, &beside.attempts)?;
    for landing in &beside.landings {
        match landing {
            NoteLanding::Came(ids, commits) => outcomes::add_landing(connection, ids, commits)?,
            NoteLanding::Lapsed(id) => outcomes::end_landing(connection, id)?,
        }
    }
    for (id, check) in &beside.checks {
        outcomes::bind(connection, id, check.as_ref())?;
    }
    sessions.write()
}

/// Whether an event holds a note that whoever wrote it should have refused.
fn is_too_large(what: &LogEventKind) -> bool {
    matches!(what, LogEventKind::Noted(note) if super::refusal(note).is_some())
}

fn write(
    connection: &Connection,
    ranking: &RankingWeights,
    slots: &[(String, NoteSlot)],
) -> Result<(), StorageFault> {
    let mut names = NameNumbers::default();
    for (id, slot) in slots.iter().filter(|(_, slot)| slot.gone) {
        remove(connection, (id, slot), &mut names)?;
    }
    let mut batch = EntryBatch::default();
    for slot in slots.iter().map(|(_, slot)| slot).filter(|slot| slot.change == PendingWrite::Note)
    {
        if let Some(known) = &slot.known {
            let is_new = slot.gone || slot.stored.is_none();
            let identity = if is_new { IdentityRule::New } else { IdentityRule::IdAlone };
            batch.push(known.entry(), identity, ranking);
        }
    }
    let mut docs = Vec::new();
    if !batch.is_empty() {
        docs = batch.write(connection, &mut ImportCounts::default())?;
    }
    let mut docs = docs.into_iter();
    for (id, slot) in slots.iter().filter(|(_, slot)| slot.change > PendingWrite::Nothing) {
        let Some(known) = &slot.known else { continue };
        let doc = match slot.change {
            PendingWrite::Note => docs.next(),
            PendingWrite::Counts | PendingWrite::Nothing => entries::by_id(connection, id)?,
        };
        let doc = doc.ok_or_else(|| StorageFault::Damaged(format!("note {id} has no entry")))?;
        notes::write(connection, doc, known)?;
        let before = if slot.gone { None } else { slot.stored.as_deref() };
        let files = (before.unwrap_or_default(), known.note.files.as_slice());
        notes::write_files(connection, &mut names, doc, files)?;
    }
    Ok(())
}

fn remove(
    connection: &Connection,
    (id, slot): (&str, &NoteSlot),
    names: &mut NameNumbers,
) -> Result<(), StorageFault> {
    let Some(doc) = entries::by_id(connection, id)? else { return Ok(()) };
    let before = slot.stored.as_deref().unwrap_or_default();
    notes::write_files(connection, names, doc, (before, &[]))?;
    notes::remove(connection, doc)?;
    import::remove(connection, doc)
}
