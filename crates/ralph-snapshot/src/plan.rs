//! The plan of a rollback: files that it changes, and files it leaves alone.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::aside::Since;
use crate::label::Label;
use crate::modes::Modes;
use crate::snapshot::{Difference, Item, ItemKind, Place, Present, Snapshot};
use crate::stat::Stat;

/// The plan of a rollback, not yet carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The snapshot to go back to.
    pub to: Label,
    /// Files that only the run changed, ordered by path.
    pub steps: Vec<Step>,
    /// Files that changed after the run's last snapshot, ordered by path.
    pub conflicts: Vec<Step>,
    /// Files that are left alone in any case, ordered by path.
    pub kept: Vec<Kept>,
    /// The present contents when the plan was made.
    pub(crate) present: Present,
    /// Metadata of the files that would be changed; `None` if it cannot prove
    /// that they are still the same.
    pub(crate) stats: Option<Stats>,
    /// Files that count for this plan even if ignored or large.
    pub(crate) must: BTreeSet<PathBuf>,
    pub(crate) extent: Extent,
}

/// Metadata of files; `None` for files that do not exist.
pub(crate) type Stats = BTreeMap<PathBuf, Option<Stat>>;

/// The part of a tree that a plan covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    Everything,
    SomePaths,
}

/// One file of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Relative to the root of the work tree.
    pub path: PathBuf,
    /// The change of this file.
    pub action: Action,
    pub(crate) target: Target,
}

/// The target state of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// No file.
    Gone,
    /// A file or a link with these permissions, if they are known.
    Item(Item, Option<u32>),
    /// The present file, with these permissions.
    Mode(u32),
    /// A folder with these permissions, if they are known.
    Folder(Option<u32>),
    /// No folder, unless something is in it.
    NoFolder,
}

/// The way in which a rollback changes a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// It exists and gets its earlier contents, mode or type.
    Restore,
    /// It was deleted and is created again.
    Recreate,
    /// It is new and is removed.
    Remove,
}

/// A file that differs from the snapshot and is left alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
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
        match self {
            Self::TooLarge | Self::LeftOut => true,
            Self::AppearedLater
            | Self::NotRecorded
            | Self::IgnoredThen
            | Self::Nested
            | Self::AppearedMeanwhile => false,
        }
    }
}

impl Plan {
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
pub(crate) struct Outlook<'a> {
    pub(crate) to: &'a Snapshot,
    pub(crate) present: Present,
    pub(crate) must: BTreeSet<PathBuf>,
    /// Differences from the present files to those of the snapshot.
    pub(crate) ahead: Vec<Difference>,
    /// Differences from the run's last snapshot to the present files.
    pub(crate) since: Vec<Difference>,
    /// Paths to which the plan is limited; empty means all.
    pub(crate) only: &'a [PathBuf],
    /// Files that the ignore rules of the snapshot matched.
    pub(crate) ignored_then: BTreeSet<PathBuf>,
    /// Files that are, or lie in, a nested repository.
    pub(crate) nested: BTreeSet<PathBuf>,
    /// Files that exist although the present tree does not have them.
    pub(crate) hidden: BTreeSet<PathBuf>,
    /// Steps for paths whose contents do not differ.
    pub(crate) beside: Vec<(Step, Since)>,
    /// Present files that are in no snapshot.
    pub(crate) strangers: Vec<Kept>,
}

impl Outlook<'_> {
    pub(crate) fn plan(self) -> Plan {
        let since: BTreeMap<&Path, &Difference> =
            self.since.iter().map(|difference| (&*difference.path, difference)).collect();
        let (mut steps, mut conflicts, mut kept) = (Vec::new(), Vec::new(), Vec::new());
        for difference in self.ahead.iter().filter(|difference| self.concerns(&difference.path)) {
            let since = since.get(&*difference.path).copied();
            match self.why_kept(difference, since) {
                Some(why) => kept.push(Kept { path: difference.path.clone(), why }),
                None if since.is_some() => conflicts.push(step(difference, &self.to.modes)),
                None => steps.push(step(difference, &self.to.modes)),
            }
        }
        for (step, since) in self.beside.iter().filter(|(step, _)| self.concerns(&step.path)) {
            match since {
                Since::TheRun => steps.push(step.clone()),
                Since::Later => conflicts.push(step.clone()),
            }
        }
        kept.extend(self.strangers.iter().filter(|kept| self.concerns(&kept.path)).cloned());
        steps.sort_by(|a, b| a.path.cmp(&b.path));
        conflicts.sort_by(|a, b| a.path.cmp(&b.path));
        kept.sort_by(|a, b| a.path.cmp(&b.path));
        let extent = if self.only.is_empty() { Extent::Everything } else { Extent::SomePaths };
        let to = self.to.label;
        let (present, must) = (self.present, self.must);
        Plan { to, steps, conflicts, kept, present, stats: None, must, extent }
    }

    fn concerns(&self, path: &Path) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| path.starts_with(only))
    }

    fn why_kept(&self, ahead: &Difference, since: Option<&Difference>) -> Option<WhyKept> {
        let is_opaque =
            |item: &Option<Item>| item.as_ref().is_some_and(|item| item.kind == ItemKind::Opaque);
        let path = &ahead.path;
        let is_left_out = self.to.left_out.iter().any(|file| file.path == *path);
        if self.nested.contains(path) {
            Some(WhyKept::Nested)
        } else if is_left_out || self.hidden.contains(path) {
            Some(WhyKept::NotRecorded)
        } else if is_opaque(&ahead.from) || is_opaque(&ahead.to) {
            Some(match self.to.place {
                Place::Git { .. } => WhyKept::Nested,
                Place::Files { .. } => WhyKept::NotRecorded,
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

pub(crate) fn step(difference: &Difference, modes: &Modes) -> Step {
    let action = match (&difference.from, &difference.to) {
        (Some(_), Some(_)) => Action::Restore,
        (None, Some(_)) => Action::Recreate,
        (Some(_) | None, None) => Action::Remove,
    };
    let path = difference.path.clone();
    let target = difference.to.clone().map_or(Target::Gone, |item| {
        let mode = modes.of(&path, item.kind);
        Target::Item(item, mode)
    });
    Step { path, action, target }
}
