use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::json;

use super::*;

/// What a recorded session comes to, with each event told as the plugin does.
fn recorded(name: &str) -> Vec<Happening> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/opencode/events");
    let text = fs::read_to_string(folder.join(format!("{name}.jsonl"))).unwrap();
    let mut parents: BTreeMap<String, Value> = BTreeMap::new();
    let mut happened = Vec::new();
    for line in text.lines() {
        let event: Value = serde_json::from_str(line).unwrap();
        let properties = &event["properties"];
        let session = properties["sessionID"].as_str().unwrap().to_owned();
        if event["type"] == "session.created" {
            parents.insert(session, properties["info"]["parentID"].clone());
            continue;
        }
        let payload = json!({
            "v": 1, "type": event["type"], "session": session, "directory": "/p",
            "parent": parents.get(&session), "error": properties["error"],
            "message": { "id": "msg_1", "text": "hello" },
        });
        happened.push(parsed(&payload).what);
    }
    happened
}

fn parsed(payload: &Value) -> HostEvent {
    parse(payload.to_string().as_bytes()).unwrap()
}

fn silence() -> Happening {
    Happening::TurnEnded(Silence {
        message: Some("msg_1".to_owned()),
        text: Some("hello".to_owned()),
        ..Silence::default()
    })
}

fn broken(kind: BreakageKind, text: &str) -> Happening {
    let message = Some("msg_1".to_owned());
    Happening::TurnBroken(Breakage { kind, text: text.to_owned(), message })
}

#[test]
fn recorded_sessions_are_understood() {
    let aborted = || broken(BreakageKind::Aborted, "Aborted");
    let (bad, refused) = ("bad request stub", "bad key");
    let overflow = Happening::Other { name: "session.error".to_owned() };
    let deleted = Happening::SessionEnded { reason: "deleted".to_owned() };
    let cases = [
        ("turn_with_tool", vec![silence()]),
        ("abort_mid_stream", vec![aborted(), silence(), silence()]),
        ("abort_during_tool", vec![aborted(), silence(), silence()]),
        ("provider_400", vec![broken(BreakageKind::Other, bad), silence(), silence()]),
        ("provider_401", vec![broken(BreakageKind::Refused, refused), silence(), silence()]),
        ("context_overflow_error", vec![overflow, silence()]),
        ("delete", vec![deleted.clone(), silence()]),
        ("delete_while_busy", vec![deleted]),
        ("subagent_idle", vec![Happening::ChildEnded, silence()]),
    ];
    for (name, want) in cases {
        assert_eq!(recorded(name), want, "{name}");
    }
}

#[test]
fn a_command_arrives_as_it_was_typed() {
    let event = parsed(&json!({
        "v": 1, "type": "command.execute.before", "session": "ses_1", "directory": "/p",
        "command": "ralph", "arguments": "\"fix it\" --max-iterations=3",
    }));
    let text = "/ralph \"fix it\" --max-iterations=3".to_owned();
    assert_eq!(event.what, Happening::Prompted { text, position: Position::Unknown });
    assert_eq!(event.name, "command.execute.before");
    assert_eq!(event.folder, Some(PathBuf::from("/p")));
    assert_eq!(event.session, SessionId::new("ses_1"));
}

