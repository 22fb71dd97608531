//! Starts, stops and finds runs: the main interface of the engine.

use ralph_core::errand::PendingActions;
use ralph_core::run::{AgentRef, NewRun, Owner, Task};
use ralph_core::state::{PauseReason, RunState};
use ralph_core::{Run, RunId, SessionId, Timestamp};
use ralph_store::{
    OwnerRequest, RunQuery, RunStateFilter, RunStep, RunVersion, SqliteStore, StoreError,
};

use crate::error::EngineError;
use crate::owner;
use crate::steps;

/// The result of a request to stop or pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopOutcome {
    /// The run is in the requested state.
    AtOnce,
    /// Its driver is alive and was asked; it follows within a moment.
    Asked,
    /// The run had ended already.
    Already,
}

/// Maximum number of active runs of a work tree that are read.
const MOST_ACTIVE: u32 = 1000;

/// Stores a new run. Fails while another run is active that it excludes.
///
/// Active runs whose driver died are paused first and can be resumed later.
pub fn start(store: &SqliteStore, new: NewRun, now: Timestamp) -> Result<Run, EngineError> {
    let run = Run::new(fresh_id(), new, now);
    let (alive, left): (Vec<Run>, Vec<Run>) =
        active(store, &run.worktree)?.into_iter().partition(owner::is_at_work);
    if let Some(other) = alive.iter().find(|other| run.excludes(other)) {
        return Err(StoreError::excluded(&run, other).into());
    }
    for old in left {
        set_state(store, &old, RunState::Paused(PauseReason::Interrupted), now)?;
    }
    store.create_run(&run)?;
    Ok(run)
}

/// Returns the active runs of a work tree, newest first.
pub fn active(store: &SqliteStore, worktree: &str) -> Result<Vec<Run>, EngineError> {
    let worktree = Some(worktree.to_owned());
    Ok(store.runs(&RunQuery { worktree, which: RunStateFilter::Active, limit: MOST_ACTIVE })?)
}

/// Pauses an active run whose owner is known to be gone; it can be resumed.
pub fn pause_abandoned(store: &SqliteStore, run: &Run, now: Timestamp) -> Result<(), EngineError> {
    set_state(store, &steps::left_behind(run, now), RunState::Paused(PauseReason::Interrupted), now)
}

/// Gives a run to another session in its present state: a paused run stays
/// paused.
pub fn move_to_session(
    store: &SqliteStore,
    run: &Run,
    to: &SessionId,
    now: Timestamp,
) -> Result<Run, EngineError> {
    Ok(store.take_over(&run.id, run.epoch, &Owner::Session(to.clone()), now)?)
}

/// Ends or pauses a run, whatever its owner.
pub fn request(
    store: &SqliteStore,
    run: &Run,
    request: OwnerRequest,
    now: Timestamp,
) -> Result<StopOutcome, EngineError> {
    if run.state.is_ended() {
        return Ok(StopOutcome::Already);
    }
    let driven = matches!(run.owner, Some(Owner::Driver { .. }))
        && run.state.is_active()
        && run.owner.as_ref().is_some_and(owner::is_alive);
    if driven {
        store.request(&run.id, request, now)?;
        return Ok(StopOutcome::Asked);
    }
    let state = match request {
        OwnerRequest::Stop => RunState::Stopped,
        OwnerRequest::Pause if run.state.is_active() => RunState::Paused(PauseReason::Asked),
        OwnerRequest::Pause => return Ok(StopOutcome::Already),
    };
    set_state(store, run, state, now)?;
    Ok(StopOutcome::AtOnce)
}

/// Changes the task of a run. Only allowed before the first turn.
pub fn set_task(
    store: &SqliteStore,
    run: &Run,
    text: &str,
    now: Timestamp,
) -> Result<Run, EngineError> {
    let task = Task { text: text.to_owned(), ..Task::default() };
    let next = Run { task, updated_at: now, ..run.clone() };
    store.save(RunVersion::of(run), &RunStep { run: &next, iteration: None, events: &[] })?;
    Ok(next)
}

/// Cancels the loop of a session. Returns false if it has none.
pub fn cancel(
    store: &SqliteStore,
    session: &SessionId,
    now: Timestamp,
) -> Result<bool, EngineError> {
    match store.run_of_session(session)? {
        Some(run) => Ok(request(store, &run, OwnerRequest::Stop, now)? != StopOutcome::Already),
        None => Ok(false),
    }
}

/// Returns true if the loop of a session is active.
pub fn is_active(store: &SqliteStore, session: &SessionId) -> Result<bool, EngineError> {
    Ok(store.run_of_session(session)?.is_some_and(|run| run.state.is_active()))
}

