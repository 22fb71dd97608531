//! Finds what keeps a test from being run, or from counting.

use std::sync::LazyLock;

use regex::Regex;

use super::assertions::{asserting, shortened};
use super::language::FileLanguage;
use super::tree::{FlatNodeId, FlatSyntaxTree};
use super::units::{CodeUnitNode, OutlineSource};

/// The effect of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SkipEffect {
    /// The test is not run, or may fail.
    Skip,
    /// The others are not run.
    Only,
}

/// Something that keeps tests from being run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SkipMark {
    pub(super) effect: SkipEffect,
    /// As it is written, shortened.
    pub(super) marker: String,
    /// The test or group it belongs to.
    pub(super) owner: String,
    pub(super) line: u32,
}

/// Attributes, decorators and annotations that skip.
static SKIPPING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?x)
        \#!?\[\s*(ignore|should_panic)\b
        | \#!?\[\s*cfg\b | \[\s*ignore\b
        | \#!?\[\s*cfg_attr\b[^\]]*\b(ignore|should_panic)\b
        | @(pytest\.)?mark\.(skip|skipif|xfail)\b
        | @(unittest\.)?(skip|skipIf|skipUnless|expectedFailure)\b
        | @(unittest\.mock\.)?nottest\b
        | @(Disabled|Ignore|DisabledOn\w+|DisabledIf\w*|EnabledIf\w*|EnabledOn\w+)\b
        | \bSkip\s*=
        | \[\s*(Ignore|Explicit)\b
        | \#\[\s*(RequiresPhp|RequiresOperatingSystem|Group)\b
        ",
    )
    .ok()
});

/// The marks of a test, and the point from which its body is not executed any more.
pub(super) struct TestMarks {
    pub(super) marks: Vec<SkipMark>,
    /// Nodes from here on are not reached.
    pub(super) dead: FlatNodeId,
}

/// Reads what is put on a test, on what it is in, and into its body.
pub(super) fn read(
    source: &OutlineSource<'_, '_>,
    unit: &CodeUnitNode,
    file: &[SkipMark],
) -> TestMarks {
    let tree = source.tree;
    let mut marks = file.to_vec();
    let mut put =
        |owner: &str, decorations: &[FlatNodeId], modifiers: &[String], node: FlatNodeId| {
            for &id in decorations.iter().filter(|&&id| skips(tree.text(id))) {
                marks.push(mark(SkipEffect::Skip, tree.text(id), owner, tree.line(id)));
            }
            for (effect, marker) in modifiers.iter().filter_map(|word| modifier(word)) {
                marks.push(mark(effect, marker, owner, tree.line(node)));
            }
        };
    put(&unit.id, &unit.decorations, &unit.modifiers, unit.node);
    for group in &unit.groups {
        put(&group.name, &group.decorations, &group.modifiers, group.node);
    }
    for group in &unit.groups {
        marks.extend(inside_of_group(tree, group.node, &group.name));
    }
    marks.extend(conditions(tree, unit));
    marks.extend(in_name(unit, tree.line(unit.node)));
    marks.extend(options(tree, unit));
    let mut dead = usize::MAX;
    if let Some(body) = unit.body {
        marks.extend(calls(source, unit, body));
        let (returns, end) = returns(source, unit, body);
        marks.extend(returns);
        dead = end;
    }
    TestMarks { marks, dead }
}

/// Returns the marks that a file sets for all the tests in it.
pub(super) fn of_file(source: &OutlineSource<'_, '_>) -> Vec<SkipMark> {
    let tree = source.tree;
    let name = source.path.rsplit('/').next().unwrap_or(source.path);
    let mut marks = Vec::new();
    for id in tree.children(0) {
        let text = tree.text(id);
        let marker = match source.language {
            FileLanguage::Rust => tree.kind(id) == "inner_attribute_item" && skips(text),
            FileLanguage::Go => text.starts_with("//go:build") || text.starts_with("// +build"),
            FileLanguage::Python => {
                text.starts_with("__test__")
                    || (text.starts_with("pytestmark") && text.contains("mark."))
                    || (text.starts_with("pytest.skip") || text.starts_with("pytest.importorskip"))
                    || (text.starts_with("raise") && text.contains("SkipTest"))
            }
            FileLanguage::JavaScript
            | FileLanguage::TypeScript
            | FileLanguage::Tsx
            | FileLanguage::Java
            | FileLanguage::Kotlin
            | FileLanguage::C
            | FileLanguage::Cpp
            | FileLanguage::CSharp
            | FileLanguage::Ruby
            | FileLanguage::Php
            | FileLanguage::Shell
            | FileLanguage::Bats => false,
        };
        if marker {
            marks.push(mark(SkipEffect::Skip, text, name, tree.line(id)));
        }
    }
    marks
}

