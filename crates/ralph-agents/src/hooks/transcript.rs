//! The agent's words in the transcripts of hosts.

use std::path::PathBuf;

use ralph_core::ids::SessionId;
use serde_json::Value;

/// Where the agent's words are, if no event has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TranscriptForm {
    /// `type` is `assistant`, and `message` has the `content`.
    Messages,
    /// `type` is `message`, and the `message` has a `role`. A turn that broke off
    /// ends with the words of the user.
    Roles,
    /// `type` is `assistant.message`, and `data` has the `content`.
    Data,
    /// A record of the client's own work, in this folder of the user's settings:
    /// `*` stands for any folder, the last one is the session.
    Records(&'static str, &'static str),
    /// `type` is the name of the model's side.
    Plain,
}

/// A line of a transcript that someone said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TranscriptWords {
    /// The main agent.
    Agent(String),
    /// The user, and the agent has not answered.
    User,
}

impl TranscriptForm {
    /// Returns what is said in a line; `None` for other lines.
    pub(crate) fn words(self, line: &str) -> Option<TranscriptWords> {
        let entry: Value = serde_json::from_str(line).ok()?;
        let kind = entry["type"].as_str()?;
        let said = |content: &Value| texts(content).map(TranscriptWords::Agent);
        match self {
            Self::Messages => {
                let is_main = entry["isSidechain"].as_bool() != Some(true);
                (is_main && kind == "assistant").then(|| said(&entry["message"]["content"]))?
            }
            Self::Roles => {
                let message = &entry["message"];
                match (kind, message["role"].as_str()) {
                    ("message", Some("assistant")) => said(&message["content"]),
                    // Hooks leave messages without words.
                    ("message", Some("user")) => {
                        texts(&message["content"]).map(|_| TranscriptWords::User)
                    }
                    (_, _) => None,
                }
            }
            Self::Data => (kind == "assistant.message").then(|| said(&entry["data"]["content"]))?,
            Self::Records(..) => {
                let part = &entry["event"]["part"];
                let is_main = entry["agentId"] == "main";
                let is_text = entry["event"]["type"] == "content.part" && part["type"] == "text";
                (is_main && is_text).then(|| said(&part["text"]))?
            }
            Self::Plain => {
                let is_agent = ["gemini", "assistant", "model"].contains(&kind);
                is_agent.then(|| said(&entry["content"]))?
            }
        }
    }

    /// Returns the folders of all sessions below the user's settings, and the
    /// transcript in that of a session; `None` if events name the transcript.
    pub(crate) fn place(self, session: &SessionId) -> Option<(&'static str, PathBuf)> {
        let Self::Records(folder, file) = self else { return None };
        Some((folder, [session.as_str(), file].iter().collect()))
    }
}

/// Returns the text of a content, which may come in blocks.
fn texts(content: &Value) -> Option<String> {
    let text = match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts = blocks.iter().filter_map(|block| block.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => return None,
    };
    (!text.is_empty()).then_some(text)
}
