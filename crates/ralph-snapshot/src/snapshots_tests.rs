use std::fs;
use std::path::Path;

use super::*;
use crate::project::ProjectLocation;
use crate::rollback::ConflictPolicy;
use crate::scratch::ScratchTree;
use crate::snapshot::SnapshotPlace;

const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_123);

fn of(tree: &WorkTree) -> Snapshots<'_> {
    Snapshots::new(tree, RunId::from_bits(1))
}

/// Takes a snapshot, lets `work` happen, takes another, goes back, and
/// compares all bytes.
#[track_caller]
fn check_round(scratch: &ScratchTree, work: impl FnOnce()) {
    let tree = scratch.open();
    let snapshots = of(&tree);
    let start = snapshots.take(SnapshotLabel::Start, NOW).unwrap();
    let before = scratch.image();
    work();
    let last = snapshots.take(SnapshotLabel::Iteration(1), NOW).unwrap();
    let worked = scratch.image();
    assert_ne!(worked, before);
    let plan = snapshots.plan(&start, &last, &[]).unwrap();
    let done = snapshots.apply(&plan, ConflictPolicy::Leave, NOW).unwrap();
    assert_eq!(scratch.image(), before, "{done:?}");
    snapshots.undo(ConflictPolicy::Leave, NOW).unwrap();
    assert_eq!(scratch.image(), worked);
}

#[test]
fn a_snapshot_is_a_commit_that_plain_git_can_read() {
    let scratch = ScratchTree::committed(&[("a", "1")]);
    scratch.write("b", "2");
    let tree = scratch.open();
    let taken = of(&tree).take(SnapshotLabel::Iteration(3), NOW).unwrap();
    let SnapshotPlace::Git { commit, reference, raw } = &taken.place else { panic!("{taken:?}") };
    assert_eq!(reference, "refs/ralph/run-00000001/3");
    assert_eq!(*raw, None);
    assert_eq!(scratch.run(&["rev-parse", reference]).trim(), commit);
    assert_eq!(scratch.run(&["show", &format!("{reference}:b")]), "2");
    let who = scratch.run(&["log", "-1", "--format=%an <%ae> %ct", reference]);
    assert_eq!(who.trim(), "ralph <ralph@localhost> 1700000000");
    assert_eq!(of(&tree).get(SnapshotLabel::Iteration(3)).unwrap(), taken);
}

#[test]
fn snapshots_are_listed_in_order_with_their_facts() {
    for scratch in [ScratchTree::committed(&[("a", "1")]), ScratchTree::plain()] {
        let tree = scratch.open();
        let mut want = vec![of(&tree).take(SnapshotLabel::Start, NOW).unwrap()];
        for number in [1, 2, 10] {
            scratch.write("a", number.to_string());
            want.push(of(&tree).take(SnapshotLabel::Iteration(number), NOW).unwrap());
        }
        want.push(of(&tree).take(SnapshotLabel::Safety(1), NOW).unwrap());
        assert_eq!(of(&tree).list().unwrap(), want);
        let changes = of(&tree).changes(&want[1], &want[2]).unwrap();
        assert_eq!(changes, [crate::scratch::change("a", ChangeKind::Modified)]);
    }
}

#[test]
fn an_unchanged_tree_keeps_its_commit_and_its_time() {
    for scratch in [ScratchTree::committed(&[("a", "1")]), ScratchTree::plain()] {
        let tree = scratch.open();
        let start = of(&tree).take(SnapshotLabel::Start, NOW).unwrap();
        let later = Timestamp::from_millis(NOW.as_millis() + 60_000);
        let again = of(&tree).take(SnapshotLabel::Iteration(1), later).unwrap();
        assert_eq!((&again.tree, again.at), (&start.tree, NOW));
        assert_eq!(of(&tree).list().unwrap(), [start, again]);
    }
}

