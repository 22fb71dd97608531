use std::fs;

use ralph_core::RunId;

use super::*;
use crate::label::SnapshotLabel;
use crate::scratch::ScratchTree;
use crate::snapshots::Snapshots;
use crate::work_tree::WorkTree;

const AT: Timestamp = Timestamp::from_millis(1_000);

/// Takes a start, lets `work` happen, and compares the snapshot of just
/// `paths` with one of everything.
#[track_caller]
fn check(scratch: &ScratchTree, paths: &[&str], work: impl FnOnce()) {
    let tree = scratch.open();
    let snapshots = Snapshots::new(&tree, RunId::from_bits(7));
    snapshots.take(SnapshotLabel::Start, AT).unwrap();
    work();
    let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
    let known = snapshots.take_known(SnapshotLabel::Iteration(1), &paths, AT).unwrap();
    let all = snapshots.take(SnapshotLabel::Iteration(2), AT).unwrap();
    assert_eq!(known.tree, all.tree);
    assert_eq!((known.left_out, known.nested), (all.left_out, all.nested));
    scratch.run(&["fsck", "--strict", "--no-dangling"]);
}

fn with_files() -> ScratchTree {
    let files = [(".gitignore", "out\n"), ("a", "1"), ("d/b", "1"), ("d/e/c", "1"), ("z.c", "1")];
    ScratchTree::committed(&files)
}

#[test]
fn changed_new_and_removed_files_are_as_in_a_snapshot_of_everything() {
    let scratch = with_files();
    check(&scratch, &["a", "d/e/c", "new/x", "out", "z.c"], || {
        scratch.write("a", "2");
        scratch.remove("d/e/c");
        scratch.write("new/x", "1");
        scratch.write("out", "ignored");
    });
}

#[test]
fn a_file_in_the_place_of_a_folder_and_the_other_way_round() {
    let scratch = with_files();
    check(&scratch, &["a", "a/x", "d", "d/b", "d/e/c"], || {
        scratch.remove("a");
        scratch.write("a/x", "1");
        fs::remove_dir_all(scratch.path("d")).unwrap();
        scratch.write("d", "1");
    });
}

#[test]
fn a_rule_that_changes_what_counts_is_noticed() {
    let scratch = with_files();
    check(&scratch, &[".gitignore"], || scratch.write(".gitignore", "a\nout\nnew\n"));
}

#[test]
fn files_that_git_converts_are_left_to_git() {
    let scratch = with_files();
    check(&scratch, &["a", ".gitattributes"], || {
        scratch.write(".gitattributes", "* text=auto\n");
        scratch.write("a", "1\r\n2\r\n");
    });
}

#[test]
fn what_nobody_named_is_not_looked_at() {
    let scratch = with_files();
    let tree: WorkTree = scratch.open();
    let snapshots = Snapshots::new(&tree, RunId::from_bits(7));
    let start = snapshots.take(SnapshotLabel::Start, AT).unwrap();
    scratch.write("a", "2");
    let known = snapshots.take_known(SnapshotLabel::Iteration(1), &["d/b".into()], AT).unwrap();
    assert_eq!(known.tree, start.tree);
}

#[test]
fn without_a_snapshot_before_everything_is_recorded() {
    let scratch = with_files();
    let tree = scratch.open();
    let snapshots = Snapshots::new(&tree, RunId::from_bits(7));
    let known = snapshots.take_known(SnapshotLabel::Iteration(1), &[], AT).unwrap();
    assert_eq!(known.tree, scratch.tree_anew());
}
