use std::path::Path;
use std::time::Duration;

use ralph_core::SessionId;
use ralph_core::evidence::TurnEnd;
use ralph_core::time::Timestamp;
use ralph_proc::{ExitReason, OutputTail, ProgramOutcome};
use serde_json::{Value, json};

use super::*;
use crate::TurnClock;

const CLOCK: TurnClock = TurnClock {
    idle: Duration::from_mins(10),
    wall: Duration::from_hours(1),
    now: Timestamp::from_millis(0),
};

fn agent(change: impl FnOnce(&mut ClientOptions)) -> ClaudeAgent {
    let mut options = ClientOptions::new(Client::ClaudeCode);
    change(&mut options);
    ClaudeAgent::new(&options, LimitPatterns::known())
}

fn turn<'a>(seat: TurnSession<'a>, env: &'a [(OsString, OsString)]) -> TurnInput<'a> {
    let file = Path::new("/run/prompt.md");
    TurnInput {
        root: Path::new("/p"),
        prompt_file: file,
        usage_file: file,
        env,
        seat,
        money_left: None,
    }
}

fn session(charged: Usage) -> AgentConversation {
    AgentConversation { charged, ..AgentConversation::new(SessionId::new("s-1").unwrap()) }
}

fn usage(input_tokens: u64, output_tokens: u64, micros: u64) -> Usage {
    Usage { input_tokens, output_tokens, cost: Usd::from_micros(micros) }
}

fn said(id: &str, text: &str) -> Value {
    let used = json!({ "input_tokens": 100, "output_tokens": 20 });
    let content = [json!({ "type": "text", "text": text })];
    json!({ "type": "assistant", "message": { "id": id, "content": content, "usage": used } })
}

/// A result with these totals of the session.
fn result(total: Usage) -> Value {
    let model = json!({
        "inputTokens": total.input_tokens,
        "outputTokens": total.output_tokens,
        "contextWindow": 1000,
    });
    json!({
        "type": "result", "is_error": false, "terminal_reason": "completed", "result": "x",
        "session_id": "s-1", "total_cost_usd": total.cost.dollars(), "modelUsage": { "m": model },
    })
}

fn hear(seat: TurnSession<'_>, lines: &[Value], stderr: &str) -> AgentTurnOutcome {
    let limits = LimitPatterns::known();
    let mut listener = ClaudeListener::new(&limits, seat);
    for line in lines {
        listener.read_output(format!("{line}\n").as_bytes());
    }
    let mut tail = OutputTail::new(1000);
    tail.push(stderr.as_bytes());
    let ending = ExitReason::Exited(i32::from(!stderr.is_empty()));
    let outcome = ProgramOutcome {
        ending,
        stdout: OutputTail::new(0),
        stderr: tail,
        elapsed: Duration::ZERO,
    };
    listener.conclude(&TurnProcessEnd { outcome: &outcome, clock: &CLOCK, cut: None })
}

fn charged(heard: &AgentTurnOutcome) -> Usage {
    match &heard.kept {
        SessionAfterTurn::Session(session) => session.charged,
        SessionAfterTurn::Nothing | SessionAfterTurn::Lost => panic!("{heard:?}"),
    }
}

#[test]
fn a_turn_is_one_call_with_the_prompt_on_stdin() {
    let id = SessionId::new("7d3c9a52-0000-4000-8000-000000000000").unwrap();
    let launch = agent(|_| {}).launch(&turn(TurnSession::New(&id), &[]));
    assert_eq!(launch.program, "claude");
    let want = "-p --output-format stream-json --verbose --permission-mode acceptEdits \
                --session-id 7d3c9a52-0000-4000-8000-000000000000";
    assert_eq!(launch.args.join(" ".as_ref()), want);
    assert_eq!(launch.stdin.as_deref(), Some(Path::new("/run/prompt.md")));
    assert_eq!(launch.dir, Path::new("/p"));
}

#[test]
fn a_session_goes_on_under_its_name_and_within_its_budget() {
    let session = session(Usage::default());
    let mut turn = turn(TurnSession::Resumed(&session), &[]);
    turn.money_left = Some(Usd::from_micros(1_250_000));
    let args = agent(|_| {}).args(&turn).join(" ");
    assert!(args.ends_with("--resume s-1 --max-budget-usd 1.250000"), "{args}");
    turn.money_left = Some(Usd::default());
    assert!(agent(|_| {}).args(&turn).join(" ").ends_with("--max-budget-usd 0.000001"));
}

#[test]
fn the_user_chooses_program_model_mode_and_more() {
    let agent = agent(|options| {
        options.program = Some("/opt/claude".to_owned());
        options.model = Some("opus".to_owned());
        options.permission_mode = Some("settings".to_owned());
        options.args = vec!["--allowedTools".to_owned(), "Bash(npm test:*)".to_owned()];
    });
    let want = "/opt/claude -p --output-format stream-json --verbose --model opus --allowedTools Bash(npm test:*)";
    assert_eq!(agent.command_line().join(" "), want);
    assert_eq!(agent.program(), Path::new("/opt/claude"));
}

