//! What happens during a run, as typed events: the one feed of every surface.

use std::time::Duration;

use ralph_agents::PieceKind;
use ralph_core::evidence::{Edit, GateReport, Weakening};
use ralph_core::state::Wait;
use ralph_core::{Run, Timestamp};

use ralph_snapshot::WorkProgress;

use crate::seal::Unsealed;

/// Something that happened.
#[derive(Clone, Debug)]
pub enum Event<'a> {
    /// A run began, or goes on.
    RunStarted {
        /// The run as it is now.
        run: &'a Run,
        /// Whether it is new or goes on.
        how: Begin,
    },
    /// A gate is about to run.
    GateStarted {
        /// Its name.
        name: &'a str,
        /// The iteration whose tree it looks at; 0 before the first.
        iteration: u32,
    },
    /// A gate ended.
    GateFinished {
        /// What it found.
        report: &'a GateReport,
        /// The iteration whose tree it looked at; 0 before the first.
        iteration: u32,
    },
    /// The agent's turn begins.
    IterationStarted {
        /// The run with its new iteration number.
        run: &'a Run,
    },
    /// The agent said something; bounded, and only for watching.
    AgentOutput {
        /// The iteration.
        iteration: u32,
        /// What kind of thing it said or did.
        kind: PieceKind,
        /// A piece of its output, redacted.
        text: &'a str,
    },
    /// The agent's turn is over and judged.
    IterationEnded {
        /// The run after the decision.
        run: &'a Run,
        /// The iteration that ended.
        iteration: u32,
        /// What was decided and why, in a few words.
        summary: IterationSummary<'a>,
    },
    /// The run waits.
    Waiting {
        /// The run.
        run: &'a Run,
        /// For what.
        wait: &'a Wait,
    },
    /// Something the user should know.
    Notice {
        /// The run.
        run: &'a Run,
        /// One sentence.
        text: &'a str,
    },
    /// The driver cannot go on, for a reason that is not the run's.
    RunBroken {
        /// The run as it was recorded last.
        run: &'a Run,
        /// What went wrong.
        error: &'a str,
    },
    /// The driver leaves the run in its present state.
    RunEnded {
        /// The run.
        run: &'a Run,
        /// What became of its notes, in one line, if anything did.
        learned: Option<&'a str>,
        /// Why its evidence is not sealed, if it is not.
        unsealed: Option<Unsealed>,
    },
}

/// How a driver came to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begin {
    /// It is new.
    New,
    /// It goes on after a pause, a wait or a crash.
    Resumed,
}

/// One iteration in a few words.
#[derive(Clone, Debug)]
pub struct IterationSummary<'a> {
    /// What was decided: `continue`, `complete`, …
    pub decision: &'a str,
    /// What the final text said about being done.
    pub claim: &'a str,
    /// How the turn ended.
    pub turn: &'a str,
    /// How many things fail.
    pub failing: u32,
    /// How long the turn and its gates took.
    pub elapsed: Duration,
    /// The gates' findings.
    pub gates: &'a [GateReport],
    /// Checks that were made weaker since the run was armed.
    pub weakened: &'a [Weakening],
    /// Other edits of tests and checks since then.
    pub edited: &'a [Edit],
}

/// Receives events in order, in the driver's thread.
pub trait Sink {
    /// Takes note. Must not block for long.
    fn event(&mut self, event: &Event<'_>, at: Timestamp);

    /// Shows the last lines of an agent whose output is nothing but text, as
    /// often as they change while it runs. Redacted.
    fn last_lines(&mut self, _lines: &[String], _at: Timestamp) {}

    /// Shows how far the work at a snapshot is, a few times a second while it
    /// takes long; `None` once it is done.
    fn work_progress(&mut self, _progress: Option<WorkProgress>, _at: Timestamp) {}

    /// Called a few times a second while something runs.
    fn tick(&mut self, _at: Timestamp) {}
}

/// A sink that takes no note.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Sink for Silent {
    fn event(&mut self, _event: &Event<'_>, _at: Timestamp) {}
}
