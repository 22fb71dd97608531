//! Tests that recorded payloads parse as expected, and that any payload is safe.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use proptest::prelude::*;
use ralph_core::host::{HostReply, PromptEvent, ReplyEffect, ToolEvent, TurnEvent};

use super::*;
use crate::hooks::rows::{ALL, CLAUDE};

/// The recorded payloads, in a folder for each host.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/hooks");

fn parse(payload: &[u8]) -> Result<HostEvent, BadPayload> {
    super::parse(&CLAUDE, payload)
}

fn render(event: &HostEvent, reply: &HostReply) -> String {
    crate::hooks::render(&CLAUDE, event, reply)
}

/// A reply of each kind, for every event.
fn replies() -> [(&'static str, HostReply); 5] {
    let go_on = ReplyEffect::GoOn { reason: "2 tests fail".to_owned() };
    let tell = ReplyEffect::Tell { context: "a.rs: 1 new error".to_owned() };
    let answer = ReplyEffect::Answer { text: "no loop".to_owned() };
    [
        ("nothing", HostReply::silent()),
        ("go on", HostReply::of(go_on)),
        ("tell", HostReply::of(tell)),
        ("answer", HostReply::of(answer)),
        ("note", HostReply::silent().with_note("armed")),
    ]
}

fn account(dialect: &HookDialect, payload: &[u8]) -> String {
    let event = super::parse(dialect, payload).unwrap();
    let mut text = format!("{event:#?}\n\n");
    for (name, reply) in replies() {
        writeln!(text, "{name}: {}", crate::hooks::render(dialect, &event, &reply)).unwrap();
    }
    text.replace(": \n", ":\n")
}

/// Every file of a host's folder, without those of hosts that were never recorded.
fn files() -> Vec<(&'static HookDialect, PathBuf)> {
    let folders = ALL.iter().map(|dialect| (*dialect, Path::new(FOLDER).join(dialect.name)));
    let listed =
        folders.filter_map(|(dialect, folder)| Some((dialect, fs::read_dir(folder).ok()?)));
    let of = |(dialect, entries): (_, fs::ReadDir)| {
        entries.map(move |entry| (dialect, entry.unwrap().path()))
    };
    listed.flat_map(of).collect()
}

#[test]
fn every_recorded_payload_is_understood_and_answered_as_written_down() {
    let is_payload = |path: &Path| path.extension().is_some_and(|extension| extension == "json");
    let mut count = 0;
    for (dialect, path) in files().into_iter().filter(|(_, path)| is_payload(path)) {
        let account = account(dialect, &fs::read(&path).unwrap());
        let expected = path.with_extension("txt");
        // Set by hand when an answer is meant to change; the difference is read
        // before it is committed.
        if std::env::var_os("RALPH_BLESS").is_some() {
            fs::write(&expected, &account).unwrap();
        }
        let written = fs::read_to_string(&expected).unwrap_or_default();
        assert!(account == written, "{} should hold:\n{account}", expected.display());
        count += 1;
    }
    assert!(count >= 90, "{count}");
}

#[test]
fn nothing_is_written_down_about_a_payload_that_is_gone() {
    for (_, path) in files() {
        assert!(path.with_extension("json").exists(), "{}", path.display());
    }
}

#[track_caller]
fn event_of(payload: &str) -> HostEvent {
    parse(payload.as_bytes()).unwrap()
}

#[track_caller]
fn uses(payload: &str) -> Vec<ToolUse> {
    let event = event_of(payload);
    let HostEventKind::Tools(ToolEvent::Used(uses)) = event.what else { panic!("{event:?}") };
    uses
}

#[test]
fn a_prompt_is_what_was_typed_in_whatever_form_it_comes() {
    let command = "<system-notification>\\n/ralph help\\n\\n</system-notification>";
    for (prompt, typed) in [
        ("\"fix it\\n\"".to_owned(), "fix it\n"),
        (format!("\"{command}\""), "/ralph help"),
        (r#"[{"type":"text","text":"a"},{"type":"image"},{"text":"b"}]"#.to_owned(), "a\nb"),
        ("7".to_owned(), ""),
    ] {
        let payload = format!(r#"{{"hook_event_name":"UserPromptSubmit","prompt":{prompt}}}"#);
        let what = event_of(&payload).what;
        let HostEventKind::Prompt(PromptEvent::Sent { text, .. }) = what else {
            panic!("{what:?}")
        };
        assert_eq!(text, typed);
    }
}

#[test]
fn what_cursor_and_goose_document_is_understood() {
    use crate::hooks::rows::{CURSOR, GOOSE};
    let stop = br#"{"hook_event_name":"stop","conversation_id":"c-1","status":"completed",
        "loop_count":0,"workspace_roots":["/p"]}"#;
    let event = super::parse(&CURSOR, stop).unwrap();
    assert_eq!((event.session.unwrap().as_str(), event.folder), ("c-1", Some("/p".into())));
    let aborted = br#"{"hook_event_name":"stop","status":"aborted"}"#.as_slice();
    let aborted = [BYTE_ORDER_MARK, aborted].concat();
    let HostEventKind::Turn(TurnEvent::Broken(broken)) =
        super::parse(&CURSOR, &aborted).unwrap().what
    else {
        panic!("a turn that the user ended")
    };
    assert_eq!(broken.kind, TurnErrorKind::Aborted);
    let edit = br#"{"hook_event_name":"afterFileEdit","file_path":"/p/a"}"#;
    let HostEventKind::Tools(ToolEvent::Used(uses)) = super::parse(&CURSOR, edit).unwrap().what
    else {
        panic!("an edit")
    };
    assert_eq!(uses[0].files, [PathBuf::from("/p/a")]);
    let stop = br#"{"event":"Stop","session_id":"g","working_dir":"/p",
        "last_assistant_message":"done"}"#;
    let event = super::parse(&GOOSE, stop).unwrap();
    let HostEventKind::Turn(TurnEvent::Ended(end)) = event.what else { panic!("{event:?}") };
    assert_eq!((event.folder, end.text.as_deref()), (Some("/p".into()), Some("done")));
}

#[test]
fn a_hook_fed_by_hand_is_an_event_of_no_session() {
    let event = event_of(r#"{"messages":[]}"#);
    assert_eq!(event.session, None);
    assert_eq!(event.what, HostEventKind::Other { name: String::new() });
    for (name, reply) in replies() {
        let said = render(&event, &reply);
        assert!(said.is_empty() || said.starts_with(r#"{"systemMessage":"#), "{name}: {said}");
    }
}

#[test]
fn what_is_no_event_is_an_error() {
    assert!(matches!(parse(b""), Err(BadPayload::Empty)));
    assert!(matches!(parse(b" \n"), Err(BadPayload::Empty)));
    for payload in ["[]", "null", "7", "\"Stop\"", "Stop"] {
        assert!(matches!(parse(payload.as_bytes()), Err(BadPayload::NotAnObject)), "{payload}");
    }
    assert!(matches!(parse(b"{\"a\":1} x"), Err(BadPayload::Json(_))));
}

#[test]
fn fields_of_another_type_count_as_not_said() {
    let event = event_of(
        r#"{"hook_event_name":"Stop","session_id":7,"cwd":[],"transcript_path":{},"agent_id":null,
            "last_assistant_message":3.5,"stop_hook_active":"true","background_tasks":"none",
            "session_crons":{"a":1}}"#,
    );
    assert_eq!((event.session, event.folder, event.actor), (None, None, EventAgent::Main));
    assert_eq!(event.what, HostEventKind::Turn(TurnEvent::Ended(HostTurnEnd::default())));
}

#[test]
fn a_session_that_is_a_path_is_no_session() {
    for id in ["", "../../etc", "a/b", "..", "null", "a\\\\b", "a b", "\\u0000"] {
        let event = event_of(&format!(r#"{{"hook_event_name":"Stop","session_id":"{id}"}}"#));
        assert_eq!(event.session, None, "{id}");
    }
}

#[test]
fn whoever_has_an_agent_id_is_a_child_and_its_silence_ends_nothing() {
    for (name, id) in [
        ("Stop", r#","agent_id":"a1""#),
        ("Stop", r#","agent_id":7"#),
        ("SubagentStop", r#","agent_id":"a1""#),
        ("SubagentStop", ""),
    ] {
        let event = event_of(&format!(r#"{{"hook_event_name":"{name}"{id}}}"#));
        assert!(matches!(event.actor, EventAgent::Child(_)), "{name}{id}");
        assert_eq!(event.what, HostEventKind::Turn(TurnEvent::ChildEnded));
        for (kind, reply) in replies() {
            assert_eq!(render(&event, &reply.with_note("seen")), "", "{kind}");
        }
    }
}

#[test]
fn only_work_that_goes_on_holds_up_the_end_of_a_turn() {
    let event = event_of(
        r#"{"hook_event_name":"Stop","background_tasks":[
            {"type":"shell","status":"running","description":"","command":"sleep 9"},
            {"type":"shell","status":"completed","description":"over"},
            {"type":"monitor","status":"of a new kind","description":"watch"}, 5],
            "session_crons":[{"id":"c1","schedule":"0 9 * * *","prompt":"look again"}]}"#,
    );
    let HostEventKind::Turn(TurnEvent::Ended(silence)) = event.what else { panic!("{event:?}") };
    assert_eq!(
        silence.background,
        ["shell: sleep 9", "monitor: watch", "task", "schedule: look again"]
    );
}

#[test]
fn an_edit_that_found_nothing_is_known_from_its_batch() {
    let uses = uses(
        r#"{"hook_event_name":"PostToolBatch","tool_calls":[
            {"tool_name":"Edit","tool_input":{"file_path":"a.rs"},"tool_use_id":"t1",
             "tool_response":"<tool_use_error>String to replace not found in file.\nString: zzz</tool_use_error>"},
            {"tool_name":"Bash","tool_input":{"command":"make"},"tool_response":"Exit code 2\nno rule"},
            {"tool_name":"Bash","tool_input":{"command":"cat log"},"tool_response":"Exit code was fine"},
            {"tool_name":"Read","tool_input":{"file_path":"log"},"tool_response":"Exit code 1"},
            {"tool_name":"mcp__x__y","tool_response":[{"type":"text","text":"fine"}]}, null]}"#,
    );
    let errors: Vec<Option<&str>> = uses.iter().map(|used| used.error.as_deref()).collect();
    let not_found = "String to replace not found in file.\nString: zzz";
    // A command that fails has an event of its own.
    let want = [Some(not_found), None, None, None, None];
    assert_eq!(errors, want);
    assert!(uses.iter().all(|used| used.files.is_empty()));
    assert_eq!((uses[0].about.as_str(), uses[0].id.as_deref()), ("a.rs", Some("t1")));
}

#[test]
fn a_batch_repeats_nothing() {
    let batch = r#"{"hook_event_name":"PostToolBatch","tool_calls":[
        {"tool_name":"Write","tool_input":{"file_path":"a.rs"},"tool_response":"File created"},
        {"tool_name":"Read","tool_input":{"file_path":"a.rs"},"tool_response":"1 fn"}]}"#;
    let tools: Vec<String> = uses(batch).into_iter().map(|used| used.tool).collect();
    assert_eq!(tools, ["Read"]);
}

#[test]
fn the_client_may_speak_in_the_users_place() {
    let said = |prompt: &str| {
        event_of(&format!(r#"{{"hook_event_name":"UserPromptSubmit","prompt":"{prompt}"}}"#)).what
    };
    assert_eq!(
        said("<task-notification>\\n<task-id>b1</task-id>"),
        HostEventKind::Prompt(PromptEvent::Woken)
    );
    let typed = HostEventKind::Prompt(PromptEvent::Sent {
        text: "go on".to_owned(),
        position: PromptPosition::Unknown,
    });
    assert_eq!(said("go on"), typed);
}

#[test]
fn only_tools_that_write_have_written_files() {
    for (tool, field, files) in [
        ("Write", "file_path", 1),
        ("MultiEdit", "file_path", 1),
        ("NotebookEdit", "notebook_path", 1),
        ("Read", "file_path", 0),
        ("Bash", "file_path", 0),
    ] {
        let payload = format!(
            r#"{{"hook_event_name":"PostToolUse","tool_name":"{tool}","tool_input":{{"{field}":"x/한글.rs"}}}}"#
        );
        assert_eq!(uses(&payload)[0].files, vec![PathBuf::from("x/한글.rs"); files], "{tool}");
    }
}

#[test]
fn what_a_tool_was_about_is_short() {
    let command = "가".repeat(5000);
    let payload = format!(
        r#"{{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{{"command":"{command}"}}}}"#
    );
    let about = uses(&payload).remove(0).about;
    assert_eq!((about.chars().count(), about.ends_with('…')), (ABOUT_CHARS, true));
}

#[test]
fn a_broken_turn_says_what_kind_of_break_it_was() {
    for (error, shown, kind) in [
        ("rate_limit", "You've hit your limit", TurnErrorKind::Limit),
        ("overloaded", "API Error: 529", TurnErrorKind::Overloaded),
        ("server_error", "API Error: 500", TurnErrorKind::Overloaded),
        ("authentication_failed", "Please log in", TurnErrorKind::Refused),
        ("billing_error", "Credit balance is too low", TurnErrorKind::Refused),
        ("unknown", "API Error: 429 slow down", TurnErrorKind::Limit),
        ("unknown", "API Error: 400 bad", TurnErrorKind::Other),
        ("of a new kind", "", TurnErrorKind::Other),
    ] {
        let event = event_of(&format!(
            r#"{{"hook_event_name":"StopFailure","error":"{error}","last_assistant_message":"{shown}"}}"#
        ));
        let text = shown.to_owned();
        assert_eq!(
            event.what,
            HostEventKind::Turn(TurnEvent::Broken(HostTurnError { kind, text, message: None })),
            "{error}"
        );
    }
}

#[test]
fn a_command_is_known_without_its_plugin() {
    for name in ["ralph", "ralph:ralph"] {
        let event = event_of(&format!(
            r#"{{"hook_event_name":"UserPromptExpansion","command_name":"{name}","command_args":"fix"}}"#
        ));
        let want = HostEventKind::Prompt(PromptEvent::Command {
            name: "ralph".to_owned(),
            args: "fix".to_owned(),
        });
        assert_eq!(event.what, want);
    }
}

#[test]
fn halves_of_surrogate_pairs_and_bytes_that_are_no_text_are_replaced() {
    let event =
        event_of(r#"{"hook_event_name":"UserPromptSubmit","prompt":"a\ud83db \ud83e\udd16"}"#);
    let HostEventKind::Prompt(PromptEvent::Sent { text, .. }) = event.what else {
        panic!("{event:?}")
    };
    assert!(text.starts_with("a\u{fffd}") && text.ends_with("b 🤖"), "{text}");

    let payload =
        b"{\"hook_event_name\":\"UserPromptSubmit\",\"prompt\":\"a\xff\xfeb\",\"x\":\"\xc3\"}";
    let event = parse(payload).unwrap();
    let HostEventKind::Prompt(PromptEvent::Sent { text, .. }) = event.what else {
        panic!("{event:?}")
    };
    assert_eq!(text, "a\u{fffd}\u{fffd}b");
}

#[test]
fn what_nobody_reads_may_be_large_and_deep() {
    let large = "0123456789abcde\\n".repeat(300_000);
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let payload = format!(
        r#"{{"tool_response":{{"content":"{large}","deep":{deep}}},"deep":{deep},
            "tool_input":{{"content":"{large}","file_path":"a.rs","more":{deep}}},
            "hook_event_name":"PostToolUse","tool_name":"Write","session_id":"s1"}}"#
    );
    assert_eq!(uses(&payload)[0].files, [PathBuf::from("a.rs")]);
}

#[test]
fn a_payload_that_was_cut_off_anywhere_is_an_error() {
    for name in ["Stop.background.json", "PostToolBatch.json", "PostToolUse.Edit.json"] {
        let payload = fs::read(Path::new(FOLDER).join("claude-code").join(name)).unwrap();
        let end = payload.trim_ascii_end().len();
        for length in 0..end {
            assert!(parse(&payload[..length]).is_err(), "{name} {length}");
        }
    }
}

fn names() -> impl Strategy<Value = String> {
    let known = ["Stop", "PostToolBatch", "PostToolUse", "StopFailure", "UserPromptSubmit", "Odd"];
    prop::sample::select(known.to_vec()).prop_map(str::to_owned)
}

/// Values of every type, nested a little.
fn values() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(serde_json::Value::from),
        any::<i64>().prop_map(serde_json::Value::from),
        "\\PC{0,12}".prop_map(serde_json::Value::from),
        Just(serde_json::Value::from("<tool_use_error>no")),
    ];
    let key = prop::sample::select(vec!["tool_name", "tool_input", "file_path", "status", "type"]);
    leaf.prop_recursive(3, 16, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
            prop::collection::hash_map(key.clone().prop_map(str::to_owned), inner, 0..4)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_bytes_at_all_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse(&bytes);
        let mut payload = b"{\"hook_event_name\":\"Stop\",\"last_assistant_message\":\"".to_vec();
        payload.extend(&bytes);
        payload.extend(b"\"}");
        let _ = parse(&payload);
    }

    #[test]
    fn fields_of_any_type_give_an_event_and_a_sound_answer(
        name in names(),
        fields in prop::collection::vec(values(), 6),
    ) {
        let keys = ["session_id", "agent_id", "tool_calls", "tool_input", "background_tasks", "prompt"];
        let mut payload = serde_json::json!({ "hook_event_name": name });
        for (key, value) in keys.into_iter().zip(fields) {
            payload[key] = value;
        }
        let event = parse(payload.to_string().as_bytes()).unwrap();
        for (_, reply) in replies() {
            let said = render(&event, &reply);
            let is_sound = said.is_empty() || serde_json::from_str::<serde_json::Value>(&said).is_ok();
            prop_assert!(is_sound, "{}", said);
        }
    }
}
