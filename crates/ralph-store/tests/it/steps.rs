//! A step is written as a whole by exactly one writer, or not at all.

use ralph_core::state::{PauseReason, Proof};
use ralph_core::{Run, RunId, RunState};

use crate::{bare_run, open, sample};
use ralph_store::{EventQuery, IterationRecord, RunStep, RunVersion, SqliteStore, StoreError};

fn events_of(store: &SqliteStore, bits: u32) -> usize {
    let run = Some(RunId::from_bits(bits));
    store.events(&EventQuery { run, session: None, after: 0, limit: 100 }).unwrap().len()
}

/// The run, the record and the events are there afterwards.
#[test]
fn a_step_is_written_as_a_whole() {
    let store = open();
    let before = bare_run(1);
    store.create_run(&before).unwrap();
    let after = Run { state: RunState::Success(Proof::Verified), ..sample::run(1) };
    let record = sample::iteration(1, 3);
    let events = [sample::event(1), sample::event(1)];
    let step = RunStep { run: &after, iteration: Some(&record), events: &events };

    store.save(RunVersion::of(&before), &step).unwrap();

    assert_eq!(store.run(&after.id).unwrap(), Some(after));
    assert_eq!(store.iteration(&record.run, 3).unwrap(), Some(record));
    assert_eq!(events_of(&store, 1), 2);
}

/// A wrong epoch or a wrong iteration is enough.
#[test]
fn a_step_from_an_old_version_writes_nothing() {
    let store = open();
    let run = sample::run(1);
    store.create_run(&run).unwrap();
    let now = RunVersion::of(&run);
    let next = Run { iteration: run.iteration + 1, last_output: "lost".to_owned(), ..run.clone() };
    let record = sample::iteration(1, 3);
    let events = [sample::event(1)];
    let step = RunStep { run: &next, iteration: Some(&record), events: &events };

    for old in [
        RunVersion { epoch: now.epoch - 1, ..now },
        RunVersion { iteration: now.iteration - 1, ..now },
        RunVersion { iteration: now.iteration + 1, ..now },
    ] {
        let refused = store.save(old, &step);
        assert!(matches!(refused, Err(StoreError::Stale { run: id }) if id == run.id), "{old:?}");
    }
    assert_eq!(store.run(&run.id).unwrap(), Some(run));
    assert_eq!(store.iteration(&record.run, 3).unwrap(), None);
    assert_eq!(events_of(&store, 1), 0);
}

/// A second record for an iteration is refused with all that came with it.
#[test]
fn an_iteration_is_decided_once() {
    let store = open();
    let run = sample::run(1);
    store.create_run(&run).unwrap();
    let first = sample::iteration(1, 3);
    let step = RunStep { run: &run, iteration: Some(&first), events: &[] };
    store.save(RunVersion::of(&run), &step).unwrap();

    let changed = Run { last_output: "lost".to_owned(), ..run.clone() };
    let second = IterationRecord { decision: "complete".to_owned(), ..first.clone() };
    let events = [sample::event(1)];
    let step = RunStep { run: &changed, iteration: Some(&second), events: &events };
    let refused = store.save(RunVersion::of(&run), &step);

    assert!(matches!(refused, Err(StoreError::AlreadyDecided { iteration: 3, .. })));
    assert_eq!(store.run(&run.id).unwrap(), Some(run));
    assert_eq!(store.iteration(&first.run, 3).unwrap(), Some(first));
    assert_eq!(events_of(&store, 1), 0);
}

/// Saving does not create a run.
#[test]
fn an_unknown_run_cannot_be_saved() {
    let store = open();
    let run = sample::run(1);
    let refused =
        store.save(RunVersion::of(&run), &RunStep { run: &run, iteration: None, events: &[] });
    assert!(matches!(refused, Err(StoreError::NoSuchRun { run: id }) if id == run.id));
    assert_eq!(store.run(&run.id).unwrap(), None);
}

/// A run becomes active again only in a work tree without another active run.
#[test]
fn a_paused_run_does_not_wake_beside_an_active_one() {
    let store = open();
    let worktree = "/here".to_owned();
    let paused = Run {
        worktree: worktree.clone(),
        state: RunState::Paused(PauseReason::Asked),
        ..sample::run(1)
    };
    let active = Run { worktree, ..sample::run(2) };
    store.create_run(&paused).unwrap();
    store.create_run(&active).unwrap();
    let woken = Run { state: RunState::Running, ..paused.clone() };
    let wake = RunStep { run: &woken, iteration: None, events: &[] };

    let refused = store.save(RunVersion::of(&paused), &wake);
    assert!(matches!(refused, Err(StoreError::WorktreeBusy { run }) if run == active.id));
    assert_eq!(store.run(&paused.id).unwrap(), Some(paused.clone()));

    let stopped = Run { state: RunState::Stopped, ..active.clone() };
    let stop = RunStep { run: &stopped, iteration: None, events: &[] };
    store.save(RunVersion::of(&active), &stop).unwrap();
    store.save(RunVersion::of(&paused), &wake).unwrap();
    assert_eq!(store.run(&paused.id).unwrap(), Some(woken));
}
