//! Requests and responses of the two interfaces that models are behind.

use serde::Deserialize;
use serde_json::{Value, json};

use super::JudgeFailure;
use super::endpoint::ModelDialect;
use super::prompt::JudgePrompt;

/// The maximum number of tokens of an answer, for protocols that require such a limit.
const MAX_TOKENS: u32 = 4_096;

/// A response, as far as it matters.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ModelResponse {
    pub(super) text: String,
    /// Tokens sent and received.
    pub(super) tokens: Option<(u64, u64)>,
}

/// The body of a request. What not every server takes is left out.
pub(super) fn request(dialect: ModelDialect, model: &str, prompt: &JudgePrompt) -> Value {
    let user = json!({ "role": "user", "content": prompt.user() });
    match dialect {
        ModelDialect::OpenAi => json!({
            "model": model,
            "messages": [{ "role": "system", "content": prompt.system }, user],
            "stream": false,
        }),
        ModelDialect::Anthropic => json!({
            "model": model,
            "max_tokens": MAX_TOKENS,
            "system": prompt.system,
            "messages": [user],
        }),
    }
}

/// Reads the body of a response.
pub(super) fn response(dialect: ModelDialect, body: &[u8]) -> Result<ModelResponse, JudgeFailure> {
    let read = match dialect {
        ModelDialect::OpenAi => serde_json::from_slice(body).map(ChatCompletion::into_response),
        ModelDialect::Anthropic => {
            serde_json::from_slice(body).map(AnthropicMessage::into_response)
        }
    };
    read.map_err(|error| JudgeFailure::Form { what: error.to_string() })
}

/// Returns the message of an error, if it has one in the usual place.
pub(super) fn complaint(body: &[u8]) -> Option<String> {
    let value: Value = serde_json::from_slice(body).ok()?;
    let error = &value["error"];
    let said = error["message"].as_str().or_else(|| error.as_str())?;
    Some(said.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[derive(Deserialize)]
struct ChatCompletion {
    choices: Vec<CompletionChoice>,
    usage: Option<CompletionUsage>,
}

#[derive(Deserialize)]
struct CompletionChoice {
    message: ChoiceMessage,
}

#[derive(Deserialize)]
struct ChoiceMessage {
    content: Option<String>,
}

#[derive(Deserialize)]
struct CompletionUsage {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
}

impl ChatCompletion {
    fn into_response(self) -> ModelResponse {
        let first = self.choices.into_iter().next();
        ModelResponse {
            text: first.and_then(|choice| choice.message.content).unwrap_or_default(),
            tokens: self.usage.map(|usage| (usage.prompt_tokens, usage.completion_tokens)),
        }
    }
}

#[derive(Deserialize)]
struct AnthropicMessage {
    content: Vec<AnthropicBlock>,
    usage: Option<MessageUsage>,
}

/// A part of a message; only text has text.
#[derive(Deserialize)]
struct AnthropicBlock {
    text: Option<String>,
}

#[derive(Deserialize)]
struct MessageUsage {
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
}

impl AnthropicMessage {
    fn into_response(self) -> ModelResponse {
        ModelResponse {
            text: self.content.into_iter().filter_map(|block| block.text).collect(),
            tokens: self.usage.map(|usage| (usage.input_tokens, usage.output_tokens)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_interfaces_are_read() {
        let completion = r#"{"id":"1","choices":[{"index":0,"message":{"role":"assistant","content":"yes"},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}}"#;
        let message = r#"{"id":"1","type":"message","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"yes"}],"stop_reason":"end_turn","usage":{"input_tokens":7,"output_tokens":3}}"#;
        let want = ModelResponse { text: "yes".to_owned(), tokens: Some((7, 3)) };
        assert_eq!(response(ModelDialect::OpenAi, completion.as_bytes()).unwrap(), want);
        assert_eq!(response(ModelDialect::Anthropic, message.as_bytes()).unwrap(), want);
    }

    #[test]
    fn a_response_without_text_or_usage_is_empty_and_another_form_is_trouble() {
        let silent = r#"{"choices":[{"message":{"content":null}}]}"#;
        assert_eq!(
            response(ModelDialect::OpenAi, silent.as_bytes()).unwrap(),
            ModelResponse::default()
        );
        assert_eq!(
            response(ModelDialect::OpenAi, br#"{"choices":[]}"#).unwrap(),
            ModelResponse::default()
        );
        assert!(response(ModelDialect::Anthropic, silent.as_bytes()).is_err());
        assert!(response(ModelDialect::OpenAi, b"<html>").is_err());
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let body = br#"{"error":{"message":"no such\nmodel","type":"x"}}"#;
        assert_eq!(complaint(body).as_deref(), Some("no such model"));
        assert_eq!(complaint(br#"{"error":"busy"}"#).as_deref(), Some("busy"));
        assert_eq!(complaint(b"oops"), None);
    }
}
