//! The payload fields in use, as raw text until they are needed.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Visitor};
use serde_json::value::RawValue;

/// A value not parsed yet; `None` if it is missing or `null`.
pub(super) type Raw<'a> = Option<&'a RawValue>;

/// The fields of all events.
#[derive(serde::Deserialize)]
pub(super) struct Payload<'a> {
    #[serde(borrow, default)]
    pub(super) session_id: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) hook_event_name: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) agent_id: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) prompt_id: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) cwd: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) permission_mode: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) transcript_path: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) source: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) prompt: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) command_name: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) command_args: Raw<'a>,
    #[serde(borrow, default)]
    tool_name: Raw<'a>,
    #[serde(borrow, default)]
    tool_input: Raw<'a>,
    #[serde(borrow, default)]
    tool_use_id: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) tool_calls: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) error: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) error_details: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) stop_hook_active: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) last_assistant_message: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) background_tasks: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) session_crons: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) compact_summary: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) reason: Raw<'a>,
}

impl<'a> Payload<'a> {
    /// Returns the tool call of an event about a single tool.
    pub(super) fn call(&self) -> Call<'a> {
        Call { name: self.tool_name, input: self.tool_input, id: self.tool_use_id, response: None }
    }
}

/// A tool call.
#[derive(Default, serde::Deserialize)]
pub(super) struct Call<'a> {
    #[serde(borrow, default, rename = "tool_name")]
    pub(super) name: Raw<'a>,
    #[serde(borrow, default, rename = "tool_input")]
    pub(super) input: Raw<'a>,
    #[serde(borrow, default, rename = "tool_use_id")]
    pub(super) id: Raw<'a>,
    #[serde(borrow, default, rename = "tool_response")]
    pub(super) response: Raw<'a>,
}

/// Tool arguments that describe the use.
#[derive(Default, serde::Deserialize)]
pub(super) struct Input<'a> {
    #[serde(borrow, default)]
    pub(super) file_path: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) notebook_path: Raw<'a>,
    #[serde(borrow, default)]
    command: Raw<'a>,
    #[serde(borrow, default)]
    pattern: Raw<'a>,
    #[serde(borrow, default)]
    query: Raw<'a>,
    #[serde(borrow, default)]
    url: Raw<'a>,
    #[serde(borrow, default)]
    description: Raw<'a>,
    #[serde(borrow, default)]
    prompt: Raw<'a>,
}

impl<'a> Input<'a> {
    /// Returns the most descriptive argument.
    pub(super) fn about(&self) -> Option<Cow<'a, str>> {
        let telling = [
            self.command,
            self.file_path,
            self.notebook_path,
            self.pattern,
            self.query,
            self.url,
            self.description,
            self.prompt,
        ];
        telling.into_iter().find_map(text)
    }
}

/// A background task or a scheduled one.
#[derive(Default, serde::Deserialize)]
pub(super) struct Task<'a> {
    #[serde(borrow, default)]
    pub(super) id: Raw<'a>,
    #[serde(borrow, default, rename = "type")]
    pub(super) kind: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) status: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) description: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) command: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) schedule: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) prompt: Raw<'a>,
}

/// Returns the text of a string value; `None` for other values.
pub(super) fn text(raw: Raw<'_>) -> Option<Cow<'_, str>> {
    let raw = raw?.get();
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    if !inner.as_bytes().contains(&b'\\') {
        return Some(Cow::Borrowed(inner));
    }
    let decoded: Lossy = serde_json::from_str(raw).ok()?;
    Some(Cow::Owned(decoded.0))
}

/// Parses an object; returns the default for other values.
pub(super) fn object<'a, T: Deserialize<'a> + Default>(raw: Raw<'a>) -> T {
    let raw = raw.map(RawValue::get).filter(|raw| raw.starts_with('{'));
    raw.and_then(|raw| serde_json::from_str(raw).ok()).unwrap_or_default()
}

/// Returns the elements of an array; none for other values.
pub(super) fn list(raw: Raw<'_>) -> Vec<&RawValue> {
    let raw = raw.map(RawValue::get).filter(|raw| raw.starts_with('['));
    raw.and_then(|raw| serde_json::from_str(raw).ok()).unwrap_or_default()
}

/// A string with escapes. Clients written in JavaScript cut strings inside a
/// surrogate pair; serde accepts that only when it reads bytes.
struct Lossy(String);

impl<'de> Deserialize<'de> for Lossy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(Bytes)
    }
}

struct Bytes;

impl Visitor<'_> for Bytes {
    type Value = Lossy;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Lossy, E> {
        Ok(Lossy(String::from_utf8_lossy(bytes).into_owned()))
    }
}
