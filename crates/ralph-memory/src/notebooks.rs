//! The two notebooks that are read together: the project's, and the one of the user for
//! all projects.
//!
//! Commands, tools, hooks and the driver all use them through this type. The project's
//! notebook has to answer. If only the other one cannot be read, it is left out, and
//! [`Notebooks::take_remarks`] tells.

mod choice;

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use ralph_core::Timestamp;

pub use self::choice::{ChoiceError, NoteAddition, NoteChoice, NoteDraft};
use crate::clean;
use crate::error::MemoryError;
use crate::event::{EventActor, EventContext, LogEvent, LogEventKind, NoteContent, NoteScope};
use crate::log::EventLog;
use crate::notebook::{NoteHit, Notebook, StoredNote};
use crate::query::{GroupHit, SearchQuery};
use crate::store::open::LockPatience;
use crate::succession::{self, NoteSuccession, chosen_reason, contradicted};

/// Both notebooks.
pub const BOTH: [NoteScope; 2] = [NoteScope::Project, NoteScope::Global];

/// The notebooks of a project and of its user. Each is opened when it is needed first.
pub struct Notebooks {
    homes: [PathBuf; 2],
    patience: LockPatience,
    opened: [RefCell<Option<Rc<Notebook>>>; 2],
    remarks: RefCell<Vec<NotebookRemark>>,
}

/// An event that a user should hear of.
#[derive(Debug)]
pub enum NotebookRemark {
    /// A database was damaged like this, and was rebuilt.
    Repaired(MemoryError),
    /// This many notes that older versions generated were retired.
    RetiredGenerated(u32),
    /// The notes of this scope are left out, because they cannot be read.
    LeftOut(NoteScope, MemoryError),
}

/// The author of events: who, where and when.
#[derive(Debug, Clone)]
pub struct NoteWriter {
    /// Who writes.
    pub actor: EventActor,
    /// Where.
    pub place: EventContext,
    /// When.
    pub at: Timestamp,
}

impl NoteWriter {
    /// Makes the event of something that the author does.
    pub fn event(&self, what: LogEventKind) -> LogEvent {
        let Self { actor, place, at } = self;
        LogEvent { at: at.as_millis(), place: place.clone(), actor: *actor, what }
    }
}

impl Notebooks {
    /// Names the notebooks by their state homes; opens nothing.
    pub fn new(project: &Path, user: &Path, patience: LockPatience) -> Self {
        let homes = [project.to_owned(), user.to_owned()];
        Self {
            homes,
            patience,
            opened: [const { RefCell::new(None) }; 2],
            remarks: RefCell::default(),
        }
    }

    /// Returns the state home of a scope's notebook.
    pub fn home(&self, scope: NoteScope) -> &Path {
        &self.homes[place(scope)]
    }

    /// Returns true if there are any notes. Opens nothing.
    pub fn exist(&self) -> bool {
        self.homes.iter().any(|home| Notebook::exists(home))
    }

    /// Works on a notebook, and creates it if needed.
    pub fn with<T>(
        &self,
        scope: NoteScope,
        job: impl Fn(&Notebook) -> Result<T, MemoryError>,
    ) -> Result<T, MemoryError> {
        let opened = self.opened[place(scope)].borrow().clone();
        if let Some(book) = opened {
            match job(&book) {
                // Another process replaced the database since.
                Err(error) if error.is_passing() => {}
                done => return done,
            }
        }
        let (answer, mut book) = Notebook::attempt_within(self.home(scope), self.patience, job)?;
        let mut remarks = self.remarks.borrow_mut();
        remarks.extend(book.take_repaired().map(NotebookRemark::Repaired));
        let retired = book.retired_generated();
        remarks.extend((retired > 0).then_some(NotebookRemark::RetiredGenerated(retired)));
        *self.opened[place(scope)].borrow_mut() = Some(Rc::new(book));
        Ok(answer)
    }

    /// Reads from a notebook, if it exists. Reading creates nothing.
    pub fn ask<T>(
        &self,
        scope: NoteScope,
        job: impl Fn(&Notebook) -> Result<T, MemoryError>,
    ) -> Result<Option<T>, MemoryError> {
        if Notebook::exists(self.home(scope)) { self.with(scope, job).map(Some) } else { Ok(None) }
    }

