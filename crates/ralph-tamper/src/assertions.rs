//! Finds the assertions in the body of a test.

use std::ops::Range;

use super::language::FileLanguage;
use super::strength::{self, AssertionStrength};
use super::tree::{FlatNodeId, FlatSyntaxTree};

/// Something that can make a test fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TestAssertion {
    /// The words, which tell it apart.
    pub(super) tokens: Vec<String>,
    /// As it is written, on one line.
    pub(super) text: String,
    pub(super) line: u32,
    /// The test or the helper it is in.
    pub(super) owner: String,
    /// The function or macro that asserts.
    pub(super) callee: String,
    pub(super) strength: AssertionStrength,
    /// The number of conditions it is under.
    pub(super) conditions: usize,
    /// True if an error it throws is caught.
    pub(super) swallowed: bool,
}

/// A call of something that may assert in turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AssertingCall {
    pub(super) name: String,
    /// The assertion it was taken for, by its place among them.
    pub(super) assertion: Option<usize>,
}

/// The parts of a test's body that matter.
#[derive(Default)]
pub(super) struct TestBody {
    pub(super) assertions: Vec<TestAssertion>,
    pub(super) calls: Vec<AssertingCall>,
    /// Places where an error would end the test, such as `.unwrap()`.
    pub(super) propagations: usize,
}

/// The kinds of nodes that chain the last words before an assertion with it.
const CHAIN: &[&str] = &[
    "assert_statement",
    "attribute",
    "await",
    "await_expression",
    "call",
    "call_expression",
    "call_suffix",
    "field_expression",
    "function_call_expression",
    "infix_expression",
    "invocation_expression",
    "macro_invocation",
    "member_access_expression",
    "member_call_expression",
    "member_expression",
    "method_invocation",
    "navigation_expression",
    "navigation_suffix",
    "scoped_call_expression",
    "scoped_identifier",
    "selector_expression",
];
const CONDITIONS: &[&str] = &[
    "if_statement",
    "if_expression",
    "if",
    "unless",
    "if_modifier",
    "unless_modifier",
    "elif_clause",
    "elsif",
];
const ATTEMPTS: &[&str] =
    &["try_statement", "try_expression", "begin", "body_statement", "try_with_resources_statement"];
const HANDLERS: &[&str] =
    &["catch_clause", "except_clause", "except_group_clause", "catch_block", "rescue"];

/// Reads a body up to the node `dead`, behind which nothing is executed.
pub(super) fn read(
    tree: &FlatSyntaxTree<'_>,
    language: FileLanguage,
    body: FlatNodeId,
    dead: FlatNodeId,
) -> TestBody {
    let reader = AssertionReader::new(tree, language, body, dead);
    let mut out = TestBody::default();
    for at in 0..reader.leaves.len() {
        let word = reader.word(at);
        let assertion = reader.asserting.binary_search(&reader.leaves[at]).is_ok();
        if assertion {
            out.assertions.push(reader.assertion(at));
        }
        if reader.is_call(at) {
            let assertion = assertion.then(|| out.assertions.len() - 1);
            out.calls.push(AssertingCall { name: word.to_owned(), assertion });
        }
        if language == FileLanguage::Rust
            && (word == "?" || matches!(word, "unwrap" | "expect" | "unwrap_err"))
        {
            out.propagations += 1;
        }
    }
    out
}

/// The leaves of a body at which something is asserted.
pub(super) fn asserting(
    tree: &FlatSyntaxTree<'_>,
    language: FileLanguage,
    body: FlatNodeId,
) -> Vec<FlatNodeId> {
    AssertionReader::new(tree, language, body, usize::MAX).asserting
}

struct AssertionReader<'t, 'a> {
    tree: &'t FlatSyntaxTree<'a>,
    language: FileLanguage,
    body: FlatNodeId,
    leaves: Vec<FlatNodeId>,
    asserting: Vec<FlatNodeId>,
}

impl<'t, 'a> AssertionReader<'t, 'a> {
    fn new(
        tree: &'t FlatSyntaxTree<'a>,
        language: FileLanguage,
        body: FlatNodeId,
        dead: FlatNodeId,
    ) -> Self {
        let leaves = tree
            .inside(body)
            .filter(|&id| id < dead && tree.is_leaf(id))
            .filter(|&id| !tree.is_comment(id) && !tree.is_comment(tree.parent(id)))
            .filter(|&id| !is_string(tree.kind(id)))
            .collect();
        let mut reader = Self { tree, language, body, leaves, asserting: Vec::new() };
        reader.asserting = (0..reader.leaves.len())
            .filter(|&at| reader.asserts(at))
            .map(|at| reader.leaves[at])
            .collect();
        reader
    }

