//! Moves to a new session that somebody or something gets in the way of.

use ralph_testkit::TestProject;
use serde_json::{Value, json};

use crate::opencode::{Session, goes_on, project, text};
use crate::opencode_moving::{done, is, moved, turn_in_first};

/// Tells something as a client that is gone a moment later.
fn told_by_the_dying(project: &TestProject, payload: &Value) -> Value {
    let binary = project.binary().to_str().unwrap();
    let hook = ["-c", "\"$@\"; exit 0", "sh", binary, "hook", "--agent", "opencode"];
    let output = project.program("sh").args(hook).stdin(payload.to_string()).output().exits(0);
    if output.stdout.is_empty() { Value::Null } else { output.json() }
}

fn payload(project: &TestProject, kind: &str, session: &str, facts: &Value) -> Value {
    let mut payload =
        json!({ "v": 1, "type": kind, "session": session, "directory": project.root() });
    for (name, value) in facts.as_object().unwrap() {
        payload[name] = value.clone();
    }
    payload
}

/// A client was started in the project.
fn started(project: &TestProject) -> Value {
    let said = json!({ "v": 1, "type": "started", "directory": project.root() });
    let args = ["hook", "--agent", "opencode"];
    let output = project.ralph(&args).stdin(said.to_string()).output().exits(0);
    if output.stdout.is_empty() { Value::Null } else { output.json() }
}

fn without_toast(action: &Value) -> Value {
    let mut action = action.clone();
    action.as_object_mut().unwrap().remove("toast");
    action
}

#[test]
fn a_client_that_dies_between_two_steps_is_followed_by_one_that_goes_on() {
    let project = project();
    let session = Session::new(&project, "ses_1");
    session.command("make a hold b --context summarize");
    let idle = json!({ "message": { "id": "msg_1", "text": "Not yet." } });
    let mut asked = told_by_the_dying(&project, &payload(&project, "session.idle", "ses_1", &idle));
    let steps = [
        ("summarize", json!({ "text": "All about a." })),
        ("create", json!({ "created": "ses_2" })),
        ("select", json!({})),
        ("prompt", json!({})),
    ];
    for (what, came) in steps {
        assert_eq!(asked["do"], what, "{asked}");
        let again = started(&project);
        assert_eq!(again, without_toast(&asked), "the next client goes on with it");
        assert_eq!(started(&project)["do"], Value::Null, "one is enough while it lives");
        let here = asked["session"].as_str().unwrap().to_owned();
        let mut said = json!({ "did": what, "run": asked["run"], "attempt": 1 });
        for (name, value) in came.as_object().unwrap() {
            said[name] = value.clone();
        }
        asked = told_by_the_dying(&project, &payload(&project, "done", &here, &said));
    }
    assert_eq!(asked, Value::Null);
    is(&started(&project), "check", "ses_2");
    let second = Session::new(&project, "ses_2");
    is(&second.idle("msg_2", "Nor now."), "delete", "ses_1");
    second.is("running", 3);
}

#[test]
fn any_event_of_either_session_goes_on_with_a_move() {
    let project = project();
    let first = turn_in_first(&project, "--context summarize");
    let said = json!({ "did": "summarize", "run": first["run"], "text": "All about a." });
    let asked = told_by_the_dying(&project, &payload(&project, "done", "ses_1", &said));
    assert_eq!(asked["do"], "create");
    let summary = json!({ "message": { "id": "msg_2", "text": "x", "summary": true } });
    let create = Session::new(&project, "ses_1").tell("session.idle", &summary);
    is(&create, "create", "ses_1");
    let said = json!({ "did": "create", "run": first["run"], "created": "ses_2" });
    let asked = told_by_the_dying(&project, &payload(&project, "done", "ses_1", &said));
    is(&asked, "select", "ses_2");
    is(&Session::new(&project, "ses_1").tell("session.idle", &summary), "select", "ses_2");
}

