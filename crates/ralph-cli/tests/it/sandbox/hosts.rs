//! Hosts that are started in the sandbox.

use ralph_testkit::{BinaryCall, TestProject};
use serde_json::{Value, json};

use crate::hooks::{self, Session};

const TASK: &str = "/ralph make a hold b --criteria \"custom:sh gate.sh\"";

/// A project, and the events that its host sends, in files outside.
fn project() -> TestProject {
    let project = hooks::project();
    project.file("gate.sh", "echo x > \"$OUTSIDE/leak\"; grep -q b a\n");
    project.run_git(&["add", "-A"]);
    project.run_git(&["commit", "-qm", "gate"]);
    let session = Session::new(&project, "s-1");
    let done = hooks::stop("<promise>DONE</promise>");
    for (name, event, facts) in [
        ("begin", "UserPromptSubmit", json!({ "prompt": TASK })),
        ("end", "Stop", done),
        ("allow", "UserPromptSubmit", json!({ "prompt": "/ralph allow gate.sh" })),
    ] {
        project.file(&format!(".git/events/{name}"), session.payload(event, &facts));
    }
    project
}

/// A host in the sandbox that does this. `tell NAME` sends an event.
fn host(project: &TestProject, script: &str) -> BinaryCall {
    let tell = "tell() { \"$RALPH\" hook --agent claude-code --timeout 600 < .git/events/$1; }";
    let script = format!("{tell}\n{script}");
    let call = project.ralph(&["sandbox", "--", "sh", "-c", &script]);
    call.env("RALPH", project.binary()).env("CLAUDE_PROJECT_DIR", project.root())
}

fn report(project: &TestProject) -> Value {
    project.ralph(&["report", "--json"]).output().exits(0).json()
}

#[test]
fn evidence_of_a_loop_in_a_sandboxed_host_is_sealed() {
    let project = project();
    let script = "tell begin; tell end > refused; echo b > a; tell end\n\
                  cat .git/ralph/ralph.1.db | wc -c > seen";
    let _ = host(&project, script).output().exits(0);
    assert!(project.read("refused").contains("\"block\""), "{}", project.read("refused"));
    assert_eq!(project.read("seen"), "0\n");
    let report = report(&project);
    assert_eq!(report["status"], "success", "{report:#}");
    assert_eq!((&report["sealed"], &report["unsealed_because"]), (&json!(true), &Value::Null));
    assert_eq!(report["sandboxes"][0]["of"], "host");
    // What the agent wrote is not executed outside.
    assert_eq!(project.kept("leak"), "");
}

#[test]
fn a_command_in_the_session_or_an_event_from_elsewhere_ends_the_seal() {
    let project = project();
    let _ = host(&project, "tell begin; tell allow; echo b > a; tell end").output().exits(0);
    assert_eq!(report(&project)["unsealed_because"], "session");

    let project = self::project();
    let _ = host(&project, "tell begin").output().exits(0);
    assert_eq!(report(&project)["sealed"], true);
    let _ = Session::new(&project, "s-1").stop("not yet");
    assert_eq!(report(&project)["unsealed_because"], "session");
}

#[test]
fn a_host_in_a_sandbox_reaches_its_own_project_only() {
    let project = project();
    let other = hooks::project();
    let script = "CLAUDE_PROJECT_DIR=\"$OTHER\" RALPH_SANDBOX_ROOT=\"$OTHER\" tell begin";
    let _ = host(&project, script).env("OTHER", other.root()).output().exits(0);
    assert_eq!(report(&project)["status"], "running");
    assert!(other.everything().iter().all(|path| !path.ends_with(".git/ralph")));
}
