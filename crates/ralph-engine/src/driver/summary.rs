//! What a new session is told about the turns before it, from our own record.

use ralph_core::wording::{self, Past, PastTurn};
use ralph_core::{Run, TreeId};
use ralph_snapshot::{Label, SnapshotError, Snapshots};
use ralph_store::RunStore;

use super::Driver;

/// How many earlier turns are told.
const TURNS: u32 = 8;

/// How many changed files are named.
const FILES: usize = 40;

impl Driver<'_> {
    /// What happened so far. What cannot be told is left out: a summary is
    /// no reason to end a run.
    pub(crate) fn summary(&self, run: &Run) -> String {
        let records = self.ledger.store().iterations(&run.id, TURNS).unwrap_or_default();
        let spoke = records.into_iter().filter(|record| !record.text.trim().is_empty());
        let turns = spoke.map(|record| PastTurn {
            number: record.number,
            failing: (!record.gates.is_empty()).then_some(record.failing),
            text: record.text,
        });
        let tree = self.tree.tree().ok();
        let mut changed = tree.and_then(|tree| self.changed(run, &tree).ok()).unwrap_or_default();
        let more_changed = changed.len().saturating_sub(FILES);
        changed.truncate(FILES);
        wording::summary(run, &Past { turns: turns.collect(), changed, more_changed })
    }

    fn changed(&self, run: &Run, tree: &TreeId) -> Result<Vec<String>, SnapshotError> {
        let start = Snapshots::new(&self.tree, run.id.clone()).get(Label::Start)?;
        let changes = self.tree.changes(&start.tree, tree)?;
        let name = |path: &std::path::Path| path.to_string_lossy().replace(char::is_control, "?");
        Ok(changes.iter().map(|change| name(&change.path)).collect())
    }
}
