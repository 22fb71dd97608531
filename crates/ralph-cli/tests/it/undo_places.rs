//! Going back in unusual places, and after unusual ends.

use std::fs;

use ralph_testkit::{RunningCall, Signal, TestProject, TurnHold};

use crate::control::{held, status};
use crate::undo::{SPOILS, both, dirty, fail, files, rollback};
use crate::{git, plain};

/// Starts a run that spoils files in its second turn and is held there.
fn held_after_spoiling(project: &TestProject) -> (RunningCall, TurnHold) {
    let hold = TurnHold::new(project, "spoiling");
    project.agent(&format!(
        "echo $RALPH_ITERATION > first\n[ $RALPH_ITERATION = 1 ] && exit\n{SPOILS}\n{}",
        hold.script("")
    ));
    let mut running = project.run_call("do it", &[]).start();
    running.until_held();
    (running, hold)
}

#[test]
fn a_run_at_work_is_not_rolled_back() {
    for project in both("true") {
        let (running, hold) = held(&project, 1, "echo x > edited");
        let refused = rollback(&project, &["--force"]).exits(1);
        assert!(refused.stderr.contains("is still at work"), "{}", refused.stderr);
        assert!(refused.stderr.contains("hint: `ralph stop --run"), "{}", refused.stderr);
        assert_eq!(project.read("edited"), "x\n");
        hold.release();
        let _ = running.finish().exits(0);
        let _ = rollback(&project, &[]).exits(0);
        assert_eq!(project.read("edited"), "mine\n");
    }
}

#[test]
fn what_a_turn_did_before_ctrl_c_belongs_to_the_run() {
    for project in both("true") {
        let (running, hold) = held_after_spoiling(&project);
        running.signal(Signal::Interrupt);
        hold.is_over();
        let _ = running.finish().exits(130);
        let _ = rollback(&project, &[]).exits(0);
        assert_eq!(project.read("edited"), "mine\n");
        assert!(!project.root().join("new").exists());
    }
}

#[test]
fn what_a_turn_did_before_its_driver_was_killed_belongs_to_the_run() {
    for project in both("true") {
        let (running, hold) = held_after_spoiling(&project);
        running.signal(Signal::Kill);
        let _ = running.finish();
        hold.is_over();
        let _ = rollback(&project, &["--to", "1"]).exits(0);
        assert_eq!((&*project.read("first"), &*project.read("edited")), ("1\n", "mine\n"));
        project.file("first", "mine");
        let _ = rollback(&project, &[]).exits(1);
        assert_eq!(project.read("first"), "mine");
        assert!(!project.root().join("new").exists());
    }
}

#[test]
fn a_lost_turn_belongs_to_the_run_after_it_was_stopped_or_followed_too() {
    for after in ["stop", "pause", "run"] {
        for project in both("true") {
            let (running, hold) = held_after_spoiling(&project);
            let id = status(&project)["id"].as_str().unwrap().to_owned();
            running.signal(Signal::Kill);
            let _ = running.finish();
            hold.is_over();
            if after == "run" {
                project.script("next.sh", "echo '<promise>DONE</promise>'");
                let _ = project.ralph(&["run", "x", "--agent-cmd", "./next.sh"]).output().exits(0);
            } else {
                let _ = project.ralph(&[after]).output().exits(0);
            }
            let _ = rollback(&project, &[&id]).exits(0);
            assert_eq!(project.read("edited"), "mine\n", "{after}");
            assert!(!project.root().join("new").exists(), "{after}");
        }
    }
}

#[test]
fn a_lost_turn_belongs_to_the_run_after_it_was_resumed_too() {
    for project in both("true") {
        let (running, hold) = held_after_spoiling(&project);
        running.signal(Signal::Kill);
        let _ = running.finish();
        hold.is_over();
        project.agent("echo '<promise>DONE</promise>'");
        let _ = project.ralph(&["resume", "--json"]).output().exits(0);
        let shown = project.ralph(&["snapshots", "--json"]).output().exits(0).json();
        let labels = shown["snapshots"].as_array().unwrap().iter();
        let labels: Vec<_> = labels.map(|snapshot| snapshot["label"].clone()).collect();
        assert_eq!(labels, ["start", "1", "2"]);
        let _ = rollback(&project, &[]).exits(0);
        assert_eq!(project.read("edited"), "mine\n");
        assert!(!project.root().join("new").exists());
    }
}

#[test]
fn two_work_trees_do_not_touch_each_others_snapshots() {
    let project = git();
    dirty(&project, SPOILS);
    project.run_git(&["worktree", "add", "--quiet", "../linked", "HEAD"]);
    let linked = project.outside("linked");
    let before = [files(&project.root()), files(&linked)];
    let (here, id) = (fail(&project, "1"), |text: &serde_json::Value| text["run_id"].clone());
    let args = ["run", "beside", "--agent-cmd", "./agent.sh", "--json", "--max-iterations", "2"];
    let there = project.ralph(&args).dir(&linked).output().exits(1);
    let [here, there] = [here, there].map(|output| id(&output.ended()));
    let spoiled = files(&project.root());

    let list = |dir| project.ralph(&["snapshots", "--json"]).dir(dir).output().exits(0).json();
    assert_eq!(list(project.root())["run_id"], here);
    assert_eq!(list(project.root())["snapshots"].as_array().unwrap().len(), 2);
    assert_eq!(list(linked.clone())["run_id"], there);
    assert_eq!(list(linked.clone())["snapshots"].as_array().unwrap().len(), 3);

    let refused = rollback(&project, &[there.as_str().unwrap()]).exits(1);
    assert!(refused.stderr.contains("hint: change to that folder first"), "{}", refused.stderr);
    let _ = project.ralph(&["rollback"]).dir(&linked).output().exits(0);
    assert_eq!([files(&project.root()), files(&linked)], [spoiled, before[1].clone()]);
    let _ = rollback(&project, &[]).exits(0);
    assert_eq!([files(&project.root()), files(&linked)], before);
}

