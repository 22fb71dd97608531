//! The tool `code_map`: shows the most important definitions.

use std::time::Duration;

use ralph_engine::wire::code as wire;
use ralph_graph::map::MapQuery;
use ralph_mcp::{
    CallConcurrency, CallEffect, ServerTool, ToolAnswer, ToolCall, ToolCallError, ToolSpec,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{app, paths, refusal};
use crate::commands::code;

const SPEC: ToolSpec = ToolSpec {
    name: "code_map",
    title: "Map of the code",
    description: "Show the definitions that matter most for some files and names. Start here in code you \
                  do not know.",
    effect: CallEffect::Reads,
    company: CallConcurrency::Any,
    patience: Duration::from_mins(2),
};

const MOST_TOKENS: usize = 4000;

/// The part of the code that is of interest.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CodeMapInput {
    /// Paths or patterns: `src/*.py`.
    #[serde(default)]
    files: Vec<String>,
    /// Names or parts of them.
    #[serde(default)]
    words: Vec<String>,
    /// Length of the answer, at most 4000.
    #[serde(default)]
    tokens: Option<usize>,
}

pub(super) fn tool() -> ServerTool {
    ServerTool::new(SPEC, show)
}

fn show(input: CodeMapInput, _call: &ToolCall) -> Result<ToolAnswer, ToolCallError> {
    let tokens = input.tokens.unwrap_or(1500).min(MOST_TOKENS);
    let app = app()?;
    let files = input.files.iter().map(|file| paths::within(&app.project.root, file)).collect();
    let query = MapQuery { files, words: input.words, tokens };
    let map = code::ask(&app, |code| wire::map(&code.map(&query), &code.freshness()));
    ToolAnswer::new(&map.map_err(refusal)?)
}
