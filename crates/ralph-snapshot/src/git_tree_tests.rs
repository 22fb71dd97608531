use std::path::PathBuf;

use super::*;
use crate::project::ProjectLocation;
use crate::scratch::{ScratchTree, change, run_in};
use crate::work_tree::WorkTree;

const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

fn private_index(scratch: &ScratchTree) -> PathBuf {
    let name = format!("index-{}", crate::state_home::short_digest(&scratch.root));
    scratch.state().join(name)
}

#[test]
fn a_clean_tree_has_the_id_of_the_commits_tree() {
    let scratch = ScratchTree::committed(&[("a", "1"), ("dir/b", "2")]);
    assert_eq!(scratch.tree().as_str(), scratch.run(&["rev-parse", "HEAD^{tree}"]).trim());
}

#[test]
fn a_repository_without_a_commit_or_a_file_has_the_empty_tree() {
    let scratch = ScratchTree::git();
    assert_eq!(scratch.tree().as_str(), EMPTY_TREE);
    scratch.write("a", "1");
    assert_ne!(scratch.tree().as_str(), EMPTY_TREE);
}

#[test]
fn untracked_files_count_and_ignored_ones_do_not() {
    let scratch = ScratchTree::committed(&[(".gitignore", "*.log\n")]);
    let before = scratch.tree();
    scratch.write("a.log", "");
    assert_eq!(scratch.tree(), before);
    scratch.write("a", "");
    assert_ne!(scratch.tree(), before);
}

#[test]
fn going_back_to_earlier_contents_gives_the_earlier_id() {
    let scratch = ScratchTree::committed(&[("a", "1")]);
    let work_tree = scratch.open();
    let first = work_tree.tree().unwrap();
    scratch.write("a", "2");
    scratch.write("b", "");
    let second = work_tree.tree().unwrap();
    scratch.write("a", "1");
    scratch.remove("b");
    assert_ne!(first, second);
    assert_eq!(work_tree.tree().unwrap(), first);
}

#[test]
fn committing_does_not_change_the_tree() {
    let scratch = ScratchTree::committed(&[("a", "1")]);
    scratch.write("a", "2");
    scratch.write("b", "2");
    let before = scratch.tree();
    scratch.commit();
    assert_eq!(scratch.tree(), before);
}

#[cfg(unix)]
#[test]
fn a_changed_mode_counts() {
    let scratch = ScratchTree::committed(&[("a", "1")]);
    let before = scratch.tree();
    scratch.set_mode("a", 0o755);
    let after = scratch.tree();
    let work_tree = scratch.open();
    let want = [change("a", ChangeKind::Modified)];
    assert_eq!(work_tree.changes(&before, &after).unwrap(), want);
    assert!(work_tree.approach(&before, &after).unwrap().is_some());
}

#[test]
fn the_users_git_state_is_untouched() {
    let scratch = ScratchTree::committed(&[("a", "1"), ("b", "1"), ("c", "1")]);
    scratch.write("a", "stashed");
    scratch.run(&["stash", "-q"]);
    scratch.write("a", "staged");
    scratch.run(&["add", "a"]);
    scratch.write("b", "edited");
    scratch.write("new", "untracked");
    let hook = "#!/bin/sh\ntouch \"$GIT_DIR/hook-ran\"\n";
    scratch.write(".git/hooks/post-index-change", hook);
    #[cfg(unix)]
    scratch.set_mode(".git/hooks/post-index-change", 0o755);
    let status = || git_status(&scratch);
    let before_status = status();
    let watched =
        ["index", "HEAD", "logs/HEAD", "refs/heads/main", "refs/stash", "logs/refs/stash"];
    let read = || watched.map(|path| fs::read(scratch.path(".git").join(path)).unwrap());
    let before = read();
    scratch.tree();
    scratch.write("b", "edited again");
    scratch.tree();
    assert!(before == read(), "one of {watched:?} changed");
    assert!(!scratch.path(".git/hook-ran").exists());
    scratch.write("b", "edited");
    assert_eq!(status(), before_status);
}

fn git_status(scratch: &ScratchTree) -> String {
    scratch.run(&["--no-optional-locks", "status", "--porcelain=v2"])
}

