use std::fmt::Debug;
use std::io::Read;
use std::path::PathBuf;

use ralph_core::{RunId, Timestamp};

use crate::error::TreeError;
use crate::label::SnapshotLabel;
use crate::scope::TreeScope;
use crate::snapshot::{PathDifference, RecordedTree, Snapshot, TreeItem, TreeVersion};
use crate::snapshots;

/// Records contents for later restoring, in git or outside.
pub(crate) trait ContentKeeper: Debug {
    /// Records the present contents. `base` is a snapshot of the same run;
    /// without it, nothing recorded earlier is trusted.
    fn record(
        &self,
        scope: &TreeScope,
        base: Option<&Snapshot>,
        now: Timestamp,
    ) -> Result<RecordedTree, TreeError>;

    /// Records `base` with the present contents of `paths`, which must be all
    /// paths that changed since. Returns `None` if that would need a check of
    /// all files.
    fn record_known(
        &self,
        _scope: &TreeScope,
        _base: &Snapshot,
        _paths: &[PathBuf],
        _now: Timestamp,
    ) -> Result<Option<RecordedTree>, TreeError> {
        Ok(None)
    }

    /// Returns a snapshot of the run that is probably similar to the present
    /// files.
    fn base(&self, run: &RunId) -> Result<Option<Snapshot>, TreeError> {
        let all = self.list(run)?;
        Ok(snapshots::base(&all).cloned())
    }

    /// Saves recorded contents as a snapshot; replaces one with the same label.
    /// `like` is a snapshot of the same contents.
    fn keep(
        &self,
        run: &RunId,
        label: SnapshotLabel,
        present: &RecordedTree,
        like: Option<&Snapshot>,
    ) -> Result<Snapshot, TreeError>;

    /// Lists the snapshots of a run, ordered by label.
    fn list(&self, run: &RunId) -> Result<Vec<Snapshot>, TreeError>;

    /// Returns the paths that differ, ordered.
    fn differences(
        &self,
        from: &TreeVersion,
        to: &TreeVersion,
    ) -> Result<Vec<PathDifference>, TreeError>;

    /// Passes the contents of `items` to `sink` one after the other, with their
    /// positions, until it fails.
    fn read(&self, items: &[&TreeItem], sink: &mut ContentSink<'_>) -> Result<(), TreeError>;

    /// Deletes the snapshots of a run, and contents that nothing else needs.
    fn remove(&self, run: &RunId) -> Result<(), TreeError>;

    /// Returns the number of bytes that only the snapshots of a run need.
    fn space_used(&self, run: &RunId) -> Result<u64, TreeError>;
}

/// Receives the contents of one item and its position.
pub(crate) type ContentSink<'a> = dyn FnMut(usize, &mut dyn Read) -> Result<(), TreeError> + 'a;
