use std::fs;
use std::os::unix::fs::PermissionsExt;

use ralph_core::{RunId, Timestamp};

use super::*;
use crate::label::SnapshotLabel;
use crate::plan::RollbackPlan;
use crate::rollback::ConflictPolicy;
use crate::scratch::{ScratchTree, run_in};
use crate::snapshots::{SnapshotError, Snapshots, base};
use crate::work_tree::WorkTree;

const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_000);

fn of(tree: &WorkTree) -> Snapshots<'_> {
    Snapshots::new(tree, RunId::from_bits(1))
}

/// One project in git and one outside, with these files and permissions.
fn both(files: &[(&str, u32)]) -> [ScratchTree; 2] {
    let made = [ScratchTree::committed(&[("other", "1"), ("another", "1")]), ScratchTree::plain()];
    for scratch in &made {
        for (path, mode) in files {
            scratch.write(path, "1");
            scratch.set_mode(path, *mode);
        }
    }
    made
}

fn plan_to_start(snapshots: &Snapshots<'_>) -> RollbackPlan {
    let all = snapshots.list().unwrap();
    snapshots.plan(&all[0], base(&all).unwrap(), &[]).unwrap()
}

fn go_back(snapshots: &Snapshots<'_>) {
    snapshots.apply(&plan_to_start(snapshots), ConflictPolicy::Leave, NOW).unwrap();
}

#[track_caller]
fn check_modes(scratch: &ScratchTree, want: &[(&str, u32)]) {
    for (path, want) in want {
        let mode = fs::metadata(scratch.path(path)).unwrap().permissions().mode() & 0o7777;
        assert_eq!(format!("{path} {mode:o}"), format!("{path} {want:o}"));
    }
}

const FILES: [(&str, u32); 6] = [
    ("plain", 0o644),
    ("edited secret", 0o600),
    ("deleted secret", 0o600),
    ("opened secret", 0o600),
    ("tool", 0o755),
    ("group's tool", 0o750),
];

#[test]
fn permissions_come_back_exactly() {
    for scratch in both(&FILES) {
        let tree = scratch.open();
        let snapshots = of(&tree);
        snapshots.take(SnapshotLabel::Start, NOW).unwrap();
        scratch.write("edited secret", "2");
        scratch.set_mode("edited secret", 0o664);
        scratch.remove("deleted secret");
        scratch.set_mode("opened secret", 0o644);
        scratch.set_mode("tool", 0o600);
        scratch.set_mode("group's tool", 0o777);
        snapshots.take(SnapshotLabel::Iteration(1), NOW).unwrap();
        let spoilt = [("edited secret", 0o664), ("opened secret", 0o644), ("tool", 0o600)];
        check_modes(&scratch, &spoilt);
        go_back(&snapshots);
        check_modes(&scratch, &FILES);
        assert!(plan_to_start(&snapshots).is_empty());
        snapshots.undo(ConflictPolicy::Leave, NOW).unwrap();
        check_modes(&scratch, &spoilt);
        check_modes(&scratch, &[("group's tool", 0o777)]);
    }
}

#[test]
fn permissions_that_changed_after_the_run_are_a_conflict() {
    for scratch in both(&FILES) {
        let tree = scratch.open();
        let snapshots = of(&tree);
        snapshots.take(SnapshotLabel::Start, NOW).unwrap();
        scratch.write("plain", "2");
        let last = snapshots.take(SnapshotLabel::Iteration(1), NOW).unwrap();
        assert!(!snapshots.differs_aside(&last));
        scratch.set_mode("opened secret", 0o640);
        assert!(snapshots.differs_aside(&last));
        let later = snapshots.take(SnapshotLabel::Resumed(1), NOW).unwrap();
        let change = |path: &str| crate::scratch::change(path, crate::ChangeKind::Modified);
        assert_eq!(snapshots.changes(&last, &later).unwrap(), [change("opened secret")]);
        let plan = plan_to_start(&snapshots);
        let conflicts: Vec<_> = plan.conflicts.iter().map(|step| &*step.path).collect();
        assert_eq!(conflicts, [Path::new("opened secret")]);
        snapshots.apply(&plan, ConflictPolicy::Leave, NOW).unwrap();
        check_modes(&scratch, &[("opened secret", 0o640)]);
        snapshots.apply(&plan_to_start(&snapshots), ConflictPolicy::Force, NOW).unwrap();
        check_modes(&scratch, &FILES);
    }
}

#[test]
fn a_snapshot_without_permissions_keeps_those_of_the_file_before() {
    let modes = FileModes::default();
    assert_eq!(modes.of(Path::new("a"), crate::snapshot::ItemKind::Executable), None);
    let facts = TreeFacts::parse("at: 1\n").unwrap();
    assert_eq!(facts.modes, modes);
}

#[test]
fn folders_without_files_come_back() {
    for scratch in both(&[("a", 0o644)]) {
        fs::create_dir_all(scratch.path("empty/deep")).unwrap();
        fs::create_dir(scratch.path("stays")).unwrap();
        let tree = scratch.open();
        let snapshots = of(&tree);
        let start = snapshots.take(SnapshotLabel::Start, NOW).unwrap();
        fs::remove_dir_all(scratch.path("empty")).unwrap();
        assert!(snapshots.differs_aside(&start));
        snapshots.take(SnapshotLabel::Iteration(1), NOW).unwrap();
        go_back(&snapshots);
        assert!(scratch.path("empty/deep").is_dir());
        snapshots.undo(ConflictPolicy::Leave, NOW).unwrap();
        assert!(!scratch.path("empty").exists());
        assert!(scratch.path("stays").is_dir());

        scratch.write("empty", "a file in its place");
        let plan = plan_to_start(&snapshots);
        let done = snapshots.apply(&plan, ConflictPolicy::Leave, NOW).unwrap();
        let in_the_way: Vec<_> = done.blocked.iter().map(|blocked| &*blocked.by).collect();
        assert_eq!(in_the_way, [Path::new("empty"); 2]);
    }
}

