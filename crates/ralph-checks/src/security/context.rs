//! The context that distinguishes a finding from others and stays when lines move.

use ast_grep_core::{Doc, Node};

/// The maximum length of a line's text in a context, in characters.
const LINE_CHARS: usize = 120;

/// Literals this long and without white space may be secrets.
const SECRET_CHARS: usize = 8;

/// The enclosing function and the first line of the node, without what may be
/// a secret.
pub(super) fn of<D: Doc>(node: &Node<'_, D>) -> String {
    let text = node.text();
    let line = text.lines().next().unwrap_or_default();
    let line: String = masked(line).chars().take(LINE_CHARS).collect();
    match function(node) {
        Some(name) => format!("{name}: {line}"),
        None => line,
    }
}

/// True if the node is part of a test that shares a file with the code.
pub(super) fn is_in_test<D: Doc>(node: &Node<'_, D>) -> bool {
    node.ancestors().filter(|above| ["mod_item", "function_item"].contains(&&*above.kind())).any(
        |item| {
            let attributes = item.prev_all().take_while(|before| before.kind() == "attribute_item");
            attributes.map(|attribute| attribute.text().into_owned()).any(|text| {
                text.contains("cfg(test)") || text.ends_with("test]") || text.contains("test(")
            })
        },
    )
}

fn function<D: Doc>(node: &Node<'_, D>) -> Option<String> {
    let is_function = |kind: &str| {
        ["function", "method", "constructor"].iter().any(|word| kind.starts_with(word))
            && ["definition", "declaration", "item"].iter().any(|word| kind.ends_with(word))
    };
    let above = node.ancestors().find(|above| is_function(&above.kind()))?;
    Some(above.field("name")?.text().into_owned())
}

/// A line whose literals are left out where they may be secrets.
fn masked(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(start) = rest.find(['"', '\'', '`']) {
        let quote = &rest[start..=start];
        let inside = &rest[start + 1..];
        let Some(end) = inside.find(quote) else {
            // The literal goes on where the line ends.
            out.push_str(&rest[..=start]);
            return out;
        };
        let literal = &inside[..end];
        out.push_str(&rest[..=start]);
        let is_long = literal.chars().count() >= SECRET_CHARS;
        let may_be_secret = is_long && !literal.contains(char::is_whitespace);
        out.push_str(if may_be_secret { "…" } else { literal });
        out.push_str(quote);
        rest = &inside[end + 1..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use ast_grep_core::tree_sitter::LanguageExt as _;
    use ast_grep_language::SupportLang;

    use super::*;

    #[track_caller]
    fn check(language: SupportLang, source: &str, pattern: &str, want: (&str, bool)) {
        let tree = language.ast_grep(source);
        let root = tree.root();
        let node = root.find(pattern).unwrap();
        assert_eq!((of(&node).as_str(), is_in_test(&node)), want, "{source}");
    }

    #[test]
    fn a_context_is_the_function_and_the_line() {
        let python = "class A:\n    def run(self, x):\n        eval(\n            x)\n";
        check(SupportLang::Python, python, "eval($A)", ("run: eval(", false));
        check(SupportLang::Go, "package a\nfunc F() { f(1) }", "f($A)", ("F: f(1)", false));
        check(SupportLang::JavaScript, "eval(x)", "eval($A)", ("eval(x)", false));
    }

    #[test]
    fn tests_beside_the_code_are_known() {
        let module = "#[cfg(test)]\nmod tests { fn a() { f(1); } }";
        check(SupportLang::Rust, module, "f($A)", ("a: f(1)", true));
        let attribute = "#[tokio::test]\nfn a() { f(1); }";
        check(SupportLang::Rust, attribute, "f($A)", ("a: f(1)", true));
        let code = "#[derive(Debug)]\nstruct A;\nfn a() { f(1); }";
        check(SupportLang::Rust, code, "f($A)", ("a: f(1)", false));
    }

    #[test]
    fn literals_that_may_be_secrets_are_left_out() {
        assert_eq!(masked(r#"key = "9f8a7c6b5d4e", 'md5'"#), r#"key = "…", 'md5'"#);
        assert_eq!(masked(r#"q("SELECT a FROM b")"#), r#"q("SELECT a FROM b")"#);
        assert_eq!(masked(r#"key = "9f8a7c6b5d4e"#), r#"key = ""#);
    }
}
