//! Looking at snapshots, and letting go of them.

use ralph_testkit::{Signal, TestProject};

use crate::control::held;
use crate::undo::{both, dirty, fail, rollback};
use crate::{git, plain};

const TURN: &str = "echo $RALPH_ITERATION > edited; [ $RALPH_ITERATION = 2 ] && rm gone";

#[test]
fn snapshots_are_listed_for_people_and_machines() {
    for project in both(TURN) {
        let gate = ["--max-iterations", "2", "--criteria", "custom:false"];
        let run = project.run_json("do it", &gate).exits(1).ended();
        let shown = project.ralph(&["snapshots"]).output().exits(0).stdout;
        let rows: Vec<Vec<&str>> =
            shown.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(rows[0][0], "snapshot");
        assert_eq!((rows[1][0], &rows[1][4..7]), ("start", &["+0", "~0", "-0"][..]));
        assert_eq!((rows[2][0], &rows[2][4..8]), ("1", &["+0", "~1", "-0", "0/1"][..]));
        assert_eq!((rows[3][0], &rows[3][4..8]), ("2", &["+0", "~1", "-1", "0/1"][..]));
        assert!(rows[2].contains(&"best") && !shown.contains('\x1b'), "{shown}");
        let wide = shown.lines().take(4).map(str::len).max().unwrap();
        assert!(wide < 80 && rows[4][..4] == ["They", "are", "kept", "in"], "{shown}");

        let json = project.ralph(&["snapshots", "--json"]).output().exits(0).json();
        assert_eq!((&json["run_id"], &json["best_iteration"]), (&run["run_id"], &1.into()));
        assert!(json["bytes"].as_u64().unwrap() > 0);
        let list = json["snapshots"].as_array().unwrap();
        assert_eq!((&list[2]["label"], &list[2]["removed"]), (&"2".into(), &1.into()));
        assert_eq!(list[2]["failing"], 1);
    }
}

#[test]
fn a_rollback_is_shown_with_the_run_until_it_is_undone() {
    for project in both(TURN) {
        let _ = fail(&project, "2");
        let said = |command: &str| project.ralph(&[command]).output().exits(0).stdout;
        assert!(!said("status").contains("went back"), "{}", said("status"));
        let _ = project.ralph(&["rollback", "--to", "1"]).output().exits(0);
        assert!(said("status").contains("went back to snapshot 1 at "), "{}", said("status"));
        let _ = project.ralph(&["rollback"]).output().exits(0);
        assert!(said("status").contains("went back to the start at "), "{}", said("status"));
        assert!(said("status").contains("--undo` undoes that"), "{}", said("status"));
        let _ = project.ralph(&["rollback", "--undo"]).output().exits(0);
        assert!(said("status").contains("snapshot 1"), "{}", said("status"));
        let _ = project.ralph(&["rollback", "--undo"]).output().exits(0);
        assert!(!said("status").contains("went back"), "{}", said("status"));
        let report = said("report");
        assert_eq!(report.matches(" went back to ").count(), 2, "{report}");
        assert_eq!(report.matches("A rollback was undone at").count(), 2, "{report}");
        let json = project.ralph(&["report", "--json"]).output().exits(0).json();
        let to: Vec<_> =
            json["rollbacks"].as_array().unwrap().iter().map(|one| &one["to"]).collect();
        assert_eq!(serde_json::json!(to), serde_json::json!(["1", "0", null, null]));
    }
}

#[test]
fn differences_are_shown_the_same_way_in_git_and_outside() {
    let shown = both(TURN).map(|project| {
        let _ = fail(&project, "2");
        let diff = |args: &[&str]| {
            let output = project.ralph(&[&["diff"], args].concat()).output().exits(0);
            assert!(!output.stdout.contains('\x1b'), "{}", output.stdout);
            output.stdout
        };
        assert!(diff(&["1..2", "--stat"]).contains("2 files changed"));
        assert_eq!(diff(&["2..2"]), "");
        assert_eq!(diff(&["start..last"]), diff(&[]));
        assert_eq!(diff(&["1"]), diff(&["1..last"]));
        let _ = project.ralph(&["diff", "start..9"]).output().exits(1);
        let _ = project.ralph(&["diff", "start..x"]).output().exits(2);
        let lines = diff(&["start..1"]);
        lines.lines().filter(|line| !line.starts_with("index ")).collect::<Vec<_>>().join("\n")
    });
    let want = "diff --git a/edited b/edited\n--- a/edited\n+++ b/edited\n\
                @@ -1 +1 @@\n-mine\n+1";
    assert_eq!(shown, [want, want]);
}

#[test]
fn a_file_that_is_new_is_named_on_both_sides_of_a_difference() {
    let shown = both("echo x > added; echo turn $RALPH_ITERATION").map(|project| {
        let _ = fail(&project, "1");
        project.ralph(&["diff"]).output().exits(0).stdout
    });
    for diff in &shown {
        assert!(diff.starts_with("diff --git a/added b/added\nnew file mode "), "{diff}");
    }
    assert_eq!(shown[0], shown[1]);
}

#[test]
fn a_difference_has_no_escape_codes_when_the_user_wants_colours_always() {
    let project = git();
    dirty(&project, TURN);
    project.run_git(&["config", "color.ui", "always"]);
    let _ = fail(&project, "1");
    let shown = project.ralph(&["diff"]).output().exits(0).stdout;
    assert!(shown.contains("+1") && !shown.contains('\x1b'), "{shown}");
}

