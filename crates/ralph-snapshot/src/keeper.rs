use std::fmt::Debug;
use std::io::Read;
use std::path::PathBuf;

use ralph_core::{RunId, Timestamp};

use crate::error::TreeError;
use crate::label::Label;
use crate::scope::Scope;
use crate::snapshot::{Difference, Item, Present, Snapshot, Version};
use crate::snapshots;

/// Records contents so that they can be given back, in git or outside.
pub(crate) trait Keeper: Debug {
    /// Records the present contents. `base` is a snapshot of the same run;
    /// with none, nothing recorded earlier is relied upon.
    fn record(
        &self,
        scope: &Scope,
        base: Option<&Snapshot>,
        now: Timestamp,
    ) -> Result<Present, TreeError>;

    /// Records `base` with the present contents of `paths`, which are all
    /// that changed since; `None` if that is not to be told without looking
    /// at all files.
    fn record_known(
        &self,
        _scope: &Scope,
        _base: &Snapshot,
        _paths: &[PathBuf],
        _now: Timestamp,
    ) -> Result<Option<Present>, TreeError> {
        Ok(None)
    }

    /// A snapshot of the run that the present files are likely similar to.
    fn base(&self, run: &RunId) -> Result<Option<Snapshot>, TreeError> {
        let all = self.list(run)?;
        Ok(snapshots::base(&all).cloned())
    }

    /// Gives recorded contents a name, in place of what had it before.
    /// `like` is a snapshot of the same contents.
    fn keep(
        &self,
        run: &RunId,
        label: Label,
        present: &Present,
        like: Option<&Snapshot>,
    ) -> Result<Snapshot, TreeError>;

    /// The snapshots of a run, ordered by label.
    fn list(&self, run: &RunId) -> Result<Vec<Snapshot>, TreeError>;

    /// Paths that differ, ordered.
    fn differences(&self, from: &Version, to: &Version) -> Result<Vec<Difference>, TreeError>;

    /// Passes the contents of `items` to `sink` one after the other, with
    /// their positions, until it fails.
    fn read(&self, items: &[&Item], sink: &mut Sink<'_>) -> Result<(), TreeError>;

    /// Forgets the snapshots of a run, and contents that nothing else needs.
    fn remove(&self, run: &RunId) -> Result<(), TreeError>;

    /// How many bytes the snapshots of a run take that nothing else needs.
    fn space_used(&self, run: &RunId) -> Result<u64, TreeError>;
}

/// Takes the contents of one item by its position.
pub(crate) type Sink<'a> = dyn FnMut(usize, &mut dyn Read) -> Result<(), TreeError> + 'a;
