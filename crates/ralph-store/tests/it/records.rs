//! Iterations, events and passes are read as they were written.

use std::time::Duration;

use ralph_core::finding::ToolReport;
use ralph_core::usage::Usage;
use ralph_core::{RunId, TreeId};

use crate::{open, sample};
use ralph_store::{
    EventQuery, GatePass, IterationRecord, NewEvent, RunStep, RunVersion, SqliteStore,
};

fn record(store: &SqliteStore, record: &IterationRecord) {
    let run = store.run(&record.run).unwrap().unwrap();
    let step = RunStep { run: &run, iteration: Some(record), events: &[] };
    store.save(RunVersion::of(&run), &step).unwrap();
}

/// Checked with all fields set and with as few as possible.
#[test]
fn every_field_of_an_iteration_survives() {
    let store = open();
    store.create_run(&sample::run(1)).unwrap();
    let full = sample::iteration(1, 1);
    let bare = IterationRecord {
        tree: None,
        approach: None,
        usage: Usage::default(),
        gates: Vec::new(),
        text: String::new(),
        log: None,
        ..sample::iteration(1, 2)
    };
    for one in [full, bare] {
        record(&store, &one);
        assert_eq!(store.iteration(&one.run, one.number).unwrap(), Some(one));
    }
    assert_eq!(store.iteration(&RunId::from_bits(1), 3).unwrap(), None);
    assert_eq!(store.iteration(&RunId::from_bits(2), 1).unwrap(), None);
}

/// Iterations of other runs are left out.
#[test]
fn the_last_iterations_come_oldest_first() {
    let store = open();
    for bits in [1, 2] {
        store.create_run(&sample::run(bits)).unwrap();
        for number in [2, 1, 11, 10] {
            record(&store, &sample::iteration(bits, number));
        }
    }
    let numbers = |last| {
        let records = store.iterations(&RunId::from_bits(1), last).unwrap();
        assert!(records.iter().all(|record| record.run == RunId::from_bits(1)));
        records.iter().map(|record| record.number).collect::<Vec<_>>()
    };
    assert_eq!(numbers(10), [1, 2, 10, 11]);
    assert_eq!(numbers(2), [10, 11]);
    assert_eq!(numbers(0), [0; 0]);
}

/// Numbers rise, and reading continues after the last number.
#[test]
fn events_keep_their_order() {
    let store = open();
    let bare = NewEvent {
        run: None,
        iteration: None,
        session: None,
        at: sample::at(-1000),
        ..sample::event(1)
    };
    let first = store.append(&sample::event(1)).unwrap();
    let second = store.append(&bare).unwrap();
    assert!(0 < first && first < second);

    let read = |after, limit| {
        let query = EventQuery { run: None, session: None, after, limit };
        let events = store.events(&query).unwrap();
        events.into_iter().map(|stored| (stored.seq, stored.event)).collect::<Vec<_>>()
    };
    let both = [(first, sample::event(1)), (second, bare)];
    assert_eq!(read(0, 10), both);
    assert_eq!(read(0, 1), both[..1]);
    assert_eq!(read(first, 10), both[1..]);
    assert_eq!(read(second, 10), []);
    assert_eq!(read(u64::MAX, 10), []);
}

/// Events are filtered by run, by session or by both.
#[test]
fn events_are_found_by_run_and_session() {
    let store = open();
    let (run, session) = (Some(RunId::from_bits(1)), Some(sample::session_id("mine")));
    let mut seqs = Vec::new();
    for (run, session) in [(&run, &session), (&run, &None), (&None, &session), (&None, &None)] {
        let event = NewEvent { run: run.clone(), session: session.clone(), ..sample::event(1) };
        seqs.push(store.append(&event).unwrap());
    }
    let found = |run: &Option<RunId>, session: &Option<_>| {
        let query = EventQuery { run: run.clone(), session: session.clone(), after: 0, limit: 10 };
        let events = store.events(&query).unwrap();
        events.into_iter().map(|stored| stored.seq).collect::<Vec<_>>()
    };
    assert_eq!(found(&run, &None), [seqs[0], seqs[1]]);
    assert_eq!(found(&None, &session), [seqs[0], seqs[2]]);
    assert_eq!(found(&run, &session), [seqs[0]]);
    assert_eq!(found(&None, &None), seqs);
}

/// A pass covers no other gate and no other tree; a second pass replaces it.
#[test]
fn a_pass_counts_for_its_gate_and_tree_only() {
    let store = open();
    let (here, there) = (TreeId::new("here"), TreeId::new("there"));
    let pass =
        |reading, at| GatePass { reading, stamp: "libraries".to_owned(), at: sample::at(at) };
    assert_eq!(store.pass("tests", &here).unwrap(), None);
    store.remember_pass("tests", &here, &pass(ToolReport::default(), 1)).unwrap();
    let last = pass(sample::reading(), 2);
    store.remember_pass("tests", &here, &last).unwrap();
    assert_eq!(store.pass("tests", &here).unwrap(), Some(last));
    assert_eq!(store.pass("tests", &there).unwrap(), None);
    assert_eq!(store.pass("lint", &here).unwrap(), None);
}

/// Other passes stay.
#[test]
fn a_pass_that_is_forgotten_counts_no_more() {
    let store = open();
    let (here, there) = (TreeId::new("here"), TreeId::new("there"));
    let pass = GatePass { reading: sample::reading(), stamp: String::new(), at: sample::at(1) };
    for tree in [&here, &there] {
        store.remember_pass("tests", tree, &pass).unwrap();
    }
    store.forget_pass("tests", &here).unwrap();
    store.forget_pass("lint", &there).unwrap();
    assert_eq!(store.pass("tests", &here).unwrap(), None);
    assert_eq!(store.pass("tests", &there).unwrap(), Some(pass));
}

/// The newest time counts, for its gate only.
#[test]
fn the_time_of_a_gate_is_the_last_one_kept() {
    let store = open();
    assert_eq!(store.time("tests").unwrap(), None);
    for millis in [90_061_001, 60] {
        let took = Duration::from_millis(millis);
        store.remember_time("tests", took + Duration::from_micros(9), sample::at(1)).unwrap();
        assert_eq!(store.time("tests").unwrap(), Some(took));
    }
    assert_eq!(store.time("lint").unwrap(), None);
}

/// Checking and tidying up lose nothing.
#[test]
fn a_sound_store_passes_its_own_check() {
    let store = open();
    let run = sample::run(1);
    store.create_run(&run).unwrap();
    store.check_integrity().unwrap();
    store.checkpoint().unwrap();
    store.check_integrity().unwrap();
    assert_eq!(store.run(&run.id).unwrap(), Some(run));
}
