//! One owner at a time works on a run, and others can ask it for something.

use ralph_core::run::Owner;
use ralph_core::state::PauseReason;
use ralph_core::{Policy, Run, RunId, RunState, Timestamp};

use crate::{open, sample};
use ralph_store::{OwnerRequest, RunStep, RunVersion, SqliteStore, StoreError};

fn new_run(store: &SqliteStore) -> Run {
    let run = Run { epoch: 5, ..sample::run(1) };
    store.create_run(&run).unwrap();
    run
}

fn is_stale<T>(outcome: &Result<T, StoreError>) -> bool {
    matches!(outcome, Err(StoreError::Stale { .. }))
}

fn driver_seen(pid: u32, heartbeat: Timestamp) -> Owner {
    match sample::driver(pid) {
        Owner::Driver { pid, started, .. } => Owner::Driver { pid, started, heartbeat },
        session @ Owner::Session(_) => session,
    }
}

/// The new owner gets the run as it is, in a new epoch.
#[test]
fn a_takeover_makes_the_old_owner_stale() {
    let store = open();
    let run = new_run(&store);
    let owner = Owner::Session(sample::session_id("new"));

    let taken = store.take_over(&run.id, 5, &owner, sample::at(100)).unwrap();

    let want = Run { epoch: 6, owner: Some(owner), updated_at: sample::at(100), ..run.clone() };
    assert_eq!(taken, want);
    assert_eq!(store.run(&run.id).unwrap(), Some(want));
    let step = RunStep { run: &run, iteration: None, events: &[] };
    assert!(is_stale(&store.save(RunVersion::of(&run), &step)));
    assert!(is_stale(&store.heartbeat(&run.id, 5, sample::at(101))));
    assert!(is_stale(&store.pending(&run.id, 5)));
}

/// A request to the old owner does not concern the new one.
#[test]
fn a_takeover_drops_what_the_old_owner_was_asked() {
    let store = open();
    let run = new_run(&store);
    store.request(&run.id, OwnerRequest::Pause, sample::at(90)).unwrap();
    store.take_over(&run.id, 5, &sample::driver(2), sample::at(100)).unwrap();
    assert_eq!(store.pending(&run.id, 6).unwrap(), None);
}

/// Of two processes that take a run over, the second gets an error.
#[test]
fn a_takeover_from_an_old_epoch_changes_nothing() {
    let store = open();
    let run = new_run(&store);
    let taken = store.take_over(&run.id, 5, &sample::driver(2), sample::at(100)).unwrap();
    assert!(is_stale(&store.take_over(&run.id, 5, &sample::driver(3), sample::at(101))));
    assert_eq!(store.run(&run.id).unwrap(), Some(taken));
}

/// Both ways to look show the request until the run has a new owner.
#[test]
fn a_heartbeat_tells_what_was_asked() {
    let store = open();
    let run = new_run(&store);
    assert_eq!(store.heartbeat(&run.id, 5, sample::at(10)).unwrap(), None);
    assert_eq!(store.pending(&run.id, 5).unwrap(), None);
    store.request(&run.id, OwnerRequest::Pause, sample::at(90)).unwrap();
    assert_eq!(store.heartbeat(&run.id, 5, sample::at(91)).unwrap(), Some(OwnerRequest::Pause));
    let step = RunStep { run: &run, iteration: None, events: &[] };
    store.save(RunVersion::of(&run), &step).unwrap();
    assert_eq!(store.pending(&run.id, 5).unwrap(), Some(OwnerRequest::Pause));
}

/// A save with a run that was read before the heartbeat does not undo it.
#[test]
fn a_heartbeat_is_kept_and_never_turned_back() {
    let store = open();
    let run = new_run(&store);
    let owner = || store.run(&run.id).unwrap().unwrap().owner;
    store.heartbeat(&run.id, 5, sample::at(40)).unwrap();
    assert_eq!(owner(), Some(driver_seen(4321, sample::at(40))));

    let save = |run: &Run| {
        let step = RunStep { run, iteration: None, events: &[] };
        store.save(RunVersion::of(run), &step).unwrap();
    };
    save(&run);
    assert_eq!(owner(), Some(driver_seen(4321, sample::at(40))));
    save(&Run { owner: Some(driver_seen(4321, sample::at(45))), ..run.clone() });
    assert_eq!(owner(), Some(driver_seen(4321, sample::at(45))));
    save(&Run { owner: Some(driver_seen(77, sample::at(2))), ..run.clone() });
    assert_eq!(owner(), Some(driver_seen(77, sample::at(2))));

    let session = Some(Owner::Session(sample::session_id("ses_1")));
    save(&Run { owner: session.clone(), ..run.clone() });
    store.heartbeat(&run.id, 5, sample::at(50)).unwrap();
    assert_eq!(owner(), session);
}

/// A pause becomes a stop, a stop stays one.
#[test]
fn a_stop_is_not_weakened_by_a_pause() {
    let store = open();
    let run = new_run(&store);
    for (asked, want) in [
        (OwnerRequest::Pause, OwnerRequest::Pause),
        (OwnerRequest::Stop, OwnerRequest::Stop),
        (OwnerRequest::Pause, OwnerRequest::Stop),
    ] {
        store.request(&run.id, asked, sample::at(90)).unwrap();
        assert_eq!(store.pending(&run.id, 5).unwrap(), Some(want));
    }
    let stored = store.run(&run.id).unwrap().unwrap();
    assert_eq!(stored.updated_at, sample::at(90));
}

/// The request comes too late and changes nothing.
#[test]
fn an_ended_run_cannot_be_asked_for_anything() {
    let store = open();
    let run = Run { state: RunState::Stopped, ..sample::run(1) };
    store.create_run(&run).unwrap();
    store.request(&run.id, OwnerRequest::Stop, sample::at(90)).unwrap();
    assert_eq!(store.pending(&run.id, run.epoch).unwrap(), None);
    assert_eq!(store.run(&run.id).unwrap(), Some(run));
}

/// Every function about owners returns an error for an unknown run.
#[test]
fn an_unknown_run_has_no_owner() {
    let store = open();
    let id = RunId::from_bits(1);
    let now = sample::at(1);
    let unknown = |error: Option<StoreError>| {
        assert!(matches!(error, Some(StoreError::NoSuchRun { run }) if run == id));
    };
    unknown(store.take_over(&id, 0, &sample::driver(1), now).err());
    unknown(store.heartbeat(&id, 0, now).err());
    unknown(store.pending(&id, 0).err());
    unknown(store.request(&id, OwnerRequest::Stop, now).err());
}

/// The session has an active run already. It may take over a paused one.
#[test]
fn a_session_cannot_take_over_a_second_active_run() {
    let store = open();
    let session = Owner::Session(sample::session_id("mine"));
    let claimed =
        |bits| Run { worktree: "/here".to_owned(), policy: Policy::promise(), ..sample::run(bits) };
    let own = Run { owner: Some(session.clone()), ..claimed(1) };
    let (other, resting) =
        (claimed(2), Run { state: RunState::Paused(PauseReason::Asked), ..claimed(3) });
    for run in [&own, &other, &resting] {
        store.create_run(run).unwrap();
    }
    let refused = store.take_over(&other.id, other.epoch, &session, sample::at(9));
    assert!(matches!(refused, Err(StoreError::SessionBusy { run }) if run == own.id));
    assert_eq!(store.run(&other.id).unwrap(), Some(other));
    store.take_over(&resting.id, resting.epoch, &session, sample::at(9)).unwrap();
}
