//! Parses what a host writes to the standard input of a hook.
//!
//! Clients add fields in most releases, so only the JSON syntax is checked:
//! a missing field or another type counts as absent. Values stay raw text until
//! needed, because a payload may contain whole files that are never read.

mod wire;

use std::path::PathBuf;

use ralph_core::host::{
    AgentMode, EventAgent, HostEvent, HostEventKind, HostTurnEnd, HostTurnError, PromptEvent,
    PromptPosition, SessionEvent, SessionStart, ToolEvent, ToolUse, TurnErrorKind, TurnEvent,
};
use ralph_core::ids::SessionId;

use super::{HookDialect, HookMeaning};
use crate::excerpt::excerpt;
use crate::host::BadPayload;
use wire::{
    BackgroundTask, HookPayload, HookToolCall, PromptPart, RawField, ToolArguments, list, object,
    text,
};

/// Start of the answer of a tool that could not be used.
const TOOL_ERROR: &str = "<tool_use_error>";

/// Start of the answer of a command that failed.
const EXIT_CODE: &str = "Exit code ";

/// What some clients write before the JSON.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Maximum length of the description of a tool use or a background task.
const ABOUT_CHARS: usize = 200;

/// Maximum length of a tool's error text.
const ERROR_CHARS: usize = 2000;

/// Parses the payload of one event.
///
/// Unknown events, and objects that are not events, become
/// [`HostEventKind::Other`]. Bytes that are not UTF-8 and unpaired surrogates are
/// replaced.
pub(crate) fn parse(dialect: &HookDialect, payload: &[u8]) -> Result<HostEvent, BadPayload> {
    match read(dialect, payload) {
        // Checked only on errors, so that a valid payload is read once.
        Err(BadPayload::Json(_)) if std::str::from_utf8(payload).is_err() => {
            read(dialect, String::from_utf8_lossy(payload).as_bytes())
        }
        read => read,
    }
}

fn read(dialect: &HookDialect, payload: &[u8]) -> Result<HostEvent, BadPayload> {
    let payload = payload.strip_prefix(BYTE_ORDER_MARK).unwrap_or(payload);
    match payload.trim_ascii_start().first() {
        None => return Err(BadPayload::Empty),
        Some(b'{') => {}
        Some(_) => return Err(BadPayload::NotAnObject),
    }
    let payload = serde_json::from_slice(payload).map_err(BadPayload::Json)?;
    Ok(PayloadReading { dialect, payload }.event())
}

/// A payload, and the dialect it is in.
struct PayloadReading<'a> {
    dialect: &'a HookDialect,
    payload: HookPayload<'a>,
}

impl PayloadReading<'_> {
    fn event(&self) -> HostEvent {
        let payload = &self.payload;
        let name = said(payload.hook_event_name.or(payload.event));
        let means = self.dialect.meaning(&name);
        let actor = actor(means, payload.agent_id);
        let session = payload.session_id.or(payload.conversation_id);
        let folder = path(payload.cwd).or_else(|| path(payload.working_dir));
        HostEvent {
            session: text(session).and_then(|id| SessionId::new(&id)),
            what: match means {
                Some(means) => self.happening(means, &actor),
                None => HostEventKind::Other { name: name.clone() },
            },
            prompt: text(payload.prompt_id.or(payload.turn_id)).map(|id| excerpt(&id, ABOUT_CHARS)),
            folder: folder.or_else(|| path(list(payload.workspace_roots).first().copied())),
            mode: text(payload.permission_mode).map(|word| mode(&word)),
            actor,
            name,
        }
    }

    fn happening(&self, means: HookMeaning, actor: &EventAgent) -> HostEventKind {
        let payload = &self.payload;
        let session = HostEventKind::Session;
        match means {
            HookMeaning::SessionStarted => {
                session(SessionEvent::Started(start(&said(payload.source))))
            }
            HookMeaning::Prompt => prompted(typed(payload.prompt)),
            HookMeaning::Command => HostEventKind::Prompt(PromptEvent::Command {
                name: plain_command(&said(payload.command_name)).to_owned(),
                args: said(payload.command_args),
            }),
            HookMeaning::BeforeEdit => {
                HostEventKind::Tools(ToolEvent::Asked(self.used(&payload.call())))
            }
            HookMeaning::ToolUsed => tools(vec![self.used(&payload.call())]),
            HookMeaning::FileEdited => tools(vec![edited(payload)]),
            HookMeaning::ToolFailed => tools(vec![failed(payload)]),
            HookMeaning::ToolBatch => tools(self.batch(payload.tool_calls)),
            HookMeaning::TurnEnded if *actor == EventAgent::Main => {
                HostEventKind::Turn(self.turn_ended())
            }
            HookMeaning::TurnEnded | HookMeaning::ChildEnded => {
                HostEventKind::Turn(TurnEvent::ChildEnded)
            }
            HookMeaning::TurnBroken => HostEventKind::Turn(TurnEvent::Broken(breakage(payload))),
            HookMeaning::Interrupted => HostEventKind::Turn(aborted(TurnErrorKind::Aborted)),
            HookMeaning::Compacting => session(SessionEvent::Compacting),
            HookMeaning::Compacted => session(SessionEvent::Compacted {
                summary: said(payload.compact_summary),
                message: None,
            }),
            HookMeaning::SessionEnded => {
                session(SessionEvent::Ended { reason: said(payload.reason) })
            }
        }
    }

    /// Returns a tool use with the files it writes. For batches use
    /// [`Self::batch`], since their answers do not tell a refusal from a success.
    fn used(&self, call: &HookToolCall<'_>) -> ToolUse {
        let input: ToolArguments<'_> = object(call.input);
        let tool_use = described(call, &input);
        if !self.is_writer(&tool_use.tool) {
            return tool_use;
        }
        let fields = [input.file_path, input.notebook_path, input.path];
        let file = fields.into_iter().find_map(path);
        let files = file.map_or_else(|| patched(&said(input.command)), |file| vec![file]);
        ToolUse { files, ..tool_use }
    }

    fn is_writer(&self, tool: &str) -> bool {
        self.dialect.writers.contains(&tool)
    }

    /// Returns tool uses without an event of their own. Tools that write and tools
    /// that fail have one; refused edits do not, and we do not listen to those of
    /// other tools.
    fn batch(&self, calls: RawField<'_>) -> Vec<ToolUse> {
        let of = |call: &HookToolCall<'_>| ToolUse { error: error_in(call), ..tool_use(call) };
        let is_news = |used: &ToolUse| match &used.error {
            Some(error) => !error.starts_with(EXIT_CODE),
            None => !self.is_writer(&used.tool),
        };
        list(calls).into_iter().map(|call| of(&object(Some(call)))).filter(is_news).collect()
    }

    fn turn_ended(&self) -> TurnEvent {
        match text(self.payload.status).as_deref() {
            Some("aborted") => aborted(TurnErrorKind::Aborted),
            Some("error") => aborted(TurnErrorKind::Other),
            Some(_) | None => TurnEvent::Ended(silence(&self.payload)),
        }
    }
}

