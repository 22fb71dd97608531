//! Interrupted work on a tree.

use std::time::{Duration, Instant};

use ralph_core::{RunId, Timestamp};

use crate::error::TreeError;
use crate::label::SnapshotLabel;
use crate::scratch::ScratchTree;
use crate::snapshots::{SnapshotError, Snapshots};
use crate::work_handle::WorkProgress;

/// More files than one step of any walk or copy holds.
const MANY: usize = 1200;

fn both() -> [ScratchTree; 2] {
    let scratches = [ScratchTree::git(), ScratchTree::plain()];
    for scratch in &scratches {
        for number in 0..MANY {
            scratch.write(format!("{}/{number}", number % 20), number.to_string());
        }
    }
    scratches
}

fn is_interruption<T>(result: &Result<T, SnapshotError>) -> bool {
    matches!(result, Err(SnapshotError::Tree(TreeError::Interrupted)))
}

#[test]
fn an_interrupted_snapshot_leaves_nothing_and_can_be_taken_again() {
    for scratch in both() {
        let tree = scratch.open();
        let snapshots = Snapshots::new(&tree, RunId::from_bits(1));
        let take = || snapshots.take(SnapshotLabel::Start, Timestamp::from_millis(0));
        tree.handle().interrupt();
        assert!(is_interruption(&take()));
        assert!(matches!(tree.tree(), Err(TreeError::Interrupted)));
        assert!(snapshots.list().unwrap_or_default().is_empty());
        tree.handle().go_on();
        assert_eq!(take().unwrap().tree, scratch.tree_anew());
        assert_eq!(snapshots.list().unwrap().len(), 1);
    }
}

#[test]
fn a_snapshot_is_interrupted_wherever_it_is() {
    for scratch in both() {
        let tree = scratch.open();
        let snapshots = Snapshots::new(&tree, RunId::from_bits(1));
        for number in 0..12 {
            let handle = tree.handle();
            handle.go_on();
            handle.begin(usize::MAX);
            let done = std::sync::atomic::AtomicBool::new(false);
            let (result, waited) = std::thread::scope(|threads| {
                let interrupting = threads.spawn(|| {
                    // Another moment of the work each time.
                    let is_there = || handle.progress().done >= number * 100;
                    while !is_there() && !done.load(std::sync::atomic::Ordering::Relaxed) {
                        std::thread::yield_now();
                    }
                    handle.interrupt();
                    Instant::now()
                });
                let result = snapshots.take(SnapshotLabel::Start, Timestamp::from_millis(0));
                done.store(true, std::sync::atomic::Ordering::Relaxed);
                (result, interrupting.join().unwrap().elapsed())
            });
            assert!(waited < Duration::from_secs(1), "{waited:?}");
            handle.go_on();
            if is_interruption(&result) {
                assert!(snapshots.list().unwrap().is_empty());
            } else {
                assert_eq!(result.unwrap().tree, scratch.tree_anew());
                break;
            }
        }
        let taken = snapshots.take(SnapshotLabel::Start, Timestamp::from_millis(0)).unwrap();
        assert_eq!(taken.tree, scratch.tree_anew());
    }
}

#[test]
fn the_files_of_a_snapshot_are_counted() {
    for scratch in both() {
        let tree = scratch.open();
        let snapshots = Snapshots::new(&tree, RunId::from_bits(1));
        snapshots.take(SnapshotLabel::Start, Timestamp::from_millis(0)).unwrap();
        let many = u64::try_from(MANY).unwrap();
        assert_eq!(tree.handle().progress(), WorkProgress { done: many, total: many });
    }
}
