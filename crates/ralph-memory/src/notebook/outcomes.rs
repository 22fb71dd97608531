//! What was tried, what landed, and what can be checked.

use ralph_core::Timestamp;

use super::{Notebook, StoredNote};
use crate::entry::derived_id;
use crate::error::MemoryError;
use crate::event::{AttemptRecord, EventContext, NoteCheck};
use crate::store::{notes, outcomes};

/// Something that was tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastAttempt {
    /// When.
    pub at: Timestamp,
    /// Where.
    pub place: EventContext,
    /// What, and how it ended.
    pub tried: AttemptRecord,
}

/// Which attempts are asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AttemptQuery {
    /// That changed one of these files; any if there is none.
    pub files: Vec<String>,
    /// Of this run.
    pub run: Option<String>,
    /// How many at most: the latest.
    pub limit: usize,
}

/// The name of a failure: the same for what fails in the same way.
pub fn failure_key(signature: &str) -> String {
    blake3::hash(signature.as_bytes()).to_hex().as_str()[..16].to_owned()
}

/// The note about a failure, by its key.
pub fn failure_note(key: &str) -> String {
    derived_id(&failure_name(key))
}

/// The external id of the note about a try of a run.
pub fn try_name(run: &str, iteration: u32) -> String {
    format!("try {iteration} of {run}")
}

/// The note that has this external id.
pub fn note_of(name: &str) -> String {
    derived_id(name)
}

/// The external id of the note about a failure.
pub fn failure_name(key: &str) -> String {
    format!("failure {key}")
}

impl Notebook {
    /// What was tried, the oldest first.
    pub fn attempts(&self, query: &AttemptQuery) -> Result<Vec<PastAttempt>, MemoryError> {
        self.catch_up()?;
        self.memory.read(|tx| outcomes::attempts(tx, query))
    }

    /// Every commit of a run that notes were kept along with, and those notes
    /// one by one.
    pub fn landings(&self) -> Result<Vec<(String, String)>, MemoryError> {
        self.catch_up()?;
        self.memory.read(|tx| outcomes::landings(tx))
    }

    /// The check of a note, if it has one.
    pub fn check_of(&self, id: &str) -> Result<Option<NoteCheck>, MemoryError> {
        self.catch_up()?;
        self.memory.read(|tx| outcomes::invariant(tx, id))
    }

    /// Notes that hold and have a check that can be run.
    pub fn invariants(&self) -> Result<Vec<(StoredNote, NoteCheck)>, MemoryError> {
        self.catch_up()?;
        self.memory.read(|tx| {
            let mut found = Vec::new();
            for id in outcomes::bound(tx)? {
                let known = match notes::by_id(tx, &id)? {
                    Some(doc) => notes::read(tx, doc)?,
                    None => None,
                };
                let holds = known.filter(|known| known.retired.is_none());
                found.extend(holds.zip(outcomes::invariant(tx, &id)?));
            }
            Ok(found)
        })
    }
}
