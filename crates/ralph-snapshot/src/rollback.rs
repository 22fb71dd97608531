//! Carries a plan out, file by file, so that it can be interrupted anywhere.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ralph_core::Timestamp;

use crate::aside::{ChangeOrigin, CompareContext};
use crate::disk::{DiskOutcome, WorkTreeDisk};
use crate::journal::{Journal, UndoneRollbacks};
use crate::label::SnapshotLabel;
use crate::plan::{PlanCoverage, RollbackPlan, RollbackStep, TargetState, step};
use crate::snapshot::{RecordedTree, Snapshot};
use crate::snapshots::{SnapshotError, Snapshots, base, newest_safety};

/// The treatment of files that changed after the run's last snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConflictPolicy {
    /// Leave them unchanged.
    Leave,
    /// Restore them like all others; the safety snapshot holds them.
    Force,
}

/// The result of a rollback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RollbackOutcome {
    /// The files before the rollback; `None` if there was nothing to do.
    pub safety: Option<Snapshot>,
    /// The changes, ordered by path. After an interruption only the remaining
    /// ones.
    pub steps: Vec<RollbackStep>,
    /// Conflicts that were left unchanged.
    pub left: Vec<PathBuf>,
    /// Files that could not be restored because another file is in the way.
    pub blocked: Vec<BlockedFile>,
}

/// A file that could not be restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockedFile {
    /// Relative to the root of the work tree.
    pub path: PathBuf,
    /// The file in its way, relative to the root of the work tree.
    pub by: PathBuf,
}

/// Called before each change of a file; an error stops the rollback there.
pub(crate) type ChangeCallback<'a> = dyn FnMut() -> Result<(), SnapshotError> + 'a;

