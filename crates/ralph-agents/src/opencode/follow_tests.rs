use serde_json::json;

use super::*;

const SESSION: &str = "ses_1";

fn event(kind: &str, facts: &Value) -> Value {
    let mut facts = facts.clone();
    if facts["sessionID"].is_null() {
        facts["sessionID"] = json!(SESSION);
    }
    json!({ "type": kind, "properties": facts })
}

fn status(kind: &str) -> Value {
    event("session.status", &json!({ "status": { "type": kind } }))
}

fn message(id: &str, tokens: u64) -> Value {
    let info = json!({
        "id": id, "role": "assistant", "cost": 0.5,
        "tokens": { "input": tokens, "output": 1, "reasoning": 1, "cache": { "read": 9, "write": 2 } },
    });
    event("message.updated", &json!({ "info": info }))
}

fn says(id: &str, text: &str) -> Value {
    let part = json!({
        "id": format!("prt_{id}"), "messageID": id, "sessionID": SESSION, "type": "text",
        "text": text, "time": { "start": 1, "end": 2 },
    });
    event("message.part.updated", &json!({ "part": part }))
}

fn follow(events: &[Value]) -> OpenCodeTurnState {
    let mut follow = OpenCodeTurnState::new(SESSION, ["msg_0".to_owned()]);
    for event in events {
        follow.take(event);
    }
    follow
}

#[test]
fn a_silence_from_before_the_prompt_ends_nothing() {
    let idle = event("session.idle", &json!({}));
    assert!(!follow(&[status("idle"), idle.clone()]).seems_over());
    assert!(!follow(&[status("busy")]).seems_over());
    assert!(follow(&[status("busy"), idle]).seems_over());
    assert!(!follow(&[status("busy"), status("idle"), status("busy")]).seems_over());
}

#[test]
fn a_prompt_that_cannot_even_begin_is_over() {
    let error = json!({ "error": { "name": "UnknownError", "data": { "message": "no model" } } });
    let follow = follow(&[event("session.error", &error)]);
    assert!(follow.seems_over());
    assert_eq!(follow.trouble().unwrap().message, "no model");
}

#[test]
fn what_is_told_twice_counts_once() {
    let events = [message("msg_1", 5), says("msg_1", "Hello."), message("msg_1", 10)];
    let mut follow = follow(&events);
    assert_eq!(follow.take(&says("msg_1", "Hello.")), []);
    let want = Usage { input_tokens: 12, output_tokens: 2, cost: Usd::from_micros(500_000) };
    assert_eq!((follow.usage(), follow.text().as_str()), (want, "Hello."));
}

#[test]
fn messages_of_earlier_turns_and_other_sessions_are_no_part_of_it() {
    let mut stranger = message("msg_9", 7);
    stranger["properties"]["sessionID"] = json!("ses_2");
    let follow = follow(&[message("msg_0", 7), says("msg_0", "old"), stranger]);
    assert_eq!((follow.usage(), follow.text().as_str()), (Usage::default(), ""));
    assert!(!follow.is_alive());
}

#[test]
fn words_before_a_last_message_without_any_are_not_the_last_word() {
    let follow = follow(&[message("msg_1", 5), says("msg_1", "DONE"), message("msg_2", 5)]);
    assert_eq!(follow.text(), "");
}

#[test]
fn the_last_word_is_the_newest_one_even_if_an_older_one_is_heard_of_later() {
    let at = |id: &str, created: u64, finish: &str| {
        let mut event = message(id, 5);
        let info = &mut event["properties"]["info"];
        info["time"] = json!({ "created": created, "completed": created + 1 });
        info["finish"] = json!(finish);
        event
    };
    // The stream broke while the first one was told, so it was read at the end.
    let follow = follow(&[
        at("msg_2", 20, "stop"),
        says("msg_2", "All finished. DONE"),
        at("msg_1", 10, "tool-calls"),
        says("msg_1", "I begin."),
    ]);
    assert_eq!(
        (follow.text().as_str(), follow.certainty()),
        ("All finished. DONE", TurnEndCertainty::Over)
    );
}