#[test]
fn what_is_left_out_does_not_count_until_it_is_let_in() {
    let scratch = ScratchTree::committed(&[("src/main", "1")]);
    let mut work_tree = scratch.open();
    let before = work_tree.tree().unwrap();
    scratch.write("report/a/b", "");
    scratch.write("cover", "");
    let with_all = work_tree.tree().unwrap();
    work_tree.leave_out([scratch.path("report"), "cover".into(), "never was".into()]);
    assert_eq!(work_tree.tree().unwrap(), before);
    assert_eq!(work_tree.tree().unwrap(), before);
    work_tree.leave_out(<[&str; 0]>::default());
    assert_eq!(work_tree.tree().unwrap(), with_all);
}

#[test]
fn a_path_that_looks_like_a_pattern_is_left_out_as_it_is() {
    let scratch = ScratchTree::committed(&[("a", "1")]);
    let mut work_tree = scratch.open();
    let before = work_tree.tree().unwrap();
    scratch.write("*", "");
    scratch.write(":(top)x", "");
    work_tree.leave_out(["*", ":(top)x"]);
    assert_eq!(work_tree.tree().unwrap(), before);
}

#[test]
fn state_inside_the_work_tree_never_counts() {
    let scratch = ScratchTree::committed(&[("a", "1")]);
    let project = ProjectLocation::discover(&scratch.root).unwrap();
    let work_tree = WorkTree::open(&project, &scratch.path("own/state")).unwrap();
    let before = work_tree.tree().unwrap();
    assert_eq!(before.as_str(), scratch.run(&["rev-parse", "HEAD^{tree}"]).trim());
    scratch.write("own/state/more", "");
    assert_eq!(work_tree.tree().unwrap(), before);
    let work_tree = WorkTree::open(&project, &scratch.path(".git/ralph")).unwrap();
    scratch.write("own/state/more", "now it is a file like others");
    assert_ne!(work_tree.tree().unwrap(), before);
}

#[test]
fn state_inside_a_nested_repository_works() {
    let scratch = ScratchTree::committed(&[("a", "1")]);
    scratch.write("nested/n", "1");
    let nested = scratch.path("nested");
    run_in(&nested, &["init", "-q"]);
    run_in(&nested, &["add", "n"]);
    run_in(&nested, &["commit", "-q", "-m", "n"]);
    let project = ProjectLocation::discover(&scratch.root).unwrap();
    let work_tree = WorkTree::open(&project, &nested.join("state")).unwrap();
    assert_eq!(work_tree.tree().unwrap(), work_tree.tree().unwrap());
}

#[test]
fn a_file_ignored_after_it_was_seen_stops_counting() {
    let scratch = ScratchTree::committed(&[("a", "1")]);
    scratch.write("out/x", "1");
    scratch.tree();
    scratch.write(".gitignore", "out/\n");
    let ignored = scratch.tree();
    assert_eq!(ignored, scratch.tree_anew());
    scratch.write("out/x", "2");
    assert_eq!(scratch.tree(), ignored);
    scratch.write("nested/.gitignore", "y\n");
    scratch.write("nested/y", "1");
    assert_eq!(scratch.tree(), scratch.tree_anew());
    scratch.write(".git/info/exclude", "nested/\n");
    assert_eq!(scratch.tree(), ignored);
}

#[test]
fn an_ignored_file_counts_as_long_as_the_user_tracks_it() {
    let scratch = ScratchTree::committed(&[(".gitignore", "*.log\n")]);
    scratch.write("a.log", "1");
    let ignored = scratch.tree();
    scratch.run(&["add", "-f", "a.log"]);
    let tracked = scratch.tree();
    assert_ne!(tracked, ignored);
    assert_eq!(tracked, scratch.tree_anew());
    scratch.write("a.log", "2");
    assert_ne!(scratch.tree(), tracked);
    scratch.run(&["rm", "-q", "--cached", "-f", "a.log"]);
    assert_eq!(scratch.tree(), ignored);
}

