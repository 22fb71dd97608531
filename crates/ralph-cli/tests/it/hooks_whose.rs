//! Whose loop a command in a session means, and what Esc, leaving and a client
//! that was killed do to it.

use std::process::{Command, Stdio};

use ralph_testkit::TestProject;
use serde_json::{Value, json};

use crate::hooks::{GATED, Session, answer, goes_on, project, stop};

fn id(session: &Session<'_>) -> String {
    session.run()["id"].as_str().unwrap().to_owned()
}

fn note(answer: &Value) -> &str {
    answer["systemMessage"].as_str().unwrap_or_default()
}

#[test]
fn a_command_in_another_session_names_the_loop_and_leaves_it_alone() {
    let project = project();
    let session = Session::new(&project, "s-1");
    session.prompt(GATED);
    let (id, other) = (id(&session), Session::new(&project, "s-2"));
    for (typed, name) in [
        ("/cancel-ralph", "stop"),
        ("/ralph stop", "stop"),
        ("/ralph pause", "pause"),
        ("/ralph status", "status"),
        ("/ralph rollback", "rollback"),
        ("/ralph resume", "resume"),
    ] {
        let said = other.prompt(typed);
        let said = goes_on(&said);
        assert!(said.contains("this session has no"), "{typed}: {said}");
        assert!(said.contains("belongs to another session"), "{typed}: {said}");
        assert!(said.contains(&format!("`/ralph {name} {id}`")), "{typed}: {said}");
    }
    session.is("running", 1);
    assert!(goes_on(&other.prompt(&format!("/ralph status {id}"))).contains("make a hold b"));
    let busy = other.prompt("/ralph another task --criteria \"custom:grep -q b a\"");
    assert!(goes_on(&busy).contains(&format!("`/ralph stop {id}` ends it")), "{busy}");
    other.prompt(&format!("/ralph stop {id}"));
    session.is("stopped", 1);
    let ended = session.prompt("/cancel-ralph");
    assert!(goes_on(&ended).contains(&id), "{ended}");
    let over = session.prompt(&format!("/ralph resume {id}"));
    assert!(goes_on(&over).contains("`/ralph TASK` starts a new loop"), "{over}");
}

#[test]
fn commands_that_ralph_names_do_here_what_they_say() {
    let project = project();
    let session = Session::new(&project, "s-1");
    session.prompt(GATED);
    goes_on(&session.stop("Not yet."));
    for (typed, word) in [
        ("/ralph report", "make a hold b"),
        ("/ralph runs", "make a hold b"),
        ("/ralph diff", "No file differs"),
        ("/ralph allow", "Nothing is held."),
        ("/ralph check --criteria \"custom:grep -q b a\"", "custom"),
        ("/ralph doctor", "ralph"),
        ("/ralph install claude-code --dry-run", ""),
        ("/ralph init", "run `ralph init` in a terminal"),
    ] {
        let said = session.prompt(typed);
        assert_eq!(said["decision"], "block", "{typed}: {said}");
        assert!(goes_on(&said).contains(word), "{typed}: {said}");
    }
    session.is("running", 2);
    let runs = project.ralph(&["runs", "--json"]).output().exits(0).json();
    assert_eq!(runs["runs"].as_array().unwrap().len(), 1, "{runs}");
}

#[test]
fn a_new_loop_replaces_the_one_that_was_interrupted_in_its_session() {
    let project = project();
    let session = Session::new(&project, "s-1");
    session.prompt(GATED);
    let first = id(&session);
    // Esc before the first answer: no hook hears of that.
    let again = session.prompt("/ralph make a hold b, please --criteria \"custom:grep -q b a\"");
    assert!(note(&again).contains(&format!("It replaces {first}")), "{again}");
    let second = id(&session);
    session.prompt("wait");
    session.is("paused/aborted", 1);
    let third = session.prompt("/ralph something else");
    assert!(note(&third).contains(&format!("It replaces {second}")), "{third}");
    for old in [first, second] {
        let status = project.ralph(&["status", &old, "--json"]).output().exits(0).json();
        assert_eq!(status["runs"][0]["status"], "stopped");
    }
}

