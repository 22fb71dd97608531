//! Gates that take longer than a hook may: the agent calls them itself.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Command;

use ralph_testkit::TestProject;
use serde_json::{Value, json};

use crate::hooks::{Session, answer, goes_on, stop};
use crate::opencode;

const DONE: &str = "Done. <promise>DONE</promise>";

/// The time that hooks of the plugin have: as much as a gate by default.
const PLUGIN: [&str; 2] = ["--timeout", "600"];

/// A hook with time for a first try of a gate, and not much more.
const SHORT: [&str; 2] = ["--timeout", "8"];

/// A gate that counts its runs, leaves a file, and passes when `a` holds `b`.
const GATE: &str = "echo x >> \"$OUTSIDE/runs\"; echo made > made; grep -q b a";

fn project() -> TestProject {
    let project = crate::git();
    project.file("a", "1\n").script("gate.sh", GATE).run_git(&["add", "-A"]);
    project.run_git(&["commit", "-qm", "start"]);
    project
}

/// What a host hears that gives a hook five seconds.
fn soon(session: &Session<'_>, event: &str, facts: &Value) -> Value {
    answer(session.call(event, facts).args(["--timeout", "5"]))
}

fn runs(project: &TestProject) -> usize {
    project.kept("runs").lines().count()
}

/// Makes a gate that passes once it is told so, by a line in what is returned.
fn slow(project: &TestProject) -> std::io::Result<File> {
    let path = project.outside("leave");
    assert!(Command::new("mkfifo").arg(&path).status()?.success());
    project.script("gate.sh", "echo x >> \"$OUTSIDE/runs\"; read _ < \"$OUTSIDE/leave\"");
    // A pipe opened both ways waits for no other process and never ends.
    File::options().read(true).write(true).open(path)
}

#[test]
fn what_a_check_proves_need_not_run_again_when_the_turn_ends() {
    let project = project();
    let session = Session::new(&project, "s-1");
    let prompt = "/ralph make a hold b --criteria custom:./gate.sh --max-iterations 6";
    soon(&session, "UserPromptSubmit", &json!({ "prompt": prompt }));
    session.is("running", 1);
    let refused = soon(&session, "Stop", &stop(DONE));
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
    let ended = soon(&session, "Stop", &stop(DONE));
    assert_eq!(ended["decision"], Value::Null, "{ended}");
    session.is("success/claimed", 2);
    assert_eq!(runs(&project), done);
}

#[test]
fn a_gate_that_was_quick_is_run_again_by_a_hook_with_little_time() {
    let project = project();
    let session = Session::new(&project, "s-1");
    let prompt = "/ralph make a hold b --criteria custom:./gate.sh --max-iterations 6";
    soon(&session, "UserPromptSubmit", &json!({ "prompt": prompt }));
    project.file("a", "b\n");
    let _ = project.ralph(&["check", "--wait"]).output().exits(0);
    assert_eq!(runs(&project), 1);
    project.file("a", "c\n");
    session.edit("a");
    let refused = soon(&session, "Stop", &stop(DONE));
    assert!(goes_on(&refused).contains("Not done yet: custom-1 fails."), "{refused}");
    assert_eq!(runs(&project), 2);
}

#[test]
fn a_quick_gate_is_run_by_a_hook_that_has_as_much_time_as_its_timeout() {
    let project = project();
    let settings =
        "[run]\ncriteria = [\"test_pass\"]\n\n[gates.test_pass]\ncommand = \"./gate.sh\"\n";
    project.file("ralph.toml", settings);
    let session = Session::new(&project, "s-1");
    let tell = |event: &str, facts: &Value| answer(session.call(event, facts).args(PLUGIN));
    tell("UserPromptSubmit", &json!({ "prompt": "/ralph make a hold b" }));
    assert_eq!(runs(&project), 1, "what fails at the start is known");
    assert_eq!(session.run()["baseline"]["failed"], json!(["test_pass"]));
    let refused = tell("Stop", &stop(DONE));
    assert!(goes_on(&refused).contains("Not done yet: test_pass fails."), "{refused}");
    project.file("a", "b\n");
    session.edit("a");
    let ended = tell("Stop", &stop("It holds b now."));
    assert_eq!(ended["decision"], Value::Null, "{ended}");
    session.is("success/verified", 2);
}

#[test]
fn a_gate_that_takes_longer_than_its_hook_neither_failed_nor_passed() {
    let project = project();
    let mut leave = slow(&project).unwrap();
    let session = Session::new(&project, "s-1");
    let tell = |event: &str, facts: &Value| answer(session.call(event, facts).args(SHORT));
    let prompt = "/ralph go on --criteria custom:./gate.sh --max-iterations 9";
    tell("UserPromptSubmit", &json!({ "prompt": prompt }));
    session.is("running", 1);
    assert!(runs(&project) > 0, "it was tried");
    let start = session.run()["baseline"].clone();
    assert_eq!((&start["failed"], &start["failing"]), (&json!([]), &json!(0)), "{start}");

    let refused = tell("Stop", &stop(DONE));
    let told = goes_on(&refused);
    assert!(told.contains("Not done yet: custom-1 has no result."), "{told}");
    assert!(told.contains("ralph check --wait") && !told.contains("did not pass"), "{told}");
    assert_eq!(session.run()["improvement_percent"], Value::Null);

    writeln!(leave).unwrap();
    let _ = project.ralph(&["check", "--wait"]).output().exits(0);
    let done = runs(&project);
    // Nobody knows what the gate would have said at the start, so that it
    // passes now is no reason to end a loop that nobody calls done.
    let silent = tell("Stop", &stop("I go on."));
    assert!(goes_on(&silent).contains("All checks pass."), "{silent}");
    let ended = tell("Stop", &stop(DONE));
    assert_eq!(ended["decision"], Value::Null, "{ended}");
    session.is("success/claimed", 3);
    assert_eq!(runs(&project), done, "what passed need not run again");
}

#[test]
fn the_same_holds_for_a_host_that_is_sent_messages() {
    let project = project();
    let mut leave = slow(&project).unwrap();
    let session = opencode::Session::new(&project, "ses_1");
    let tell = |kind: &str, facts: &Value| {
        let call = project.ralph(&["hook", "--agent", "opencode", "--timeout=6"]);
        let output = call.stdin(session.payload(kind, facts)).output().exits(0);
        let last = output.stdout.lines().last().unwrap_or("null");
        serde_json::from_str::<Value>(last).unwrap()
    };
    let idle = |message: &str, text: &str| {
        tell("session.idle", &json!({ "message": { "id": message, "text": text } }))
    };
    let arguments = "go on --criteria custom:./gate.sh --max-iterations 9";
    tell("command.execute.before", &json!({ "command": "ralph", "arguments": arguments }));
    assert_eq!(session.run()["baseline"]["failed"], json!([]));
    let refused = idle("m-1", DONE);
    let told = opencode::goes_on(&refused);
    assert!(told.contains("custom-1 has no result"), "{told}");
    assert!(told.contains("ralph check --wait"), "{told}");
    writeln!(leave).unwrap();
    let _ = project.ralph(&["check", "--wait"]).output().exits(0);
    idle("m-2", DONE);
    session.is("success/claimed", 2);
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
