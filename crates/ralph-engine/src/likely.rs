//! Predicts the files that a task will touch, from commits, code and notes.

mod names;

use std::collections::BTreeSet;
use std::path::Path;

use ralph_core::memory::notes;
use ralph_graph::ask::symbols::SymbolQuery;
use ralph_graph::{Index, IndexError, KnownCode};
use ralph_memory::analysis::TextAnalyzer;
use ralph_memory::event::EventActor;
use ralph_memory::history::{
    self, CommitHistory, FileQuery, LikelyFile, LikelyReason, PresentFile,
};
use ralph_memory::{MemoryError, NoteHit, Notebook, SearchQuery};
use ralph_snapshot::{CommitReader, GitCommit, NoCommits, ProjectLocation, TreeError, path_bytes};

use self::names::identifiers;

/// Maximum number of commits to learn from: the newest.
pub const COMMITS: usize = 10_000;

/// Number of commits that are written at once.
const BATCH: usize = 500;

/// Number of candidates per wanted file, because some tracked files may be
/// deleted.
const SPARE: usize = 2;

/// Maximum number of definitions of a name that still identifies a file.
const MOST_PLACES: usize = 8;

/// Weight of a definition that only resembles the name.
const ALIKE: f32 = 0.3;

/// Maximum number of notes in use, and weight of a file of the best one.
const NOTES: usize = 5;
const NOTE: f32 = 0.7;

/// Number of telling words that a note must share with its task; for a short
/// task the share of its words.
const FEWEST_WORDS: f64 = 1.2;
const FEWEST_SHARE: f64 = 0.3;

/// Weight of a word in quoted output of tests and changes. There are many of
/// them, and most mean nothing.
const QUOTED_WORD: f64 = 0.5;

/// The reason why no files can be predicted.
#[derive(Debug, thiserror::Error)]
pub enum FilePredictionError {
    /// There are no commits.
    #[error(transparent)]
    NoCommits(#[from] NoCommits),
    /// Git failed.
    #[error(transparent)]
    Git(#[from] TreeError),
    /// The stored commits or the notes cannot be used.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The index of the code cannot be used.
    #[error(transparent)]
    Code(#[from] IndexError),
}

/// The progress of a longer job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LearningProgress {
    /// Commits that were read.
    Commits {
        /// Number done.
        done: usize,
        /// Total number.
        total: usize,
    },
    /// Files of code that were read.
    Code {
        /// Number done.
        done: usize,
        /// Total number.
        total: usize,
    },
}

/// The result of learning from commits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LearningResult {
    /// The commit that is checked out; `None` before the first one.
    pub head: Option<String>,
    /// Number of known commits, without merges.
    pub commits: usize,
    /// Number of commits that were read just now.
    pub read: usize,
    /// True if the clone lacks older commits.
    pub is_shallow: bool,
}

/// A project and the place of its learned data.
#[derive(Clone, Copy, Debug)]
pub struct PredictionContext<'a> {
    /// The project.
    pub project: &'a ProjectLocation,
    /// Its state home.
    pub home: &'a Path,
    /// Maximum number of commits to learn from: the newest.
    pub commits: usize,
    /// The current time, in nanoseconds since 1970.
    pub now: i64,
}