#[test]
fn a_rollback_of_permissions_and_folders_can_be_interrupted() {
    for scratch in both(&FILES) {
        fs::create_dir(scratch.path("empty")).unwrap();
        scratch.write(".gitignore", "ignored\n");
        let tree = scratch.open();
        let snapshots = of(&tree);
        snapshots.take(SnapshotLabel::Start, NOW).unwrap();
        fs::remove_dir(scratch.path("empty")).unwrap();
        scratch.set_mode("opened secret", 0o644);
        scratch.write("plain", "2");
        snapshots.take(SnapshotLabel::Iteration(1), NOW).unwrap();
        for moment in 0..3 {
            let mut count = 0;
            let stop = &mut || {
                count += 1;
                let unknown = SnapshotError::PlanOutdated;
                if count > moment { Err(unknown) } else { Ok(()) }
            };
            let plan = plan_to_start(&snapshots);
            assert!(snapshots.apply_with(&plan, ConflictPolicy::Leave, NOW, stop).is_err());
            scratch.write("empty/ignored", "");
            let done = snapshots.resume_pending(NOW).unwrap().unwrap();
            assert!(done.left.is_empty() && done.blocked.is_empty(), "{done:?}");
            check_modes(&scratch, &FILES);
            assert!(scratch.path("empty").is_dir());
            scratch.remove("empty/ignored");
            snapshots.undo(ConflictPolicy::Leave, NOW).unwrap();
            assert!(!scratch.path("empty").exists());
        }
    }
}

#[test]
fn what_appeared_and_is_in_no_snapshot_is_named() {
    let [git, outside] = both(&[("a", 0o644)]);
    for scratch in [&git, &outside] {
        scratch.write("large before", "0123456789");
        let mut tree = scratch.open();
        tree.limit_size(8);
        tree.leave_out(["by a gate", "gone"]);
        let snapshots = of(&tree);
        snapshots.take(SnapshotLabel::Start, NOW).unwrap();
        scratch.write("large", "0123456789");
        scratch.write("by a gate", "");
        snapshots.take(SnapshotLabel::Iteration(1), NOW).unwrap();
        let kept = |path: &str, why| UntouchedFile { path: path.into(), why };
        let plan = plan_to_start(&snapshots);
        assert!(plan.is_empty());
        let want = [kept("by a gate", WhyKept::LeftOut), kept("large", WhyKept::TooLarge)];
        assert_eq!(plan.kept, want);

        scratch.write("a", "2");
        snapshots.take(SnapshotLabel::Iteration(1), NOW).unwrap();
        go_back(&snapshots);
        assert_eq!(fs::read(scratch.path("large")).unwrap(), b"0123456789");
    }
    fs::create_dir(git.path("inner")).unwrap();
    run_in(&git.path("inner"), &["init", "-q"]);
    git.write("inner/file", "");
    git.write(".gitignore", "by a gate\n");
    let mut tree = git.open();
    tree.leave_out(["by a gate"]);
    let snapshots = of(&tree);
    let all = snapshots.list().unwrap();
    let plan = snapshots.plan(&all[0], &all[0], &["inner".into(), "by a gate".into()]).unwrap();
    assert_eq!(plan.kept, [UntouchedFile { path: "inner".into(), why: WhyKept::Nested }]);
}

#[test]
fn an_empty_folder_gets_its_permissions_back() {
    for scratch in both(&FILES) {
        let tree = scratch.open();
        for name in ["closed", "opened"] {
            fs::create_dir(scratch.path(name)).unwrap();
            scratch.set_mode(name, 0o700);
        }
        of(&tree).take(SnapshotLabel::Start, NOW).unwrap();
        fs::remove_dir(scratch.path("closed")).unwrap();
        scratch.set_mode("opened", 0o755);
        of(&tree).take(SnapshotLabel::Iteration(1), NOW).unwrap();
        go_back(&of(&tree));
        check_modes(&scratch, &[("closed", 0o700), ("opened", 0o700)]);
    }
}

#[test]
fn empty_folders_that_the_run_made_go_and_come_back() {
    let later = Timestamp::from_millis(i64::MAX);
    for scratch in both(&FILES) {
        let tree = scratch.open();
        fs::create_dir(scratch.path("before")).unwrap();
        of(&tree).take(SnapshotLabel::Start, NOW).unwrap();
        fs::create_dir_all(scratch.path("made/deep")).unwrap();
        fs::create_dir_all(scratch.path("full")).unwrap();
        scratch.write("full/file", "1");
        of(&tree).take(SnapshotLabel::Iteration(1), NOW).unwrap();

        // Made after the run, for all that is known.
        go_back(&of(&tree).worked_until(NOW));
        assert!(scratch.path("made/deep").is_dir() && !scratch.path("full").exists());

        let snapshots = of(&tree).worked_until(later);
        go_back(&snapshots);
        assert!(!scratch.path("made").exists() && scratch.path("before").is_dir());
        snapshots.undo(ConflictPolicy::Leave, NOW).unwrap();
        assert!(scratch.path("made/deep").is_dir());
    }
}