#[test]
fn an_error_that_only_its_message_tells_of_counts() {
    let failed = |id: &str| {
        let mut event = message(id, 5);
        let error = json!({ "name": "APIError", "data": { "message": "no", "statusCode": 400 } });
        event["properties"]["info"]["error"] = error;
        event
    };
    let error = follow(&[status("busy"), failed("msg_1"), status("idle")]).trouble().cloned();
    assert_eq!(
        error.map(|error| (error.message, error.status)),
        Some(("no".to_owned(), Some(400)))
    );
    assert_eq!(follow(&[failed("msg_1"), message("msg_2", 5)]).trouble(), None, "it went on");
}

#[test]
fn an_agent_that_another_one_began_is_paid_for_and_not_heard() {
    let info = json!({ "id": "ses_2", "parentID": SESSION, "title": "look around" });
    let begun = event("session.created", &json!({ "sessionID": "ses_2", "info": info }));
    let mut child = message("msg_2", 8);
    child["properties"]["sessionID"] = json!("ses_2");
    let mut words = says("msg_2", "DONE");
    words["properties"]["sessionID"] = json!("ses_2");
    words["properties"]["part"]["sessionID"] = json!("ses_2");
    let mut follow = follow(&[begun, child, status("busy")]);
    let pieces = follow.take(&words);
    assert_eq!(pieces, [OutputPiece::new(OutputPieceKind::Child, "look around: DONE")]);
    follow.take(&event("session.idle", &json!({ "sessionID": "ses_2" })));
    assert!(!follow.seems_over() && follow.text().is_empty());
    assert_eq!(follow.usage().input_tokens, 10);
}

#[test]
fn a_retry_is_shown_and_forgotten_once_it_works() {
    let refused = json!({ "type": "retry", "attempt": 2, "message": "slow down", "next": 5 });
    let refused = event("session.status", &json!({ "status": refused }));
    let mut follow = follow(&[status("busy")]);
    let pieces = follow.take(&refused);
    assert!(pieces[0].text.contains("slow down"), "{pieces:?}");
    assert_eq!(follow.take(&refused), [], "the same wait is told once");
    assert_eq!(follow.retry.as_ref().map(|retry| retry.attempt), Some(2));
    follow.take(&status("busy"));
    assert_eq!(follow.retry, None);
}

#[test]
fn hostile_words_stay_on_their_line() {
    let part = json!({
        "id": "prt_1", "messageID": "msg_1", "type": "tool", "tool": "bash",
        "state": { "status": "running", "input": { "command": "a\u{1b}[2J\nb" } },
    });
    let mut follow = follow(&[message("msg_1", 1)]);
    let pieces = follow.take(&event("message.part.updated", &json!({ "part": part })));
    assert_eq!(pieces, [OutputPiece::new(OutputPieceKind::Tool, "bash: a [2J b")]);
    for odd in [json!(null), json!([]), json!({ "type": 1 }), json!({ "properties": "x" })] {
        assert_eq!(follow.take(&odd), []);
    }
}

#[test]
fn an_idle_session_with_an_open_message_is_not_believed() {
    let at = |finish: Option<&str>| {
        let mut event = message("msg_1", 5);
        if let Some(finish) = finish {
            event["properties"]["info"]["finish"] = json!(finish);
            event["properties"]["info"]["time"] = json!({ "created": 1, "completed": 2 });
        }
        follow(&[status("busy"), event, status("idle")]).certainty()
    };
    assert_eq!(follow(&[status("busy"), status("idle")]).certainty(), TurnEndCertainty::Unlikely);
    assert_eq!(at(None), TurnEndCertainty::Unlikely);
    assert_eq!(at(Some("tool-calls")), TurnEndCertainty::Likely);
    assert_eq!(at(Some("stop")), TurnEndCertainty::Over);
}

#[test]
fn a_turn_that_broke_off_is_over_once_its_message_is_closed() {
    let error = json!({ "name": "APIError", "data": { "message": "no" } });
    let broken = event("session.error", &json!({ "error": error }));
    let idle = event("session.idle", &json!({}));
    let mut turn = follow(&[status("busy"), message("msg_1", 0), broken.clone(), idle]);
    // A prompt that comes now would be lost: the client tidies up.
    assert_eq!(turn.certainty(), TurnEndCertainty::Unlikely);
    let mut closed = message("msg_1", 0);
    closed["properties"]["info"]["error"] = error;
    turn.take(&closed);
    assert_eq!(turn.certainty(), TurnEndCertainty::Likely);
    assert_eq!(follow(&[broken]).certainty(), TurnEndCertainty::Likely, "nothing was begun");
}
