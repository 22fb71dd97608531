//! The tool `code_refs`: lists the uses of a definition.

use std::time::Duration;

use ralph_engine::wire::code as wire;
use ralph_graph::KnownCode;
use ralph_graph::ask::name::NameLookup;
use ralph_mcp::{
    CallConcurrency, CallEffect, ServerTool, ToolAnswer, ToolCall, ToolCallError, ToolSpec,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{app, paths, refusal};
use crate::commands::code;

const SPEC: ToolSpec = ToolSpec {
    name: "code_refs",
    title: "Find uses",
    description: "List the uses, callers or callees of a definition. Doubtful ones are marked. If several \
                  definitions fit, ask again with a place.",
    effect: CallEffect::Reads,
    company: CallConcurrency::Any,
    patience: Duration::from_mins(2),
};

/// The symbol to look for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CodeRefsInput {
    /// `save`, `Store.save`, `a.py:Store.save` or a place: `a.py:12:5`.
    symbol: String,
    /// `refs` by default.
    #[serde(default)]
    side: SymbolUseKind,
}

/// The uses that are wanted.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum SymbolUseKind {
    /// All places that refer to it.
    #[default]
    Refs,
    /// The functions that call it.
    Callers,
    /// The functions it calls.
    Callees,
}

pub(super) fn tool() -> ServerTool {
    ServerTool::new(SPEC, find)
}

fn find(mut input: CodeRefsInput, _call: &ToolCall) -> Result<ToolAnswer, ToolCallError> {
    let app = app()?;
    input.symbol = paths::symbol_within(&app.project.root, &input.symbol);
    let found = code::ask(&app, |code| uses(code, &input)).map_err(refusal)?;
    ToolAnswer::new(&found)
}

fn uses(code: &KnownCode<'_>, input: &CodeRefsInput) -> Value {
    let fresh = code.freshness();
    match input.side {
        SymbolUseKind::Refs => {
            said(code, code.refs(&input.symbol), |found| wire::refs(found, &fresh))
        }
        SymbolUseKind::Callers => {
            said(code, code.callers(&input.symbol), |found| wire::callers(found, &fresh))
        }
        SymbolUseKind::Callees => {
            said(code, code.callees(&input.symbol), |found| wire::callees(found, &fresh))
        }
    }
}

fn said<T>(code: &KnownCode<'_>, meant: NameLookup<T>, show: impl FnOnce(&T) -> Value) -> Value {
    match meant {
        NameLookup::One(found) => show(&found),
        NameLookup::Several(all) => wire::unclear(&all, &[], &code.freshness()),
        NameLookup::Nothing(alike) => wire::unclear(&[], &alike, &code.freshness()),
    }
}
