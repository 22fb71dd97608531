//! The tool `code_map`: shows the most important definitions.

use std::time::Duration;

use ralph_engine::wire::code as wire;
use ralph_graph::map::MapQuery;
use ralph_mcp::{Answer, Call, Company, Effect, Refusal, Spec, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{app, paths, refusal};
use crate::commands::code;

const SPEC: Spec = Spec {
    name: "code_map",
    title: "Map of the code",
    description: "Show the definitions that matter most for some files and names. Start here in code you \
                  do not know.",
    effect: Effect::Reads,
    company: Company::Any,
    patience: Duration::from_mins(2),
};

const MOST_TOKENS: usize = 4000;

/// The part of the code that is of interest.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
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

pub(super) fn tool() -> Tool {
    Tool::new(SPEC, show)
}

fn show(input: Input, _call: &Call) -> Result<Answer, Refusal> {
    let tokens = input.tokens.unwrap_or(1500).min(MOST_TOKENS);
    let app = app()?;
    let files = input.files.iter().map(|file| paths::within(&app.project.root, file)).collect();
    let query = MapQuery { files, words: input.words, tokens };
    let map = code::ask(&app, |code| wire::map(&code.map(&query), &code.freshness()));
    Answer::new(&map.map_err(refusal)?)
}
