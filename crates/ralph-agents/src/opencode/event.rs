//! Parses what the plugin writes to the standard input of a hook.

use std::path::{Path, PathBuf};

use ralph_core::host::{
    Actor, Breakage, BreakageKind, DeedKind, Happening, HostEvent, Mode, Position, Report, Silence,
    Start, ToolUse, Yield,
};
use ralph_core::ids::SessionId;
use serde::Deserialize;
use serde_json::Value;

use super::VERSION;
use crate::excerpt::excerpt;
use crate::host::BadPayload;

/// Tools that write the file given as an argument.
const WRITERS: [&str; 3] = ["edit", "write", "multiedit"];

/// Prefixes of lines in a patch that name a written file.
const PATCHED: [&str; 3] = ["*** Add File: ", "*** Update File: ", "*** Move to: "];

/// Maximum length of the description of a tool use.
const ABOUT_CHARS: usize = 200;

/// Maximum length of an error text.
const ERROR_CHARS: usize = 2000;

#[derive(Deserialize)]
struct Payload {
    #[serde(default)]
    v: u32,
    #[serde(rename = "type", default)]
    kind: String,
    session: Option<String>,
    parent: Option<String>,
    directory: Option<PathBuf>,
    message: Option<Message>,
    #[serde(default)]
    text: String,
    first: Option<bool>,
    #[serde(default)]
    command: String,
    #[serde(default)]
    arguments: String,
    #[serde(default)]
    error: Value,
    #[serde(default)]
    tool: String,
    call: Option<String>,
    #[serde(default)]
    title: String,
    #[serde(default)]
    args: Value,
    #[serde(default)]
    permission: String,
    #[serde(default)]
    patterns: Vec<String>,
    #[serde(default)]
    attempt: u32,
    #[serde(default)]
    did: String,
    #[serde(default)]
    run: String,
    created: Option<String>,
    #[serde(default)]
    mode: String,
}

#[derive(Deserialize)]
struct Message {
    id: String,
    #[serde(default)]
    text: String,
    /// True if the message is the summary of a longer conversation.
    #[serde(default)]
    summary: bool,
}

/// Parses the payload of one event.
///
/// Unknown events, and events of another version of the protocol, become
/// [`Happening::Other`].
pub fn parse(payload: &[u8]) -> Result<HostEvent, BadPayload> {
    match payload.trim_ascii_start().first() {
        None => return Err(BadPayload::Empty),
        Some(b'{') => {}
        Some(_) => return Err(BadPayload::NotAnObject),
    }
    serde_json::from_slice(payload).map(event).map_err(BadPayload::Json)
}

fn event(payload: Payload) -> HostEvent {
    let own = payload.session.clone().unwrap_or_default();
    // Events of a child belong to the session that started it.
    let (id, actor) = match payload.parent.clone().filter(|parent| !parent.is_empty()) {
        Some(parent) => (parent, Actor::Child(own)),
        None => (own, Actor::Main),
    };
    HostEvent {
        prompt: None,
        mode: (payload.mode == "plan").then_some(Mode::Plan),
        session: SessionId::new(&id),
        folder: payload.directory.clone().filter(|folder| !folder.as_os_str().is_empty()),
        name: payload.kind.clone(),
        what: happening(&actor, payload),
        actor,
    }
}

fn happening(actor: &Actor, payload: Payload) -> Happening {
    let other = |name| Happening::Other { name };
    if payload.v != VERSION {
        return other(payload.kind);
    }
    match (payload.kind.as_str(), actor) {
        ("tool.execute.after", _) => Happening::ToolsUsed(vec![used(&payload)]),
        ("session.idle", Actor::Child(_)) => Happening::ChildEnded,
        ("session.idle", Actor::Main) => silence(payload.message),
        ("started", Actor::Main) => Happening::HostStarted,
        ("done", Actor::Main) if is_abort(&payload.error) => {
            // The user aborted the action, such as a long summary.
            let text = message_of(&payload.error);
            Happening::TurnBroken(Breakage { kind: BreakageKind::Aborted, text, message: None })
        }
        ("done", Actor::Main) => match report(&payload) {
            Some(report) => Happening::Done(report),
            None => other(payload.kind),
        },
        // Errors while a conversation is summarised do not concern a turn.
        ("session.error", Actor::Main) if payload.message.as_ref().is_some_and(|m| m.summary) => {
            other(payload.kind)
        }
        ("session.error", Actor::Main) => match breakage(&payload) {
            Some(breakage) => Happening::TurnBroken(breakage),
            None => other(payload.kind),
        },
        ("session.deleted", Actor::Main) => {
            Happening::SessionEnded { reason: "deleted".to_owned() }
        }
        ("session.compacted", Actor::Main) => Happening::SessionStarted(Start::Compacted),
        ("chat.message", Actor::Main) => {
            Happening::Prompted { position: position(payload.first), text: payload.text }
        }
        ("command.execute.before", Actor::Main) => Happening::Prompted {
            text: format!("/{} {}", payload.command, payload.arguments),
            position: Position::Unknown,
        },
        ("permission.asked", Actor::Main) => Happening::PermissionAsked { what: asked(&payload) },
        ("permission.replied", Actor::Main) => Happening::PermissionAnswered,
        ("wake", Actor::Main) => Happening::Due,
        ("prompt.failed", Actor::Main) => {
            Happening::NotDelivered { attempts: payload.attempt, error: message_of(&payload.error) }
        }
        (_, _) => other(payload.kind),
    }
}

