//! The trait of all stores of runs.

use std::time::Duration;

use ralph_core::finding::ToolReport;
use ralph_core::run::Owner;
use ralph_core::{Run, RunId, SessionId, Timestamp, TreeId};

use crate::error::StoreError;
use crate::event::{EventQuery, NewEvent, StoredEvent};
use crate::iteration::IterationRecord;

/// A store of runs and their iterations and events.
///
/// Every method is one atomic step: it either happens as a whole, or returns an
/// error and writes nothing. Text captured from agents and tools is redacted
/// before it is stored; the task and the policy are kept verbatim.
pub trait RunStore {
    /// Stores a new run.
    ///
    /// Returns [`StoreError::WorktreeBusy`] or [`StoreError::SessionBusy`] if
    /// the run is active and it excludes another active run
    /// ([`Run::excludes`]). Returns [`StoreError::RunExists`] if the id is
    /// taken.
    fn create_run(&self, run: &Run) -> Result<(), StoreError>;

    /// Returns the run with this id.
    fn run(&self, id: &RunId) -> Result<Option<Run>, StoreError>;

    /// Returns the ids that begin with `prefix`, with or without `run-`: at
    /// most ten, in alphabetical order.
    fn run_ids(&self, prefix: &str) -> Result<Vec<RunId>, StoreError>;

    /// Returns the runs that match a query, newest first.
    fn runs(&self, query: &RunQuery) -> Result<Vec<Run>, StoreError>;

    /// Returns the newest run that a session owns and that has not ended.
    fn run_of_session(&self, session: &SessionId) -> Result<Option<Run>, StoreError>;

    /// Writes one step of a run: the run, the record of the iteration, events.
    ///
    /// Returns [`StoreError::Stale`] if the run is no longer at `expected`;
    /// [`StoreError::AlreadyDecided`] if the iteration has a record;
    /// [`StoreError::WorktreeBusy`] or [`StoreError::SessionBusy`] if the run
    /// would become active beside one that it excludes. A driver's heartbeat
    /// never goes back in time.
    fn save(&self, expected: RunVersion, step: &RunStep<'_>) -> Result<(), StoreError>;

    /// Gives the run to a new owner. Its epoch is raised by one, so that writes
    /// of the old owner are stale. A request to the old owner is dropped.
    ///
    /// Returns [`StoreError::Stale`] if the epoch is not the expected one;
    /// [`StoreError::SessionBusy`] if the run is active and the new owner has
    /// another active run.
    fn take_over(
        &self,
        id: &RunId,
        expected_epoch: u64,
        owner: &Owner,
        now: Timestamp,
    ) -> Result<Run, StoreError>;

    /// Records that the owner is alive, and returns a request to it, if any.
    ///
    /// Returns [`StoreError::Stale`] if the epoch is not the current one.
    fn heartbeat(
        &self,
        id: &RunId,
        epoch: u64,
        now: Timestamp,
    ) -> Result<Option<OwnerRequest>, StoreError>;

    /// Returns a request to the owner like [`Self::heartbeat`], but writes
    /// nothing.
    fn pending(&self, id: &RunId, epoch: u64) -> Result<Option<OwnerRequest>, StoreError>;

    /// Asks the owner of a run for something.
    ///
    /// The request stays until the run gets a new owner. A pause does not
    /// replace a stop, and an ended run is not changed.
    fn request(&self, id: &RunId, request: OwnerRequest, now: Timestamp) -> Result<(), StoreError>;

    /// Returns the last `last` iterations of a run, oldest first.
    fn iterations(&self, id: &RunId, last: u32) -> Result<Vec<IterationRecord>, StoreError>;

    /// Returns true if an iteration has a record.
    fn is_decided(&self, id: &RunId, number: u32) -> Result<bool, StoreError> {
        Ok(self.iteration(id, number)?.is_some())
    }

    /// Returns one iteration of a run.
    fn iteration(&self, id: &RunId, number: u32) -> Result<Option<IterationRecord>, StoreError>;

    /// Stores an event and returns its number.
    fn append(&self, event: &NewEvent) -> Result<u64, StoreError>;

    /// Returns the events that match a query, oldest first.
    fn events(&self, query: &EventQuery) -> Result<Vec<StoredEvent>, StoreError>;

    /// Stores that a gate passed on a tree. `gate_key` identifies the gate and
    /// its whole configuration.
    fn remember_pass(
        &self,
        gate_key: &str,
        tree: &TreeId,
        pass: &GatePass,
    ) -> Result<(), StoreError>;

    /// Deletes the pass of a gate on a tree, because it failed there since.
    fn forget_pass(&self, gate_key: &str, tree: &TreeId) -> Result<(), StoreError>;

    /// Returns the last pass of a gate on a tree, if any.
    fn pass(&self, gate_key: &str, tree: &TreeId) -> Result<Option<GatePass>, StoreError>;

    /// Stores the duration of a gate, replacing the earlier one. `gate`
    /// identifies its name and command.
    fn remember_time(&self, gate: &str, took: Duration, now: Timestamp) -> Result<(), StoreError>;

    /// Returns the last duration of a gate, to the millisecond, if known.
    fn time(&self, gate: &str) -> Result<Option<Duration>, StoreError>;

    /// Reads everything once. Returns [`StoreError::Damaged`] if the file is
    /// damaged.
    fn check_integrity(&self) -> Result<(), StoreError>;

    /// Moves the write-ahead log into the main file, as far as other processes
    /// allow.
    fn checkpoint(&self) -> Result<(), StoreError>;
}

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