fn mark(effect: SkipEffect, marker: &str, owner: &str, line: u32) -> SkipMark {
    SkipMark { effect, marker: shortened(marker), owner: owner.to_owned(), line }
}

/// True if an attribute keeps a test from being run. `cfg(test)` does not: all unit tests have it.
pub(super) fn skips(text: &str) -> bool {
    let words: String = text.split_whitespace().collect();
    !words.contains("[cfg(test)]") && SKIPPING.as_ref().is_some_and(|regex| regex.is_match(text))
}

fn modifier(word: &str) -> Option<(SkipEffect, &str)> {
    match word {
        "skip" | "todo" | "fixme" | "failing" | "fails" | "skipIf" | "runIf" => {
            Some((SkipEffect::Skip, word))
        }
        "xit" | "xtest" | "xspecify" | "xdescribe" | "xcontext" => Some((SkipEffect::Skip, word)),
        "only" | "fit" | "fdescribe" | "fcontext" => Some((SkipEffect::Only, word)),
        _ => None,
    }
}

/// Inner attributes of a module, and marks in the body of a class.
fn inside_of_group(tree: &FlatSyntaxTree<'_>, group: FlatNodeId, name: &str) -> Vec<SkipMark> {
    let bodies =
        tree.children(group).filter(|&id| matches!(tree.kind(id), "declaration_list" | "block"));
    bodies
        .flat_map(|body| tree.children(body))
        .filter(|&id| {
            let text = tree.text(id);
            (tree.kind(id) == "inner_attribute_item" && skips(text))
                || (text.starts_with("pytestmark") && text.contains("mark."))
                || text.starts_with("__test__")
        })
        .map(|id| mark(SkipEffect::Skip, tree.text(id), name, tree.line(id)))
        .collect()
}

/// Conditions that a test as a whole is under.
fn conditions(tree: &FlatSyntaxTree<'_>, unit: &CodeUnitNode) -> Vec<SkipMark> {
    const KINDS: &[&str] =
        &["if_statement", "if", "unless", "if_modifier", "preproc_if", "preproc_ifdef"];
    let outer = tree.around(unit.node).filter(|&outer| KINDS.contains(&tree.kind(outer)));
    outer
        .map(|outer| {
            let head = tree.rest_of_line(outer);
            mark(SkipEffect::Skip, head, &unit.id, tree.line(outer))
        })
        .collect()
}

/// Names and tags that gtest and Catch2 pass over.
fn in_name(unit: &CodeUnitNode, line: u32) -> Option<SkipMark> {
    let marker = if unit.name.contains("DISABLED_") { Some("DISABLED_") } else { None };
    marker.map(|marker| mark(SkipEffect::Skip, marker, &unit.id, line))
}

/// Options of a test, such as `{ skip: true }`, and tags such as `[.]`.
fn options(tree: &FlatSyntaxTree<'_>, unit: &CodeUnitNode) -> Vec<SkipMark> {
    if unit.modifiers.is_empty() {
        return Vec::new();
    }
    let until = unit.body.filter(|body| tree.inside(unit.node).contains(body));
    let end = until.unwrap_or(tree.inside(unit.node).end);
    let mut marks = Vec::new();
    for id in unit.node..end {
        let text = tree.text(id);
        let found = match tree.kind(id) {
            "pair" => {
                let (key, value) = text.split_once(':').unwrap_or((text, ""));
                let off = value.trim() == "false";
                match (key.trim(), off) {
                    ("skip" | "todo", false) => Some((SkipEffect::Skip, text)),
                    ("only", false) => Some((SkipEffect::Only, text)),
                    _ => None,
                }
            }
            // RSpec takes bare symbols as options too.
            "simple_symbol" if matches!(text, ":skip" | ":pending") => {
                Some((SkipEffect::Skip, text))
            }
            "string_literal" => ["[.]", "[!mayfail]", "[!shouldfail]", "[.!"]
                .into_iter()
                .find(|tag| text.contains(tag))
                .map(|tag| (SkipEffect::Skip, tag)),
            _ => None,
        };
        marks.extend(found.map(|(effect, text)| mark(effect, text, &unit.id, tree.line(id))));
    }
    marks
}

/// Calls in a body that end the test as skipped.
fn calls(source: &OutlineSource<'_, '_>, unit: &CodeUnitNode, body: FlatNodeId) -> Vec<SkipMark> {
    let tree = source.tree;
    let leaves: Vec<FlatNodeId> = tree.inside(body).filter(|&id| tree.is_leaf(id)).collect();
    let mut marks = Vec::new();
    for (at, &id) in leaves.iter().enumerate() {
        if tree.is_comment(id) || tree.kind(id).contains("string") {
            continue;
        }
        let before = at.checked_sub(1).map_or("", |at| tree.text(leaves[at]));
        let next = leaves.get(at + 1).map_or("", |&id| tree.text(id));
        if ends_test(source.language, tree.text(id), before, next) {
            let whole = tree.around(id).find(|&outer| tree.kind(outer).contains("call"));
            let text = whole.map_or(tree.text(id), |whole| tree.text(whole));
            let name = text.split(['(', '\n', ' ']).next().unwrap_or(text);
            marks.push(mark(SkipEffect::Skip, name, &unit.id, tree.line(id)));
        }
    }
    marks
}

