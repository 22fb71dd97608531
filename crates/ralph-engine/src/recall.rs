//! Finds and ranks the notes that matter now, and renders them for the agent.
//!
//! Hooks, the driver and the command line all use it. Notes and code are
//! searched in parallel. Without any notes nothing is opened.

mod code;
mod gather;
mod past;
mod shelves;
mod timeline;

use std::collections::BTreeSet;
use std::path::PathBuf;

use ralph_core::Timestamp;
use ralph_core::locale::Locale;
use ralph_core::memory::hydration::{
    HydrationError, HydrationInput, HydrationSection, HydrationText, NoteCandidate, NoteCategory,
    PrefaceMode, hydrate,
};
use ralph_core::memory::sufficiency::{MentionedNames, Sufficiency, named};
use ralph_memory::event::{EventActor, EventContext, NoteScope, WorkPhase};
use ralph_memory::resume::{self, SessionAge, SummaryReader};
use ralph_memory::{LockPatience, MemoryError, NoteWriter, Notebooks, SessionRecord};

use code::CodeContext;
use gather::ResultLists;

/// The memory of a project, and the settings for showing it.
#[derive(Clone, Debug)]
pub struct NoteRecall {
    /// The state home of the project.
    pub home: PathBuf,
    /// The home of the notes for all projects of the user.
    pub user_home: PathBuf,
    /// The root of the project.
    pub root: PathBuf,
    /// Maximum number of tokens that are shown.
    pub tokens: usize,
    /// The language of the words around notes.
    pub locale: Locale,
    /// Time to wait for other writers of the memory, and whether there is time
    /// to read a project for the first time.
    pub patience: LockPatience,
}

/// A request for notes.
#[derive(Clone, Debug)]
pub struct NoteRequest {
    /// The phase of the agent's work.
    pub phase: WorkPhase,
    /// The part of the known notes.
    pub part: NotePortion,
    /// The agent's task.
    pub task: Option<String>,
    /// Files that it is about, from the root.
    pub files: Vec<String>,
    /// The state of the work, line by line.
    pub resume: Vec<String>,
    /// Notes that the agent has already seen.
    pub seen: Vec<String>,
    /// Number of tokens of those.
    pub spent: usize,
    /// The place of the agent: notes on trial are shown where they were
    /// written.
    pub place: EventContext,
    /// States whether the agent has read the introduction to notes.
    pub preface: PrefaceMode,
}

impl NoteRequest {
    /// Returns a request for everything that matters in a phase.
    pub fn new(phase: WorkPhase) -> Self {
        Self {
            phase,
            part: NotePortion::Whole,
            task: None,
            files: Vec::new(),
            resume: Vec::new(),
            seen: Vec::new(),
            spent: 0,
            place: EventContext { phase: Some(phase), ..EventContext::default() },
            preface: PrefaceMode::Written,
        }
    }
}

/// A part of the known notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotePortion {
    /// All notes.
    Whole,
    /// Notes that hold for every task.
    Standing,
    /// Notes that matter only for the task.
    Asked,
}

/// The result of a recall.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecallResult {
    /// The text to show; `None` if it is empty.
    pub shown: Option<HydrationText>,
    /// States whether enough is known to start; `None` without a task, and once
    /// the work has started.
    pub sufficiency: Option<Sufficiency>,
    /// True if code or commits were left out because they were not read yet.
    pub is_behind: bool,
    /// Number of generated notes of older versions that were just retired.
    pub retired_generated: u32,
    /// Those of the found notes that are the user's for all projects.
    global: BTreeSet<String>,
}

/// The results of the searches.
struct RecallSearch {
    lists: ResultLists,
    sight: CodeContext,
    /// The files that the request names.
    files: Vec<String>,
    conflicts: Vec<String>,
    timeline: Vec<String>,
    retired_generated: u32,
}

/// The reason why nothing can be recalled.
#[derive(Debug, thiserror::Error)]
pub enum RecallError {
    /// The notebook cannot be used.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The notes that must be shown do not fit.
    #[error(transparent)]
    Hydration(#[from] HydrationError),
}

impl RecallError {
    /// Returns the next step that helps, printed below the error.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Hydration(HydrationError::LongRules { .. }) => Some(
                "shorten what `ralph memory list --kind constitution` lists, or raise memory.tokens",
            ),
            Self::Memory(_) => None,
        }
    }
}

impl NoteRecall {
    /// Returns true if there are any notes. Checks one or two paths and opens
    /// nothing.
    pub fn has_anything(&self) -> bool {
        self.notebooks().exist()
    }

    /// Returns the notebooks of the project and of the user.
    pub fn notebooks(&self) -> Notebooks {
        Notebooks::new(&self.home, &self.user_home, self.patience)
    }

