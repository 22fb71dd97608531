//! Reads a line of an import as a note.

mod complaint;

use ralph_core::Timestamp;
use ralph_memory::event::{EventActor, NoteAnchor, NoteContent, NoteKind, NoteScope};
use ralph_memory::refusal;
use ralph_memory::{ImportRefusal, NoteRetirement, note_id};
use serde::Deserialize;
use serde_json::Value;

use complaint::complaint;

use crate::wire::memory::actor_of;

/// Longest line, in bytes, that is read.
const LONGEST: usize = 16 << 20;

/// A line of the file. Other fields are ignored.
#[derive(Deserialize)]
struct ImportLine {
    id: ExternalName,
    text: String,
    #[serde(default)]
    note_id: Option<String>,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    kind: Option<String>,
    #[serde(default)]
    scope: Option<NoteScope>,
    #[serde(default)]
    why: Option<String>,
    #[serde(default)]
    files: Option<Vec<String>>,
    #[serde(default)]
    anchors: Option<Vec<NoteAnchor>>,
    #[serde(default)]
    at: Option<ImportTime>,
    #[serde(default)]
    prev: Option<ExternalName>,
    #[serde(default)]
    next: Option<ExternalName>,
    #[serde(default)]
    group: Option<ExternalName>,
    #[serde(default)]
    by: Option<String>,
    /// In other files this field may mean something else.
    #[serde(default)]
    retired: Value,
}

/// A name; many files use numbers.
#[derive(Deserialize)]
#[serde(untagged)]
enum ExternalName {
    Text(String),
    Number(i64),
}

impl ExternalName {
    fn text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Number(number) => number.to_string(),
        }
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum ImportTime {
    Millis(i64),
    Text(String),
}

impl ImportTime {
    fn millis(self) -> Result<i64, String> {
        match self {
            Self::Millis(millis) => jiff::Timestamp::from_millisecond(millis)
                .map(|_| millis)
                .map_err(|_| format!("`at` is {millis}, and no time is that far away")),
            Self::Text(text) => text
                .parse::<jiff::Timestamp>()
                .map(jiff::Timestamp::as_millisecond)
                .map_err(|_| format!("`at` is `{text}`, which is no RFC 3339 time")),
        }
    }
}

/// The content of a line.
pub struct ParsedImportLine {
    /// The note, with project scope.
    pub note: NoteContent,
    /// The scope that the line names.
    pub scope: Option<NoteScope>,
    /// The author that the line names.
    pub by: Option<EventActor>,
    /// The retirement that the line names. Without an author it is the user's.
    pub retired: Option<NoteRetirement>,
}

/// Reads a line; an error explains why it is not a note.
pub fn read(bytes: &[u8], now: Timestamp) -> Result<ParsedImportLine, String> {
    if bytes.len() > LONGEST {
        return Err(format!("it has {} bytes, at most {LONGEST} are read", bytes.len()));
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|error| format!("byte {} is not UTF-8", error.valid_up_to() + 1))?;
    let line: ImportLine = serde_json::from_str(text).map_err(|error| complaint(text, &error))?;
    let external = line.id.text();
    if external.is_empty() {
        return Err("its `id` is empty".to_owned());
    }
    let since = line.at.map(ImportTime::millis).transpose()?;
    let id = line.note_id.filter(|id| is_ours(id)).unwrap_or_else(|| note_id(&external));
    let kind = line.kind.filter(|kind| !kind.is_empty());
    let kind = NoteKind::of(kind.as_deref().unwrap_or("fact"));
    let note = NoteContent {
        title: line.title.filter(|title| !title.is_empty()),
        why: line.why.filter(|why| !why.is_empty()),
        files: line.files.unwrap_or_default(),
        anchors: line.anchors.unwrap_or_default(),
        since,
        prev: line.prev.map(ExternalName::text),
        next: line.next.map(ExternalName::text),
        group: line.group.map(ExternalName::text),
        external_id: (external != id).then_some(external),
        ..NoteContent::new(id, kind, NoteScope::Project, line.text)
    };
    let nothing = note.text.trim().is_empty().then_some(ImportRefusal::Empty);
    if let Some(refusal) = nothing.or_else(|| refusal(&note)) {
        return Err(refusal.to_string());
    }
    let by = line.by.as_deref().and_then(actor_of);
    Ok(ParsedImportLine { note, scope: line.scope, by, retired: end(&line.retired, now) })
}

/// Parses the retirement of a note, as an export writes it.
fn end(retired: &Value, now: Timestamp) -> Option<NoteRetirement> {
    let fields = retired.as_object()?;
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    let at = fields.get("at").and_then(|at| serde_json::from_value::<ImportTime>(at.clone()).ok());
    Some(NoteRetirement {
        at: at.and_then(|at| at.millis().ok()).map_or(now, Timestamp::from_millis),
        who: text("who").and_then(actor_of).unwrap_or(EventActor::User),
        why: text("why").unwrap_or_default().to_owned(),
        by: text("by").filter(|by| is_ours(by)).map(str::to_owned),
    })
}

/// Returns true if an id is ours: `m` and twelve digits or lowercase letters.
fn is_ours(id: &str) -> bool {
    let digits = id.strip_prefix('m').unwrap_or_default();
    digits.len() == 12 && digits.bytes().all(|c| c.is_ascii_digit() || c.is_ascii_lowercase())
}
