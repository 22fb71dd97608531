//! Parses what Claude Code writes to the standard input of a hook.
//!
//! The client adds fields in most releases, so only the JSON syntax is checked:
//! a missing field or another type counts as absent. Values stay raw text until
//! needed, because a payload may contain whole files that are never read.

mod wire;

use std::path::PathBuf;

use ralph_core::host::{
    AgentMode, EventAgent, HostEvent, HostEventKind, HostTurnEnd, HostTurnError, PromptEvent,
    PromptPosition, SessionEvent, SessionStart, ToolEvent, ToolUse, TurnErrorKind, TurnEvent,
};
use ralph_core::ids::SessionId;

use crate::excerpt::excerpt;
use crate::host::BadPayload;
use wire::{
    BackgroundTask, HookPayload, HookToolCall, RawField, ToolArguments, list, object, text,
};

/// Tools that write the file given as an argument.
pub(super) const WRITERS: [&str; 4] = ["Write", "Edit", "MultiEdit", "NotebookEdit"];

/// Start of the answer of a tool that could not be used.
const TOOL_ERROR: &str = "<tool_use_error>";

/// Start of the answer of a command that failed.
const EXIT_CODE: &str = "Exit code ";

/// Maximum length of the description of a tool use or a background task.
const ABOUT_CHARS: usize = 200;

/// Maximum length of a tool's error text.
const ERROR_CHARS: usize = 2000;

/// Parses the payload of one event.
///
/// Unknown events, and objects that are not events, become
/// [`HostEventKind::Other`]. Bytes that are not UTF-8 and unpaired surrogates are
/// replaced.
pub fn parse(payload: &[u8]) -> Result<HostEvent, BadPayload> {
    match read(payload) {
        // Checked only on errors, so that a valid payload is read once.
        Err(BadPayload::Json(_)) if std::str::from_utf8(payload).is_err() => {
            read(String::from_utf8_lossy(payload).as_bytes())
        }
        read => read,
    }
}

fn read(payload: &[u8]) -> Result<HostEvent, BadPayload> {
    match payload.trim_ascii_start().first() {
        None => return Err(BadPayload::Empty),
        Some(b'{') => {}
        Some(_) => return Err(BadPayload::NotAnObject),
    }
    serde_json::from_slice(payload).map(|payload| event(&payload)).map_err(BadPayload::Json)
}

fn event(payload: &HookPayload<'_>) -> HostEvent {
    let name = said(payload.hook_event_name);
    let actor = actor(&name, payload.agent_id);
    HostEvent {
        session: text(payload.session_id).and_then(|id| SessionId::new(&id)),
        what: happening(&name, &actor, payload),
        prompt: text(payload.prompt_id).map(|id| excerpt(&id, ABOUT_CHARS)),
        folder: path(payload.cwd),
        mode: text(payload.permission_mode).map(|word| mode(&word)),
        actor,
        name,
    }
}

/// Returns the agent that the event belongs to. In doubt it is a child, since
/// events of children decide nothing.
fn actor(name: &str, id: RawField<'_>) -> EventAgent {
    match (text(id), id) {
        (Some(id), _) if !id.is_empty() => EventAgent::Child(id.into_owned()),
        (None, Some(odd)) => EventAgent::Child(excerpt(odd.get(), ABOUT_CHARS)),
        (Some(_), _) | (None, None) if name == "SubagentStop" => EventAgent::Child(String::new()),
        (Some(_), _) | (None, None) => EventAgent::Main,
    }
}

