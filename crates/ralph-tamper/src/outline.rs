//! The parts of one version of a file that matter.

use ralph_graph::cases::NamedTestCase;

use super::assertions::{self, AssertingCall, TestAssertion, TestBody};
use super::cases;
use super::language::FileLanguage;
use super::marks::{self, SkipMark};
use super::paths::{self, CollectionEvidence};
use super::strength::AssertionStrength;
use super::suppressions::{self, LintSuppression};
use super::tree::FlatSyntaxTree;
use super::units::{CodeUnitNode, CodeUnitRole, OutlineSource};

/// Files beyond this size are read line by line.
const PARSED_BYTES: usize = 2 << 20;

/// The parts of a file that matter.
#[derive(Default)]
pub(super) struct FileOutline {
    pub(super) units: Vec<CodeUnit>,
    pub(super) suppressions: Vec<LintSuppression>,
    /// Modules with tests that are declared here and written elsewhere.
    pub(super) modules: Vec<ModuleDeclaration>,
}

/// A test, or a function that is none.
pub(super) struct CodeUnit {
    pub(super) role: CodeUnitRole,
    pub(super) id: String,
    pub(super) name: String,
    pub(super) line: u32,
    /// The words of the body, and those of its decorations behind them.
    pub(super) words: Vec<String>,
    /// The number of words that belong to decorations.
    pub(super) decoration: usize,
    pub(super) marks: Vec<SkipMark>,
    pub(super) assertions: Vec<TestAssertion>,
    pub(super) calls: Vec<AssertingCall>,
    pub(super) cases: usize,
    pub(super) propagations: usize,
    /// True if the body does nothing.
    pub(super) is_empty: bool,
    /// The evidence that a runner collects the file.
    pub(super) collection: CollectionEvidence,
}

impl CodeUnit {
    /// The words of the body alone.
    pub(super) fn body(&self) -> &[String] {
        &self.words[..self.words.len() - self.decoration]
    }
}

/// A declaration such as `#[cfg(test)] mod tests;`.
pub(super) struct ModuleDeclaration {
    pub(super) name: String,
    pub(super) line: u32,
    /// Its attributes, without spaces.
    pub(super) attributes: Vec<String>,
}

/// Reads a file by its tree. `None` if it has to be read line by line; files
/// in no known language have an outline with nothing in it.
pub(super) fn parse(path: &str, text: &str, known: &[NamedTestCase]) -> Option<FileOutline> {
    let Some(language) = FileLanguage::of(path) else { return Some(FileOutline::default()) };
    let grammar = language.grammar().filter(|_| text.len() <= PARSED_BYTES)?;
    let tree = FlatSyntaxTree::parse(text, grammar)?;
    if tree.broken && language.trusts_errors() {
        return None;
    }
    let source = OutlineSource::new(path, language, &tree, known);
    let file_marks = marks::of_file(&source);
    let tables = cases::tables(&tree);
    let mut units = Vec::new();
    let mut covered = 0;
    for found in source.units() {
        // What is inside of another function is part of it.
        if found.role != CodeUnitRole::Test && found.node < covered {
            continue;
        }
        let body = found.body.unwrap_or(found.node);
        covered = covered.max(tree.inside(body).end);
        let cases = cases::count(&source, &found, &tables);
        units.push(CodeUnit { cases, ..unit(&source, &found, &file_marks) });
    }
    Some(FileOutline {
        units,
        suppressions: suppressions::in_tree(&tree, language, path),
        modules: modules(&source),
    })
}

