//! The tool `loop_stop`: ends a resting loop that is not the agent's own. Only the user
//! ends an active one, else an agent could end the loop that judges it.

use std::time::Duration;

use ralph_engine::tool;
use ralph_mcp::{
    CallConcurrency, CallEffect, ServerTool, ToolAnswer, ToolCall, ToolCallError, ToolSpec,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{app, refusal};
use crate::commands::stop;

const SPEC: ToolSpec = ToolSpec {
    name: "loop_stop",
    title: "End a resting loop",
    description: "End a paused loop of another session, when the user asks. Your own, or an active one, \
                  is refused: the user ends it.",
    effect: CallEffect::Records,
    company: CallConcurrency::Alone,
    patience: Duration::from_mins(1),
};

/// The run to end.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct LoopStopInput {
    /// The id of the run.
    #[serde(default)]
    run: Option<String>,
}

pub(super) fn tool() -> ServerTool {
    ServerTool::new(SPEC, end)
}

#[expect(clippy::needless_pass_by_value, reason = "a tool owns its arguments")]
fn end(input: LoopStopInput, _call: &ToolCall) -> Result<ToolAnswer, ToolCallError> {
    let app = app()?;
    let stopped = tool::stop_resting(&app, input.run.as_deref()).map_err(refusal)?;
    let list = |run| tool::run_list(&app, run).map_err(refusal);
    match stopped {
        None => Ok(ToolAnswer::new(&list(None)?)?.with_note("There is no open loop here.")),
        Some((run, stopped)) => {
            let said = stop::sentence(&app, &run, stopped).map_err(refusal)?;
            Ok(ToolAnswer::new(&list(Some(run.id.as_str()))?)?.with_note(said))
        }
    }
}