fn happening(name: &str, actor: &EventAgent, payload: &HookPayload<'_>) -> HostEventKind {
    match name {
        "SessionStart" => {
            HostEventKind::Session(SessionEvent::Started(start(&said(payload.source))))
        }
        "UserPromptSubmit" => prompted(said(payload.prompt)),
        "UserPromptExpansion" => HostEventKind::Prompt(PromptEvent::Command {
            name: plain_command(&said(payload.command_name)).to_owned(),
            args: said(payload.command_args),
        }),
        "PreToolUse" => HostEventKind::Tools(ToolEvent::Asked(used(&payload.call()))),
        "PostToolUse" => HostEventKind::Tools(ToolEvent::Used(vec![used(&payload.call())])),
        "PostToolUseFailure" => HostEventKind::Tools(ToolEvent::Used(vec![failed(payload)])),
        "PostToolBatch" => HostEventKind::Tools(ToolEvent::Used(batch(payload.tool_calls))),
        "Stop" if *actor == EventAgent::Main => {
            HostEventKind::Turn(TurnEvent::Ended(silence(payload)))
        }
        "Stop" | "SubagentStop" => HostEventKind::Turn(TurnEvent::ChildEnded),
        "StopFailure" => HostEventKind::Turn(TurnEvent::Broken(breakage(payload))),
        "PreCompact" => HostEventKind::Session(SessionEvent::Compacting),
        "PostCompact" => HostEventKind::Session(SessionEvent::Compacted {
            summary: said(payload.compact_summary),
            message: None,
        }),
        "SessionEnd" => {
            HostEventKind::Session(SessionEvent::Ended { reason: said(payload.reason) })
        }
        _ => HostEventKind::Other { name: name.to_owned() },
    }
}

/// Recognises prompts that the client sends itself when background work ends.
fn prompted(text: String) -> HostEventKind {
    if text.starts_with("<task-notification") {
        HostEventKind::Prompt(PromptEvent::Woken)
    } else {
        HostEventKind::Prompt(PromptEvent::Sent { text, position: PromptPosition::Unknown })
    }
}

/// In every mode but `plan` the agent can change files, with or without asking.
fn mode(word: &str) -> AgentMode {
    if word == "plan" { AgentMode::Plan } else { AgentMode::Work }
}

fn start(source: &str) -> SessionStart {
    match source {
        "startup" => SessionStart::New,
        "resume" => SessionStart::Resumed,
        "clear" => SessionStart::Cleared,
        "compact" => SessionStart::Compacted,
        "fork" => SessionStart::Forked,
        _ => SessionStart::Other,
    }
}

/// Strips the plugin name from a command.
fn plain_command(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, name)| name)
}

fn tool_use(call: &HookToolCall<'_>) -> ToolUse {
    described(call, &object(call.input))
}

fn described(call: &HookToolCall<'_>, input: &ToolArguments<'_>) -> ToolUse {
    ToolUse {
        id: text(call.id).map(|id| excerpt(&id, ABOUT_CHARS)),
        tool: said(call.name),
        files: Vec::new(),
        about: input.about().map(|about| excerpt(&about, ABOUT_CHARS)).unwrap_or_default(),
        error: None,
    }
}

/// Returns a tool use with the files it writes. For batches use [`batch`],
/// since their answers do not tell a refusal from a success.
fn used(call: &HookToolCall<'_>) -> ToolUse {
    let input: ToolArguments<'_> = object(call.input);
    let tool_use = described(call, &input);
    if !WRITERS.contains(&tool_use.tool.as_str()) {
        return tool_use;
    }
    let files = path(input.file_path).or_else(|| path(input.notebook_path));
    ToolUse { files: files.into_iter().collect(), ..tool_use }
}

fn failed(payload: &HookPayload<'_>) -> ToolUse {
    let error = text(payload.error).unwrap_or("unknown error".into());
    ToolUse { error: Some(excerpt(&error, ERROR_CHARS)), ..tool_use(&payload.call()) }
}

/// Returns tool uses without an event of their own. Tools that write and tools
/// that fail have one; refused edits do not, and we do not listen to those of
/// other tools.
fn batch(calls: RawField<'_>) -> Vec<ToolUse> {
    let of = |call: &HookToolCall<'_>| ToolUse { error: error_in(call), ..tool_use(call) };
    let is_news = |used: &ToolUse| match &used.error {
        Some(error) => !error.starts_with(EXIT_CODE),
        None => !WRITERS.contains(&used.tool.as_str()),
    };
    list(calls).into_iter().map(|call| of(&object(Some(call)))).filter(is_news).collect()
}