#[cfg(unix)]
#[test]
fn names_of_any_bytes_work() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let scratch = ScratchTree::committed(&[("a", "1")]);
    let start = scratch.tree();
    let names: [&[u8]; 5] = [b"\xff\xfe", b"a\nb", b"-z", b":(top)", "ä\"'\\ ".as_bytes()];
    for name in names {
        scratch.write(OsStr::from_bytes(name), "x");
    }
    let mut work_tree = scratch.open();
    let end = work_tree.tree().unwrap();
    let mut want: Vec<_> =
        names.map(|name| change(OsStr::from_bytes(name), ChangeKind::Added)).into();
    want.sort_by(|a, b| a.path.cmp(&b.path));
    assert_eq!(work_tree.changes(&start, &end).unwrap(), want);
    assert!(work_tree.approach(&start, &end).unwrap().is_some());
    work_tree.leave_out(names.map(OsStr::from_bytes));
    assert_eq!(work_tree.tree().unwrap(), start);
}

#[test]
fn changes_tell_added_modified_and_removed() {
    let scratch = ScratchTree::committed(&[("kept", "k"), ("edited", "1"), ("old name", "text")]);
    let before = scratch.tree();
    scratch.write("edited", "2");
    scratch.remove("old name");
    scratch.write("new name", "text");
    let after = scratch.tree();
    let want = [
        change("edited", ChangeKind::Modified),
        change("new name", ChangeKind::Added),
        change("old name", ChangeKind::Removed),
    ];
    let work_tree = scratch.open();
    assert_eq!(work_tree.changes(&before, &after).unwrap(), want);
    assert_eq!(work_tree.changes(&after, &after).unwrap(), []);
}

#[test]
fn the_same_edit_with_other_numbers_is_the_same_approach() {
    let scratch = ScratchTree::committed(&[("a", "one\nn = 1\nthree\n")]);
    let start = scratch.tree();
    let approach = |text: &str| {
        scratch.write("a", text);
        scratch.open().approach(&start, &scratch.tree()).unwrap()
    };
    let first = approach("one\nretry = 2\nthree\n");
    assert!(first.is_some());
    assert_eq!(approach("one\n\tretry  =  300\n\nthree\n"), first);
    assert_ne!(approach("one\ngive_up = 2\nthree\n"), first);
    assert_eq!(approach("one\nn = 1\nthree\n"), None);
}

#[test]
fn going_back_is_the_same_approach_as_going_there() {
    let scratch = ScratchTree::committed(&[("a", "one\ntwo\nthree\nfour\n"), ("gone", "x\n")]);
    let start = scratch.tree();
    scratch.write("a", "one\n2\nthree\nfive\n");
    scratch.write("new", "n\n");
    scratch.remove("gone");
    let end = scratch.tree();
    let work_tree = scratch.open();
    let there = work_tree.approach(&start, &end).unwrap().unwrap();
    assert_eq!(work_tree.approach(&end, &start).unwrap().unwrap(), there);
    // Two in `a`; the mode and the lines of both other files.
    assert_eq!(there.hunks().len(), 6);
}

#[test]
fn a_patch_beyond_the_limit_is_still_an_approach() {
    let scratch = ScratchTree::committed(&[("a", "1")]);
    let start = scratch.tree();
    let line = "word ".repeat(1000) + "\n";
    let enough = usize::try_from(PATCH_LIMIT).unwrap() / line.len() + 100;
    scratch.write("large", line.repeat(enough));
    let tree = scratch.tree();
    assert!(scratch.open().approach(&start, &tree).unwrap().is_some());
}

#[test]
fn strange_and_forgotten_ids_are_unknown() {
    let scratch = ScratchTree::committed(&[("a", "1")]);
    let work_tree = scratch.open();
    let here = work_tree.tree().unwrap();
    let gone = "0123456789012345678901234567890123456789";
    for id in ["HEAD", "--output=x", "b3-00", gone] {
        let id = TreeId::new(id);
        let changes = work_tree.changes(&here, &id).unwrap_err();
        assert_eq!(changes.to_string(), format!("tree {id} is not known here"));
        let approach = work_tree.approach(&id, &here).unwrap_err();
        assert!(matches!(approach, TreeError::UnknownTree { .. }), "{approach}");
    }
}

