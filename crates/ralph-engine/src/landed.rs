//! Finds commits that the user made of a run's work.
//!
//! A run knows the commits of its own turns. Mostly the user commits
//! afterwards, and such a commit must be found by its content when it is
//! reverted. It touched files that the run changed, and left all of them as
//! they were when the run was proven.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ralph_core::{Timestamp, TreeId};
use ralph_memory::{AttemptQuery, Notebook, PastAttempt};
use ralph_snapshot::{CommitReader, GitCommit, ProjectLocation, TreeError, WorkTree};

/// Maximum number of attempts that are read: the latest.
const MOST: usize = 2000;

/// A run whose checks passed.
struct ProvenRun {
    run: String,
    /// The time of the pass.
    at: Timestamp,
    /// The files at that time.
    tree: TreeId,
    /// The files that it changed.
    files: BTreeSet<PathBuf>,
}

/// Returns the runs whose work was committed later and then reverted, each with
/// that commit. Unknown cases are left out.
pub fn taken_back(
    home: &Path,
    project: &ProjectLocation,
    tree: &WorkTree,
    reverted: &BTreeSet<String>,
) -> BTreeMap<String, String> {
    let nothing = reverted.is_empty() || !Notebook::exists(home);
    let look = || {
        let names: Vec<String> = reverted.iter().cloned().collect();
        let attempts = Notebook::open(home).ok()?;
        let query = AttemptQuery { limit: MOST, ..AttemptQuery::default() };
        let runs = proven(attempts.attempts(&query).ok()?);
        let mut found = BTreeMap::new();
        let read = CommitReader::of(project).ok()?.read(&names, |commit| {
            for run in runs.iter().filter(|run| run.is_landed_by(&commit, tree)) {
                found.insert(run.run.clone(), commit.id.clone());
            }
            Ok::<(), TreeError>(())
        });
        read.is_ok().then_some(found)
    };
    if nothing { BTreeMap::new() } else { look().unwrap_or_default() }
}

/// Returns the runs whose last attempt passed.
fn proven(attempts: Vec<PastAttempt>) -> Vec<ProvenRun> {
    let mut runs: BTreeMap<String, (BTreeSet<PathBuf>, PastAttempt)> = BTreeMap::new();
    for past in attempts {
        let Some(run) = past.place.run.clone() else { continue };
        let files: Vec<PathBuf> =
            past.tried.changes.iter().map(|trace| PathBuf::from(&trace.file)).collect();
        let known = runs.entry(run).or_insert_with(|| (BTreeSet::new(), past.clone()));
        known.0.extend(files);
        known.1 = past;
    }
    let passed = runs.into_iter().filter(|(_, (_, last))| last.tried.failures.is_empty());
    let proven = passed.filter_map(|(run, (files, last))| {
        let tree = TreeId::new(last.tried.tree?);
        Some(ProvenRun { run, at: last.at, tree, files })
    });
    proven.collect()
}

impl ProvenRun {
    fn is_landed_by(&self, commit: &GitCommit, work: &WorkTree) -> bool {
        // An earlier commit contains nothing of this run.
        let is_later = commit.at >= self.at.as_millis() / 1000;
        let touches = commit.files.iter().any(|file| self.files.contains(Path::new(file)));
        is_later && touches && self.is_in(commit, work)
    }

    /// Returns true if a commit contains all changes of the run as they were
    /// proven.
    fn is_in(&self, commit: &GitCommit, work: &WorkTree) -> bool {
        let Ok(Some(tree)) = work.tree_of(&commit.id) else { return false };
        if tree == self.tree {
            return true;
        }
        let changes = work.changes(&self.tree, &tree);
        changes.is_ok_and(|all| all.iter().all(|change| !self.files.contains(&change.path)))
    }
}
