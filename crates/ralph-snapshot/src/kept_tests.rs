use ralph_core::{RunId, Timestamp};

use super::*;
use crate::rollback::ConflictPolicy;
use crate::scratch::ScratchTree;
use crate::snapshots::Snapshots;
use crate::work_tree::WorkTree;

const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_123);

fn of(tree: &WorkTree) -> Snapshots<'_> {
    Snapshots::new(tree, RunId::from_bits(1))
}

/// A run that changed a file and left all that git needs to find it.
fn spoilt() -> ScratchTree {
    let scratch = ScratchTree::committed(&[("a", "committed\n"), ("deep/b", "1\n")]);
    scratch.write("a", "not committed\n");
    let tree = scratch.open();
    of(&tree).take(SnapshotLabel::Start, NOW).unwrap();
    scratch.write("a", "spoilt\n");
    scratch.remove("deep/b");
    of(&tree).take(SnapshotLabel::Iteration(1), NOW).unwrap();
    scratch
}

/// Makes git forget all that it can.
fn prune(scratch: &ScratchTree) {
    let listed = scratch.run(&["for-each-ref", "--format=%(refname)", "refs/ralph"]);
    for name in listed.lines() {
        scratch.run(&["update-ref", "-d", name]);
    }
    let _ = fs::remove_dir_all(scratch.path(".git/refs/ralph"));
    scratch.run(&["add", "-A"]);
    scratch.run(&["commit", "-q", "--amend", "-m", "another"]);
    scratch.run(&["reflog", "expire", "--expire=now", "--all"]);
    scratch.run(&["gc", "-q", "--prune=now"]);
}

#[track_caller]
fn goes_back(scratch: &ScratchTree) {
    let tree = scratch.open();
    let snapshots = of(&tree);
    let all = snapshots.list().unwrap();
    let plan = snapshots.plan(&all[0], &all[1], &[]).unwrap();
    snapshots.apply(&plan, ConflictPolicy::Leave, NOW).unwrap();
    assert_eq!(fs::read_to_string(scratch.path("a")).unwrap(), "not committed\n");
    assert_eq!(fs::read_to_string(scratch.path("deep/b")).unwrap(), "1\n");
    snapshots.undo(ConflictPolicy::Leave, NOW).unwrap();
    assert_eq!(fs::read_to_string(scratch.path("a")).unwrap(), "spoilt\n");
    scratch.run(&["fsck", "--strict", "--no-dangling"]);
}

#[test]
fn a_way_back_does_not_depend_on_what_git_keeps() {
    let scratch = spoilt();
    goes_back(&scratch);
    prune(&scratch);
    goes_back(&scratch);
}

#[test]
fn where_files_cannot_be_linked_objects_are_copied() {
    let scratch = spoilt();
    let tree = scratch.open();
    let git = tree.git().unwrap();
    let kept = KeptObjects::new(scratch.state().join("kept"));
    let labels = kept.labels(&RunId::from_bits(1)).unwrap();
    fs::remove_dir_all(kept.objects()).unwrap();
    let commits: String = labels.values().flat_map(|commit| [commit, "\n"]).collect();
    kept.copy(git, &commits).unwrap();
    prune(&scratch);
    goes_back(&scratch);
}

#[test]
fn a_snapshot_that_was_planted_as_a_reference_is_none_of_the_run() {
    let scratch = spoilt();
    let last = scratch.run(&["rev-parse", "refs/ralph/run-00000001/1"]);
    scratch.run(&["update-ref", "refs/ralph/run-00000001/resumed-0", last.trim()]);
    scratch.run(&["update-ref", "refs/ralph/run-00000001/0", last.trim()]);
    let tree = scratch.open();
    let labels: Vec<SnapshotLabel> =
        of(&tree).list().unwrap().iter().map(|one| one.label).collect();
    assert_eq!(labels, [SnapshotLabel::Start, SnapshotLabel::Iteration(1)]);
    assert_ne!(of(&tree).get(SnapshotLabel::Start).unwrap().tree, tree.tree().unwrap());
}

#[test]
fn a_process_that_drives_heeds_no_record_that_was_changed() {
    let scratch = spoilt();
    let mut tree = scratch.open();
    tree.seal();
    let all = of(&tree).list().unwrap();
    let record = scratch.state().join("kept/runs/run-00000001");
    fs::copy(record.join("1"), record.join("0")).unwrap();
    fs::copy(record.join("1"), record.join("resumed-0")).unwrap();
    assert_eq!(of(&tree).list().unwrap(), all);
    fs::remove_dir_all(record).unwrap();
    assert_eq!(of(&tree).list().unwrap(), all);
}

#[test]
fn snapshots_of_an_earlier_version_are_found_and_put_on_record() {
    let scratch = spoilt();
    let all = of(&scratch.open()).list().unwrap();
    fs::remove_dir_all(scratch.state().join("kept")).unwrap();
    assert_eq!(of(&scratch.open()).list().unwrap(), all);
    of(&scratch.open()).take(SnapshotLabel::Iteration(2), NOW).unwrap();
    assert_eq!(of(&scratch.open()).list().unwrap()[..2], all);
}

#[test]
fn what_no_run_needs_is_let_go() {
    let scratch = spoilt();
    let other = RunId::from_bits(2);
    scratch.write("only", "by the other run");
    Snapshots::new(&scratch.open(), other.clone()).take(SnapshotLabel::Start, NOW).unwrap();
    scratch.remove("only");
    prune(&scratch);
    let tree = scratch.open();
    Snapshots::new(&tree, other).remove().unwrap();
    let blob = crate::oid::Oid::of(crate::oid::ObjectKind::Blob, b"by the other run").to_string();
    let git = tree.git().unwrap();
    assert!(git.reading("cat-file").args(["-e", &blob]).read().is_err());
    goes_back(&scratch);
    of(&scratch.open()).remove().unwrap();
    assert!(orphans(&scratch.state().join("kept/objects")).is_empty());
}