/// What is written while the agent works and the user types.
fn queue(project: &TestProject, text: &str, lines: &[(&str, &str)]) -> Value {
    let lines = lines.iter().enumerate().map(|(at, (operation, content))| {
        let line = json!({
            "type": "queue-operation", "operation": operation, "content": content,
            "timestamp": format!("2026-11-16T00:00:0{at}Z"),
        });
        format!("{line}\n")
    });
    let path = project.outside("transcript.jsonl");
    std::fs::write(&path, lines.collect::<String>()).unwrap();
    let mut facts = stop(text);
    facts["transcript_path"] = json!(path);
    facts
}

#[test]
fn a_resume_at_once_after_the_start_is_answered() {
    let project = project();
    let session = Session::new(&project, "s-1");
    session.prompt(GATED);
    // Esc is not told; a prompt while a turn is under way means it.
    let said = session.prompt("/ralph resume");
    assert!(note(&said).contains("goes on in this session"), "{said}");
}

#[test]
fn a_resume_that_is_typed_during_a_turn_is_answered() {
    let project = project();
    let session = Session::new(&project, "s-1");
    session.prompt("/ralph talk --max-iterations 9");
    let said = session.tell("Stop", &queue(&project, "One.", &[("enqueue", "/ralph resume")]));
    assert!(goes_on(&said).contains("2/9"), "the loop goes on: {said}");
    assert!(note(&said).contains("nothing to resume"), "{said}");
}

#[test]
fn what_is_typed_during_a_turn_acts_at_its_end() {
    let project = project();
    let session = Session::new(&project, "s-1");
    session.prompt("/ralph talk --max-iterations 9");
    let asked =
        |text: &str| session.tell("Stop", &queue(&project, text, &[("enqueue", "/ralph status")]));
    let shown = asked("One.");
    assert!(goes_on(&shown).contains("2/9"), "the loop goes on: {shown}");
    assert!(note(&shown).contains("run-"), "{shown}");
    assert!(!note(&asked("Two.")).contains("run-"), "it is shown once");
    session.is("running", 3);

    let taken_back = [("enqueue", "/cancel-ralph"), ("dequeue", "")];
    goes_on(&session.tell("Stop", &queue(&project, "Three.", &taken_back)));
    let of_another = [("enqueue", ""), ("enqueue", "/ralph stop run-00000000")];
    goes_on(&session.tell("Stop", &queue(&project, "More.", &of_another)));
    let paused = session.tell(
        "Stop",
        &queue(&project, "Four.", &[("dequeue", ""), ("dequeue", ""), ("enqueue", "/ralph pause")]),
    );
    assert_eq!(paused["decision"], Value::Null, "{paused}");
    session.is("paused/asked", 5);
    session.prompt("/ralph resume");
    let ended = session.tell(
        "Stop",
        &queue(
            &project,
            "Five.",
            &[("dequeue", ""), ("popAll", ""), ("dequeue", ""), ("enqueue", "/cancel-ralph")],
        ),
    );
    assert!(ended["decision"].is_null() && note(&ended).contains("Stopped"), "{ended}");
    session.is("stopped", 6);
    let passed_on = session.prompt("/cancel-ralph");
    let passed_on = goes_on(&passed_on);
    assert!(passed_on.contains("answered when the turn ended"), "it is answered once: {passed_on}");
    assert!(goes_on(&session.prompt("/cancel-ralph")).contains("run-"), "it has ended already");
}

#[test]
fn a_command_that_was_answered_while_it_waited_is_not_answered_again() {
    let project = project();
    let session = Session::new(&project, "s-1");
    session.prompt("/ralph talk --max-iterations 9");
    let asked = queue(&project, "One.", &[("enqueue", "/ralph status")]);
    assert!(note(&session.tell("Stop", &asked)).contains("run-"));
    // Taken back into the box, and something else typed instead.
    session.prompt("/ralph report");
    assert!(goes_on(&session.prompt("/ralph status")).contains("run-"), "it is asked anew");
}