#[test]
fn what_another_client_tells_its_children_is_not_passed_on() {
    let pairs = [("CLAUDECODE", "1"), ("CLAUDE_CODE_SESSION_ID", "s"), ("HOME", "/h")];
    let env = pairs.map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let names = |env: &[(OsString, OsString)]| -> Vec<String> {
        let launch = agent(|_| {}).launch(&turn(TurnSession::Nowhere, env));
        launch
            .env
            .iter()
            .map(|(name, value)| format!("{}={}", name.display(), value.display()))
            .collect()
    };
    assert_eq!(names(&env), ["HOME=/h", "CLAUDE_CODE_MAX_RETRIES=4"]);
    let own = [("CLAUDE_CODE_MAX_RETRIES".into(), "0".into())];
    assert_eq!(names(&own), ["CLAUDE_CODE_MAX_RETRIES=0"]);
}

#[test]
fn a_turn_costs_what_the_total_of_its_session_grew_by() {
    let before = usage(500, 50, 4000);
    let session = session(before);
    let after = usage(700, 60, 5500);
    let heard = hear(TurnSession::Resumed(&session), &[said("a", "x"), result(after)], "");
    assert_eq!(heard.spoken.usage, Some(usage(200, 10, 1500)));
    assert_eq!(charged(&heard), after);
}

#[test]
fn a_total_that_began_anew_is_the_turns_own() {
    let session = session(usage(500, 50, 4000));
    let anew = usage(30, 3, 100);
    let heard = hear(TurnSession::Resumed(&session), &[said("a", "x"), result(anew)], "");
    assert_eq!((heard.spoken.usage, charged(&heard)), (Some(anew), anew));
}

#[test]
fn what_a_broken_turn_used_is_not_paid_for_twice() {
    let before = usage(500, 50, 4000);
    let resumed = session(before);
    let broken = hear(TurnSession::Resumed(&resumed), &[said("a", "x")], "killed");
    assert_eq!(broken.spoken.usage, Some(usage(100, 20, 0)));
    assert_eq!(charged(&broken), usage(600, 70, 4000));
    let next = session(charged(&broken));
    let heard =
        hear(TurnSession::Resumed(&next), &[said("b", "y"), result(usage(700, 95, 6000))], "");
    assert_eq!(heard.spoken.usage, Some(usage(100, 25, 2000)));
}

#[test]
fn a_client_that_broke_before_it_counted_charges_nothing() {
    let before = usage(500, 50, 4000);
    let session = session(before);
    let heard = hear(TurnSession::Resumed(&session), &[result(Usage::default())], "x");
    assert_eq!(heard.spoken.usage, Some(Usage::default()));
    assert_eq!(charged(&heard), before);
}

#[test]
fn a_session_that_the_client_does_not_know_is_lost() {
    let session = session(Usage::default());
    let words = "No conversation found with session ID: s-1";
    let line =
        json!({ "type": "result", "is_error": true, "session_id": "s-1", "errors": [words] });
    assert_eq!(hear(TurnSession::Resumed(&session), &[line], "x").kept, SessionAfterTurn::Lost);
    assert_eq!(hear(TurnSession::Resumed(&session), &[], words).kept, SessionAfterTurn::Lost);
    let talk =
        hear(TurnSession::Resumed(&session), &[said("a", words), result(usage(1, 1, 1))], "");
    assert_ne!(talk.kept, SessionAfterTurn::Lost);
}

#[test]
fn a_session_that_never_began_cannot_go_on() {
    let id = SessionId::new("s-1").unwrap();
    assert_eq!(hear(TurnSession::New(&id), &[], "unknown option").kept, SessionAfterTurn::Nothing);
}

#[test]
fn an_overflowing_conversation_is_full() {
    let mut line = result(usage(1, 1, 1));
    line["terminal_reason"] = json!("prompt_too_long");
    line["is_error"] = json!(true);
    let session = session(Usage::default());
    let heard = hear(TurnSession::Resumed(&session), &[said("a", "x"), line], "");
    let SessionAfterTurn::Session(AgentConversation { context: Some(context), .. }) = heard.kept
    else {
        panic!("{heard:?}")
    };
    assert_eq!(context.percent(), 100);
    assert!(matches!(heard.spoken.end, TurnEnd::Failed { .. }));
}

#[test]
fn attempts_without_credentials_are_hopeless() {
    let limits = LimitPatterns::known();
    let standing = |status: u16, attempt: u64| {
        let line = json!({ "type": "system", "subtype": "api_retry", "attempt": attempt, "error_status": status });
        let mut listener = ClaudeListener::new(&limits, TurnSession::Nowhere);
        listener.read_output(format!("{line}\n").as_bytes());
        listener.standing()
    };
    assert_eq!(standing(401, 1), TurnStatus::Working);
    assert_eq!(standing(401, 2), TurnStatus::Hopeless);
    assert_eq!(standing(529, 4), TurnStatus::Working);
}