#[cfg(unix)]
#[test]
fn the_users_git_is_untouched_whatever_is_configured() {
    let scratch = ScratchTree::committed(&[("a", "1"), ("b", "1")]);
    for (key, value) in [
        ("commit.gpgSign", "true"),
        ("gpg.program", "/bin/false"),
        ("core.logAllRefUpdates", "always"),
        ("user.useConfigOnly", "true"),
        ("i18n.commitEncoding", "latin1"),
    ] {
        scratch.run(&["config", key, value]);
    }
    let hook = "#!/bin/sh\ntouch \"$GIT_DIR/hook-ran\"\nexit 1\n";
    for name in ["reference-transaction", "post-index-change", "pre-commit", "commit-msg"] {
        let path = format!(".git/hooks/{name}");
        scratch.write(&path, hook);
    }
    scratch.write("a", "stashed");
    scratch.run(&["stash", "-q"]);
    scratch.write("a", "staged");
    scratch.run(&["add", "a"]);
    for name in ["reference-transaction", "post-index-change", "pre-commit", "commit-msg"] {
        scratch.set_mode(&format!(".git/hooks/{name}"), 0o755);
    }
    let index = fs::read(scratch.path(".git/index")).unwrap();
    let (state, status) = (scratch.git_state(), scratch.status());
    check_round(&scratch, || scratch.write("b", "2"));
    assert_eq!(scratch.git_state(), state);
    assert!(fs::read(scratch.path(".git/index")).unwrap() == index);
    assert!(!scratch.path(".git/hook-ran").exists());
    assert!(!scratch.path(".git/logs/refs/ralph").exists());
    scratch.write("b", "1");
    assert_eq!(scratch.status(), status);
    assert_eq!(scratch.run(&["fsck", "--strict"]), "");
}

#[test]
fn a_lock_left_by_a_killed_git_is_removed() {
    let scratch = ScratchTree::committed(&[("a", "1")]);
    scratch.write(".git/refs/ralph/run-00000001/0.lock", "");
    let tree = scratch.open();
    let start = of(&tree).take(SnapshotLabel::Start, NOW).unwrap();
    assert_eq!(of(&tree).list().unwrap(), [start]);
}

#[test]
fn a_repository_without_a_commit_works() {
    let scratch = ScratchTree::git();
    check_round(&scratch, || scratch.write("a", "1"));
    check_round(&scratch, || scratch.write("a", "2"));
}

#[test]
fn a_detached_head_works() {
    let scratch = ScratchTree::committed(&[("a", "1")]);
    scratch.run(&["checkout", "-q", "--detach"]);
    check_round(&scratch, || scratch.write("a", "2"));
}

#[test]
fn the_middle_of_a_merge_works() {
    let scratch = ScratchTree::committed(&[("a", "1\n"), ("gone", "1\n")]);
    scratch.run(&["checkout", "-q", "-b", "side"]);
    scratch.write("a", "side\n");
    scratch.write("gone", "side\n");
    scratch.commit();
    scratch.run(&["checkout", "-q", "main"]);
    scratch.write("a", "main\n");
    scratch.remove("gone");
    scratch.commit();
    scratch.try_run(&["merge", "-q", "side"]);
    let status = scratch.status();
    assert!(status.contains("u "), "there is a conflict");
    let tree = scratch.open();
    let start = of(&tree).take(SnapshotLabel::Start, NOW).unwrap();
    scratch.write("a", "resolved\n");
    let last = of(&tree).take(SnapshotLabel::Iteration(1), NOW).unwrap();
    let plan = of(&tree).plan(&start, &last, &[]).unwrap();
    of(&tree).apply(&plan, ConflictPolicy::Leave, NOW).unwrap();
    assert_eq!(scratch.status(), status);
}

#[test]
fn a_sparse_checkout_works() {
    let scratch = ScratchTree::committed(&[("in/a", "1"), ("out/b", "1")]);
    scratch.run(&["sparse-checkout", "set", "in"]);
    let status = scratch.status();
    check_round(&scratch, || {
        scratch.write("in/a", "2");
        scratch.write("in/new", "2");
    });
    let tree = scratch.open();
    let [start, last] =
        [SnapshotLabel::Start, SnapshotLabel::Iteration(1)].map(|it| of(&tree).get(it).unwrap());
    let plan = of(&tree).plan(&start, &last, &[]).unwrap();
    of(&tree).apply(&plan, ConflictPolicy::Leave, NOW).unwrap();
    assert_eq!(scratch.status(), status);
    assert!(!scratch.path("out/b").exists());
}