#[test]
fn a_session_that_cannot_be_summarised_is_followed_by_one_that_reads_the_record() {
    let project = project();
    let first = turn_in_first(&project, "--context summarize");
    let error = json!({ "name": "APIError", "data": { "message": "over quota" } });
    let create = done(&project, &first, &json!({ "error": error }));
    is(&create, "create", "ses_1");
    let toast = &create["toast"];
    assert!(toast["text"].as_str().unwrap().contains("over quota"), "{toast}");
    assert_eq!(toast["variant"], "warning");
    let prompt = moved(&project, &create);
    let said = prompt["text"].as_str().unwrap();
    assert!(said.contains("> Not yet.") && said.contains("Task: make a hold b"), "{said}");
    assert_eq!(project.read(".opencode/sessions/ses_1/ralph_summary.md"), "");
}

#[test]
fn the_last_good_summary_is_told_again_when_the_next_one_fails() {
    let project = project();
    let first = turn_in_first(&project, "--context summarize");
    moved(&project, &first);
    let delete = Session::new(&project, "ses_2").idle("msg_2", "Nor now.");
    let summarize = done(&project, &delete, &json!({}));
    let create = done(&project, &summarize, &json!({ "text": " " }));
    let select = done(&project, &create, &json!({ "created": "ses_3" }));
    let prompt = done(&project, &select, &json!({}));
    let said = prompt["text"].as_str().unwrap();
    assert!(said.contains("All about a.") && said.contains("> Nor now."), "{said}");
}

#[test]
fn without_a_new_session_the_loop_goes_on_in_the_old_one() {
    let project = project();
    let create = turn_in_first(&project, "--context fresh");
    let stays = done(&project, &create, &json!({ "error": "no room" }));
    assert!(goes_on(&stays).contains("turn 2 of 6"), "{stays}");
    assert_eq!(stays["session"], "ses_1");
    assert!(stays["toast"]["text"].as_str().unwrap().contains("no room"), "{stays}");
    is(&Session::new(&project, "ses_1").idle("msg_2", "Nor now."), "create", "ses_1");
}

#[test]
fn a_session_whose_name_would_be_a_path_is_refused_with_a_line_in_the_log() {
    let endless = "x".repeat(300);
    for name in ["../../etc", "a\0b", &endless] {
        let project = project();
        let create = turn_in_first(&project, "--context fresh");
        goes_on(&done(&project, &create, &json!({ "created": name })));
        let log = project.read(".git/ralph/hooks.log");
        assert!(log.contains("cannot be the name of a session"), "{log}");
    }
    let project = project();
    turn_in_first(&project, "--context summarize");
    let evil = Session::new(&project, "../ses_1");
    assert_eq!(evil.idle("msg_9", "x"), Value::Null);
    let log = project.read(".git/ralph/hooks.log");
    assert!(log.contains("session.idle: the session it names cannot be one"), "{log}");
}

#[test]
fn a_session_that_the_user_deletes_rests_the_loop_and_spares_the_old_one() {
    let project = project();
    let first = turn_in_first(&project, "--context fresh");
    moved(&project, &first);
    let second = Session::new(&project, "ses_2");
    let told = second.tell("session.deleted", &json!({}));
    assert!(told["toast"]["text"].as_str().unwrap().contains("/ralph resume"), "{told}");
    second.is("paused/interrupted", 2);
    let first = Session::new(&project, "ses_1");
    let resume = format!("resume {}", second.run()["id"].as_str().unwrap());
    assert!(text(&first.command(&resume), "replace").contains("make a hold b"));
    is(&first.idle("msg_5", "Back again."), "create", "ses_1");
}

#[test]
fn an_old_session_in_which_somebody_speaks_is_not_deleted() {
    let project = project();
    let first = turn_in_first(&project, "--context fresh");
    moved(&project, &first);
    assert_eq!(Session::new(&project, "ses_1").says("one more thing"), Value::Null);
    is(&Session::new(&project, "ses_2").idle("msg_2", "Nor now."), "create", "ses_2");
}

