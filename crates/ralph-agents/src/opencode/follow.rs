//! The state of one turn, from the server's events: its text, its usage, and
//! whether it is over.
//!
//! Events may arrive late, twice or not at all. So everything is stored by the
//! id of its message, and messages from before the turn are excluded.

use std::collections::{HashMap, HashSet};

use ralph_core::usage::{Usage, Usd};
use serde_json::Value;

use crate::line::{cut, one_line};
use crate::listen::{OutputPiece, OutputPieceKind};

/// Maximum length of a line about a tool or the turn, in characters.
const LINE: usize = 160;

/// Maximum length of one shown text, in characters.
const SHOWN: usize = 8_000;

/// Maximum length of the final text; its end is kept.
const TEXT_BYTES: usize = 1024 * 1024;

/// Tool arguments that describe a use, the most descriptive first.
const TELLING: [&str; 9] =
    ["command", "filePath", "pattern", "url", "query", "description", "name", "path", "prompt"];

/// The state of a turn.
#[derive(Clone, Debug, Default)]
pub(super) struct OpenCodeTurnState {
    session: String,
    /// Ids of messages of earlier turns.
    before: HashSet<String>,
    /// Sessions that this one started, with their titles.
    children: HashMap<String, String>,
    messages: Vec<TrackedMessage>,
    /// Ids of parts that were shown.
    shown: HashSet<String>,
    status: SessionActivity,
    /// The client's wait after a refusal of the provider.
    pub(super) retry: Option<OpenCodeRetry>,
    /// The last error, unless the turn went on after it.
    error: Option<OpenCodeError>,
    /// True if the session was deleted.
    pub(super) is_deleted: bool,
}

/// The certainty that a turn is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TurnEndCertainty {
    Over,
    /// A next message may be about to begin, or the last one to be completed.
    Likely,
    Unlikely,
}

/// The status of the session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum SessionActivity {
    /// Not reported since the prompt.
    #[default]
    Unknown,
    Busy,
    /// It was busy, and is idle now.
    Idle,
}

/// A wait of the client before it retries the provider.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct OpenCodeRetry {
    pub(super) attempt: u64,
    pub(super) message: String,
    /// Time of the retry, in milliseconds since 1970.
    pub(super) next: i64,
}

/// An error that the client reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct OpenCodeError {
    pub(super) name: String,
    pub(super) message: String,
    /// HTTP status of the provider's answer.
    pub(super) status: Option<u16>,
}

#[derive(Clone, Debug, Default)]
struct TrackedMessage {
    id: String,
    /// Time of its creation, in milliseconds since 1970.
    created: i64,
    usage: Usage,
    role: MessageOrigin,
    /// Its texts in their order, each with the id of its part.
    texts: Vec<(String, String)>,
    /// True if it contains any text or action.
    is_alive: bool,
    stage: MessageStage,
    /// The error that ended it.
    trouble: Option<OpenCodeError>,
}

/// The progress of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum MessageStage {
    #[default]
    Open,
    /// It ended with tool uses, so another one may follow.
    Tools,
    Done,
}

/// The origin of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum MessageOrigin {
    #[default]
    Main,
    /// The client's summary of the conversation.
    Summary,
    /// A child agent of the main one.
    Child,
}

impl OpenCodeTurnState {
    /// Creates the state for a turn in this session; `before` are the ids of
    /// its old messages.
    pub(super) fn new(session: &str, before: impl IntoIterator<Item = String>) -> Self {
        let before = before.into_iter().collect();
        Self { session: session.to_owned(), before, ..Self::default() }
    }

    /// Returns the id of the session.
    pub(super) fn session(&self) -> &str {
        &self.session
    }

    /// Returns true if an event is about this session or a child of it.
    pub(super) fn concerns(&self, event: &Value) -> bool {
        let facts = &event["properties"];
        let session = facts["sessionID"].as_str().unwrap_or_default();
        let parent = facts["info"]["parentID"].as_str().unwrap_or_default();
        !self.session.is_empty()
            && [session, parent]
                .iter()
                .any(|id| *id == self.session || self.children.contains_key(*id))
    }

    /// Returns true if a session is known to be a child of this one.
    pub(super) fn knows(&self, info: &Value) -> bool {
        info["id"].as_str().is_some_and(|id| self.children.contains_key(id))
    }

    /// Returns true if an event is about a message of this turn.
    pub(super) fn is_new(&self, event: &Value) -> bool {
        let facts = &event["properties"];
        let id = facts["info"]["id"].as_str().or_else(|| facts["part"]["messageID"].as_str());
        id.is_some_and(|id| !self.before.contains(id))
    }

    /// Returns true if the turn may be over.
    pub(super) fn seems_over(&self) -> bool {
        match self.status {
            SessionActivity::Idle => true,
            SessionActivity::Busy => self.is_deleted,
            // A prompt that failed at once never makes the session busy.
            SessionActivity::Unknown => self.error.is_some() || self.is_deleted,
        }
    }

