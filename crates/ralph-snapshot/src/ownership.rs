//! Finds snapshots by name, and tells whose changes a rollback would undo.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use ralph_core::Run;

use crate::label::{ParseLabelError, SnapshotLabel};
use crate::outside_changes::OutsideChanges;
use crate::plan::{RollbackAction, RollbackPlan, UntouchedFile, WhyKept};
use crate::snapshot::Snapshot;
use crate::snapshots::{SnapshotError, Snapshots};
use crate::work_tree::ChangeKind;

/// A name for a snapshot, as users write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnapshotName {
    /// Before the first turn.
    Start,
    /// After the iteration with the best evidence.
    Best,
    /// The last state of the run.
    Last,
    /// Exactly this label.
    Exact(SnapshotLabel),
}

impl std::str::FromStr for SnapshotName {
    type Err = ParseLabelError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "start" => Ok(Self::Start),
            "best" => Ok(Self::Best),
            "last" => Ok(Self::Last),
            text => text.parse().map(Self::Exact),
        }
    }
}

/// Returns the snapshot that a name means in a run.
///
/// An iteration that changed nothing has no snapshot of its own: the one before
/// it is returned.
pub fn find<'a>(name: SnapshotName, run: &Run, snapshots: &'a [Snapshot]) -> Option<&'a Snapshot> {
    match name {
        SnapshotName::Start | SnapshotName::Exact(SnapshotLabel::Start) => {
            by_label(snapshots, SnapshotLabel::Start)
        }
        SnapshotName::Last => last(snapshots),
        SnapshotName::Best => after(snapshots, run.best?.iteration),
        SnapshotName::Exact(SnapshotLabel::Iteration(number)) if number <= run.iteration => {
            after(snapshots, number)
        }
        SnapshotName::Exact(label) => by_label(snapshots, label),
    }
}

/// Returns the run's newest snapshot that does not belong to a rollback.
pub fn last(snapshots: &[Snapshot]) -> Option<&Snapshot> {
    after(snapshots, u32::MAX)
}

/// Plans a rollback to `to`; `all` are the run's snapshots.
///
/// Differences from the last state of the run are changes by others, unless an
/// earlier rollback made them. Then a snapshot of the run contains them, and
/// continuing loses nothing.
///
/// Changes by others while the run rested, and those in `outside`, are not the
/// run's either, even if the run changed the same file again later. Such a file
/// is a conflict, and a file that appeared then is kept.
pub fn plan(
    snapshots: &Snapshots<'_>,
    all: &[Snapshot],
    outside: &OutsideChanges,
    to: &Snapshot,
    only: &[PathBuf],
) -> Result<RollbackPlan, SnapshotError> {
    // Snapshots in other storage cannot be compared with it.
    let all: Vec<_> = all.iter().filter(|snapshot| snapshot.is_beside(to)).cloned().collect();
    let all = &*all;
    let newest = last(all).unwrap_or(to);
    let mut plan = snapshots.plan(to, newest, only)?;
    if all.iter().any(|snapshot| matches!(snapshot.label, SnapshotLabel::Safety(_))) {
        let own = all.iter().filter(|one| is_of_the_run(one) && one.label != newest.label);
        adopt_rollbacks(&mut plan, snapshots, own, to, only)?;
    }
    let mut others = of_others(snapshots, all, to)?;
    others.extend(outside.since(to.label));
    disown(&mut plan, &others);
    Ok(plan)
}

/// Returns the changes by others while the run rested, since `to`: each file
/// with its kind of change.
fn of_others(
    snapshots: &Snapshots<'_>,
    all: &[Snapshot],
    to: &Snapshot,
) -> Result<BTreeMap<PathBuf, ChangeKind>, SnapshotError> {
    let mut found = BTreeMap::new();
    for (resumed, number) in all.iter().filter_map(|snapshot| match snapshot.label {
        SnapshotLabel::Resumed(number) if to.label < snapshot.label => Some((snapshot, number)),
        SnapshotLabel::Resumed(_)
        | SnapshotLabel::Start
        | SnapshotLabel::Iteration(_)
        | SnapshotLabel::Safety(_)
        | SnapshotLabel::After(_) => None,
    }) {
        let Some(left) = after(all, number) else { continue };
        let mut changes: BTreeMap<_, _> =
            snapshots.changes(left, resumed)?.into_iter().map(|one| (one.path, one.kind)).collect();
        // A snapshot of the run contains files that a rollback restored while
        // the run rested, so changes by others are not lost with them.
        for earlier in
            all.iter().filter(|earlier| is_of_the_run(earlier) && earlier.label < left.label)
        {
            if changes.is_empty() {
                break;
            }
            let differing = snapshots.changes(earlier, resumed)?;
            let differing: BTreeSet<_> = differing.into_iter().map(|one| one.path).collect();
            changes.retain(|path, _| differing.contains(path));
        }
        found.extend(changes);
    }
    Ok(found)
}