/// Returns the agent that the event belongs to. In doubt it is a child, since
/// events of children decide nothing.
fn actor(means: Option<HookMeaning>, id: RawField<'_>) -> EventAgent {
    match (text(id), id) {
        (Some(id), _) if !id.is_empty() => EventAgent::Child(id.into_owned()),
        (None, Some(odd)) => EventAgent::Child(excerpt(odd.get(), ABOUT_CHARS)),
        (Some(_), _) | (None, None) if means == Some(HookMeaning::ChildEnded) => {
            EventAgent::Child(String::new())
        }
        (Some(_), _) | (None, None) => EventAgent::Main,
    }
}

fn tools(uses: Vec<ToolUse>) -> HostEventKind {
    HostEventKind::Tools(ToolEvent::Used(uses))
}

/// Returns the text of a prompt, which may come in parts. A command that a client
/// replaced by its text may have tags around it.
fn typed(prompt: RawField<'_>) -> String {
    let text = joined(prompt);
    let inner = text.trim().strip_prefix("<system-notification>");
    match inner.and_then(|inner| inner.strip_suffix("</system-notification>")) {
        Some(inner) => inner.trim().to_owned(),
        None => text,
    }
}

fn joined(prompt: RawField<'_>) -> String {
    let parts = list(prompt).into_iter().filter_map(|part| {
        let part: PromptPart<'_> = object(Some(part));
        text(part.text)
    });
    text(prompt).map_or_else(|| parts.collect::<Vec<_>>().join("\n"), Into::into)
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
        "startup" | "new" => SessionStart::New,
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
        id: text(call.id.or(call.other_id)).map(|id| excerpt(&id, ABOUT_CHARS)),
        tool: said(call.name),
        files: Vec::new(),
        about: input.about().map(|about| excerpt(&about, ABOUT_CHARS)).unwrap_or_default(),
        error: None,
    }
}

/// Returns the files that a patch writes.
fn patched(patch: &str) -> Vec<PathBuf> {
    let marks = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];
    let lines = patch.lines();
    let files = lines.filter_map(|line| marks.iter().find_map(|mark| line.strip_prefix(mark)));
    files.map(|file| PathBuf::from(file.trim())).collect()
}

fn edited(payload: &HookPayload<'_>) -> ToolUse {
    let files: Vec<PathBuf> = path(payload.file_path).into_iter().collect();
    let about = files.first().map(|file| excerpt(&file.to_string_lossy(), ABOUT_CHARS));
    ToolUse {
        files,
        tool: "edit".to_owned(),
        about: about.unwrap_or_default(),
        ..ToolUse::default()
    }
}

fn failed(payload: &HookPayload<'_>) -> ToolUse {
    let error = text(payload.error).unwrap_or("unknown error".into());
    ToolUse { error: Some(excerpt(&error, ERROR_CHARS)), ..tool_use(&payload.call()) }
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
    let schedules = list(payload.session_crons.or(payload.crons)).into_iter().map(scheduled);
    let follows_hook = payload.stop_hook_active.is_some_and(|raw| raw.get() == "true");
    // It holds what was said before a hook made the agent go on, too.
    let response = payload.prompt_response.filter(|_| !follows_hook);
    HostTurnEnd {
        message: None,
        text: text(payload.last_assistant_message.or(response)).map(Into::into),
        transcript: path(payload.transcript_path),
        follows_hook,
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

fn aborted(kind: TurnErrorKind) -> TurnEvent {
    TurnEvent::Broken(HostTurnError { kind, text: String::new(), message: None })
}

fn breakage(payload: &HookPayload<'_>) -> HostTurnError {
    let error = said(payload.error.or(payload.error_type));
    let shown = text(payload.last_assistant_message)
        .or_else(|| text(payload.error_details))
        .or_else(|| text(payload.error_message));
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
        // For errors without a kind, clients show the provider's status code.
        _ => match shown.strip_prefix("API Error: ").unwrap_or(shown).get(..3) {
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
#[path = "parse_tests.rs"]
mod tests;