impl Snapshots<'_> {
    /// Carries `plan` out, after a safety snapshot.
    ///
    /// At any moment each file has its earlier or its later contents. After an
    /// error or a crash, [`Self::resume_pending`] goes on. Only files are
    /// changed: the user's index stays.
    pub fn apply(
        &self,
        plan: &RollbackPlan,
        conflicts: ConflictPolicy,
        now: Timestamp,
    ) -> Result<RollbackOutcome, SnapshotError> {
        self.apply_with(plan, conflicts, now, &mut || Ok(()))
    }

    /// Undoes the newest rollback that is not undone yet. A second call undoes
    /// the one before it.
    pub fn undo(
        &self,
        conflicts: ConflictPolicy,
        now: Timestamp,
    ) -> Result<RollbackOutcome, SnapshotError> {
        self.check_nothing_pending()?;
        let plan = self.plan_undo()?;
        let done = self.apply(&plan, conflicts, now)?;
        self.note_undone(plan.to, &done)?;
        Ok(done)
    }

    fn note_undone(&self, to: SnapshotLabel, done: &RollbackOutcome) -> Result<(), SnapshotError> {
        let SnapshotLabel::Safety(number) = to else { return Ok(()) };
        let mut undone = UndoneRollbacks::load(&self.undone());
        if let Some(Snapshot { label: SnapshotLabel::Safety(own), .. }) = done.safety {
            undone.add(own);
        }
        // Files that were left can still be forced.
        if done.left.is_empty() && done.blocked.is_empty() {
            undone.add(number);
        }
        Ok(undone.save(&self.undone())?)
    }

    pub(crate) fn undone(&self) -> PathBuf {
        self.tree.state().join("rollbacks").join(format!("{}.undone", self.run))
    }

    /// Completes an interrupted rollback; `None` if there is none.
    ///
    /// Files that were changed since the interruption are left.
    pub fn resume_pending(&self, now: Timestamp) -> Result<Option<RollbackOutcome>, SnapshotError> {
        let to = self.pending()?;
        let done = self.resume_with(now, &mut || Ok(()))?;
        if let (Some(to), Some(done)) = (to, &done) {
            self.note_undone(to, done)?;
        }
        Ok(done)
    }

    /// Returns the snapshot to which an interrupted rollback goes.
    pub fn pending(&self) -> Result<Option<SnapshotLabel>, SnapshotError> {
        Ok(Journal::load(&self.journal())?.map(|journal| journal.to))
    }

    pub(crate) fn apply_with(
        &self,
        plan: &RollbackPlan,
        conflicts: ConflictPolicy,
        now: Timestamp,
        checkpoint: &mut ChangeCallback<'_>,
    ) -> Result<RollbackOutcome, SnapshotError> {
        self.check_nothing_pending()?;
        let mut steps = plan.steps.clone();
        let left = match conflicts {
            ConflictPolicy::Leave => plan.conflicts.iter().map(|step| step.path.clone()).collect(),
            ConflictPolicy::Force => {
                steps.extend(plan.conflicts.iter().cloned());
                Vec::new()
            }
        };
        if steps.is_empty() {
            // A safety snapshot would only hide the one that `undo` needs.
            return Ok(RollbackOutcome { safety: None, steps, left, blocked: Vec::new() });
        }
        steps.sort_by(|a, b| a.path.cmp(&b.path));
        let all = self.list()?;
        let unknown = || SnapshotError::Unknown { run: self.run.clone(), label: plan.to };
        let to = all.iter().find(|snapshot| snapshot.label == plan.to).ok_or_else(unknown)?;
        let beside: Vec<_> =
            all.iter().filter(|snapshot| snapshot.is_beside(to)).cloned().collect();
        let base = base(&beside).unwrap_or(to);
        let mut present = self.recheck(plan, base)?;
        present.facts.at = now;
        // Record the folders to be removed, so that undoing restores them.
        let going = steps.iter().filter(|step| step.target == TargetState::NoFolder);
        let going: Vec<_> = going.map(|step| step.path.clone()).collect();
        present.facts.folders.extend(going);
        present.facts.folders.sort();
        present.facts.folders.dedup();
        let number = newest_safety(&all).unwrap_or(0) + 1;
        let label = SnapshotLabel::Safety(number);
        let safety = self.keeper_of(to).keep(&self.run, label, &present, Some(base))?;
        let paths: BTreeSet<_> = steps.iter().map(|step| step.path.clone()).collect();
        Journal { to: plan.to, safety: number, paths }.save(&self.journal())?;
        let blocked = self.carry_out(&steps, to, checkpoint)?;
        let is_exact = plan.extent == PlanCoverage::Everything
            && plan.kept.iter().all(|kept| kept.why.is_beside_the_tree())
            && left.is_empty()
            && blocked.is_empty();
        let done = RollbackOutcome { safety: Some(safety), steps, left, blocked };
        self.finish(number, is_exact.then_some(to), to, now)?;
        Ok(done)
    }

    /// Returns the contents of the plan if the files to be changed still have
    /// them.
    fn recheck(&self, plan: &RollbackPlan, base: &Snapshot) -> Result<RecordedTree, SnapshotError> {
        let disk = WorkTreeDisk { root: self.tree.root() };
        if plan.stats.as_ref().is_some_and(|stats| disk.is_like(stats)) {
            return Ok(plan.present.clone());
        }
        let present = self.look(&plan.must, base)?;
        let is_same = present.version == plan.present.version
            && present.facts.modes == plan.present.facts.modes;
        if is_same { Ok(present) } else { Err(SnapshotError::PlanOutdated) }
    }

    pub(crate) fn resume_with(
        &self,
        now: Timestamp,
        checkpoint: &mut ChangeCallback<'_>,
    ) -> Result<Option<RollbackOutcome>, SnapshotError> {
        let Some(journal) = Journal::load(&self.journal())? else { return Ok(None) };
        let (to, safety) =
            (self.get(journal.to)?, self.get(SnapshotLabel::Safety(journal.safety))?);
        let disk = WorkTreeDisk { root: self.tree.root() };
        for path in &journal.paths {
            disk.tidy(path)?;
        }
        let (steps, left) = self.what_is_left(&journal, &to, &safety)?;
        // Folders that were emptied before the interruption are pruned, too.
        let blocked = self.carry_out(&steps, &to, checkpoint)?;
        let kept: BTreeSet<_> = to.folders.iter().map(PathBuf::as_path).collect();
        for path in journal.paths.iter().filter(|path| !disk.has_file(path)) {
            disk.prune(path, &kept);
        }
        self.finish(journal.safety, None, &to, now)?;
        Ok(Some(RollbackOutcome { safety: Some(safety), steps, left, blocked }))
    }

    /// Returns the remaining steps of an interrupted rollback, and files that
    /// were changed since the interruption.
    fn what_is_left(
        &self,
        journal: &Journal,
        to: &Snapshot,
        safety: &Snapshot,
    ) -> Result<(Vec<RollbackStep>, Vec<PathBuf>), SnapshotError> {
        let disk = WorkTreeDisk { root: self.tree.root() };
        // Checking a folder would check the ignored files in it, too.
        let is_folder = |path: &PathBuf| to.folders.contains(path) || safety.folders.contains(path);
        let files = journal.paths.iter().filter(|path| !is_folder(path)).cloned().collect();
        let present = self.look(&files, safety)?;
        let keeper = self.keeper_of(to);
        let since = keeper.differences(&safety.version(), &present.version)?;
        let changed: BTreeSet<_> = since.iter().map(|difference| &*difference.path).collect();
        let ahead = keeper.differences(&present.version, &to.version())?;
        let differing = ahead.iter().map(|difference| difference.path.clone()).collect();
        let is_made = |path: &&PathBuf| !to.folders.contains(path) && disk.has_folder(path);
        let made = journal.paths.iter().filter(is_made).cloned().collect();
        let between = CompareContext { disk: &disk, last: safety, to, made };
        let beside = between.steps(&present.facts.modes, &differing);
        let contents = ahead.iter().map(|difference| {
            let is_changed = changed.contains(&*difference.path);
            let since = if is_changed { ChangeOrigin::Later } else { ChangeOrigin::TheRun };
            (step(difference, &to.modes), since)
        });
        let ours = contents.chain(beside).filter(|(step, _)| journal.paths.contains(&step.path));
        let (ours, left): (Vec<_>, Vec<_>) =
            ours.partition(|(_, since)| *since == ChangeOrigin::TheRun);
        let mut steps: Vec<_> = ours.into_iter().map(|(step, _)| step).collect();
        steps.sort_by(|a, b| a.path.cmp(&b.path));
        Ok((steps, left.into_iter().map(|(step, _)| step.path).collect()))
    }

    fn carry_out(
        &self,
        steps: &[RollbackStep],
        to: &Snapshot,
        checkpoint: &mut ChangeCallback<'_>,
    ) -> Result<Vec<BlockedFile>, SnapshotError> {
        let disk = WorkTreeDisk { root: self.tree.root() };
        let removed: Vec<_> =
            steps.iter().filter(|step| step.target == TargetState::Gone).collect();
        // Remove files first, as they may be in the way of others.
        for step in &removed {
            checkpoint()?;
            disk.remove(&step.path)?;
        }
        let mut blocked = self.put_back(&disk, steps, to, checkpoint)?;
        let kept: BTreeSet<&Path> = to.folders.iter().map(PathBuf::as_path).collect();
        for step in &removed {
            disk.prune(&step.path, &kept);
        }
        for RollbackStep { path, target, .. } in steps {
            let outcome = match target {
                TargetState::Folder(mode) => {
                    checkpoint().and_then(|()| Ok(disk.make_folder(path, *mode)?))?
                }
                TargetState::Mode(mode) => {
                    checkpoint().and_then(|()| Ok(disk.set_mode(path, *mode)?))?
                }
                TargetState::Gone | TargetState::Item(..) | TargetState::NoFolder => {
                    DiskOutcome::Done
                }
            };
            match outcome {
                DiskOutcome::Done => {}
                DiskOutcome::InTheWay(by) => blocked.push(BlockedFile { path: path.clone(), by }),
            }
        }
        // Deeper folders first.
        for step in steps.iter().rev().filter(|step| step.target == TargetState::NoFolder) {
            disk.remove_folder(&step.path);
        }
        Ok(blocked)
    }

    fn put_back(
        &self,
        disk: &WorkTreeDisk<'_>,
        steps: &[RollbackStep],
        to: &Snapshot,
        checkpoint: &mut ChangeCallback<'_>,
    ) -> Result<Vec<BlockedFile>, SnapshotError> {
        let wanted = steps.iter().filter_map(|step| {
            if let TargetState::Item(item, mode) = &step.target {
                Some((&step.path, item, *mode))
            } else {
                None
            }
        });
        let wanted: Vec<_> = wanted.collect();
        let items: Vec<_> = wanted.iter().map(|(_, item, _)| *item).collect();
        let mut blocked = Vec::new();
        let mut stopped = None;
        let read = self.keeper_of(to).read(&items, &mut |position, contents| {
            if stopped.is_none() {
                stopped = checkpoint().err();
            }
            if stopped.is_some() {
                return Ok(());
            }
            let (path, item, mode) = wanted[position];
            match disk.put(path, item.kind, mode, contents)? {
                DiskOutcome::Done => {}
                DiskOutcome::InTheWay(by) => blocked.push(BlockedFile { path: path.clone(), by }),
            }
            Ok(())
        });
        stopped.map_or(Ok(()), Err)?;
        read?;
        Ok(blocked)
    }

    /// Records the result of the rollback, so that it can be undone, and
    /// deletes its journal. `exactly` is the snapshot it ended at.
    fn finish(
        &self,
        number: u32,
        exactly: Option<&Snapshot>,
        base: &Snapshot,
        now: Timestamp,
    ) -> Result<(), SnapshotError> {
        let present = if let Some(snapshot) = exactly {
            RecordedTree { version: snapshot.version(), facts: snapshot.facts() }
        } else {
            let mut present = self.look(&BTreeSet::new(), base)?;
            present.facts.at = now;
            present
        };
        self.keeper_of(base).keep(&self.run, SnapshotLabel::After(number), &present, Some(base))?;
        Ok(Journal::delete(&self.journal())?)
    }

    /// Returns an error if an interrupted rollback of the run is not complete.
    pub fn check_nothing_pending(&self) -> Result<(), SnapshotError> {
        match self.pending()? {
            Some(to) => Err(SnapshotError::Pending { run: self.run.clone(), to }),
            None => Ok(()),
        }
    }

    fn journal(&self) -> PathBuf {
        self.tree.state().join("rollbacks").join(self.run.as_str())
    }
}

#[cfg(test)]
#[path = "rollback_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "rollback_property_tests.rs"]
mod property_tests;
