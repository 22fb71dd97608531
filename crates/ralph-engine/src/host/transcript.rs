//! The agent's last words, from where the host wrote them down.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use ralph_core::host::Silence;
use serde_json::Value;

/// How much of the end of a transcript is read: what was said last is there,
/// however long the conversation was.
const TAIL: u64 = 256 * 1024;

/// What the agent said last: in the host's word, else in the transcript.
pub fn final_text(silence: &Silence) -> String {
    let written = || silence.transcript.as_deref().and_then(last_words);
    silence.text.clone().or_else(written).unwrap_or_default()
}

fn last_words(path: &Path) -> Option<String> {
    let mut file = File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL))).ok()?;
    let mut tail = Vec::new();
    file.take(TAIL).read_to_end(&mut tail).ok()?;
    let tail = String::from_utf8_lossy(&tail);
    tail.lines().rev().find_map(assistant_text)
}

/// The text of a line that is the main agent's.
fn assistant_text(line: &str) -> Option<String> {
    let entry: Value = serde_json::from_str(line).ok()?;
    let is_main = !entry.get("isSidechain").and_then(Value::as_bool).unwrap_or(false);
    let is_assistant = entry.get("type").and_then(Value::as_str) == Some("assistant");
    let content = entry.get("message")?.get("content")?;
    let text = match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts = blocks.iter().filter_map(|block| block.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => return None,
    };
    (is_main && is_assistant && !text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn line(kind: &str, text: &str) -> String {
        let content = serde_json::json!([{ "type": "text", "text": text }]);
        serde_json::json!({ "type": kind, "message": { "content": content } }).to_string()
    }

    #[test]
    fn the_host_is_asked_before_the_transcript() {
        let silence = Silence { text: Some("said".to_owned()), ..Silence::default() };
        assert_eq!(final_text(&silence), "said");
        assert_eq!(final_text(&Silence::default()), "");
    }

    #[test]
    fn the_last_words_of_the_agent_are_found_at_the_end_of_a_long_transcript() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("transcript.jsonl");
        let mut text = line("assistant", "early") + "\n";
        text.push_str(&(line("user", &"x".repeat(400_000)) + "\n"));
        text.push_str(&(line("assistant", "late") + "\n"));
        text.push_str(&(line("user", "thanks") + "\n{\"type\":\"assistant\",\"mess"));
        fs::write(&path, text).unwrap();
        let silence = Silence { transcript: Some(path), ..Silence::default() };
        assert_eq!(final_text(&silence), "late");
    }
}
