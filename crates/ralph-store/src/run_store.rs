//! What every store of runs can do.

use std::time::Duration;

use ralph_core::finding::Reading;
use ralph_core::run::Owner;
use ralph_core::{Run, RunId, SessionId, Timestamp, TreeId};

use crate::error::StoreError;
use crate::event::{EventQuery, NewEvent, StoredEvent};
use crate::iteration::IterationRecord;
use crate::session::Session;

/// Keeps runs and all that belongs to them.
///
/// Every method is one atomic step: it happens as a whole, or it returns an
/// error and nothing was written. Text captured from agents and tools is
/// redacted on the way in; the task and the policy are kept verbatim.
pub trait RunStore {
    /// Keeps a new run.
    ///
    /// Refuses with [`StoreError::WorktreeBusy`] or [`StoreError::SessionBusy`]
    /// when the run is active and one is active already that it excludes
    /// ([`Run::excludes`]), and with [`StoreError::RunExists`] when the id is
    /// taken.
    fn create_run(&self, run: &Run) -> Result<(), StoreError>;

    /// The run with this id.
    fn run(&self, id: &RunId) -> Result<Option<Run>, StoreError>;

    /// The ids that begin with `prefix`, with or without `run-`: at most ten,
    /// in alphabetical order.
    fn run_ids(&self, prefix: &str) -> Result<Vec<RunId>, StoreError>;

    /// The runs that are asked for, newest first.
    fn runs(&self, query: &RunQuery) -> Result<Vec<Run>, StoreError>;

    /// The newest run that a session owns and that has not ended.
    fn run_of_session(&self, session: &SessionId) -> Result<Option<Run>, StoreError>;

    /// Writes one step of a run: the run, the record of the iteration, events.
    ///
    /// [`StoreError::Stale`] when the run is no longer at `expected`;
    /// [`StoreError::AlreadyDecided`] when the iteration has a record;
    /// [`StoreError::WorktreeBusy`] or [`StoreError::SessionBusy`] when the run
    /// would become active beside one that it excludes. A driver's heartbeat is never turned back.
    fn save(&self, expected: Version, step: &Step<'_>) -> Result<(), StoreError>;

    /// Gives the run to a new owner: its epoch is raised by one, so that the
    /// old owner's writes are stale, and what the old one was asked is dropped.
    ///
    /// [`StoreError::Stale`] when the epoch is not the expected one;
    /// [`StoreError::SessionBusy`] when it is active and the new owner has
    /// another active run.
    fn take_over(
        &self,
        id: &RunId,
        expected_epoch: u64,
        owner: &Owner,
        now: Timestamp,
    ) -> Result<Run, StoreError>;

    /// Says that the owner is alive, and tells what others asked for meanwhile.
    ///
    /// [`StoreError::Stale`] when the epoch is not the present one.
    fn heartbeat(
        &self,
        id: &RunId,
        epoch: u64,
        now: Timestamp,
    ) -> Result<Option<Request>, StoreError>;

    /// Tells what others asked for, like [`Self::heartbeat`], but only reads.
    fn pending(&self, id: &RunId, epoch: u64) -> Result<Option<Request>, StoreError>;

    /// Asks the owner of a run for something.
    ///
    /// The request stays until the run gets a new owner. A pause does not
    /// replace a stop, and a run that has ended is left as it is.
    fn request(&self, id: &RunId, request: Request, now: Timestamp) -> Result<(), StoreError>;

    /// The last `last` iterations of a run, oldest first.
    fn iterations(&self, id: &RunId, last: u32) -> Result<Vec<IterationRecord>, StoreError>;

    /// Whether an iteration has a record.
    fn is_decided(&self, id: &RunId, number: u32) -> Result<bool, StoreError> {
        Ok(self.iteration(id, number)?.is_some())
    }

    /// One iteration of a run.
    fn iteration(&self, id: &RunId, number: u32) -> Result<Option<IterationRecord>, StoreError>;

    /// Keeps an event and returns its number.
    fn append(&self, event: &NewEvent) -> Result<u64, StoreError>;

    /// The events that are asked for, oldest first.
    fn events(&self, query: &EventQuery) -> Result<Vec<StoredEvent>, StoreError>;

    /// Keeps that a gate passed on a tree.
    /// `gate_key` stands for the gate and its whole configuration.
    fn remember_pass(
        &self,
        gate_key: &str,
        tree: &TreeId,
        pass: &GatePass,
    ) -> Result<(), StoreError>;

    /// Forgets that a gate passed on a tree: it failed there since.
    fn forget_pass(&self, gate_key: &str, tree: &TreeId) -> Result<(), StoreError>;

    /// The last pass of a gate on a tree, if it is known to have passed.
    fn pass(&self, gate_key: &str, tree: &TreeId) -> Result<Option<GatePass>, StoreError>;

    /// Keeps how long a gate takes, in place of what was kept before. `gate`
    /// stands for its name and command.
    fn remember_time(&self, gate: &str, took: Duration, now: Timestamp) -> Result<(), StoreError>;

    /// How long a gate takes, to the millisecond, if that is known.
    fn time(&self, gate: &str) -> Result<Option<Duration>, StoreError>;

    /// Keeps a session, in place of what was kept under its id.
    fn save_session(&self, session: &Session) -> Result<(), StoreError>;

    /// The session with this id.
    fn session(&self, id: &str) -> Result<Option<Session>, StoreError>;

    /// The session that changed last of those the host calls `external`.
    fn session_of_host(&self, external: &SessionId) -> Result<Option<Session>, StoreError>;

    /// The sessions of a task, the one that changed last first.
    fn sessions_of_task(&self, task_id: &str) -> Result<Vec<Session>, StoreError>;

    /// Reads everything once; [`StoreError::Damaged`] when it is not sound.
    fn check_integrity(&self) -> Result<(), StoreError>;

    /// Moves what was written into the main file, as far as others let us.
    fn checkpoint(&self) -> Result<(), StoreError>;
}

/// An executed gate that passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GatePass {
    /// What it printed.
    pub reading: Reading,
    /// Stands for what the tree does not hold and the gate may depend on.
    pub stamp: String,
    /// When it ended.
    pub at: Timestamp,
}

/// Which runs are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunQuery {
    /// Only those of this work tree.
    pub worktree: Option<String>,
    /// Only those that stand like this.
    pub which: Which,
    /// At most this many.
    pub limit: u32,
}

/// How the runs stand that are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// Anyhow.
    All,
    /// Somebody works on them.
    Active,
    /// They have not ended.
    Open,
    /// They have ended.
    Ended,
}

/// What a run is compared by before it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// The epoch it was read with.
    pub epoch: u64,
    /// The iteration it was read with.
    pub iteration: u32,
}

impl Version {
    /// The version of a run as it was read.
    pub fn of(run: &Run) -> Self {
        Self { epoch: run.epoch, iteration: run.iteration }
    }
}

/// One step of a run: what is written together.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// The run as it is to be from now on.
    pub run: &'a Run,
    /// The iteration that was decided, which belongs to the same run.
    pub iteration: Option<&'a IterationRecord>,
    /// What happened.
    pub events: &'a [NewEvent],
}

/// What the owner of a run can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// To end the run.
    Stop,
    /// To pause the run.
    Pause,
}

impl Request {
    /// The name in the database.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Pause => "pause",
        }
    }

    /// What is to be done when `later` is asked for as well.
    pub(crate) fn and(self, later: Self) -> Self {
        match self {
            Self::Stop => Self::Stop,
            Self::Pause => later,
        }
    }
}
