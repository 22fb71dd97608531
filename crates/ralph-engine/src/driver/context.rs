//! The services and places that every part of a run uses.

use std::path::PathBuf;

use ralph_core::Run;
use ralph_core::evidence::WeakenedCheck;
use ralph_core::state::{PauseReason, RunFailure, RunState};
use ralph_proc::Supervisor;
use ralph_snapshot::WorkTree;

use super::state_for_request;
use crate::clock::{InterruptSignal, TimeSource};
use crate::error::EngineError;
use crate::events::{EventSink, RunEvent};
use crate::ledger::RunLedger;

/// The services and places that every part of a run uses.
pub struct RunContext<'a> {
    /// The store of the run.
    pub ledger: RunLedger,
    /// The time.
    pub clock: &'a dyn TimeSource,
    /// The receiver of events.
    pub sink: &'a mut dyn EventSink,
    /// Set by Ctrl-C.
    pub interrupt: InterruptSignal,
    /// The supervisor that starts and ends processes, in the sandbox of the
    /// gates if they have one.
    pub supervisor: Supervisor,
    /// The work tree.
    pub tree: WorkTree,
    /// The folders of the run.
    pub places: RunPlaces,
    /// Findings against the current turn that do not come from its files.
    pub held: Vec<WeakenedCheck>,
}

/// The folders of a run.
#[derive(Clone, Debug)]
pub struct RunPlaces {
    /// The project's root.
    pub root: PathBuf,
    /// The run's own folder in the state home.
    pub folder: PathBuf,
    /// Folders without which there are no files to work on.
    pub foundations: Vec<PathBuf>,
    /// The state home of the project if its repository is deleted.
    pub shelter: PathBuf,
}

impl RunContext<'_> {
    /// Returns the limit that forbids another turn. Limits are judged after
    /// every turn as well; this check is for a run that was interrupted in its
    /// last turn.
    pub(crate) fn exhausted(&self, run: &Run) -> Option<RunFailure> {
        let spent = run.spent(self.clock.now());
        if run.iteration == 0 { None } else { run.policy.limits.reached_by(&spent) }
    }

    /// Returns the state that the user or another process requested instead of
    /// another turn.
    pub(crate) fn requested_state(&mut self, run: &Run) -> Result<Option<RunState>, EngineError> {
        if self.interrupt.is_raised() {
            // The request is known: work for an orderly end may go on.
            self.tree.handle().go_on();
            return Ok(Some(RunState::Paused(PauseReason::Interrupted)));
        }
        let request = self.ledger.store().pending(&run.id, run.epoch)?;
        Ok(request.map(state_for_request))
    }

    pub(crate) fn is_recorded(&self, run: &Run) -> Result<bool, EngineError> {
        Ok(self.ledger.store().is_decided(&run.id, run.iteration)?)
    }

    /// Stores the run again if its store was deleted.
    pub(crate) fn restore_deleted_run(&mut self, run: &Run) -> Result<(), EngineError> {
        if self.ledger.restore_if_lost(run)? {
            let text = "the state was deleted while the run was going on; it was written again";
            self.emit(&RunEvent::Notice { run, text });
        }
        Ok(())
    }

    pub(crate) fn emit(&mut self, event: &RunEvent<'_>) {
        self.sink.event(event, self.clock.now());
    }
}
