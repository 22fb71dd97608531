//! Parses what the plugin writes to the standard input of a hook.

use std::path::{Path, PathBuf};

use ralph_core::host::{
    ActionOutput, ActionReport, AgentMode, EventAgent, HostActionKind, HostEvent, HostEventKind,
    HostTurnEnd, HostTurnError, PromptEvent, PromptPosition, SessionEvent, SessionStart, ToolEvent,
    ToolUse, TurnErrorKind, TurnEvent,
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
struct PluginPayload {
    #[serde(default)]
    v: u32,
    #[serde(rename = "type", default)]
    kind: String,
    session: Option<String>,
    parent: Option<String>,
    directory: Option<PathBuf>,
    message: Option<PluginMessage>,
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
struct PluginMessage {
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
/// [`HostEventKind::Other`].
pub fn parse(payload: &[u8]) -> Result<HostEvent, BadPayload> {
    match payload.trim_ascii_start().first() {
        None => return Err(BadPayload::Empty),
        Some(b'{') => {}
        Some(_) => return Err(BadPayload::NotAnObject),
    }
    serde_json::from_slice(payload).map(event).map_err(BadPayload::Json)
}

fn event(payload: PluginPayload) -> HostEvent {
    let own = payload.session.clone().unwrap_or_default();
    // Events of a child belong to the session that started it.
    let (id, actor) = match payload.parent.clone().filter(|parent| !parent.is_empty()) {
        Some(parent) => (parent, EventAgent::Child(own)),
        None => (own, EventAgent::Main),
    };
    HostEvent {
        prompt: None,
        mode: (payload.mode == "plan").then_some(AgentMode::Plan),
        session: SessionId::new(&id),
        folder: payload.directory.clone().filter(|folder| !folder.as_os_str().is_empty()),
        name: payload.kind.clone(),
        what: happening(&actor, payload),
        actor,
    }
}

fn happening(actor: &EventAgent, payload: PluginPayload) -> HostEventKind {
    let other = |name| HostEventKind::Other { name };
    if payload.v != VERSION {
        return other(payload.kind);
    }
    match (payload.kind.as_str(), actor) {
        ("tool.execute.after", _) => HostEventKind::Tools(ToolEvent::Used(vec![used(&payload)])),
        ("session.idle", EventAgent::Child(_)) => HostEventKind::Turn(TurnEvent::ChildEnded),
        ("session.idle", EventAgent::Main) => silence(payload.message),
        ("started", EventAgent::Main) => HostEventKind::HostStarted,
        ("done", EventAgent::Main) if is_abort(&payload.error) => {
            // The user aborted the action, such as a long summary.
            let text = message_of(&payload.error);
            HostEventKind::Turn(TurnEvent::Broken(HostTurnError {
                kind: TurnErrorKind::Aborted,
                text,
                message: None,
            }))
        }
        ("done", EventAgent::Main) => match report(&payload) {
            Some(report) => HostEventKind::Action(report),
            None => other(payload.kind),
        },
        // Errors while a conversation is summarised do not concern a turn.
        ("session.error", EventAgent::Main)
            if payload.message.as_ref().is_some_and(|m| m.summary) =>
        {
            other(payload.kind)
        }
        ("session.error", EventAgent::Main) => match breakage(&payload) {
            Some(breakage) => HostEventKind::Turn(TurnEvent::Broken(breakage)),
            None => other(payload.kind),
        },
        ("session.deleted", EventAgent::Main) => {
            HostEventKind::Session(SessionEvent::Ended { reason: "deleted".to_owned() })
        }
        ("session.compacted", EventAgent::Main) => {
            HostEventKind::Session(SessionEvent::Started(SessionStart::Compacted))
        }
        ("chat.message", EventAgent::Main) => HostEventKind::Prompt(PromptEvent::Sent {
            position: position(payload.first),
            text: payload.text,
        }),
        ("command.execute.before", EventAgent::Main) => HostEventKind::Prompt(PromptEvent::Sent {
            text: format!("/{} {}", payload.command, payload.arguments),
            position: PromptPosition::Unknown,
        }),
        ("permission.asked", EventAgent::Main) => {
            HostEventKind::Tools(ToolEvent::PermissionAsked { what: asked(&payload) })
        }
        ("permission.replied", EventAgent::Main) => {
            HostEventKind::Tools(ToolEvent::PermissionAnswered)
        }
        ("wake", EventAgent::Main) => HostEventKind::Prompt(PromptEvent::Due),
        ("prompt.failed", EventAgent::Main) => HostEventKind::Prompt(PromptEvent::NotDelivered {
            attempts: payload.attempt,
            error: message_of(&payload.error),
        }),
        (_, _) => other(payload.kind),
    }
}

fn position(first: Option<bool>) -> PromptPosition {
    match first {
        Some(true) => PromptPosition::First,
        Some(false) => PromptPosition::Later,
        None => PromptPosition::Unknown,
    }
}

/// Returns the end of a turn. Without a message there was no turn.
fn silence(message: Option<PluginMessage>) -> HostEventKind {
    match message {
        Some(PluginMessage { id, text, summary: true }) => {
            HostEventKind::Session(SessionEvent::Compacted { summary: text, message: Some(id) })
        }
        Some(message) => HostEventKind::Turn(TurnEvent::Ended(HostTurnEnd {
            message: Some(message.id),
            text: Some(message.text),
            ..HostTurnEnd::default()
        })),
        None => HostEventKind::Other { name: "session.idle".to_owned() },
    }
}

/// Returns the result of an action; `None` if it is unknown.
fn report(payload: &PluginPayload) -> Option<ActionReport> {
    let deed = match payload.did.as_str() {
        "check" => HostActionKind::Check,
        "summarize" => HostActionKind::Summarize,
        "create" => HostActionKind::Create,
        "select" => HostActionKind::Select,
        "prompt" => HostActionKind::Prompt,
        "delete" => HostActionKind::Delete,
        _ => return None,
    };
    let failed = !payload.error.is_null();
    let result = if failed { Err(message_of(&payload.error)) } else { gain(payload, deed) };
    Some(ActionReport { run: payload.run.parse().ok()?, deed, attempts: payload.attempt, result })
}

fn gain(payload: &PluginPayload, deed: HostActionKind) -> Result<ActionOutput, String> {
    match deed {
        HostActionKind::Summarize if payload.text.trim().is_empty() => {
            Err("the summary is empty".to_owned())
        }
        HostActionKind::Summarize => Ok(ActionOutput::Summary(payload.text.clone())),
        HostActionKind::Create => {
            let named = payload.created.as_deref().unwrap_or_default();
            let wrong = || {
                let named: String = named.chars().take(ABOUT_CHARS).collect();
                format!("{named:?} cannot be the name of a session")
            };
            SessionId::new(named).map(ActionOutput::Session).ok_or_else(wrong)
        }
        HostActionKind::Check
        | HostActionKind::Select
        | HostActionKind::Prompt
        | HostActionKind::Delete => Ok(ActionOutput::Nothing),
    }
}

/// Returns the meaning of an error; `None` if OpenCode handles it.
fn breakage(payload: &PluginPayload) -> Option<HostTurnError> {
    let name = payload.error["name"].as_str().unwrap_or_default();
    let status = payload.error["data"]["statusCode"].as_u64();
    let kind = match (name, status) {
        // The client shortens the conversation and the turn goes on.
        ("ContextOverflowError", _) => return None,
        (_, _) if is_abort(&payload.error) => TurnErrorKind::Aborted,
        ("ProviderAuthError", _) | (_, Some(401 | 403)) => TurnErrorKind::Refused,
        (_, Some(429)) => TurnErrorKind::Limit,
        (_, Some(500..)) => TurnErrorKind::Overloaded,
        (_, _) => TurnErrorKind::Other,
    };
    let text = message_of(&payload.error);
    let message = payload.message.as_ref().map(|message| message.id.clone());
    Some(HostTurnError { kind, text, message })
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

fn asked(payload: &PluginPayload) -> String {
    let what = format!("{}: {}", payload.permission, payload.patterns.join(", "));
    excerpt(&what, ABOUT_CHARS)
}

fn used(payload: &PluginPayload) -> ToolUse {
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
fn written(payload: &PluginPayload) -> Vec<PathBuf> {
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