/// Returns the error in a tool's answer, if it has one.
fn error_in(call: &HookToolCall<'_>) -> Option<String> {
    // Check the beginning first: the rest may be a whole file.
    let raw = call.response?.get().strip_prefix('"')?;
    if !raw.starts_with(TOOL_ERROR) && !raw.starts_with(EXIT_CODE) {
        return None;
    }
    let answer = text(call.response)?;
    if let Some(error) = answer.strip_prefix(TOOL_ERROR) {
        let error = error.strip_suffix("</tool_use_error>").unwrap_or(error);
        return Some(excerpt(error, ERROR_CHARS));
    }
    let code = answer.strip_prefix(EXIT_CODE)?.lines().next()?;
    let is_command = text(call.name).is_some_and(|tool| tool == "Bash");
    (is_command && code.parse::<i32>().is_ok()).then(|| excerpt(&answer, ERROR_CHARS))
}

fn silence(payload: &HookPayload<'_>) -> HostTurnEnd {
    let tasks = list(payload.background_tasks).into_iter().filter_map(working);
    let schedules = list(payload.session_crons).into_iter().map(scheduled);
    HostTurnEnd {
        message: None,
        text: text(payload.last_assistant_message).map(Into::into),
        transcript: path(payload.transcript_path),
        follows_hook: payload.stop_hook_active.is_some_and(|raw| raw.get() == "true"),
        background: tasks.chain(schedules).collect(),
    }
}

/// Describes a task; `None` if it is over. An unknown state counts as running.
fn working(task: &serde_json::value::RawValue) -> Option<String> {
    let task: BackgroundTask<'_> = object(Some(task));
    let over = ["completed", "failed", "killed", "cancelled", "canceled", "stopped"];
    if text(task.status).is_some_and(|status| over.contains(&status.as_ref())) {
        return None;
    }
    Some(in_words(task.kind, "task", &[task.description, task.command, task.id]))
}

fn scheduled(cron: &serde_json::value::RawValue) -> String {
    let cron: BackgroundTask<'_> = object(Some(cron));
    in_words(None, "schedule", &[cron.prompt, cron.schedule, cron.id])
}

/// Returns `kind: text`, with the first description that is not blank.
fn in_words(kind: RawField<'_>, otherwise: &str, descriptions: &[RawField<'_>]) -> String {
    let kind = text(kind).filter(|kind| !kind.is_empty()).unwrap_or(otherwise.into());
    let mut said = descriptions.iter().filter_map(|raw| text(*raw));
    match said.find(|words| !words.trim().is_empty()) {
        Some(words) => excerpt(&format!("{kind}: {}", words.trim()), ABOUT_CHARS),
        None => excerpt(&kind, ABOUT_CHARS),
    }
}

fn breakage(payload: &HookPayload<'_>) -> HostTurnError {
    let error = said(payload.error);
    let shown = text(payload.last_assistant_message).or_else(|| text(payload.error_details));
    let shown = shown.map_or_else(|| error.clone(), Into::into);
    HostTurnError { kind: breakage_kind(&error, &shown), text: shown, message: None }
}

fn breakage_kind(error: &str, shown: &str) -> TurnErrorKind {
    match error {
        "rate_limit" => TurnErrorKind::Limit,
        "overloaded" | "server_error" => TurnErrorKind::Overloaded,
        "authentication_failed"
        | "oauth_org_not_allowed"
        | "account_on_hold"
        | "verification_required"
        | "billing_error"
        | "cloud_credential_error" => TurnErrorKind::Refused,
        // For errors without a kind, the client shows the provider's status
        // code.
        _ => match shown.strip_prefix("API Error: ").and_then(|rest| rest.get(..3)) {
            Some("429") => TurnErrorKind::Limit,
            Some("500" | "502" | "503" | "504" | "529") => TurnErrorKind::Overloaded,
            Some("401" | "403") => TurnErrorKind::Refused,
            Some(_) | None => TurnErrorKind::Other,
        },
    }
}

fn said(raw: RawField<'_>) -> String {
    text(raw).map(Into::into).unwrap_or_default()
}

fn path(raw: RawField<'_>) -> Option<PathBuf> {
    let path = text(raw).filter(|path| !path.is_empty())?;
    Some(PathBuf::from(path.into_owned()))
}

#[cfg(test)]
#[path = "hook_tests.rs"]
mod tests;
