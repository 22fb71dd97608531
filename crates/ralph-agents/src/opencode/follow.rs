//! One turn as the server tells it: what was said and used, and whether it is
//! over.
//!
//! Events are pushed as they come and may come late, twice or not at all, so
//! everything is kept by the name of its message, and messages that were there
//! before the turn are no part of it.

use std::collections::{HashMap, HashSet};

use ralph_core::usage::{Usage, Usd};
use serde_json::Value;

use crate::line::{cut, one_line};
use crate::listen::{Piece, PieceKind};

/// How long a line about a tool or the turn may get, in characters.
const LINE: usize = 160;

/// How much of one text is shown, in characters.
const SHOWN: usize = 8_000;

/// The end of a long text is what counts.
const TEXT_BYTES: usize = 1024 * 1024;

/// Where tools say what they are about, the most telling first.
const TELLING: [&str; 9] =
    ["command", "filePath", "pattern", "url", "query", "description", "name", "path", "prompt"];

/// A turn as far as it went.
#[derive(Clone, Debug, Default)]
pub(super) struct Follow {
    session: String,
    /// Messages of earlier turns.
    before: HashSet<String>,
    /// Sessions that this one began, with what they are about.
    children: HashMap<String, String>,
    messages: Vec<Message>,
    /// Parts that were shown.
    shown: HashSet<String>,
    status: Status,
    /// The provider refuses work, and the client waits to ask again.
    pub(super) retry: Option<Retry>,
    /// What went wrong last, if nothing went on after it.
    error: Option<Trouble>,
    /// Whether the session no longer exists.
    pub(super) is_deleted: bool,
}

/// How sure it is that a turn is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Certainty {
    Over,
    /// Unless the next message is about to begin, or the last one to be closed.
    Likely,
    Unlikely,
}

/// What the session does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Status {
    /// Nobody said so since the prompt.
    #[default]
    Unknown,
    Busy,
    /// It was busy, and is not any more.
    Idle,
}

/// The client waits before it asks the provider again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Retry {
    pub(super) attempt: u64,
    pub(super) message: String,
    /// When it asks again, in milliseconds since 1970.
    pub(super) next: i64,
}

/// An error that the client tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Trouble {
    pub(super) name: String,
    pub(super) message: String,
    /// The status of the provider's answer.
    pub(super) status: Option<u16>,
}

#[derive(Clone, Debug, Default)]
struct Message {
    id: String,
    /// When it was begun, in milliseconds since 1970.
    created: i64,
    usage: Usage,
    role: Role,
    /// Its texts in their order, each with the name of its part.
    texts: Vec<(String, String)>,
    /// Whether anything was said or done in it.
    is_alive: bool,
    stage: Stage,
    /// What it broke off with.
    trouble: Option<Trouble>,
}

/// How far a message is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Open,
    /// It ended with tools, so another one may follow.
    Tools,
    Done,
}

/// Whose message it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Role {
    #[default]
    Main,
    /// The client sums up the conversation.
    Summary,
    /// An agent that the main one began.
    Child,
}

impl Follow {
    /// A turn of this session in which these messages are old.
    pub(super) fn new(session: &str, before: impl IntoIterator<Item = String>) -> Self {
        let before = before.into_iter().collect();
        Self { session: session.to_owned(), before, ..Self::default() }
    }

    /// The session.
    pub(super) fn session(&self) -> &str {
        &self.session
    }

    /// Whether an event is about this session, or one that it began.
    pub(super) fn concerns(&self, event: &Value) -> bool {
        let facts = &event["properties"];
        let session = facts["sessionID"].as_str().unwrap_or_default();
        let parent = facts["info"]["parentID"].as_str().unwrap_or_default();
        !self.session.is_empty()
            && [session, parent]
                .iter()
                .any(|id| *id == self.session || self.children.contains_key(*id))
    }

    /// Whether a session is known to have been begun by this one.
    pub(super) fn knows(&self, info: &Value) -> bool {
        info["id"].as_str().is_some_and(|id| self.children.contains_key(id))
    }

    /// Whether an event is about a message of this turn.
    pub(super) fn is_new(&self, event: &Value) -> bool {
        let facts = &event["properties"];
        let id = facts["info"]["id"].as_str().or_else(|| facts["part"]["messageID"].as_str());
        id.is_some_and(|id| !self.before.contains(id))
    }

    /// Whether the turn looks as if it were over.
    pub(super) fn seems_over(&self) -> bool {
        match self.status {
            Status::Idle => true,
            Status::Busy => self.is_deleted,
            // A prompt that could not even begin makes nothing busy.
            Status::Unknown => self.error.is_some() || self.is_deleted,
        }
    }

    /// Whether the last message says that the turn is over, where the server
    /// says that nothing goes on. It may be wrong: what an aborted turn leaves
    /// to be done makes the session idle once more, though the next turn has
    /// begun, and a prompt may wait for the project's plugins before it makes
    /// the session busy. A turn that broke off is idle before it is done: the
    /// client closes its message, and loses a prompt that comes meanwhile.
    pub(super) fn certainty(&self) -> Certainty {
        let is_broken = self.trouble().is_some();
        match self.last().map(|last| last.stage) {
            _ if self.is_deleted => Certainty::Over,
            Some(Stage::Done) if !is_broken => Certainty::Over,
            Some(Stage::Done | Stage::Tools) => Certainty::Likely,
            None if is_broken => Certainty::Likely,
            Some(Stage::Open) | None => Certainty::Unlikely,
        }
    }

