//! The few messages of the protocol that we read.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// A request, a notification or a response.
#[derive(Debug, Default, Deserialize)]
pub(super) struct LspMessage {
    pub(super) id: Option<Value>,
    pub(super) method: Option<String>,
    #[serde(default)]
    pub(super) params: Value,
    #[serde(default)]
    pub(super) result: Value,
    pub(super) error: Option<ResponseError>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ResponseError {
    pub(super) code: i64,
    pub(super) message: String,
}

impl ResponseError {
    /// True if the same request may be answered when it is made again: `ContentModified`,
    /// `ServerCancelled`, `RequestCancelled`.
    pub(super) fn is_passing(&self) -> bool {
        matches!(self.code, -32802..=-32800)
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct PublishDiagnostics {
    pub(super) uri: String,
    pub(super) version: Option<i64>,
    #[serde(default, deserialize_with = "maybe_null")]
    pub(super) diagnostics: Vec<LspDiagnostic>,
}

/// The answer to `textDocument/diagnostic`.
#[derive(Debug, Deserialize)]
pub(super) struct DocumentReport {
    /// None in a report of the kind `unchanged`.
    pub(super) items: Option<Vec<LspDiagnostic>>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(super) struct LspDiagnostic {
    pub(super) range: LspRange,
    pub(super) severity: Option<u8>,
    pub(super) code: Option<LspDiagnosticCode>,
    pub(super) source: Option<String>,
    pub(super) message: LspMessageText,
    #[serde(default, deserialize_with = "maybe_null")]
    pub(super) tags: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(super) struct LspRange {
    pub(super) start: LspPosition,
}

/// Counted from 0.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(super) struct LspPosition {
    pub(super) line: u32,
    pub(super) character: u32,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub(super) enum LspDiagnosticCode {
    Number(i64),
    Text(String),
}

/// Plain, or with a kind of markup since version 3.18.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub(super) enum LspMessageText {
    Plain(String),
    Marked { value: String },
}

#[derive(Debug, Deserialize)]
pub(super) struct LspProgress {
    pub(super) token: Value,
    #[serde(default)]
    pub(super) value: ProgressValue,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct ProgressValue {
    #[serde(default)]
    pub(super) kind: String,
    #[serde(default)]
    pub(super) title: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct LspRegistrationChange {
    #[serde(default)]
    pub(super) registrations: Vec<LspRegistration>,
    /// Misspelt in the protocol itself.
    #[serde(default, alias = "unregistrations")]
    pub(super) unregisterations: Vec<LspRegistration>,
}

#[derive(Debug, Deserialize)]
pub(super) struct LspRegistration {
    pub(super) id: String,
    pub(super) method: String,
}

/// Some servers write `null` for an empty list.
fn maybe_null<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
