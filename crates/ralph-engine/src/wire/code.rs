//! The JSON of answers about code.

use ralph_graph::ask::calls::{CallGroup, Callees, Callers};
use ralph_graph::ask::files::FoundBy;
use ralph_graph::ask::impact::ChangeImpact;
use ralph_graph::ask::implied::CallSyntax;
use ralph_graph::ask::refs::{SymbolUses, UseCertainty, UseSite};
use ralph_graph::ask::symbols::SymbolMatches;
use ralph_graph::facts::CodePurpose;
use ralph_graph::freshness::{FileProblem, Freshness};
use ralph_graph::map::CodeMap;
use ralph_graph::{CodeSymbol, UpdateSummary};
use serde::Serialize;
use serde_json::{Value, json};

use super::SCHEMA;

/// Maximum number of troubled files in an answer.
const FEW: usize = 20;

/// A definition.
#[derive(Clone, Debug, Serialize)]
pub struct SymbolView {
    name: String,
    full_name: String,
    kind: &'static str,
    path: String,
    line: u32,
    column: u32,
    last_line: u32,
    signature: String,
    doc: Option<String>,
    test: bool,
}

impl SymbolView {
    /// Returns the view of a definition.
    pub fn new(symbol: &CodeSymbol) -> Self {
        let symbol = symbol.clone();
        Self {
            name: symbol.name,
            full_name: symbol.full_name,
            kind: symbol.kind.word(),
            path: symbol.path,
            line: symbol.line,
            column: symbol.column,
            last_line: symbol.last_line,
            signature: symbol.signature,
            doc: symbol.doc,
            test: symbol.purpose == CodePurpose::Test,
        }
    }

    fn all(symbols: &[CodeSymbol]) -> Vec<Self> {
        symbols.iter().map(Self::new).collect()
    }
}

/// Returns the JSON for the freshness of an answer.
pub fn freshness(freshness: &Freshness) -> Value {
    json!({
        "state": freshness.state().word(),
        "files": freshness.files,
        "stale": troubles(&freshness.stale, FEW),
        "stale_total": freshness.stale.len(),
        "partial": troubles(&freshness.partial, FEW),
        "partial_total": freshness.partial.len(),
        "skipped_total": freshness.skipped.len(),
    })
}

fn troubles(all: &[FileProblem], most: usize) -> Vec<Value> {
    let each = all.iter().take(most);
    each.map(|trouble| json!({ "path": trouble.path, "why": trouble.why })).collect()
}

/// Returns the result of an update, with everything that was left out.
pub fn updated(updated: UpdateSummary, fresh: &Freshness) -> Value {
    json!({
        "schema": SCHEMA,
        "read": updated.read,
        "parsed": updated.parsed,
        "removed": updated.removed,
        "skipped": troubles(&fresh.skipped, usize::MAX),
        "freshness": freshness(fresh),
    })
}

/// Returns the definitions that were found.
///
/// `asked` is the file that they should be in.
pub fn symbols(found: &SymbolMatches, asked: Option<&str>, fresh: &Freshness) -> Value {
    let is_unknown = found.files.as_ref().is_some_and(Vec::is_empty);
    let unknown: Vec<&str> = asked.into_iter().filter(|_| is_unknown).collect();
    json!({
        "schema": SCHEMA,
        "symbols": SymbolView::all(&found.symbols),
        "total": found.total,
        "files": found.files,
        "files_by": found.found_by.map(FoundBy::word),
        "unknown": unknown,
        "freshness": freshness(fresh),
    })
}

/// Returns the answer for a name that means several things or none; then
/// `candidates` are similar names.
pub fn unclear(ambiguous: &[CodeSymbol], alike: &[CodeSymbol], fresh: &Freshness) -> Value {
    let error = if ambiguous.is_empty() { "not_found" } else { "ambiguous" };
    let candidates = if ambiguous.is_empty() { alike } else { ambiguous };
    json!({
        "schema": SCHEMA,
        "symbols": [],
        "error": error,
        "candidates": SymbolView::all(candidates),
        "freshness": freshness(fresh),
    })
}

