//! What is remembered that matters now: searched for, judged, and written as
//! the agent will read it.
//!
//! Hooks, the driver and the command line all ask here. Notes and code are
//! searched at the same time. Where nothing is remembered nothing is opened.

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
    Candidate, Hydration, HydrationError, Material, Preface, Section, Shelf, hydrate,
};
use ralph_core::memory::sufficiency::{Named, Sufficiency, named};
use ralph_memory::event::{Actor, Event, Phase, Place, What};
use ralph_memory::log::Log;
use ralph_memory::resume::{self, Age, Reader};
use ralph_memory::{MemoryError, Notebook, Patience, Session};

use code::Sight;
use gather::{Books, Lists};

/// The memory of a project, and how it is shown.
#[derive(Clone, Debug)]
pub struct Recall {
    /// The state home of the project.
    pub home: PathBuf,
    /// The home of what is remembered for all projects of the user.
    pub user_home: PathBuf,
    /// The root of the project.
    pub root: PathBuf,
    /// How many tokens may be shown.
    pub tokens: usize,
    /// The language of the words around notes.
    pub locale: Locale,
    /// How long others who write to the memory can be waited for, and whether
    /// there is time to read a project for the first time.
    pub patience: Patience,
}

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// What the agent is about.
    pub phase: Phase,
    /// How much of what is known.
    pub part: Part,
    /// What the agent is to do.
    pub task: Option<String>,
    /// Files that it is about, from the root.
    pub files: Vec<String>,
    /// Where the work stands.
    pub resume: Vec<String>,
    /// Notes that the agent has seen already.
    pub seen: Vec<String>,
    /// Tokens that those took.
    pub spent: usize,
    /// Where the agent is: notes on trial are shown where they were written.
    pub place: Place,
    /// Whether the agent has read what notes are.
    pub preface: Preface,
}

impl Wanted {
    /// Everything that matters in a phase.
    pub fn new(phase: Phase) -> Self {
        Self {
            phase,
            part: Part::Whole,
            task: None,
            files: Vec::new(),
            resume: Vec::new(),
            seen: Vec::new(),
            spent: 0,
            place: Place { phase: Some(phase), ..Place::default() },
            preface: Preface::Written,
        }
    }
}

/// Which part of what is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    Whole,
    /// What holds whatever the task is.
    Standing,
    /// What only the task makes matter.
    Asked,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recalled {
    /// What is shown; `None` if there is nothing to say.
    pub shown: Option<Hydration>,
    /// Whether enough is known to begin; `None` without a task, and once the
    /// work has begun.
    pub sufficiency: Option<Sufficiency>,
    /// Whether code or commits were left out because they were not read yet.
    pub is_behind: bool,
    /// How many notes that older versions generated were retired just now.
    pub retired_generated: u32,
    /// Which of the notes that were found are the user's for all projects.
    global: BTreeSet<String>,
}

/// What was searched for and found.
struct Search {
    lists: Lists,
    sight: Sight,
    /// The files that are named.
    files: Vec<String>,
    conflicts: Vec<String>,
    timeline: Vec<String>,
    retired_generated: u32,
}

/// Why nothing can be recalled.
#[derive(Debug, thiserror::Error)]
pub enum RecallError {
    /// The notebook cannot be used.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// What must be shown does not fit.
    #[error(transparent)]
    Hydration(#[from] HydrationError),
}

impl RecallError {
    /// What helps, printed below the error.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Hydration(HydrationError::LongRules { .. }) => Some(
                "shorten what `ralph memory list --kind constitution` lists, or raise memory.tokens",
            ),
            Self::Memory(_) => None,
        }
    }
}

impl Recall {
    /// Whether anything was ever remembered. Looks once or twice and opens
    /// nothing.
    pub fn has_anything(&self) -> bool {
        Notebook::exists(&self.home) || Notebook::exists(&self.user_home)
    }

    /// Finds what matters now.
    pub fn recall(&self, wanted: &Wanted, now: Timestamp) -> Result<Recalled, RecallError> {
        let named = wanted.task.as_deref().map(named).unwrap_or_default();
        let found = self.search(wanted, &named, now)?;
        let Search { lists, sight, files, conflicts, timeline, retired_generated } = found;
        let is_asked = wanted.part != Part::Standing && wanted.phase == Phase::Think;
        let sufficiency = (is_asked && wanted.task.is_some())
            .then(|| Sufficiency::of(&named, sight.undefined.as_deref()));
        let global = lists.global();
        let mut notes = shelves::chosen(self, wanted, lists, now);
        notes.retain(|note| !wanted.seen.contains(&note.id));
        let mut material = Material {
            notes,
            resume: [wanted.resume.as_slice(), &conflicts].concat(),
            likely: sight.likely_lines(&files),
            code: sight.relations,
            timeline,
            preface: wanted.preface,
        };
        // In a loop there is no user to be asked.
        let asked = sufficiency.as_ref().filter(|_| wanted.place.run.is_none());
        let question = asked.and_then(|found| found.question(self.locale));
        if material != (Material { preface: wanted.preface, ..Material::default() }) {
            material.resume.extend(question);
        }
        let tokens = self.tokens.saturating_sub(wanted.spent);
        let shown = hydrate(&material, tokens, self.locale)?;
        let is_behind = sight.is_behind;
        Ok(Recalled { shown, sufficiency, is_behind, retired_generated, global })
    }