impl PredictionContext<'_> {
    /// Reads the commits that were not read yet.
    pub fn learn(
        &self,
        progress: &mut dyn FnMut(LearningProgress),
    ) -> Result<LearningResult, FilePredictionError> {
        let commits = CommitReader::of(self.project)?;
        let mut history = CommitHistory::open(self.home)?;
        Ok(self.read_commits(&commits, &mut history, progress)?.0)
    }

    /// Returns the number of commits that were not read yet.
    pub(crate) fn unread(&self) -> Result<usize, FilePredictionError> {
        let commits = match CommitReader::of(self.project) {
            Ok(commits) => commits,
            Err(NoCommits::NoRepository { .. } | NoCommits::NoProgram | NoCommits::Foreign) => {
                return Ok(0);
            }
        };
        let Some(head) = commits.head()? else { return Ok(0) };
        if !CommitHistory::exists(self.home) {
            return Ok(self.commits);
        }
        let history = CommitHistory::open(self.home)?;
        if history.line(&head, self.commits)?.is_some() {
            return Ok(0);
        }
        Ok(history.unknown(&commits.line(&head, self.commits)?)?.len())
    }

    /// Reads the code and the commits that were not read yet.
    pub fn read_all(
        &self,
        progress: &mut dyn FnMut(LearningProgress),
    ) -> Result<LearningResult, FilePredictionError> {
        let mut index = Index::open(&self.project.root, self.home)?;
        index.update(self.now, &mut |it| {
            progress(LearningProgress::Code { done: it.done, total: it.total });
        })?;
        self.learn(progress)
    }

    /// Reads all commits again.
    pub fn learn_anew(
        &self,
        progress: &mut dyn FnMut(LearningProgress),
    ) -> Result<LearningResult, FilePredictionError> {
        // This check comes first: without commits nothing must be deleted.
        CommitReader::of(self.project)?;
        CommitHistory::open(self.home)?.clear()?;
        self.learn(progress)
    }

    /// Returns the commits that count now, newest first. All are read.
    fn read_commits(
        &self,
        commits: &CommitReader,
        history: &mut CommitHistory,
        progress: &mut dyn FnMut(LearningProgress),
    ) -> Result<(LearningResult, Vec<String>), FilePredictionError> {
        let is_shallow = commits.is_shallow();
        let Some(head) = commits.head()? else {
            return Ok((LearningResult { is_shallow, ..LearningResult::default() }, Vec::new()));
        };
        // A clone that is deepened later has more commits before the same head.
        let known = if is_shallow { None } else { history.line(&head, self.commits)? };
        if let Some(line) = known {
            let learned =
                LearningResult { head: Some(head), commits: line.len(), read: 0, is_shallow };
            return Ok((learned, line));
        }
        let line = commits.line(&head, self.commits)?;
        let unknown = history.unknown(&line)?;
        let total = unknown.len();
        let (mut done, mut batch) = (0, Vec::with_capacity(BATCH));
        commits.read(&unknown, |commit| -> Result<(), FilePredictionError> {
            batch.push(kept(commit));
            done += 1;
            if batch.len() == BATCH {
                history.add(std::mem::take(&mut batch))?;
                progress(LearningProgress::Commits { done, total });
            }
            Ok(())
        })?;
        history.add(batch)?;
        if !is_shallow {
            // This comes last: a stored line is not read again.
            history.set_line(&head, self.commits, &line)?;
        }
        let learned =
            LearningResult { head: Some(head), commits: line.len(), read: total, is_shallow };
        Ok((learned, line))
    }

    /// Returns the files that each task will probably touch, the likeliest
    /// first. Only existing files; without git from code and notes alone.
    pub fn likely(
        &self,
        tasks: &[String],
        limit: usize,
        progress: &mut dyn FnMut(LearningProgress),
    ) -> Result<Vec<Vec<LikelyFile>>, FilePredictionError> {
        let mut index = Index::open(&self.project.root, self.home)?;
        index.update(self.now, &mut |it| {
            progress(LearningProgress::Code { done: it.done, total: it.total });
        })?;
        self.likely_in(&index.code(self.now)?, tasks, limit, progress)
    }

    /// Does the same with an up-to-date index of the code.
    pub(crate) fn likely_in(
        &self,
        code: &KnownCode<'_>,
        tasks: &[String],
        limit: usize,
        progress: &mut dyn FnMut(LearningProgress),
    ) -> Result<Vec<Vec<LikelyFile>>, FilePredictionError> {
        let past = self.past(code, progress)?;
        let notebook =
            if Notebook::exists(self.home) { Some(Notebook::open(self.home)?) } else { None };
        let is_there = |it: &LikelyFile| self.project.root.join(&it.file).is_file();
        let mut answers = Vec::with_capacity(tasks.len());
        for task in tasks {
            let mut hints = named(code, task);
            if let Some(notebook) = &notebook {
                hints.extend(noted(notebook, task)?);
            }
            let text = task.clone();
            let question = FileQuery { text, limit: limit.saturating_mul(SPARE), hints };
            let found = past.likely(&question).into_iter().filter(is_there);
            answers.push(found.take(limit).collect());
        }
        Ok(answers)
    }

    fn past(
        &self,
        code: &KnownCode<'_>,
        progress: &mut dyn FnMut(LearningProgress),
    ) -> Result<history::CommitCorpus, FilePredictionError> {
        let of_code = || {
            code.names().map(|(path, names)| {
                let names = names.into_iter().map(str::to_owned).collect();
                PresentFile { path: path.to_owned(), names }
            })
        };
        let mut history = CommitHistory::open(self.home)?;
        let commits = match CommitReader::of(self.project) {
            Ok(commits) => commits,
            Err(NoCommits::NoRepository { .. } | NoCommits::NoProgram | NoCommits::Foreign) => {
                return Ok(history.past(&[], of_code().collect())?);
            }
        };
        let tracked = commits.tracked()?;
        let tracked = || {
            tracked.iter().map(|path| PresentFile {
                path: String::from_utf8_lossy(&path_bytes::to_bytes(path)).into_owned(),
                names: Vec::new(),
            })
        };
        // Files of the code come first and win.
        let files = || of_code().chain(tracked()).collect();
        let (_, line) = self.read_commits(&commits, &mut history, progress)?;
        match history.past(&line, files()) {
            Err(MemoryError::Damaged { .. }) => {
                history.clear()?;
                let (_, line) = self.read_commits(&commits, &mut history, progress)?;
                Ok(history.past(&line, files())?)
            }
            loaded => Ok(loaded?),
        }
    }
}