/// Turns steps that would undo changes by others into conflicts.
fn disown(plan: &mut RollbackPlan, others: &BTreeMap<PathBuf, ChangeKind>) {
    let steps = std::mem::take(&mut plan.steps);
    let conflicts = std::mem::take(&mut plan.conflicts);
    let is_new = |step: &crate::plan::RollbackStep| {
        step.action == RollbackAction::Remove && others.get(&step.path) == Some(&ChangeKind::Added)
    };
    for step in conflicts {
        if is_new(&step) {
            plan.kept.push(UntouchedFile { path: step.path, why: WhyKept::AppearedMeanwhile });
        } else {
            plan.conflicts.push(step);
        }
    }
    for step in steps {
        if is_new(&step) {
            plan.kept.push(UntouchedFile { path: step.path, why: WhyKept::AppearedMeanwhile });
        } else if others.contains_key(&step.path) {
            plan.conflicts.push(step);
        } else {
            plan.steps.push(step);
        }
    }
    plan.conflicts.sort_by(|a, b| a.path.cmp(&b.path));
    plan.kept.sort_by(|a, b| a.path.cmp(&b.path));
}

fn is_of_the_run(snapshot: &Snapshot) -> bool {
    match snapshot.label {
        SnapshotLabel::Start | SnapshotLabel::Iteration(_) => true,
        SnapshotLabel::Resumed(_) | SnapshotLabel::Safety(_) | SnapshotLabel::After(_) => false,
    }
}

/// Turns conflicts and late files into steps if one of `earlier` has them as they are.
fn adopt_rollbacks<'a>(
    plan: &mut RollbackPlan,
    snapshots: &Snapshots<'_>,
    earlier: impl Iterator<Item = &'a Snapshot>,
    to: &Snapshot,
    only: &[PathBuf],
) -> Result<(), SnapshotError> {
    for earlier in earlier {
        if has_no_strangers(plan) {
            break;
        }
        adopt(plan, snapshots.plan(to, earlier, only)?);
    }
    plan.steps.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(())
}

fn has_no_strangers(plan: &RollbackPlan) -> bool {
    plan.conflicts.is_empty() && plan.kept.iter().all(|kept| kept.why != WhyKept::AppearedLater)
}

/// Turns conflicts and late files into steps if they are steps in `other`.
fn adopt(plan: &mut RollbackPlan, other: RollbackPlan) {
    let known: BTreeSet<_> = plan.steps.iter().map(|step| step.path.clone()).collect();
    let is_new = |path: &PathBuf| !known.contains(path);
    let own: Vec<_> = other.steps.into_iter().filter(|step| is_new(&step.path)).collect();
    let paths: BTreeSet<_> = own.iter().map(|step| step.path.clone()).collect();
    plan.conflicts.retain(|step| !paths.contains(&step.path));
    plan.kept.retain(|kept| !paths.contains(&kept.path));
    plan.steps.extend(own);
}

fn by_label(snapshots: &[Snapshot], label: SnapshotLabel) -> Option<&Snapshot> {
    snapshots.iter().find(|snapshot| snapshot.label == label)
}

/// Returns the snapshot of the files after an iteration.
fn after(snapshots: &[Snapshot], iteration: u32) -> Option<&Snapshot> {
    let number = |snapshot: &&Snapshot| match snapshot.label {
        SnapshotLabel::Start => Some(0),
        SnapshotLabel::Iteration(number) if number <= iteration => Some(number),
        SnapshotLabel::Iteration(_)
        | SnapshotLabel::Resumed(_)
        | SnapshotLabel::Safety(_)
        | SnapshotLabel::After(_) => None,
    };
    snapshots.iter().filter(|snapshot| number(snapshot).is_some()).max_by_key(number)
}
