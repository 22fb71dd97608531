use std::path::Path;
use std::time::Duration;

use ralph_core::evidence::TurnTimeout;
use ralph_proc::{OutputTail, ProgramOutcome};
use serde_json::json;

use super::super::consent::EDITS;
use super::*;
use crate::TurnClock;

const CLOCK: TurnClock = TurnClock {
    idle: Duration::from_mins(10),
    wall: Duration::from_hours(1),
    now: Timestamp::from_millis(1_794_724_900_000),
};

/// Reads the recorded events of a real client.
fn recorded(name: &str) -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/opencode/turns");
    let text = std::fs::read_to_string(folder.join(format!("{name}.jsonl"))).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The session of the first turn that was recorded.
fn session_of(events: &[Value]) -> String {
    let begun = events.iter().find(|event| event["type"] == "session.created");
    let begun = begun.unwrap_or(&events[0]);
    begun["properties"]["sessionID"].as_str().unwrap().to_owned()
}

/// Follows the recording as far as the turn seems to be over.
fn hear(events: &[Value], session: &str) -> (AgentTurnOutcome, usize) {
    let limits = LimitPatterns::known();
    let mut listener = OpenCodeListener::new(&limits, EDITS, TurnSession::Nowhere);
    listener.take(&json!({ "type": "ralph.session", "id": session, "before": [] }));
    let mut pieces = 0;
    for event in events {
        match listener.read_output(format!("{event}\n").as_bytes()) {
            ShownOutput::Pieces(some) => pieces += some.len(),
            ShownOutput::AsIs => unreachable!("it tells what is worth showing"),
        }
        if listener.follow.seems_over() {
            return (conclude(&mut listener, ExitReason::Exited(0), None), pieces);
        }
    }
    panic!("the turn never ended");
}

fn conclude(
    listener: &mut OpenCodeListener<'_>,
    ending: ExitReason,
    cut: Option<TurnCutReason>,
) -> AgentTurnOutcome {
    let tail = || OutputTail::new(0);
    let outcome =
        ProgramOutcome { ending, stdout: tail(), stderr: tail(), elapsed: Duration::ZERO };
    listener.conclude(&TurnProcessEnd { outcome: &outcome, clock: &CLOCK, cut })
}

#[track_caller]
fn check(name: &str, end: &TurnEnd, text: &str, tokens: u64) {
    let events = recorded(name);
    let (heard, _) = hear(&events, &session_of(&events));
    let used = heard.spoken.usage.unwrap_or_default().tokens();
    assert_eq!(
        (&heard.spoken.end, heard.spoken.text.as_str(), used),
        (end, text, tokens),
        "{name}"
    );
}

#[test]
fn every_recorded_turn_comes_to_its_end() {
    let done = TurnEnd::Finished;
    check("turn_with_tool", &done, "All finished. DONE", 220);
    check("todo_and_edit", &done, "ok", 330);
    check("prompt_while_busy", &done, "second answer", 220);
    check("context_overflow_error", &done, "after compaction DONE", 220);
    check("provider_429_then_503_then_ok", &done, "recovered", 110);
    check("subagent_idle", &done, "parent finished", 330);
}

#[test]
fn an_abort_and_a_refusal_are_told_apart() {
    check("abort_mid_stream", &TurnEnd::UserAbort, "", 0);
    check("abort_during_tool", &TurnEnd::UserAbort, "run tool", 0);
    let events = recorded("provider_401");
    let (heard, _) = hear(&events, &session_of(&events));
    let TurnEnd::Failed { what } = heard.spoken.end else { panic!("{:?}", heard.spoken.end) };
    assert!(what.contains("credentials (bad key)"), "{what}");
    let events = recorded("provider_400");
    let (heard, _) = hear(&events, &session_of(&events));
    assert!(matches!(heard.spoken.end, TurnEnd::Failed { .. }), "{:?}", heard.spoken.end);
}

#[test]
fn a_session_that_is_deleted_cannot_go_on() {
    let events = recorded("delete_while_busy");
    let (heard, _) = hear(&events, &session_of(&events));
    let end = &heard.spoken.end;
    assert!(matches!(end, TurnEnd::Failed { what } if what.contains("deleted")), "{end:?}");
    assert_eq!(heard.kept, SessionAfterTurn::Nothing);
}

#[test]
fn each_of_three_sessions_has_its_own_turn() {
    let events = recorded("restarts");
    let mut sessions: Vec<String> = Vec::new();
    for event in &events {
        let session = event["properties"]["sessionID"].as_str().unwrap_or_default().to_owned();
        if event["type"] == "session.status" && !sessions.contains(&session) {
            sessions.push(session);
        }
    }
    let texts: Vec<String> =
        sessions.iter().map(|session| hear(&events, session).0.spoken.text).collect();
    let want = ["stopped early, not finished", "still going nowhere", "분석을 마쳤습니다. DONE"];
    assert_eq!(texts, want);
}