#[test]
fn a_linked_work_tree_has_its_own_index_in_a_shared_state() {
    let scratch = ScratchTree::committed(&[("a", "1")]);
    let side = scratch.root.parent().unwrap().join("side");
    scratch.run(&["worktree", "add", "-q", "--detach", side.to_str().unwrap()]);
    fs::write(side.join("a"), "2").unwrap();
    let project = ProjectLocation::discover(&side).unwrap();
    let linked = WorkTree::open(&project, &scratch.state()).unwrap();
    let main = scratch.open();
    let (here, there) = (main.tree().unwrap(), linked.tree().unwrap());
    assert_ne!(here, there);
    assert_eq!(main.tree().unwrap(), here);
    let want = [change("a", ChangeKind::Modified)];
    assert_eq!(linked.changes(&here, &there).unwrap(), want);
}

#[test]
fn a_detached_head_makes_no_difference() {
    let scratch = ScratchTree::committed(&[("a", "1")]);
    let before = scratch.tree();
    scratch.run(&["checkout", "-q", "--detach"]);
    assert_eq!(scratch.tree(), before);
}

#[test]
fn a_nested_repository_counts_by_its_commit() {
    let scratch = ScratchTree::committed(&[("a", "1")]);
    let before = scratch.tree();
    let nested = scratch.path("nested");
    fs::create_dir(&nested).unwrap();
    run_in(&nested, &["init", "-q"]);
    scratch.write("nested/n", "1");
    scratch.write("b", "1");
    let without_commit = scratch.tree();
    assert_ne!(without_commit, before, "the other files are still seen");
    run_in(&nested, &["add", "n"]);
    run_in(&nested, &["commit", "-q", "-m", "n"]);
    assert_ne!(scratch.tree(), without_commit);
}

#[test]
fn a_merge_with_conflicts_has_a_tree() {
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
    assert!(git_status(&scratch).contains("u "), "there is a conflict");
    let before = git_status(&scratch);
    let tree = scratch.tree();
    assert_eq!(git_status(&scratch), before);
    assert!(scratch.run(&["show", &format!("{tree}:a")]).contains("<<<<<<<"));
}

#[test]
fn a_damaged_private_index_is_rebuilt() {
    let scratch = ScratchTree::committed(&[(".gitignore", "*.log\n"), ("a", "1")]);
    scratch.write("a.log", "1");
    scratch.run(&["add", "-f", "a.log"]);
    let before = scratch.tree();
    for damage in [b"".as_slice(), b"junk", &[0; 4096]] {
        fs::write(private_index(&scratch), damage).unwrap();
        assert_eq!(scratch.tree(), before, "{} bytes", damage.len());
    }
    fs::remove_file(private_index(&scratch)).unwrap();
    fs::write(scratch.path(".git/index"), "junk").unwrap();
    let without_users_index = scratch.tree();
    scratch.remove("a.log");
    assert_eq!(scratch.tree(), without_users_index, "nobody knows that it was tracked");
}

#[test]
fn a_state_folder_that_was_deleted_meanwhile_is_made_anew() {
    let scratch = ScratchTree::committed(&[("a", "1")]);
    let tree = scratch.open();
    let before = tree.tree().unwrap();
    fs::remove_dir_all(scratch.state()).unwrap();
    assert_eq!(tree.tree().unwrap(), before);
}

#[test]
fn objects_removed_by_git_are_written_again() {
    let scratch = ScratchTree::committed(&[("a", "1")]);
    scratch.write("untracked", "only our index knows it");
    scratch.write("dir/deep", "so");
    let before = scratch.tree();
    scratch.run(&["prune", "--expire=now"]);
    assert_eq!(scratch.tree(), before);
    scratch.run(&["cat-file", "-e", &format!("{before}:untracked")]);
}

#[test]
fn a_lock_left_by_a_killed_git_does_not_block() {
    let scratch = ScratchTree::committed(&[("a", "1")]);
    let before = scratch.tree();
    let lock = private_index(&scratch).with_extension("lock");
    fs::write(&lock, "").unwrap();
    scratch.write("a", "2");
    assert_ne!(scratch.tree(), before);
    scratch.write("a", "1");
    assert_eq!(scratch.tree(), before);
    assert!(lock.exists(), "it may belong to a living process");
}

