//! The notebook: what the log comes to, kept where it can be searched.
//!
//! The log is the truth. What it says about each note is summed up in tables
//! beside the index; both are derived, and brought up to date before every
//! answer by reading what was added to the log since. Any number of processes
//! may do so at once: who has the write lock looks first how far others came.

mod forgetting;
mod importing;
mod known;
mod migration;
mod outcomes;
mod projection;
mod retention;
mod salvage;
mod sessions;
mod tables;
mod turn;

use std::cell::Cell;
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

pub use self::forgetting::NoteTexts;
pub use self::importing::{ImportCounts, ImportedNote};
pub use self::known::{NoteCounts, NoteRetirement, StoredNote};
pub use self::outcomes::{
    AttemptQuery, PastAttempt, failure_key, failure_name, failure_note, note_of, try_name,
};
pub use self::retention::{RetentionOutcome, SessionRetention};
pub use self::salvage::SalvageReport;
pub(crate) use self::turn::{NoteInvolvement, TurnKey};
use crate::clean;
use crate::entry::{derived_id, id_of_contents, refusal};
use crate::error::{MemoryError, StorageFault};
use crate::event::{EventActor, LogEvent, LogEventKind, NoteKind};
use crate::log::{EventLog, LogEntry, LogPart, LogPosition};
use crate::memory::SearchIndex;
use crate::query::{self, GroupHit, RankedDocument, SearchFilters, SearchQuery};
use crate::store::open::{self, LargeCache, LockPatience, fold_log};
use crate::store::{counters, notes, turns};

/// More events than these are written to the log as a file of their own.
const MANY: usize = 256;

/// How often a job is tried while others make the database anew.
const TRIES: u32 = 60;

/// After how many tries a database that cannot be read is taken for damaged.
const FEW: u32 = 4;

/// All notes of one state home.
pub struct Notebook {
    memory: SearchIndex,
    log: EventLog,
    repaired: Option<MemoryError>,
    /// Notes of older versions that were retired on opening.
    generated: u32,
    patience: LockPatience,
    /// Somebody wrote for longer than we could wait: what is stored has to do.
    gave_up: Cell<bool>,
}

/// A note that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct NoteHit {
    /// The note.
    pub known: StoredNote,
    /// How well it fits.
    pub score: f64,
    /// How many words of the question it has, by how rare they are: 1 is a word
    /// that no other note has.
    pub telling: f64,
}

/// Which notes are listed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NoteSelection {
    /// Kinds, scopes, group, and whether retired notes are listed.
    pub filters: SearchFilters,
    /// About one of these files; about anything if there is none.
    pub files: Vec<String>,
    /// How many at most; all if `None`.
    pub limit: Option<usize>,
}

/// How much there is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NotebookStats {
    /// Notes by kind and scope.
    pub notes: Vec<NoteTally>,
    /// Bytes of the log.
    pub log_bytes: u64,
    /// Bytes of the database.
    pub database_bytes: u64,
    /// Lines of the log that nobody can read: file and byte.
    pub damaged: Vec<(PathBuf, u64)>,
}

/// How many notes of one kind and scope there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteTally {
    /// The kind's word.
    pub kind: String,
    /// The scope's word.
    pub scope: String,
    /// How many hold.
    pub active: u64,
    /// How many do not hold any more.
    pub retired: u64,
    /// How many of all are verified.
    pub verified: u64,
}

/// The id of a note with a name of its own elsewhere: the same for ever.
pub fn note_id(external: &str) -> String {
    derived_id(external)
}

/// The id of a new note, made from what it says: who says the same again gets
/// the same id.
pub fn new_id(kind: &NoteKind, title: Option<&str>, text: &str) -> String {
    id_of_contents(kind.word(), title.unwrap_or_default(), text)
}

impl Notebook {
    /// Whether a state home has notes, or ever had some: looks once.
    pub fn exists(home: &Path) -> bool {
        home.join("memory").exists()
    }

    /// How many bytes the database of a state home takes; none without one.
    pub fn database_bytes(home: &Path) -> u64 {
        fs::metadata(open::path_in(home)).map_or(0, |facts| facts.len())
    }

    /// Opens the notebook of a state home and brings it up to date.
    ///
    /// A damaged database is deleted and made anew from the log; `repaired`
    /// says so then. Where nothing can be written, all that the log says is
    /// read into memory, and writing is refused.
    pub fn open(home: &Path) -> Result<Self, MemoryError> {
        Self::open_within(home, LockPatience::Long)
    }

