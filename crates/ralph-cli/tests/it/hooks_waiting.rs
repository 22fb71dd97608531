//! Gates that take longer than a hook may: the agent calls them itself.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Command;

use ralph_testkit::Project;
use serde_json::{Value, json};

use crate::hooks::{Session, answer, goes_on, stop};

/// A gate that counts its runs, leaves a file, and passes when `a` holds `b`.
const GATE: &str = "echo x >> \"$OUTSIDE/runs\"; echo made > made; grep -q b a";

fn project() -> Project {
    let project = crate::git();
    project.file("a", "1\n").script("gate.sh", GATE).run_git(&["add", "-A"]);
    project.run_git(&["commit", "-qm", "start"]);
    project
}

/// What a host hears that gives a hook five seconds.
fn soon(session: &Session<'_>, event: &str, facts: &Value) -> Value {
    answer(session.call(event, facts).args(["--timeout", "5"]))
}

fn runs(project: &Project) -> usize {
    project.kept("runs").lines().count()
}

#[test]
fn what_a_check_proves_need_not_run_again_when_the_turn_ends() {
    let project = project();
    let session = Session::new(&project, "s-1");
    let prompt = "/ralph make a hold b --criteria custom:./gate.sh --max-iterations 6";
    soon(&session, "UserPromptSubmit", &json!({ "prompt": prompt }));
    session.is("running", 1);
    let refused = soon(&session, "Stop", &stop("Done. <promise>DONE</promise>"));
    assert!(goes_on(&refused).contains("ralph check --wait"), "{refused}");
    assert_eq!(runs(&project), 0, "there was no time for it");

    let failed = project.ralph(&["check", "--wait"]).output().exits(1);
    assert!(failed.stdout.contains("custom-1"), "{}", failed.stdout);
    project.file("a", "b\n");
    session.edit("a");
    let passed = project.ralph(&["check", "--wait"]).output().exits(0);
    assert!(passed.stdout.contains("custom-1"), "{}", passed.stdout);
    session.is("running", 2);
    let done = runs(&project);
    let ended = soon(&session, "Stop", &stop("Done. <promise>DONE</promise>"));
    assert_eq!(ended["decision"], Value::Null, "{ended}");
    session.is("success/verified", 2);
    assert_eq!(runs(&project), done);
}

#[test]
fn a_change_after_the_check_has_to_be_checked_again() {
    let project = project();
    let session = Session::new(&project, "s-1");
    let prompt = "/ralph make a hold b --criteria custom:./gate.sh --max-iterations 6";
    soon(&session, "UserPromptSubmit", &json!({ "prompt": prompt }));
    project.file("a", "b\n");
    let _ = project.ralph(&["check", "--wait"]).output().exits(0);
    project.file("a", "c\n");
    session.edit("a");
    let refused = soon(&session, "Stop", &stop("Done. <promise>DONE</promise>"));
    assert!(goes_on(&refused).contains("ralph check --wait"), "{refused}");
}

#[test]
fn without_a_loop_the_gates_of_the_settings_are_run() {
    let project = project();
    project.file("ralph.toml", "[run]\ncriteria = [\"custom:./gate.sh\"]\n");
    let _ = project.ralph(&["check", "--wait"]).output().exits(1);
    project.file("a", "b\n");
    let json = project.ralph(&["check", "--wait", "--json"]).output().exits(0).json();
    assert_eq!((&json["passed"], &json["gates"][0]["name"]), (&json!(true), &json!("custom-1")));
    let given = ["check", "--wait", "--criteria", "custom:true"];
    let _ = project.ralph(&given).output().exits(0);
    let _ = project.ralph(&["check", "--wait", "--fresh"]).output().exits(2);
}

#[test]
fn of_two_checks_at_once_one_runs_the_gate() {
    let project = project();
    let [mut entered, mut leave] = ["enter", "leave"].map(|name| {
        let path = project.outside(name);
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        // Opened both ways a pipe waits for nobody and never ends.
        File::options().read(true).write(true).open(path).unwrap()
    });
    let body =
        "echo x >> \"$OUTSIDE/runs\"; echo > \"$OUTSIDE/enter\"; read _ < \"$OUTSIDE/leave\"";
    project.script("gate.sh", body);
    let session = Session::new(&project, "s-1");
    soon(
        &session,
        "UserPromptSubmit",
        &json!({ "prompt": "/ralph x --criteria custom:./gate.sh" }),
    );
    let first = project.ralph(&["check", "--wait"]).spawn();
    entered.read_exact(&mut [0]).unwrap();
    let mut second = project.ralph(&["check", "--wait"]).spawn();
    let mut said = String::new();
    let mut stderr = BufReader::new(second.stderr.take().unwrap());
    stderr.read_line(&mut said).unwrap();
    assert!(said.contains("Another check is running"), "{said}");
    writeln!(leave).unwrap();
    for check in [first, second] {
        let output = check.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
    assert_eq!(runs(&project), 1);
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).unwrap();
    assert!(!rest.contains("Another check"), "it is said once: {rest}");
}
