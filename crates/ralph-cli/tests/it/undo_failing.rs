//! What a run that failed says and leaves.

use std::process::Command;

use ralph_testkit::{CommandOutput, TestProject};

use crate::undo::{SPOILS, both, files, rollback};
use crate::{git, plain};

/// Fewer gates fail in turn 2 than before, and more in turn 3.
const WORSENS: [&str; 6] = [
    "--max-iterations",
    "3",
    "--criteria",
    "custom:false",
    "--criteria",
    "custom:sh:grep -q 2 edited",
];

/// Writes the number of the turn.
const COUNTS: &str = "echo $RALPH_ITERATION > edited; echo x > new$RALPH_ITERATION";

/// A run for people that fails after one turn.
fn fail_aloud(project: &TestProject, locale: &str) -> CommandOutput {
    let args = ["run", "do it", "--agent-cmd", "./agent.sh", "--max-iterations", "1"];
    project.ralph(&args).env("RALPH_LOCALE", locale).output().exits(1)
}

/// What follows `key` on the line that begins with it.
#[track_caller]
#[expect(clippy::panic, reason = "a line that is missing must fail its test at once")]
fn after<'a>(text: &'a str, key: &str) -> &'a str {
    let found = text.lines().find_map(|line| line.strip_prefix(key));
    found.unwrap_or_else(|| panic!("no `{key}` in {text}"))
}

/// Runs a line as somebody who copies it into a shell does.
#[track_caller]
#[expect(clippy::unwrap_used, reason = "a broken fixture must fail its test at once")]
fn follow(project: &TestProject, line: &str) {
    let bin = std::path::Path::new(env!("CARGO_BIN_EXE_ralph")).parent().unwrap();
    let path = std::env::var("PATH").unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).current_dir(project.root());
    shell.env("PATH", format!("{}:{path}", bin.display()));
    shell.env("XDG_STATE_HOME", project.state()).env("HOME", project.outside("home"));
    let output = shell.output().unwrap();
    assert!(output.status.success(), "{line}: {output:?}");
}

/// The words of the three lines, in the order in which they stand.
const WORDS: [(&str, [&str; 3]); 2] = [
    ("en", ["The files as they were: ", "Roll back: ", "By hand: "]),
    ("ko", ["시작 시점의 스냅샷: ", "되돌리기: ", "직접 되돌리기: "]),
];

#[test]
fn the_command_that_a_failed_run_names_takes_it_back() {
    for (locale, [place, command, _]) in WORDS {
        for project in both(SPOILS) {
            let before = files(&project.root());
            let said = fail_aloud(&project, locale).stdout;
            follow(&project, after(&said, command));
            assert_eq!(files(&project.root()), before);
            let place = after(&said, place);
            let in_git = project.root().join(".git").exists();
            assert!(in_git && place.starts_with("refs/ralph/run-") || place.starts_with('/'));
            assert!(in_git || std::path::Path::new(place).exists(), "{place}");
        }
    }
}

#[test]
fn the_way_by_hand_brings_every_earlier_file_back() {
    for (locale, [_, _, by_hand]) in WORDS {
        for project in both(SPOILS) {
            let before = files(&project.root());
            let said = fail_aloud(&project, locale).stdout;
            follow(&project, after(&said, by_hand));
            let mut now = files(&project.root());
            // What the run added stays, and the message says so.
            assert!(said.contains(if locale == "en" { "leaves 3 files" } else { "3개" }));
            for added in ["new", "deep/er/new", "deleted"] {
                now.remove(&project.root().join(added));
            }
            assert_eq!(now, before);
        }
    }
}

#[test]
fn a_run_that_changed_nothing_names_no_way_back() {
    for project in both("true") {
        let said = fail_aloud(&project, "en").stdout;
        assert!(!said.contains("Roll back"), "{said}");
    }
}

#[test]
fn a_run_that_got_worse_can_go_back_to_its_best() {
    for project in both(COUNTS) {
        let _ = project.run_json("do it", &WORSENS).exits(1).ends("failed/max_iterations", 3);
        let shown = project.ralph(&["snapshots", "--json"]).output().exits(0).json();
        assert_eq!(shown["best_iteration"], 2);
        let _ = rollback(&project, &["--to", "best"]).exits(0);
        assert_eq!(project.read("edited"), "2\n");
        assert!(project.root().join("new2").exists() && !project.root().join("new3").exists());
    }
}

#[track_caller]
fn leaves(project: &TestProject, on_fail: &str, edited: &str) {
    project.agent(COUNTS);
    project.file("edited", "mine\n");
    let args = [WORSENS.as_slice(), &["--on-fail", on_fail]].concat();
    let _ = project.run_json("do it", &args).exits(1);
    assert_eq!(project.read("edited"), edited, "{on_fail}");
}

#[test]
fn a_failed_run_leaves_what_it_was_told_to() {
    for (on_fail, edited) in [("keep", "3\n"), ("best", "2\n"), ("start", "mine\n")] {
        for project in [git(), plain()] {
            leaves(&project, on_fail, edited);
        }
    }
}

#[test]
fn what_a_failed_run_took_back_itself_can_be_undone() {
    for project in [git(), plain()] {
        leaves(&project, "start", "mine\n");
        let _ = rollback(&project, &["--undo"]).exits(0);
        assert_eq!(project.read("edited"), "3\n");
        assert!(project.root().join("new3").exists());
    }
}

#[test]
fn a_run_that_succeeds_is_never_taken_back_by_itself() {
    for project in both("echo x > edited; echo '<promise>DONE</promise>'") {
        let _ = project.run_json("do it", &["--on-fail", "start"]).exits(0);
        assert_eq!(project.read("edited"), "x\n");
    }
}