    /// The same for somebody with so much patience.
    pub fn open_within(home: &Path, patience: LockPatience) -> Result<Self, MemoryError> {
        Self::attempt_within(home, patience, |_| Ok(())).map(|((), notebook)| notebook)
    }

    fn open_as_it_is(home: &Path, patience: LockPatience) -> Result<Self, MemoryError> {
        match Self::open_beside_the_log(home, patience) {
            // What is there can be read: only what is made from it has no place.
            Err(_) if EventLog::new(home).is_read_only() => Self::open_in_memory(home),
            done => done,
        }
    }

    fn open_in_memory(home: &Path) -> Result<Self, MemoryError> {
        let (memory, patience) = (SearchIndex::open_nowhere(home)?, LockPatience::Long);
        let (log, gave_up) = (EventLog::new(home), Cell::new(false));
        let notebook = Self { memory, log, repaired: None, generated: 0, patience, gave_up };
        notebook.catch_up()?;
        Ok(notebook)
    }

    fn open_beside_the_log(home: &Path, patience: LockPatience) -> Result<Self, MemoryError> {
        let memory = SearchIndex::open_within(home, patience)?;
        let (log, gave_up) = (EventLog::new(home), Cell::new(false));
        let notebook = Self { memory, log, repaired: None, generated: 0, patience, gave_up };
        notebook.catch_up()?;
        if patience == LockPatience::Short {
            return Ok(notebook);
        }
        let generated = notebook.retire_generated()?;
        Ok(Self { generated, ..notebook })
    }

    /// What was wrong with the database, if it had to be made anew.
    pub fn repaired(&self) -> Option<&MemoryError> {
        self.repaired.as_ref()
    }

    /// What was wrong with the database, told once.
    pub(crate) fn take_repaired(&mut self) -> Option<MemoryError> {
        self.repaired.take()
    }

    /// How many notes that older versions generated were retired just now.
    pub fn retired_generated(&self) -> u32 {
        self.generated
    }

    /// Does a job, and does it again if the database turns out to be damaged or
    /// is not there any more, because another process found that out first.
    pub fn attempt<T>(
        home: &Path,
        job: impl Fn(&Self) -> Result<T, MemoryError>,
    ) -> Result<(T, Self), MemoryError> {
        Self::attempt_within(home, LockPatience::Long, job)
    }

    /// The same for somebody with so much patience.
    pub fn attempt_within<T>(
        home: &Path,
        patience: LockPatience,
        job: impl Fn(&Self) -> Result<T, MemoryError>,
    ) -> Result<(T, Self), MemoryError> {
        let mut repaired = None;
        let path = open::path_in(home);
        for turn in 1..TRIES {
            let found = open::file_id(&path);
            let done = Self::open_as_it_is(home, patience).and_then(|book| Ok((job(&book)?, book)));
            match done {
                Err(trouble) if trouble.is_passing() => {
                    // What does not pass by itself is what others left half done.
                    let is_left = turn % FEW == 0 && !trouble.is_moved();
                    // What others made anew meanwhile is not what was damaged.
                    let is_there = open::file_id(&path) == found;
                    if is_there && (trouble.is_damage() || is_left) {
                        let failed = |source| MemoryError::Io { path: path.clone(), source };
                        open::remove(&path).map_err(failed)?;
                        repaired = Some(trouble);
                    }
                }
                done => return done.map(|(answer, book)| (answer, Self { repaired, ..book })),
            }
        }
        let book = Self { repaired, ..Self::open_as_it_is(home, patience)? };
        Ok((job(&book)?, book))
    }

    /// Writes events to the log, all or none of them, and applies them. What
    /// must not be kept is cleaned out of their texts.
    pub fn write(&self, events: &[LogEvent]) -> Result<(), MemoryError> {
        let events: Vec<LogEvent> = events.iter().cloned().map(clean::event).collect();
        for event in &events {
            if let LogEventKind::Noted(note) = &event.what
                && let Some(refusal) = refusal(note)
            {
                return Err(MemoryError::Refused { id: note.id.clone(), refusal });
            }
        }
        self.append(events)
    }

