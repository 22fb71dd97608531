//! Parses what Claude Code writes to the standard input of a hook.
//!
//! The client adds fields in most releases, so only the JSON syntax is checked:
//! a missing field or another type counts as absent. Values stay raw text until
//! needed, because a payload may contain whole files that are never read.

mod wire;

use std::path::PathBuf;

use ralph_core::host::{
    Actor, Breakage, BreakageKind, Happening, HostEvent, Mode, Position, Silence, Start, ToolUse,
};
use ralph_core::ids::SessionId;

use crate::excerpt::excerpt;
use crate::host::BadPayload;
use wire::{Call, Input, Payload, Raw, Task, list, object, text};

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
/// [`Happening::Other`]. Bytes that are not UTF-8 and unpaired surrogates are
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

fn event(payload: &Payload<'_>) -> HostEvent {
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
fn actor(name: &str, id: Raw<'_>) -> Actor {
    match (text(id), id) {
        (Some(id), _) if !id.is_empty() => Actor::Child(id.into_owned()),
        (None, Some(odd)) => Actor::Child(excerpt(odd.get(), ABOUT_CHARS)),
        (Some(_), _) | (None, None) if name == "SubagentStop" => Actor::Child(String::new()),
        (Some(_), _) | (None, None) => Actor::Main,
    }
}

fn happening(name: &str, actor: &Actor, payload: &Payload<'_>) -> Happening {
    match name {
        "SessionStart" => Happening::SessionStarted(start(&said(payload.source))),
        "UserPromptSubmit" => prompted(said(payload.prompt)),
        "UserPromptExpansion" => Happening::CommandCalled {
            name: plain_command(&said(payload.command_name)).to_owned(),
            args: said(payload.command_args),
        },
        "PreToolUse" => Happening::ToolAsked(used(&payload.call())),
        "PostToolUse" => Happening::ToolsUsed(vec![used(&payload.call())]),
        "PostToolUseFailure" => Happening::ToolsUsed(vec![failed(payload)]),
        "PostToolBatch" => Happening::ToolsUsed(batch(payload.tool_calls)),
        "Stop" if *actor == Actor::Main => Happening::TurnEnded(silence(payload)),
        "Stop" | "SubagentStop" => Happening::ChildEnded,
        "StopFailure" => Happening::TurnBroken(breakage(payload)),
        "PreCompact" => Happening::Compacting,
        "PostCompact" => {
            Happening::Compacted { summary: said(payload.compact_summary), message: None }
        }
        "SessionEnd" => Happening::SessionEnded { reason: said(payload.reason) },
        _ => Happening::Other { name: name.to_owned() },
    }
}

/// Recognises prompts that the client sends itself when background work ends.
fn prompted(text: String) -> Happening {
    if text.starts_with("<task-notification") {
        Happening::Woken
    } else {
        Happening::Prompted { text, position: Position::Unknown }
    }
}

/// In every mode but `plan` the agent can change files, with or without asking.
fn mode(word: &str) -> Mode {
    if word == "plan" { Mode::Plan } else { Mode::Work }
}

fn start(source: &str) -> Start {
    match source {
        "startup" => Start::New,
        "resume" => Start::Resumed,
        "clear" => Start::Cleared,
        "compact" => Start::Compacted,
        "fork" => Start::Forked,
        _ => Start::Other,
    }
}

/// Strips the plugin name from a command.
fn plain_command(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, name)| name)
}

fn tool_use(call: &Call<'_>) -> ToolUse {
    described(call, &object(call.input))
}

