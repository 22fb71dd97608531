//! The JSON of the context for an agent.

use ralph_core::locale::Locale;
use ralph_core::memory::hydration::ShownNote;
use ralph_core::memory::sufficiency::Sufficiency;
use serde_json::{Value, json};

use super::SCHEMA;
use crate::recall::RecallResult;

/// Returns the context for an agent.
pub fn context(found: &RecallResult) -> Value {
    let shown = found.shown.as_ref();
    let notes: Vec<Value> =
        shown.map(|shown| shown.notes.iter().map(note).collect()).unwrap_or_default();
    json!({
        "schema": SCHEMA,
        "text": shown.map_or("", |shown| shown.text.as_str()),
        "tokens": shown.map_or(0, |shown| shown.tokens),
        "notes": notes,
        "sufficiency": found.sufficiency.as_ref().map(sufficiency),
    })
}

fn note(note: &ShownNote) -> Value {
    let ShownNote { id, section, label, form } = note;
    json!({
        "id": id,
        "section": section.as_str(),
        "label": label.as_str(),
        "form": form.as_str(),
    })
}

fn sufficiency(found: &Sufficiency) -> Value {
    let (verdict, missing): (_, &[String]) = match found {
        Sufficiency::Ready => ("ready", &[]),
        Sufficiency::ExpandSearch { missing } => ("expand_search", missing),
        Sufficiency::RequestHuman { missing } => ("request_human", missing),
    };
    let questions: Vec<String> = found.question(Locale::En).into_iter().collect();
    json!({ "verdict": verdict, "missing": missing, "questions": questions })
}
