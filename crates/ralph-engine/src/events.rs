//! Events of a run. Every surface shows runs from them.

use std::time::Duration;

use ralph_agents::OutputPieceKind;
use ralph_core::evidence::{GateReport, TestEdit, WeakenedCheck};
use ralph_core::state::WaitReason;
use ralph_core::{Run, Timestamp};

use ralph_snapshot::WorkProgress;

use crate::seal::UnsealedReason;

/// One event.
#[derive(Clone, Debug)]
pub enum RunEvent<'a> {
    /// A run started or was resumed.
    RunStarted {
        /// The run now.
        run: &'a Run,
        /// New or resumed.
        how: RunStart,
    },
    /// A gate is about to run.
    GateStarted {
        /// Its name.
        name: &'a str,
        /// The iteration whose tree it runs on; 0 before the first.
        iteration: u32,
    },
    /// A gate ended.
    GateFinished {
        /// Its report.
        report: &'a GateReport,
        /// The iteration whose tree it ran on; 0 before the first.
        iteration: u32,
    },
    /// The agent's turn begins.
    IterationStarted {
        /// The run with its new iteration number.
        run: &'a Run,
    },
    /// The agent printed or did something. Bounded in size, and only for
    /// watching.
    AgentOutput {
        /// The iteration.
        iteration: u32,
        /// The kind of output.
        kind: OutputPieceKind,
        /// A piece of its output, redacted.
        text: &'a str,
    },
    /// The agent's turn is over and judged.
    IterationEnded {
        /// The run after the decision.
        run: &'a Run,
        /// The iteration that ended.
        iteration: u32,
        /// The decision and its reasons, in a few words.
        summary: IterationSummary<'a>,
    },
    /// The run waits.
    Waiting {
        /// The run.
        run: &'a Run,
        /// The reason.
        wait: &'a WaitReason,
    },
    /// Something the user should know.
    Notice {
        /// The run.
        run: &'a Run,
        /// One sentence.
        text: &'a str,
    },
    /// The driver cannot continue, for a reason outside the run.
    RunBroken {
        /// The run as it was last stored.
        run: &'a Run,
        /// The error.
        error: &'a str,
    },
    /// The driver leaves the run in its current state.
    RunEnded {
        /// The run.
        run: &'a Run,
        /// The changes of its notes, in one line, if there are any.
        learned: Option<&'a str>,
        /// The reason why its evidence is not sealed, if it is not.
        unsealed: Option<UnsealedReason>,
    },
}

/// The way a driver came to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunStart {
    /// It is new.
    New,
    /// It was resumed after a pause, a wait or a crash.
    Resumed,
}

/// One iteration in a few words.
#[derive(Clone, Debug)]
pub struct IterationSummary<'a> {
    /// The decision: `continue`, `complete`, …
    pub decision: &'a str,
    /// The claim in the final text.
    pub claim: &'a str,
    /// The turn's ending.
    pub turn: &'a str,
    /// Number of failures.
    pub failing: u32,
    /// The duration of the turn and its gates.
    pub elapsed: Duration,
    /// The gates' findings.
    pub gates: &'a [GateReport],
    /// Checks that were made weaker since the run started.
    pub weakened: &'a [WeakenedCheck],
    /// Other edits of tests and checks since the run started.
    pub edited: &'a [TestEdit],
}

/// Receives events in order, in the driver's thread.
pub trait EventSink {
    /// Receives an event. Must not block for long.
    fn event(&mut self, event: &RunEvent<'_>, at: Timestamp);

    /// Shows the last lines of an agent whose output is plain text, whenever
    /// they change. Redacted.
    fn last_lines(&mut self, _lines: &[String], _at: Timestamp) {}

    /// Shows the progress of long work on a snapshot, a few times a second;
    /// `None` once it is done.
    fn work_progress(&mut self, _progress: Option<WorkProgress>, _at: Timestamp) {}

    /// Called a few times a second while the driver works.
    fn tick(&mut self, _at: Timestamp) {}
}

/// A sink that ignores all events.
#[derive(Clone, Copy, Debug, Default)]
pub struct SilentSink;

impl EventSink for SilentSink {
    fn event(&mut self, _event: &RunEvent<'_>, _at: Timestamp) {}
}