#[test]
fn a_loop_that_was_interrupted_rests_after_clear_and_in_a_session_that_is_continued() {
    let project = project();
    let session = Session::new(&project, "s-1");
    session.prompt(GATED);
    // Esc, then /clear: the client tells of the latter alone.
    session.tell("SessionEnd", &json!({ "reason": "clear" }));
    session.is("paused/aborted", 1);
    let next = Session::new(&project, "s-2");
    let told = next.tell("SessionStart", &json!({ "source": "clear" }));
    assert!(!told.to_string().contains("A ralph loop"), "the agent hears nothing: {told}");
    assert!(note(&told).contains("/ralph resume"), "{told}");
    assert!(!next.prompt("hello").to_string().contains("A ralph loop"));
    assert!(next.stop("Hello.")["decision"].is_null());
    next.is("paused/aborted", 1);
    let resumed = next.prompt("/ralph resume");
    assert!(note(&resumed).contains("goes on in this session"), "{resumed}");
    assert!(goes_on(&next.stop("Not yet.")).contains("turn 3 of 6"), "one turn was interrupted");

    // Esc, then /exit.
    next.tell("SessionEnd", &json!({ "reason": "prompt_input_exit" }));
    next.is("paused/aborted", 3);
    let opened = next.tell("SessionStart", &json!({ "source": "resume" }));
    assert!(!opened.to_string().contains("A ralph loop"), "{opened}");
    assert!(note(&opened).contains("/ralph resume"), "{opened}");
    assert!(!next.prompt("hello").to_string().contains("A ralph loop"));
    next.is("paused/aborted", 3);
}

#[test]
fn a_loop_whose_client_was_killed_is_noticed_and_in_nobodys_way() {
    let project = project();
    let session = Session::new(&project, "s-1");
    let mut client = Command::new("sleep").arg("600").stdin(Stdio::null()).spawn().unwrap();
    let begin = |session: &Session<'_>, text: &str, pid: u32| {
        let call = session.call("UserPromptSubmit", &json!({ "prompt": text }));
        answer(call.env("CLAUDE_PID", pid.to_string()))
    };
    begin(&session, GATED, client.id());
    let left = id(&session);
    let other = Session::new(&project, "s-2");
    goes_on(&other.prompt("/ralph another task --criteria \"custom:grep -q b a\""));
    client.kill().unwrap();
    client.wait().unwrap();
    let status = project.ralph(&["status"]).output().exits(0).stdout;
    assert!(status.contains("its client is gone"), "{status}");
    let named = other.prompt("/ralph status");
    assert!(goes_on(&named).contains("belongs to a client that is gone"), "{named}");
    let next = other.prompt("/ralph another task");
    assert!(note(&next).contains(&format!("The client of {left} is gone")), "{next}");
    let old = project.ralph(&["status", &left, "--json"]).output().exits(0).json();
    assert_eq!(old["runs"][0]["reason"], "interrupted", "{old}");
    other.prompt("/cancel-ralph");
    // It can be taken over in one step.
    let taken = other.prompt(&format!("/ralph resume {left}"));
    assert!(note(&taken).contains("goes on in this session"), "{taken}");
    other.is("running", 2);
}

#[test]
fn a_session_that_is_opened_again_after_its_client_was_killed_says_that_its_loop_goes_on() {
    let project = project();
    let session = Session::new(&project, "s-1");
    session.prompt(GATED);
    let opened = session.tell("SessionStart", &json!({ "source": "resume" }));
    assert!(note(&opened).contains("goes on in this session"), "{opened}");
    assert_eq!(session.prompt("go on"), Value::Null);
    session.is("running", 2);
}

#[test]
fn a_session_that_is_opened_a_second_time_does_not_cut_off_the_turn_of_the_first() {
    let project = project();
    let session = Session::new(&project, "s-1");
    let mut client = Command::new("sleep").arg("600").stdin(Stdio::null()).spawn().unwrap();
    let call = session.call("UserPromptSubmit", &json!({ "prompt": GATED }));
    answer(call.env("CLAUDE_PID", client.id().to_string()));
    let opened = session.tell("SessionStart", &json!({ "source": "resume" }));
    assert_eq!(note(&opened), "", "{opened}");
    session.is("running", 1);
    client.kill().unwrap();
    client.wait().unwrap();
    let opened = session.tell("SessionStart", &json!({ "source": "resume" }));
    assert!(note(&opened).contains("goes on in this session"), "{opened}");
}