    /// Patterns that can be expected to hold in the files, the best first, and
    /// what new notes contradict.
    pub(crate) fn expected(
        &self,
        wanted: &Wanted,
        now: Timestamp,
    ) -> Result<(Vec<Candidate>, Vec<String>), RecallError> {
        let books = Books::open(self)?;
        let lists = books.search(wanted, &Named::default())?;
        let mut notes = shelves::chosen(self, wanted, lists, now);
        notes.retain(|note| note.shelf == Shelf::Invariant && !wanted.seen.contains(&note.id));
        Ok((notes, past::conflicts(&books, &wanted.place, (now, self.locale))?))
    }

    /// What whoever goes on with a session reads: where it stands and what was
    /// said last, or after a while all that matters for its task.
    pub fn resumed(&self, session: &Session, now: Timestamp) -> Result<Recalled, RecallError> {
        let age = resume::age(session, now);
        let resume = self.standing(session, (Reader::Newcomer, age));
        match age {
            Age::Recent => {
                let material = Material { resume, ..Material::default() };
                let shown = hydrate(&material, self.tokens, self.locale)?;
                let global = BTreeSet::new();
                let (sufficiency, is_behind, retired_generated) = (None, false, 0);
                Ok(Recalled { shown, sufficiency, is_behind, retired_generated, global })
            }
            Age::Old => {
                let wanted = Wanted {
                    task: session.task.clone(),
                    files: session.files.clone(),
                    resume,
                    place: session.place(),
                    ..Wanted::new(Phase::Think)
                };
                self.recall(&wanted, now)
            }
        }
    }

    /// What is told of a session to a reader, line by line, in the room that
    /// there is for it.
    pub fn standing(&self, session: &Session, to: (Reader, Age)) -> Vec<String> {
        let room = Section::Task.share(self.tokens);
        resume::told(session, to, room - room / 4, self.locale)
    }

    /// Searches notes and code, each in its own thread.
    fn search(
        &self,
        wanted: &Wanted,
        named: &Named,
        now: Timestamp,
    ) -> Result<Search, RecallError> {
        std::thread::scope(|scope| {
            let looks = shelves::wants_code(wanted);
            let sight = looks.then(|| scope.spawn(|| code::look(self, wanted, named, now)));
            let books = Books::open(self)?;
            let mut lists = books.search(wanted, named)?;
            let conflicts = match wanted.phase {
                Phase::Verify => past::conflicts(&books, &wanted.place, (now, self.locale))?,
                Phase::Think | Phase::Code | Phase::Consolidate => Vec::new(),
            };
            // A search that broke off is one that found nothing.
            let sight = sight.and_then(|sight| sight.join().ok().flatten()).unwrap_or_default();
            books.about(&sight.files, &sight.likely, &mut lists)?;
            let files = timeline::files(&self.root, wanted, named, &sight.files);
            let timeline = timeline::of(self, wanted, &files, now)?;
            let retired_generated = books.0.iter().map(Notebook::retired_generated).sum();
            Ok(Search { lists, sight, files, conflicts, timeline, retired_generated })
        })
    }

    /// Puts on record that notes were shown, and where.
    pub fn note_shown(
        &self,
        found: &Recalled,
        place: &Place,
        now: Timestamp,
    ) -> Result<(), RecallError> {
        let Some(shown) = &found.shown else { return Ok(()) };
        let (global, own) = shown.ids().into_iter().partition(|id| found.global.contains(id));
        let tokens = u32::try_from(shown.tokens).unwrap_or(u32::MAX);
        let homes: [(&PathBuf, Vec<String>); 2] = [(&self.home, own), (&self.user_home, global)];
        for (home, ids) in homes.into_iter().filter(|(_, ids)| !ids.is_empty()) {
            let what = What::Shown { ids, tokens };
            let at = now.as_millis();
            let event = Event { at, place: place.clone(), actor: Actor::Ralph, what };
            Log::new(home).hand_in(&[event]).map_err(MemoryError::from)?;
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "recall_tests.rs"]
mod tests;