    /// What the turn broke off with. The event that says so may be lost; the
    /// message says it too.
    pub(super) fn trouble(&self) -> Option<&Trouble> {
        self.error.as_ref().or_else(|| self.last()?.trouble.as_ref())
    }

    /// Takes the word of the server for what the session does now.
    pub(super) fn note_status(&mut self, status: &Value) {
        match status["type"].as_str() {
            Some("busy") => {
                (self.status, self.retry) = (Status::Busy, None);
                self.error = None;
            }
            Some("retry") => {
                self.status = Status::Busy;
                self.retry = Some(Retry {
                    attempt: status["attempt"].as_u64().unwrap_or(1),
                    message: text(&status["message"]),
                    next: status["next"].as_i64().unwrap_or_default(),
                });
            }
            Some("idle") if self.status == Status::Busy => self.status = Status::Idle,
            Some(_) | None => {}
        }
    }

    /// Takes the next event; gives what a person reads of it.
    pub(super) fn take(&mut self, event: &Value) -> Vec<Piece> {
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
            ("session.idle", true) if self.status == Status::Busy => self.status = Status::Idle,
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

    /// What the turn used, subagents and summaries included.
    pub(super) fn usage(&self) -> Usage {
        self.messages.iter().fold(Usage::default(), |sum, message| sum + message.usage)
    }

    /// The text of the last message, which is empty if that only used tools.
    pub(super) fn text(&self) -> String {
        let texts = self.last().map(|last| last.texts.iter().map(|(_, text)| text.as_str()));
        let joined = texts.map(|texts| texts.collect::<Vec<_>>().join("\n\n")).unwrap_or_default();
        let start = joined.ceil_char_boundary(joined.len().saturating_sub(TEXT_BYTES));
        joined[start..].to_owned()
    }

    /// Whether the agent said or did anything.
    pub(super) fn is_alive(&self) -> bool {
        self.messages.iter().any(|message| message.is_alive)
    }

    /// Whether the turn left a session behind that can go on.
    pub(super) fn has_spoken(&self) -> bool {
        self.is_alive() && self.trouble().is_none() && !self.is_deleted
    }

    /// The agent's newest message: one whose events were lost is heard of last.
    fn last(&self) -> Option<&Message> {
        let own = self.messages.iter().filter(|message| message.role == Role::Main);
        own.max_by_key(|message| message.created)
    }

    fn note_child(&mut self, info: &Value) {
        let (Some(id), Some(title)) = (info["id"].as_str(), info["title"].as_str()) else { return };
        self.children.insert(id.to_owned(), one_line(title, LINE / 4));
    }

    fn note_error(&mut self, error: &Value) -> Vec<Piece> {
        let trouble = trouble(error);
        let said = if trouble.message.is_empty() { &trouble.name } else { &trouble.message };
        let piece = note(said);
        // Of a conversation that is too long the client makes a shorter one and
        // goes on: being busy again takes the error back.
        self.error = Some(trouble);
        // Whoever waited for the provider waits no longer.
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
            (false, _) => Role::Child,
            (true, Value::Bool(true)) => Role::Summary,
            (true, _) => Role::Main,
        };
        let at = self.messages.iter().position(|message| message.id == id).unwrap_or_else(|| {
            self.messages.push(Message { id: id.to_owned(), ..Message::default() });
            self.messages.len() - 1
        });
        let message = &mut self.messages[at];
        (message.role, message.usage, message.stage) = (role, usage(info), stage(info));
        message.is_alive |= message.usage != Usage::default();
        message.created = info["time"]["created"].as_i64().unwrap_or_default();
        message.trouble = info["error"].is_object().then(|| trouble(&info["error"]));
    }

    /// Parts of messages that nobody announced are the user's.
    fn note_part(&mut self, part: &Value) -> Option<Piece> {
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
                // Told whole, once it is complete.
                part["time"]["end"]
                    .is_number()
                    .then(|| Piece::new(PieceKind::Text, cut(said.trim(), SHOWN)))?
            }
            "tool" => {
                message.is_alive = true;
                let state = &part["state"];
                if state["status"] == "pending" {
                    return None;
                }
                Piece::new(PieceKind::Tool, tool(part["tool"].as_str()?, &state["input"]))
            }
            _ => return None,
        };
        let role = message.role;
        if !self.shown.insert(id.to_owned()) {
            return None;
        }
        match role {
            Role::Main => Some(piece),
            Role::Summary => None,
            Role::Child => {
                let name = part["sessionID"].as_str().and_then(|id| self.children.get(id));
                let name = name.map_or("agent", String::as_str);
                Some(Piece::new(
                    PieceKind::Child,
                    one_line(&format!("{name}: {}", piece.text), LINE),
                ))
            }
        }
    }
}

fn stage(info: &Value) -> Stage {
    let has_failed = info["error"].is_object();
    if !has_failed && !info["time"]["completed"].is_number() {
        Stage::Open
    } else if !has_failed && info["finish"] == "tool-calls" {
        Stage::Tools
    } else {
        Stage::Done
    }
}

fn trouble(error: &Value) -> Trouble {
    Trouble {
        name: text(&error["name"]),
        message: text(&error["data"]["message"]),
        status: error["data"]["statusCode"].as_u64().and_then(|code| code.try_into().ok()),
    }
}

/// What a message used.
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

fn note(text: &str) -> Piece {
    Piece::new(PieceKind::Note, one_line(text, LINE))
}

fn waits(retry: &Retry) -> Piece {
    note(&format!(
        "the provider refuses work ({}); attempt {} failed, the client waits and tries again",
        retry.message, retry.attempt
    ))
}

/// A use of a tool in one line: its name and what it is about.
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
