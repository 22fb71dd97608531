//! Takes snapshots during a run: at its start, and after every turn that
//! changed files.

use ralph_core::{Evidence, Run, TreeId};
use ralph_snapshot::{OutsideChanges, Snapshot, SnapshotLabel, Snapshots};

use super::attending::is_interruption;
use super::{Driver, RunContext};
use crate::error::EngineError;
use crate::events::{RunEvent, RunStart};

impl Driver<'_> {
    /// Takes the snapshot of the start before anything changes.
    pub(crate) fn snapshot_start(&mut self, run: &Run, how: RunStart) -> Result<(), EngineError> {
        let snapshots = Snapshots::new(&self.context.tree, run.id.clone());
        self.snapshots.kept = match how {
            RunStart::New => None,
            RunStart::Resumed => crate::undo::last(&snapshots.list()?).cloned(),
        };
        if self.snapshots.kept.is_some() {
            return Ok(());
        }
        let now = self.context.clock.now();
        let taken = self.context.run_in_background(|tree| {
            Snapshots::new(tree, run.id.clone()).take(SnapshotLabel::Start, now)
        });
        let start = taken.inspect_err(|_| self.snapshot_taker().say_not_begun(run))?;
        self.snapshot_taker().say_left_out(run, &start);
        self.outside().remember_head()?;
        self.outside().remember_programs()?;
        self.snapshots.kept = Some(start);
        Ok(())
    }

    /// Takes a snapshot after a turn, if it changed anything.
    ///
    /// A failure does not end the run: the snapshot before still allows a
    /// rollback. The first signal does not end it either, since without it the
    /// turn's changes would be unknown later; the second one does.
    pub(crate) fn snapshot_turn(&mut self, run: &Run, evidence: Option<&Evidence>) {
        let seen = evidence.and_then(|seen| seen.tree.as_ref());
        let before = self.snapshots.kept.as_ref().map(|kept| kept.tree.clone());
        self.context.tree.handle().ignore_first();
        let kept =
            self.snapshot_taker().try_keep(run, SnapshotLabel::Iteration(run.iteration), seen);
        self.context.tree.handle().go_on();
        self.snapshot_taker().note_changes_during_checks(run);
        if let Err(error) = kept {
            let text = format!("no snapshot of iteration {}: {error}", run.iteration);
            self.context.emit(&RunEvent::Notice { run, text: &text });
        }
        if let (Some(before), Some(kept)) = (before, &self.snapshots.kept) {
            // Snapshots in different stores cannot be compared.
            let changes = self.context.tree.changes(&before, &kept.tree).unwrap_or_default();
            self.memory.add_files(&changes);
            self.session_log().log_changed_files(run, &changes);
        }
    }

    /// Takes a snapshot after a turn whose driver died. An orderly interruption
    /// took one already, without later changes of others.
    pub(crate) fn snapshot_lost_turn(&mut self, run: &Run) {
        let label = SnapshotLabel::Iteration(run.iteration);
        if Snapshots::new(&self.context.tree, run.id.clone()).get(label).is_err() {
            self.snapshot_turn(run, None);
        }
    }
}

/// The newest snapshots of a run.
#[derive(Default)]
pub(crate) struct SnapshotState {
    /// The newest snapshot.
    pub(crate) kept: Option<Snapshot>,
    /// The tree as the agent left it in this turn, if it was computed.
    pub(crate) agent_left: Option<TreeId>,
}

/// Takes the snapshots of a run.
pub(crate) struct SnapshotTaker<'d, 'a> {
    pub(super) context: &'d mut RunContext<'a>,
    pub(super) state: &'d mut SnapshotState,
}

impl SnapshotTaker<'_, '_> {
    /// Takes a snapshot of changes that others made while the run rested, to
    /// keep them apart from the run's own.
    ///
    /// If the driver died during a turn, the two cannot be told apart: all
    /// changes then count as the turn's.
    /// turn's.
    pub(crate) fn snapshot_changes_at_rest(&mut self, run: &Run) {
        if let Err(error) = self.try_keep(run, SnapshotLabel::Resumed(run.iteration), None)
            && !is_interruption(&error)
        {
            let text = format!("no snapshot of what others did meanwhile: {error}");
            self.context.emit(&RunEvent::Notice { run, text: &text });
        }
    }

    /// Notes changes between the end of the agent's turn and its snapshot.
    fn note_changes_during_checks(&mut self, run: &Run) {
        if let (Some(left), Some(kept)) = (self.state.agent_left.take(), &self.state.kept) {
            let changes = self.context.tree.changes(&left, &kept.tree).unwrap_or_default();
            OutsideChanges::add(&self.context.places.folder, run.iteration, changes);
        }
    }

    /// Notes changes since the newest snapshot, while no agent was at work.
    pub(crate) fn note_outside_changes(&mut self) {
        let Some(kept) = &self.state.kept else { return };
        let number = match kept.label {
            SnapshotLabel::Iteration(number) | SnapshotLabel::Resumed(number) => number,
            SnapshotLabel::Start | SnapshotLabel::Safety(_) | SnapshotLabel::After(_) => 0,
        };
        let present = self.context.tree.tree();
        let changes = present.and_then(|present| self.context.tree.changes(&kept.tree, &present));
        OutsideChanges::add(&self.context.places.folder, number + 1, changes.unwrap_or_default());
    }

    fn try_keep(
        &mut self,
        run: &Run,
        label: SnapshotLabel,
        seen: Option<&TreeId>,
    ) -> Result<(), EngineError> {
        if self.context.places.foundations.iter().any(|folder| !folder.is_dir()) {
            return Ok(());
        }
        let (kept, now) = (self.state.kept.clone(), self.context.clock.now());
        let taken = self.context.run_in_background(|tree| {
            let present = match seen {
                Some(tree) => tree.clone(),
                None => tree.tree()?,
            };
            let snapshots = Snapshots::new(tree, run.id.clone());
            let is_kept = |kept: &Snapshot| kept.tree == present && !snapshots.differs_aside(kept);
            if kept.as_ref().is_some_and(is_kept) {
                return Ok(None);
            }
            snapshots.take(label, now).map(Some).map_err(EngineError::from)
        })?;
        self.state.kept = taken.or(kept);
        Ok(())
    }

    /// Reports that the first snapshot was interrupted, if that keeps the run
    /// from starting.
    fn say_not_begun(&mut self, run: &Run) {
        if self.context.interrupt.is_raised() {
            let text = run.policy.locale.say(
                "the first snapshot was interrupted; nothing was changed",
                "첫 스냅샷이 중단되었습니다. 변경된 파일은 없습니다",
            );
            self.context.emit(&RunEvent::Notice { run, text });
        }
    }

    fn say_left_out(&mut self, run: &Run, start: &Snapshot) {
        for file in &start.left_out {
            let (path, size) = (file.path.display(), crate::report::size(file.bytes));
            let text = run.policy.locale.say(
                format!(
                    "{path} ({size}) is too large for snapshots: rolling back will not bring it back"
                ),
                format!(
                    "{path} ({size}) 은(는) 스냅샷에 담기에 너무 큽니다: 되돌려도 복구되지 않습니다"
                ),
            );
            self.context.emit(&RunEvent::Notice { run, text: &text });
        }
        for folder in &start.nested {
            let folder = folder.display();
            let text = run.policy.locale.say(
                format!("{folder} is a repository of its own: its files are not in the snapshots"),
                format!("{folder} 은(는) 별도의 저장소입니다: 그 파일은 스냅샷에 없습니다"),
            );
            self.context.emit(&RunEvent::Notice { run, text: &text });
        }
    }
}
