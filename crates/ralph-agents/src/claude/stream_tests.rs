use serde_json::json;

use super::*;

fn stream(lines: &[Value]) -> ClaudeTurnState {
    let mut stream = ClaudeTurnState::default();
    for line in lines {
        stream.push(format!("{line}\n").as_bytes());
    }
    stream
}

/// A part of the message `id`, said by the main agent.
fn part(id: &str, text: &str, output: u64) -> Value {
    let usage =
        json!({ "input_tokens": 100, "output_tokens": output, "cache_read_input_tokens": 900 });
    let content = [json!({ "type": "text", "text": text })];
    json!({
        "type": "assistant",
        "message": { "id": id, "model": "m", "content": content, "usage": usage },
        "parent_tool_use_id": null,
    })
}

fn of_child(mut line: Value) -> Value {
    line["parent_tool_use_id"] = json!("toolu_1");
    line
}

fn result(input: u64, cost: f64) -> Value {
    let usage = json!({ "inputTokens": input, "outputTokens": 10, "contextWindow": 2000 });
    json!({ "type": "result", "result": "x", "total_cost_usd": cost, "modelUsage": { "m": usage } })
}

fn tokens(usage: Usage) -> (u64, u64) {
    (usage.input_tokens, usage.output_tokens)
}

#[test]
fn parts_of_one_message_are_paid_for_once() {
    let seen =
        stream(&[part("a", "1", 1), part("a", "2", 5), part("b", "3", 1), part("a", "4", 7)]);
    assert_eq!(tokens(seen.total(Usage::default())), (200, 8));
}

#[test]
fn children_are_paid_for_but_do_not_speak_for_the_agent() {
    let seen = stream(&[part("a", "mine", 1), of_child(part("b", "<promise>DONE</promise>", 1))]);
    assert_eq!(seen.last_text, "mine");
    assert_eq!(tokens(seen.total(Usage::default())), (200, 2));
    assert!(seen.is_alive);
}

#[test]
fn a_result_replaces_what_was_added_up_before_it() {
    let mut seen = stream(&[part("a", "1", 1), result(700, 0.5)]);
    assert_eq!(tokens(seen.total(Usage::default())), (700, 10));
    assert!(seen.is_over());
    seen.push(format!("{}\n", part("b", "2", 3)).as_bytes());
    assert_eq!(tokens(seen.total(Usage::default())), (800, 13));
    assert!(!seen.is_over(), "another result has to follow");
}

#[test]
fn work_in_the_background_may_lead_to_another_result() {
    let background = |tasks: Value| json!({ "type": "system", "subtype": "background_tasks_changed", "tasks": tasks });
    let mut seen = stream(&[background(json!([{}])), result(1, 0.0)]);
    assert!(!seen.is_over());
    seen.push(format!("{}\n", background(json!([]))).as_bytes());
    assert!(seen.is_over());
}

#[test]
fn the_context_is_what_the_main_agent_sent_last() {
    let seen = stream(&[part("a", "1", 1), of_child(part("b", "2", 500)), result(1, 0.0)]);
    assert_eq!(seen.context(), Some(ContextWindow { tokens: 1001, window: 2000 }));
    let boundary = json!({
        "type": "system", "subtype": "compact_boundary",
        "compact_metadata": { "pre_tokens": 1001, "post_tokens": 200 },
    });
    let shortened = stream(&[part("a", "1", 1), boundary, result(1, 0.0)]);
    assert_eq!(shortened.context(), Some(ContextWindow { tokens: 200, window: 2000 }));
}

#[test]
fn errors_worded_as_messages_are_no_work() {
    let mut line = part("a", "API Error: 529", 0);
    line["error"] = json!("overloaded");
    let mut seen = ClaudeTurnState::default();
    let pieces = seen.push(format!("{line}\n").as_bytes());
    assert_eq!(pieces, [OutputPiece::new(OutputPieceKind::Note, "API Error: 529")]);
    assert_eq!((seen.is_alive, seen.last_text.as_str()), (false, ""));
    assert_eq!(seen.error.as_deref(), Some("overloaded"));
}

#[test]
fn a_subscription_that_is_used_up_says_until_when() {
    let event = |status: &str, more: bool| {
        let info = json!({ "status": status, "resetsAt": 1_794_747_600, "isUsingOverage": more, "rateLimitType": "five_hour" });
        json!({ "type": "rate_limit_event", "rate_limit_info": info })
    };
    let until = |line: Value| stream(&[line]).refused_until.map(Timestamp::as_millis);
    assert_eq!(until(event("rejected", false)), Some(1_794_747_600_000));
    assert_eq!(until(event("rejected", true)), None);
    assert_eq!(until(event("allowed_warning", false)), None);
}

#[test]
fn the_session_is_the_one_that_the_client_names_last() {
    let named = |kind: &str, id: &str| json!({ "type": kind, "subtype": "init", "session_id": id });
    let seen = stream(&[named("system", "s-1"), named("result", "s-2"), named("result", "../x")]);
    assert_eq!(seen.session.unwrap().as_str(), "s-2");
}

#[test]
fn only_the_end_of_a_very_long_text_is_kept() {
    let text = format!("{}DONE", "가".repeat(TEXT_BYTES));
    let seen = stream(&[part("a", &text, 1)]);
    assert!(seen.last_text.len() <= TEXT_BYTES && seen.last_text.ends_with("DONE"));
}
