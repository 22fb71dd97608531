use std::collections::BTreeMap;
use std::fs;
use std::io;

use ralph_core::RunId;

use super::*;
use crate::TreeError;
use crate::plan::{RollbackAction, UntouchedFile, WhyKept};
use crate::scratch::{ScratchTree, TreeImage, run_in};
use crate::work_tree::WorkTree;

const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_000);

fn of(tree: &WorkTree) -> Snapshots<'_> {
    Snapshots::new(tree, RunId::from_bits(1))
}

/// One project in git and one outside, with the same files.
fn both(files: &[(&str, &str)]) -> [ScratchTree; 2] {
    let plain = ScratchTree::plain();
    for (path, text) in files {
        plain.write(path, text);
    }
    [ScratchTree::committed(files), plain]
}

fn paths(image: &TreeImage) -> Vec<&str> {
    image.keys().map(|path| path.to_str().unwrap()).collect()
}

fn plan_to_start(snapshots: &Snapshots<'_>) -> RollbackPlan {
    let all = snapshots.list().unwrap();
    snapshots.plan(&all[0], base(&all).unwrap(), &[]).unwrap()
}

#[test]
fn a_plan_tells_what_would_happen_and_changes_nothing() {
    for scratch in both(&[("kept", "k"), ("edited", "1"), ("gone", "g")]) {
        let tree = scratch.open();
        let snapshots = of(&tree);
        snapshots.take(SnapshotLabel::Start, NOW).unwrap();
        scratch.write("edited", "2");
        scratch.remove("gone");
        scratch.write("new/file", "n");
        snapshots.take(SnapshotLabel::Iteration(1), NOW).unwrap();
        let before = scratch.image();
        let plan = plan_to_start(&snapshots);
        let steps: Vec<_> =
            plan.steps.iter().map(|step| (step.path.to_str().unwrap(), step.action)).collect();
        let want = [
            ("edited", RollbackAction::Restore),
            ("gone", RollbackAction::Recreate),
            ("new/file", RollbackAction::Remove),
        ];
        assert_eq!(steps, want);
        assert!(plan.conflicts.is_empty() && plan.kept.is_empty());
        assert_eq!(scratch.image(), before);
        assert_eq!(snapshots.list().unwrap().len(), 2);
    }
}

#[test]
fn the_users_dirty_tree_comes_back() {
    let scratch = ScratchTree::committed(&[("a", "1"), ("b", "1"), ("c", "1")]);
    scratch.write("a", "staged");
    scratch.run(&["add", "a"]);
    scratch.write("a", "staged and edited");
    scratch.remove("b");
    scratch.write("untracked", "mine");
    let (image, status, state) = (scratch.image(), scratch.status(), scratch.git_state());
    let tree = scratch.open();
    let snapshots = of(&tree);
    snapshots.take(SnapshotLabel::Start, NOW).unwrap();
    for path in ["a", "b", "c", "untracked"] {
        scratch.write(path, "the run was here");
    }
    scratch.write("more", "");
    snapshots.take(SnapshotLabel::Iteration(1), NOW).unwrap();
    snapshots.apply(&plan_to_start(&snapshots), ConflictPolicy::Leave, NOW).unwrap();
    assert_eq!(scratch.image(), image);
    assert_eq!(scratch.status(), status);
    assert_eq!(scratch.git_state(), state);
}

