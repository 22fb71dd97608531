//! The tool `approach_check`: tells whether a plan was tried before and failed.

use ralph_memory::anchor::AnchorResolver;
use ralph_memory::approach::{SAME_PLAN, plans_alike};
use ralph_memory::event::{EventActor, NoteKind, NoteScope};
use ralph_memory::{MemoryError, NoteSelection, Notebook, SearchFilters, SearchQuery, StoredNote};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::ToolReply;
use super::notes::{self, AgentNoteView, SHORT};
use super::paths;
use super::tries::{self, PlannedChange};
use crate::app::App;
use crate::user_error::UserError;

/// Number of notes that are compared with a plan.
const CANDIDATES: usize = 50;

/// Number of entries of each kind that are shown.
const SHOWN: usize = 5;

/// The approach that is about to be tried.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApproachCheckInput {
    /// The plan in a sentence, with code in backticks.
    approach: String,
    #[serde(default)]
    files: Vec<String>,
    /// The session, from a client that fills it in; the model does not see it.
    #[serde(default)]
    #[schemars(skip)]
    session: Option<String>,
}

/// Tells whether a plan was tried before and failed.
#[expect(clippy::needless_pass_by_value, reason = "a tool owns its arguments")]
pub fn check_approach(app: &App, input: ApproachCheckInput) -> Result<ToolReply, UserError> {
    if input.approach.trim().is_empty() {
        return Err(UserError::refused("approach_check: `approach` is empty"));
    }
    if !Notebook::exists(&app.home) {
        return ToolReply::new(&json!({
            "schema": 1, "known": false,
            "tries": [], "failed": [], "other_tries": [], "related": [],
        }));
    }
    let books = notes::notebooks(app);
    let root = &app.project.root;
    let files = input.files.iter().map(|file| paths::within(root, file)).collect();
    let plan = PlannedChange { approach: input.approach.clone(), files };
    let tries = books.with(NoteScope::Project, |book| tries::of(book, &plan));
    let tries = tries.map_err(notes::trouble)?;
    let plan = plan.in_files_of(&tries.same);
    let sorted = books.with(NoteScope::Project, |book| sort_out(book, &plan));
    let (failed, related) = sorted.map_err(notes::trouble)?;
    let mut sight = AnchorResolver::new(root);
    let mut view = |notes: &[StoredNote]| -> Vec<AgentNoteView> {
        notes.iter().take(SHOWN).map(|known| AgentNoteView::new(known, SHORT, &mut sight)).collect()
    };
    let (failed, related) = (view(&failed), view(&related));
    let known = !failed.is_empty() || !tries.same.is_empty();
    let tries_of =
        |tries: &[_]| -> Vec<Value> { tries.iter().rev().take(SHOWN).map(tries::view).collect() };
    let answer = ToolReply::new(&json!({
        "schema": 1, "known": known,
        "tries": tries_of(&tries.same), "failed": failed,
        "other_tries": tries_of(&tries.others), "related": related,
    }))?;
    let place = crate::caller::place(app, input.session.as_deref());
    let shown: Vec<AgentNoteView> = failed.into_iter().chain(related).collect();
    notes::note_shown(app, place, shown);
    Ok(if known {
        answer.with_note("this was tried and failed: try something else")
    } else {
        answer
    })
}

/// Returns the notes on the same failure, and other failures in these files.
fn sort_out(
    book: &Notebook,
    plan: &PlannedChange,
) -> Result<(Vec<StoredNote>, Vec<StoredNote>), MemoryError> {
    let kinds = ["failure", "approach", "gotcha"].map(str::to_owned).to_vec();
    let filters = SearchFilters { kinds, ..SearchFilters::default() };
    let query =
        SearchQuery { text: plan.approach.clone(), limit: CANDIDATES, filters: filters.clone() };
    let alike = book.search(&query)?.into_iter().map(|hit| hit.known);
    let here = if plan.files.is_empty() {
        Vec::new()
    } else {
        let selection =
            NoteSelection { filters, files: plan.files.clone(), limit: Some(CANDIDATES) };
        book.list(&selection)?
    };
    let (mut failed, mut related): (Vec<StoredNote>, Vec<StoredNote>) = (Vec::new(), Vec::new());
    for known in here.into_iter().chain(alike) {
        let is_seen = |one: &StoredNote| one.note.id == known.note.id;
        // Tries of a run are listed separately.
        let is_try = known.actor == EventActor::Ralph && known.note.kind == NoteKind::Approach;
        if is_try || failed.iter().any(is_seen) || related.iter().any(is_seen) {
            continue;
        }
        if is_same(&known, plan) {
            failed.push(known);
        } else if touches(&known, &plan.files) {
            related.push(known);
        }
    }
    Ok((failed, related))
}

/// Returns true if a note is about a failure of the plan.
fn is_same(known: &StoredNote, plan: &PlannedChange) -> bool {
    let note = &known.note;
    let tells_of_a_failure = matches!(note.kind.word(), "failure" | "approach");
    let texts = [note.title.as_deref(), Some(note.text.as_str())].into_iter().flatten();
    let alike = texts.map(|text| plans_alike(text, &plan.approach)).fold(0.0, f64::max);
    // If one of them names no files, they may be about the same.
    let is_placed = !note.files.is_empty() && !plan.files.is_empty();
    let is_here = !is_placed || touches(known, &plan.files);
    tells_of_a_failure && alike >= SAME_PLAN && is_here
}

fn touches(known: &StoredNote, files: &[String]) -> bool {
    known.note.files.iter().any(|file| files.contains(file))
}
