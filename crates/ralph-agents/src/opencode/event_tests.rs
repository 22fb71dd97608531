use std::fs;

use serde_json::json;

use super::*;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/opencode/recorded");

/// Describes each event that the plugin reported in a recorded session.
fn account(told: &str) -> String {
    let event = |line: &str| format!("{:#?}\n", parse(line.as_bytes()).unwrap());
    told.lines().map(event).collect()
}

fn parsed(payload: &Value) -> HostEvent {
    parse(payload.to_string().as_bytes()).unwrap()
}

#[test]
fn every_recorded_session_is_understood_as_written_down() {
    let mut count = 0;
    for entry in fs::read_dir(FOLDER).unwrap() {
        let path = entry.unwrap().path();
        let path = path.to_str().unwrap();
        let Some(name) = path.strip_suffix(".told.jsonl") else { continue };
        let account = account(&fs::read_to_string(path).unwrap());
        let expected = format!("{name}.txt");
        // Set by hand when a meaning is meant to change; the difference is read
        // before it is committed.
        if std::env::var_os("RALPH_BLESS").is_some() {
            fs::write(&expected, &account).unwrap();
        }
        let written = fs::read_to_string(&expected).unwrap_or_default();
        assert!(account == written, "{expected} should hold:\n{account}");
        count += 1;
    }
    assert!(count >= 17, "{count}");
}

#[test]
fn a_command_arrives_as_it_was_typed() {
    let event = parsed(&json!({
        "v": 1, "type": "command.execute.before", "session": "ses_1", "directory": "/p",
        "command": "ralph", "arguments": "\"fix it\" --max-iterations=3",
    }));
    let text = "/ralph \"fix it\" --max-iterations=3".to_owned();
    assert_eq!(
        event.what,
        HostEventKind::Prompt(PromptEvent::Sent { text, position: PromptPosition::Unknown })
    );
    assert_eq!(event.name, "command.execute.before");
    assert_eq!(event.folder, Some(PathBuf::from("/p")));
    assert_eq!(event.session, SessionId::new("ses_1"));
}

#[test]
fn the_first_message_of_a_session_is_told_from_later_ones() {
    for (first, position) in [
        (json!(true), PromptPosition::First),
        (json!(false), PromptPosition::Later),
        (Value::Null, PromptPosition::Unknown),
    ] {
        let event = parsed(&json!({
            "v": 1, "type": "chat.message", "session": "ses_1", "text": "hi", "first": first,
        }));
        assert_eq!(
            event.what,
            HostEventKind::Prompt(PromptEvent::Sent { text: "hi".to_owned(), position })
        );
    }
}

#[test]
fn what_a_child_does_belongs_to_the_session_that_started_it() {
    let event = parsed(&json!({
        "v": 1, "type": "tool.execute.after", "session": "ses_2", "parent": "ses_1",
        "tool": "write", "call": "call_1", "title": "a.txt",
        "args": { "filePath": "/p/a.txt", "content": "x" },
    }));
    assert_eq!(event.session, SessionId::new("ses_1"));
    assert_eq!(event.actor, EventAgent::Child("ses_2".to_owned()));
    let HostEventKind::Tools(ToolEvent::Used(uses)) = event.what else { panic!("{event:?}") };
    assert_eq!(uses[0].files, [PathBuf::from("/p/a.txt")]);
    assert_eq!((uses[0].tool.as_str(), uses[0].about.as_str()), ("write", "a.txt"));
}

#[test]
fn only_tools_that_write_name_files() {
    let event = parsed(&json!({
        "v": 1, "type": "tool.execute.after", "session": "ses_1", "tool": "read",
        "args": { "filePath": "/p/a.txt" },
    }));
    let HostEventKind::Tools(ToolEvent::Used(uses)) = event.what else { panic!("{event:?}") };
    assert_eq!(uses[0].files, [""; 0].map(PathBuf::from));
}

#[test]
fn a_summary_is_not_the_end_of_a_turn() {
    let message = json!({ "id": "msg_2", "text": "so far", "summary": true });
    let event = parsed(&json!({
        "v": 1, "type": "session.idle", "session": "ses_1", "message": message,
    }));
    let (summary, message) = ("so far".to_owned(), Some("msg_2".to_owned()));
    assert_eq!(event.what, HostEventKind::Session(SessionEvent::Compacted { summary, message }));
}

