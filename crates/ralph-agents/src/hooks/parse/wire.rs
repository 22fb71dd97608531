//! The payload fields in use, as raw text until they are needed.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Visitor};
use serde_json::value::RawValue;

/// A value not parsed yet; `None` if it is missing or `null`.
pub(super) type RawField<'a> = Option<&'a RawValue>;

/// The fields of all events.
#[derive(serde::Deserialize)]
pub(super) struct HookPayload<'a> {
    #[serde(borrow, default)]
    pub(super) session_id: RawField<'a>,
    #[serde(borrow, default)]
    pub(super) hook_event_name: RawField<'a>,
    #[serde(borrow, default)]
    pub(super) conversation_id: RawField<'a>,
    #[serde(borrow, default)]
    pub(super) event: RawField<'a>,
    #[serde(borrow, default)]
    pub(super) working_dir: RawField<'a>,
    #[serde(borrow, default)]
    pub(super) workspace_roots: RawField<'a>,
    #[serde(borrow, default)]
    pub(super) agent_id: RawField<'a>,
    #[serde(borrow, default)]
    pub(super) prompt_id: RawField<'a>,
    #[serde(borrow, default)]
    pub(super) turn_id: RawField<'a>,
    #[serde(borrow, default)]
    pub(super) cwd: RawField<'a>,
    #[serde(borrow, default)]
    pub(super) permission_mode: RawField<'a>,
    #[serde(borrow, default)]
    pub(super) transcript_path: RawField<'a>,
    #[serde(borrow, default)]
    pub(super) source: RawField<'a>,
    #[serde(borrow, default)]
    pub(super) prompt: RawField<'a>,
    #[serde(borrow, default)]
    pub(super) command_name: RawField<'a>,
    #[serde(borrow, default)]
    pub(super) command_args: RawField<'a>,
    #[serde(borrow, default)]
    tool_name: RawField<'a>,
    #[serde(borrow, default)]
    tool_input: RawField<'a>,
    #[serde(borrow, default)]
    tool_use_id: RawField<'a>,
    #[serde(borrow, default)]
    tool_call_id: RawField<'a>,
    #[serde(borrow, default)]
    pub(super) file_path: RawField<'a>,
    #[serde(borrow, default)]
    pub(super) tool_calls: RawField<'a>,
    #[serde(borrow, default)]
    pub(super) error: RawField<'a>,
    #[serde(borrow, default)]
    pub(super) error_details: RawField<'a>,
    #[serde(borrow, default)]
    pub(super) error_type: RawField<'a>,
    #[serde(borrow, default)]
    pub(super) error_message: RawField<'a>,
    #[serde(borrow, default)]
    pub(super) status: RawField<'a>,
    #[serde(borrow, default)]
    pub(super) stop_hook_active: RawField<'a>,
    #[serde(borrow, default)]
    pub(super) last_assistant_message: RawField<'a>,
    #[serde(borrow, default)]
    pub(super) prompt_response: RawField<'a>,
    #[serde(borrow, default)]
    pub(super) background_tasks: RawField<'a>,
    #[serde(borrow, default)]
    pub(super) session_crons: RawField<'a>,
    #[serde(borrow, default)]
    pub(super) crons: RawField<'a>,
    #[serde(borrow, default)]
    pub(super) compact_summary: RawField<'a>,
    #[serde(borrow, default)]
    pub(super) reason: RawField<'a>,
}

impl<'a> HookPayload<'a> {
    /// Returns the tool call of an event about a single tool.
    pub(super) fn call(&self) -> HookToolCall<'a> {
        HookToolCall {
            name: self.tool_name,
            input: self.tool_input,
            id: self.tool_use_id,
            other_id: self.tool_call_id,
            response: None,
        }
    }
}