    fn word(&self, at: usize) -> &'a str {
        self.leaves.get(at).map_or("", |&id| self.tree.text(id))
    }

    fn before(&self, at: usize, steps: usize) -> &'a str {
        at.checked_sub(steps).map_or("", |at| self.word(at))
    }

    fn is_call(&self, at: usize) -> bool {
        let named = self.word(at).starts_with(|c: char| c.is_alphabetic() || c == '_');
        let defined = matches!(self.before(at, 1), "fn" | "def" | "function" | "func" | "fun");
        named && !defined && (self.word(at + 1) == "(" || self.language == FileLanguage::Ruby)
    }

    /// True if a word asserts something, by its name and its neighbours.
    fn asserts(&self, at: usize) -> bool {
        let word = self.word(at);
        let (before, next) = (self.before(at, 1), self.word(at + 1));
        let lower = word.to_ascii_lowercase();
        let called = next == "(" && self.is_call(at);
        let starts = |heads: &[&str]| heads.iter().any(|head| lower.starts_with(head));
        let named = starts(&["assert", "check", "verify", "expect", "ensure", "fail", "should"]);
        match self.language {
            FileLanguage::Rust => {
                let macros = ["assert", "debug_assert", "prop_assert", "panic", "check"];
                (next == "!" && starts(&macros))
                    || (called && named && !(before == "." && word.starts_with("expect")))
            }
            FileLanguage::Python => {
                word == "assert"
                    || (called && (named || matches!(word, "raises" | "warns" | "deprecated_call")))
            }
            FileLanguage::JavaScript | FileLanguage::TypeScript | FileLanguage::Tsx => {
                (called && (named || word == "reject"))
                    || (word == "assert" && next == "." && before != ".")
                    || (word == "should" && before == ".")
                    || (called && before == "." && self.before(at, 2) == "t" && is_tap(word))
            }
            FileLanguage::Go => {
                let tester = matches!(self.before(at, 2), "t" | "b" | "tb" | "f" | "T");
                (before == "." && tester && starts(&["error", "fatal", "fail"]))
                    || (matches!(word, "assert" | "require") && next == "." && before != ".")
                    || (called && before != "." && (named || starts(&["must", "require", "panic"])))
            }
            FileLanguage::Java | FileLanguage::Kotlin | FileLanguage::CSharp => {
                word == "assert"
                    || (called && named)
                    || (self.language == FileLanguage::Kotlin && starts(&["should"]))
                    || (self.language == FileLanguage::CSharp
                        && lower.ends_with("assert")
                        && next == ".")
            }
            FileLanguage::C | FileLanguage::Cpp => {
                let more = ["require", "test_", "run_test", "cr_assert", "ck_assert", "boost_"];
                called && (named || starts(&more) || lower.contains("assert"))
            }
            FileLanguage::Ruby => {
                let more = ["refute", "must_", "wont_", "flunk", "is_expected"];
                next != "=" && next != "." && (named || starts(&more))
                    || (starts(&["is_expected"]) && next == ".")
            }
            FileLanguage::Php => called && named,
            FileLanguage::Shell | FileLanguage::Bats => named,
        }
    }

    /// True if a word makes the test fail where it stands.
    fn fails(&self, at: usize) -> bool {
        let lower = self.word(at).to_ascii_lowercase();
        ["fail", "error", "fatal", "panic", "flunk"].iter().any(|head| lower.starts_with(head))
    }

    fn assertion(&self, at: usize) -> TestAssertion {
        let tree = self.tree;
        let leaf = self.leaves[at];
        let whole = self.extent(at);
        let mut conditions = self.conditions(leaf);
        let mut words = tree.tokens(whole.clone());
        let mut line = tree.line(whole.start);
        let mut text = tree.span(&whole);
        // A call that fails asks for nothing: it must not be reached at all.
        let mut strength = if self.fails(at) {
            AssertionStrength::Equality
        } else {
            strength::of(&words, self.language)
        };
        if let Some((condition, cause)) = self.fails(at).then(|| self.cause(leaf)).flatten() {
            words = tree.tokens(cause.clone());
            strength = strength::of_failing(&words);
            text = tree.span(&cause);
            line = tree.line(condition);
            conditions = conditions.saturating_sub(1);
            words.push(self.word(at));
        }
        TestAssertion {
            tokens: words.into_iter().map(str::to_owned).collect(),
            text: shortened(text),
            line,
            owner: String::new(),
            callee: self.word(at).to_owned(),
            strength,
            conditions,
            swallowed: self.is_swallowed(leaf),
        }
    }

    /// The nodes that make up the assertion whose name is at a leaf.
    fn extent(&self, at: usize) -> Range<FlatNodeId> {
        let tree = self.tree;
        let leaf = self.leaves[at];
        if tree.kind(tree.parent(leaf)) == "token_tree" {
            // Inside of a macro: the name, `!` and what is in parentheses.
            let mut end = leaf + 1;
            let mut next = tree.after(leaf);
            while let Some(sibling) = next.filter(|&sibling| tree.text(sibling) != ";") {
                end = tree.inside(sibling).end;
                next = tree.after(sibling).filter(|_| tree.kind(sibling) != "token_tree");
            }
            return leaf..end;
        }
        let mut whole = leaf;
        for outer in tree.around(leaf) {
            if !CHAIN.contains(&tree.kind(outer)) || outer < self.body {
                break;
            }
            whole = outer;
            let chained = self.language.is_script() && self.before(at, 1) == ".";
            if chained && tree.kind(outer) == "call_expression" && self.word(at) == "expect" {
                return leaf..tree.inside(outer).end;
            }
        }
        tree.inside(whole)
    }

    /// The condition under which a call that fails is reached.
    fn cause(&self, leaf: FlatNodeId) -> Option<(FlatNodeId, Range<FlatNodeId>)> {
        let tree = self.tree;
        let condition = tree
            .around(leaf)
            .take_while(|&outer| outer > self.body)
            .find(|&outer| CONDITIONS.contains(&tree.kind(outer)))?;
        let branch = tree.children(condition).find(|&child| tree.inside(child).contains(&leaf))?;
        let is_otherwise = tree.kind(branch).contains("else");
        let first = tree.children(condition).next()?;
        let modifier = tree.kind(condition).ends_with("modifier");
        let range = if modifier { tree.inside(condition) } else { first + 1..branch };
        (!is_otherwise && !range.is_empty()).then_some((condition, range))
    }

    fn conditions(&self, leaf: FlatNodeId) -> usize {
        let tree = self.tree;
        let inner = tree.around(leaf).take_while(|&outer| outer > self.body);
        inner
            .filter(|&outer| CONDITIONS.contains(&tree.kind(outer)))
            .filter(|&outer| {
                let branch = tree.children(outer).find(|&child| tree.inside(child).contains(&leaf));
                // If the other branch asserts as well, both ways are checked.
                let here = branch.map_or(0, |branch| self.asserting_in(tree.inside(branch)));
                here == self.asserting_in(tree.inside(outer))
            })
            .count()
    }

    /// Returns the number of assertions in a range of nodes.
    fn asserting_in(&self, nodes: Range<FlatNodeId>) -> usize {
        let before = |id: FlatNodeId| self.asserting.partition_point(|&leaf| leaf < id);
        before(nodes.end).saturating_sub(before(nodes.start))
    }

    fn is_swallowed(&self, leaf: FlatNodeId) -> bool {
        let tree = self.tree;
        tree.around(leaf).take_while(|&outer| outer >= self.body).any(|outer| {
            let kind = tree.kind(outer);
            if kind == "with_statement" {
                let clause = tree.child(outer, &["with_clause"]);
                return clause.is_some_and(|clause| tree.text(clause).contains("suppress("));
            }
            if matches!(kind, "call_expression") {
                let callee = tree.text(outer + 1);
                let catches =
                    matches!(callee.rsplit(['.', ':']).next(), Some("catch" | "catch_unwind"));
                let handler = tree.inside(outer + 1).end..tree.inside(outer).end;
                let asserts =
                    self.asserting_in(handler.clone()) - usize::from(handler.contains(&leaf));
                return catches && asserts == 0;
            }
            ATTEMPTS.contains(&kind) && self.handles(outer, leaf)
        })
    }

    /// True if errors in a `try` are caught by something that lets them pass.
    fn handles(&self, attempt: FlatNodeId, leaf: FlatNodeId) -> bool {
        let tree = self.tree;
        let mut handlers =
            tree.children(attempt).filter(|&child| HANDLERS.contains(&tree.kind(child))).peekable();
        let caught = handlers.peek().is_some_and(|&first| leaf < first);
        caught
            && handlers.any(|handler| {
                let inside = tree.inside(handler);
                self.asserting_in(inside.clone()) == 0
                    && !inside.filter(|&id| tree.is_leaf(id)).any(|id| {
                        matches!(tree.text(id), "raise" | "throw" | "done")
                            || tree.text(id).starts_with("fail")
                    })
            })
    }
}

/// The methods that assert in the families of tap and ava.
fn is_tap(word: &str) -> bool {
    matches!(
        word,
        "is" | "not"
            | "deepEqual"
            | "true"
            | "false"
            | "truthy"
            | "falsy"
            | "throws"
            | "throwsAsync"
            | "notThrows"
            | "regex"
            | "like"
            | "snapshot"
            | "equal"
            | "same"
            | "ok"
            | "strictEqual"
    )
}

fn is_string(kind: &str) -> bool {
    kind.contains("string") || kind.contains("content") || kind.contains("fragment")
}

/// A text on one line, as long as a message can bear.
pub(super) fn shortened(text: &str) -> String {
    const CHARS: usize = 80;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
