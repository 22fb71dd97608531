//! Finds tests, and the functions around them, in a tree.

use std::collections::HashMap;

use ralph_graph::cases::NamedTestCase;

use super::language::FileLanguage;
use super::paths::{self, CollectionEvidence};
use super::tree::{FlatNodeId, FlatSyntaxTree};

/// The role of a piece of code for a test runner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CodeUnitRole {
    /// The runner collects it.
    Test,
    /// It serves tests.
    Helper,
    /// It belongs to the program, or is not called.
    Other,
}

/// A test or a function.
pub(super) struct CodeUnitNode {
    pub(super) role: CodeUnitRole,
    pub(super) name: String,
    /// With the names of what it is in.
    pub(super) id: String,
    pub(super) node: FlatNodeId,
    /// The body, if it has one.
    pub(super) body: Option<FlatNodeId>,
    /// Its attributes, decorators or annotations.
    pub(super) decorations: Vec<FlatNodeId>,
    /// The modules, classes and suites it is in, the nearest first.
    pub(super) groups: Vec<TestGroup>,
    /// The words before or behind its name, such as `skip` in `it.skip`.
    pub(super) modifiers: Vec<String>,
}

/// A module, class or suite.
#[derive(Clone)]
pub(super) struct TestGroup {
    pub(super) name: String,
    pub(super) node: FlatNodeId,
    pub(super) decorations: Vec<FlatNodeId>,
    pub(super) modifiers: Vec<String>,
    /// True if it is a suite with a title.
    titled: bool,
}

/// A file while it is read.
pub(super) struct OutlineSource<'t, 'a> {
    pub(super) path: &'t str,
    pub(super) language: FileLanguage,
    pub(super) tree: &'t FlatSyntaxTree<'a>,
    /// The evidence that a runner collects the file.
    pub(super) collection: CollectionEvidence,
    /// Functions that are tests whatever is thought of them here.
    known: &'t [NamedTestCase],
    /// Attributes stand before what they belong to in Rust.
    attributes: HashMap<FlatNodeId, Vec<FlatNodeId>>,
}

const FUNCTIONS: &[&str] = &[
    "function_item",
    "function_definition",
    "function_declaration",
    "generator_function_declaration",
    "method_definition",
    "method_declaration",
    "method",
    "singleton_method",
    "local_function_statement",
    "variable_declarator",
];
const GROUPS: &[&str] = &[
    "mod_item",
    "class_definition",
    "class_declaration",
    "object_declaration",
    "class_specifier",
    "class",
    "module",
];
const BODIES: &[&str] = &[
    "block",
    "statement_block",
    "compound_statement",
    "function_body",
    "body_statement",
    "arrow_expression_clause",
    "do_block",
];
const NAMES: &[&str] = &[
    "identifier",
    "name",
    "simple_identifier",
    "property_identifier",
    "field_identifier",
    "constant",
    "type_identifier",
    "word",
];
const CALLS: &[&str] = &["call_expression", "call", "function_call_expression"];
const LAMBDAS: &[&str] =
    &["arrow_function", "function_expression", "anonymous_function", "function"];
const TEST_WORDS: &[&str] =
    &["it", "test", "specify", "fit", "xit", "xtest", "xspecify", "example", "scenario"];
const SUITE_WORDS: &[&str] =
    &["describe", "context", "suite", "xdescribe", "fdescribe", "xcontext", "fcontext", "feature"];
const MODIFIERS: &[&str] = &[
    "skip",
    "only",
    "each",
    "todo",
    "concurrent",
    "failing",
    "fails",
    "sequential",
    "runIf",
    "skipIf",
    "for",
    "serial",
    "parallel",
    "fixme",
    "with",
    "depends",
    "group",
    "throws",
];
const MACROS: &[&str] = &[
    "TEST",
    "TEST_F",
    "TEST_P",
    "TYPED_TEST",
    "TYPED_TEST_P",
    "TEST_CASE",
    "TEST_CASE_METHOD",
    "TEMPLATE_TEST_CASE",
    "SCENARIO",
    "BOOST_AUTO_TEST_CASE",
    "BOOST_FIXTURE_TEST_CASE",
    "TEST_METHOD",
    "Test",
];