fn kept(commit: GitCommit) -> history::HistoryCommit {
    let GitCommit { id, at, subject, body, files, renames } = commit;
    history::HistoryCommit { id, at, subject, body, files, renames }
}

/// Returns the files that define names in a task.
fn named(code: &KnownCode<'_>, task: &str) -> Vec<(String, f32, LikelyReason)> {
    let mut hints = Vec::new();
    for name in identifiers(task) {
        let query = SymbolQuery { name: Some(name), limit: MOST_PLACES + 1, ..Default::default() };
        let found = code.symbols(&query).symbols;
        let last = name.rsplit([':', '.']).next().unwrap_or(name);
        let mut exact: Vec<_> = found.iter().filter(|it| it.name == last).collect();
        let (weight, places) = if exact.is_empty() {
            exact.extend(found.first());
            (ALIKE, 1.0)
        } else {
            (1.0, f32::from(u8::try_from(exact.len()).unwrap_or(u8::MAX)))
        };
        if exact.len() > MOST_PLACES {
            continue;
        }
        for symbol in exact {
            let reason = LikelyReason::Defines(symbol.full_name.clone());
            hints.push((symbol.path.clone(), weight / places.sqrt(), reason));
        }
    }
    hints
}

/// Returns the number of telling words that a note must share with a task.
pub(crate) fn least_words(task: &str) -> f64 {
    let words: BTreeSet<String> = TextAnalyzer::default().terms(task).into_iter().collect();
    // A larger number makes no difference.
    let count = f64::from(u8::try_from(words.len()).unwrap_or(u8::MAX));
    FEWEST_WORDS.min(FEWEST_SHARE * count)
}

/// Returns the number of telling words that a note shares with the query.
pub(crate) fn common_words(found: &NoteHit) -> f64 {
    match found.known.actor {
        EventActor::Ralph => QUOTED_WORD * found.telling,
        EventActor::User | EventActor::Agent | EventActor::Import => found.telling,
    }
}

/// Returns the files of notes that share words with a task.
fn noted(notebook: &Notebook, task: &str) -> Result<Vec<(String, f32, LikelyReason)>, MemoryError> {
    let query = SearchQuery { text: task.to_owned(), limit: NOTES, ..SearchQuery::default() };
    let mut found = notebook.search(&query)?;
    let least = least_words(task);
    found.retain(|it| common_words(it) >= least);
    let best = found.first().map_or(1.0, |it| it.score).max(f64::MIN_POSITIVE);
    let mut hints = Vec::new();
    for it in found {
        #[expect(clippy::cast_possible_truncation, reason = "a share from 0 to 1")]
        let share = (it.score / best) as f32;
        let note = it.known.note;
        let title = notes::as_data(note.title.as_deref().unwrap_or(&note.text));
        for file in note.files {
            let reason = LikelyReason::Note { id: note.id.clone(), title: title.clone() };
            hints.push((file, NOTE * share, reason));
        }
    }
    Ok(hints)
}