    fn append(&self, events: Vec<LogEvent>) -> Result<(), MemoryError> {
        let applied = match self.patience {
            LockPatience::Short => {
                self.log.hand_in(&events)?;
                Ok(())
            }
            LockPatience::Long if events.len() > MANY => {
                let (from, end) = self.log.append_many(&events)?;
                let events = events.into_iter().map(|event| LogEntry::Event(Box::new(event)));
                // Where nobody wrote in between, they need not be read again.
                self.apply(from, LogPart { is_anew: false, entries: events.collect(), end })
            }
            LockPatience::Long => {
                self.log.append(&events)?;
                Ok(())
            }
        };
        match applied.and_then(|()| self.catch_up()) {
            // It is written; whoever opens the next database reads it.
            Err(passing) if passing.is_passing() => Ok(()),
            done => done,
        }
    }

    /// Reads what was added to the log since the last time.
    pub fn catch_up(&self) -> Result<(), MemoryError> {
        if self.gave_up.get() {
            return Ok(());
        }
        match self.read_all() {
            Err(MemoryError::Busy { .. }) if self.patience == LockPatience::Short => {
                self.gave_up.set(true);
                Ok(())
            }
            done => done,
        }
    }

    fn read_all(&self) -> Result<(), MemoryError> {
        // What cannot be taken in is, by whoever writes next.
        let _ = self.log.take_in();
        while self.read_one_file()? {}
        Ok(())
    }

    fn read_one_file(&self) -> Result<bool, MemoryError> {
        let from = self.memory.read(|tx| counters::position(tx))?;
        let part = self.log.read_file(from)?;
        part.map_or(Ok(false), |part| self.apply(from, part).map(|()| true))
    }

    /// Applies what stands in the log behind a place, unless somebody else has.
    fn apply(&self, from: LogPosition, part: LogPart) -> Result<(), MemoryError> {
        let large = part.entries.len() > MANY;
        let cache = large.then(|| LargeCache::new(&self.memory.connection));
        self.memory.write(|tx| {
            if counters::position(tx)? == from {
                if part.is_anew {
                    open::clear(tx, &open::NOTEBOOK)?;
                }
                tables::project(tx, &self.memory.ranking, part.entries)?;
                counters::set_position(tx, part.end)?;
            }
            Ok(())
        })?;
        drop(cache);
        if large {
            fold_log(&self.memory.connection);
        }
        Ok(())
    }

    /// The note with this id or external id.
    pub fn get(&self, name: &str) -> Result<Option<StoredNote>, MemoryError> {
        self.catch_up()?;
        let name = clean::name(name);
        self.memory.read(|tx| {
            let doc = notes::by_name(tx, &name)?;
            doc.map_or(Ok(None), |doc| notes::read(tx, doc))
        })
    }

    /// The id of a note that says this, and the note if it was said before, where a
    /// new one would have `id`: who gives it another title or kind still means the
    /// same note, and one that was edited says something else by now. What was
    /// imported tells what was said elsewhere, and what we wrote ourselves is known
    /// by its id alone.
    pub fn said_before(
        &self,
        id: &str,
        text: &str,
    ) -> Result<(String, Option<StoredNote>), MemoryError> {
        let is_it = |known: &StoredNote| known.retired.is_none() && known.note.text == text;
        let named = self.get(id)?;
        let same = match named.filter(is_it) {
            None => self.saying(text)?,
            named => named,
        };
        if let Some(same) = same {
            return Ok((same.note.id.clone(), Some(same)));
        }
        let mut id = id.to_owned();
        loop {
            match self.get(&id)? {
                Some(other) if other.note.text != text => id = note_id(&format!("{id} again")),
                known => return Ok((id, known)),
            }
        }
    }

    /// The note with this very text that holds and somebody here wrote, the user
    /// before agents.
    fn saying(&self, text: &str) -> Result<Option<StoredNote>, MemoryError> {
        self.memory.read(|tx| {
            let mut first = None;
            for doc in notes::saying(tx, text)? {
                match notes::read(tx, doc)?.filter(|known| known.note.text == text) {
                    Some(known) if known.actor == EventActor::User => return Ok(Some(known)),
                    Some(known) if known.actor == EventActor::Agent => {
                        first = first.or(Some(known));
                    }
                    Some(_) | None => {}
                }
            }
            Ok(first)
        })
    }