    /// Reads from a notebook that only adds to the answer of the other one.
    pub fn beside<T>(
        &self,
        scope: NoteScope,
        job: impl Fn(&Notebook) -> Result<T, MemoryError>,
    ) -> Option<T> {
        self.ask(scope, job).unwrap_or_else(|error| {
            let mut remarks = self.remarks.borrow_mut();
            if !remarks.iter().any(|remark| matches!(remark, NotebookRemark::LeftOut(..))) {
                remarks.push(NotebookRemark::LeftOut(scope, error));
            }
            None
        })
    }

    /// Reads from the notebooks of these scopes that exist, in their order. The first
    /// has to answer.
    pub fn each<T>(
        &self,
        scopes: &[NoteScope],
        job: impl Fn(&Notebook) -> Result<T, MemoryError>,
    ) -> Result<Vec<(NoteScope, T)>, MemoryError> {
        let mut found = Vec::new();
        for (at, scope) in scopes.iter().enumerate() {
            let answer = if at == 0 { self.ask(*scope, &job)? } else { self.beside(*scope, &job) };
            found.extend(answer.map(|answer| (*scope, answer)));
        }
        Ok(found)
    }

    /// Finds all notes with an id: a note that was promoted is in two notebooks.
    pub fn find(&self, id: &str) -> Result<Vec<(NoteScope, StoredNote)>, MemoryError> {
        let own = self.ask(NoteScope::Project, |book| book.get(id))?.flatten();
        let job = |book: &Notebook| book.get(id);
        let global = match &own {
            Some(_) => self.beside(NoteScope::Global, job),
            None => self.ask(NoteScope::Global, job)?,
        };
        let found = [(NoteScope::Project, own), (NoteScope::Global, global.flatten())];
        Ok(found.into_iter().filter_map(|(scope, known)| Some((scope, known?))).collect())
    }

    /// Finds a note by its id. It prefers one that is not retired, then the project's.
    pub fn get(&self, id: &str) -> Result<Option<(NoteScope, StoredNote)>, MemoryError> {
        let mut found = self.find(id)?;
        let holds = found.iter().position(|(_, known)| known.retired.is_none());
        Ok((!found.is_empty()).then(|| found.swap_remove(holds.unwrap_or_default())))
    }

    /// Returns the ids that a name may mean: itself if it is one, else those that begin
    /// with it.
    pub fn meant(&self, name: &str) -> Result<Vec<String>, MemoryError> {
        let found = self.each(&BOTH, |book| match book.get(name)? {
            Some(_) => Ok(vec![name.to_owned()]),
            None => book.beginning(name),
        })?;
        let mut ids: Vec<String> = found.into_iter().flat_map(|(_, ids)| ids).collect();
        ids.sort_unstable();
        ids.dedup();
        if ids.iter().any(|id| id == name) { Ok(vec![name.to_owned()]) } else { Ok(ids) }
    }

    /// Finds the notes of these scopes that fit a query, the best first.
    pub fn search(
        &self,
        scopes: &[NoteScope],
        query: &SearchQuery,
    ) -> Result<Vec<NoteHit>, MemoryError> {
        let found = self.each(scopes, |book| book.search(query))?;
        let mut found: Vec<NoteHit> = found.into_iter().flat_map(|(_, found)| found).collect();
        // The sort is stable: the project's stay in front, and a larger limit only adds.
        found.sort_by(|one, other| other.score.total_cmp(&one.score));
        found.truncate(query.limit);
        Ok(found)
    }

    /// Finds the groups of these scopes that fit a query, the best first.
    pub fn search_groups(
        &self,
        scopes: &[NoteScope],
        query: &SearchQuery,
    ) -> Result<Vec<GroupHit>, MemoryError> {
        let found = self.each(scopes, |book| book.search_groups(query))?;
        let mut found: Vec<GroupHit> = found.into_iter().flat_map(|(_, found)| found).collect();
        found.sort_by(|one, other| other.score.total_cmp(&one.score));
        found.truncate(query.limit);
        Ok(found)
    }

    /// Finds the notes nearest to what a new one says, the best first.
    pub fn nearest(&self, note: &NoteContent) -> Result<Vec<StoredNote>, MemoryError> {
        let found = self.each(&BOTH, |book| succession::nearest(book, note))?;
        let mut near: Vec<NoteHit> = found.into_iter().flat_map(|(_, found)| found).collect();
        near.sort_by(|one, other| other.score.total_cmp(&one.score));
        Ok(near.into_iter().map(|found| found.known).collect())
    }