    /// Returns the certainty that the turn is over, from its last message, for
    /// a session that the server reports as idle. That report may be wrong:
    /// cleanup after an aborted turn reports idle again although the next turn
    /// has begun, and a prompt may wait for the project's plugins before it
    /// makes the session busy. An aborted turn is idle before its message is
    /// completed, and a prompt that arrives in between is lost.
    pub(super) fn certainty(&self) -> TurnEndCertainty {
        let is_broken = self.trouble().is_some();
        match self.last().map(|last| last.stage) {
            _ if self.is_deleted => TurnEndCertainty::Over,
            Some(MessageStage::Done) if !is_broken => TurnEndCertainty::Over,
            Some(MessageStage::Done | MessageStage::Tools) => TurnEndCertainty::Likely,
            None if is_broken => TurnEndCertainty::Likely,
            Some(MessageStage::Open) | None => TurnEndCertainty::Unlikely,
        }
    }

    /// Returns the error that ended the turn. Its event may be lost, so the
    /// message is searched, too.
    pub(super) fn trouble(&self) -> Option<&OpenCodeError> {
        self.error.as_ref().or_else(|| self.last()?.trouble.as_ref())
    }

    /// Stores the session's status as the server reports it.
    pub(super) fn note_status(&mut self, status: &Value) {
        match status["type"].as_str() {
            Some("busy") => {
                (self.status, self.retry) = (SessionActivity::Busy, None);
                self.error = None;
            }
            Some("retry") => {
                self.status = SessionActivity::Busy;
                self.retry = Some(OpenCodeRetry {
                    attempt: status["attempt"].as_u64().unwrap_or(1),
                    message: text(&status["message"]),
                    next: status["next"].as_i64().unwrap_or_default(),
                });
            }
            Some("idle") if self.status == SessionActivity::Busy => {
                self.status = SessionActivity::Idle;
            }
            Some(_) | None => {}
        }
    }

    /// Takes the next event; returns the pieces to show.
    pub(super) fn take(&mut self, event: &Value) -> Vec<OutputPiece> {
        let facts = &event["properties"];
        if !self.concerns(event) {
            return Vec::new();
        }
        let is_own = facts["sessionID"] == self.session.as_str();
        match (event["type"].as_str().unwrap_or_default(), is_own) {
            ("session.created" | "session.updated", false) => self.note_child(&facts["info"]),
            ("session.status", true) => {
                let before = self.retry.clone();
                self.note_status(&facts["status"]);
                return self
                    .retry
                    .iter()
                    .filter(|now| before.as_ref() != Some(now))
                    .map(waits)
                    .collect();
            }
            ("session.idle", true) if self.status == SessionActivity::Busy => {
                self.status = SessionActivity::Idle;
            }
            ("session.error", true) => return self.note_error(&facts["error"]),
            ("session.deleted", true) => self.is_deleted = true,
            ("session.compacted", true) => {
                return vec![note("the client shortened the conversation")];
            }
            ("message.updated", _) => self.note_message(&facts["info"], is_own),
            ("message.part.updated", _) => {
                return self.note_part(&facts["part"]).into_iter().collect();
            }
            (_, _) => {}
        }
        Vec::new()
    }

    /// Returns the usage of the turn, with subagents and summaries.
    pub(super) fn usage(&self) -> Usage {
        self.messages.iter().fold(Usage::default(), |sum, message| sum + message.usage)
    }

    /// Returns the text of the last message, which is empty if it only used
    /// tools.
    pub(super) fn text(&self) -> String {
        let texts = self.last().map(|last| last.texts.iter().map(|(_, text)| text.as_str()));
        let joined = texts.map(|texts| texts.collect::<Vec<_>>().join("\n\n")).unwrap_or_default();
        let start = joined.ceil_char_boundary(joined.len().saturating_sub(TEXT_BYTES));
        joined[start..].to_owned()
    }

    /// Returns true if the agent said or did anything.
    pub(super) fn is_alive(&self) -> bool {
        self.messages.iter().any(|message| message.is_alive)
    }

    /// Returns true if the session can be continued after the turn.
    pub(super) fn has_spoken(&self) -> bool {
        self.is_alive() && self.trouble().is_none() && !self.is_deleted
    }

    /// Returns the agent's newest message. If events were lost, that is not the
    /// last one received.
    fn last(&self) -> Option<&TrackedMessage> {
        let own = self.messages.iter().filter(|message| message.role == MessageOrigin::Main);
        own.max_by_key(|message| message.created)
    }

    fn note_child(&mut self, info: &Value) {
        let (Some(id), Some(title)) = (info["id"].as_str(), info["title"].as_str()) else { return };
        self.children.insert(id.to_owned(), one_line(title, LINE / 4));
    }

    fn note_error(&mut self, error: &Value) -> Vec<OutputPiece> {
        let trouble = trouble(error);
        let said = if trouble.message.is_empty() { &trouble.name } else { &trouble.message };
        let piece = note(said);
        // If a conversation is too long, the client shortens it and goes on.
        // Then a busy status clears the error.
        self.error = Some(trouble);
        // An error also ends a wait for the provider.
        self.retry = None;
        vec![piece]
    }