#[test]
fn what_the_user_says_first_in_a_new_session_carries_what_it_has_to_know() {
    let project = project();
    let first = turn_in_first(&project, "--context summarize");
    let create = done(&project, &first, &json!({ "text": "All about a." }));
    let select = done(&project, &create, &json!({ "created": "ses_2" }));
    is(&select, "select", "ses_2");
    let second = Session::new(&project, "ses_2");
    let said = second.opens("go on, please");
    assert!(text(&said, "append").contains("All about a."), "{said}");
    is(&second.idle("msg_2", "Nor now."), "delete", "ses_1");
}

#[test]
fn a_prompt_that_does_not_arrive_is_sent_again_and_not_for_ever() {
    let project = project();
    let create = turn_in_first(&project, "--context fresh");
    let select = done(&project, &create, &json!({ "created": "ses_2" }));
    let mut prompt = done(&project, &select, &json!({ "error": "there is no screen" }));
    for attempt in 1..5 {
        is(&prompt, "prompt", "ses_2");
        assert_eq!(prompt["attempt"], attempt, "{prompt}");
        prompt = done(&project, &prompt, &json!({ "error": "busy", "attempt": attempt }));
    }
    is(&prompt, "prompt", "ses_2");
    let given_up = done(&project, &prompt, &json!({ "error": "busy", "attempt": 5 }));
    assert_eq!(given_up["do"], "none");
    Session::new(&project, "ses_2").is("paused/interrupted", 2);
}

#[test]
fn an_abort_while_a_session_is_summed_up_pauses_the_loop() {
    let project = project();
    let first = turn_in_first(&project, "--context summarize");
    let error = json!({ "name": "MessageAbortedError", "data": { "message": "Aborted" } });
    let paused = done(&project, &first, &json!({ "error": error }));
    assert_eq!(paused["do"], "none", "{paused}");
    let session = Session::new(&project, "ses_1");
    session.is("paused/aborted", 2);
    assert!(text(&session.command("resume"), "replace").contains("make a hold b"));
    is(&session.idle("msg_2", "Nor now."), "summarize", "ses_1");
}

#[test]
fn a_loop_whose_session_is_gone_is_found_when_the_client_starts() {
    let project = project();
    assert_eq!(started(&project), Value::Null);
    let session = Session::new(&project, "ses_1");
    session.command("make a hold b");
    let check = started(&project);
    is(&check, "check", "ses_1");
    assert_eq!(done(&project, &check, &json!({})), Value::Null);
    session.is("running", 1);
    let gone = json!({ "error": { "name": "NotFoundError", "data": { "message": "gone" } } });
    let said = done(&project, &check, &gone);
    assert!(said["toast"]["text"].as_str().unwrap().contains("/ralph resume"), "{said}");
    session.is("paused/interrupted", 1);
    let other = Session::new(&project, "ses_2");
    let resume = format!("resume {}", session.run()["id"].as_str().unwrap());
    assert!(text(&other.command(&resume), "replace").contains("make a hold b"));
    goes_on(&other.idle("msg_1", "Not yet."));
}

#[test]
fn a_session_that_is_about_to_go_does_not_keep_a_run_from_being_woken() {
    let project = project();
    let first = turn_in_first(&project, "--context fresh");
    moved(&project, &first);
    let second = Session::new(&project, "ses_2");
    let delete = second.idle("msg_2", "Nor now.");
    is(&delete, "delete", "ses_1");
    // The user was faster than the client, and the provider has enough.
    assert_eq!(second.says("and c?"), Value::Null);
    let error = json!({ "name": "APIError", "data": { "message": "busy", "statusCode": 429 } });
    let waits = second.breaks("msg_3", &error);
    assert_eq!(waits["do"], "wake", "{waits}");
    second.is("waiting/limit", 2);
    assert_eq!(done(&project, &delete, &json!({})), Value::Null);
    second.is("waiting/limit", 2);
}
