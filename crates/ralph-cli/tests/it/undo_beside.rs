//! Going back: what is not in a tree, and what others did meanwhile.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use ralph_testkit::{Signal, TestProject, TurnHold};
use serde_json::{Value, json};

use crate::control::{held, status};
use crate::git;
use crate::undo::{SPOILS, both, dirty, fail, files, rollback};

#[expect(clippy::unwrap_used, reason = "a broken fixture must fail its test at once")]
fn set_mode(project: &TestProject, path: &str, mode: u32) {
    fs::set_permissions(project.root().join(path), fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn permissions_and_empty_folders_come_back() {
    let agent = "chmod 600 tool; rm secret; chmod 644 key; rmdir empty; echo x > edited";
    for project in both(agent) {
        project.file("secret", "s").file("key", "k");
        set_mode(&project, "secret", 0o600);
        set_mode(&project, "key", 0o400);
        fs::create_dir(project.root().join("empty")).unwrap();
        let before = files(&project.root());
        let _ = fail(&project, "1");
        assert_ne!(files(&project.root()), before);
        let output = rollback(&project, &[]).exits(0);
        assert!(output.stdout.contains("  bring back empty\n"), "{}", output.stdout);
        assert_eq!(files(&project.root()), before);
        assert!(project.root().join("empty").is_dir());
    }
}

#[test]
fn a_turn_that_only_changed_permissions_is_taken_back() {
    for project in both("chmod 666 key") {
        project.file("key", "k");
        set_mode(&project, "key", 0o600);
        let before = files(&project.root());
        let _ = fail(&project, "1");
        let _ = rollback(&project, &[]).exits(0);
        assert_eq!(files(&project.root()), before);
    }
}

/// Each file that a plan leaves alone, and why.
#[expect(clippy::unwrap_used, reason = "a broken fixture must fail its test at once")]
fn kept(plan: &Value) -> Value {
    let one = |kept: &Value| json!([kept["path"], kept["why"]]);
    plan["kept"].as_array().unwrap().iter().map(one).collect()
}

#[test]
fn what_appeared_and_stays_is_named() {
    let project = git();
    dirty(&project, "echo x >> edited; git init -q inner; echo 0123456789 > big");
    project.file("ralph.toml", "[snapshots]\nmax_file_size = \"1KB\"\n");
    project.agent("echo x >> edited; git init -q inner; head -c 2000 /dev/zero > big");
    let gate = "custom:sh:echo x > report; false";
    let _ = project.run_json("do it", &["--max-iterations", "1", "--criteria", gate]).exits(1);
    let plan = rollback(&project, &["--dry-run", "--json"]).exits(0).json();
    let want = json!([["big", "too_large"], ["inner", "nested"], ["report", "written_by_a_gate"]]);
    assert_eq!(kept(&plan), want);
    let shown = rollback(&project, &["--dry-run"]).exits(0).stdout;
    for line in [
        "  left alone big (too large to be kept)\n",
        "  left alone inner (a repository of its own)\n",
        "  left alone report (written by a gate)\n",
    ] {
        assert!(shown.contains(line), "{shown}");
    }
    assert_eq!(kept(&rollback(&project, &["--json"]).exits(0).json()), want);
    assert_eq!(project.read("edited"), "mine\n");
    assert!(project.root().join("inner/.git").exists());
}

#[test]
fn what_the_user_did_while_the_run_was_paused_is_not_the_runs() {
    for project in both("true") {
        let hold = TurnHold::new(&project, "second turn");
        let turn = "echo turn $RALPH_ITERATION | tee both run\n[ $RALPH_ITERATION = 3 ] && exit\n";
        let stays = format!("[ $RALPH_ITERATION = 1 ] && exit\n{}", hold.script(""));
        project.agent(&format!("{turn}{stays}"));
        project.file("both", "start\n").file("run", "start\n");
        let mut running = project.run_call("do it", &["--max-iterations", "3"]).start();
        running.until_held();
        running.signal(Signal::Interrupt);
        let _ = running.finish().exits(130);
        hold.is_over();
        project.file("both", "user\n").file("untracked", "user\n").file("users", "user\n");
        let _ = project.ralph(&["resume", "--json"]).output().exits(1);
        assert_eq!(project.read("both"), "turn 3\n");

        let plan = rollback(&project, &["--dry-run", "--json"]).exits(0).json();
        assert_eq!(kept(&plan), json!([["users", "appeared_meanwhile"]]));
        let _ = rollback(&project, &[]).exits(1);
        let texts = || ["both", "run", "untracked", "users"].map(|name| project.read(name));
        assert_eq!(texts(), ["turn 3\n", "start\n", "user\n", "user\n"]);
        let _ = rollback(&project, &["--force"]).exits(0);
        assert_eq!(texts(), ["start\n", "start\n", "mine\n", "user\n"]);
        let _ = rollback(&project, &["--force", "--to", "resumed-2"]).exits(0);
        assert_eq!(texts(), ["user\n", "turn 2\n", "user\n", "user\n"]);
    }
}

#[test]
fn what_a_rollback_did_while_the_run_was_paused_is_nobodys_edit() {
    for project in both("true") {
        let (running, hold) = held(&project, 2, "echo turn $RALPH_ITERATION >> edited");
        running.signal(Signal::Interrupt);
        let _ = running.finish().exits(130);
        hold.is_over();
        let _ = rollback(&project, &[]).exits(0);
        project.agent("echo again >> edited; echo '<promise>DONE</promise>'");
        let _ = project.ralph(&["resume", "--json"]).output().exits(0);
        let _ = rollback(&project, &["--path", "edited"]).exits(0);
        assert_eq!(project.read("edited"), "mine\n");
    }
}

#[test]
fn a_collection_is_refused_as_a_whole_while_a_rollback_is_incomplete() {
    let project = git();
    dirty(&project, "echo x >> edited");
    let runs = [(); 3].map(|()| fail(&project, "1").ended()["run_id"].as_str().unwrap().to_owned());
    let journals = project.root().join(".git/ralph/trees/rollbacks");
    fs::create_dir_all(&journals).unwrap();
    let journal = journals.join(&runs[0]);
    fs::write(&journal, "ralph rollback 1\n0\n1\n").unwrap();
    let collect = || project.ralph(&["gc"]).env("RALPH_RETENTION_RUNS", "1").output();
    let refused = collect().exits(1);
    let hint = format!("hint: `ralph rollback {}` completes it", runs[0]);
    assert!(refused.stderr.contains(&hint), "{}", refused.stderr);
    for run in &runs {
        let shown = project.ralph(&["snapshots", run, "--json"]).output().exits(0).json();
        assert_eq!(shown["snapshots"].as_array().unwrap().len(), 2);
    }
    fs::remove_file(&journal).unwrap();
    let freed = collect().exits(0).stdout;
    assert!(freed.contains("of 2 runs."), "{freed}");
}

/// Kills a run in its first turn and tells its id.
#[expect(clippy::unwrap_used, reason = "a broken fixture must fail its test at once")]
fn killed(project: &TestProject) -> String {
    let (running, hold) = held(project, 1, SPOILS);
    let id = status(project)["id"].as_str().unwrap().to_owned();
    running.signal(Signal::Kill);
    let _ = running.finish();
    hold.is_over();
    id
}

#[test]
fn a_lost_turn_belongs_to_the_run_after_a_loop_was_armed_in_its_place() {
    for project in both("true") {
        let id = killed(&project);
        let _ = project.ralph(&["start", "x", "--session", "s"]).output().exits(0);
        project.file("edited", "mine again\n");
        let _ = rollback(&project, &[&id]).exits(1);
        assert_eq!(project.read("edited"), "mine again\n");
        assert!(!project.root().join("new").exists());
    }
}

#[test]
fn a_lost_turn_belongs_to_the_run_after_it_was_stopped_from_elsewhere() {
    let project = git();
    dirty(&project, "true");
    project.run_git(&["worktree", "add", "--quiet", "../linked", "HEAD"]);
    let id = killed(&project);
    let stop = project.ralph(&["stop", "--all"]).dir(project.outside("linked"));
    let _ = stop.output().exits(0);
    let _ = rollback(&project, &[&id]).exits(0);
    assert_eq!(project.read("edited"), "mine\n");
    assert!(!project.root().join("new").exists());
}

#[test]
fn listings_speak_korean() {
    for project in both("echo $RALPH_ITERATION > edited; echo x > new") {
        let korean = |args: &[&str]| project.ralph(args).env("RALPH_LOCALE", "ko").output();
        let run = ["run", "do it", "--agent-cmd", "./agent.sh", "--max-iterations", "1"];
        let _ = korean(&[&run[..], &["--criteria", "custom:false"]].concat()).exits(1);
        let shown = korean(&["snapshots"]).exits(0).stdout;
        for word in ["스냅샷", "시각", "보관 위치", "최고", "실패 1건"] {
            assert!(shown.contains(word), "{shown}");
        }
        let shown = korean(&["rollback", "--dry-run"]).exits(0).stdout;
        assert_eq!(shown, "  복원       edited\n  삭제       new\n");
        let shown = korean(&["rollback"]).exits(0).stdout;
        assert!(shown.contains("파일 2개를 복원했습니다"), "{shown}");
        let shown = korean(&["rollback"]).exits(0).stdout;
        assert_eq!(shown, "되돌릴 것이 없습니다.\n");
        let shown = korean(&["gc", "--dry-run"]).exits(0).stdout;
        assert!(shown.contains("비우게 됩니다"), "{shown}");
    }
}