#[test]
fn what_the_user_changed_after_the_run_is_left_or_forced() {
    for scratch in both(&[("edited", "1"), ("deleted", "1"), ("by the run", "1")]) {
        let tree = scratch.open();
        let snapshots = of(&tree);
        snapshots.take(SnapshotLabel::Start, NOW).unwrap();
        scratch.write("edited", "2");
        scratch.write("by the run", "2");
        scratch.write("added", "2");
        snapshots.take(SnapshotLabel::Iteration(1), NOW).unwrap();
        scratch.write("edited", "mine");
        scratch.write("added", "mine");
        scratch.remove("deleted");
        scratch.write("new", "mine");
        let mine = scratch.image();
        let plan = plan_to_start(&snapshots);
        let conflicts: Vec<_> = plan.conflicts.iter().map(|step| &step.path).collect();
        assert_eq!(conflicts, ["added", "deleted", "edited"].map(Path::new));
        assert_eq!(plan.kept, [UntouchedFile { path: "new".into(), why: WhyKept::AppearedLater }]);
        let done = snapshots.apply(&plan, ConflictPolicy::Leave, NOW).unwrap();
        assert_eq!(done.left, ["added", "deleted", "edited"].map(Path::new));
        let mut want = mine.clone();
        want.insert("by the run".into(), ('f', b"1".to_vec()));
        assert_eq!(scratch.image(), want);
        snapshots.undo(ConflictPolicy::Leave, NOW).unwrap();
        assert_eq!(scratch.image(), mine);

        let plan = plan_to_start(&snapshots);
        snapshots.apply(&plan, ConflictPolicy::Force, NOW).unwrap();
        assert_eq!(paths(&scratch.image()), ["by the run", "deleted", "edited", "new"]);
        assert_eq!(scratch.image()[Path::new("edited")], ('f', b"1".to_vec()));
        snapshots.undo(ConflictPolicy::Leave, NOW).unwrap();
        assert_eq!(scratch.image(), mine);
    }
}

#[test]
fn only_the_named_paths_go_back() {
    for scratch in both(&[("a", "1"), ("dir/b", "1"), ("dirt", "1")]) {
        let tree = scratch.open();
        let snapshots = of(&tree);
        let start = snapshots.take(SnapshotLabel::Start, NOW).unwrap();
        for path in ["a", "dir/b", "dir/new", "dirt"] {
            scratch.write(path, "2");
        }
        let last = snapshots.take(SnapshotLabel::Iteration(1), NOW).unwrap();
        let plan = snapshots.plan(&start, &last, &["dir".into()]).unwrap();
        snapshots.apply(&plan, ConflictPolicy::Leave, NOW).unwrap();
        let texts: BTreeMap<_, _> = scratch.image();
        let want = [("a", b"2"), ("dir/b", b"1"), ("dirt", b"2")];
        let want = want.map(|(path, text)| (PathBuf::from(path), ('f', text.to_vec())));
        assert_eq!(texts, want.into());
        snapshots.undo(ConflictPolicy::Leave, NOW).unwrap();
        assert_eq!(scratch.image().len(), 4);
    }
}

fn interrupted() -> SnapshotError {
    TreeError::io("go on in", Path::new("test"))(io::ErrorKind::Interrupted.into()).into()
}

#[test]
fn a_rollback_stopped_anywhere_is_completed_by_the_next() {
    for scratch in both(&[("a", "1"), ("b", "1"), ("c/d", "1"), ("file or folder", "1")]) {
        let tree = scratch.open();
        let snapshots = of(&tree);
        let start = snapshots.take(SnapshotLabel::Start, NOW).unwrap();
        let image = scratch.image();
        let mut stops = 0;
        loop {
            scratch.write("a", "2");
            let _ = fs::remove_dir_all(scratch.path("c"));
            let _ = fs::remove_file(scratch.path("file or folder"));
            for path in ["c", "file or folder/x", "new/deep/one", "new/two"] {
                scratch.write(path, "2");
            }
            let run = scratch.image();
            let last = snapshots.take(SnapshotLabel::Iteration(1), NOW).unwrap();
            let plan = snapshots.plan(&start, &last, &[]).unwrap();
            let mut left = stops;
            let mut stop = || {
                left = if left == 0 { return Err(interrupted()) } else { left - 1 };
                Ok(())
            };
            if snapshots.apply_with(&plan, ConflictPolicy::Leave, NOW, &mut stop).is_ok() {
                assert_eq!(stops, 7, "one stop for each file");
                break;
            }
            assert_eq!(snapshots.pending().unwrap(), Some(SnapshotLabel::Start));
            let refused = snapshots.apply(&plan, ConflictPolicy::Leave, NOW).unwrap_err();
            assert!(matches!(refused, SnapshotError::Pending { .. }), "{refused}");
            assert!(matches!(snapshots.remove(), Err(SnapshotError::Pending { .. })));
            // As if killed while it wrote a file.
            scratch.write(".ralph-unfinished", "half a fi");
            let again = scratch.open();
            let done = of(&again).resume_pending(NOW).unwrap().unwrap();
            assert!(done.left.is_empty() && done.blocked.is_empty(), "{done:?}");
            assert_eq!(scratch.image(), image, "stopped after {stops}");
            assert!(!scratch.path("new").exists());
            assert_eq!(snapshots.resume_pending(NOW).unwrap(), None);
            snapshots.undo(ConflictPolicy::Leave, NOW).unwrap();
            assert_eq!(scratch.image(), run, "undone after {stops}");
            let plan = snapshots.plan(&start, &last, &[]).unwrap();
            snapshots.apply(&plan, ConflictPolicy::Leave, NOW).unwrap();
            assert_eq!(scratch.image(), image, "rolled back again");
            stops += 1;
        }
        assert_eq!(scratch.image(), image);
    }
}

