use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ralph_core::{RunId, Timestamp};

use crate::aside::{self, CompareContext};
use crate::disk::WorkTreeDisk;
use crate::error::TreeError;
use crate::ignored_then::{self, PastIgnoreRules};
use crate::journal::UndoneRollbacks;
use crate::keeper::ContentKeeper;
use crate::label::SnapshotLabel;
use crate::plan::{PlanInputs, RollbackPlan, UntouchedFile};
use crate::probe;
use crate::scope::TreeScope;
use crate::snapshot::{ItemKind, PathDifference, RecordedTree, Snapshot, SnapshotPlace, TreeItem};
use crate::work_tree::{ChangeKind, TreeChange, WorkTree};

/// An error while taking a snapshot or rolling back.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// The files or the store could not be used.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The run has no such snapshot.
    #[error("run {run} has no snapshot {label}")]
    Unknown {
        /// The run.
        run: RunId,
        /// The requested snapshot.
        label: SnapshotLabel,
    },
    /// One is in the repository, the other in our state folder.
    #[error("snapshots {} and {} are kept in different places", labels[0], labels[1])]
    Apart {
        /// The two snapshots.
        labels: [SnapshotLabel; 2],
    },
    /// It is in the repository, which is not writable now.
    #[error("snapshot {label} is kept in the repository, which takes no files now")]
    Closed {
        /// The snapshot.
        label: SnapshotLabel,
    },
    /// There is no rollback to undo.
    #[error("run {run} has no rollback that could be undone")]
    NothingToUndo {
        /// The run.
        run: RunId,
    },
    /// Files changed between the plan and its execution. Nothing was done.
    #[error("files changed after the rollback was planned")]
    PlanOutdated,
    /// A rollback was interrupted and must be completed first.
    #[error("a rollback of run {run} to {to} was interrupted and is not complete")]
    Pending {
        /// The run it belongs to.
        run: RunId,
        /// The snapshot it goes to.
        to: SnapshotLabel,
    },
}

impl SnapshotError {
    /// Returns the next step for the user, printed below the error as `hint:`.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Unknown { .. } => Some("`ralph snapshots` lists what there is".into()),
            Self::Pending { run, .. } => Some(format!("`ralph rollback {run}` completes it")),
            Self::PlanOutdated => Some("try again once nothing writes there any more".into()),
            Self::Closed { .. } => Some("make the folder `objects` in `.git` writable".into()),
            Self::NothingToUndo { run } => {
                Some(format!("`ralph rollback {run}` takes it back, also once more"))
            }
            Self::Tree(_) | Self::Apart { .. } => None,
        }
    }
}

/// The snapshots of one run.
#[derive(Debug)]
pub struct Snapshots<'a> {
    pub(crate) tree: &'a WorkTree,
    pub(crate) run: RunId,
    /// Time of the run's last work.
    worked_until: Option<Timestamp>,
}

impl<'a> Snapshots<'a> {
    /// Opens the snapshots of `run`, which belongs to this work tree.
    pub fn new(tree: &'a WorkTree, run: RunId) -> Self {
        Self { tree, run, worked_until: None }
    }

    /// Sets the time of the run's last work. Empty folders made until then are
    /// the run's own, and a rollback removes them.
    #[must_use]
    pub fn worked_until(self, moment: Timestamp) -> Self {
        Self { worked_until: Some(moment), ..self }
    }

    /// Returns the empty folders that the run made after `to`.
    fn made_since(&self, to: &Snapshot) -> Vec<PathBuf> {
        let Some(until) = self.worked_until else { return Vec::new() };
        let span = to.at.as_millis() + 1..=until.as_millis();
        let mut made = aside::made_in(self.tree.root(), &span, &self.tree.scope.left_out);
        made.retain(|folder| !to.folders.contains(folder));
        made
    }