#[test]
fn files_that_git_was_told_not_to_look_at_come_back() {
    let scratch = ScratchTree::committed(&[("a", "1"), ("b", "1"), ("c", "1")]);
    scratch.run(&["update-index", "--skip-worktree", "a"]);
    scratch.run(&["update-index", "--assume-unchanged", "b"]);
    scratch.write("a", "mine");
    scratch.write("b", "mine");
    let (state, status) = (scratch.git_state(), scratch.status());
    check_round(&scratch, || {
        scratch.write("a", "2");
        scratch.write("b", "2");
    });
    assert_eq!(scratch.git_state(), state);
    assert_eq!(scratch.status(), status);
}

#[test]
fn bytes_come_back_whatever_git_makes_of_them() {
    let scratch = ScratchTree::committed(&[
        (".gitattributes", "* text=auto\n*.up filter=up\n*.id ident\n*.bin -text\n"),
        ("lf", "one\ntwo\n"),
    ]);
    scratch.run(&["config", "filter.up.clean", "tr a-z A-Z"]);
    scratch.run(&["config", "filter.up.smudge", "cat"]);
    let files =
        [("crlf", "one\r\ntwo\r\n"), ("x.up", "abc"), ("x.id", "$Id: 1 $"), ("x.bin", "\r\n")];
    for (path, text) in files {
        scratch.write(path, text);
    }
    check_round(&scratch, || {
        for (path, _) in files {
            scratch.remove(path);
        }
        scratch.write("lf", "one\r\ntwo\r\n");
    });
    for (path, text) in files {
        scratch.write(path, text);
    }
    // Only the bytes differ; git stores the same.
    check_round(&scratch, || {
        scratch.write("crlf", "one\ntwo\n");
        scratch.write("x.up", "aBc");
        scratch.write("x.id", "$Id: 2 $");
    });
}

#[test]
fn a_filter_that_keeps_contents_elsewhere_is_not_needed_to_go_back() {
    let scratch = ScratchTree::committed(&[(".gitattributes", "*.big filter=pointer\n")]);
    // Git stores but a pointer, and what gets the contents back is away.
    scratch.run(&["config", "filter.pointer.clean", "git hash-object --stdin"]);
    scratch.run(&["config", "filter.pointer.smudge", "false"]);
    scratch.run(&["config", "filter.pointer.required", "true"]);
    scratch.write("tracked.big", "1");
    scratch.commit();
    scratch.write("tracked.big", "not committed");
    scratch.write("untracked.big", "mine");
    check_round(&scratch, || {
        scratch.write("tracked.big", "2");
        scratch.remove("untracked.big");
        scratch.write("new.big", "3");
    });
}

#[test]
fn bytes_come_back_when_git_converts_line_ends_everywhere() {
    for setting in ["true", "input"] {
        let scratch = ScratchTree::committed(&[("a", "1\n")]);
        scratch.run(&["config", "core.autocrlf", setting]);
        scratch.write("crlf", "1\r\n2\r\n");
        scratch.write("lf", "1\n2\n");
        check_round(&scratch, || {
            scratch.write("crlf", "1\n2\n");
            scratch.write("lf", "1\r\n2\r\n");
            scratch.remove("a");
        });
    }
}

#[cfg(unix)]
#[test]
fn names_of_any_bytes_come_back() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let names: [&[u8]; 6] = [b"\xff\xfe", b"a\nb", b"-z", b":(top)", b"*", "ä\"'\\ ".as_bytes()];
    let gits = [ScratchTree::committed(&[(".gitattributes", "* text=auto\n")]), ScratchTree::git()];
    for scratch in gits.into_iter().chain([ScratchTree::plain()]) {
        for name in names {
            scratch.write(OsStr::from_bytes(name), "1\r\n");
        }
        check_round(&scratch, || {
            for name in names {
                fs::remove_file(scratch.path(OsStr::from_bytes(name))).unwrap();
            }
        });
    }
}