    /// Finds older notes that a note of the user replaces or contradicts. Notes of its
    /// own notebook may be replaced; those of the other one are only named.
    pub fn succession(&self, note: &NoteContent) -> Result<NoteSuccession, MemoryError> {
        let mut found = self.with(note.scope, |book| succession::succession(book, note))?;
        let elsewhere = BOTH[1 - place(note.scope)];
        let against = self.beside(elsewhere, |book| contradicted(book, note));
        found.against.extend(against.unwrap_or_default());
        // The user confirms the note, so the notes it names are replaced now.
        for old in &note.replaces {
            let known = self.with(note.scope, |book| book.get(old))?;
            if known.is_some_and(|known| known.retired.is_none()) {
                found.replaced.retain(|(id, _)| id != old);
                found.against.retain(|id| id != old);
                found.replaced.push((old.clone(), chosen_reason(EventActor::User, &note.text)));
            }
        }
        Ok(found)
    }

    /// Records what the writer did in a notebook, all or nothing.
    pub fn write(
        &self,
        scope: NoteScope,
        what: Vec<LogEventKind>,
        writer: &NoteWriter,
    ) -> Result<(), MemoryError> {
        let events: Vec<LogEvent> = what.into_iter().map(|what| writer.event(what)).collect();
        self.with(scope, |book| book.write(&events))
    }

    /// Records that an agent was shown notes, each in its notebook, without waiting.
    pub fn note_shown(
        &self,
        ids: Vec<(NoteScope, String)>,
        tokens: usize,
        writer: &NoteWriter,
    ) -> Result<(), MemoryError> {
        let tokens = u32::try_from(tokens).unwrap_or(u32::MAX);
        let (global, own): (Vec<_>, Vec<_>) =
            ids.into_iter().partition(|(scope, _)| *scope == NoteScope::Global);
        for (scope, ids) in [(NoteScope::Project, own), (NoteScope::Global, global)] {
            if !ids.is_empty() {
                let ids = ids.into_iter().map(|(_, id)| id).collect();
                let event = clean::event(writer.event(LogEventKind::Shown { ids, tokens }));
                EventLog::new(self.home(scope)).hand_in(&[event])?;
            }
        }
        Ok(())
    }

    /// Adds what a turn of a run taught to the project's log, without waiting. Notes of
    /// the user that the agent cited are credited in their own log.
    pub fn hand_in(&self, events: Vec<LogEvent>) -> Result<(), MemoryError> {
        let events: Vec<LogEvent> = events.into_iter().map(clean::event).collect();
        EventLog::new(self.home(NoteScope::Project)).hand_in(&events)?;
        Ok(EventLog::new(self.home(NoteScope::Global)).hand_in(&self.credited(events)?)?)
    }

    /// Returns those of a turn's events that concern cited notes of the user.
    fn credited(&self, events: Vec<LogEvent>) -> Result<Vec<LogEvent>, MemoryError> {
        let mut credited = Vec::new();
        let mut is_cited = false;
        for mut event in events {
            if let LogEventKind::Cited { ids } = &mut event.what {
                let cited = std::mem::take(ids);
                for id in cited {
                    if self.ask(NoteScope::Global, |book| book.get(&id))?.flatten().is_some() {
                        ids.push(id);
                    }
                }
                is_cited |= !ids.is_empty();
                credited.push(event);
            } else if matches!(event.what, LogEventKind::Checked { .. }) {
                credited.push(event);
            }
        }
        Ok(if is_cited { credited } else { Vec::new() })
    }

    /// Returns the number of generated notes of older versions that were just retired.
    pub fn retired_generated(&self) -> u32 {
        let retired = self.remarks.borrow();
        let retired = retired.iter().map(|remark| match remark {
            NotebookRemark::RetiredGenerated(count) => *count,
            NotebookRemark::Repaired(_) | NotebookRemark::LeftOut(..) => 0,
        });
        retired.sum()
    }

    /// Returns what a user should hear of, each once.
    pub fn take_remarks(&self) -> Vec<NotebookRemark> {
        self.remarks.take()
    }
}

const fn place(scope: NoteScope) -> usize {
    match scope {
        NoteScope::Task | NoteScope::Project => 0,
        NoteScope::Global => 1,
    }
}