impl<'t, 'a> OutlineSource<'t, 'a> {
    pub(super) fn new(
        path: &'t str,
        language: FileLanguage,
        tree: &'t FlatSyntaxTree<'a>,
        known: &'t [NamedTestCase],
    ) -> Self {
        let mut attributes: HashMap<FlatNodeId, Vec<FlatNodeId>> = HashMap::new();
        for id in tree.all().filter(|&id| tree.kind(id) == "attribute_item") {
            let mut next = tree.after(id);
            while let Some(sibling) = next {
                if !tree.is_comment(sibling) && tree.kind(sibling) != "attribute_item" {
                    attributes.entry(sibling).or_default().push(id);
                    break;
                }
                next = tree.after(sibling);
            }
        }
        let collection = paths::collection(path);
        let mut source = Self { path, language, tree, collection, known, attributes };
        let is_open =
            collection == CollectionEvidence::No && !paths::is_passed_over(path, language);
        if is_open && (!known.is_empty() || source.announces_tests()) {
            source.collection = CollectionEvidence::ByContents;
        }
        source
    }

    /// All tests and functions, in order.
    pub(super) fn units(&self) -> Vec<CodeUnitNode> {
        let mut found = Vec::new();
        for id in self.tree.all() {
            let kind = self.tree.kind(id);
            if FUNCTIONS.contains(&kind) {
                found.extend(self.function(id));
            } else if CALLS.contains(&kind) {
                found.extend(self.call(id));
            } else if kind == "macro_invocation" {
                self.properties(id, &mut found);
            }
        }
        found
    }

    /// Attributes, decorators or annotations of a node.
    pub(super) fn decorations(&self, id: FlatNodeId) -> Vec<FlatNodeId> {
        let tree = self.tree;
        let mut out = self.attributes.get(&id).cloned().unwrap_or_default();
        let parent = tree.parent(id);
        if tree.kind(parent) == "decorated_definition" {
            out.extend(tree.children(parent).filter(|&child| tree.kind(child) == "decorator"));
        }
        for child in tree.children(id) {
            match tree.kind(child) {
                "modifiers" => out.extend(
                    tree.children(child).filter(|&inner| tree.kind(inner).contains("annotation")),
                ),
                "attribute_list" => out.push(child),
                _ => {}
            }
        }
        out
    }

    fn function(&self, id: FlatNodeId) -> Option<CodeUnitNode> {
        let tree = self.tree;
        let holder = match tree.kind(id) {
            "variable_declarator" => tree.child(id, LAMBDAS)?,
            _ => id,
        };
        let body = tree.children(holder).filter(|&child| BODIES.contains(&tree.kind(child))).last();
        let body = body.or_else(|| (holder != id).then(|| tree.children(holder).last()).flatten());
        let mut found = CodeUnitNode {
            role: CodeUnitRole::Other,
            name: self.name(id)?,
            id: String::new(),
            node: id,
            body,
            decorations: self.decorations(id),
            groups: self.groups(id),
            modifiers: Vec::new(),
        };
        found.role = self.role(&found);
        found.identify(self.language);
        Some(found)
    }

    fn name(&self, id: FlatNodeId) -> Option<String> {
        let tree = self.tree;
        if let Some(declarator) = self.declarator(id) {
            let name = tree.child(declarator, NAMES).map(|name| tree.text(name))?;
            if !MACROS.contains(&name) {
                return Some(name.to_owned());
            }
            let parameters = tree.child(declarator, &["parameter_list"])?;
            let names = tree.children(parameters).filter(|&child| {
                !matches!(tree.text(child), "(" | ")" | ",") && !tree.is_comment(child)
            });
            return Some(names.map(|name| tree.text(name)).collect::<Vec<_>>().join("."));
        }
        // The type of what is returned may be a name too: the last one counts.
        let names = tree.children(id).take_while(|&child| !tree.kind(child).contains("parameter"));
        let mut names = names.filter(|&child| NAMES.contains(&tree.kind(child)));
        let typed = matches!(self.language, FileLanguage::CSharp | FileLanguage::Java);
        let name = if typed { names.last() } else { names.next() };
        name.map(|name| tree.text(name).trim_matches('`').to_owned())
    }

