//! What a rollback would do, and what it would leave alone.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::aside::Since;
use crate::label::Label;
use crate::modes::Modes;
use crate::snapshot::{Difference, Item, ItemKind, Place, Present, Snapshot};
use crate::stat::Stat;

/// What a rollback would do. Nothing has happened yet.
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
    /// What was found when this was made.
    pub(crate) present: Present,
    /// How the files that would be changed looked; `None` if that cannot
    /// prove that they are still the same.
    pub(crate) stats: Option<Stats>,
    /// Files that count for this plan, be they ignored or large.
    pub(crate) must: BTreeSet<PathBuf>,
    pub(crate) extent: Extent,
}

/// What the file system tells of files; `None` for those that are not there.
pub(crate) type Stats = BTreeMap<PathBuf, Option<Stat>>;

/// How much of a tree a plan is about.
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
    /// What happens to it.
    pub action: Action,
    pub(crate) target: Target,
}

/// What a path will be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// Nothing any more.
    Gone,
    /// A file or a link with these permissions, if they are known.
    Item(Item, Option<u32>),
    /// The file that it is, with these permissions.
    Mode(u32),
    /// A folder with these permissions, if they are known.
    Folder(Option<u32>),
    /// No folder any more, unless something is in it.
    NoFolder,
}

/// What a rollback does to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// It is there and gets its earlier contents, mode or type.
    Restore,
    /// It is gone and comes back.
    Recreate,
    /// It appeared and goes.
    Remove,
}

/// A file that differs from the snapshot and is left alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Relative to the root of the work tree.
    pub path: PathBuf,
    /// Why it is left alone.
    pub why: WhyKept,
}

/// Why a rollback leaves a file alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhyKept {
    /// It appeared after the run's last snapshot, so it is not the run's.
    AppearedLater,
    /// The snapshot tells that it was there, but not what it held; or it is
    /// there now and what it holds cannot be recorded.
    NotRecorded,
    /// The ignore rules of the snapshot hid it, so it may have been there.
    IgnoredThen,
    /// It is, or lies in, a repository of its own.
    Nested,
    /// It appeared and is too large to be kept.
    TooLarge,
    /// It belongs to no snapshot because [`crate::WorkTree::leave_out`] says
    /// so.
    LeftOut,
    /// Somebody else made it while the run rested, so it is not the run's.
    AppearedMeanwhile,
}

impl WhyKept {
    /// Whether files left alone for this reason are in no tree.
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
    /// The files that would be changed, be it with force.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.steps.iter().chain(&self.conflicts).map(|step| &*step.path)
    }

    /// Whether there is nothing to do, with force or without.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty() && self.conflicts.is_empty()
    }
}

/// What is known when a plan is made.
pub(crate) struct Outlook<'a> {
    pub(crate) to: &'a Snapshot,
    pub(crate) present: Present,
    pub(crate) must: BTreeSet<PathBuf>,
    /// From the present files to those of the snapshot.
    pub(crate) ahead: Vec<Difference>,
    /// From the run's last snapshot to the present files.
    pub(crate) since: Vec<Difference>,
    /// Paths to which the plan is limited; all of them if empty.
    pub(crate) only: &'a [PathBuf],
    /// Files that the ignore rules of the snapshot hid.
    pub(crate) ignored_then: BTreeSet<PathBuf>,
    /// Files that are, or lie in, a repository of their own.
    pub(crate) nested: BTreeSet<PathBuf>,
    /// Files that are there although the present tree does not have them.
    pub(crate) hidden: BTreeSet<PathBuf>,
    /// What is to be done where no contents differ.
    pub(crate) beside: Vec<(Step, Since)>,
    /// What is there and in no snapshot.
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