fn described(call: &Call<'_>, input: &Input<'_>) -> ToolUse {
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
fn used(call: &Call<'_>) -> ToolUse {
    let input: Input<'_> = object(call.input);
    let tool_use = described(call, &input);
    if !WRITERS.contains(&tool_use.tool.as_str()) {
        return tool_use;
    }
    let files = path(input.file_path).or_else(|| path(input.notebook_path));
    ToolUse { files: files.into_iter().collect(), ..tool_use }
}

fn failed(payload: &Payload<'_>) -> ToolUse {
    let error = text(payload.error).unwrap_or("unknown error".into());
    ToolUse { error: Some(excerpt(&error, ERROR_CHARS)), ..tool_use(&payload.call()) }
}

/// Returns tool uses without an event of their own. Tools that write and tools
/// that fail have one; refused edits do not, and we do not listen to those of
/// other tools.
fn batch(calls: Raw<'_>) -> Vec<ToolUse> {
    let of = |call: &Call<'_>| ToolUse { error: error_in(call), ..tool_use(call) };
    let is_news = |used: &ToolUse| match &used.error {
        Some(error) => !error.starts_with(EXIT_CODE),
        None => !WRITERS.contains(&used.tool.as_str()),
    };
    list(calls).into_iter().map(|call| of(&object(Some(call)))).filter(is_news).collect()
}

/// Returns the error in a tool's answer, if it has one.
fn error_in(call: &Call<'_>) -> Option<String> {
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

fn silence(payload: &Payload<'_>) -> Silence {
    let tasks = list(payload.background_tasks).into_iter().filter_map(working);
    let schedules = list(payload.session_crons).into_iter().map(scheduled);
    Silence {
        message: None,
        text: text(payload.last_assistant_message).map(Into::into),
        transcript: path(payload.transcript_path),
        follows_hook: payload.stop_hook_active.is_some_and(|raw| raw.get() == "true"),
        background: tasks.chain(schedules).collect(),
    }
}

/// Describes a task; `None` if it is over. An unknown state counts as running.
fn working(task: &serde_json::value::RawValue) -> Option<String> {
    let task: Task<'_> = object(Some(task));
    let over = ["completed", "failed", "killed", "cancelled", "canceled", "stopped"];
    if text(task.status).is_some_and(|status| over.contains(&status.as_ref())) {
        return None;
    }
    Some(in_words(task.kind, "task", &[task.description, task.command, task.id]))
}

fn scheduled(cron: &serde_json::value::RawValue) -> String {
    let cron: Task<'_> = object(Some(cron));
    in_words(None, "schedule", &[cron.prompt, cron.schedule, cron.id])
}

/// Returns `kind: text`, with the first description that is not blank.
fn in_words(kind: Raw<'_>, otherwise: &str, descriptions: &[Raw<'_>]) -> String {
    let kind = text(kind).filter(|kind| !kind.is_empty()).unwrap_or(otherwise.into());
    let mut said = descriptions.iter().filter_map(|raw| text(*raw));
    match said.find(|words| !words.trim().is_empty()) {
        Some(words) => excerpt(&format!("{kind}: {}", words.trim()), ABOUT_CHARS),
        None => excerpt(&kind, ABOUT_CHARS),
    }
}

fn breakage(payload: &Payload<'_>) -> Breakage {
    let error = said(payload.error);
    let shown = text(payload.last_assistant_message).or_else(|| text(payload.error_details));
    let shown = shown.map_or_else(|| error.clone(), Into::into);
    Breakage { kind: breakage_kind(&error, &shown), text: shown, message: None }
}

fn breakage_kind(error: &str, shown: &str) -> BreakageKind {
    match error {
        "rate_limit" => BreakageKind::Limit,
        "overloaded" | "server_error" => BreakageKind::Overloaded,
        "authentication_failed"
        | "oauth_org_not_allowed"
        | "account_on_hold"
        | "verification_required"
        | "billing_error"
        | "cloud_credential_error" => BreakageKind::Refused,
        // For errors without a kind, the client shows the provider's status
        // code.
        _ => match shown.strip_prefix("API Error: ").and_then(|rest| rest.get(..3)) {
            Some("429") => BreakageKind::Limit,
            Some("500" | "502" | "503" | "504" | "529") => BreakageKind::Overloaded,
            Some("401" | "403") => BreakageKind::Refused,
            Some(_) | None => BreakageKind::Other,
        },
    }
}

fn said(raw: Raw<'_>) -> String {
    text(raw).map(Into::into).unwrap_or_default()
}

fn path(raw: Raw<'_>) -> Option<PathBuf> {
    let path = text(raw).filter(|path| !path.is_empty())?;
    Some(PathBuf::from(path.into_owned()))
}

#[cfg(test)]
#[path = "hook_tests.rs"]
mod tests;