#[test]
fn a_rollback_with_nothing_to_do_does_not_hide_the_one_before() {
    for scratch in both(&[("a", "1")]) {
        let tree = scratch.open();
        let snapshots = of(&tree);
        snapshots.take(SnapshotLabel::Start, NOW).unwrap();
        scratch.write("a", "2");
        snapshots.take(SnapshotLabel::Iteration(1), NOW).unwrap();
        let done = snapshots.apply(&plan_to_start(&snapshots), ConflictPolicy::Leave, NOW).unwrap();
        assert_eq!(done.safety.unwrap().label, SnapshotLabel::Safety(1));
        let done = snapshots.apply(&plan_to_start(&snapshots), ConflictPolicy::Leave, NOW).unwrap();
        assert_eq!(done.safety, None);
        snapshots.undo(ConflictPolicy::Leave, NOW).unwrap();
        assert_eq!(scratch.image()[Path::new("a")].1, b"2");
    }
}

#[test]
fn a_rollback_killed_before_it_changed_anything_does_not_hide_the_one_before() {
    for scratch in both(&[("edited", "1")]) {
        let tree = scratch.open();
        let snapshots = of(&tree);
        snapshots.take(SnapshotLabel::Start, NOW).unwrap();
        scratch.write("edited", "2");
        snapshots.take(SnapshotLabel::Iteration(1), NOW).unwrap();
        let left_by_the_run = scratch.image();
        snapshots.apply(&plan_to_start(&snapshots), ConflictPolicy::Leave, NOW).unwrap();
        // As after an undo that is killed between its safety snapshot and
        // its journal.
        snapshots.take(SnapshotLabel::Safety(2), NOW).unwrap();
        snapshots.undo(ConflictPolicy::Leave, NOW).unwrap();
        assert_eq!(scratch.image(), left_by_the_run);
    }
}

#[test]
fn what_changes_between_plan_and_execution_stops_it() {
    for scratch in both(&[("a", "1")]) {
        let tree = scratch.open();
        let snapshots = of(&tree);
        snapshots.take(SnapshotLabel::Start, NOW).unwrap();
        scratch.write("a", "2");
        snapshots.take(SnapshotLabel::Iteration(1), NOW).unwrap();
        let plan = plan_to_start(&snapshots);
        scratch.write("a", "3");
        let error = snapshots.apply(&plan, ConflictPolicy::Force, NOW).unwrap_err();
        assert!(matches!(error, SnapshotError::PlanOutdated), "{error}");
        assert_eq!(fs::read_to_string(scratch.path("a")).unwrap(), "3");
        assert_eq!(snapshots.pending().unwrap(), None);
    }
}

#[test]
fn folders_of_the_run_go_and_those_of_the_user_stay() {
    for scratch in both(&[("a", "1"), (".gitignore", "*.log\n")]) {
        fs::create_dir_all(scratch.path("empty/deep")).unwrap();
        scratch.write("logs/x.log", "");
        let tree = scratch.open();
        let snapshots = of(&tree);
        snapshots.take(SnapshotLabel::Start, NOW).unwrap();
        for path in ["empty/deep/new", "logs/new", "of/the/run"] {
            scratch.write(path, "");
        }
        snapshots.take(SnapshotLabel::Iteration(1), NOW).unwrap();
        snapshots.apply(&plan_to_start(&snapshots), ConflictPolicy::Leave, NOW).unwrap();
        assert!(scratch.path("empty/deep").is_dir());
        assert!(scratch.path("logs/x.log").is_file());
        assert!(!scratch.path("of").exists());
    }
}