#[test]
fn a_repository_without_a_commit_is_rolled_back() {
    let project = git();
    project.file("edited", "mine\n").file("staged", "mine\n").agent(SPOILS);
    project.run_git(&["add", "staged"]);
    let state = || (files(&project.root()), project.run_git(&["status", "--porcelain=v2"]));
    let before = state();
    let _ = fail(&project, "1");
    let _ = rollback(&project, &[]).exits(0);
    assert_eq!(state(), before);
}

#[test]
fn a_detached_head_stays_detached() {
    let project = git();
    dirty(&project, SPOILS);
    project.run_git(&["switch", "--quiet", "--detach"]);
    let state = || (files(&project.root()), project.run_git(&["status", "--porcelain=v2", "-b"]));
    let before = state();
    let _ = fail(&project, "1");
    let _ = rollback(&project, &[]).exits(0);
    assert_eq!(state(), before);
    assert!(before.1.contains("(detached)"));
}

#[test]
fn a_merge_under_way_stays_under_way() {
    let project = git();
    let commit = |text: &str| {
        project.file("edited", text);
        project.run_git(&["commit", "--quiet", "--all", "-m", text]);
    };
    project.file("edited", "first\n").agent(SPOILS);
    project.run_git(&["add", "."]);
    commit("first\nline\n");
    project.run_git(&["switch", "--quiet", "-c", "side"]);
    commit("theirs\n");
    project.run_git(&["switch", "--quiet", "main"]);
    commit("ours\n");
    // It stops at the conflict, which is no success.
    project.run_git(&["-c", "alias.stop=!git merge side || true", "stop"]);
    let state = || (files(&project.root()), project.run_git(&["status", "--porcelain=v2"]));
    let before = state();
    assert!(before.1.starts_with("u UU"), "{}", before.1);
    let _ = fail(&project, "1");
    let _ = rollback(&project, &[]).exits(0);
    assert_eq!(state(), before);
    assert!(project.root().join(".git/MERGE_HEAD").exists());
}

#[test]
fn a_gates_own_files_are_neither_taken_back_nor_in_the_way() {
    for project in both("echo turn $RALPH_ITERATION >> edited") {
        let more = ["--max-iterations", "2", "--criteria", "custom:sh:echo x > report; false"];
        let _ = project.run_json("do it", &more).exits(1);
        let _ = rollback(&project, &[]).exits(0);
        assert_eq!((&*project.read("edited"), &*project.read("report")), ("mine\n", "x\n"));
    }
}

#[test]
fn a_file_too_large_for_snapshots_is_named_and_left_alone() {
    for project in both("echo x >> big; echo x >> edited") {
        let big = "b".repeat(2000);
        project.file("big", &big);
        let call = project.run_call("do it", &["--max-iterations", "1"]);
        let output = call.env("RALPH_SNAPSHOTS_MAX_FILE_SIZE", "1KB").output().exits(1);
        let said = output.values("notice", "text").join("\n");
        assert!(said.contains("big (2 KB) is too large for snapshots"), "{said}");
        let call = project.ralph(&["rollback"]).env("RALPH_SNAPSHOTS_MAX_FILE_SIZE", "1KB");
        let _ = call.output().exits(0);
        assert_eq!((project.read("big"), &*project.read("edited")), (big + "x\n", "mine\n"));
    }
}

#[test]
fn an_ignored_path_can_be_included() {
    for project in [git(), plain()] {
        project.file(".ignore", "").file(".gitignore", "cache/\nother\n");
        project.file("cache/a", "mine").file("other", "mine");
        project.file("ralph.toml", "[snapshots]\ninclude_ignored = [\"cache\"]\n");
        project.agent("echo x > cache/a; echo x > cache/b; echo x > other");
        let _ = fail(&project, "1");
        let _ = rollback(&project, &[]).exits(0);
        assert_eq!((&*project.read("cache/a"), &*project.read("other")), ("mine", "x\n"));
        assert!(!project.root().join("cache/b").exists());
    }
}

#[test]
fn a_run_is_rolled_back_although_a_folder_took_a_files_place() {
    for project in both("rm edited; mkdir edited; echo x > edited/x; rm link; mkdir link") {
        let before = files(&project.root());
        let _ = fail(&project, "1");
        let _ = rollback(&project, &[]).exits(0);
        assert_eq!(files(&project.root()), before);
        assert_eq!(status(&project)["status"], "failed");
        assert!(fs::symlink_metadata(project.root().join("link")).unwrap().is_symlink());
    }
}

#[test]
fn a_deleted_repository_ends_the_run_and_says_what_is_lost() {
    let project = git();
    dirty(&project, "echo x > edited; rm -rf .git; echo '<promise>DONE</promise>'");
    let output = project.run_json("do it", &[]).exits(1);
    let said = output.values("notice", "text").join("\n");
    assert!(said.contains("this run cannot be rolled back"), "{said}");
    let status = status(&project);
    assert_eq!((&status["status"], &status["iteration"]), (&"failed".into(), &1.into()));
    let report = project.ralph(&["report"]).output().exits(0).stdout;
    assert!(report.contains(".git was deleted"), "{report}");
    let refused = rollback(&project, &[]).exits(1);
    assert!(refused.stderr.contains("has no snapshot `start`"), "{}", refused.stderr);
    assert_eq!(project.read("edited"), "x\n");
    assert!(!project.root().join(".git").exists());
}
