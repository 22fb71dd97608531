//! Gathers notes that may matter, by several searches.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ralph_checks::invariants::is_about;
use ralph_core::memory::rank::{RankedList, fuse};
use ralph_core::memory::sufficiency::MentionedNames;
use ralph_memory::event::{EventActor, NoteCheck, NoteKind, NoteScope, WorkPhase};
use ralph_memory::history::LikelyFile;
use ralph_memory::{
    BOTH, MemoryError, NoteHit, NoteSelection, Notebook, Notebooks, SearchFilters, SearchQuery,
    StoredNote,
};

use super::code::is_told;
use super::{NotePortion, NoteRequest};
use crate::likely::{common_words, least_words};

/// Maximum number of hits of a search by words.
const BY_WORDS: usize = 50;

/// Maximum number of notes by files.
const BY_FILES: usize = 30;

/// Maximum number of rules, which are short and few.
const RULES: usize = 200;

/// Maximum length of a task in a search, in bytes.
const LONGEST_TASK: usize = 4000;

/// Weight of a note about a file that was only guessed.
const GUESSED: f64 = 0.5;

/// Minimum score of a likely file whose failed attempts matter, compared with
/// the best.
const LIKELY_ENOUGH: f64 = 0.5;

/// Weight of a note whose check is about the files.
const BOUND: f64 = 2.0;

/// The results of several searches, each in its order.
#[derive(Default)]
pub(super) struct ResultLists {
    known: BTreeMap<String, StoredNote>,
    ranked: Vec<(f64, Vec<String>)>,
    /// The hits for words of the task, per notebook.
    hits: Vec<Vec<NoteHit>>,
    /// Number of telling words that those must have.
    least_words: f64,
    about_files: Vec<String>,
    /// Notes with a check, and whether it is about the files.
    checked: BTreeMap<String, CheckRelation>,
}

/// The relation of a note's check to the files of the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CheckRelation {
    Here,
    Elsewhere,
}

/// A note that was found.
pub(super) struct GatheredNote {
    pub(super) known: StoredNote,
    /// Its combined rank in the lists.
    pub(super) rank: f64,
    /// True if it is about a file that is to be changed.
    pub(super) is_about_files: bool,
    /// Its check by a gate, if it has one.
    pub(super) checked: Option<CheckRelation>,
}

/// Searches for the requested notes.
pub(super) fn search(
    books: &Notebooks,
    wanted: &NoteRequest,
    named: &MentionedNames,
) -> Result<ResultLists, MemoryError> {
    let found = books.each(&BOTH, |book| {
        let mut lists = ResultLists::default();
        if wanted.part != NotePortion::Asked {
            standing(book, &mut lists)?;
        }
        if wanted.part != NotePortion::Standing {
            asked(book, wanted, named, &mut lists)?;
        }
        if wanted.phase == WorkPhase::Verify {
            checked(book, wanted, &mut lists)?;
        }
        Ok(lists)
    })?;
    Ok(found.into_iter().fold(ResultLists::default(), |all, (_, lists)| all.joined(lists)))
}

/// Adds notes about files that the code led to, failures in likely files, and
/// hits for the task by words, or by words and a likely file.
pub(super) fn about(
    books: &Notebooks,
    files: &[String],
    likely: &[LikelyFile],
    lists: &mut ResultLists,
) -> Result<(), MemoryError> {
    let likeliest = likely.iter().filter(|it| it.score >= LIKELY_ENOUGH && is_told(it));
    let likeliest: Vec<String> = likeliest.map(|it| it.file.clone()).collect();
    let failed = [NoteKind::Approach, NoteKind::Failure];
    let found = books.each(&BOTH, |book| {
        Ok([of_files(book, files, &[])?, of_files(book, &likeliest, &failed)?])
    })?;
    for found in found.into_iter().flat_map(|(_, found)| found) {
        lists.add_about(GUESSED, found);
    }
    let least = lists.least_words;
    for hits in std::mem::take(&mut lists.hits) {
        let words = |hit: &NoteHit| common_words(hit) + about_likely(&hit.known, likely);
        let fits = |hit: &NoteHit| words(hit) >= least;
        lists.add(1.0, hits.into_iter().filter(fits).map(|hit| hit.known));
    }
    Ok(())
}

/// Returns the score of a note's likeliest file, from 0 to 1. It counts as much
/// as a telling word.
fn about_likely(known: &StoredNote, likely: &[LikelyFile]) -> f64 {
    let about = likely.iter().filter(|it| known.note.files.contains(&it.file));
    about.map(|it| it.score).fold(0.0, f64::max)
}

