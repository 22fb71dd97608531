//! The plan of a rollback: files that it changes, and files it leaves alone.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::aside::ChangeOrigin;
use crate::label::SnapshotLabel;
use crate::modes::FileModes;
use crate::snapshot::{ItemKind, PathDifference, RecordedTree, Snapshot, SnapshotPlace, TreeItem};
use crate::stat::FileStat;

/// The plan of a rollback, not yet carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RollbackPlan {
    /// The snapshot to go back to.
    pub to: SnapshotLabel,
    /// Files that only the run changed, ordered by path.
    pub steps: Vec<RollbackStep>,
    /// Files that changed after the run's last snapshot, ordered by path.
    pub conflicts: Vec<RollbackStep>,
    /// Files that are left alone in any case, ordered by path.
    pub kept: Vec<UntouchedFile>,
    /// The present contents when the plan was made.
    pub(crate) present: RecordedTree,
    /// Metadata of the files that would be changed; `None` if it cannot prove
    /// that they are still the same.
    pub(crate) stats: Option<StatsByPath>,
    /// Files that count for this plan even if ignored or large.
    pub(crate) must: BTreeSet<PathBuf>,
    pub(crate) extent: PlanCoverage,
}

/// Metadata of files; `None` for files that do not exist.
pub(crate) type StatsByPath = BTreeMap<PathBuf, Option<FileStat>>;

/// The part of a tree that a plan covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlanCoverage {
    Everything,
    SomePaths,
}

/// One file of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RollbackStep {
    /// Relative to the root of the work tree.
    pub path: PathBuf,
    /// The change of this file.
    pub action: RollbackAction,
    pub(crate) target: TargetState,
}

/// The target state of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TargetState {
    /// No file.
    Gone,
    /// A file or a link with these permissions, if they are known.
    Item(TreeItem, Option<u32>),
    /// The present file, with these permissions.
    Mode(u32),
    /// A folder with these permissions, if they are known.
    Folder(Option<u32>),
    /// No folder, unless something is in it.
    NoFolder,
}

/// The way in which a rollback changes a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RollbackAction {
    /// It exists and gets its earlier contents, mode or type.
    Restore,
    /// It was deleted and is created again.
    Recreate,
    /// It is new and is removed.
    Remove,
}

/// A file that differs from the snapshot and is left alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UntouchedFile {
    /// Relative to the root of the work tree.
    pub path: PathBuf,
    /// The reason.
    pub why: WhyKept,
}

/// A reason why a rollback leaves a file alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhyKept {
    /// It appeared after the run's last snapshot, so the run did not make it.
    AppearedLater,
    /// The snapshot lists it without its contents, or its present contents
    /// cannot be recorded.
    NotRecorded,
    /// The ignore rules of the snapshot matched it, so it may have existed
    /// then.
    IgnoredThen,
    /// It is, or lies in, a nested repository.
    Nested,
    /// It is new and too large to be recorded.
    TooLarge,
    /// [`crate::WorkTree::leave_out`] excludes it from snapshots.
    LeftOut,
    /// It appeared while the run was paused, so the run did not make it.
    AppearedMeanwhile,
}

impl WhyKept {
    /// Returns true if files left alone for this reason are in no tree.
    pub(crate) fn is_beside_the_tree(self) -> bool {
        matches!(self, Self::TooLarge | Self::LeftOut)
    }
}

impl RollbackPlan {
    /// Returns the files that the plan changes, with conflicts.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.steps.iter().chain(&self.conflicts).map(|step| &*step.path)
    }

    /// Returns true if there is nothing to do, with force or without.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty() && self.conflicts.is_empty()
    }
}

