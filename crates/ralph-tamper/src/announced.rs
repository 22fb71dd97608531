//! Tests that say themselves what they are, in files whose names do not.
//!
//! Runners can be told to look anywhere. What is asked for here are signs that
//! nothing but a test has, since a function of the program that is taken for a
//! test could not be removed any more.

use super::language::FileLanguage;
use super::tree::{FlatNodeId, FlatSyntaxTree};
use super::units::{CodeUnitNode, OutlineSource};

/// Modules that exist to write tests with.
const RUNNERS: &[&str] = &[
    "node:test",
    "vitest",
    "@jest/globals",
    "bun:test",
    "mocha",
    "@playwright/test",
    "ava",
    "tape",
    "tap",
    "uvu",
];

impl OutlineSource<'_, '_> {
    /// True if a file holds something that only files of tests have.
    pub(super) fn announces_tests(&self) -> bool {
        let tree = self.tree;
        match self.language {
            FileLanguage::JavaScript | FileLanguage::TypeScript | FileLanguage::Tsx => {
                tree.all().any(|id| match tree.kind(id) {
                    "string" => names_runner(tree, id),
                    "member_expression" => tree.text(id) == "import.meta.vitest",
                    "call_expression" => self.is_suite(id),
                    _ => false,
                })
            }
            FileLanguage::Python => tree.all().any(|id| match tree.kind(id) {
                "class_definition" => inherits_tests(tree, id),
                "decorator" => is_for_pytest(tree, id),
                _ => false,
            }),
            FileLanguage::Ruby => tree.all().any(|id| match tree.kind(id) {
                "class" => inherits_tests(tree, id),
                "call" => tree.text(id).starts_with("RSpec."),
                _ => false,
            }),
            FileLanguage::Php => tree
                .all()
                .any(|id| tree.kind(id) == "class_declaration" && inherits_tests(tree, id)),
            // Told by attributes, by macros, or by the name of the file alone.
            FileLanguage::Rust
            | FileLanguage::Java
            | FileLanguage::Kotlin
            | FileLanguage::CSharp
            | FileLanguage::C
            | FileLanguage::Cpp
            | FileLanguage::Go
            | FileLanguage::Shell
            | FileLanguage::Bats => false,
        }
    }

    /// True if a function is a test for more than the way it is called.
    pub(super) fn announces(&self, found: &CodeUnitNode) -> bool {
        let class = found.groups.first();
        class.is_some_and(|class| inherits_tests(self.tree, class.node))
            || found.decorations.iter().any(|&id| is_for_pytest(self.tree, id))
    }

    /// True if a call is `describe("…", () => …)` at the top level of the file.
    fn is_suite(&self, id: FlatNodeId) -> bool {
        let is_outside = self.tree.parent(self.tree.parent(id)) == 0;
        is_outside
            && self.callee(id).first().is_some_and(|word| word == "describe")
            && self.title(id).is_some()
            && self.call_body(id).is_some()
    }
}

/// True if a text in quotes is the runner that is imported.
fn names_runner(tree: &FlatSyntaxTree<'_>, id: FlatNodeId) -> bool {
    if !RUNNERS.contains(&tree.text(id).trim_matches(['"', '\''])) {
        return false;
    }
    let around = tree.parent(id);
    match tree.kind(around) {
        "import_statement" => true,
        "arguments" => tree.text(tree.parent(around)).starts_with("require"),
        _ => false,
    }
}

fn inherits_tests(tree: &FlatSyntaxTree<'_>, class: FlatNodeId) -> bool {
    let Some(bases) = tree.child(class, &["argument_list", "superclass", "base_clause"]) else {
        return false;
    };
    let text = tree.text(bases);
    let mut words = text.split(|char: char| !char.is_alphanumeric() && char != '_');
    words.any(|word| word.ends_with("TestCase")) || text.contains("Minitest::Test")
}

fn is_for_pytest(tree: &FlatSyntaxTree<'_>, decorator: FlatNodeId) -> bool {
    tree.text(decorator).starts_with("@pytest.mark.")
}