    /// Returns the keeper that stores this snapshot.
    pub(crate) fn keeper_of(&self, snapshot: &Snapshot) -> &'a dyn ContentKeeper {
        let other = self.tree.other_keeper().filter(|_| !self.tree.keeps_at(&snapshot.place));
        other.unwrap_or_else(|| self.tree.keeper())
    }

    /// Records the present files under `label`; replaces an older snapshot of
    /// that label.
    ///
    /// It holds all tracked files, and untracked ones that are not ignored,
    /// modified by [`WorkTree::include_ignored`], [`WorkTree::leave_out`] and
    /// [`WorkTree::limit_size`]. The user's index, `HEAD`, branches, stash and
    /// reflog are untouched, no hook runs and nothing is signed.
    pub fn take(&self, label: SnapshotLabel, now: Timestamp) -> Result<Snapshot, SnapshotError> {
        let base = if let SnapshotLabel::Start = label {
            None
        } else {
            self.tree.keeper().base(&self.run)?
        };
        let (keeper, handle) = (self.tree.keeper(), self.tree.handle());
        let present = handle.settle(keeper.record(&self.tree.scope, base.as_ref(), now))?;
        handle.check()?;
        Ok(handle.settle(keeper.keep(&self.run, label, &present, base.as_ref()))?)
    }

    /// Records the files under `label` as [`Self::take`] does, for a caller who
    /// knows that only `paths` differ from the last snapshot of the run. Other
    /// changes are not recorded.
    ///
    /// In git that takes the same time however large the work tree is, unless
    /// git converts files or `paths` contains ignore rules. In those cases, and
    /// outside git, all files are checked. A new file that is ignored counts as
    /// untracked. Relative paths begin at the root.
    pub fn take_known(
        &self,
        label: SnapshotLabel,
        paths: &[PathBuf],
        now: Timestamp,
    ) -> Result<Snapshot, SnapshotError> {
        let Some(base) = self.tree.keeper().base(&self.run)? else { return self.take(label, now) };
        match self.tree.keeper().record_known(&self.tree.scope, &base, paths, now)? {
            Some(present) => {
                Ok(self.tree.keeper().keep(&self.run, label, &present, Some(&base))?)
            }
            None => self.take(label, now),
        }
    }

    /// Returns true if only permissions or folders without a file differ from
    /// this snapshot.
    pub fn differs_aside(&self, snapshot: &Snapshot) -> bool {
        !aside::is_as_listed(self.tree.root(), snapshot)
    }

    /// Returns all snapshots of the run, ordered by label.
    pub fn list(&self) -> Result<Vec<Snapshot>, SnapshotError> {
        let mut all = self.tree.keeper().list(&self.run)?;
        // Snapshots in an unreadable repository are left out.
        let others = self.tree.other_keeper().and_then(|keeper| keeper.list(&self.run).ok());
        let is_new = |snapshot: &Snapshot| !all.iter().any(|known| known.label == snapshot.label);
        let others: Vec<_> = others.into_iter().flatten().filter(is_new).collect();
        all.extend(others);
        all.sort_by_key(|snapshot| snapshot.label);
        Ok(all)
    }

    fn differences(
        &self,
        from: &Snapshot,
        to: &Snapshot,
    ) -> Result<Vec<PathDifference>, SnapshotError> {
        if !from.is_beside(to) {
            return Err(SnapshotError::Apart { labels: [from.label, to.label] });
        }
        Ok(self.keeper_of(to).differences(&from.version(), &to.version())?)
    }

    /// Returns the snapshot with this label.
    pub fn get(&self, label: SnapshotLabel) -> Result<Snapshot, SnapshotError> {
        let found = self.list()?.into_iter().find(|snapshot| snapshot.label == label);
        found.ok_or_else(|| SnapshotError::Unknown { run: self.run.clone(), label })
    }

    /// Lists the files that differ between two snapshots, in contents or
    /// permissions, ordered by path.
    pub fn changes(
        &self,
        from: &Snapshot,
        to: &Snapshot,
    ) -> Result<Vec<TreeChange>, SnapshotError> {
        let differences = self.differences(from, to)?;
        let change = |difference: PathDifference| {
            let kind = match (difference.from, difference.to) {
                (None, Some(_) | None) => ChangeKind::Added,
                (Some(_), None) => ChangeKind::Removed,
                (Some(_), Some(_)) => ChangeKind::Modified,
            };
            TreeChange { path: difference.path, kind }
        };
        let mut changes: Vec<_> = differences.into_iter().map(change).collect();
        let known: BTreeSet<_> = changes.iter().map(|change| change.path.clone()).collect();
        let modes = from.modes.differing(&to.modes).filter(|path| !known.contains(*path));
        let modes = modes.map(|path| TreeChange { path: path.clone(), kind: ChangeKind::Modified });
        changes.extend(modes);
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(changes)
    }

    /// Copies the files that differ between two snapshots into two empty
    /// folders, one for each side. Nested repositories are skipped.
    pub fn copy_out(
        &self,
        from: &Snapshot,
        from_folder: &Path,
        to: &Snapshot,
        to_folder: &Path,
    ) -> Result<(), SnapshotError> {
        let differences = self.differences(from, to)?;
        let before = differences.iter().map(|found| (&found.path, found.from.as_ref()));
        let after = differences.iter().map(|found| (&found.path, found.to.as_ref()));
        self.lay_out(from_folder, from, before)?;
        self.lay_out(to_folder, to, after)
    }

    fn lay_out<'b>(
        &self,
        root: &Path,
        snapshot: &Snapshot,
        files: impl Iterator<Item = (&'b PathBuf, Option<&'b TreeItem>)>,
    ) -> Result<(), SnapshotError> {
        let disk = WorkTreeDisk { root };
        let wanted: Vec<_> = files
            .filter_map(|(path, item)| Some((path, item?)))
            .filter(|(_, item)| item.kind != ItemKind::Opaque)
            .collect();
        let items: Vec<&TreeItem> = wanted.iter().map(|(_, item)| *item).collect();
        let put = &mut |position: usize, contents: &mut dyn std::io::Read| {
            let (path, item) = wanted[position];
            let mode = snapshot.modes.of(path, item.kind);
            disk.put(path, item.kind, mode, contents).map(|_| ())
        };
        Ok(self.keeper_of(snapshot).read(&items, put)?)
    }

    /// Plans a return to `to`.
    ///
    /// `last` is the run's last snapshot; later differences were made by
    /// someone else. A non-empty `only` limits the plan to files at or below
    /// those paths, relative to the root.
    pub fn plan(
        &self,
        to: &Snapshot,
        last: &Snapshot,
        only: &[PathBuf],
    ) -> Result<RollbackPlan, SnapshotError> {
        // If `last` is in another storage, it cannot be compared. Then nothing
        // proves that the run changed a file.
        let last = if last.is_beside(to) { last } else { to };
        match to.place {
            SnapshotPlace::Git { .. } if !self.tree.keeps_at(&to.place) => {
                return Err(SnapshotError::Closed { label: to.label });
            }
            SnapshotPlace::Git { .. } | SnapshotPlace::Files { .. } => {}
        }
        let keeper = self.keeper_of(to);
        let mut must = BTreeSet::new();
        let began = probe::now_in(self.tree.state());
        let mut present = self.look(&must, last)?;
        let mut ahead = keeper.differences(&present.version, &to.version())?;
        // A file may exist although the tree does not have it: it is ignored
        // now, or too large. Then it must be read, and the safety snapshot must
        // hold it.
        let disk = WorkTreeDisk { root: self.tree.root() };
        let hidden = |ahead: &[PathDifference]| -> BTreeSet<_> {
            let hidden =
                |found: &&PathDifference| found.from.is_none() && disk.has_file(&found.path);
            ahead.iter().filter(hidden).map(|found| found.path.clone()).collect()
        };
        must.extend(hidden(&ahead));
        if !must.is_empty() {
            present = self.look(&must, last)?;
            ahead = keeper.differences(&present.version, &to.version())?;
        }
        // Git reports nothing about files in nested repositories, so they are
        // left alone.
        let is_nested = |found: &&PathDifference| match &to.place {
            SnapshotPlace::Git { .. } => disk.is_nested(&found.path),
            SnapshotPlace::Files { .. } => false,
        };
        let differing: BTreeSet<_> = ahead.iter().map(|found| found.path.clone()).collect();
        let made = self.made_since(to);
        let between = CompareContext { disk: &disk, last, to, made };
        let strangers = aside::strangers(&disk, to, &present.facts, &self.tree.scope.left_out);
        let outlook = PlanInputs {
            beside: between.steps(&present.facts.modes, &differing),
            strangers: UntouchedFile::those(strangers, &differing).collect(),
            nested: ahead.iter().filter(is_nested).map(|found| found.path.clone()).collect(),
            hidden: hidden(&ahead),
            ignored_then: self.ignored_then(&ahead, to)?,
            since: keeper.differences(&last.version(), &present.version)?,
            to,
            present,
            must,
            ahead,
            only,
        };
        let mut plan = outlook.plan();
        plan.stats = began.ok().and_then(|began| disk.stats(plan.paths(), began));
        Ok(plan)
    }

    /// Plans what [`Self::undo`] does.
    pub fn plan_undo(&self) -> Result<RollbackPlan, SnapshotError> {
        let all = self.list()?;
        let number = self.undoable(&all).pop();
        let find = |label| all.iter().find(|snapshot| snapshot.label == label);
        let pair = |number| {
            Some((find(SnapshotLabel::Safety(number))?, find(SnapshotLabel::After(number))?))
        };
        let (safety, after) = number
            .and_then(pair)
            .ok_or_else(|| SnapshotError::NothingToUndo { run: self.run.clone() })?;
        self.plan(safety, after, &[])
    }

    /// Returns the number of rollbacks that can be undone, one after the other.
    pub fn undoable_rollbacks(&self) -> Result<usize, SnapshotError> {
        Ok(self.undoable(&self.list()?).len())
    }

    /// Returns the numbers of the rollbacks that are not undone, nor undo
    /// another.
    fn undoable(&self, all: &[Snapshot]) -> Vec<u32> {
        let has = |label| all.iter().any(|snapshot| snapshot.label == label);
        let settled = UndoneRollbacks::load(&self.undone());
        // A complete rollback has both snapshots. One that was killed before it
        // changed anything has only the first, and nothing to undo.
        let is_whole = |number: &u32| {
            has(SnapshotLabel::Safety(*number)) && has(SnapshotLabel::After(*number))
        };
        let numbers = (1..=newest_safety(all).unwrap_or(0)).filter(is_whole);
        numbers.filter(|number| !settled.has(*number)).collect()
    }

    /// Deletes all snapshots of the run, and contents stored only for them.
    /// Refuses while a rollback is not complete, since it needs them.
    pub fn remove(&self) -> Result<(), SnapshotError> {
        self.check_nothing_pending()?;
        if let Some(other) = self.tree.other_keeper() {
            // A storage that is not writable has no new snapshots.
            let _ = other.remove(&self.run);
        }
        let rules = self.tree.state().join("rules").join(self.run.as_str());
        // A leftover copy of settings is small and never used again.
        let _ = std::fs::remove_dir_all(rules);
        ralph_files::remove_if_there(&self.undone());
        Ok(self.tree.keeper().remove(&self.run)?)
    }

    /// Returns the number of bytes stored only for this run.
    pub fn space_used(&self) -> Result<u64, SnapshotError> {
        let other = self.tree.other_keeper().and_then(|keeper| keeper.space_used(&self.run).ok());
        Ok(self.tree.keeper().space_used(&self.run)? + other.unwrap_or(0))
    }

    pub(crate) fn look(
        &self,
        must: &BTreeSet<PathBuf>,
        base: &Snapshot,
    ) -> Result<RecordedTree, SnapshotError> {
        let mut scope: TreeScope = self.tree.scope.clone();
        scope.insist_on(must);
        Ok(self.keeper_of(base).record(&scope, Some(base), base.at)?)
    }

    /// Returns files that would be removed although the earlier ignore rules
    /// match them.
    fn ignored_then(
        &self,
        ahead: &[PathDifference],
        to: &Snapshot,
    ) -> Result<BTreeSet<PathBuf>, SnapshotError> {
        let rules = ignored_then::rules(ahead);
        if rules.is_empty() {
            return Ok(BTreeSet::new());
        }
        let mut texts: BTreeMap<PathBuf, String> =
            rules.iter().map(|(path, _)| (path.to_path_buf(), String::new())).collect();
        let wanted: Vec<(&Path, _)> =
            rules.iter().filter_map(|(path, item)| Some((*path, (*item)?))).collect();
        let items: Vec<_> = wanted.iter().map(|(_, item)| *item).collect();
        self.keeper_of(to).read(&items, &mut |position, contents| {
            let mut bytes = Vec::new();
            let path = wanted[position].0;
            contents.read_to_end(&mut bytes).map_err(TreeError::io("read", path))?;
            texts.insert(path.to_owned(), String::from_utf8_lossy(&bytes).into_owned());
            Ok(())
        })?;
        let mut rules = PastIgnoreRules::new(self.tree.root(), texts);
        let removed = ahead.iter().filter(|found| found.to.is_none());
        let hidden = removed.filter(|found| rules.hide(&found.path));
        Ok(hidden.map(|found| found.path.clone()).collect())
    }
}

/// Returns the number of the latest safety snapshot.
pub(crate) fn newest_safety(all: &[Snapshot]) -> Option<u32> {
    let number = |snapshot: &Snapshot| {
        if let SnapshotLabel::Safety(number) = snapshot.label { Some(number) } else { None }
    };
    all.iter().filter_map(number).max()
}

/// Returns the snapshot that is most likely similar to the present files.
pub(crate) fn base(all: &[Snapshot]) -> Option<&Snapshot> {
    let is_of_the_run = |snapshot: &&Snapshot| match snapshot.label {
        SnapshotLabel::Start | SnapshotLabel::Iteration(_) => true,
        SnapshotLabel::Resumed(_) | SnapshotLabel::Safety(_) | SnapshotLabel::After(_) => false,
    };
    all.iter().rfind(is_of_the_run)
}

#[cfg(test)]
#[path = "snapshots_tests.rs"]
mod tests;