/// The facts from which a plan is made.
pub(crate) struct PlanInputs<'a> {
    pub(crate) to: &'a Snapshot,
    pub(crate) present: RecordedTree,
    pub(crate) must: BTreeSet<PathBuf>,
    /// Differences from the present files to those of the snapshot.
    pub(crate) ahead: Vec<PathDifference>,
    /// Differences from the run's last snapshot to the present files.
    pub(crate) since: Vec<PathDifference>,
    /// Paths to which the plan is limited; empty means all.
    pub(crate) only: &'a [PathBuf],
    /// Files that the ignore rules of the snapshot matched.
    pub(crate) ignored_then: BTreeSet<PathBuf>,
    /// Files that are, or lie in, a nested repository.
    pub(crate) nested: BTreeSet<PathBuf>,
    /// Files that exist although the present tree does not have them.
    pub(crate) hidden: BTreeSet<PathBuf>,
    /// Steps for paths whose contents do not differ.
    pub(crate) beside: Vec<(RollbackStep, ChangeOrigin)>,
    /// Present files that are in no snapshot.
    pub(crate) strangers: Vec<UntouchedFile>,
}

impl PlanInputs<'_> {
    pub(crate) fn plan(self) -> RollbackPlan {
        let since: BTreeMap<&Path, &PathDifference> =
            self.since.iter().map(|difference| (&*difference.path, difference)).collect();
        let (mut steps, mut conflicts, mut kept) = (Vec::new(), Vec::new(), Vec::new());
        for difference in self.ahead.iter().filter(|difference| self.concerns(&difference.path)) {
            let since = since.get(&*difference.path).copied();
            match self.why_kept(difference, since) {
                Some(why) => kept.push(UntouchedFile { path: difference.path.clone(), why }),
                None if since.is_some() => conflicts.push(step(difference, &self.to.modes)),
                None => steps.push(step(difference, &self.to.modes)),
            }
        }
        for (step, since) in self.beside.iter().filter(|(step, _)| self.concerns(&step.path)) {
            match since {
                ChangeOrigin::TheRun => steps.push(step.clone()),
                ChangeOrigin::Later => conflicts.push(step.clone()),
            }
        }
        kept.extend(self.strangers.iter().filter(|kept| self.concerns(&kept.path)).cloned());
        steps.sort_by(|a, b| a.path.cmp(&b.path));
        conflicts.sort_by(|a, b| a.path.cmp(&b.path));
        kept.sort_by(|a, b| a.path.cmp(&b.path));
        let extent =
            if self.only.is_empty() { PlanCoverage::Everything } else { PlanCoverage::SomePaths };
        let to = self.to.label;
        let (present, must) = (self.present, self.must);
        RollbackPlan { to, steps, conflicts, kept, present, stats: None, must, extent }
    }

    fn concerns(&self, path: &Path) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| path.starts_with(only))
    }

    fn why_kept(&self, ahead: &PathDifference, since: Option<&PathDifference>) -> Option<WhyKept> {
        let is_opaque = |item: &Option<TreeItem>| {
            item.as_ref().is_some_and(|item| item.kind == ItemKind::Opaque)
        };
        let path = &ahead.path;
        let is_left_out = self.to.left_out.iter().any(|file| file.path == *path);
        if self.nested.contains(path) {
            Some(WhyKept::Nested)
        } else if is_left_out || self.hidden.contains(path) {
            Some(WhyKept::NotRecorded)
        } else if is_opaque(&ahead.from) || is_opaque(&ahead.to) {
            Some(match self.to.place {
                SnapshotPlace::Git { .. } => WhyKept::Nested,
                SnapshotPlace::Files { .. } => WhyKept::NotRecorded,
            })
        } else if ahead.to.is_some() {
            None
        } else if since.is_some_and(|since| since.from.is_none()) {
            Some(WhyKept::AppearedLater)
        } else {
            self.ignored_then.contains(path).then_some(WhyKept::IgnoredThen)
        }
    }
}

pub(crate) fn step(difference: &PathDifference, modes: &FileModes) -> RollbackStep {
    let action = match (&difference.from, &difference.to) {
        (Some(_), Some(_)) => RollbackAction::Restore,
        (None, Some(_)) => RollbackAction::Recreate,
        (Some(_) | None, None) => RollbackAction::Remove,
    };
    let path = difference.path.clone();
    let target = difference.to.clone().map_or(TargetState::Gone, |item| {
        let mode = modes.of(&path, item.kind);
        TargetState::Item(item, mode)
    });
    RollbackStep { path, action, target }
}
