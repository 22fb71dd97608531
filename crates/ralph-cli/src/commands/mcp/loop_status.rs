//! Where the loops of the project stand.

use std::time::Duration;

use ralph_mcp::{Answer, Call, Company, Effect, Refusal, Spec, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{app, refusal};
use crate::commands::status;

const SPEC: Spec = Spec {
    name: "loop_status",
    title: "Loop status",
    description: "Show the open loops of this project, else the newest: task, turns, limits, what fails.",
    effect: Effect::Reads,
    company: Company::Any,
    patience: Duration::from_secs(30),
};

/// What to show.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Only the run with this id.
    #[serde(default)]
    run: Option<String>,
}

pub(super) fn tool() -> Tool {
    Tool::new(SPEC, show)
}

#[expect(clippy::needless_pass_by_value, reason = "a tool owns its arguments")]
fn show(input: Input, _call: &Call) -> Result<Answer, Refusal> {
    let app = app()?;
    let list = status::list(&app, input.run.as_deref()).map_err(refusal)?;
    Answer::new(&list)
}