#[test]
fn two_work_trees_of_a_repository_do_not_see_each_other() {
    let scratch = ScratchTree::committed(&[("a", "1")]);
    let side = scratch.root.parent().unwrap().join("side");
    scratch.run(&["worktree", "add", "-q", "--detach", side.to_str().unwrap()]);
    let project = ProjectLocation::discover(&side).unwrap();
    let linked = WorkTree::open(&project, &scratch.state()).unwrap();
    let main = scratch.open();
    let (here, there) = (of(&main), Snapshots::new(&linked, RunId::from_bits(2)));
    std::thread::scope(|scope| {
        for (snapshots, root) in [(&here, &scratch.root), (&there, &side)] {
            scope.spawn(move || {
                snapshots.take(SnapshotLabel::Start, NOW).unwrap();
                fs::write(root.join("a"), root.to_str().unwrap()).unwrap();
                let last = snapshots.take(SnapshotLabel::Iteration(1), NOW).unwrap();
                let start = snapshots.get(SnapshotLabel::Start).unwrap();
                let plan = snapshots.plan(&start, &last, &[]).unwrap();
                snapshots.apply(&plan, ConflictPolicy::Leave, NOW).unwrap();
                assert_eq!(fs::read_to_string(root.join("a")).unwrap(), "1");
                assert_eq!(snapshots.list().unwrap().len(), 4);
            });
        }
    });
    here.remove().unwrap();
    assert_eq!(here.list().unwrap(), []);
    assert_eq!(there.list().unwrap().len(), 4);
}

#[test]
fn a_submodule_is_named_by_its_commit() {
    let scratch = ScratchTree::committed(&[("a", "1")]);
    let other = ScratchTree::committed(&[("lib", "1")]);
    let url = other.root.to_str().unwrap();
    scratch.run(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", url, "sub"]);
    scratch.commit();
    let status = scratch.status();
    let tree = scratch.open();
    let start = of(&tree).take(SnapshotLabel::Start, NOW).unwrap();
    assert_eq!(start.nested, [PathBuf::from("sub")]);
    scratch.write("a", "2");
    let last = of(&tree).take(SnapshotLabel::Iteration(1), NOW).unwrap();
    assert_eq!(last.nested, start.nested);
    let plan = of(&tree).plan(&start, &last, &[]).unwrap();
    of(&tree).apply(&plan, ConflictPolicy::Leave, NOW).unwrap();
    assert_eq!(scratch.status(), status);
}

#[test]
fn where_the_repository_takes_nothing_the_files_are_copied() {
    let scratch = ScratchTree::committed(&[("a", "1"), (".gitignore", "*.log\n")]);
    fs::remove_dir_all(scratch.path(".git/objects")).unwrap();
    scratch.write(".git/objects", "a file takes no files");
    scratch.write("a.log", "");
    check_round(&scratch, || scratch.write("a", "2"));
    let tree = scratch.open();
    let start = of(&tree).get(SnapshotLabel::Start).unwrap();
    assert!(matches!(start.place, SnapshotPlace::Files { .. }), "{start:?}");
}

#[test]
fn snapshots_in_both_places_are_listed_and_usable() {
    let scratch = ScratchTree::committed(&[("a", "1"), ("b", "1")]);
    let mut tree = scratch.open();
    let start = of(&tree).take(SnapshotLabel::Start, NOW).unwrap();
    tree.flip();
    scratch.write("a", "2");
    let first = of(&tree).take(SnapshotLabel::Iteration(1), NOW).unwrap();
    scratch.write("b", "2");
    let second = of(&tree).take(SnapshotLabel::Iteration(2), NOW).unwrap();
    assert!(second.is_beside(&first) && !second.is_beside(&start));
    let closed = of(&tree).plan(&start, &second, &[]).unwrap_err();
    assert!(matches!(closed, SnapshotError::Closed { label: SnapshotLabel::Start }), "{closed}");
    for _ in 0..2 {
        tree.flip();
        let labels = of(&tree).list().unwrap().into_iter().map(|snapshot| snapshot.label);
        let want = [SnapshotLabel::Start, SnapshotLabel::Iteration(1), SnapshotLabel::Iteration(2)];
        assert_eq!(labels.collect::<Vec<_>>(), want);
        assert_eq!(of(&tree).changes(&first, &second).unwrap().len(), 1);
        let apart = of(&tree).changes(&start, &second).unwrap_err();
        assert!(matches!(apart, SnapshotError::Apart { .. }), "{apart}");
    }
    tree.flip();
    let image = scratch.image();
    let plan = of(&tree).plan(&first, &second, &[]).unwrap();
    of(&tree).apply(&plan, ConflictPolicy::Leave, NOW).unwrap();
    assert_eq!(fs::read(scratch.path("b")).unwrap(), b"1");
    of(&tree).undo(ConflictPolicy::Leave, NOW).unwrap();
    assert_eq!(scratch.image(), image);
    let plan = of(&tree).plan(&start, &second, &[]).unwrap();
    let conflicts: Vec<_> = plan.conflicts.iter().map(|step| &*step.path).collect();
    assert_eq!((plan.steps.len(), &*conflicts), (0, &["a", "b"].map(Path::new)[..]));
    of(&tree).remove().unwrap();
    assert_eq!(of(&tree).list().unwrap(), []);
}

/// Counts the files below a folder.
fn count_files(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| if path.is_dir() { count_files(&path) } else { 1 }).sum()
}

