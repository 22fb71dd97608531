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
    description: "Show where the loops of this project stand: task, iteration, limits, what the \
                  checks found in each turn. Without `run`: the open ones, else the newest; \
                  `runs` is empty if there never was one.",
    effect: Effect::Reads,
    company: Company::Any,
    patience: Duration::from_secs(30),
};

/// What to show.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The id of a run, or a unique beginning of it.
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