/// Returns the uses of a definition. `complete` is false if it can also be
/// called by syntax without its name, so that calls may be missing.
pub fn refs(found: &SymbolUses, fresh: &Freshness) -> Value {
    let sites: Vec<Value> = found.sites.iter().map(site).collect();
    json!({
        "schema": SCHEMA,
        "symbols": SymbolView::all(&found.symbols),
        "refs": sites,
        "complete": found.calling == CallSyntax::ByName,
        "freshness": freshness(fresh),
    })
}

fn site(site: &UseSite) -> Value {
    json!({
        "path": site.path,
        "line": site.line,
        "column": site.column,
        "relation": site.relation.word(),
        "within": site.within,
        "test": site.in_test,
        "certain": site.certainty == UseCertainty::Sure,
        "candidates": candidates(site.certainty),
    })
}

fn candidates(certainty: UseCertainty) -> usize {
    match certainty {
        UseCertainty::Sure => 1,
        UseCertainty::OneOf(count) => count,
    }
}

/// Returns the callers of a definition; `complete` as for [`refs`].
pub fn callers(found: &Callers, fresh: &Freshness) -> Value {
    let all: Vec<Value> = found.callers.iter().map(calls).collect();
    json!({
        "schema": SCHEMA,
        "symbols": SymbolView::all(&found.symbols),
        "callers": all,
        "complete": found.calling == CallSyntax::ByName,
        "freshness": freshness(fresh),
    })
}

/// Returns the callees of a definition.
pub fn callees(found: &Callees, fresh: &Freshness) -> Value {
    let all: Vec<Value> = found.callees.iter().map(calls).collect();
    json!({
        "schema": SCHEMA,
        "symbols": SymbolView::all(&found.symbols),
        "callees": all,
        "outside": found.outside,
        "unresolved": found.unresolved,
        "freshness": freshness(fresh),
    })
}

fn calls(calls: &CallGroup) -> Value {
    json!({
        "symbol": calls.symbol.as_ref().map(SymbolView::new),
        "path": calls.path,
        "lines": calls.lines,
        "certain": calls.certainty == UseCertainty::Sure,
        "candidates": candidates(calls.certainty),
    })
}

/// Returns what may break if files change. `gone` are files that no longer
/// exist but are still needed.
pub fn impact(found: &ChangeImpact, fresh: &Freshness) -> Value {
    let dependents = found.dependents.iter().map(|it| {
        json!({
            "path": it.path,
            "relation": it.relation.word(),
            "through": it.through,
            "distance": it.distance,
            "test": it.is_test,
        })
    });
    let tests = found.tests.iter().map(|it| {
        json!({
            "path": it.path,
            "name": it.name,
            "line": it.line,
            "distance": it.distance,
            "relation": "tests",
        })
    });
    json!({
        "schema": SCHEMA,
        "files": found.files,
        "gone": found.gone,
        "unknown": found.unknown,
        "dependents": dependents.collect::<Vec<_>>(),
        "tests": tests.collect::<Vec<_>>(),
        "freshness": freshness(fresh),
    })
}

/// Returns a map of the code. `asked` lists the files of interest, and how they
/// were found.
pub fn map(found: &CodeMap, fresh: &Freshness) -> Value {
    let files = found.files.iter().map(|file| {
        let entries = file.entries.iter().map(|entry| {
            json!({
                "name": entry.name,
                "kind": entry.kind.word(),
                "line": entry.line,
                "signature": entry.signature,
            })
        });
        json!({ "path": file.path, "symbols": entries.collect::<Vec<_>>() })
    });
    let asked = found.taken.iter().map(|taken| {
        json!({
            "file": taken.asked,
            "files": taken.files.iter().take(FEW).collect::<Vec<_>>(),
            "files_total": taken.files.len(),
            "files_by": taken.found_by.word(),
        })
    });
    json!({
        "schema": SCHEMA,
        "text": found.text,
        "tokens": found.tokens,
        "files": files.collect::<Vec<_>>(),
        "shown": found.shown(),
        "total": found.total,
        "asked": asked.collect::<Vec<_>>(),
        "unknown": found.unknown,
        "freshness": freshness(fresh),
    })
}
