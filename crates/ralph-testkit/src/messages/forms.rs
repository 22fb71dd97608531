//! The forms of other model APIs: their requests as those of the Messages API,
//! and its messages as theirs.

use serde_json::{Value, json};

use crate::model_server::TokenCounts;

/// The form of an API, by the path of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ApiForm {
    /// `/v1/messages`.
    Messages,
    /// `/chat/completions`.
    Chat,
    /// `/responses`.
    Responses,
    /// `:generateContent`, whole or as a stream.
    Contents,
}

impl ApiForm {
    /// Returns the form; `None` for other paths.
    pub(super) fn of(path: &str) -> Option<Self> {
        let ends = |end: &str| path.ends_with(end);
        match path {
            "/v1/messages" => Some(Self::Messages),
            _ if ends("/chat/completions") => Some(Self::Chat),
            _ if ends("/responses") => Some(Self::Responses),
            _ if ends(":generateContent") || ends(":streamGenerateContent") => Some(Self::Contents),
            _ => None,
        }
    }

    /// Returns the request as the Messages API would have it.
    pub(super) fn request(self, path: &str, body: &Value) -> Value {
        match self {
            Self::Messages => body.clone(),
            Self::Chat => chat_request(body),
            Self::Responses => responses_request(body),
            Self::Contents => contents_request(path, body),
        }
    }

