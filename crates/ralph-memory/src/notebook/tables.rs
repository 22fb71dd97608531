//! Applying events to the tables.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::known::StoredNote;
use super::projection::{NoteLanding, NoteProjection, NoteSlot, PendingWrite, ProjectionSource};
use super::sessions::SessionProjection;
use super::turn::{NoteInvolvement, TurnKey};
use crate::entry::refusal;
use crate::error::StorageFault;
use crate::event::LogEventKind;
use crate::log::LogEntry;
use crate::ranking::RankingWeights;
use crate::store::index::IndexWriter;
use crate::store::{notes, outcomes, turns};

/// What the tables say.
struct ProjectionTables<'a>(&'a Connection);

impl ProjectionSource for ProjectionTables<'_> {
    fn note(&self, id: &str) -> Result<Option<StoredNote>, StorageFault> {
        let doc = notes::by_id(self.0, id)?;
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
    matches!(what, LogEventKind::Noted(note) if refusal(note).is_some())
}

fn write(
    connection: &Connection,
    ranking: &RankingWeights,
    slots: &[(String, NoteSlot)],
) -> Result<(), StorageFault> {
    let mut index = IndexWriter::new(connection, ranking)?;
    for (id, slot) in slots.iter().filter(|(_, slot)| slot.gone) {
        if let Some(doc) = notes::by_id(connection, id)? {
            index.remove(doc, slot.stored.as_deref().unwrap_or_default())?;
        }
    }
    let mut linked = Vec::new();
    for (id, slot) in slots {
        let Some(known) = &slot.known else { continue };
        let stored = notes::by_id(connection, id)?;
        match (slot.change, stored) {
            (PendingWrite::Nothing, _) => {}
            (PendingWrite::Counts, Some(doc)) => notes::write(connection, doc, known)?,
            (PendingWrite::Counts | PendingWrite::Note, _) => {
                let before = if slot.gone { None } else { slot.stored.as_deref() };
                let doc = index.put(stored, known, before.unwrap_or_default())?;
                linked.push((doc, &known.note));
            }
        }
    }
    for (doc, note) in linked {
        index.link(doc, note)?;
    }
    index.finish()
}