#[test]
fn a_silence_in_which_nobody_spoke_means_nothing() {
    let event = parsed(&json!({ "v": 1, "type": "session.idle", "session": "ses_1" }));
    assert_eq!(event.what, HostEventKind::Other { name: "session.idle".to_owned() });
}

#[test]
fn a_session_that_could_leave_its_folder_is_none() {
    for id in ["../ses_1", "ses/1", "", "."] {
        let event = parsed(&json!({ "v": 1, "type": "session.deleted", "session": id }));
        assert_eq!(event.session, None, "{id}");
    }
}

#[test]
fn other_versions_and_other_payloads_are_not_understood() {
    let event = parsed(&json!({ "v": 2, "type": "session.deleted", "session": "ses_1" }));
    assert_eq!(event.what, HostEventKind::Other { name: "session.deleted".to_owned() });
    for payload in ["", "[]", "{", "{\"session\":7}"] {
        assert!(parse(payload.as_bytes()).is_err(), "{payload}");
    }
    assert!(parse(b"{}").is_ok_and(|event| event.session.is_none()));
}

#[track_caller]
fn check_report(deed: &str, facts: &Value, want: Result<ActionOutput, &str>) {
    let mut payload = json!({
        "v": 1, "type": "done", "session": "ses_1", "did": deed, "run": "run-00000001", "attempt": 2,
    });
    for (name, value) in facts.as_object().unwrap() {
        payload[name] = value.clone();
    }
    let HostEventKind::Action(report) = parsed(&payload).what else { panic!("{payload}") };
    assert_eq!((report.run.as_str(), report.attempts), ("run-00000001", 2));
    assert_eq!(report.result, want.map_err(str::to_owned));
}

#[test]
fn what_came_of_a_deed_is_understood() {
    let created = SessionId::new("ses_2").unwrap();
    check_report("create", &json!({ "created": "ses_2" }), Ok(ActionOutput::Session(created)));
    let path = Err("\"../x\" cannot be the name of a session");
    check_report("create", &json!({ "created": "../x" }), path);
    check_report(
        "summarize",
        &json!({ "text": "요약" }),
        Ok(ActionOutput::Summary("요약".to_owned())),
    );
    check_report("summarize", &json!({ "text": "\n" }), Err("the summary is empty"));
    let error = json!({ "error": { "name": "APIError", "data": { "message": "no" } } });
    check_report("select", &error, Err("no"));
    check_report("delete", &json!({ "error": null }), Ok(ActionOutput::Nothing));
    let unknown = parsed(&json!({ "v": 1, "type": "done", "session": "ses_1", "did": "dance" }));
    assert_eq!(unknown.what, HostEventKind::Other { name: "done".to_owned() });
    let started = parsed(&json!({ "v": 1, "type": "started", "directory": "/p" }));
    assert_eq!((started.what, started.session), (HostEventKind::HostStarted, None));
}

#[test]
fn what_goes_wrong_while_a_session_is_summed_up_is_no_turn() {
    let error = parsed(&json!({
        "v": 1, "type": "session.error", "session": "ses_1",
        "message": { "id": "msg_1", "text": "", "summary": true },
        "error": { "name": "APIError", "data": { "message": "no" } },
    }));
    assert_eq!(error.what, HostEventKind::Other { name: "session.error".to_owned() });
    let aborted = parsed(&json!({
        "v": 1, "type": "done", "session": "ses_1", "did": "summarize", "run": "run-00000001",
        "error": { "name": "MessageAbortedError", "data": { "message": "Aborted" } },
    }));
    let breakage =
        HostTurnError { kind: TurnErrorKind::Aborted, text: "Aborted".to_owned(), message: None };
    assert_eq!(aborted.what, HostEventKind::Turn(TurnEvent::Broken(breakage)));
}

#[test]
fn a_session_that_was_shortened_begins_anew() {
    let event = parsed(&json!({ "v": 1, "type": "session.compacted", "session": "ses_1" }));
    assert_eq!(event.what, HostEventKind::Session(SessionEvent::Started(SessionStart::Compacted)));
}
