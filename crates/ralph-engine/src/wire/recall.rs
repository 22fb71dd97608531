//! What an agent would be shown.

use ralph_core::memory::hydration::ShownNote;
use ralph_core::memory::sufficiency::{Slot, Sufficiency, TaskKind};
use serde::Serialize;
use serde_json::{Value, json};

use super::SCHEMA;
use crate::recall::Recalled;

#[derive(Serialize)]
struct NoteView<'a> {
    id: &'a str,
    section: &'static str,
    label: &'static str,
    form: &'static str,
}

#[derive(Serialize)]
struct SufficiencyView<'a> {
    task: &'static str,
    verdict: &'static str,
    missing: Vec<&'static str>,
    questions: &'a [String],
}

/// What an agent is shown.
pub fn context(found: &Recalled) -> Value {
    let shown = found.shown.as_ref();
    let notes: Vec<NoteView<'_>> =
        shown.map(|shown| shown.notes.iter().map(note).collect()).unwrap_or_default();
    json!({
        "schema": SCHEMA,
        "text": shown.map_or("", |shown| shown.text.as_str()),
        "tokens": shown.map_or(0, |shown| shown.tokens),
        "notes": notes,
        "sufficiency": found.sufficiency.as_ref().map(|(task, found)| sufficiency(*task, found)),
    })
}

fn note(note: &ShownNote) -> NoteView<'_> {
    let ShownNote { id, section, label, form } = note;
    NoteView { id, section: section.as_str(), label: label.as_str(), form: form.as_str() }
}

fn sufficiency(task: TaskKind, found: &Sufficiency) -> SufficiencyView<'_> {
    let names = |missing: &[Slot]| missing.iter().map(|slot| slot.as_str()).collect();
    let (verdict, missing, questions): (_, _, &[String]) = match found {
        Sufficiency::Ready => ("ready", Vec::new(), &[]),
        Sufficiency::ExpandSearch { missing } => ("expand_search", names(missing), &[]),
        Sufficiency::RequestHuman { missing, questions } => {
            ("request_human", names(missing), questions)
        }
    };
    SufficiencyView { task: task.as_str(), verdict, missing, questions }
}
