//! Tests inside of files with code.

use super::docstrings::{PROMPT, with_docstrings_of};
use super::examples::with_examples_of;
use crate::language::FileLanguage;
use crate::tree::{FlatNodeId, FlatSyntaxTree};

/// The expression that tests inside of JavaScript files query.
const VITEST: &str = "import.meta.vitest";

/// True if one version of a file may hold tests in addition to its code.
pub(super) fn may_hold_tests(language: FileLanguage, text: &str) -> bool {
    language == FileLanguage::Rust
        || (language == FileLanguage::Python && text.contains(PROMPT))
        || (language.is_script() && text.contains(VITEST))
}

/// The code of one version of a file with the tests of another. `None` if one
/// of them cannot be parsed.
pub(super) fn with_tests_of(language: FileLanguage, code: &str, tests: &str) -> Option<String> {
    if language == FileLanguage::Python {
        return with_docstrings_of(code, tests);
    }
    let is_rust = language == FileLanguage::Rust;
    let with_examples_of = |code: &str| {
        if is_rust { with_examples_of(code, tests) } else { code.to_owned() }
    };
    let (code, theirs) = (parts(language, code)?, parts(language, tests)?);
    let own: Vec<&str> = code.tests.iter().map(|test| test.trim()).collect();
    if own.iter().copied().eq(theirs.tests.iter().map(|test| test.trim())) {
        return Some(with_examples_of(code.whole));
    }
    let mut text = with_examples_of(&code.rest);
    for test in theirs.tests {
        text.push('\n');
        text.push_str(test);
        text.push('\n');
    }
    Some(text)
}

struct CodeParts<'a> {
    whole: &'a str,
    /// Items that are there for tests only, with their attributes.
    tests: Vec<&'a str>,
    /// Everything else.
    rest: String,
}

fn parts(language: FileLanguage, text: &str) -> Option<CodeParts<'_>> {
    let tree = FlatSyntaxTree::parse(text, language.grammar()?)?;
    if tree.broken {
        return None;
    }
    let mut parts = CodeParts { whole: text, tests: Vec::new(), rest: String::new() };
    let mut kept = 0;
    let mut attributes: Option<FlatNodeId> = None;
    let mut for_tests = false;
    for item in tree.children(0) {
        if tree.kind(item) == "attribute_item" {
            attributes.get_or_insert(item);
            for_tests |= is_for_tests(tree.text(item));
        } else if !tree.is_comment(item) {
            for_tests |= is_vitest(&tree, item);
            let start = tree.start(attributes.take().unwrap_or(item));
            if std::mem::take(&mut for_tests) {
                let end = tree.end(item);
                parts.tests.push(text.get(start..end)?);
                parts.rest.push_str(text.get(kept..start)?);
                kept = end;
            }
        }
    }
    parts.rest.push_str(text.get(kept..)?);
    Some(parts)
}

/// True if a statement is there for vitest alone.
fn is_vitest(tree: &FlatSyntaxTree<'_>, item: FlatNodeId) -> bool {
    let condition = tree.child(item, &["parenthesized_expression"]);
    tree.kind(item) == "if_statement"
        && condition.is_some_and(|condition| tree.text(condition).contains(VITEST))
}

/// True if an attribute makes its item a part of the tests.
fn is_for_tests(attribute: &str) -> bool {
    let text: String = attribute.split_whitespace().collect();
    let inner = text.trim_start_matches("#[").trim_end_matches(']');
    let path = inner.split('(').next().unwrap_or(inner);
    // What is quoted is the name of a feature, not a word of the condition.
    let words: String = inner.split('"').step_by(2).collect();
    let has_word =
        words.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "test");
    let is_condition = path == "cfg" && has_word && !words.contains("not(");
    is_condition || path == "test" || path.ends_with("::test")
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "fn add() -> i32 { 1 }\n\n#[cfg(test)]\nmod tests {\n    \
                         #[test]\n    fn adds() { assert_eq!(super::add(), 2); }\n}\n";

    fn with_tests_of(code: &str, tests: &str) -> Option<String> {
        super::with_tests_of(FileLanguage::Rust, code, tests)
    }

    #[test]
    fn tests_for_vitest_inside_of_code_come_from_the_start() {
        let start = "export const add = (a, b) => a - b\n\nif (import.meta.vitest) {\n  const { it, \
                     expect } = import.meta.vitest\n  it('adds', () => expect(add(1, 1)).toBe(2))\n}\n";
        let bent = start.replace("toBe(2)", "toBe(0)").replace("a - b", "b - a");
        for language in [FileLanguage::TypeScript, FileLanguage::JavaScript] {
            assert!(may_hold_tests(language, start) && !may_hold_tests(language, "let a"));
            let judged = super::with_tests_of(language, &bent, start).unwrap();
            assert!(judged.contains("toBe(2)") && judged.contains("b - a"), "{judged}");
            assert!(!judged.contains("toBe(0)"), "{judged}");
        }
    }

    #[test]
    fn the_present_code_gets_the_tests_of_the_start() {
        let bent = START.replace("super::add(), 2", "super::add(), 1");
        let judged = with_tests_of(&bent, START).unwrap();
        assert!(judged.contains("super::add(), 2") && !judged.contains("super::add(), 1"));
        assert_eq!(judged.matches("mod tests").count(), 1);
    }

    #[test]
    fn only_conditions_on_tests_make_an_item_a_part_of_them() {
        for attribute in ["#[cfg(test)]", "#[cfg(all(test, unix))]", "#[test]", "#[tokio::test]"] {
            assert!(is_for_tests(attribute), "{attribute}");
        }
        for attribute in
            ["#[cfg(feature = \"latest\")]", "#[cfg(not(any(test, fuzzing)))]", "#[derive(Debug)]"]
        {
            assert!(!is_for_tests(attribute), "{attribute}");
        }
    }

    #[test]
    fn equal_tests_leave_the_file_as_it_is() {
        let mended = START.replace("{ 1 }", "{ 2 }");
        assert_eq!(with_tests_of(&mended, START).unwrap(), mended);
    }

    #[test]
    fn tests_that_were_deleted_come_back_and_new_ones_go() {
        let without = "fn add() -> i32 { 1 }\n";
        assert!(with_tests_of(without, START).unwrap().contains("fn adds()"));
        let more = format!("{START}\n#[test]\nfn more() {{}}\n#[cfg(not(test))]\nfn real() {{}}\n");
        let judged = with_tests_of(&more, START).unwrap();
        assert!(!judged.contains("fn more") && judged.contains("fn real"));
    }
}
