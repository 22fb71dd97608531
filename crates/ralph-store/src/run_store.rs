//! What a store of runs is asked, and what it answers.

use ralph_core::finding::ToolReport;
use ralph_core::{Run, Timestamp};

use crate::event::NewEvent;
use crate::iteration::IterationRecord;

/// The pass of a gate that was executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GatePass {
    /// The parsed output.
    pub reading: ToolReport,
    /// A stamp of what the gate may depend on outside the tree.
    pub stamp: String,
    /// The time at which it ended.
    pub at: Timestamp,
}

/// A filter for runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunQuery {
    /// Only those of this work tree.
    pub worktree: Option<String>,
    /// Only those in this state.
    pub which: RunStateFilter,
    /// At most this many.
    pub limit: u32,
}

/// The states of runs that a query finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunStateFilter {
    /// All runs.
    All,
    /// Runs that a driver or a session works on.
    Active,
    /// Runs that have not ended.
    Open,
    /// Runs that have ended.
    Ended,
}

/// The part of a run that is compared before it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunVersion {
    /// The epoch it was read with.
    pub epoch: u64,
    /// The iteration it was read with.
    pub iteration: u32,
}

impl RunVersion {
    /// Returns the version of a run as it was read.
    pub fn of(run: &Run) -> Self {
        Self { epoch: run.epoch, iteration: run.iteration }
    }
}

/// One step of a run: the values that are written together.
#[derive(Clone, Copy, Debug)]
pub struct RunStep<'a> {
    /// The new run.
    pub run: &'a Run,
    /// The iteration that was decided. It belongs to the same run.
    pub iteration: Option<&'a IterationRecord>,
    /// The events of the step.
    pub events: &'a [NewEvent],
}

/// A request to the owner of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnerRequest {
    /// Ends the run.
    Stop,
    /// Pauses the run.
    Pause,
}

impl OwnerRequest {
    /// Returns the name in the database.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Pause => "pause",
        }
    }

    /// Combines this request with a later one.
    pub(crate) fn and(self, later: Self) -> Self {
        match self {
            Self::Stop => Self::Stop,
            Self::Pause => later,
        }
    }
}