#[test]
fn the_first_message_of_a_session_is_told_from_later_ones() {
    for (first, position) in [
        (json!(true), Position::First),
        (json!(false), Position::Later),
        (Value::Null, Position::Unknown),
    ] {
        let event = parsed(&json!({
            "v": 1, "type": "chat.message", "session": "ses_1", "text": "hi", "first": first,
        }));
        assert_eq!(event.what, Happening::Prompted { text: "hi".to_owned(), position });
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
    assert_eq!(event.actor, Actor::Child("ses_2".to_owned()));
    let Happening::ToolsUsed(uses) = event.what else { panic!("{event:?}") };
    assert_eq!(uses[0].files, [PathBuf::from("/p/a.txt")]);
    assert_eq!((uses[0].tool.as_str(), uses[0].about.as_str()), ("write", "a.txt"));
}

#[test]
fn only_tools_that_write_name_files() {
    let event = parsed(&json!({
        "v": 1, "type": "tool.execute.after", "session": "ses_1", "tool": "read",
        "args": { "filePath": "/p/a.txt" },
    }));
    let Happening::ToolsUsed(uses) = event.what else { panic!("{event:?}") };
    assert_eq!(uses[0].files, [""; 0].map(PathBuf::from));
}

#[test]
fn a_summary_is_not_the_end_of_a_turn() {
    let message = json!({ "id": "msg_2", "text": "so far", "summary": true });
    let event = parsed(&json!({
        "v": 1, "type": "session.idle", "session": "ses_1", "message": message,
    }));
    assert_eq!(event.what, Happening::Compacted { summary: "so far".to_owned() });
}

#[test]
fn a_silence_in_which_nobody_spoke_means_nothing() {
    let event = parsed(&json!({ "v": 1, "type": "session.idle", "session": "ses_1" }));
    assert_eq!(event.what, Happening::Other { name: "session.idle".to_owned() });
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
    assert_eq!(event.what, Happening::Other { name: "session.deleted".to_owned() });
    for payload in ["", "[]", "{", "{\"session\":7}"] {
        assert!(parse(payload.as_bytes()).is_err(), "{payload}");
    }
    assert!(parse(b"{}").is_ok_and(|event| event.session.is_none()));
}

#[track_caller]
fn check_report(deed: &str, facts: &Value, want: Result<Yield, &str>) {
    let mut payload = json!({
        "v": 1, "type": "done", "session": "ses_1", "did": deed, "run": "run-00000001", "attempt": 2,
    });
    for (name, value) in facts.as_object().unwrap() {
        payload[name] = value.clone();
    }
    let Happening::Done(report) = parsed(&payload).what else { panic!("{payload}") };
    assert_eq!((report.run.as_str(), report.attempts), ("run-00000001", 2));
    assert_eq!(report.result, want.map_err(str::to_owned));
}

#[test]
fn what_came_of_a_deed_is_understood() {
    let created = SessionId::new("ses_2").unwrap();
    check_report("create", &json!({ "created": "ses_2" }), Ok(Yield::Session(created)));
    let path = Err("\"../x\" cannot be the name of a session");
    check_report("create", &json!({ "created": "../x" }), path);
    check_report("summarize", &json!({ "text": "요약" }), Ok(Yield::Summary("요약".to_owned())));
    check_report("summarize", &json!({ "text": "\n" }), Err("the summary is empty"));
    let error = json!({ "error": { "name": "APIError", "data": { "message": "no" } } });
    check_report("select", &error, Err("no"));
    check_report("delete", &json!({ "error": null }), Ok(Yield::Nothing));
    let unknown = parsed(&json!({ "v": 1, "type": "done", "session": "ses_1", "did": "dance" }));
    assert_eq!(unknown.what, Happening::Other { name: "done".to_owned() });
    let started = parsed(&json!({ "v": 1, "type": "started", "directory": "/p" }));
    assert_eq!((started.what, started.session), (Happening::HostStarted, None));
}

#[test]
fn what_goes_wrong_while_a_session_is_summed_up_is_no_turn() {
    let error = parsed(&json!({
        "v": 1, "type": "session.error", "session": "ses_1",
        "message": { "id": "msg_1", "text": "", "summary": true },
        "error": { "name": "APIError", "data": { "message": "no" } },
    }));
    assert_eq!(error.what, Happening::Other { name: "session.error".to_owned() });
    let aborted = parsed(&json!({
        "v": 1, "type": "done", "session": "ses_1", "did": "summarize", "run": "run-00000001",
        "error": { "name": "MessageAbortedError", "data": { "message": "Aborted" } },
    }));
    let breakage =
        Breakage { kind: BreakageKind::Aborted, text: "Aborted".to_owned(), message: None };
    assert_eq!(aborted.what, Happening::TurnBroken(breakage));
}