    /// In C a name is wrapped by what is declared.
    fn declarator(&self, id: FlatNodeId) -> Option<FlatNodeId> {
        let tree = self.tree;
        if !matches!(self.language, FileLanguage::C | FileLanguage::Cpp) {
            return None;
        }
        let body = tree.child(id, BODIES)?;
        (id..body).find(|&inner| tree.kind(inner) == "function_declarator")
    }

    fn groups(&self, id: FlatNodeId) -> Vec<TestGroup> {
        let tree = self.tree;
        tree.around(id).filter(|&outer| outer != 0).filter_map(|outer| self.group(outer)).collect()
    }

    fn group(&self, id: FlatNodeId) -> Option<TestGroup> {
        let tree = self.tree;
        let kind = tree.kind(id);
        if GROUPS.contains(&kind) {
            let name = tree.text(tree.child(id, NAMES)?).to_owned();
            let decorations = self.decorations(id);
            return Some(TestGroup {
                name,
                node: id,
                decorations,
                modifiers: vec![],
                titled: false,
            });
        }
        if !CALLS.contains(&kind) {
            return None;
        }
        let words = self.callee(id);
        let at = words.iter().position(|word| SUITE_WORDS.contains(&word.as_str()))?;
        let name = self.title(id)?;
        let mut modifiers = words[at..].to_vec();
        modifiers.extend(self.chained(id));
        Some(TestGroup { name, node: id, decorations: vec![], modifiers, titled: true })
    }

    /// The words of what is called, such as `it`, `skip` and `each`.
    pub(super) fn callee(&self, id: FlatNodeId) -> Vec<String> {
        let tree = self.tree;
        let mut words = Vec::new();
        for at in tree.inside(id).skip(1).filter(|&at| tree.is_leaf(at)) {
            let kind = tree.kind(at);
            if NAMES.contains(&kind) {
                words.push(tree.text(at).to_owned());
            } else if !matches!(tree.text(at), "." | "::") {
                break;
            }
            // Ruby calls without parentheses: only what belongs to the call.
            if self.language == FileLanguage::Ruby && tree.parent(at) != id {
                words.pop();
                break;
            }
        }
        if words.first().is_some_and(|first| matches!(first.as_str(), "RSpec" | "Deno" | "Bun")) {
            words.remove(0);
        }
        words
    }

    /// Calls that are chained to this one, such as `->skip()`.
    fn chained(&self, id: FlatNodeId) -> Vec<String> {
        let tree = self.tree;
        let mut words = Vec::new();
        let mut inner = id;
        for outer in tree.around(id) {
            if tree.kind(outer) != "member_call_expression" || outer + 1 != inner {
                break;
            }
            words.extend(tree.child(outer, &["name"]).map(|name| tree.text(name).to_owned()));
            inner = outer;
        }
        words
    }

    pub(super) fn title(&self, id: FlatNodeId) -> Option<String> {
        let tree = self.tree;
        let arguments = tree.children(id).filter(|&c| tree.kind(c).contains("argument")).last()?;
        let first = tree
            .children(arguments)
            .find(|&child| !matches!(tree.text(child), "(" | ","))
            .filter(|&first| !LAMBDAS.contains(&tree.kind(first)))?;
        Some(tree.text(first).trim_matches(['"', '\'', '`']).to_owned())
    }