fn unit(source: &OutlineSource<'_, '_>, found: &CodeUnitNode, file_marks: &[SkipMark]) -> CodeUnit {
    let tree = source.tree;
    let reading = marks::read(source, found, file_marks);
    let mut body = found.body.map_or_else(TestBody::default, |body| {
        assertions::read(tree, source.language, body, reading.dead)
    });
    for &id in &found.decorations {
        body.assertions.extend(expectation(tree.text(id), tree.line(id)));
    }
    for assertion in &mut body.assertions {
        assertion.owner.clone_from(&found.id);
    }
    let words = found.body.map(|body| tree.tokens(tree.inside(body))).unwrap_or_default();
    let is_empty = found.body.is_none() || does_nothing(source, found, &words);
    let decorations = found.decorations.iter().flat_map(|&id| tree.tokens(tree.inside(id)));
    let decoration: Vec<&str> = decorations.chain(before_body(source, found)).collect();
    CodeUnit {
        role: found.role,
        id: found.id.clone(),
        name: found.name.clone(),
        line: tree.line(found.node),
        words: words.iter().chain(&decoration).map(|&word| word.to_owned()).collect(),
        decoration: decoration.len(),
        marks: if found.role == CodeUnitRole::Test { reading.marks } else { Vec::new() },
        assertions: body.assertions,
        calls: body.calls,
        cases: 0,
        propagations: body.propagations,
        is_empty,
        collection: source.collection,
    }
}

/// The words of a test that is a call, up to its body: its title and its
/// table of cases.
fn before_body<'a>(source: &OutlineSource<'_, 'a>, found: &CodeUnitNode) -> Vec<&'a str> {
    let inside = source.tree.inside(found.node);
    match found.body {
        Some(body) if !found.modifiers.is_empty() => {
            source.tree.tokens(found.node..body.min(inside.end))
        }
        Some(_) | None => Vec::new(),
    }
}

/// True if a body holds nothing but brackets, `pass` and a comment.
fn does_nothing(source: &OutlineSource<'_, '_>, found: &CodeUnitNode, words: &[&str]) -> bool {
    let idle = ["{", "}", "do", "end", "pass", "...", "(", ")", "=>", "return", "null"];
    if words.iter().all(|word| idle.contains(word)) {
        return true;
    }
    // A docstring is a remark too.
    let tree = source.tree;
    found.body.filter(|_| source.language == FileLanguage::Python).is_some_and(|body| {
        tree.children(body).all(|statement| {
            tree.is_comment(statement)
                || tree.kind(statement) == "pass_statement"
                || tree
                    .children(statement)
                    .all(|inner| matches!(tree.kind(inner), "string" | "ellipsis"))
        })
    })
}

/// An expected error that is declared, not called.
fn expectation(text: &str, line: u32) -> Option<TestAssertion> {
    let plain: String = text.split_whitespace().collect();
    let expects = plain.contains("should_panic")
        || plain.contains("(expected=")
        || plain.contains("[ExpectedException");
    expects.then(|| TestAssertion {
        tokens: plain
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .chain(["raises".to_owned()])
            .collect(),
        text: assertions::shortened(text),
        line,
        owner: String::new(),
        callee: "raises".to_owned(),
        strength: AssertionStrength::Truth,
        conditions: 0,
        swallowed: false,
    })
}

fn modules(source: &OutlineSource<'_, '_>) -> Vec<ModuleDeclaration> {
    let tree = source.tree;
    if source.language != FileLanguage::Rust {
        return Vec::new();
    }
    let declared = tree.all().filter(|&id| {
        tree.kind(id) == "mod_item" && tree.child(id, &["declaration_list"]).is_none()
    });
    declared
        .filter_map(|id| {
            let name = tree.text(tree.child(id, &["identifier"])?).to_owned();
            let attributes: Vec<String> = source
                .decorations(id)
                .into_iter()
                .map(|id| tree.text(id).split_whitespace().collect())
                .collect();
            let of_tests = attributes.iter().any(|text| text.contains("cfg(test)"))
                || paths::is_test_file(source.path)
                || matches!(name.as_str(), "tests" | "test")
                || name.ends_with("_tests")
                || name.ends_with("_test");
            of_tests.then(|| ModuleDeclaration { name, line: tree.line(id), attributes })
        })
        .collect()
}