fn position(first: Option<bool>) -> Position {
    match first {
        Some(true) => Position::First,
        Some(false) => Position::Later,
        None => Position::Unknown,
    }
}

/// Returns the end of a turn. Without a message there was no turn.
fn silence(message: Option<Message>) -> Happening {
    match message {
        Some(Message { id, text, summary: true }) => {
            Happening::Compacted { summary: text, message: Some(id) }
        }
        Some(message) => Happening::TurnEnded(Silence {
            message: Some(message.id),
            text: Some(message.text),
            ..Silence::default()
        }),
        None => Happening::Other { name: "session.idle".to_owned() },
    }
}

/// Returns the result of an action; `None` if it is unknown.
fn report(payload: &Payload) -> Option<Report> {
    let deed = match payload.did.as_str() {
        "check" => DeedKind::Check,
        "summarize" => DeedKind::Summarize,
        "create" => DeedKind::Create,
        "select" => DeedKind::Select,
        "prompt" => DeedKind::Prompt,
        "delete" => DeedKind::Delete,
        _ => return None,
    };
    let failed = !payload.error.is_null();
    let result = if failed { Err(message_of(&payload.error)) } else { gain(payload, deed) };
    Some(Report { run: payload.run.parse().ok()?, deed, attempts: payload.attempt, result })
}

fn gain(payload: &Payload, deed: DeedKind) -> Result<Yield, String> {
    match deed {
        DeedKind::Summarize if payload.text.trim().is_empty() => {
            Err("the summary is empty".to_owned())
        }
        DeedKind::Summarize => Ok(Yield::Summary(payload.text.clone())),
        DeedKind::Create => {
            let named = payload.created.as_deref().unwrap_or_default();
            let wrong = || {
                let named: String = named.chars().take(ABOUT_CHARS).collect();
                format!("{named:?} cannot be the name of a session")
            };
            SessionId::new(named).map(Yield::Session).ok_or_else(wrong)
        }
        DeedKind::Check | DeedKind::Select | DeedKind::Prompt | DeedKind::Delete => {
            Ok(Yield::Nothing)
        }
    }
}

/// Returns the meaning of an error; `None` if OpenCode handles it.
fn breakage(payload: &Payload) -> Option<Breakage> {
    let name = payload.error["name"].as_str().unwrap_or_default();
    let status = payload.error["data"]["statusCode"].as_u64();
    let kind = match (name, status) {
        // The client shortens the conversation and the turn goes on.
        ("ContextOverflowError", _) => return None,
        (_, _) if is_abort(&payload.error) => BreakageKind::Aborted,
        ("ProviderAuthError", _) | (_, Some(401 | 403)) => BreakageKind::Refused,
        (_, Some(429)) => BreakageKind::Limit,
        (_, Some(500..)) => BreakageKind::Overloaded,
        (_, _) => BreakageKind::Other,
    };
    let text = message_of(&payload.error);
    let message = payload.message.as_ref().map(|message| message.id.clone());
    Some(Breakage { kind, text, message })
}

fn is_abort(error: &Value) -> bool {
    matches!(error["name"].as_str(), Some("MessageAbortedError" | "AbortError"))
}

/// Returns the message of an error, or at least its name.
fn message_of(error: &Value) -> String {
    let words = [&error["data"]["message"], &error["message"], error, &error["name"]];
    let said = words.into_iter().find_map(Value::as_str).unwrap_or("unknown error");
    excerpt(said, ERROR_CHARS)
}

fn asked(payload: &Payload) -> String {
    let what = format!("{}: {}", payload.permission, payload.patterns.join(", "));
    excerpt(&what, ABOUT_CHARS)
}

fn used(payload: &Payload) -> ToolUse {
    let command = payload.args["command"].as_str().unwrap_or(&payload.title);
    ToolUse {
        id: payload.call.clone(),
        tool: payload.tool.clone(),
        files: written(payload),
        about: excerpt(command, ABOUT_CHARS),
        error: None,
    }
}

/// Returns the files that a tool wrote. Paths in a patch are relative to the
/// folder of the session.
fn written(payload: &Payload) -> Vec<PathBuf> {
    let text = |name: &str| payload.args[name].as_str().unwrap_or_default();
    let names: Vec<&str> = match payload.tool.as_str() {
        "apply_patch" => {
            let named = |line| PATCHED.iter().find_map(|start| str::strip_prefix(line, start));
            text("patchText").lines().filter_map(named).map(str::trim).collect()
        }
        tool if WRITERS.contains(&tool) => vec![text("filePath")],
        _ => Vec::new(),
    };
    let folder = payload.directory.as_deref().unwrap_or_else(|| Path::new(""));
    names.into_iter().filter(|name| !name.is_empty()).map(|name| folder.join(name)).collect()
}

#[cfg(test)]
#[path = "event_tests.rs"]
mod tests;
