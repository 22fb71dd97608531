//! Summarizes earlier turns for a new session, from our own records.

use ralph_core::wording::{self, EarlierTurns, PastTurn};
use ralph_core::{Run, TreeId};
use ralph_snapshot::{SnapshotError, SnapshotLabel, Snapshots};

use super::RunContext;

/// Maximum number of earlier turns in a summary.
const TURNS: u32 = 8;

/// Maximum number of changed files that are named.
const FILES: usize = 40;

impl RunContext<'_> {
    /// Returns a summary of the run so far. Unknown parts are left out: a
    /// failure here must not end the run.
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
        wording::summary(run, &EarlierTurns { turns: turns.collect(), changed, more_changed })
    }

    fn changed(&self, run: &Run, tree: &TreeId) -> Result<Vec<String>, SnapshotError> {
        let start = Snapshots::new(&self.tree, run.id.clone()).get(SnapshotLabel::Start)?;
        let changes = self.tree.changes(&start.tree, tree)?;
        let name = |path: &std::path::Path| path.to_string_lossy().replace(char::is_control, "?");
        Ok(changes.iter().map(|change| name(&change.path)).collect())
    }
}
