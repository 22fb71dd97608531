//! Code that the memory tools share: the notebooks, and a note as the agent reads it.

use ralph_core::memory::notes::as_data;
use ralph_core::tokens;
use ralph_memory::anchor::AnchorResolver;
use ralph_memory::event::{EventActor, EventContext, NoteScope};
use ralph_memory::{LockPatience, MemoryError, NoteWriter, Notebooks, StoredNote};
use serde::Serialize;

use crate::app::App;
use crate::user_error::UserError;

/// Longest text of a note in a list, in characters. `memory_get` returns the rest.
pub(super) const SHORT: usize = 600;

/// Longest text of a note that is read by its id, in characters.
pub(super) const WHOLE: usize = 8000;

/// A note as an agent reads it.
#[derive(Debug, Serialize)]
pub(super) struct AgentNoteView {
    id: String,
    label: &'static str,
    kind: String,
    scope: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retired: Option<String>,
    /// True if the text reads like an order to an agent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    gives_orders: bool,
}

impl AgentNoteView {
    /// Makes the view of a note, with at most `most` characters of its text.
    pub(super) fn new(known: &StoredNote, most: usize, sight: &mut AnchorResolver<'_>) -> Self {
        let note = &known.note;
        Self {
            id: note.id.clone(),
            label: known.label(&known.look(sight)).as_str(),
            kind: note.kind.word().to_owned(),
            scope: note.scope.word(),
            title: note.title.as_deref().map(as_data),
            text: cut(&as_data(&note.text), most),
            why: note.why.as_deref().map(|why| cut(&as_data(why), most)),
            files: note.files.clone(),
            retired: known.retired.as_ref().map(|end| as_data(&end.why)),
            gives_orders: !known.orders().is_empty(),
        }
    }
}

/// Returns the notebooks of a project and of its user.
pub(super) fn notebooks(app: &App) -> Notebooks {
    Notebooks::new(&app.home, &app.user_home(), LockPatience::Long)
}

pub(super) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns the author of what an agent does with a tool.
pub(super) fn writer(app: &App, place: EventContext) -> NoteWriter {
    NoteWriter { actor: EventActor::Agent, place, at: app.now() }
}

#[expect(clippy::needless_pass_by_value, reason = "errors are mapped with it")]
pub(super) fn trouble(error: MemoryError) -> UserError {
    if let MemoryError::Refused { refusal, .. } = error {
        UserError::refused(format!("the note cannot be kept: {refusal}"))
    } else {
        UserError::refused(format!("the notes of this project cannot be used: {error}"))
    }
}

/// Records what an agent was shown. An error is ignored, since the answer matters more.
pub(super) fn note_shown(app: &App, place: EventContext, notes: Vec<AgentNoteView>) {
    let tokens = notes.iter().map(|note| tokens::estimate(&note.text)).sum();
    let scope = |note: &AgentNoteView| {
        let is_global = note.scope == NoteScope::Global.word();
        if is_global { NoteScope::Global } else { NoteScope::Project }
    };
    let ids = notes.into_iter().map(|note| (scope(&note), note.id)).collect();
    // Notes that are not counted as shown are only shown again.
    let _ = notebooks(app).note_shown(ids, tokens, &writer(app, place));
}