#[test]
fn a_difference_runs_no_program_that_the_repository_names() {
    let project = git();
    dirty(&project, TURN);
    let _ = fail(&project, "1");
    let ran = project.outside("ran");
    let program = format!("touch {}; cat", ran.display());
    for setting in ["diff.external", "diff.x.textconv", "core.pager", "core.fsmonitor"] {
        project.run_git(&["config", setting, &program]);
    }
    project.file(".git/info/attributes", "* diff=x\n");
    let shown = project.ralph(&["diff"]).output().exits(0).stdout;
    assert!(shown.contains("+1"), "{shown}");
    assert!(!ran.exists(), "{shown}");
}

/// Collects with room for this many ended runs, and names what went.
#[track_caller]
fn collect(project: &TestProject, runs: u32, more: &[&str]) -> serde_json::Value {
    let call = project.ralph(&[&["gc", "--json"], more].concat());
    // One run at least has to be allowed, but not that it takes space.
    let size = if runs == 0 { "1B" } else { "1GB" };
    let call = call.env("RALPH_RETENTION_SIZE", size);
    call.env("RALPH_RETENTION_RUNS", runs.max(1).to_string()).output().exits(0).json()["removed"]
        .clone()
}

fn labels(project: &TestProject, run: &str) -> usize {
    let list = project.ralph(&["snapshots", run, "--json"]).output().exits(0).json();
    list["snapshots"].as_array().map_or(0, Vec::len)
}

#[test]
fn old_runs_lose_their_snapshots_and_newer_ones_keep_them() {
    for project in both(TURN) {
        let id = || fail(&project, "1").ended()["run_id"].as_str().unwrap().to_owned();
        let old = id();
        let _ = rollback(&project, &[]).exits(0);
        let new = id();
        let kept = labels(&project, &new);
        assert_eq!(collect(&project, 9, &[]), serde_json::json!([]));
        assert_eq!(collect(&project, 1, &["--dry-run"]), serde_json::json!([old]));
        assert!(labels(&project, &old) > 0);
        assert_eq!(collect(&project, 1, &[]), serde_json::json!([old]));
        assert_eq!((labels(&project, &old), labels(&project, &new)), (0, kept));
        let _ = project.ralph(&["report", &old]).output().exits(0);
        let refused = rollback(&project, &[&old]).exits(1);
        assert!(refused.stderr.contains("has no snapshot `start`"), "{}", refused.stderr);
        let _ = rollback(&project, &[]).exits(0);
        assert_eq!(project.read("edited"), "mine\n");
    }
}

#[test]
fn runs_that_have_not_ended_keep_their_snapshots() {
    for project in [git(), plain()] {
        project.file("edited", "mine\n");
        let (running, hold) = held(&project, 2, "echo x > edited");
        assert_eq!(collect(&project, 0, &[]), serde_json::json!([]));
        running.signal(Signal::Interrupt);
        hold.is_over();
        let _ = running.finish().exits(130);
        assert_eq!(collect(&project, 0, &[]), serde_json::json!([]));
        let _ = rollback(&project, &[]).exits(0);
        assert_eq!(project.read("edited"), "mine\n");
    }
}

#[test]
fn collecting_touches_no_reference_but_ours() {
    let project = git();
    dirty(&project, TURN);
    project.run_git(&["update-ref", "refs/ralph-not/x", "HEAD"]);
    project.run_git(&["update-ref", "refs/ralph/mine", "HEAD"]);
    let refs = || project.run_git(&["for-each-ref"]);
    let before = refs();
    let _ = fail(&project, "2");
    assert_ne!(refs(), before);
    let _ = collect(&project, 0, &[]);
    assert_eq!(refs(), before);
}

#[test]
fn the_demo_proves_that_it_can_be_taken_back() {
    let project = plain();
    let bin = project.outside("bin");
    std::fs::create_dir(&bin).unwrap();
    let _ = std::os::unix::fs::symlink("/bin/sh", bin.join("sh"));
    let before = project.everything();
    let output = project.ralph(&["demo", "--rollback"]).env("PATH", &bin).output().exits(0);
    assert!(output.stderr.contains("Rolled back: 1 of 2 files had changed"), "{}", output.stderr);
    assert_eq!(project.everything(), before);
}

#[test]
fn a_difference_does_not_wait_for_a_pipe_in_the_place_of_an_object() {
    let project = git();
    dirty(&project, TURN);
    let _ = fail(&project, "1");
    let id = project.run_git(&["hash-object", "edited"]).trim().to_owned();
    let object = project.root().join(".git/objects").join(&id[..2]).join(&id[2..]);
    assert_eq!(std::fs::remove_file(&object).ok(), Some(()), "{}", object.display());
    let made = project.program("mkfifo").args([&object]).output().exits(0);
    assert_eq!(made.stderr, "");
    let _ = project.ralph(&["diff"]).output().exits(3);
}

#[test]
fn a_difference_heeds_our_settings_and_not_those_of_the_user_or_the_repository() {
    let project = git();
    dirty(&project, "echo x > 새.txt");
    let _ = fail(&project, "1");
    let plain = project.ralph(&["diff"]).output().exits(0).stdout;
    assert!(plain.contains("+++ b/새.txt\n"), "{plain}");
    for (name, value) in
        [("diff.noprefix", "true"), ("diff.external", "false"), ("core.quotePath", "true")]
    {
        project.run_git(&["config", name, value]);
    }
    let call = project.ralph(&["diff"]).env("GIT_EXTERNAL_DIFF", "false");
    assert_eq!(call.output().exits(0).stdout, plain);
}