fn ends_test(language: FileLanguage, word: &str, before: &str, next: &str) -> bool {
    let called = next == "(";
    let exits = called && matches!(word, "exit" | "_exit" | "abort_test");
    exits
        || match language {
            FileLanguage::Python => {
                (called && before == "." && matches!(word, "skip" | "xfail" | "importorskip"))
                    || matches!(word, "skipTest" | "SkipTest")
            }
            FileLanguage::Go => before == "." && matches!(word, "Skip" | "Skipf" | "SkipNow"),
            FileLanguage::Java | FileLanguage::Kotlin => {
                called && (word.starts_with("assume") || word.starts_with("assuming"))
            }
            FileLanguage::CSharp => {
                before == "." && called && matches!(word, "Ignore" | "Inconclusive" | "Skip")
            }
            FileLanguage::Php => matches!(word, "markTestSkipped" | "markTestIncomplete"),
            FileLanguage::Ruby => {
                matches!(word, "skip" | "pending") && before != "." && next != "="
            }
            FileLanguage::C | FileLanguage::Cpp => {
                called && matches!(word, "GTEST_SKIP" | "SKIP" | "TEST_IGNORE" | "TEST_PASS")
            }
            FileLanguage::JavaScript | FileLanguage::TypeScript | FileLanguage::Tsx => {
                called && (before == "." && matches!(word, "skip" | "todo") || word == "pending")
            }
            FileLanguage::Shell | FileLanguage::Bats => word == "skip",
            FileLanguage::Rust => false,
        }
}

/// Returns that leave a test before its assertions.
fn returns(
    source: &OutlineSource<'_, '_>,
    unit: &CodeUnitNode,
    body: FlatNodeId,
) -> (Vec<SkipMark>, FlatNodeId) {
    const KINDS: &[&str] = &["return_statement", "return_expression", "jump_expression", "return"];
    let tree = source.tree;
    let mut marks = Vec::new();
    let ids: Vec<FlatNodeId> = tree
        .inside(body)
        .filter(|&id| {
            KINDS.contains(&tree.kind(id)) && !tree.is_leaf(id) && gives_nothing(tree, id)
        })
        .filter(|&id| !is_in_closure(tree, body, id))
        .collect();
    if ids.is_empty() {
        return (marks, usize::MAX);
    }
    let asserted = asserting(tree, source.language, body);
    for id in ids {
        let block = block_around(tree, body, id);
        let follows = asserted.iter().any(|&leaf| leaf >= tree.inside(id).end);
        if !follows {
            continue;
        }
        if block == body {
            marks.push(mark(SkipEffect::Skip, tree.text(id), &unit.id, tree.line(id)));
            return (marks, id);
        }
        if !asserted.iter().any(|leaf| tree.inside(block).contains(leaf)) {
            marks.push(mark(SkipEffect::Skip, tree.text(id), &unit.id, tree.line(id)));
        }
    }
    (marks, usize::MAX)
}

/// True if a return gives nothing that a runner would look at.
fn gives_nothing(tree: &FlatSyntaxTree<'_>, id: FlatNodeId) -> bool {
    matches!(
        tree.tokens(tree.inside(id)).as_slice(),
        ["return"]
            | ["return", "None" | "nil" | "null" | "undefined" | "0" | "true"]
            | ["return", "Ok", "(", "(", ")", ")"]
            | ["return", "Ok", "(", "()", ")"]
    )
}

fn is_in_closure(tree: &FlatSyntaxTree<'_>, body: FlatNodeId, id: FlatNodeId) -> bool {
    tree.around(id).take_while(|&outer| outer > body).any(|outer| {
        let kind = tree.kind(outer);
        ["lambda", "closure", "arrow_function", "function", "func_literal", "do_block", "method"]
            .iter()
            .any(|part| kind.contains(part))
    })
}

/// The block a node is in, with the wrappers of lists of statements and of
/// the statement itself passed over.
fn block_around(tree: &FlatSyntaxTree<'_>, body: FlatNodeId, id: FlatNodeId) -> FlatNodeId {
    const WRAPPERS: &[&str] =
        &["expression_statement", "statement_list", "statements", "body_statement", "block_body"];
    tree.around(id)
        .take_while(|&outer| outer > body)
        .find(|&outer| !WRAPPERS.contains(&tree.kind(outer)))
        .unwrap_or(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pattern_is_sound() {
        assert!(SKIPPING.is_some());
    }
}