#[test]
fn many_at_once_agree() {
    let scratch = ScratchTree::committed(&[("a", "1")]);
    scratch.write("b", "2");
    let want = scratch.tree_anew();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..6).map(|_| scope.spawn(|| scratch.tree())).collect();
        for worker in workers {
            assert_eq!(worker.join().unwrap(), want);
        }
    });
    let left = fs::read_dir(scratch.state()).unwrap().flatten();
    let copies = left.filter(|entry| entry.file_name().to_string_lossy().contains("copy"));
    assert_eq!(copies.count(), 0);
}

#[test]
fn files_outside_of_a_sparse_checkout_count_when_they_are_there() {
    let scratch = ScratchTree::committed(&[("in/a", "1"), ("out/b", "1")]);
    let whole = scratch.tree();
    scratch.run(&["sparse-checkout", "set", "in"]);
    assert!(!scratch.path("out/b").exists());
    assert_eq!(scratch.tree_anew(), whole);
    scratch.write("out/c", "1");
    assert_ne!(scratch.tree_anew(), whole);
}

/// The super user reads everything; then there is just nothing to pass over.
#[cfg(unix)]
#[test]
fn an_unreadable_file_does_not_stop_the_naming() {
    let scratch = ScratchTree::committed(&[("a", "1")]);
    scratch.write("closed", "1");
    scratch.set_mode("closed", 0o000);
    let before = scratch.tree();
    assert_eq!(scratch.tree(), before);
    scratch.write("a", "2");
    assert_ne!(scratch.tree(), before);
}

#[cfg(unix)]
#[test]
fn a_repository_that_may_only_be_read_still_has_trees() {
    let scratch = ScratchTree::committed(&[("a", "1")]);
    scratch.set_mode(".git/objects", 0o555);
    let before = scratch.tree();
    scratch.write("a", "2");
    assert_ne!(scratch.tree(), before);
    scratch.set_mode(".git/objects", 0o755);
}

#[test]
fn without_an_object_store_the_files_are_read_one_by_one() {
    let scratch = ScratchTree::committed(&[(".gitignore", "*.log\n"), ("a", "1")]);
    fs::remove_dir_all(scratch.path(".git/objects")).unwrap();
    scratch.write(".git/objects", "a file takes no files");
    let before = scratch.tree();
    scratch.write("a.log", "");
    assert_eq!(scratch.tree(), before);
    scratch.write("a", "2");
    let after = scratch.tree();
    let want = [change("a", ChangeKind::Modified)];
    assert_eq!(scratch.open().changes(&before, &after).unwrap(), want);
}

#[test]
fn without_git_the_files_are_read_one_by_one() {
    let scratch = ScratchTree::committed(&[("a", "1")]);
    let project = ProjectLocation::discover(&scratch.root).unwrap();
    let work_tree = WorkTree::open_with(&project, &scratch.state(), None).unwrap();
    let tree = work_tree.tree().unwrap();
    assert!(tree.as_str().starts_with("b3-"));
    assert!(matches!(
        scratch.open().changes(&tree, &scratch.tree()),
        Err(TreeError::UnknownTree { .. })
    ));
}