#[test]
fn a_look_leaves_no_object_in_the_repository() {
    let scratch = ScratchTree::committed(&[("a", "1"), ("b.txt", "1\r\n")]);
    let mut tree = scratch.open();
    let start = of(&tree).take(SnapshotLabel::Start, NOW).unwrap();
    scratch.write("a", "never seen before");
    scratch.write("b.txt", "nor this\r\n");
    scratch.write(".gitattributes", "*.txt text eol=crlf\n");
    let objects = scratch.path(".git/objects");
    let before = count_files(&objects);
    let folder = tempfile::tempdir().unwrap();
    tree.only_look(folder.path()).unwrap();
    let plan = of(&tree).plan(&start, &start, &[]).unwrap();
    assert_eq!(plan.conflicts.len(), 2);
    assert_eq!(count_files(&objects), before);
    drop(folder);
    assert_eq!(scratch.tree(), scratch.tree_anew());
    check_round(&scratch, || scratch.write("a", "2"));
}

#[test]
fn objects_that_git_removed_are_recorded_again() {
    let scratch = ScratchTree::committed(&[("a", "1")]);
    scratch.write("untracked", "only our index knows it");
    let tree = scratch.open();
    tree.tree().unwrap();
    scratch.run(&["prune", "--expire=now"]);
    let start = of(&tree).take(SnapshotLabel::Start, NOW).unwrap();
    scratch.run(&["cat-file", "-e", &format!("{}:untracked", start.tree)]);
    scratch.write("more", "not in a snapshot yet");
    tree.tree().unwrap();
    let kept = scratch.run(&["rev-parse", &format!("{}^{{tree}}", tree.tree().unwrap())]);
    scratch.run(&["prune", "--expire=now", kept.trim()]);
    let blob = scratch.run(&["hash-object", "more"]);
    let (folder, file) = blob.trim().split_at(2);
    let _ = fs::remove_file(scratch.path(format!(".git/objects/{folder}/{file}")));
    let next = of(&tree).take(SnapshotLabel::Iteration(1), NOW).unwrap();
    scratch.run(&["cat-file", "-e", &format!("{}:more", next.tree)]);
}

#[test]
fn a_snapshot_survives_the_collection_of_garbage() {
    let scratch = ScratchTree::committed(&[(".gitattributes", "* text=auto\n")]);
    scratch.write("crlf", "1\r\n");
    check_round(&scratch, || {
        scratch.remove("crlf");
        scratch.run(&["gc", "-q", "--prune=now"]);
    });
}

#[test]
fn removed_snapshots_leave_nothing_and_others_stay() {
    for scratch in [ScratchTree::committed(&[("a", "1")]), ScratchTree::plain()] {
        let tree = scratch.open();
        let other = Snapshots::new(&tree, RunId::from_bits(2));
        scratch.write("shared", "both runs have this");
        let kept = other.take(SnapshotLabel::Start, NOW).unwrap();
        of(&tree).take(SnapshotLabel::Start, NOW).unwrap();
        scratch.write("own", "only the first run has this");
        of(&tree).take(SnapshotLabel::Iteration(1), NOW).unwrap();
        assert!(of(&tree).space_used().unwrap() > 0);
        of(&tree).remove().unwrap();
        of(&tree).remove().unwrap();
        assert_eq!(of(&tree).list().unwrap(), []);
        assert_eq!(of(&tree).space_used().unwrap(), 0);
        assert_eq!(other.list().unwrap(), std::slice::from_ref(&kept));
        scratch.write("shared", "changed");
        let last = other.take(SnapshotLabel::Iteration(1), NOW).unwrap();
        let plan = other.plan(&kept, &last, &[]).unwrap();
        other.apply(&plan, ConflictPolicy::Leave, NOW).unwrap();
        assert_eq!(fs::read_to_string(scratch.path("shared")).unwrap(), "both runs have this");
    }
}

