//! A message in the two forms of the API: whole, and as events.

use serde_json::{Value, json};

use crate::model_server::TokenCounts;

/// Returns the message in one piece.
pub(super) fn whole(id: usize, blocks: &[Value], tokens: TokenCounts, model: &Value) -> Value {
    json!({
        "id": format!("msg_{id:08}"),
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": named(id, blocks),
        "stop_reason": stop_reason(blocks),
        "stop_sequence": null,
        "usage": usage(tokens),
    })
}

/// Returns the message as a stream of events.
pub(super) fn events(id: usize, blocks: &[Value], tokens: TokenCounts, model: &Value) -> String {
    let mut start = whole(id, &[], tokens, model);
    start["stop_reason"] = Value::Null;
    start["usage"] = usage(TokenCounts { received: 1, ..tokens });
    let mut events = vec![json!({ "type": "message_start", "message": start })];
    for (index, block) in named(id, blocks).into_iter().enumerate() {
        let (empty, delta) = split(block);
        events
            .push(json!({ "type": "content_block_start", "index": index, "content_block": empty }));
        events.push(json!({ "type": "content_block_delta", "index": index, "delta": delta }));
        events.push(json!({ "type": "content_block_stop", "index": index }));
    }
    let delta = json!({ "stop_reason": stop_reason(blocks), "stop_sequence": null });
    events.push(json!({ "type": "message_delta", "delta": delta, "usage": usage(tokens) }));
    events.push(json!({ "type": "message_stop" }));
    let render = |event: Value| {
        let kind = event["type"].as_str().unwrap_or_default().to_owned();
        format!("event: {kind}\ndata: {event}\n\n")
    };
    events.into_iter().map(render).collect()
}

/// Returns the blocks, with a unique id for each use of a tool.
fn named(id: usize, blocks: &[Value]) -> Vec<Value> {
    let name = |(index, block): (usize, &Value)| {
        let mut block = block.clone();
        if block["type"] == "tool_use" {
            block["id"] = json!(format!("toolu_{id:08}_{index}"));
        }
        block
    };
    blocks.iter().enumerate().map(name).collect()
}

/// Splits a block into its empty start and the delta that completes it.
fn split(mut block: Value) -> (Value, Value) {
    if block["type"] == "tool_use" {
        let input = block["input"].take().to_string();
        block["input"] = json!({});
        return (block, json!({ "type": "input_json_delta", "partial_json": input }));
    }
    let text = block["text"].take();
    block["text"] = json!("");
    (block, json!({ "type": "text_delta", "text": text }))
}

fn stop_reason(blocks: &[Value]) -> &'static str {
    if blocks.iter().any(|block| block["type"] == "tool_use") { "tool_use" } else { "end_turn" }
}

fn usage(TokenCounts { sent, received }: TokenCounts) -> Value {
    json!({
        "input_tokens": sent,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": received,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TOKENS;

    #[test]
    fn what_is_streamed_adds_up_to_the_whole_message() {
        let blocks = [
            json!({ "type": "text", "text": "now" }),
            json!({ "type": "tool_use", "name": "Bash", "input": { "command": "ls" } }),
        ];
        let text = events(7, &blocks, TOKENS, &json!("m"));
        let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
        let events: Vec<Value> = data.map(|data| serde_json::from_str(data).unwrap()).collect();
        assert_eq!(events[2]["delta"]["text"], "now");
        assert_eq!(events[4]["content_block"]["id"], "toolu_00000007_1");
        assert_eq!(events[5]["delta"]["partial_json"], r#"{"command":"ls"}"#);
        assert_eq!(events[7]["delta"]["stop_reason"], "tool_use");
        let message = whole(7, &blocks, TOKENS, &json!("m"));
        assert_eq!(message["content"][1]["id"], "toolu_00000007_1");
        assert_eq!(message["usage"], events[7]["usage"]);
    }
}