    /// The ids of notes that begin like this, a few of them: whoever means one
    /// need not write all of its id.
    pub fn beginning(&self, start: &str) -> Result<Vec<String>, MemoryError> {
        self.catch_up()?;
        self.memory.read(|tx| notes::beginning(tx, start))
    }

    /// Notes, the newest first.
    pub fn list(&self, selection: &NoteSelection) -> Result<Vec<StoredNote>, MemoryError> {
        self.catch_up()?;
        let limit = selection.limit.unwrap_or(usize::MAX);
        self.memory.read(|tx| {
            let found = selected(tx, selection)?.into_iter().take(limit);
            found.filter_map(|doc| notes::read(tx, doc).transpose()).collect()
        })
    }

    /// How many notes a list without a limit would have.
    pub fn count_of(&self, selection: &NoteSelection) -> Result<usize, MemoryError> {
        self.catch_up()?;
        self.memory.read(|tx| Ok(selected(tx, selection)?.len()))
    }

    /// The best notes for a query, best first; of equal ones the older.
    pub fn search(&self, query: &SearchQuery) -> Result<Vec<NoteHit>, MemoryError> {
        self.catch_up()?;
        self.memory.read(|tx| {
            let ranked = query::ranked(tx, &self.memory.ranking, query)?;
            let note = |RankedDocument { doc, score, telling }| {
                let known = notes::read(tx, doc)?.ok_or_else(|| {
                    StorageFault::Damaged(format!("the index names note {doc}, which is not there"))
                })?;
                Ok(NoteHit { known, score, telling })
            };
            ranked.into_iter().map(note).collect()
        })
    }

    /// The best groups for a query, best first.
    pub fn search_groups(&self, query: &SearchQuery) -> Result<Vec<GroupHit>, MemoryError> {
        self.catch_up()?;
        self.memory.read(|tx| query::group_hits(tx, &self.memory.ranking, query))
    }

    /// Makes the index as small and fast as it gets: worth it after a large
    /// import. Takes half a second for 100,000 notes.
    pub fn tidy(&self) -> Result<(), MemoryError> {
        self.memory.tidy()
    }

    /// What the notebook holds, in numbers.
    pub fn stats(&self) -> Result<NotebookStats, MemoryError> {
        self.catch_up()?;
        let (tallies, damaged) =
            self.memory.read(|tx| Ok((notes::counts(tx)?, turns::damage(tx)?)))?;
        let tally = |(kind, scope, [all, retired, verified]): (_, _, [u64; 3])| NoteTally {
            kind,
            scope,
            active: all.saturating_sub(retired),
            retired,
            verified,
        };
        Ok(NotebookStats {
            notes: tallies.into_iter().map(tally).collect(),
            log_bytes: self.log.size()?,
            database_bytes: fs::metadata(self.memory.path()).map_or(0, |facts| facts.len()),
            damaged,
        })
    }

    /// The lines of the log that nobody can read, file and byte. All of it is read
    /// anew: a line may have been damaged since it was taken in.
    pub fn damage(&self) -> Result<Vec<(PathBuf, u64)>, MemoryError> {
        let mut found = Vec::new();
        self.log.read(LogPosition::default(), |entry| {
            if let LogEntry::Damaged { path, offset } = entry {
                found.push((path.file_name().unwrap_or_default().into(), offset));
            }
        })?;
        Ok(found)
    }

    /// How many notes there are.
    pub fn count(&self) -> Result<u64, MemoryError> {
        self.catch_up()?;
        self.memory.count()
    }

    /// Empties the database.
    fn clear(&self) -> Result<(), MemoryError> {
        self.memory.write(|tx| open::clear(tx, &open::NOTEBOOK))?;
        fold_log(&self.memory.connection);
        Ok(())
    }
}

/// The documents that are selected, the newest first, whatever the limit.
fn selected(connection: &Connection, selection: &NoteSelection) -> Result<Vec<i64>, StorageFault> {
    let mut found = query::matching(connection, &selection.filters)?;
    if !selection.files.is_empty() {
        let mut about = HashSet::new();
        for file in &selection.files {
            about.extend(notes::of_file(connection, file)?);
        }
        found.retain(|doc| about.contains(doc));
    }
    Ok(found)
}

#[cfg(test)]
#[path = "notebook_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "notebook/ranking_tests.rs"]
mod ranking_tests;
