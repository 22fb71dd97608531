//! The parts of one version of a file that matter.

use super::assertions::{self, Assertion, Body, Call};
use super::cases;
use super::known::KnownTest;
use super::language::Language;
use super::marks::{self, Mark};
use super::paths::{self, Collection};
use super::strength::Strength;
use super::suppressions::{self, Suppression};
use super::tree::Tree;
use super::units::{Found, Role, Source};

/// Files beyond this size are read line by line.
const PARSED_BYTES: usize = 2 << 20;

/// The parts of a file that matter.
#[derive(Default)]
pub(super) struct Outline {
    pub(super) units: Vec<Unit>,
    pub(super) suppressions: Vec<Suppression>,
    /// Modules with tests that are declared here and written elsewhere.
    pub(super) modules: Vec<Module>,
}

/// A test, or a function that is none.
pub(super) struct Unit {
    pub(super) role: Role,
    pub(super) id: String,
    pub(super) name: String,
    pub(super) line: u32,
    /// The words of the body, and those of its decorations behind them.
    pub(super) words: Vec<String>,
    /// The number of words that belong to decorations.
    pub(super) decoration: usize,
    pub(super) marks: Vec<Mark>,
    pub(super) assertions: Vec<Assertion>,
    pub(super) calls: Vec<Call>,
    pub(super) cases: usize,
    pub(super) propagations: usize,
    /// True if the body does nothing.
    pub(super) is_empty: bool,
    /// The evidence that a runner collects the file.
    pub(super) collection: Collection,
}

impl Unit {
    /// The words of the body alone.
    pub(super) fn body(&self) -> &[String] {
        &self.words[..self.words.len() - self.decoration]
    }
}

/// A declaration such as `#[cfg(test)] mod tests;`.
pub(super) struct Module {
    pub(super) name: String,
    pub(super) line: u32,
    /// Its attributes, without spaces.
    pub(super) attributes: Vec<String>,
}

/// Reads a file by its tree. `None` if it has to be read line by line; files
/// in no known language have an outline with nothing in it.
pub(super) fn parse(path: &str, text: &str, known: &[KnownTest]) -> Option<Outline> {
    let Some(language) = Language::of(path) else { return Some(Outline::default()) };
    let grammar = language.grammar().filter(|_| text.len() <= PARSED_BYTES)?;
    let tree = Tree::parse(text, grammar)?;
    if tree.broken && language.trusts_errors() {
        return None;
    }
    let source = Source::new(path, language, &tree, known);
    let file_marks = marks::of_file(&source);
    let tables = cases::tables(&tree);
    let mut units = Vec::new();
    let mut covered = 0;
    for found in source.units() {
        // What is inside of another function is part of it.
        if found.role != Role::Test && found.node < covered {
            continue;
        }
        let body = found.body.unwrap_or(found.node);
        covered = covered.max(tree.inside(body).end);
        let cases = cases::count(&source, &found, &tables);
        units.push(Unit { cases, ..unit(&source, &found, &file_marks) });
    }
    Some(Outline {
        units,
        suppressions: suppressions::in_tree(&tree, language, path),
        modules: modules(&source),
    })
}

fn unit(source: &Source<'_, '_>, found: &Found, file_marks: &[Mark]) -> Unit {
    let tree = source.tree;
    let reading = marks::read(source, found, file_marks);
    let mut body = found.body.map_or_else(Body::default, |body| {
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
    Unit {
        role: found.role,
        id: found.id.clone(),
        name: found.name.clone(),
        line: tree.line(found.node),
        words: words.iter().chain(&decoration).map(|&word| word.to_owned()).collect(),
        decoration: decoration.len(),
        marks: if found.role == Role::Test { reading.marks } else { Vec::new() },
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
fn before_body<'a>(source: &Source<'_, 'a>, found: &Found) -> Vec<&'a str> {
    let inside = source.tree.inside(found.node);
    match found.body {
        Some(body) if !found.modifiers.is_empty() => {
            source.tree.tokens(found.node..body.min(inside.end))
        }
        Some(_) | None => Vec::new(),
    }
}

/// True if a body holds nothing but brackets, `pass` and a comment.
fn does_nothing(source: &Source<'_, '_>, found: &Found, words: &[&str]) -> bool {
    let idle = ["{", "}", "do", "end", "pass", "...", "(", ")", "=>", "return", "null"];
    if words.iter().all(|word| idle.contains(word)) {
        return true;
    }
    // A docstring is a remark too.
    let tree = source.tree;
    found.body.filter(|_| source.language == Language::Python).is_some_and(|body| {
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
fn expectation(text: &str, line: u32) -> Option<Assertion> {
    let plain: String = text.split_whitespace().collect();
    let expects = plain.contains("should_panic")
        || plain.contains("(expected=")
        || plain.contains("[ExpectedException");
    expects.then(|| Assertion {
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
        strength: Strength::Truth,
        conditions: 0,
        swallowed: false,
    })
}

fn modules(source: &Source<'_, '_>) -> Vec<Module> {
    let tree = source.tree;
    if source.language != Language::Rust {
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
            of_tests.then(|| Module { name, line: tree.line(id), attributes })
        })
        .collect()
}
