//! The tools about code.

use ralph_graph::KnownCode;
use ralph_graph::ask::name::NameLookup;
use ralph_graph::ask::symbols::SymbolQuery;
use ralph_graph::map::MapQuery;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{ToolReply, paths};
use crate::app::App;
use crate::code;
use crate::user_error::UserError;
use crate::wire::code as wire;

/// Number of definitions that a call returns.
const MOST: usize = 50;

/// Length of a map, in tokens.
const MOST_TOKENS: usize = 4000;

/// The names to look for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CodeSymbolsInput {
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

/// Finds definitions.
pub fn find_symbols(app: &App, input: CodeSymbolsInput) -> Result<ToolReply, UserError> {
    let kinds: Result<Vec<_>, String> = input.kinds.iter().map(|word| code::kind(word)).collect();
    let kinds =
        kinds.map_err(|kinds| UserError::refused(format!("code_symbols: `kinds`: {kinds}")))?;
    let root = &app.project.root;
    let name = input.name.map(|name| paths::symbol_within(root, &name));
    let file = input.file.map(|file| paths::within(root, &file));
    let query = SymbolQuery {
        name: name.as_deref(),
        file: file.as_deref(),
        kinds: &kinds,
        limit: input.limit.unwrap_or(20).min(MOST),
    };
    let found = code::ask(app, |code| {
        wire::symbols(&code.symbols(&query), file.as_deref(), &code.freshness())
    });
    ToolReply::new(&found?)
}

/// The part of the code that is of interest.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CodeMapInput {
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

/// Shows the most important definitions.
pub fn map_code(app: &App, input: CodeMapInput) -> Result<ToolReply, UserError> {
    let tokens = input.tokens.unwrap_or(1500).min(MOST_TOKENS);
    let files = input.files.iter().map(|file| paths::within(&app.project.root, file)).collect();
    let query = MapQuery { files, words: input.words, tokens };
    let map = code::ask(app, |code| wire::map(&code.map(&query), &code.freshness()));
    ToolReply::new(&map?)
}

/// The symbol to look for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CodeRefsInput {
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

/// Lists the uses of a definition.
pub fn find_uses(app: &App, mut input: CodeRefsInput) -> Result<ToolReply, UserError> {
    input.symbol = paths::symbol_within(&app.project.root, &input.symbol);
    ToolReply::new(&code::ask(app, |code| uses(code, &input))?)
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