/// Returns an error if this process cannot resume a run.
pub fn ensure_resumable(run: &Run) -> Result<(), EngineError> {
    ensure_open(run)?;
    match (&run.owner, run.state.is_active()) {
        // A driver that paused its run is about to leave it.
        (Some(Owner::Driver { .. }) | None, false) => Ok(()),
        (Some(Owner::Driver { .. }) | None, true) | (Some(Owner::Session(_)), _) => {
            refuse_living_owner(run)
        }
    }
}

/// Returns an error if this process cannot resume a run even with its own
/// agent. A session of a host may be left behind: it cannot be asked whether it
/// is alive, but the user may know.
pub fn ensure_adoptable(run: &Run) -> Result<(), EngineError> {
    match run.owner {
        Some(Owner::Session(_)) => ensure_open(run),
        Some(Owner::Driver { .. }) | None => ensure_resumable(run),
    }
}

fn ensure_open(run: &Run) -> Result<(), EngineError> {
    if run.state.is_ended() {
        let status = run.state.status();
        return Err(EngineError::NotResumable { run: run.id.clone(), status });
    }
    Ok(())
}

/// Makes this process the owner of a run and resumes it. A run that was paused
/// or waited for a person is running again.
pub fn take_over(store: &SqliteStore, run: &Run, now: Timestamp) -> Result<Run, EngineError> {
    ensure_resumable(run)?;
    give(store, run, &owner::this_process(now), run.agent.clone(), now)
}

/// Takes over like [`take_over`], but with another agent from now on, and also
/// from a session of a host. The session's hooks then find that the run is no
/// longer theirs.
pub fn adopt(
    store: &SqliteStore,
    run: &Run,
    agent: AgentRef,
    now: Timestamp,
) -> Result<Run, EngineError> {
    ensure_adoptable(run)?;
    give(store, run, &owner::this_process(now), agent, now)
}

/// Makes `owner` the owner of a run, even if it belonged to another session.
/// Only a living driver keeps its run.
pub fn take_over_as(
    store: &SqliteStore,
    run: &Run,
    owner: &Owner,
    now: Timestamp,
) -> Result<Run, EngineError> {
    ensure_adoptable(run)?;
    give(store, run, owner, run.agent.clone(), now)
}

fn give(
    store: &SqliteStore,
    run: &Run,
    to: &Owner,
    agent: AgentRef,
    now: Timestamp,
) -> Result<Run, EngineError> {
    let given = Run { owner: Some(to.clone()), ..run.clone() };
    for other in active(store, &run.worktree)? {
        if given.excludes(&other) {
            if given.session().is_some() && given.session() == other.session() {
                return Err(StoreError::SessionBusy { run: other.id }.into());
            }
            refuse_living_owner(&other)?;
            set_state(store, &other, RunState::Paused(PauseReason::Interrupted), now)?;
        }
    }
    let owned = store.take_over(&run.id, run.epoch, to, now)?;
    // Another process that read the run between these two steps saw it paused.
    // The second step raises the epoch again, so that process is too late.
    // Pending actions of one host do not pass to another.
    let errands = PendingActions::default();
    let next = Run { epoch: owned.epoch + 1, agent, errands, ..steps::woken(run, &owned, now) };
    store.save(RunVersion::of(&owned), &RunStep { run: &next, iteration: None, events: &[] })?;
    Ok(next)
}

fn refuse_living_owner(run: &Run) -> Result<(), EngineError> {
    match &run.owner {
        Some(owner @ Owner::Driver { pid, .. }) if owner::is_alive(owner) => {
            Err(EngineError::Owned { run: run.id.clone(), pid: *pid })
        }
        Some(Owner::Session(session)) => {
            Err(EngineError::Hosted { run: run.id.clone(), session: session.as_str().to_owned() })
        }
        Some(Owner::Driver { .. }) | None => Ok(()),
    }
}

/// Returns the run to show without an id: the newest active one of the work
/// tree, else the newest open one, else the newest.
pub fn current(store: &SqliteStore, worktree: &str) -> Result<Option<Run>, EngineError> {
    for which in [RunStateFilter::Active, RunStateFilter::Open, RunStateFilter::All] {
        let query = RunQuery { worktree: Some(worktree.to_owned()), which, limit: 1 };
        if let Some(run) = store.runs(&query)?.into_iter().next() {
            return Ok(Some(run));
        }
    }
    Ok(None)
}

