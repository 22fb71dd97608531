//! Renders the stream for the terminal.

use serde_json::Value;

use crate::line::{cut, describe_tool};
use crate::listen::{OutputPiece, OutputPieceKind};

pub(super) use crate::line::one_line;

/// Maximum length of a line about a tool or the turn, in characters.
const LINE: usize = 160;

/// Maximum length of one shown message, in characters.
const MESSAGE: usize = 8_000;

/// Returns the pieces of an assistant's message. `child` names its agent,
/// unless that is the main one.
pub(super) fn of_message(message: &Value, child: Option<&str>) -> Vec<OutputPiece> {
    let blocks = message["content"].as_array().into_iter().flatten();
    blocks.filter_map(|block| of_block(block, child)).collect()
}

fn of_block(block: &Value, child: Option<&str>) -> Option<OutputPiece> {
    let (kind, text) = match block["type"].as_str()? {
        "text" => (OutputPieceKind::Text, block["text"].as_str()?.trim().to_owned()),
        "tool_use" | "server_tool_use" | "mcp_tool_use" => {
            (OutputPieceKind::Tool, describe_tool(block["name"].as_str()?, &block["input"]))
        }
        _ => return None,
    };
    if text.is_empty() {
        return None;
    }
    Some(match child {
        Some(name) => {
            OutputPiece::new(OutputPieceKind::Child, one_line(&format!("{name}: {text}"), LINE))
        }
        None => OutputPiece::new(kind, cut(&text, MESSAGE)),
    })
}

/// Returns the piece for a line about the turn itself.
pub(super) fn of_system(line: &Value) -> Option<OutputPiece> {
    let text = |name: &str| line[name].as_str().unwrap_or_default();
    let note = |text: String| Some(OutputPiece::new(OutputPieceKind::Note, one_line(&text, LINE)));
    let child =
        |text: String| Some(OutputPiece::new(OutputPieceKind::Child, one_line(&text, LINE)));
    match text("subtype") {
        "api_retry" => note(retry(line)),
        "compact_boundary" => {
            let tokens = line["compact_metadata"]["pre_tokens"].as_u64();
            let of = tokens.map(|tokens| format!(" of {tokens} tokens")).unwrap_or_default();
            note(format!("the client shortened the conversation{of}"))
        }
        "permission_denied" => note(format!("denied: {}", text("tool_name"))),
        "notification" if text("key") == super::stream::CAP => note(text("text").to_owned()),
        "task_started" => child(format!("{} began", word_or(text("description"), agent_of(line)))),
        "task_notification" => {
            child(format!("{}: {}", word_or(text("status"), "ended"), text("summary")))
        }
        _ => None,
    }
}

fn agent_of(line: &Value) -> &str {
    let named = |name: &str| line[name].as_str().filter(|text| !text.is_empty());
    named("subagent_type").or_else(|| named("task_type")).unwrap_or("agent")
}

fn word_or<'a>(word: &'a str, other: &'a str) -> &'a str {
    if word.is_empty() { other } else { word }
}

fn retry(line: &Value) -> String {
    let status = line["error_status"].as_u64();
    let status = status.map_or_else(|| "nothing".to_owned(), |status| status.to_string());
    let number = |name: &str| line[name].as_u64().unwrap_or_default();
    let delay = std::time::Duration::from_millis(number("retry_delay_ms"));
    format!(
        "the provider answered {status} ({}); attempt {} of {} in {:.1} s",
        word_or(line["error"].as_str().unwrap_or_default(), "unknown"),
        number("attempt"),
        number("max_retries"),
        delay.as_secs_f64()
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn message(blocks: &Value, child: Option<&str>) -> Vec<OutputPiece> {
        of_message(&json!({ "content": blocks }), child)
    }

    #[test]
    fn thoughts_and_empty_words_are_not_shown() {
        let blocks = json!([
            { "type": "thinking", "thinking": "hm" },
            { "type": "text", "text": " \n" },
            { "type": "text", "text": "Hello\nyou" },
            "?",
        ]);
        assert_eq!(message(&blocks, None), [OutputPiece::new(OutputPieceKind::Text, "Hello\nyou")]);
        let child = message(&blocks, Some("explorer"));
        assert_eq!(child, [OutputPiece::new(OutputPieceKind::Child, "explorer: Hello you")]);
    }
}
