//! Many threads and processes share one database.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Barrier;
use std::thread;

use ralph_core::{Run, RunId};
use ralph_store::{RunQuery, RunStateFilter, RunStep, RunVersion, SqliteStore, StoreError};

use crate::sample;

/// Tells a copy of this test program to be one of many processes.
const HOME: &str = "RALPH_STORE_TEST_HOME";

/// The number of such a process.
const NUMBER: &str = "RALPH_STORE_TEST_NUMBER";

fn open(home: &Path) -> SqliteStore {
    SqliteStore::open(home).unwrap().store
}

/// Runs `job` in `count` threads at once and returns what they returned.
fn at_once<T: Send>(count: u32, job: impl Fn(u32) -> T + Sync) -> Vec<T> {
    let barrier = Barrier::new(usize::try_from(count).unwrap());
    thread::scope(|scope| {
        let start = |number| {
            let (barrier, job) = (&barrier, &job);
            scope.spawn(move || {
                barrier.wait();
                job(number)
            })
        };
        let threads: Vec<_> = (0..count).map(start).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

fn count_runs(home: &Path) -> usize {
    let query = RunQuery { worktree: None, which: RunStateFilter::All, limit: 1000 };
    open(home).runs(&query).unwrap().len()
}

#[test]
fn fifty_threads_create_one_database() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    at_once(50, |number| {
        let opened = SqliteStore::open(&home).unwrap();
        assert_eq!((opened.generation, opened.damaged), (1, None));
        opened.store.create_run(&sample::run(number)).unwrap();
    });
    assert_eq!(count_runs(&home), 50);
    open(&home).check_integrity().unwrap();
}

#[test]
fn fifty_processes_create_one_database() {
    let folder = tempfile::tempdir().unwrap();
    let program = std::env::current_exe().unwrap();
    let start = |number: u32| {
        Command::new(&program)
            .args(["--exact", "many::one_process_creates_its_run"])
            .env(HOME, folder.path())
            .env(NUMBER, number.to_string())
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    };
    let children: Vec<_> = (0..50).map(start).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(count_runs(folder.path()), 50);
    open(folder.path()).check_integrity().unwrap();
}

/// The part of each process above; without its variables there is no part.
#[test]
fn one_process_creates_its_run() {
    let (Ok(home), Ok(number)) = (std::env::var(HOME), std::env::var(NUMBER)) else {
        return;
    };
    let opened = SqliteStore::open(Path::new(&home)).unwrap();
    assert_eq!((opened.generation, opened.damaged), (1, None));
    opened.store.create_run(&sample::run(number.parse().unwrap())).unwrap();
}

#[test]
fn of_twenty_writers_with_one_version_exactly_one_wins() {
    let folder = tempfile::tempdir().unwrap();
    let run = sample::run(1);
    open(folder.path()).create_run(&run).unwrap();
    let outcomes = at_once(20, |number| {
        let store = open(folder.path());
        let next =
            Run { iteration: run.iteration + 1, last_output: number.to_string(), ..run.clone() };
        let events = [sample::event(1)];
        store.save(RunVersion::of(&run), &RunStep { run: &next, iteration: None, events: &events })
    });
    let won = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    let stale =
        outcomes.iter().filter(|outcome| matches!(outcome, Err(StoreError::Stale { .. }))).count();
    assert_eq!((won, stale), (1, 19));
    let stored = open(folder.path()).run(&run.id).unwrap().unwrap();
    let winner = outcomes.iter().position(Result::is_ok).unwrap();
    assert_eq!(stored.last_output, winner.to_string());
}

#[test]
fn of_twenty_records_of_one_iteration_exactly_one_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let run = sample::run(1);
    open(folder.path()).create_run(&run).unwrap();
    let outcomes = at_once(20, |_| {
        let record = sample::iteration(1, 3);
        let step = RunStep { run: &run, iteration: Some(&record), events: &[] };
        open(folder.path()).save(RunVersion::of(&run), &step)
    });
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
    assert_eq!(open(folder.path()).iterations(&run.id, 10).unwrap().len(), 1);
}

#[test]
fn of_twenty_runs_in_one_work_tree_exactly_one_becomes_active() {
    let folder = tempfile::tempdir().unwrap();
    let outcomes = at_once(20, |number| {
        let worktree = "/here".to_owned();
        open(folder.path()).create_run(&Run { worktree, ..sample::run(number) })
    });
    let winner = outcomes.iter().position(Result::is_ok).unwrap();
    let winner = RunId::from_bits(u32::try_from(winner).unwrap());
    let losers = outcomes
        .iter()
        .filter(
            |outcome| matches!(outcome, Err(StoreError::WorktreeBusy { run }) if *run == winner),
        )
        .count();
    assert_eq!(losers, 19);
    assert_eq!(count_runs(folder.path()), 1);
}

#[test]
fn events_of_many_writers_all_arrive_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let numbers = at_once(10, |_| {
        let store = open(folder.path());
        (0..20).map(|_| store.append(&sample::event(1)).unwrap()).collect::<Vec<_>>()
    });
    assert!(numbers.iter().all(|own| own.is_sorted()));
    let mut all: Vec<u64> = numbers.into_iter().flatten().collect();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 200);
}