    /// Finds the notes that matter now.
    pub fn recall(
        &self,
        wanted: &NoteRequest,
        now: Timestamp,
    ) -> Result<RecallResult, RecallError> {
        let named = wanted.task.as_deref().map(named).unwrap_or_default();
        let found = self.search(wanted, &named, now)?;
        let RecallSearch { lists, sight, files, conflicts, timeline, retired_generated } = found;
        let is_asked = wanted.part != NotePortion::Standing && wanted.phase == WorkPhase::Think;
        let sufficiency = (is_asked && wanted.task.is_some())
            .then(|| Sufficiency::of(&named, sight.undefined.as_deref()));
        let global = lists.global();
        let mut notes = shelves::chosen(self, wanted, lists, now);
        notes.retain(|note| !wanted.seen.contains(&note.id));
        let mut material = HydrationInput {
            notes,
            resume: [wanted.resume.as_slice(), &conflicts].concat(),
            likely: sight.likely_lines(&files),
            code: sight.relations,
            timeline,
            preface: wanted.preface,
        };
        // In a loop there is no user to ask.
        let asked = sufficiency.as_ref().filter(|_| wanted.place.run.is_none());
        let question = asked.and_then(|found| found.question(self.locale));
        if material != (HydrationInput { preface: wanted.preface, ..HydrationInput::default() }) {
            material.resume.extend(question);
        }
        let tokens = self.tokens.saturating_sub(wanted.spent);
        let shown = hydrate(&material, tokens, self.locale)?;
        let is_behind = sight.is_behind;
        Ok(RecallResult { shown, sufficiency, is_behind, retired_generated, global })
    }

    /// Returns the patterns that should hold in the files, the best first, and
    /// contradictions of new notes.
    pub(crate) fn expected(
        &self,
        wanted: &NoteRequest,
        now: Timestamp,
    ) -> Result<(Vec<NoteCandidate>, Vec<String>), RecallError> {
        let books = self.notebooks();
        let lists = gather::search(&books, wanted, &MentionedNames::default())?;
        let mut notes = shelves::chosen(self, wanted, lists, now);
        notes.retain(|note| {
            note.shelf == NoteCategory::Invariant && !wanted.seen.contains(&note.id)
        });
        Ok((notes, past::conflicts(&books, &wanted.place, now, self.locale)?))
    }

    /// Returns the context for an agent that resumes a session: its state and
    /// last messages, or after a while all that matters for its task.
    pub fn resumed(
        &self,
        session: &SessionRecord,
        now: Timestamp,
    ) -> Result<RecallResult, RecallError> {
        let age = resume::age(session, now);
        let resume = self.standing(session, SummaryReader::Newcomer, age);
        match age {
            SessionAge::Recent => {
                let material = HydrationInput { resume, ..HydrationInput::default() };
                let shown = hydrate(&material, self.tokens, self.locale)?;
                let global = BTreeSet::new();
                let (sufficiency, is_behind, retired_generated) = (None, false, 0);
                Ok(RecallResult { shown, sufficiency, is_behind, retired_generated, global })
            }
            SessionAge::Old => {
                let wanted = NoteRequest {
                    task: session.task.clone(),
                    files: session.files.clone(),
                    resume,
                    place: session.place(),
                    ..NoteRequest::new(WorkPhase::Think)
                };
                self.recall(&wanted, now)
            }
        }
    }

    /// Returns the state of a session for a reader, line by line, as far as
    /// there is room.
    pub fn standing(
        &self,
        session: &SessionRecord,
        reader: SummaryReader,
        age: SessionAge,
    ) -> Vec<String> {
        let room = HydrationSection::Task.share(self.tokens);
        resume::told(session, (reader, age), room - room / 4, self.locale)
    }

    /// Searches notes and code, each in its own thread.
    fn search(
        &self,
        wanted: &NoteRequest,
        named: &MentionedNames,
        now: Timestamp,
    ) -> Result<RecallSearch, RecallError> {
        std::thread::scope(|scope| {
            let looks = shelves::wants_code(wanted);
            let sight = looks.then(|| scope.spawn(|| code::look(self, wanted, named, now)));
            let books = self.notebooks();
            let mut lists = gather::search(&books, wanted, named)?;
            let conflicts = match wanted.phase {
                WorkPhase::Verify => past::conflicts(&books, &wanted.place, now, self.locale)?,
                WorkPhase::Think | WorkPhase::Code | WorkPhase::Consolidate => Vec::new(),
            };
            // A search that failed counts as empty.
            let sight = sight.and_then(|sight| sight.join().ok().flatten()).unwrap_or_default();
            gather::about(&books, &sight.files, &sight.likely, &mut lists)?;
            let files = timeline::files(&self.root, wanted, named, &sight.files);
            let timeline = timeline::of(self, wanted, &files, now)?;
            let retired_generated = books.retired_generated();
            Ok(RecallSearch { lists, sight, files, conflicts, timeline, retired_generated })
        })
    }

    /// Records that notes were shown, and where.
    pub fn note_shown(
        &self,
        found: &RecallResult,
        place: &EventContext,
        now: Timestamp,
    ) -> Result<(), RecallError> {
        let Some(shown) = &found.shown else { return Ok(()) };
        let scope = |id: &String| {
            if found.global.contains(id) { NoteScope::Global } else { NoteScope::Project }
        };
        let ids = shown.ids().into_iter().map(|id| (scope(&id), id)).collect();
        let writer = NoteWriter { actor: EventActor::Ralph, place: place.clone(), at: now };
        Ok(self.notebooks().note_shown(ids, shown.tokens, &writer)?)
    }
}

#[cfg(test)]
#[path = "recall_tests.rs"]
mod tests;
