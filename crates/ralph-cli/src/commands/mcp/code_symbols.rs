//! Finds definitions in the code.

use std::time::Duration;

use ralph_engine::wire::code as wire;
use ralph_graph::ask::symbols::SymbolQuery;
use ralph_mcp::{Answer, Call, Company, Effect, Refusal, Spec, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{app, paths, refusal};
use crate::commands::code;

const SPEC: Spec = Spec {
    name: "code_symbols",
    title: "Find definitions",
    description: "Find definitions in the project's code by a name or something like it: parts of \
                  its words, its initials, a slip of the finger. Gives kind, place, signature and \
                  the first line of documentation. `freshness` says how far the answer can be \
                  relied on: an empty list means none only where it says `fresh`. At most 50.",
    effect: Effect::Reads,
    company: Company::Any,
    patience: Duration::from_mins(2),
};

const MOST: usize = 50;

/// What to look for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// A name or something like it, or a place such as `src/store.py:12`; all
    /// definitions without one.
    #[serde(default)]
    name: Option<String>,
    /// Only in this file or folder, relative to the root of the project, or in
    /// files that fit a pattern such as `src/*.py`. `files` of the answer are
    /// those that were looked at: `files_by` says whether they were guessed.
    #[serde(default)]
    file: Option<String>,
    /// Only of these kinds: `function`, `method`, `class` …
    #[serde(default)]
    kinds: Vec<String>,
    /// How many, 20 unless said, 50 at most.
    #[serde(default)]
    limit: Option<usize>,
}

pub(super) fn tool() -> Tool {
    Tool::new(SPEC, find)
}

fn find(input: Input, _call: &Call) -> Result<Answer, Refusal> {
    let kinds: Result<Vec<_>, String> = input.kinds.iter().map(|word| code::kind(word)).collect();
    let kinds = kinds.map_err(|kinds| Refusal(format!("code_symbols: `kinds`: {kinds}")))?;
    let app = app()?;
    let root = &app.project.root;
    let name = input.name.map(|name| paths::symbol_within(root, &name));
    let file = input.file.map(|file| paths::within(root, &file));
    let query = SymbolQuery {
        name: name.as_deref(),
        file: file.as_deref(),
        kinds: &kinds,
        limit: input.limit.unwrap_or(20).min(MOST),
    };
    let found = code::ask(&app, |code| {
        wire::symbols(&code.symbols(&query), file.as_deref(), &code.freshness())
    });
    Answer::new(&found.map_err(refusal)?)
}
