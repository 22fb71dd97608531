//! Counts the cases of a test: rows of a table it is run with.

use std::collections::{BTreeSet, HashMap};

use super::tree::{FlatNodeId, FlatSyntaxTree};
use super::units::{CodeUnitNode, OutlineSource};

const LISTS: &[&str] = &[
    "list",
    "tuple",
    "array",
    "array_expression",
    "array_creation_expression",
    "element_value_array_initializer",
    "literal_value",
    "initializer_list",
];
/// Attributes of which each is one case.
const ROWS: &[&str] =
    &["case", "test_case", "InlineData", "TestCase", "DataRow", "TestWith", "CsvRow"];

/// Tables of a file that have a name, with the number of their rows.
pub(super) fn tables(tree: &FlatSyntaxTree<'_>) -> HashMap<String, usize> {
    const HOLDERS: &[&str] =
        &["assignment", "const_item", "static_item", "variable_declarator", "var_spec"];
    let mut tables = HashMap::new();
    for id in tree.all().filter(|&id| HOLDERS.contains(&tree.kind(id))) {
        let name = tree.child(id, &["identifier", "constant"]);
        let list = tree.inside(id).find(|&inner| is_table(tree, inner));
        if let (Some(name), Some(list)) = (name, list) {
            tables.insert(tree.text(name).to_owned(), rows(tree, list));
        }
    }
    tables
}

/// Returns the number of cases a test has; 0 if it has no table.
pub(super) fn count(
    source: &OutlineSource<'_, '_>,
    unit: &CodeUnitNode,
    tables: &HashMap<String, usize>,
) -> usize {
    let tree = source.tree;
    let mut cases = 0;
    let mut names = BTreeSet::new();
    for &id in &unit.decorations {
        let text = tree.text(id).trim_start_matches(['#', '[', '@', ' ']);
        let name = text.split(['(', ']', ' ']).next().unwrap_or_default();
        let name = name.rsplit([':', '.']).next().unwrap_or_default();
        if ROWS.contains(&name) {
            cases += 1;
        } else if name != "usefixtures" && name != "cfg" {
            cases += lists(tree, id, &mut names);
        }
    }
    let body = unit.body.unwrap_or(unit.node);
    if unit.modifiers.iter().any(|word| matches!(word.as_str(), "each" | "for")) {
        cases += lists_in(tree, unit.node..body, &mut names);
    }
    let mut at = body;
    while at < tree.inside(body).end {
        if let Some(range) = looped(tree, at) {
            at = range.end.max(at + 1);
            cases += lists_in(tree, range, &mut names);
            continue;
        }
        if tree.kind(at) == "composite_literal" && tree.text(at).contains("struct") {
            cases += tree.child(at, &["literal_value"]).map_or(0, |list| rows(tree, list));
            at = tree.inside(at).end;
            continue;
        }
        at += 1;
    }
    cases + names.iter().filter_map(|name| tables.get(name)).sum::<usize>()
}

/// Returns the range of nodes that hold the values a loop iterates over.
fn looped(tree: &FlatSyntaxTree<'_>, id: FlatNodeId) -> Option<std::ops::Range<FlatNodeId>> {
    let kind = tree.kind(id);
    let is_loop = matches!(
        kind,
        "for_statement"
            | "for_expression"
            | "for_in_statement"
            | "for"
            | "foreach_statement"
            | "for_range_loop"
            | "enhanced_for_statement"
    );
    if is_loop {
        let body = tree.children(id).last()?;
        return Some(id + 1..body);
    }
    // `[…].forEach(…)` and `[…].each do`.
    let called = matches!(kind, "call_expression" | "call") && LISTS.contains(&tree.kind(id + 1))
        || (kind == "member_expression" && LISTS.contains(&tree.kind(id + 1)));
    (called && kind != "call_expression").then(|| tree.inside(id + 1))
}

fn lists(tree: &FlatSyntaxTree<'_>, id: FlatNodeId, names: &mut BTreeSet<String>) -> usize {
    lists_in(tree, tree.inside(id), names)
}

/// The rows of the outermost lists, and the names of those written elsewhere.
fn lists_in(
    tree: &FlatSyntaxTree<'_>,
    ids: std::ops::Range<FlatNodeId>,
    names: &mut BTreeSet<String>,
) -> usize {
    let mut sum = 0;
    let mut at = ids.start;
    while at < ids.end {
        if is_table(tree, at) {
            sum += rows(tree, at);
            at = tree.inside(at).end;
            continue;
        }
        if tree.is_leaf(at) && matches!(tree.kind(at), "identifier" | "constant") {
            names.insert(tree.text(at).to_owned());
        }
        at += 1;
    }
    sum
}

fn is_table(tree: &FlatSyntaxTree<'_>, id: FlatNodeId) -> bool {
    LISTS.contains(&tree.kind(id)) && (tree.kind(id) != "tuple" || tree.text(id).starts_with("(("))
}

fn rows(tree: &FlatSyntaxTree<'_>, list: FlatNodeId) -> usize {
    let rows = tree.children(list).filter(|&child| {
        !matches!(tree.text(child), "[" | "]" | "(" | ")" | "{" | "}" | "," | ";" | "array")
            && !tree.is_comment(child)
    });
    rows.count()
}
