//! Lists the uses of a definition.

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
    description: "List the uses of a definition: where it is referred to, who calls it, or what it \
                  calls. Uses that may be of something else are marked, never guessed. If the name \
                  could mean several definitions they are listed: ask again with the place \
                  of the one you mean, such as `src/store.py:12`. `freshness` says how far the answer can be \
                  relied on.",
    effect: Effect::Reads,
    company: Company::Any,
    patience: Duration::from_mins(2),
};

/// What to look for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The definition: `save`, `Store.save`, `store::save` or
    /// `path/file.py:Store.save`; or its place: `path/file.py:12`, with a column
    /// (`path/file.py:12:5`) where several are in a line.
    symbol: String,
    /// Which side of it.
    #[serde(default)]
    side: Side,
}

/// Which uses are wanted.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Side {
    /// All places that refer to it.
    #[default]
    Refs,
    /// Who calls it.
    Callers,
    /// What it calls.
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
