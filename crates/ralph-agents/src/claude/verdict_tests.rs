use std::time::Duration;

use ralph_core::evidence::TurnTimeout;
use ralph_core::time::Timestamp;
use ralph_proc::{OutputTail, ProgramOutcome};
use serde_json::{Value, json};

use super::*;
use crate::TurnClock;
use crate::claude::stream::CAP;

/// 2026-11-15 12:00:00 UTC.
const NOON: Timestamp = Timestamp::from_millis(1_794_744_000_000);

const CLOCK: TurnClock =
    TurnClock { idle: Duration::from_mins(10), wall: Duration::from_hours(1), now: NOON };

fn said(text: &str) -> Value {
    let content = [json!({ "type": "text", "text": text })];
    json!({ "type": "assistant", "message": { "id": "a", "content": content } })
}

fn retry(status: &Value, error: &str) -> Value {
    json!({ "type": "system", "subtype": "api_retry", "attempt": 4, "error_status": status, "error": error })
}

fn api_error(status: &Value, text: &str) -> Value {
    json!({ "type": "result", "subtype": "success", "is_error": true, "terminal_reason": "api_error",
            "api_error_status": status, "result": text })
}

fn done(text: &str) -> Value {
    json!({ "type": "result", "subtype": "success", "is_error": false, "terminal_reason": "completed", "result": text })
}

fn judged(
    lines: &[Value],
    ending: ExitReason,
    cut: Option<TurnCutReason>,
    stderr: &str,
) -> ClaudeTurnResult {
    let mut stream = ClaudeTurnState::default();
    for line in lines {
        stream.push(format!("{line}\n").as_bytes());
    }
    let mut tail = OutputTail::new(1000);
    tail.push(stderr.as_bytes());
    let outcome = ProgramOutcome {
        ending,
        stdout: OutputTail::new(0),
        stderr: tail,
        elapsed: Duration::ZERO,
    };
    let closing = TurnProcessEnd { outcome: &outcome, clock: &CLOCK, cut };
    judge(&stream, &closing, &LimitPatterns::known())
}

fn exited(lines: &[Value], code: i32) -> ClaudeTurnResult {
    judged(lines, ExitReason::Exited(code), None, "")
}

fn failed(what: &str) -> TurnEnd {
    TurnEnd::Failed { what: what.to_owned() }
}

#[test]
fn what_counts_is_what_the_client_says_and_not_its_exit_code() {
    let fine = [said("yes"), done("yes")];
    for code in [0, 1, 143] {
        assert_eq!(exited(&fine, code), ClaudeTurnResult::new(TurnEnd::Finished, "yes"));
    }
    let error = [said("yes"), api_error(&json!(400), "API Error: 400 bad")];
    assert_eq!(exited(&error, 0).end, failed("API Error: 400 bad"));
}

#[test]
fn of_several_results_the_last_counts() {
    assert_eq!(exited(&[said("a"), done("a"), said("b"), done("b")], 0).text, "b");
}

#[test]
fn unknown_credentials_are_a_failure_with_a_remedy() {
    for status in [401, 403] {
        let TurnEnd::Failed { what } =
            exited(&[api_error(&json!(status), "Invalid API key")], 1).end
        else {
            panic!("{status}")
        };
        assert!(what.contains("Invalid API key") && what.contains("ANTHROPIC_API_KEY"), "{what}");
    }
}

#[test]
fn a_provider_that_limits_or_fails_is_waited_for() {
    for status in [429, 500, 502, 503, 529] {
        let verdict = exited(&[api_error(&json!(status), "API Error")], 1);
        assert_eq!(verdict.end, TurnEnd::ProviderLimit { until: None }, "{status}");
        assert!(verdict.remark.unwrap().contains("API Error"));
    }
    for kind in ["rate_limit", "overloaded", "server_error"] {
        let lines = [retry(&json!(null), kind), api_error(&json!(null), "API Error")];
        assert_eq!(exited(&lines, 1).end, TurnEnd::ProviderLimit { until: None }, "{kind}");
    }
    let offline = [retry(&json!(null), "unknown"), api_error(&json!(null), "Connection error.")];
    assert_eq!(exited(&offline, 1).end, TurnEnd::ProviderLimit { until: None });
}

#[test]
fn the_provider_may_say_until_when() {
    let until = |seconds: i64| TurnEnd::ProviderLimit {
        until: Some(NOON.plus(Duration::from_secs(seconds.unsigned_abs()))),
    };
    let text = "You've hit your limit · resets 3pm (UTC)";
    assert_eq!(exited(&[api_error(&json!(429), text)], 1).end, until(3 * 3600 + 2));
    let event = json!({ "type": "rate_limit_event", "rate_limit_info": { "status": "rejected", "resetsAt": 1_794_744_060 } });
    assert_eq!(exited(&[event, api_error(&json!(429), text)], 1).end, until(60));
    let bare = [said("x"), done("Claude AI usage limit reached|1794747600")];
    assert_eq!(exited(&bare, 0).end, until(3602));
}

