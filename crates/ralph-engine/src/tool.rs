//! The tools that agents get through their client: their arguments and bodies. A server of
//! tools adds their names and descriptions.

mod approach;
mod code;
mod loops;
mod note_adding;
mod note_search;
mod notes;
mod paths;
mod status;
mod tries;

pub use approach::{ApproachCheckInput, check_approach};
pub use code::{CodeMapInput, CodeRefsInput, CodeSymbolsInput, find_symbols, find_uses, map_code};
pub use loops::{
    known_session, own_run, refuse_driven, start_loop, stop_resting, stricter_settings,
};
pub use note_adding::{MemoryAddInput, add_note};
pub use note_search::{MemoryGetInput, MemorySearchInput, read_notes, search_notes};
pub use status::{LoopStatusInput, RunFacts, loop_status, run_facts, run_list};

use serde::Serialize;
use serde_json::Value;

use crate::user_error::UserError;

/// The answer of a tool: data, and a message to the model.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolReply {
    /// The data, as JSON.
    pub data: Value,
    /// A message to the model.
    pub note: Option<String>,
}

impl ToolReply {
    /// Makes an answer of data.
    pub(crate) fn new(data: &impl Serialize) -> Result<Self, UserError> {
        let data = serde_json::to_value(data).map_err(|error| UserError::internal(&error))?;
        Ok(Self { data, note: None })
    }

    /// Returns the same answer with a message to the model.
    fn with_note(self, note: impl Into<String>) -> Self {
        Self { note: Some(note.into()), ..self }
    }
}
