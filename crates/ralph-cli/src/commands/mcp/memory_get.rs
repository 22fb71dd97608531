//! The tool `memory_get`: shows notes in full.

use std::time::Duration;

use ralph_mcp::{
    CallConcurrency, CallEffect, ServerTool, ToolAnswer, ToolCall, ToolCallError, ToolSpec,
};
use ralph_memory::anchor::AnchorResolver;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::app;
use super::notebook::{self, AgentNoteView, WHOLE};
use crate::commands::memory;

const SPEC: ToolSpec = ToolSpec {
    name: "memory_get",
    title: "Read notes",
    description: "Read notes in full, by id. `retired` says why one no longer holds.",
    effect: CallEffect::Reads,
    company: CallConcurrency::Any,
    patience: Duration::from_secs(30),
};

const MOST: usize = 20;

/// The notes to show.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MemoryGetInput {
    /// At most 20.
    ids: Vec<String>,
    /// The session, from a client that fills it in; the model does not see it.
    #[serde(default)]
    #[schemars(skip)]
    session: Option<String>,
}

pub(super) fn tool() -> ServerTool {
    ServerTool::new(SPEC, read)
}

#[expect(clippy::needless_pass_by_value, reason = "a tool owns its arguments")]
fn read(input: MemoryGetInput, _call: &ToolCall) -> Result<ToolAnswer, ToolCallError> {
    if input.ids.is_empty() || input.ids.len() > MOST {
        return Err(ToolCallError(format!("memory_get: `ids`: give 1 to {MOST}")));
    }
    let app = app()?;
    let (mut notes, mut unknown) = (Vec::new(), Vec::new());
    let books = memory::notebooks(&app);
    let mut sight = AnchorResolver::new(&app.project.root);
    for id in &input.ids {
        match books.get(id).map_err(notebook::trouble)? {
            Some((_, known)) => notes.push(AgentNoteView::new(&known, WHOLE, &mut sight)),
            None => unknown.push(id),
        }
    }
    let answer = ToolAnswer::new(&json!({ "schema": 1, "notes": notes, "unknown": unknown }))?;
    notebook::note_shown(&app, ralph_engine::caller::place(&app, input.session.as_deref()), notes);
    Ok(answer)
}