    /// Returns the body of an answer, with its content type.
    pub(super) fn answer(
        self,
        id: usize,
        message: &Value,
        asked: &Value,
    ) -> (&'static str, String) {
        let streams = asked["stream"] == true;
        let events = match self {
            Self::Messages => return ("application/json", message.to_string()),
            Self::Chat => chat_events(id, message),
            Self::Responses => responses_events(id, message),
            Self::Contents => vec![contents_answer(message)],
        };
        if !streams {
            let whole = match self {
                Self::Chat => chat_whole(id, message),
                Self::Contents => events[0].clone(),
                Self::Messages | Self::Responses => events[events.len() - 1]["response"].clone(),
            };
            return ("application/json", whole.to_string());
        }
        let render = |event: &Value| match event["type"].as_str() {
            Some(kind) if self == Self::Responses => format!("event: {kind}\ndata: {event}\n\n"),
            _ => format!("data: {event}\n\n"),
        };
        let mut text: String = events.iter().map(render).collect();
        if self == Self::Chat {
            text.push_str("data: [DONE]\n\n");
        }
        ("text/event-stream", text)
    }
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text_block(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

/// Returns the texts of a content, which is a string or a list of parts.
fn blocks(content: &Value) -> Vec<Value> {
    if let Some(text) = content.as_str() {
        return vec![text_block(text)];
    }
    items(content).filter_map(|part| Some(text_block(part["text"].as_str()?))).collect()
}

fn parsed(arguments: &Value) -> Value {
    arguments.as_str().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}

fn names<'v>(tools: &'v Value, name: fn(&'v Value) -> &'v Value) -> Vec<Value> {
    items(tools).map(|tool| json!({ "name": name(tool) })).collect()
}

fn request(system: &[Value], messages: &[Value], tools: &[Value], body: &Value) -> Value {
    json!({
        "system": system, "messages": messages, "tools": tools,
        "stream": body["stream"], "model": body["model"],
    })
}

fn chat_request(body: &Value) -> Value {
    let (mut system, mut messages) = (Vec::new(), Vec::new());
    for message in items(&body["messages"]) {
        let mut content = blocks(&message["content"]);
        match message["role"].as_str() {
            Some("system" | "developer") => system.extend(content),
            Some("tool") => {
                let result = json!({ "type": "tool_result", "content": content });
                messages.push(json!({ "role": "user", "content": [result] }));
            }
            role => {
                content.extend(items(&message["tool_calls"]).map(|call| {
                    let function = &call["function"];
                    let input = parsed(&function["arguments"]);
                    json!({ "type": "tool_use", "name": function["name"], "input": input })
                }));
                messages.push(json!({ "role": role, "content": content }));
            }
        }
    }
    request(&system, &messages, &names(&body["tools"], |tool| &tool["function"]["name"]), body)
}

fn responses_request(body: &Value) -> Value {
    let (mut system, mut messages) = (blocks(&body["instructions"]), Vec::new());
    if let Some(text) = body["input"].as_str() {
        messages.push(json!({ "role": "user", "content": [text_block(text)] }));
    }
    for item in items(&body["input"]) {
        let content = blocks(&item["content"]);
        match (item["type"].as_str(), item["role"].as_str()) {
            (_, Some("system" | "developer")) => system.extend(content),
            (_, Some(role)) => messages.push(json!({ "role": role, "content": content })),
            (Some("function_call"), _) => {
                let input = parsed(&item["arguments"]);
                let block = json!({ "type": "tool_use", "name": item["name"], "input": input });
                messages.push(json!({ "role": "assistant", "content": [block] }));
            }
            (Some("function_call_output" | "custom_tool_call_output"), _) => {
                let result = json!({ "type": "tool_result", "content": blocks(&item["output"]) });
                messages.push(json!({ "role": "user", "content": [result] }));
            }
            _ => {}
        }
    }
    request(&system, &messages, &names(&body["tools"], |tool| &tool["name"]), body)
}

fn contents_request(path: &str, body: &Value) -> Value {
    let part = |part: &Value| {
        if let Some(call) = part.get("functionCall") {
            return Some(
                json!({ "type": "tool_use", "name": call["name"], "input": call["args"] }),
            );
        }
        if let Some(result) = part.get("functionResponse") {
            let text = result["response"].to_string();
            return Some(json!({ "type": "tool_result", "content": [text_block(&text)] }));
        }
        Some(text_block(part["text"].as_str()?))
    };
    let messages = items(&body["contents"]).map(|content| {
        let role = if content["role"] == "model" { "assistant" } else { "user" };
        let blocks: Vec<Value> = items(&content["parts"]).filter_map(part).collect();
        json!({ "role": role, "content": blocks })
    });
    let tools = items(&body["tools"])
        .flat_map(|tool| names(&tool["functionDeclarations"], |it| &it["name"]));
    let (messages, tools): (Vec<Value>, Vec<Value>) = (messages.collect(), tools.collect());
    let system: Vec<Value> = items(&body["systemInstruction"]["parts"]).filter_map(part).collect();
    let mut request = request(&system, &messages, &tools, body);
    request["stream"] = path.ends_with(":streamGenerateContent").into();
    request
}

fn counts(message: &Value) -> TokenCounts {
    let count = |name: &str| message["usage"][name].as_u64().unwrap_or(0);
    TokenCounts { sent: count("input_tokens"), received: count("output_tokens") }
}

fn chat_usage(message: &Value) -> Value {
    let TokenCounts { sent, received } = counts(message);
    json!({
        "prompt_tokens": sent, "completion_tokens": received, "total_tokens": sent + received,
        "prompt_tokens_details": { "cached_tokens": 0 },
    })
}

/// Returns the text of a message and its uses of tools.
fn chat_parts(message: &Value) -> (Option<String>, Vec<Value>) {
    let texts: Vec<&str> =
        items(&message["content"]).filter_map(|it| it["text"].as_str()).collect();
    let calls = items(&message["content"]).filter(|block| block["type"] == "tool_use");
    let calls = calls.enumerate().map(|(index, block)| {
        let function = json!({ "name": block["name"], "arguments": block["input"].to_string() });
        json!({ "index": index, "id": block["id"], "type": "function", "function": function })
    });
    ((!texts.is_empty()).then(|| texts.join("\n")), calls.collect())
}

fn chat_events(id: usize, message: &Value) -> Vec<Value> {
    let (text, calls) = chat_parts(message);
    let reason = if calls.is_empty() { "stop" } else { "tool_calls" };
    let mut delta = json!({ "role": "assistant", "content": text });
    if !calls.is_empty() {
        delta["tool_calls"] = calls.into();
    }
    let chunk = |choices: Value| {
        json!({
            "id": format!("cc_{id}"), "object": "chat.completion.chunk", "created": 1,
            "model": message["model"], "choices": choices,
        })
    };
    let mut end = chunk(json!([]));
    end["usage"] = chat_usage(message);
    vec![
        chunk(json!([{ "index": 0, "delta": delta, "finish_reason": null }])),
        chunk(json!([{ "index": 0, "delta": {}, "finish_reason": reason }])),
        end,
    ]
}

fn chat_whole(id: usize, message: &Value) -> Value {
    let (text, calls) = chat_parts(message);
    let reason = if calls.is_empty() { "stop" } else { "tool_calls" };
    let mut said = json!({ "role": "assistant", "content": text });
    if !calls.is_empty() {
        said["tool_calls"] = calls.into();
    }
    json!({
        "id": format!("cc_{id}"), "object": "chat.completion", "created": 1,
        "model": message["model"], "usage": chat_usage(message),
        "choices": [{ "index": 0, "message": said, "finish_reason": reason }],
    })
}

fn responses_events(id: usize, message: &Value) -> Vec<Value> {
    let response = format!("resp_{id}");
    let output: Vec<Value> = items(&message["content"])
        .enumerate()
        .map(|(index, block)| {
            if block["type"] == "tool_use" {
                return json!({
                    "type": "function_call", "id": format!("fc_{id}_{index}"), "call_id": block["id"],
                    "name": block["name"], "arguments": block["input"].to_string(),
                    "status": "completed",
                });
            }
            let text = json!({ "type": "output_text", "text": block["text"], "annotations": [] });
            json!({
                "type": "message", "id": format!("msg_{id}_{index}"), "role": "assistant",
                "status": "completed", "content": [text],
            })
        })
        .collect();
    let TokenCounts { sent, received } = counts(message);
    let begun =
        json!({ "id": response, "object": "response", "status": "in_progress", "output": [] });
    let mut events = vec![json!({ "type": "response.created", "response": begun })];
    for (index, item) in output.iter().enumerate() {
        let mut empty = item.clone();
        empty["status"] = json!("in_progress");
        if item["type"] == "message" {
            empty["content"] = json!([]);
        }
        events.push(
            json!({ "type": "response.output_item.added", "output_index": index, "item": empty }),
        );
        if let Some(text) = item["content"][0]["text"].as_str() {
            events.push(json!({
                "type": "response.output_text.delta", "item_id": item["id"],
                "output_index": index, "content_index": 0, "delta": text,
            }));
        }
        events.push(
            json!({ "type": "response.output_item.done", "output_index": index, "item": item }),
        );
    }
    let usage = json!({
        "input_tokens": sent, "input_tokens_details": { "cached_tokens": 0 },
        "output_tokens": received, "output_tokens_details": { "reasoning_tokens": 0 },
        "total_tokens": sent + received,
    });
    let done = json!({
        "id": response, "object": "response", "status": "completed", "model": message["model"],
        "output": output, "usage": usage,
    });
    events.push(json!({ "type": "response.completed", "response": done }));
    events
}

fn contents_answer(message: &Value) -> Value {
    let part = |block: &Value| {
        if block["type"] == "tool_use" {
            let call = json!({ "id": block["id"], "name": block["name"], "args": block["input"] });
            return json!({ "functionCall": call });
        }
        json!({ "text": block["text"] })
    };
    let parts: Vec<Value> = items(&message["content"]).map(part).collect();
    let TokenCounts { sent, received } = counts(message);
    json!({
        "candidates": [{
            "index": 0, "finishReason": "STOP", "content": { "role": "model", "parts": parts },
        }],
        "usageMetadata": {
            "promptTokenCount": sent, "candidatesTokenCount": received,
            "totalTokenCount": sent + received,
        },
    })
}
