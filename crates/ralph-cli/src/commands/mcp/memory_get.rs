//! The tool `memory_get`: shows notes in full.

use std::time::Duration;

use ralph_mcp::{Answer, Call, Company, Effect, Refusal, Spec, Tool};
use ralph_memory::anchor::Sight;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::app;
use super::notebook::{self, NoteView, WHOLE};
use crate::commands::memory;

const SPEC: Spec = Spec {
    name: "memory_get",
    title: "Read notes",
    description: "Read notes in full, by id. `retired` says why one no longer holds.",
    effect: Effect::Reads,
    company: Company::Any,
    patience: Duration::from_secs(30),
};

const MOST: usize = 20;

/// The notes to show.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// At most 20.
    ids: Vec<String>,
    /// The session, from a client that fills it in; the model does not see it.
    #[serde(default)]
    #[schemars(skip)]
    session: Option<String>,
}

pub(super) fn tool() -> Tool {
    Tool::new(SPEC, read)
}

#[expect(clippy::needless_pass_by_value, reason = "a tool owns its arguments")]
fn read(input: Input, _call: &Call) -> Result<Answer, Refusal> {
    if input.ids.is_empty() || input.ids.len() > MOST {
        return Err(Refusal(format!("memory_get: `ids`: give 1 to {MOST}")));
    }
    let app = app()?;
    let (mut notes, mut unknown) = (Vec::new(), Vec::new());
    let books = memory::notebooks(&app);
    let mut sight = Sight::new(&app.project.root);
    for id in &input.ids {
        match books.get(id).map_err(notebook::trouble)? {
            Some((_, known)) => notes.push(NoteView::new(&known, WHOLE, &mut sight)),
            None => unknown.push(id),
        }
    }
    let answer = Answer::new(&json!({ "schema": 1, "notes": notes, "unknown": unknown }))?;
    notebook::note_shown(&app, memory::place(&app, input.session.as_deref()), notes);
    Ok(answer)
}