    fn call(&self, id: FlatNodeId) -> Option<CodeUnitNode> {
        let tree = self.tree;
        let macros = matches!(self.language, FileLanguage::C | FileLanguage::Cpp);
        if !macros && self.collection == CollectionEvidence::No {
            return None;
        }
        let parent = tree.parent(id);
        // `it.each([…])` is called to get what is called with the title.
        if tree.kind(parent) == "call_expression" && parent + 1 == id {
            return None;
        }
        let words = self.callee(id);
        let first = words.first()?.as_str();
        let known = if macros { MACROS } else { TEST_WORDS };
        let extra = words.iter().skip(1).all(|word| MODIFIERS.contains(&word.as_str()));
        if !known.contains(&first) || !extra {
            return None;
        }
        let body = self.call_body(id);
        let name = self.title(id)?;
        let mut modifiers = words.clone();
        modifiers.extend(self.chained(id));
        if body.is_none() {
            // A title without a body announces a test.
            let arguments = tree.child(id, &["arguments", "argument_list"])?;
            let titled = tree.children(arguments).any(|c| tree.kind(c).contains("string"));
            if macros || !titled {
                return None;
            }
            modifiers.push("todo".to_owned());
        }
        let groups = self.groups(id);
        let mut found = CodeUnitNode {
            role: CodeUnitRole::Test,
            name,
            id: String::new(),
            node: id,
            body,
            decorations: Vec::new(),
            groups,
            modifiers,
        };
        found.identify(self.language);
        Some(found)
    }

    pub(super) fn call_body(&self, id: FlatNodeId) -> Option<FlatNodeId> {
        let tree = self.tree;
        if matches!(self.language, FileLanguage::C | FileLanguage::Cpp) {
            let next = tree.after(tree.parent(id))?;
            return (tree.kind(next) == "compound_statement").then_some(next);
        }
        if let Some(block) = tree.child(id, &["do_block", "block"]) {
            return Some(block);
        }
        let arguments = tree.children(id).filter(|&c| tree.kind(c) == "arguments").last()?;
        let lambda = tree.children(arguments).filter_map(|child| {
            let wrapped = (tree.kind(child) == "argument").then(|| tree.child(child, LAMBDAS));
            wrapped.flatten().or_else(|| LAMBDAS.contains(&tree.kind(child)).then_some(child))
        });
        tree.children(lambda.last()?).last()
    }

    /// Tests inside of `proptest!` are words without a structure.
    fn properties(&self, id: FlatNodeId, found: &mut Vec<CodeUnitNode>) {
        let tree = self.tree;
        let is_property = tree
            .child(id, &["identifier", "scoped_identifier"])
            .is_some_and(|name| tree.text(name).ends_with("proptest"));
        let Some(words) = tree.child(id, &["token_tree"]).filter(|_| is_property) else { return };
        let words: Vec<FlatNodeId> = tree.children(words).collect();
        let mut from = 0;
        for at in 0..words.len() {
            if tree.text(words[at]) != "fn" || at + 3 >= words.len() {
                continue;
            }
            let attributes = words[from..at].iter().copied();
            let mut test = CodeUnitNode {
                role: CodeUnitRole::Test,
                name: tree.text(words[at + 1]).to_owned(),
                id: String::new(),
                node: words[at],
                body: Some(words[at + 3]),
                decorations: attributes.filter(|&w| tree.kind(w) == "token_tree").collect(),
                groups: self.groups(id),
                modifiers: Vec::new(),
            };
            test.identify(self.language);
            found.push(test);
            from = at + 4;
        }
    }