    #[expect(clippy::fn_params_excessive_bools, reason = "private, and named at its one call")]
    fn note_message(&mut self, info: &Value, is_own: bool) {
        let Some(id) = info["id"].as_str().filter(|id| !self.before.contains(*id)) else { return };
        if info["role"] != "assistant" {
            return;
        }
        let role = match (is_own, &info["summary"]) {
            (false, _) => MessageOrigin::Child,
            (true, Value::Bool(true)) => MessageOrigin::Summary,
            (true, _) => MessageOrigin::Main,
        };
        let at = self.messages.iter().position(|message| message.id == id).unwrap_or_else(|| {
            self.messages.push(TrackedMessage { id: id.to_owned(), ..TrackedMessage::default() });
            self.messages.len() - 1
        });
        let message = &mut self.messages[at];
        (message.role, message.usage, message.stage) = (role, usage(info), stage(info));
        message.is_alive |= message.usage != Usage::default();
        message.created = info["time"]["created"].as_i64().unwrap_or_default();
        message.trouble = info["error"].is_object().then(|| trouble(&info["error"]));
    }

    /// Stores a part of a message. Parts of unknown messages are the user's.
    fn note_part(&mut self, part: &Value) -> Option<OutputPiece> {
        let of = part["messageID"].as_str()?;
        let message = self.messages.iter_mut().find(|message| message.id == of)?;
        let id = part["id"].as_str()?;
        let piece = match part["type"].as_str()? {
            "text" => {
                let said = part["text"].as_str()?;
                if said.trim().is_empty() {
                    return None;
                }
                message.is_alive = true;
                match message.texts.iter_mut().find(|(known, _)| known == id) {
                    Some((_, known)) => said.clone_into(known),
                    None => message.texts.push((id.to_owned(), said.to_owned())),
                }
                // Shown as a whole, once it is complete.
                part["time"]["end"]
                    .is_number()
                    .then(|| OutputPiece::new(OutputPieceKind::Text, cut(said.trim(), SHOWN)))?
            }
            "tool" => {
                message.is_alive = true;
                let state = &part["state"];
                if state["status"] == "pending" {
                    return None;
                }
                OutputPiece::new(
                    OutputPieceKind::Tool,
                    tool(part["tool"].as_str()?, &state["input"]),
                )
            }
            _ => return None,
        };
        let role = message.role;
        if !self.shown.insert(id.to_owned()) {
            return None;
        }
        match role {
            MessageOrigin::Main => Some(piece),
            MessageOrigin::Summary => None,
            MessageOrigin::Child => {
                let name = part["sessionID"].as_str().and_then(|id| self.children.get(id));
                let name = name.map_or("agent", String::as_str);
                Some(OutputPiece::new(
                    OutputPieceKind::Child,
                    one_line(&format!("{name}: {}", piece.text), LINE),
                ))
            }
        }
    }
}

fn stage(info: &Value) -> MessageStage {
    let has_failed = info["error"].is_object();
    if !has_failed && !info["time"]["completed"].is_number() {
        MessageStage::Open
    } else if !has_failed && info["finish"] == "tool-calls" {
        MessageStage::Tools
    } else {
        MessageStage::Done
    }
}

fn trouble(error: &Value) -> OpenCodeError {
    OpenCodeError {
        name: text(&error["name"]),
        message: text(&error["data"]["message"]),
        status: error["data"]["statusCode"].as_u64().and_then(|code| code.try_into().ok()),
    }
}

/// Returns the usage of a message.
pub(super) fn usage(info: &Value) -> Usage {
    let tokens = &info["tokens"];
    let count = |value: &Value| value.as_u64().unwrap_or_default();
    Usage {
        input_tokens: count(&tokens["input"]).saturating_add(count(&tokens["cache"]["write"])),
        output_tokens: count(&tokens["output"]).saturating_add(count(&tokens["reasoning"])),
        cost: info["cost"].as_f64().and_then(Usd::from_dollars).unwrap_or_default(),
    }
}

fn text(value: &Value) -> String {
    one_line(value.as_str().unwrap_or_default(), 2 * LINE)
}

fn note(text: &str) -> OutputPiece {
    OutputPiece::new(OutputPieceKind::Note, one_line(text, LINE))
}

fn waits(retry: &OpenCodeRetry) -> OutputPiece {
    note(&format!(
        "the provider refuses work ({}); attempt {} failed, the client waits and tries again",
        retry.message, retry.attempt
    ))
}

/// Describes a tool use in one line: its name and its main argument.
fn tool(name: &str, input: &Value) -> String {
    let named = TELLING.into_iter().find_map(|field| input[field].as_str());
    let about = named.or_else(|| input.as_object()?.values().find_map(Value::as_str));
    match about.map(|text| one_line(text, LINE)) {
        Some(about) if !about.is_empty() => format!("{name}: {about}"),
        Some(_) | None => name.to_owned(),
    }
}

#[cfg(test)]
#[path = "follow_tests.rs"]
mod tests;