#[cfg(unix)]
#[test]
fn an_unchanged_tree_is_looked_at_once_and_nothing_is_written() {
    let scratch = ScratchTree::committed(&[("a", "1")]);
    let program = scratch.root.parent().unwrap().join("git");
    let log = scratch.root.parent().unwrap().join("log");
    let git = crate::git::program().unwrap();
    let script = format!("#!/bin/sh\necho >> {log:?}\nexec {git:?} \"$@\"\n");
    // Written by another process: a program that we hold open for writing,
    // be it in a child just being started, cannot be run.
    let source = program.with_extension("sh");
    fs::write(&source, script).unwrap();
    let mut install = std::process::Command::new("install");
    assert!(install.args(["-m", "755"]).args([&source, &program]).status().unwrap().success());
    let project = ProjectLocation::discover(&scratch.root).unwrap();
    let work_tree = WorkTree::open_with(&project, &scratch.state(), Some(program)).unwrap();
    // The first time git is asked how it is configured; each time it lists new
    // files and reads the tree.
    for (text, processes) in [("2", 3), ("3", 2), ("4", 2)] {
        scratch.write("a", text);
        work_tree.tree().unwrap();
        assert_eq!(fs::read(&log).unwrap().len(), processes);
        fs::remove_file(&log).unwrap();
    }
    let index = fs::metadata(private_index(&scratch)).unwrap().modified().unwrap();
    work_tree.tree().unwrap();
    assert_eq!(fs::read(&log).unwrap().len(), 1);
    assert_eq!(fs::metadata(private_index(&scratch)).unwrap().modified().unwrap(), index);
}

#[test]
fn a_large_untracked_file_is_left_out_until_it_is_small_or_tracked() {
    let scratch = ScratchTree::committed(&[("a", "1"), ("tracked", "1")]);
    let before = scratch.tree();
    let mut work_tree = scratch.open();
    work_tree.limit_size(10);
    scratch.write("grows", "small");
    let small = work_tree.tree().unwrap();
    assert_ne!(small, before);
    scratch.write("grows", "no longer small");
    assert_eq!(work_tree.tree().unwrap(), before);
    assert_eq!(work_tree.tree().unwrap(), before);
    scratch.write("grows", "small");
    assert_eq!(work_tree.tree().unwrap(), small);
    scratch.remove("grows");
    scratch.write("tracked", "no longer small");
    assert_ne!(work_tree.tree().unwrap(), before);
}

#[test]
fn a_tracked_file_that_would_keep_git_busy_for_minutes_is_left_out() {
    let scratch = ScratchTree::committed(&[("a", "1")]);
    let before = scratch.tree();
    let file = fs::File::options().write(true).open(scratch.path("a")).unwrap();
    file.set_len(1 << 40).unwrap();
    let work_tree = scratch.open();
    let now = work_tree.tree().unwrap();
    assert_eq!(work_tree.changes(&before, &now).unwrap(), [change("a", ChangeKind::Removed)]);
    assert_eq!(work_tree.left_out_beside(&work_tree.tree().unwrap()).unwrap(), [Path::new("a")]);
}

#[test]
fn ignored_files_count_where_they_are_included() {
    let scratch = ScratchTree::committed(&[(".gitignore", "*.log\nout/\n"), ("a", "1")]);
    let before = scratch.tree();
    scratch.write("a.log", "1");
    scratch.write("out/deep/b", "1");
    let mut work_tree = scratch.open();
    work_tree.include_ignored(["out"]);
    let first = work_tree.tree().unwrap();
    let want = [change("out/deep/b", ChangeKind::Added)];
    assert_eq!(work_tree.changes(&before, &first).unwrap(), want);
    scratch.write("out/deep/b", "2");
    scratch.write("out/c", "2");
    scratch.run(&["add", "a"]);
    let second = work_tree.tree().unwrap();
    let want = [change("out/c", ChangeKind::Added), change("out/deep/b", ChangeKind::Modified)];
    assert_eq!(work_tree.changes(&first, &second).unwrap(), want);
    work_tree.include_ignored(<[&str; 0]>::default());
    assert_eq!(work_tree.tree().unwrap(), before);
}

#[test]
fn a_tracked_file_that_became_too_large_stays_out_when_rules_change_too() {
    let scratch = ScratchTree::committed(&[("a", "1"), ("b", "1")]);
    let work_tree = scratch.open();
    work_tree.tree().unwrap();
    scratch.remove("a");
    let without = work_tree.tree().unwrap();
    let file = fs::File::create(scratch.path("a")).unwrap();
    file.set_len(2 << 30).unwrap();
    // Now git looks at the tree, and not we.
    scratch.write(".gitignore", "c\n");
    let now = work_tree.tree().unwrap();
    let changes = work_tree.changes(&without, &now).unwrap();
    assert_eq!(changes, [change(".gitignore", ChangeKind::Added)]);
}
