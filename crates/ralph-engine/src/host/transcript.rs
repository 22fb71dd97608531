//! The agent's last words, from where the host wrote them down.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use ralph_core::host::Silence;
use serde_json::Value;

/// How much of the end of a transcript is read: what was said last is there,
/// however long the conversation was.
const TAIL: u64 = 256 * 1024;

/// How much of it is looked through for what waits: a turn may have written
/// much after the user typed something.
const QUEUE_TAIL: u64 = 8 * 1024 * 1024;

/// What the host calls a line about words that wait.
const QUEUED: &str = "queue-operation";

/// What the agent said last: in the host's word, else in the transcript.
pub fn final_text(silence: &Silence) -> String {
    let written = || silence.transcript.as_deref().and_then(last_words);
    silence.text.clone().or_else(written).unwrap_or_default()
}

fn last_words(path: &Path) -> Option<String> {
    end_of(path, TAIL)?.lines().rev().find_map(assistant_text)
}

/// The last bytes of a file, as text.
fn end_of(path: &Path, most: u64) -> Option<String> {
    let mut file = ralph_files::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(most))).ok()?;
    let mut tail = Vec::new();
    file.take(most).read_to_end(&mut tail).ok()?;
    Some(String::from_utf8_lossy(&tail).into_owned())
}

/// Words of the user that wait in the host until the agent falls silent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueuedWords {
    /// What was typed.
    pub text: String,
    /// When, as the host wrote it.
    pub at: String,
}

/// What the user typed while the agent worked and the host holds back, oldest
/// first. A host that writes down nothing of the kind holds back nothing.
pub fn queued(path: &Path) -> Vec<QueuedWords> {
    let mut queue = Vec::new();
    let Some(tail) = end_of(path, QUEUE_TAIL) else { return queue };
    for line in tail.lines().filter(|line| line.contains(QUEUED)) {
        let Ok(entry) = serde_json::from_str::<Value>(line) else { continue };
        if entry.get("type").and_then(Value::as_str) != Some(QUEUED) {
            continue;
        }
        let said = |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or_default();
        match said("operation") {
            "enqueue" => queue.push(QueuedWords {
                text: said("content").to_owned(),
                at: said("timestamp").to_owned(),
            }),
            "dequeue" if !queue.is_empty() => drop(queue.remove(0)),
            "dequeue" => {}
            // Taken back into the box, or delivered out of turn.
            _ => match queue.iter().position(|words| words.text == said("content")) {
                Some(at) => drop(queue.remove(at)),
                None => queue.clear(),
            },
        }
    }
    queue
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

    #[test]
    fn words_wait_until_the_host_says_otherwise() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("transcript.jsonl");
        let operation = |operation: &str, text: &str| {
            let line = serde_json::json!({
                "type": QUEUED, "operation": operation, "content": text, "timestamp": "t",
            });
            format!("{line}\n")
        };
        let waiting = |lines: &[String]| -> Vec<String> {
            fs::write(&path, lines.concat()).unwrap();
            queued(&path).into_iter().map(|words| words.text).collect()
        };
        let typed = operation("enqueue", "/cancel-ralph");
        let other = line("assistant", "a queue-operation enqueue /cancel-ralph") + "\n";
        assert_eq!(waiting(&[other, typed.clone()]), ["/cancel-ralph"]);
        let more = operation("enqueue", "and then");
        assert_eq!(waiting(&[typed.clone(), more.clone(), operation("dequeue", "")]), ["and then"]);
        let taken = operation("remove", "/cancel-ralph");
        assert_eq!(waiting(&[typed.clone(), more.clone(), taken]), ["and then"]);
        assert_eq!(waiting(&[typed, more, operation("popAll", "")]), [""; 0]);
        assert_eq!(queued(Path::new("/nowhere")), []);
    }
}
