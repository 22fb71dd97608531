//! The tool `code_refs`: lists the uses of a definition.

use std::time::Duration;

use ralph_engine::wire::code as wire;
use ralph_graph::Code;
use ralph_graph::ask::name::Meant;
use ralph_mcp::{Answer, Call, Company, Effect, Refusal, Spec, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{app, paths, refusal};
use crate::commands::code;

const SPEC: Spec = Spec {
    name: "code_refs",
    title: "Find uses",
    description: "List the uses, callers or callees of a definition. Doubtful ones are marked. If several \
                  definitions fit, ask again with a place.",
    effect: Effect::Reads,
    company: Company::Any,
    patience: Duration::from_mins(2),
};

/// The symbol to look for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// `save`, `Store.save`, `a.py:Store.save` or a place: `a.py:12:5`.
    symbol: String,
    /// `refs` by default.
    #[serde(default)]
    side: Side,
}

/// The uses that are wanted.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Side {
    /// All places that refer to it.
    #[default]
    Refs,
    /// The functions that call it.
    Callers,
    /// The functions it calls.
    Callees,
}

pub(super) fn tool() -> Tool {
    Tool::new(SPEC, find)
}

fn find(mut input: Input, _call: &Call) -> Result<Answer, Refusal> {
    let app = app()?;
    input.symbol = paths::symbol_within(&app.project.root, &input.symbol);
    let found = code::ask(&app, |code| uses(code, &input)).map_err(refusal)?;
    Answer::new(&found)
}

fn uses(code: &Code<'_>, input: &Input) -> Value {
    let fresh = code.freshness();
    match input.side {
        Side::Refs => said(code, code.refs(&input.symbol), |found| wire::refs(found, &fresh)),
        Side::Callers => {
            said(code, code.callers(&input.symbol), |found| wire::callers(found, &fresh))
        }
        Side::Callees => {
            said(code, code.callees(&input.symbol), |found| wire::callees(found, &fresh))
        }
    }
}

fn said<T>(code: &Code<'_>, meant: Meant<T>, show: impl FnOnce(&T) -> Value) -> Value {
    match meant {
        Meant::One(found) => show(&found),
        Meant::Several(all) => wire::unclear(&all, &[], &code.freshness()),
        Meant::Nothing(alike) => wire::unclear(&[], &alike, &code.freshness()),
    }
}
