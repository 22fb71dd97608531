//! The tools that find notes and read them.

use ralph_memory::anchor::AnchorResolver;
use ralph_memory::event::NoteScope;
use ralph_memory::{
    BOTH, MemoryError, NoteSelection, Notebooks, SearchFilters, SearchQuery, StoredNote,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::notes::{self, AgentNoteView, SHORT, WHOLE};
use super::{ToolReply, paths};
use crate::app::App;
use crate::user_error::UserError;

/// Number of notes that a call returns.
const MOST: usize = 20;

/// The notes to look for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemorySearchInput {
    #[serde(default)]
    query: Option<String>,
    #[serde(default)]
    files: Vec<String>,
    /// `gotcha`, `decision`, `command` …
    #[serde(default)]
    kinds: Vec<String>,
    /// At most 20.
    #[serde(default)]
    limit: Option<usize>,
    /// The session, from a client that fills it in; the model does not see it.
    #[serde(default)]
    #[schemars(skip)]
    session: Option<String>,
}

/// Finds notes by words, by files, or both.
pub fn search_notes(app: &App, mut input: MemorySearchInput) -> Result<ToolReply, UserError> {
    let query = input.query.take();
    let query = query.as_deref().map(str::trim).filter(|query| !query.is_empty());
    if query.is_none() && input.files.is_empty() {
        return Err(UserError::refused("memory_search: give `query`, `files` or both"));
    }
    for file in &mut input.files {
        *file = paths::within(&app.project.root, file);
    }
    let books = notes::notebooks(app);
    if !books.exist() {
        let nothing = ToolReply::new(&json!({ "schema": 1, "notes": [] }))?;
        return Ok(nothing.with_note("nothing was noted in this project yet"));
    }
    let found = find(&books, query, &input).map_err(notes::trouble)?;
    let mut sight = AnchorResolver::new(&app.project.root);
    let shown: Vec<AgentNoteView> =
        found.iter().map(|known| AgentNoteView::new(known, SHORT, &mut sight)).collect();
    let answer = ToolReply::new(&json!({ "schema": 1, "notes": shown }))?;
    notes::note_shown(app, crate::caller::place(app, input.session.as_deref()), shown);
    Ok(answer)
}

fn find(
    books: &Notebooks,
    query: Option<&str>,
    input: &MemorySearchInput,
) -> Result<Vec<StoredNote>, MemoryError> {
    let limit = input.limit.unwrap_or(10).clamp(1, MOST);
    let filters = SearchFilters { kinds: input.kinds.clone(), ..SearchFilters::default() };
    let mut found: Vec<StoredNote> = Vec::new();
    if !input.files.is_empty() {
        let (filters, files) = (filters.clone(), input.files.clone());
        let selection = NoteSelection { filters, files, limit: Some(limit) };
        // Notes for all projects are not about a file of this one.
        found.extend(
            books.ask(NoteScope::Project, |book| book.list(&selection))?.unwrap_or_default(),
        );
    }
    let query = query.map(|text| SearchQuery { text: text.to_owned(), limit, filters });
    let hits = query.map(|query| books.search(&BOTH, &query)).transpose()?.unwrap_or_default();
    for hit in hits {
        if !found.iter().any(|one| one.note.id == hit.known.note.id) {
            found.push(hit.known);
        }
    }
    found.truncate(limit);
    Ok(found)
}

/// The notes to show.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryGetInput {
    /// At most 20.
    ids: Vec<String>,
    /// The session, from a client that fills it in; the model does not see it.
    #[serde(default)]
    #[schemars(skip)]
    session: Option<String>,
}

/// Returns notes in full.
#[expect(clippy::needless_pass_by_value, reason = "a tool owns its arguments")]
pub fn read_notes(app: &App, input: MemoryGetInput) -> Result<ToolReply, UserError> {
    if input.ids.is_empty() || input.ids.len() > MOST {
        return Err(UserError::refused(format!("memory_get: `ids`: give 1 to {MOST}")));
    }
    let (mut found, mut unknown) = (Vec::new(), Vec::new());
    let books = notes::notebooks(app);
    let mut sight = AnchorResolver::new(&app.project.root);
    for id in &input.ids {
        match books.get(id).map_err(notes::trouble)? {
            Some((_, known)) => found.push(AgentNoteView::new(&known, WHOLE, &mut sight)),
            None => unknown.push(id),
        }
    }
    let answer = ToolReply::new(&json!({ "schema": 1, "notes": found, "unknown": unknown }))?;
    notes::note_shown(app, crate::caller::place(app, input.session.as_deref()), found);
    Ok(answer)
}
