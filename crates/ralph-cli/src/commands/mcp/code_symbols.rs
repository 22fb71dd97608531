//! The tool `code_symbols`: finds definitions in the code.

use std::time::Duration;

use ralph_engine::wire::code as wire;
use ralph_graph::ask::symbols::SymbolQuery;
use ralph_mcp::{
    CallConcurrency, CallEffect, ServerTool, ToolAnswer, ToolCall, ToolCallError, ToolSpec,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{app, paths, refusal};
use crate::commands::code;

const SPEC: ToolSpec = ToolSpec {
    name: "code_symbols",
    title: "Find definitions",
    description: "Find definitions by name or part of it: kind, place, signature, docs. An empty list \
                  means none only if `freshness` is `fresh`.",
    effect: CallEffect::Reads,
    company: CallConcurrency::Any,
    patience: Duration::from_mins(2),
};

const MOST: usize = 50;

/// The names to look for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CodeSymbolsInput {
    /// A name, a part of one, or a place: `src/a.py:12`.
    #[serde(default)]
    name: Option<String>,
    /// A file, a folder or a pattern: `src/*.py`.
    #[serde(default)]
    file: Option<String>,
    /// `function`, `method`, `class` …
    #[serde(default)]
    kinds: Vec<String>,
    /// At most 50.
    #[serde(default)]
    limit: Option<usize>,
}

pub(super) fn tool() -> ServerTool {
    ServerTool::new(SPEC, find)
}

fn find(input: CodeSymbolsInput, _call: &ToolCall) -> Result<ToolAnswer, ToolCallError> {
    let kinds: Result<Vec<_>, String> = input.kinds.iter().map(|word| code::kind(word)).collect();
    let kinds = kinds.map_err(|kinds| ToolCallError(format!("code_symbols: `kinds`: {kinds}")))?;
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
    ToolAnswer::new(&found.map_err(refusal)?)
}
