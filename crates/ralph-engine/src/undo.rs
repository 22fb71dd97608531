//! Which snapshot is meant, and what a run left behind.

use std::path::Path;

use ralph_core::{Run, RunId};
use ralph_snapshot::{Label, ParseLabelError, Project, Snapshot, TreeError, WorkTree};

use crate::driver::leftovers::Leftovers;

/// The work tree of a run, without the files that its gates created.
pub fn work_tree(project: &Project, home: &Path, run: &RunId) -> Result<WorkTree, TreeError> {
    let mut tree = WorkTree::open(project, &home.join("trees"))?;
    let folder = home.join("runs").join(run.as_str());
    tree.leave_out(Leftovers::load(&folder).untouched(&project.root));
    Ok(tree)
}

/// A name for a snapshot as people use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    /// Before the first turn.
    Start,
    /// After the iteration with the best evidence.
    Best,
    /// What the run left.
    Last,
    /// Exactly this one.
    Exact(Label),
}

impl std::str::FromStr for Name {
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

/// The snapshot that a name means in a run.
///
/// An iteration that changed nothing has no snapshot of its own: the one
/// before it stands for it.
pub fn find<'a>(name: Name, run: &Run, snapshots: &'a [Snapshot]) -> Option<&'a Snapshot> {
    match name {
        Name::Start | Name::Exact(Label::Start) => by_label(snapshots, Label::Start),
        Name::Last => last(snapshots),
        Name::Best => after(snapshots, run.best?.iteration),
        Name::Exact(Label::Iteration(number)) if number <= run.iteration => {
            after(snapshots, number)
        }
        Name::Exact(label) => by_label(snapshots, label),
    }
}

/// What the run left: its newest snapshot that is not a rollback's.
pub fn last(snapshots: &[Snapshot]) -> Option<&Snapshot> {
    after(snapshots, u32::MAX)
}

fn by_label(snapshots: &[Snapshot], label: Label) -> Option<&Snapshot> {
    snapshots.iter().find(|snapshot| snapshot.label == label)
}

/// The files as they were after an iteration.
fn after(snapshots: &[Snapshot], iteration: u32) -> Option<&Snapshot> {
    let number = |snapshot: &&Snapshot| match snapshot.label {
        Label::Start => Some(0),
        Label::Iteration(number) if number <= iteration => Some(number),
        Label::Iteration(_) | Label::Safety(_) | Label::After(_) => None,
    };
    snapshots.iter().filter(|snapshot| number(snapshot).is_some()).max_by_key(number)
}