#[test]
fn a_file_that_other_rules_ignored_is_not_removed() {
    for scratch in both(&[(".gitignore", ".env\nout/\n"), ("a", "1")]) {
        scratch.write(".env", "secret");
        let tree = scratch.open();
        let snapshots = of(&tree);
        snapshots.take(SnapshotLabel::Start, NOW).unwrap();
        scratch.write(".gitignore", "");
        scratch.write("new", "");
        snapshots.take(SnapshotLabel::Iteration(1), NOW).unwrap();
        let plan = plan_to_start(&snapshots);
        assert_eq!(plan.kept, [UntouchedFile { path: ".env".into(), why: WhyKept::IgnoredThen }]);
        snapshots.apply(&plan, ConflictPolicy::Force, NOW).unwrap();
        assert_eq!(paths(&scratch.image()), [".env", ".gitignore", "a"]);
    }
}

#[test]
fn a_file_ignored_during_the_run_is_looked_at_before_it_is_overwritten() {
    for scratch in both(&[("a", "1")]) {
        scratch.write("same", "1");
        scratch.write("other", "1");
        let tree = scratch.open();
        let snapshots = of(&tree);
        snapshots.take(SnapshotLabel::Start, NOW).unwrap();
        scratch.write(".gitignore", "same\nother\n");
        scratch.write("other", "2");
        let before = scratch.image();
        snapshots.take(SnapshotLabel::Iteration(1), NOW).unwrap();
        let plan = plan_to_start(&snapshots);
        let conflicts: Vec<_> = plan.conflicts.iter().map(|step| &step.path).collect();
        assert_eq!(conflicts, ["other"].map(Path::new), "{plan:?}");
        snapshots.apply(&plan, ConflictPolicy::Force, NOW).unwrap();
        assert_eq!(scratch.image()[Path::new("other")].1, b"1");
        snapshots.undo(ConflictPolicy::Leave, NOW).unwrap();
        assert_eq!(scratch.image(), before);
    }
}

#[test]
fn a_file_too_large_for_the_snapshot_is_left_alone() {
    for scratch in both(&[("a", "1")]) {
        let mut tree = scratch.open();
        tree.limit_size(10);
        scratch.write("large", "more than ten bytes");
        scratch.write("grows", "1");
        let snapshots = of(&tree);
        let start = snapshots.take(SnapshotLabel::Start, NOW).unwrap();
        assert_eq!(start.left_out[0].path, Path::new("large"));
        assert_eq!(snapshots.get(SnapshotLabel::Start).unwrap(), start);
        scratch.write("large", "small");
        scratch.write("grows", "more than ten bytes");
        let before = scratch.image();
        snapshots.take(SnapshotLabel::Iteration(1), NOW).unwrap();
        let plan = plan_to_start(&snapshots);
        assert_eq!(plan.kept, [UntouchedFile { path: "large".into(), why: WhyKept::NotRecorded }]);
        assert_eq!(plan.conflicts.len(), 1);
        snapshots.apply(&plan, ConflictPolicy::Force, NOW).unwrap();
        assert_eq!(fs::read_to_string(scratch.path("grows")).unwrap(), "1");
        snapshots.undo(ConflictPolicy::Leave, NOW).unwrap();
        assert_eq!(scratch.image(), before, "the safety snapshot held it");
    }
}

#[test]
fn a_file_that_counts_no_longer_is_left_alone() {
    for scratch in both(&[("a", "1"), ("report", "1")]) {
        let mut tree = scratch.open();
        of(&tree).take(SnapshotLabel::Start, NOW).unwrap();
        tree.leave_out(["report"]);
        let snapshots = of(&tree);
        scratch.write("report", "2");
        scratch.write("a", "2");
        snapshots.take(SnapshotLabel::Iteration(1), NOW).unwrap();
        let plan = plan_to_start(&snapshots);
        assert_eq!(plan.kept, [UntouchedFile { path: "report".into(), why: WhyKept::NotRecorded }]);
        snapshots.apply(&plan, ConflictPolicy::Force, NOW).unwrap();
        assert_eq!(scratch.image()[Path::new("a")].1, b"1");
        assert_eq!(scratch.image()[Path::new("report")].1, b"2");
    }
}

