//! Commits and present files in memory, ready to be asked.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::message::{self, TermKey};
use super::stored::StoredCommit;
use super::weights::FileRankWeights;
use crate::analysis::TextAnalyzer;

/// A file that is there now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PresentFile {
    /// From the root, with slashes.
    pub path: String,
    /// The names of what it defines.
    pub names: Vec<String>,
}

/// From so many commits on, the words of definitions hardly count for the order, and
/// are only looked at in the files that are told.
const MANY_COMMITS: usize = 1_000;

/// The use of the names that files define.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NameUse {
    /// They count for the order.
    Scored,
    /// They are only told.
    Told,
}

/// Commits and present files in memory, ready to be asked.
pub struct CommitCorpus {
    pub(super) weights: FileRankWeights,
    /// Newest first.
    pub(super) commits: Vec<CorpusCommit>,
    /// By path.
    pub(super) files: Vec<CorpusFile>,
    /// The mean lengths of commits, of paths and of definitions.
    pub(super) mean: MeanLengths,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MeanLengths {
    pub(super) commit: f32,
    pub(super) path: f32,
    pub(super) names: f32,
}

/// A commit.
pub(super) struct CorpusCommit {
    pub(super) id: String,
    pub(super) at: i64,
    pub(super) subject: String,
    pub(super) fate: CommitFate,
    /// Each term with how much it counts, sorted.
    pub(super) terms: Vec<(TermKey, f32)>,
    pub(super) length: f32,
    /// How many files it touched.
    pub(super) touched: usize,
    /// Those of them that are there now, by number.
    pub(super) files: Vec<usize>,
}

/// Whether what a commit did is still done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CommitFate {
    Kept,
    /// A later one took it back.
    Reverted,
    /// It took back an earlier one.
    Reverts,
}

/// A present file.
pub(super) struct CorpusFile {
    pub(super) path: String,
    /// Its name in small letters, nothing but letters and digits.
    pub(super) squeezed: String,
    /// The names of what it defines.
    names: Vec<String>,
    /// How often each term is in its path, and in its definitions if they are scored.
    pub(super) terms: BTreeMap<TermKey, (f32, f32)>,
    pub(super) path_length: f32,
    pub(super) names_length: f32,
    /// The commits that touched it, newest first.
    pub(super) commits: Vec<usize>,
}

impl CommitCorpus {
    pub(super) fn new(commits: Vec<(String, StoredCommit)>, files: Vec<PresentFile>) -> Self {
        let weights = FileRankWeights::default();
        let mut analyzer = TextAnalyzer::default();
        let names = if commits.len() < MANY_COMMITS { NameUse::Scored } else { NameUse::Told };
        let mut files: Vec<CorpusFile> =
            files.into_iter().map(|file| CorpusFile::new(&mut analyzer, file, names)).collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files.dedup_by(|a, b| a.path == b.path);
        let commits = CorpusBuilder::new(&files).read(commits);
        for (number, commit) in commits.iter().enumerate() {
            for file in &commit.files {
                files[*file].commits.push(number);
            }
        }
        let mean = MeanLengths {
            commit: mean(commits.iter().map(|it| it.length)),
            path: mean(files.iter().map(|it| it.path_length)),
            names: mean(files.iter().map(|it| it.names_length)),
        };
        Self { weights, commits, files, mean }
    }

    /// How many commits there are.
    pub fn commits(&self) -> usize {
        self.commits.len()
    }
}

fn mean(lengths: impl ExactSizeIterator<Item = f32>) -> f32 {
    #[expect(clippy::cast_precision_loss, reason = "a mean need not be exact")]
    let count = lengths.len().max(1) as f32;
    lengths.sum::<f32>() / count
}

impl CorpusFile {
    fn new(analyzer: &mut TextAnalyzer, file: PresentFile, names: NameUse) -> Self {
        let mut terms: BTreeMap<TermKey, (f32, f32)> = BTreeMap::new();
        let (mut path_length, mut names_length) = (0.0, 0.0);
        for key in message::terms(analyzer, &file.path) {
            terms.entry(key).or_default().0 += 1.0;
            path_length += 1.0;
        }
        let name = file.path.rsplit('/').next().unwrap_or_default();
        if name.len() < file.path.len() {
            // People name a file without its folders.
            terms.entry(TermKey::of(&name.to_lowercase())).or_default().0 += 1.0;
        }
        let scored = if names == NameUse::Scored { file.names.as_slice() } else { &[] };
        for name in scored {
            for key in message::terms(analyzer, name) {
                terms.entry(key).or_default().1 += 1.0;
                names_length += 1.0;
            }
        }
        let letters = name.chars().filter(|it| it.is_alphanumeric());
        let squeezed = letters.flat_map(char::to_lowercase).collect();
        let (path, names, commits) = (file.path, file.names, Vec::new());
        Self { path, squeezed, names, terms, path_length, names_length, commits }
    }

    /// Returns all terms of its path and its definitions.
    pub(super) fn keys(&self, analyzer: &mut TextAnalyzer) -> BTreeSet<TermKey> {
        let defined = self.names.iter().flat_map(|name| message::terms(analyzer, name));
        self.terms.keys().copied().chain(defined).collect()
    }
}

/// Turns what was kept of commits into what is asked.
struct CorpusBuilder<'a> {
    numbers: HashMap<&'a str, usize>,
    /// What an old path is called now.
    moved: HashMap<String, String>,
    /// Names of commits that were taken back, or their beginnings.
    reverted: BTreeSet<String>,
}

impl<'a> CorpusBuilder<'a> {
    fn new(files: &'a [CorpusFile]) -> Self {
        let numbers = files.iter().enumerate().map(|(number, it)| (it.path.as_str(), number));
        Self { numbers: numbers.collect(), moved: HashMap::new(), reverted: BTreeSet::new() }
    }

    /// From the newest to the oldest, because a rename counts for what was
    /// before it.
    fn read(mut self, commits: Vec<(String, StoredCommit)>) -> Vec<CorpusCommit> {
        commits.into_iter().map(|(id, stored)| self.commit(id, stored)).collect()
    }

    fn commit(&mut self, id: String, stored: StoredCommit) -> CorpusCommit {
        let fate = self.fate(&id, stored.takes_back);
        let terms = stored.terms;
        let mut files: Vec<usize> =
            stored.files.iter().filter_map(|path| self.present(path)).collect();
        files.sort_unstable();
        files.dedup();
        for (old, new) in stored.renames {
            let now = self.moved.get(&new).cloned().unwrap_or(new);
            self.moved.insert(old, now);
        }
        let (at, subject, touched) = (stored.at, stored.subject, stored.files.len());
        let length = terms.iter().map(|(_, count)| count).sum();
        CorpusCommit { id, at, subject, fate, terms, length, touched, files }
    }

    fn present(&self, path: &str) -> Option<usize> {
        let now = self.moved.get(path).map_or(path, String::as_str);
        self.numbers.get(now).copied()
    }

    fn fate(&mut self, id: &str, takes_back: Option<String>) -> CommitFate {
        // The longest beginning of the name that is known sorts right before.
        let before = self.reverted.range(..=id.to_owned()).next_back();
        let is_reverted = before.is_some_and(|name| id.starts_with(name.as_str()));
        match takes_back {
            // What took back a revert does what was reverted first.
            _ if is_reverted => CommitFate::Reverted,
            Some(name) => {
                self.reverted.insert(name);
                CommitFate::Reverts
            }
            None => CommitFate::Kept,
        }
    }
}