fn set_state(
    store: &SqliteStore,
    run: &Run,
    state: RunState,
    now: Timestamp,
) -> Result<(), EngineError> {
    let abandoned = run.owner.as_ref().is_some_and(|owner| !owner::is_alive(owner));
    let accounted = if abandoned { steps::left_behind(run, now) } else { run.clone() };
    // A hook may be running gates for this turn: its result comes too late.
    let next = Run { epoch: run.epoch + 1, ..steps::moved_to(&accounted, state, now) };
    store.save(RunVersion::of(run), &RunStep { run: &next, iteration: None, events: &[] })?;
    Ok(())
}

fn fresh_id() -> RunId {
    let [first, second, third, fourth, ..] = ralph_proc::random_bits().to_le_bytes();
    RunId::from_bits(u32::from_le_bytes([first, second, third, fourth]))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crate::temporary_store::TemporaryStore;
    use ralph_core::Policy;
    use ralph_core::state::WaitReason;

    use super::*;

    const HOUR: Duration = Duration::from_hours(1);

    /// A run whose driver was last alive at this moment.
    fn new_run(heartbeat: Timestamp) -> NewRun {
        NewRun {
            task: Task::default(),
            worktree: "/project".to_owned(),
            agent: AgentRef::default(),
            policy: Policy::promise(),
            owner: Owner::Driver { pid: u32::MAX, started: 0, heartbeat },
        }
    }

    /// The run as it is resumed at the sixth hour: its driver worked for one
    /// hour, left it in `state`, and is gone.
    fn resumed_from(state: RunState) -> Run {
        let (store, began) = (TemporaryStore::new(), Timestamp::from_millis(0));
        let left = began.plus(HOUR);
        let run = start(&store, new_run(left), began).unwrap();
        set_state(&store, &run, state, left).unwrap();
        let run = store.run(&run.id).unwrap().unwrap();
        take_over(&store, &run, began.plus(HOUR * 6)).unwrap()
    }

    #[test]
    fn what_rested_is_running_again_once_it_is_resumed() {
        let human = WaitReason::Human { question: "Which one?".to_owned() };
        for state in
            [RunState::Running, RunState::Paused(PauseReason::Asked), RunState::Waiting(human)]
        {
            assert_eq!(resumed_from(state).state, RunState::Running);
        }
        let limit =
            RunState::Waiting(WaitReason::Limit { until: Timestamp::from_millis(i64::MAX) });
        assert_eq!(resumed_from(limit.clone()).state, limit);
    }

    #[test]
    fn whoever_saw_a_run_resting_while_it_was_taken_over_is_too_late() {
        let (store, now) = (TemporaryStore::new(), Timestamp::from_millis(0));
        let run = start(&store, new_run(now), now).unwrap();
        set_state(&store, &run, RunState::Paused(PauseReason::Asked), now).unwrap();
        let resting = store.run(&run.id).unwrap().unwrap();
        let half_taken = Run {
            epoch: resting.epoch + 1,
            owner: Some(owner::this_process(now)),
            ..resting.clone()
        };
        take_over(&store, &resting, now).unwrap();
        for seen in [resting, half_taken] {
            let late = take_over(&store, &seen, now).unwrap_err();
            assert!(matches!(late, EngineError::Store(StoreError::Stale { .. })), "{late}");
        }
    }

    #[test]
    fn a_hosted_run_is_given_up_only_to_an_agent_that_was_named() {
        let (store, now) = (TemporaryStore::new(), Timestamp::from_millis(0));
        let session = SessionId::new("ses_1").unwrap();
        let new = NewRun { owner: Owner::Session(session.clone()), ..new_run(now) };
        let run = start(&store, new, now).unwrap();
        let refused = take_over(&store, &run, now).unwrap_err();
        assert!(matches!(refused, EngineError::Hosted { .. }), "{refused}");

        let agent = AgentRef { name: "other".to_owned(), command: Vec::new() };
        let owned = adopt(&store, &run, agent.clone(), now).unwrap();
        assert_eq!(store.run(&run.id).unwrap(), Some(owned.clone()));
        assert_eq!((&owned.agent, owned.session()), (&agent, None));
        assert!(owned.epoch > run.epoch);
        assert_eq!(store.run_of_session(&session).unwrap(), None);
    }

    #[test]
    fn time_in_which_nobody_worked_is_not_working_time() {
        let limit =
            RunState::Waiting(WaitReason::Limit { until: Timestamp::from_millis(i64::MAX) });
        for state in [RunState::Running, RunState::Paused(PauseReason::Interrupted), limit] {
            let run = resumed_from(state);
            assert_eq!(run.worked(run.updated_at), HOUR, "{:?}", run.state);
        }
    }
}
