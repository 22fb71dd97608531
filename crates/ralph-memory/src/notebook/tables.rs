//! Applying events to the tables.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::known::Known;
use super::projection::{Change, Landing, Projection, Slot, Stored};
use super::sessions::Sessions;
use super::turn::{Part, Turn};
use crate::error::Fault;
use crate::event::What;
use crate::import::{self, Batch, Identity, Imported};
use crate::log::Entry;
use crate::ranking::Ranking;
use crate::store::entries::{self, Names};
use crate::store::{notes, outcomes, turns};

/// What the tables say.
struct Tables<'a>(&'a Connection);

impl Stored for Tables<'_> {
    fn note(&self, id: &str) -> Result<Option<Known>, Fault> {
        let doc = entries::by_id(self.0, id)?;
        doc.map_or(Ok(None), |doc| notes::read(self.0, doc))
    }

    fn turn(&self, turn: &Turn) -> Result<BTreeMap<String, Part>, Fault> {
        turns::read(self.0, turn)
    }
}

/// Applies entries of the log, in their order.
pub(super) fn project(
    connection: &Connection,
    ranking: &Ranking,
    entries: Vec<Entry>,
) -> Result<(), Fault> {
    let mut projection = Projection::new(Tables(connection));
    let mut sessions = Sessions::new(connection);
    for entry in entries {
        match entry {
            Entry::Damaged { path, offset } => turns::add_damage(connection, &path, offset)?,
            Entry::Event(event) if is_too_large(&event.what) => {}
            Entry::Event(event) => {
                sessions.apply(&event)?;
                projection.apply(*event)?;
            }
        }
    }
    let Projection { notes: slots, turns: parts, beside, .. } = projection;
    let mut slots: Vec<(String, Slot)> = slots.into_iter().collect();
    slots.sort_unstable_by(|(one, a), (other, b)| a.order.cmp(&b.order).then(one.cmp(other)));
    write(connection, ranking, &slots)?;
    for (turn, parts) in &parts {
        turns::write(connection, turn, parts)?;
    }
    outcomes::add_attempts(connection, &beside.attempts)?;
    for landing in &beside.landings {
        match landing {
            Landing::Came(ids, commits) => outcomes::add_landing(connection, ids, commits)?,
            Landing::Lapsed(id) => outcomes::end_landing(connection, id)?,
        }
    }
    for (id, check) in &beside.checks {
        outcomes::bind(connection, id, check.as_ref())?;
    }
    sessions.write()
}

/// Whether an event holds a note that whoever wrote it should have refused.
fn is_too_large(what: &What) -> bool {
    matches!(what, What::Noted(note) if super::refusal(note).is_some())
}

fn write(
    connection: &Connection,
    ranking: &Ranking,
    slots: &[(String, Slot)],
) -> Result<(), Fault> {
    let mut names = Names::default();
    for (id, slot) in slots.iter().filter(|(_, slot)| slot.gone) {
        remove(connection, (id, slot), &mut names)?;
    }
    let mut batch = Batch::default();
    for slot in slots.iter().map(|(_, slot)| slot).filter(|slot| slot.change == Change::Note) {
        if let Some(known) = &slot.known {
            let is_new = slot.gone || slot.stored.is_none();
            let identity = if is_new { Identity::New } else { Identity::IdAlone };
            batch.push(known.entry(), identity, ranking);
        }
    }
    let mut docs = Vec::new();
    if !batch.is_empty() {
        docs = batch.write(connection, &mut Imported::default())?;
    }
    let mut docs = docs.into_iter();
    for (id, slot) in slots.iter().filter(|(_, slot)| slot.change > Change::Nothing) {
        let Some(known) = &slot.known else { continue };
        let doc = match slot.change {
            Change::Note => docs.next(),
            Change::Counts | Change::Nothing => entries::by_id(connection, id)?,
        };
        let doc = doc.ok_or_else(|| Fault::Damaged(format!("note {id} has no entry")))?;
        notes::write(connection, doc, known)?;
        let before = if slot.gone { None } else { slot.stored.as_deref() };
        let files = (before.unwrap_or_default(), known.note.files.as_slice());
        notes::write_files(connection, &mut names, doc, files)?;
    }
    Ok(())
}

fn remove(
    connection: &Connection,
    (id, slot): (&str, &Slot),
    names: &mut Names,
) -> Result<(), Fault> {
    let Some(doc) = entries::by_id(connection, id)? else { return Ok(()) };
    let before = slot.stored.as_deref().unwrap_or_default();
    notes::write_files(connection, names, doc, (before, &[]))?;
    notes::remove(connection, doc)?;
    import::remove(connection, doc)
}