/// A tool call.
#[derive(Default, serde::Deserialize)]
pub(super) struct HookToolCall<'a> {
    #[serde(borrow, default, rename = "tool_name")]
    pub(super) name: RawField<'a>,
    #[serde(borrow, default, rename = "tool_input")]
    pub(super) input: RawField<'a>,
    #[serde(borrow, default, rename = "tool_use_id")]
    pub(super) id: RawField<'a>,
    #[serde(borrow, default, rename = "tool_call_id")]
    pub(super) other_id: RawField<'a>,
    #[serde(borrow, default, rename = "tool_response")]
    pub(super) response: RawField<'a>,
}

/// Tool arguments that describe the use.
#[derive(Default, serde::Deserialize)]
pub(super) struct ToolArguments<'a> {
    #[serde(borrow, default)]
    pub(super) file_path: RawField<'a>,
    #[serde(borrow, default)]
    pub(super) notebook_path: RawField<'a>,
    #[serde(borrow, default)]
    pub(super) path: RawField<'a>,
    #[serde(borrow, default)]
    pub(super) command: RawField<'a>,
    #[serde(borrow, default)]
    pattern: RawField<'a>,
    #[serde(borrow, default)]
    query: RawField<'a>,
    #[serde(borrow, default)]
    url: RawField<'a>,
    #[serde(borrow, default)]
    description: RawField<'a>,
    #[serde(borrow, default)]
    prompt: RawField<'a>,
}

impl<'a> ToolArguments<'a> {
    /// Returns the most descriptive argument.
    pub(super) fn about(&self) -> Option<Cow<'a, str>> {
        let telling = [
            self.command,
            self.file_path,
            self.notebook_path,
            self.path,
            self.pattern,
            self.query,
            self.url,
            self.description,
            self.prompt,
        ];
        telling.into_iter().find_map(text)
    }
}

/// A part of a prompt.
#[derive(Default, serde::Deserialize)]
pub(super) struct PromptPart<'a> {
    #[serde(borrow, default)]
    pub(super) text: RawField<'a>,
}

/// A background task or a scheduled one.
#[derive(Default, serde::Deserialize)]
pub(super) struct BackgroundTask<'a> {
    #[serde(borrow, default)]
    pub(super) id: RawField<'a>,
    #[serde(borrow, default, rename = "type")]
    pub(super) kind: RawField<'a>,
    #[serde(borrow, default)]
    pub(super) status: RawField<'a>,
    #[serde(borrow, default)]
    pub(super) description: RawField<'a>,
    #[serde(borrow, default)]
    pub(super) command: RawField<'a>,
    #[serde(borrow, default)]
    pub(super) schedule: RawField<'a>,
    #[serde(borrow, default)]
    pub(super) prompt: RawField<'a>,
}

/// Returns the text of a string value; `None` for other values.
pub(super) fn text(raw: RawField<'_>) -> Option<Cow<'_, str>> {
    let raw = raw?.get();
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    if !inner.as_bytes().contains(&b'\\') {
        return Some(Cow::Borrowed(inner));
    }
    let decoded: LossyString = serde_json::from_str(raw).ok()?;
    Some(Cow::Owned(decoded.0))
}

/// Parses an object; returns the default for other values.
pub(super) fn object<'a, T: Deserialize<'a> + Default>(raw: RawField<'a>) -> T {
    let raw = raw.map(RawValue::get).filter(|raw| raw.starts_with('{'));
    raw.and_then(|raw| serde_json::from_str(raw).ok()).unwrap_or_default()
}

/// Returns the elements of an array; none for other values.
pub(super) fn list(raw: RawField<'_>) -> Vec<&RawValue> {
    let raw = raw.map(RawValue::get).filter(|raw| raw.starts_with('['));
    raw.and_then(|raw| serde_json::from_str(raw).ok()).unwrap_or_default()
}

/// A string with escapes. Clients written in JavaScript cut strings inside a
/// surrogate pair; serde accepts that only when it reads bytes.
struct LossyString(String);

impl<'de> Deserialize<'de> for LossyString {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(BytesVisitor)
    }
}

struct BytesVisitor;

impl Visitor<'_> for BytesVisitor {
    type Value = LossyString;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<LossyString, E> {
        Ok(LossyString(String::from_utf8_lossy(bytes).into_owned()))
    }
}