#[test]
fn something_in_the_way_is_told_and_not_removed() {
    for scratch in both(&[("a", "1"), (".gitignore", "*.log\n")]) {
        let tree = scratch.open();
        let snapshots = of(&tree);
        snapshots.take(SnapshotLabel::Start, NOW).unwrap();
        scratch.remove("a");
        scratch.write("a/x.log", "ignored");
        scratch.write("a/b", "2");
        snapshots.take(SnapshotLabel::Iteration(1), NOW).unwrap();
        let done = snapshots.apply(&plan_to_start(&snapshots), ConflictPolicy::Leave, NOW).unwrap();
        assert_eq!(done.blocked, [BlockedFile { path: "a".into(), by: "a".into() }]);
        assert_eq!(paths(&scratch.image()), [".gitignore", "a/x.log"]);
    }
}

#[cfg(unix)]
#[test]
fn nothing_is_written_or_removed_through_a_link() {
    for scratch in both(&[("dir/a", "1"), ("dir/b", "1")]) {
        let outside = tempfile::tempdir().unwrap();
        let tree = scratch.open();
        let snapshots = of(&tree);
        snapshots.take(SnapshotLabel::Start, NOW).unwrap();
        scratch.write("dir/new", "2");
        snapshots.take(SnapshotLabel::Iteration(1), NOW).unwrap();
        fs::remove_dir_all(scratch.path("dir")).unwrap();
        for name in ["a", "new"] {
            fs::write(outside.path().join(name), "not ours").unwrap();
        }
        scratch.link("dir", outside.path().to_str().unwrap());
        let plan = plan_to_start(&snapshots);
        let done = snapshots.apply(&plan, ConflictPolicy::Force, NOW).unwrap();
        assert_eq!(done.blocked.len(), 2, "{done:?}");
        for name in ["a", "new"] {
            assert_eq!(fs::read_to_string(outside.path().join(name)).unwrap(), "not ours");
        }
        assert!(!outside.path().join("b").exists());
    }
}

#[test]
fn a_nested_repository_is_named_and_left_alone() {
    let scratch = ScratchTree::committed(&[("a", "1")]);
    let tree = scratch.open();
    let snapshots = of(&tree);
    snapshots.take(SnapshotLabel::Start, NOW).unwrap();
    scratch.write("nested/c", "1");
    run_in(&scratch.path("nested"), &["init", "-q"]);
    let one = snapshots.take(SnapshotLabel::Iteration(1), NOW).unwrap();
    run_in(&scratch.path("nested"), &["add", "c"]);
    run_in(&scratch.path("nested"), &["commit", "-q", "-m", "c"]);
    scratch.write("a", "2");
    let two = snapshots.take(SnapshotLabel::Iteration(2), NOW).unwrap();
    for snapshot in [&one, &two] {
        assert_eq!(snapshot.nested, ["nested"].map(PathBuf::from), "{snapshot:?}");
    }
    let plan = plan_to_start(&snapshots);
    assert!(plan.kept.iter().all(|kept| kept.why == WhyKept::Nested), "{plan:?}");
    assert!(!plan.kept.is_empty());
    snapshots.apply(&plan, ConflictPolicy::Force, NOW).unwrap();
    assert_eq!(paths(&scratch.image()), ["a", "nested/c"]);
    assert_eq!(scratch.image()[Path::new("a")].1, b"1");
}

#[test]
fn a_rollback_that_never_was_cannot_be_undone() {
    for scratch in both(&[("a", "1")]) {
        let tree = scratch.open();
        let error = of(&tree).undo(ConflictPolicy::Leave, NOW).unwrap_err();
        assert_eq!(error.to_string(), "run run-00000001 has no rollback that could be undone");
        let error = of(&tree).get(SnapshotLabel::Start).unwrap_err();
        assert_eq!(error.to_string(), "run run-00000001 has no snapshot 0");
    }
}
