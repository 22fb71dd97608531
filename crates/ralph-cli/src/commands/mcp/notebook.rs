//! Code that the memory tools share: the notebooks, and a note as the agent reads it.

use std::path::Path;

use ralph_core::memory::notes::as_data;
use ralph_core::tokens;
use ralph_mcp::Refusal;
use ralph_memory::anchor::Sight;
use ralph_memory::event::{Actor, Event, Place, Scope, What};
use ralph_memory::{Known, MemoryError, Notebook};
use serde::Serialize;

use crate::app::App;

/// Longest text of a note in a list, in characters. `memory_get` returns the rest.
pub(super) const SHORT: usize = 600;

/// Longest text of a note that is read by its id, in characters.
pub(super) const WHOLE: usize = 8000;

/// A note as an agent reads it.
#[derive(Debug, Serialize)]
pub(super) struct NoteView {
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

impl NoteView {
    /// Makes the view of a note, with at most `most` characters of its text.
    pub(super) fn new(known: &Known, most: usize, sight: &mut Sight<'_>) -> Self {
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

pub(super) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The notes of the project and those for all projects, as far as they exist.
pub(super) struct Books {
    own: Option<Notebook>,
    users: Option<Notebook>,
}

impl Books {
    /// Opens the notebooks that exist; creates none.
    pub(super) fn open(app: &App) -> Result<Self, Refusal> {
        let open = |home: &Path| {
            Notebook::exists(home).then(|| Notebook::open(home).map_err(trouble)).transpose()
        };
        Ok(Self { own: open(&app.home)?, users: open(&app.user_home())? })
    }

    /// Returns true if there are no notes at all.
    pub(super) fn is_empty(&self) -> bool {
        self.own.is_none() && self.users.is_none()
    }

    /// Returns the notebooks that exist, the project's first.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Notebook> {
        self.own.iter().chain(&self.users)
    }

    /// Finds a note by its id. It prefers one that is not retired, then the project's.
    pub(super) fn get(&self, id: &str) -> Result<Option<Known>, MemoryError> {
        let mut found = Vec::new();
        for book in self.iter() {
            found.extend(book.get(id)?);
        }
        let holds = found.iter().position(|known| known.retired.is_none());
        Ok((!found.is_empty()).then(|| found.swap_remove(holds.unwrap_or_default())))
    }

    /// Records what an agent was shown, in the notebook of each note.
    pub(super) fn note_shown(&self, app: &App, place: &Place, notes: Vec<NoteView>) {
        let is_users = |note: &NoteView| note.scope == Scope::Global.word();
        let (users, own): (Vec<_>, Vec<_>) = notes.into_iter().partition(is_users);
        for (book, notes) in [(&self.own, own), (&self.users, users)] {
            if let Some(book) = book {
                note_shown(app, book, place.clone(), &notes);
            }
        }
    }
}

/// Opens the notes of the project.
pub(super) fn open(app: &App) -> Result<Notebook, Refusal> {
    Notebook::open(&app.home).map_err(trouble)
}

#[expect(clippy::needless_pass_by_value, reason = "errors are mapped with it")]
pub(super) fn trouble(error: MemoryError) -> Refusal {
    match error {
        MemoryError::Refused { refusal, .. } => {
            Refusal(format!("the note cannot be kept: {refusal}"))
        }
        MemoryError::NewerSchema { .. }
        | MemoryError::Damaged { .. }
        | MemoryError::Log(_)
        | MemoryError::Busy { .. }
        | MemoryError::Io { .. }
        | MemoryError::Sqlite { .. } => {
            Refusal(format!("the notes of this project cannot be used: {error}"))
        }
    }
}

/// Records what an agent was shown. An error is ignored, since the answer matters more.
pub(super) fn note_shown(app: &App, notebook: &Notebook, place: Place, notes: &[NoteView]) {
    if notes.is_empty() {
        return;
    }
    let ids = notes.iter().map(|note| note.id.clone()).collect();
    let tokens = notes.iter().map(|note| tokens::estimate(&note.text)).sum::<usize>();
    let what = What::Shown { ids, tokens: u32::try_from(tokens).unwrap_or(u32::MAX) };
    let event = Event { at: app.now().as_millis(), place, actor: Actor::Agent, what };
    let _ = notebook.write(&[event]);
}