#[test]
fn talk_about_limits_is_not_a_limit() {
    let text = "The client now backs off when the usage limit is reached.\n<promise>DONE</promise>";
    assert_eq!(exited(&[said(text), done(text)], 0).end, TurnEnd::Finished);
}

#[test]
fn a_turn_that_was_cut_short_by_its_own_limits_claims_nothing() {
    for reason in ["max_turns", "budget_exhausted"] {
        let result = json!({ "type": "result", "is_error": true, "terminal_reason": reason, "errors": ["Reached it"] });
        let verdict = exited(&[said("<promise>DONE</promise>"), result], 1);
        assert_eq!(verdict, ClaudeTurnResult::new(TurnEnd::Finished, "Reached it"));
    }
}

#[test]
fn an_aborted_turn_is_the_users_wish() {
    for reason in ["aborted_tools", "aborted_streaming"] {
        let result = json!({ "type": "result", "is_error": true, "terminal_reason": reason });
        assert_eq!(exited(&[said("x"), result], 0).end, TurnEnd::UserAbort);
    }
    let stopped = judged(&[said("x")], ExitReason::Stopped, None, "");
    assert_eq!(stopped.end, TurnEnd::UserAbort);
    let init = json!({ "type": "system", "subtype": "init", "session_id": "s-1" });
    assert_eq!(exited(&[init, said("x")], 0).end, TurnEnd::UserAbort, "without a word");
}

#[test]
fn a_client_that_ends_without_a_result_failed() {
    let killed = judged(&[said("<promise>DONE</promise>")], ExitReason::Signaled(9), None, "");
    assert_eq!(killed.end, failed("the agent was killed by signal 9 (without a result)"));
    let refused = judged(&[], ExitReason::Exited(1), None, "Error: no such option\n");
    let what = "the agent exited with code 1: Error: no such option (without a result)";
    assert_eq!(refused.end, failed(what));
    let quiet = judged(&[], ExitReason::Exited(0), None, "");
    assert_eq!(quiet.end, failed("the agent ended without a result"));
    let limited = judged(&[], ExitReason::Exited(1), None, "usage limit reached");
    assert_eq!(limited.end, TurnEnd::ProviderLimit { until: None });
}

#[test]
fn a_session_in_which_nobody_did_anything_failed() {
    let blocked = "UserPromptSubmit operation blocked by hook: no";
    assert_eq!(exited(&[done(blocked)], 0).end, failed(blocked));
    assert_eq!(exited(&[done("")], 0).end, failed("the agent neither said nor did anything"));
}

#[test]
fn a_capped_turn_says_so_and_speaks_by_its_last_words() {
    let cap = json!({ "type": "system", "subtype": "notification", "key": CAP });
    let verdict = exited(&[said("last words"), cap, done("")], 0);
    assert_eq!((verdict.end, verdict.text.as_str()), (TurnEnd::Finished, "last words"));
    assert!(verdict.remark.unwrap().contains("capped"));
}

#[test]
fn why_we_ended_a_turn_decides_what_it_was() {
    let lines = [said("<promise>DONE</promise>")];
    let spent = judged(&lines, ExitReason::Stopped, Some(TurnCutReason::Budget), "");
    assert_eq!(
        spent,
        ClaudeTurnResult::new(TurnEnd::Finished, BUDGET_SPENT),
        "no failure and no claim"
    );
    let finished = [said("done"), done("done")];
    for cut in [TurnCutReason::Lingering, TurnCutReason::Budget] {
        let verdict = judged(&finished, ExitReason::Stopped, Some(cut), "");
        assert_eq!(verdict, ClaudeTurnResult::new(TurnEnd::Finished, "done"), "{cut:?}");
    }
    let hopeless = [retry(&json!(401), "authentication_failed")];
    let TurnEnd::Failed { what } =
        judged(&hopeless, ExitReason::Stopped, Some(TurnCutReason::Hopeless), "").end
    else {
        panic!()
    };
    assert!(what.contains("credentials"), "{what}");
}

#[test]
fn a_timeout_after_the_last_word_costs_nothing() {
    let lines = [said("done"), done("done")];
    assert_eq!(judged(&lines, ExitReason::IdleTimeout, None, "").end, TurnEnd::Finished);
    let idle = TurnEnd::TimedOut(TurnTimeout::Idle(CLOCK.idle));
    assert_eq!(judged(&lines[..1], ExitReason::IdleTimeout, None, "").end, idle);
}

#[test]
fn other_errors_are_failures_in_the_clients_words() {
    let result = json!({ "type": "result", "is_error": true, "terminal_reason": "prompt_too_long", "result": "Prompt is too long" });
    assert_eq!(exited(&[said("x"), result], 1).end, failed("Prompt is too long"));
}