#[test]
fn contents_outside_git_are_kept_once_and_compressed() {
    let scratch = ScratchTree::plain();
    let text = "the same line again and again\n".repeat(1000);
    for path in ["a", "b", "c/d"] {
        scratch.write(path, &text);
    }
    let tree = scratch.open();
    of(&tree).take(SnapshotLabel::Start, NOW).unwrap();
    assert!(of(&tree).space_used().unwrap() < 2000);
    let objects = fs::read_dir(scratch.state().join("objects")).unwrap();
    assert_eq!(objects.filter(|entry| entry.as_ref().unwrap().path().is_dir()).count(), 1);
}

#[test]
fn included_ignored_files_come_back() {
    for scratch in [ScratchTree::git(), ScratchTree::plain()] {
        scratch.write(".gitignore", "out/\n");
        scratch.write("out/a", "1");
        let mut tree = scratch.open();
        tree.include_ignored(["out"]);
        let start = of(&tree).take(SnapshotLabel::Start, NOW).unwrap();
        scratch.write("out/a", "2");
        scratch.write("out/b", "2");
        let last = of(&tree).take(SnapshotLabel::Iteration(1), NOW).unwrap();
        let plan = of(&tree).plan(&start, &last, &[]).unwrap();
        of(&tree).apply(&plan, ConflictPolicy::Leave, NOW).unwrap();
        assert_eq!(fs::read_to_string(scratch.path("out/a")).unwrap(), "1");
        assert!(!scratch.path("out/b").exists());
    }
}

#[cfg(unix)]
#[test]
fn modes_and_links_come_back() {
    use std::os::unix::fs::PermissionsExt;
    for scratch in [ScratchTree::git(), ScratchTree::plain()] {
        scratch.write("script", "1");
        scratch.set_mode("script", 0o755);
        scratch.write("private", "1");
        scratch.set_mode("private", 0o600);
        scratch.link("link", "script");
        check_round(&scratch, || {
            scratch.set_mode("script", 0o644);
            scratch.write("private", "2");
            scratch.link("link", "elsewhere");
        });
        let mode = fs::metadata(scratch.path("private")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn state_inside_the_work_tree_is_no_part_of_a_snapshot() {
    let scratch = ScratchTree::plain();
    scratch.write("a", "1");
    let project = ProjectLocation::discover(&scratch.root).unwrap();
    let tree = WorkTree::open(&project, &scratch.path(".state")).unwrap();
    let start = of(&tree).take(SnapshotLabel::Start, NOW).unwrap();
    scratch.write("a", "2");
    let last = of(&tree).take(SnapshotLabel::Iteration(1), NOW).unwrap();
    let plan = of(&tree).plan(&start, &last, &[]).unwrap();
    assert_eq!(plan.steps.len(), 1);
    of(&tree).apply(&plan, ConflictPolicy::Leave, NOW).unwrap();
    assert_eq!(fs::read_to_string(scratch.path("a")).unwrap(), "1");
    assert!(Path::new(&scratch.path(".state/objects")).is_dir());
}

#[test]
fn snapshots_are_listed_alike_by_who_took_them_and_by_another_process() {
    let scratch = ScratchTree::committed(&[("a", "1"), ("b", "1")]);
    let (ours, theirs) = (scratch.open(), scratch.open());
    let run = RunId::from_bits(7);
    let (ours, theirs) = (Snapshots::new(&ours, run.clone()), Snapshots::new(&theirs, run));
    let at = |seconds: i64| Timestamp::from_millis(seconds * 1000 + 1);
    ours.take(SnapshotLabel::Start, at(1)).unwrap();
    scratch.write("a", "2");
    scratch.set_mode("b", 0o600);
    ours.take(SnapshotLabel::Iteration(1), at(2)).unwrap();
    assert_eq!(ours.list().unwrap(), theirs.list().unwrap());
    scratch.write("a", "3");
    theirs.take(SnapshotLabel::Iteration(1), at(3)).unwrap();
    assert_eq!(ours.list().unwrap(), theirs.list().unwrap());
    scratch.run(&["pack-refs", "--all"]);
    assert_eq!(ours.list().unwrap(), theirs.list().unwrap());
}