/// Adds the notes that hold for every task.
fn standing(book: &Notebook, lists: &mut ResultLists) -> Result<(), MemoryError> {
    let filters =
        SearchFilters { kinds: words(&[NoteKind::Constitution]), ..SearchFilters::default() };
    let rules =
        book.list(&NoteSelection { filters, limit: Some(RULES), ..NoteSelection::default() })?;
    lists.add(1.0, rules.into_iter().filter(|rule| rule.actor == EventActor::User));
    Ok(())
}

/// Adds the notes that match a task and its files.
fn asked(
    book: &Notebook,
    wanted: &NoteRequest,
    named: &MentionedNames,
    lists: &mut ResultLists,
) -> Result<(), MemoryError> {
    if let Some(task) = wanted.task.as_deref().filter(|task| !task.trim().is_empty()) {
        let text = task[..task.floor_char_boundary(LONGEST_TASK)].to_owned();
        lists.least_words = least_words(&text);
        lists.hits.push(book.search(&SearchQuery {
            text,
            limit: BY_WORDS,
            ..SearchQuery::default()
        })?);
    }
    let files = [wanted.files.as_slice(), &named.files].concat();
    lists.add_about(1.0, of_files(book, &files, &[])?);
    Ok(())
}

/// Adds the notes that a gate checks.
fn checked(
    book: &Notebook,
    wanted: &NoteRequest,
    lists: &mut ResultLists,
) -> Result<(), MemoryError> {
    let bound = book.invariants()?;
    let bound = bound.into_iter().filter(|(known, _)| known.note.scope != NoteScope::Task);
    let is_here = |check: &NoteCheck| match check {
        NoteCheck::Test(_) => true,
        NoteCheck::Rule(_) if wanted.files.is_empty() => true,
        NoteCheck::Rule(rules) => wanted.files.iter().any(|file| is_about(rules, Path::new(file))),
    };
    let mut here = Vec::new();
    for (known, check) in bound {
        let where_it_is =
            if is_here(&check) { CheckRelation::Here } else { CheckRelation::Elsewhere };
        lists.checked.insert(known.note.id.clone(), where_it_is);
        here.extend((where_it_is == CheckRelation::Here).then_some(known));
    }
    lists.add(BOUND, here);
    Ok(())
}

/// Returns notes about files, of these kinds; of all kinds if none is given.
fn of_files(
    book: &Notebook,
    files: &[String],
    kinds: &[NoteKind],
) -> Result<Vec<StoredNote>, MemoryError> {
    if files.is_empty() {
        return Ok(Vec::new());
    }
    let filters = SearchFilters { kinds: words(kinds), ..SearchFilters::default() };
    book.list(&NoteSelection { filters, files: files.to_vec(), limit: Some(BY_FILES) })
}

fn words(kinds: &[NoteKind]) -> Vec<String> {
    kinds.iter().map(|kind| kind.word().to_owned()).collect()
}

impl ResultLists {
    /// Joins the results of another notebook, behind these.
    fn joined(mut self, other: Self) -> Self {
        for (id, known) in other.known {
            self.known.entry(id).or_insert(known);
        }
        self.ranked.extend(other.ranked);
        self.hits.extend(other.hits);
        self.least_words = self.least_words.max(other.least_words);
        self.about_files.extend(other.about_files);
        self.checked.extend(other.checked);
        self
    }

    fn add(&mut self, weight: f64, found: impl IntoIterator<Item = StoredNote>) -> Vec<String> {
        let mut ids = Vec::new();
        for known in found {
            ids.push(known.note.id.clone());
            self.known.entry(known.note.id.clone()).or_insert(known);
        }
        self.ranked.push((weight, ids.clone()));
        ids
    }

    fn add_about(&mut self, weight: f64, found: Vec<StoredNote>) {
        // A note for all projects is about no file of this one.
        let here = found.into_iter().filter(|known| known.note.scope != NoteScope::Global);
        let ids = self.add(weight, here);
        self.about_files.extend(ids);
    }

    /// Returns the ids of notes for all projects of the user.
    pub(super) fn global(&self) -> BTreeSet<String> {
        let global = self.known.values().filter(|known| known.note.scope == NoteScope::Global);
        global.map(|known| known.note.id.clone()).collect()
    }

    /// Returns all found notes, in the order of their ids.
    pub(super) fn into_found(mut self) -> Vec<GatheredNote> {
        let ranked: Vec<RankedList<'_>> = self
            .ranked
            .iter()
            .map(|(weight, ids)| RankedList {
                weight: *weight,
                ids: ids.iter().map(String::as_str).collect(),
            })
            .collect();
        let fused = fuse(&ranked);
        let found = fused.into_iter().filter_map(|(id, rank)| {
            let known = self.known.remove(id)?;
            let is_about_files = self.about_files.iter().any(|about| about == id);
            let checked = self.checked.get(id).copied();
            Some(GatheredNote { known, rank, is_about_files, checked })
        });
        found.collect()
    }
}