    fn role(&self, found: &CodeUnitNode) -> CodeUnitRole {
        let tree = self.tree;
        let collected = match self.collection {
            CollectionEvidence::No => false,
            CollectionEvidence::ByContents => self.announces(found),
            CollectionEvidence::ByFolder | CollectionEvidence::ByName => true,
        };
        let marked = |words: &[&str]| {
            found.decorations.iter().any(|&id| words.contains(&self.decoration_name(id).as_str()))
        };
        let name = found.name.as_str();
        let nested = tree.around(found.node).any(|outer| {
            FUNCTIONS.contains(&tree.kind(outer)) && tree.kind(outer) != "variable_declarator"
        });
        let is_test = match self.language {
            FileLanguage::Rust => marked(&[
                "test",
                "rstest",
                "test_case",
                "case",
                "wasm_bindgen_test",
                "quickcheck",
                "bench",
            ]),
            FileLanguage::Python => {
                collected && name.starts_with("test") && !nested && self.is_collected_class(found)
            }
            FileLanguage::Go => collected && has_go_test_name(name),
            FileLanguage::Java | FileLanguage::Kotlin => {
                marked(&["Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "Property"])
                    || (name.starts_with("test") && paths::is_test_file(self.path))
            }
            FileLanguage::CSharp => {
                marked(&["Fact", "Theory", "Test", "TestCase", "TestMethod", "DataTestMethod"])
            }
            FileLanguage::Php => {
                collected && (name.starts_with("test") || marked(&["Test"]) || self.php_doc(found))
            }
            FileLanguage::Ruby => collected && name.starts_with("test_"),
            FileLanguage::C | FileLanguage::Cpp => {
                self.declarator(found.node)
                    .and_then(|declarator| tree.child(declarator, NAMES))
                    .is_some_and(|word| MACROS.contains(&tree.text(word)))
                    || (collected && (name.starts_with("test") || name == "main"))
            }
            FileLanguage::Shell => collected && name.starts_with("test"),
            FileLanguage::JavaScript
            | FileLanguage::TypeScript
            | FileLanguage::Tsx
            | FileLanguage::Bats => false,
        };
        match (is_test || self.is_known(found), self.serves_tests(found)) {
            (true, _) => CodeUnitRole::Test,
            (false, true) => CodeUnitRole::Helper,
            (false, false) => CodeUnitRole::Other,
        }
    }

    /// True if it is among the functions that are known to be tests.
    fn is_known(&self, found: &CodeUnitNode) -> bool {
        let first = self.tree.line(found.node);
        let last = found.body.map_or(first, |body| self.tree.line(body));
        let is_it =
            |test: &NamedTestCase| test.name == found.name && (first..=last).contains(&test.line);
        self.known.iter().any(is_it)
    }

    fn serves_tests(&self, found: &CodeUnitNode) -> bool {
        paths::is_test_file(self.path)
            || found.groups.iter().any(|group| {
                group.decorations.iter().any(|&id| self.tree.text(id).contains("cfg(test)"))
            })
    }

    /// Pytest takes classes called `Test…`, unittest those that inherit.
    fn is_collected_class(&self, found: &CodeUnitNode) -> bool {
        found.groups.first().is_none_or(|class| {
            class.name.starts_with("Test")
                || self.tree.child(class.node, &["argument_list"]).is_some()
        })
    }

    fn php_doc(&self, found: &CodeUnitNode) -> bool {
        let before = self.tree.before(found.node);
        before.is_some_and(|id| self.tree.is_comment(id) && self.tree.text(id).contains("@test"))
    }

    /// The last word of an attribute's or annotation's path.
    fn decoration_name(&self, id: FlatNodeId) -> String {
        let text = self.tree.text(id).trim_start_matches(['#', '!', '[', '@', ' ']);
        let path = text.split(['(', ']', '=', ' ', ',']).next().unwrap_or_default();
        path.rsplit(['.', ':', '\\']).next().unwrap_or_default().trim().to_owned()
    }
}

impl CodeUnitNode {
    /// Puts the names of what it is in before its own.
    fn identify(&mut self, language: FileLanguage) {
        let titled = self.groups.iter().any(|group| group.titled);
        let between = match (language == FileLanguage::Rust, titled) {
            (true, _) => "::",
            (false, true) => " > ",
            (false, false) => ".",
        };
        let mut parts: Vec<&str> = self.groups.iter().rev().map(|g| g.name.as_str()).collect();
        parts.push(&self.name);
        self.id = parts.join(between);
    }
}

fn has_go_test_name(name: &str) -> bool {
    ["Test", "Benchmark", "Fuzz", "Example"].iter().any(|head| {
        name.strip_prefix(head).is_some_and(|rest| !rest.starts_with(|c: char| c.is_lowercase()))
    })
}
