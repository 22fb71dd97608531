//! Loops inside a host when something is not as it should be: calls that come
//! twice, sessions that are not what they seem, files that are missing.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::thread;

use ralph_testkit::TestProject;
use serde_json::{Value, json};

use crate::hooks::{Session, answer, goes_on, stop};
use crate::hooks_arming::linted;

const GATED: &str = "/ralph make a hold b --max-iterations 6 --criteria \"custom:grep -q b a\"";

fn project() -> TestProject {
    let project = crate::git();
    project.file("a", "1\n").run_git(&["add", "-A"]);
    project.run_git(&["commit", "-qm", "start"]);
    project
}

#[test]
fn a_loop_that_was_started_from_outside_goes_on_in_its_session() {
    let project = project();
    let session = Session::new(&project, "s-1");
    let _ = project.ralph(&["start", "talk", "--session", "s-1"]).output().exits(0);
    session.prompt("talk to me");
    session.is("running", 1);
    goes_on(&session.stop("I talked."));
    session.is("running", 2);
}

#[test]
fn a_command_that_is_heard_twice_arms_one_loop_and_refuses_nothing() {
    let project = project();
    let session = Session::new(&project, "s-1");
    let answers: Vec<Value> = thread::scope(|scope| {
        let calls: Vec<_> = (0..3).map(|_| scope.spawn(|| session.prompt(GATED))).collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    let armed = answers.iter().filter(|said| said["hookSpecificOutput"].is_object()).count();
    assert_eq!(armed, 1, "{answers:?}");
    assert!(answers.iter().all(|said| said["decision"].is_null()), "{answers:?}");
    session.is("running", 1);
}

#[test]
fn a_loop_that_is_resumed_twice_at_once_goes_on() {
    let project = project();
    let session = Session::new(&project, "s-1");
    for round in 0..3 {
        session.prompt(GATED);
        session.prompt("wait");
        session.is("paused/aborted", 1);
        let answers: Vec<Value> = thread::scope(|scope| {
            let resume = || session.prompt("/ralph resume");
            let calls: Vec<_> = (0..3).map(|_| scope.spawn(resume)).collect();
            calls.into_iter().map(|call| call.join().unwrap()).collect()
        });
        let told = answers.iter().filter(|said| said["hookSpecificOutput"].is_object()).count();
        assert_eq!(told, 1, "{round}: {answers:?}");
        assert!(answers.iter().all(|said| said["decision"].is_null()), "{round}: {answers:?}");
        session.is("running", 2);
        session.prompt("/ralph stop");
    }
}

#[test]
fn a_copy_of_some_session_does_not_take_the_loop_of_another() {
    let project = project();
    let session = Session::new(&project, "s-1");
    session.prompt(GATED);
    session.tell("SessionEnd", &json!({ "reason": "other" }));
    session.is("paused/interrupted", 1);
    let copy = Session::new(&project, "s-2");
    let told = copy.tell("SessionStart", &json!({ "source": "fork" }));
    assert_eq!(told["hookSpecificOutput"], Value::Null, "{told}");
    assert_eq!(copy.prompt("explain this file"), Value::Null);
    assert_eq!(copy.stop("It holds a number."), Value::Null);
    session.is("paused/interrupted", 1);
    let id = session.run()["id"].as_str().unwrap().to_owned();
    let named = goes_on(&copy.prompt("/ralph resume")).to_owned();
    assert!(named.contains(&format!("`/ralph resume {id}`")), "{named}");
    session.is("paused/interrupted", 1);
    let resumed = copy.prompt(&format!("/ralph resume {id}"));
    assert!(resumed["hookSpecificOutput"].is_object(), "{resumed}");
}

#[test]
fn a_session_that_cannot_be_marked_gets_no_loop_that_nobody_hears_of() {
    let project = project();
    let session = Session::new(&project, "s-1");
    session.prompt("/ralph talk");
    session.prompt("/ralph stop");
    let home = project.root().join(".git/ralph");
    fs::remove_dir_all(home.join("sessions")).unwrap();
    fs::write(home.join("sessions"), "in the way").unwrap();
    goes_on(&session.prompt(GATED));
    session.is("stopped", 0);
}

#[test]
fn a_run_that_used_up_its_iterations_gets_none_by_being_resumed() {
    let project = project();
    let session = Session::new(&project, "s-1");
    session.prompt("/ralph talk --max-iterations 1");
    session.prompt("wait, stop that");
    session.is("paused/aborted", 1);
    assert!(goes_on(&session.prompt("/ralph resume")).contains("run-"));
    session.is("failed/max_iterations", 1);

    session.prompt("/ralph talk --max-iterations 1");
    session.tell("SessionEnd", &json!({ "reason": "other" }));
    session.tell("SessionStart", &json!({ "source": "resume" }));
    session.prompt("go on");
    session.is("failed/max_iterations", 1);
    assert_eq!(session.stop("I went on."), Value::Null);
}

#[test]
fn a_gate_whose_program_is_gone_proves_nothing_and_silences_nobody() {
    let project = project();
    project.script("gate.sh", "grep -q b a");
    let session = Session::new(&project, "s-1");
    session.prompt("/ralph make a hold b --criteria custom:./gate.sh");
    fs::remove_file(project.root().join("gate.sh")).unwrap();
    let said = session.stop("Done.\n\n<promise>DONE</promise>");
    assert!(goes_on(&said).contains("gate.sh"), "{said}");
    session.is("running", 2);
    session.tell("SessionEnd", &json!({ "reason": "other" }));
    session.is("paused/interrupted", 2);
}

#[test]
fn the_user_is_told_why_a_loop_cannot_go_on() {
    let project = project();
    let session = Session::new(&project, "s-1");
    session.prompt(GATED);
    project.file("ralph.toml", "[run\n");
    // Without the settings that it began with there is nothing to go on with.
    let id = session.run()["id"].as_str().unwrap().to_owned();
    fs::remove_dir_all(project.root().join(".git/ralph/runs").join(id).join("settings")).unwrap();
    let said = session.stop("Not yet.");
    assert_eq!(said["decision"], Value::Null);
    assert!(said["systemMessage"].as_str().unwrap_or_default().contains("ralph.toml"), "{said}");
    assert_eq!(Session::new(&project, "s-2").stop("Not yet."), Value::Null);
}

#[test]
fn a_budget_that_a_host_cannot_keep_is_refused_before_it_is_spent() {
    let project = project();
    let session = Session::new(&project, "s-1");
    for limit in ["--max-cost 5", "--max-tokens 1000"] {
        let said = session.prompt(&format!("/ralph talk {limit}"));
        assert!(goes_on(&said).contains("ralph run"), "{said}");
    }
    assert_eq!(session.run(), Value::Null);
}

#[test]
fn a_loop_is_not_judged_by_the_files_of_another_work_tree() {
    let project = project();
    let session = Session::new(&project, "s-1");
    session.prompt(GATED);
    let other = project.outside("linked");
    project.run_git(&["worktree", "add", "-q", other.to_str().unwrap()]);
    fs::write(other.join("a"), "b\n").unwrap();
    let in_other = |session: &Session<'_>, event: &str, facts: &Value| {
        answer(session.call(event, facts).env("CLAUDE_PROJECT_DIR", &other))
    };
    let done = stop("Done.\n\n<promise>DONE</promise>");
    assert_eq!(in_other(&session, "Stop", &done), Value::Null);
    session.is("running", 1);
    session.prompt("wait");
    session.is("paused/aborted", 1);
    let id = session.run()["id"].as_str().unwrap().to_owned();
    let resume = json!({ "prompt": format!("/ralph resume {id}") });
    let said = in_other(&Session::new(&project, "s-2"), "UserPromptSubmit", &resume);
    assert!(goes_on(&said).contains("belongs to"), "{said}");
    session.is("paused/aborted", 1);
}

fn writing(path: &std::path::Path) -> Value {
    json!({ "tool_name": "Write", "tool_use_id": "t", "tool_input": { "file_path": path } })
}

#[test]
fn what_could_not_be_measured_before_a_turn_is_not_held_against_it() {
    let project = linted("on-errors");
    let session = Session::new(&project, "s-1");
    session.prompt("improve old.txt");
    let facts = writing(&project.root().join("old.txt"));
    // Too little time for the linter.
    assert_eq!(answer(session.call_with(&["--timeout=5"], "PreToolUse", &facts)), Value::Null);
    project.file("old.txt", "BAD old 7\n");
    session.tell("PostToolUse", &facts);
    assert_eq!(session.stop("Improved."), Value::Null);
    assert_eq!(session.run(), Value::Null);
}

#[test]
fn a_project_that_is_entered_through_a_link_is_the_same_project() {
    let project = linted("on-errors");
    let session = Session::new(&project, "s-1");
    let link = project.outside("link");
    symlink(project.root(), &link).unwrap();
    let facts = writing(&link.join("new.txt"));
    let tell = |event: &str, facts: &Value| {
        answer(session.call(event, facts).env("CLAUDE_PROJECT_DIR", &link))
    };
    tell("UserPromptSubmit", &json!({ "prompt": "write new.txt" }));
    tell("PreToolUse", &facts);
    project.file("new.txt", "BAD new\n");
    tell("PostToolUse", &facts);
    goes_on(&tell("Stop", &stop("Written.")));
}

#[test]
fn what_the_user_typed_is_kept_from_others() {
    let project = linted("on-errors");
    Session::new(&project, "s-1").prompt("the password is swordfish");
    let mut kept = Vec::new();
    let mut folders = vec![project.root().join(".git/ralph")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { kept.push(path) }
        }
    }
    assert!(!kept.is_empty());
    for path in kept {
        let mode = path.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}: {mode:o}", path.display());
    }
}

#[test]
fn what_the_user_says_to_an_agent_at_work_aborts_nothing() {
    let project = project();
    let session = Session::new(&project, "s-1");
    let say = |text: &str, id: &str| {
        session.tell("UserPromptSubmit", &json!({ "prompt": text, "prompt_id": id }))
    };
    say(GATED, "p-1");
    assert_eq!(say("and hurry up", "p-1"), Value::Null);
    session.is("running", 1);
    let mut not_yet = stop("Not yet.");
    not_yet["prompt_id"] = "p-1".into();
    goes_on(&session.tell("Stop", &not_yet));
    assert_eq!(say("faster", "p-1"), Value::Null);
    session.is("running", 2);
    say("wait, what are you doing?", "p-2");
    session.is("paused/aborted", 2);
}
