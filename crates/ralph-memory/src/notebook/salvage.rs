//! What the index still has of what the log lost.
//!
//! The log is the truth, but a disk can damage it. As long as the index was made
//! before that, it has what is gone. So before it is made anew, what only it has
//! is written to the log again, and what is replaced is kept aside.

use std::collections::HashMap;
use std::path::PathBuf;

use super::{NoteSelection, Notebook, StoredNote};
use crate::error::{MemoryError, StorageFault};
use crate::event::{EventActor, EventContext, LogEvent, LogEventKind, NoteCheck};
use crate::log::LineEdit;
use crate::notebook::{AttemptQuery, PastAttempt};
use crate::query::{RetiredEntries, SearchFilters};
use crate::session::{SessionFilter, SessionRecord};
use crate::store::{outcomes, turns};

/// More tries than this nobody has.
const MOST_ATTEMPTS: usize = 10_000_000;

/// What came of making the index anew.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SalvageReport {
    /// Places of the log that could not be read.
    pub damaged: usize,
    /// Notes that the log had lost and the index had.
    pub notes: usize,
    /// Tries, checks and commits of the same kind.
    pub others: usize,
    /// Places that were damaged before anybody had read them: what stood there
    /// is in neither file.
    pub missing: usize,
    /// Sessions that lost something: what happened in them is only in the log.
    pub sessions: usize,
    /// Where the damaged files and the old index are kept.
    pub copy: Option<PathBuf>,
}

impl SalvageReport {
    /// Whether nothing is lost.
    pub fn is_whole(&self) -> bool {
        self.missing == 0 && self.sessions == 0
    }
}

/// All that an index says.
struct IndexInventory {
    notes: HashMap<String, StoredNote>,
    checks: Vec<(String, NoteCheck)>,
    attempts: Vec<PastAttempt>,
    landings: Vec<(String, String)>,
    sessions: HashMap<String, SessionRecord>,
}

impl Notebook {
    /// Makes the index anew from the log. What the log lost and the index has is
    /// put back into the log first.
    pub fn rebuild(&self) -> Result<SalvageReport, MemoryError> {
        let salvage = self.mend()?;
        if salvage.copy.is_none() {
            self.remake()?;
        }
        Ok(salvage)
    }

    /// Mends a damaged log from the index; does nothing to one that is whole.
    pub(super) fn mend(&self) -> Result<SalvageReport, MemoryError> {
        self.catch_up()?;
        // Whoever holds the log ends a line that was cut off. In one that cannot be written
        // to nothing can be mended.
        let _ = self.log.lock();
        let damaged = self.damage()?.len();
        if damaged == 0 {
            return Ok(SalvageReport::default());
        }
        let missing = self.memory.read(|tx| turns::damage(tx))?.len();
        let before = self.inventory()?;
        let copy = self.log.set_aside(|folder| self.copy_index(folder))?;
        // What nobody can read goes by that.
        self.rewrite(|_| LineEdit::Keep)?;
        let after = self.inventory()?;
        let (notes, others) = (before.lost_notes(&after), before.lost_others(&after));
        let has_lost =
            |(name, session): (&String, &SessionRecord)| after.sessions.get(name) != Some(session);
        let sessions = before.sessions.iter().filter(|pair| has_lost(*pair)).count();
        let (restored, more) = (notes.len(), others.len());
        self.append(notes.into_iter().chain(others).collect())?;
        Ok(SalvageReport {
            damaged,
            notes: restored,
            others: more,
            missing,
            sessions,
            copy: Some(copy),
        })
    }

    /// Throws the database away and makes it anew from the log.
    pub(super) fn remake(&self) -> Result<(), MemoryError> {
        self.clear()?;
        self.catch_up()?;
        self.memory.tidy()
    }

    fn inventory(&self) -> Result<IndexInventory, MemoryError> {
        let filters = SearchFilters { retired: RetiredEntries::Shown, ..SearchFilters::default() };
        let notes = self.list(&NoteSelection { filters, ..NoteSelection::default() })?;
        let checks = self.memory.read(|tx| {
            let check = |id: String| Ok((outcomes::invariant(tx, &id)?, id));
            outcomes::bound(tx)?.into_iter().map(check).collect::<Result<Vec<_>, StorageFault>>()
        })?;
        let sessions = self.sessions(&SessionFilter::default())?.into_iter();
        Ok(IndexInventory {
            notes: notes.into_iter().map(|known| (known.note.id.clone(), known)).collect(),
            checks: checks.into_iter().filter_map(|(check, id)| Some((id, check?))).collect(),
            attempts: self
                .attempts(&AttemptQuery { limit: MOST_ATTEMPTS, ..AttemptQuery::default() })?,
            landings: self.landings()?,
            sessions: sessions.map(|session| (session.id.clone(), session)).collect(),
        })
    }

    /// A copy of the database in a folder.
    fn copy_index(&self, folder: &std::path::Path) -> Result<(), MemoryError> {
        let name = self.memory.path().file_name().unwrap_or_default();
        let to = folder.join(name);
        let copied = self.memory.connection.execute("VACUUM INTO ?1", [to.to_string_lossy()]);
        copied.map(drop).map_err(|error| StorageFault::from(error).at(&to))
    }
}

impl IndexInventory {
    /// Notes that are not as they were, as they were; and what must not be there.
    fn lost_notes(&self, after: &Self) -> Vec<LogEvent> {
        let mut lost: Vec<&StoredNote> = self.notes.values().collect();
        lost.retain(|known| after.notes.get(&known.note.id) != Some(known));
        lost.sort_by_key(|known| (known.recorded, known.note.id.clone()));
        let restored = lost.into_iter().map(StoredNote::to_restored);
        let mut back: Vec<&String> =
            after.notes.keys().filter(|id| !self.notes.contains_key(*id)).collect();
        back.sort_unstable();
        let forgotten =
            back.into_iter().map(|id| ours(0, LogEventKind::Forgotten { id: id.clone() }));
        restored.chain(forgotten).collect()
    }

    fn lost_others(&self, after: &Self) -> Vec<LogEvent> {
        let checks = self.checks.iter().filter(|check| !after.checks.contains(check));
        let checks = checks.map(|(id, check)| {
            ours(0, LogEventKind::Bound { id: id.clone(), check: Some(check.clone()) })
        });
        let attempts = self.attempts.iter().filter(|one| !after.attempts.contains(one));
        let attempts = attempts.map(|PastAttempt { at, place, tried }| LogEvent {
            place: place.clone(),
            ..ours(at.as_millis(), LogEventKind::Attempted(Box::new(tried.clone())))
        });
        let landings = self.landings.iter().filter(|landing| !after.landings.contains(landing));
        let landings = landings.map(|(commit, id)| {
            ours(0, LogEventKind::Landed { ids: vec![id.clone()], commits: vec![commit.clone()] })
        });
        checks.chain(attempts).chain(landings).collect()
    }
}

fn ours(at: i64, what: LogEventKind) -> LogEvent {
    LogEvent { at, place: EventContext::default(), actor: EventActor::Ralph, what }
}

#[cfg(test)]
#[path = "salvage_tests.rs"]
mod tests;
