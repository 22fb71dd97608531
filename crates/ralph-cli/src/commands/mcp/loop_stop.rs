//! The tool `loop_stop`: ends a resting loop that is not the agent's own. Only the user
//! ends an active one, else an agent could end the loop that judges it.

use std::time::Duration;

use ralph_engine::command_log::CommandSource;
use ralph_mcp::{
    CallConcurrency, CallEffect, ServerTool, ToolAnswer, ToolCall, ToolCallError, ToolSpec,
};
use ralph_store::OwnerRequest;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{app, refusal};
use crate::commands::{status, stop};

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
    let nothing = || {
        let list = status::list(&app, None).map_err(refusal)?;
        Ok(ToolAnswer::new(&list)?.with_note("There is no open loop here."))
    };
    let Some(store) = app.existing_store().map_err(refusal)? else { return nothing() };
    let run = if input.run.is_some() {
        app.find_run(&store, input.run.as_deref()).map_err(refusal)?
    } else {
        let found = app.find_run_to_change(&store, None).map_err(refusal)?;
        found.filter(|run| !run.state.is_ended())
    };
    let Some(run) = run else { return nothing() };
    if run.state.is_active() {
        return Err(ToolCallError(format!(
            "{} is active, and an agent cannot end the loop it may be in; finish the task, or \
             ask the user to type /cancel-ralph or to run `ralph stop`",
            run.id
        )));
    }
    let said = stop::end(&app, &store, &run, OwnerRequest::Stop, CommandSource::Session)
        .map_err(refusal)?;
    let list = status::list(&app, Some(run.id.as_str())).map_err(refusal)?;
    Ok(ToolAnswer::new(&list)?.with_note(said))
}