#[test]
fn a_turn_shows_its_words_and_tools_once() {
    let events = recorded("turn_with_tool");
    let (heard, pieces) = hear(&events, &session_of(&events));
    assert_eq!(pieces, 3, "two texts and a tool");
    let SessionAfterTurn::Session(session) = heard.kept else { panic!("{:?}", heard.kept) };
    assert_eq!(session.id.as_str(), session_of(&events));
    assert_eq!(session.charged.tokens(), 220);
}

/// A turn that began and then was told these lines.
fn told(lines: &[Value], ending: ExitReason, cut: Option<TurnCutReason>) -> AgentTurnOutcome {
    let limits = LimitPatterns::known();
    let known = AgentConversation::new(SessionId::new("ses_1").unwrap());
    let mut listener = OpenCodeListener::new(&limits, EDITS, TurnSession::Resumed(&known));
    for line in lines {
        listener.read_output(line.to_string().as_bytes());
    }
    conclude(&mut listener, ending, cut)
}

fn begun() -> Value {
    json!({ "type": "ralph.session", "id": "ses_1", "before": ["msg_0"] })
}

fn retry(attempt: u64, next: i64) -> Value {
    let status =
        json!({ "type": "retry", "attempt": attempt, "message": "slow down", "next": next });
    json!({ "type": "session.status", "properties": { "sessionID": "ses_1", "status": status } })
}

#[test]
fn a_provider_that_refuses_for_long_is_waited_for_until_then() {
    let next = CLOCK.now.as_millis() + 3_600_000;
    let far = told(&[begun(), retry(1, next)], ExitReason::Exited(1), None);
    let until = Some(Timestamp::from_millis(next));
    assert_eq!(far.spoken.end, TurnEnd::ProviderLimit { until });
    assert!(far.remarks[0].contains("slow down"), "{:?}", far.remarks);
    let near = told(&[begun(), retry(5, CLOCK.now.as_millis() + 900)], ExitReason::Exited(1), None);
    assert_eq!(near.spoken.end, TurnEnd::ProviderLimit { until: None });
}

#[test]
fn a_user_who_aborts_while_the_provider_refuses_wants_an_end_and_no_wait() {
    let aborted = json!({ "type": "session.error", "properties": {
        "sessionID": "ses_1", "error": { "name": "MessageAbortedError" },
    } });
    let next = CLOCK.now.as_millis() + 3_600_000;
    let heard = told(&[begun(), retry(1, next), aborted], ExitReason::Exited(0), None);
    assert_eq!(heard.spoken.end, TurnEnd::UserAbort);
}

#[test]
fn what_we_end_ourselves_is_not_the_agents_doing() {
    let end = |ending, cut| told(&[begun()], ending, cut).spoken.end;
    assert_eq!(end(ExitReason::Stopped, None), TurnEnd::UserAbort);
    assert_eq!(end(ExitReason::Stopped, Some(TurnCutReason::Budget)), TurnEnd::Finished);
    let idle = TurnEnd::TimedOut(TurnTimeout::Idle(CLOCK.idle));
    assert_eq!(end(ExitReason::IdleTimeout, None), idle);
    assert!(matches!(end(ExitReason::Exited(0), None), TurnEnd::Failed { .. }), "nobody spoke");
}

#[test]
fn a_server_that_ended_takes_no_session_with_it() {
    let failed = json!({ "type": "ralph.failed", "what": "the server ended" });
    for lines in [vec![begun(), failed.clone()], vec![failed.clone()]] {
        let heard = told(&lines, ExitReason::Exited(1), None);
        assert_eq!(heard.spoken.end, TurnEnd::Failed { what: "the server ended".to_owned() });
        assert!(matches!(heard.kept, SessionAfterTurn::Session(_)), "{:?}", heard.kept);
    }
    let lost = told(&[json!({ "type": "ralph.lost" }), failed], ExitReason::Exited(1), None);
    assert_eq!(lost.kept, SessionAfterTurn::Lost);
}

#[test]
fn what_was_refused_is_told_once_and_a_summary_is_paid_for() {
    let asked = json!({ "type": "permission.asked", "properties": {
        "id": "per_1", "sessionID": "ses_1", "permission": "bash", "patterns": ["rm x"],
    } });
    let paid = json!({ "type": "ralph.paid", "info": { "tokens": { "input": 7 } } });
    let question = json!({ "type": "question.asked", "properties": {
        "id": "que_1", "sessionID": "ses_1", "questions": [{ "question": "Tea?" }],
    } });
    let lines = [paid, begun(), asked.clone(), asked, question];
    let heard = told(&lines, ExitReason::Exited(0), None);
    assert_eq!(heard.refusals.len(), 1);
    assert_eq!(heard.spoken.usage.unwrap().tokens(), 7);
    assert!(heard.remarks.iter().any(|remark| remark.contains("Tea?")), "{:?}", heard.remarks);
}
