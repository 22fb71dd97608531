//! The tool `loop_status`: shows the loops of the project.

use std::time::Duration;

use ralph_engine::tool;
use ralph_mcp::{
    CallConcurrency, CallEffect, ServerTool, ToolAnswer, ToolCall, ToolCallError, ToolSpec,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{app, refusal};

const SPEC: ToolSpec = ToolSpec {
    name: "loop_status",
    title: "Loop status",
    description: "Show your loop, else the open ones of this project, else the newest: task, turns, limits, what fails.",
    effect: CallEffect::Reads,
    company: CallConcurrency::Any,
    patience: Duration::from_secs(30),
};

/// The run to show.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct LoopStatusInput {
    /// Only the run with this id.
    #[serde(default)]
    run: Option<String>,
    /// The session, from a client that fills it in; the model does not see it.
    #[serde(default)]
    #[schemars(skip)]
    session: Option<String>,
}

pub(super) fn tool() -> ServerTool {
    ServerTool::new(SPEC, show)
}

fn show(input: LoopStatusInput, _call: &ToolCall) -> Result<ToolAnswer, ToolCallError> {
    let app = app()?;
    let own = tool::own_run(&app, input.session).map_err(refusal)?;
    let list = tool::run_list(&app, input.run.or(own).as_deref()).map_err(refusal)?;
    ToolAnswer::new(&list)
}
