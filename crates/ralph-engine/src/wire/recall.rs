//! The JSON of the context for an agent.

use ralph_core::locale::Locale;
use ralph_core::memory::hydration::ShownNote;
use ralph_core::memory::sufficiency::Sufficiency;
use serde::Serialize;
use serde_json::{Value, json};

use super::SCHEMA;
use crate::recall::RecallResult;

#[derive(Serialize)]
struct RecalledNoteView<'a> {
    id: &'a str,
    section: &'static str,
    label: &'static str,
    form: &'static str,
}

#[derive(Serialize)]
struct SufficiencyView<'a> {
    verdict: &'static str,
    missing: &'a [String],
    questions: Vec<String>,
}

/// Returns the context for an agent.
pub fn context(found: &RecallResult) -> Value {
    let shown = found.shown.as_ref();
    let notes: Vec<RecalledNoteView<'_>> =
        shown.map(|shown| shown.notes.iter().map(note).collect()).unwrap_or_default();
    json!({
        "schema": SCHEMA,
        "text": shown.map_or("", |shown| shown.text.as_str()),
        "tokens": shown.map_or(0, |shown| shown.tokens),
        "notes": notes,
        "sufficiency": found.sufficiency.as_ref().map(sufficiency),
    })
}

fn note(note: &ShownNote) -> RecalledNoteView<'_> {
    let ShownNote { id, section, label, form } = note;
    RecalledNoteView { id, section: section.as_str(), label: label.as_str(), form: form.as_str() }
}

fn sufficiency(found: &Sufficiency) -> SufficiencyView<'_> {
    let (verdict, missing): (_, &[String]) = match found {
        Sufficiency::Ready => ("ready", &[]),
        Sufficiency::ExpandSearch { missing } => ("expand_search", missing),
        Sufficiency::RequestHuman { missing } => ("request_human", missing),
    };
    let questions = found.question(Locale::En).into_iter().collect();
    SufficiencyView { verdict, missing, questions }
}
