//! Rust source as tokens and items with their line numbers.
//!
//! Rules check tokens instead of text, so that strings and comments about Rust are not
//! taken for code.

use std::ops::RangeInclusive;

use proc_macro2::{Delimiter, LineColumn, TokenStream, TokenTree};
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};

/// A parsed file.
pub(crate) struct RustSource {
    tokens: Vec<RustToken>,
    /// Every function with a body, including nested ones.
    pub(crate) functions: Vec<Function>,
    test_lines: Vec<RangeInclusive<usize>>,
}

/// A function with a body.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) name: String,
    /// The line of its signature.
    pub(crate) line: usize,
    /// Lines from the signature to the closing brace, both included.
    pub(crate) lines: usize,
}

struct RustToken {
    /// Identifier, punctuation or delimiter; empty for a literal.
    text: String,
    line: usize,
}

impl RustSource {
    /// Parses a file; the error is the parser's, with its line.
    pub(crate) fn parse(text: &str) -> Result<Self, (usize, String)> {
        let place = |start: LineColumn| start.line.max(1);
        let file = syn::parse_file(text).map_err(|e| (place(e.span().start()), e.to_string()))?;
        let stream: TokenStream = text
            .parse()
            .map_err(|e: proc_macro2::LexError| (place(e.span().start()), e.to_string()))?;
        let mut tokens = Vec::new();
        flatten(stream, &mut tokens);
        let mut items = SourceItems::default();
        items.visit_file(&file);
        Ok(Self { tokens, functions: items.functions, test_lines: items.test_lines })
    }

    /// Returns true if `line` is inside a `#[cfg(test)]` module or a test function.
    pub(crate) fn is_test_line(&self, line: usize) -> bool {
        self.test_lines.iter().any(|lines| lines.contains(&line))
    }

    /// Returns the lines on which these tokens follow each other.
    pub(crate) fn lines_of(&self, pattern: &[&str]) -> Vec<usize> {
        self.tokens
            .windows(pattern.len())
            .filter(|window| {
                window.iter().map(|token| token.text.as_str()).eq(pattern.iter().copied())
            })
            .map(|window| window[0].line)
            .collect()
    }

    /// Returns the lines of attributes that name `word`, also inside `cfg_attr`.
    ///
    /// A word in the arguments of another attribute does not count.
    pub(crate) fn attributes(&self, word: &str) -> Vec<usize> {
        let mut lines = Vec::new();
        for (at, token) in self.tokens.iter().enumerate() {
            if token.text == "#" && self.attribute_names(at).contains(&word) {
                lines.push(token.line);
            }
        }
        lines
    }

    /// Returns the names of functions with `#[test]`, also inside macros.
    pub(crate) fn tests(&self) -> Vec<&str> {
        let mut tests = Vec::new();
        let mut marked = false;
        for (at, token) in self.tokens.iter().enumerate() {
            match token.text.as_str() {
                "#" => marked |= self.attribute_names(at) == ["test"],
                "fn" => {
                    if marked && let Some(name) = self.tokens.get(at + 1) {
                        tests.push(name.text.as_str());
                    }
                    marked = false;
                }
                _ => {}
            }
        }
        tests
    }

    /// Returns the names of the attribute whose `#` is at `at`: one, or those behind
    /// the condition of a `cfg_attr`.
    fn attribute_names(&self, at: usize) -> Vec<&str> {
        let mut rest = self.tokens[at + 1..].iter().map(|token| token.text.as_str()).peekable();
        rest.next_if_eq(&"!");
        if rest.next_if_eq(&"[").is_none() {
            return Vec::new();
        }
        match rest.next() {
            Some("cfg_attr") => behind_commas(rest.skip(1)),
            Some(name) => vec![name],
            None => Vec::new(),
        }
    }
}

/// Returns the tokens after each comma at depth zero, up to the closing delimiter.
fn behind_commas<'a>(tokens: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut names = Vec::new();
    let (mut depth, mut after_comma) = (0_u32, false);
    for token in tokens {
        if std::mem::take(&mut after_comma) {
            names.push(token);
        }
        match token {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" if depth == 0 => break,
            ")" | "]" | "}" => depth -= 1,
            "," if depth == 0 => after_comma = true,
            _ => {}
        }
    }
    names
}

fn flatten(stream: TokenStream, into: &mut Vec<RustToken>) {
    for tree in stream {
        let line = tree.span().start().line;
        match tree {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                into.push(RustToken { text: open.to_owned(), line });
                flatten(group.stream(), into);
                let line = group.span_close().start().line;
                into.push(RustToken { text: close.to_owned(), line });
            }
            TokenTree::Ident(ident) => into.push(RustToken { text: ident.to_string(), line }),
            TokenTree::Punct(punct) => into.push(RustToken { text: punct.to_string(), line }),
            TokenTree::Literal(_) => into.push(RustToken { text: String::new(), line }),
        }
    }
}

#[derive(Default)]
struct SourceItems {
    functions: Vec<Function>,
    test_lines: Vec<RangeInclusive<usize>>,
}

impl SourceItems {
    fn function(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let line = signature.fn_token.span.start().line;
        let end = block.brace_token.span.close().end().line;
        let name = signature.ident.to_string();
        self.functions.push(Function { name, line, lines: end - line + 1 });
    }
}

impl<'ast> Visit<'ast> for SourceItems {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.sig, &item.block);
        if item.attrs.iter().any(|attribute| attribute.path().is_ident("test")) {
            self.test_lines.push(lines_of(item.span()));
        }
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.function(&item.sig, block);
        }
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if item.attrs.iter().any(is_cfg_test) {
            self.test_lines.push(lines_of(item.span()));
        }
        visit::visit_item_mod(self, item);
    }
}

fn lines_of(span: proc_macro2::Span) -> RangeInclusive<usize> {
    span.start().line..=span.end().line
}

pub(crate) fn is_cfg_test(attribute: &syn::Attribute) -> bool {
    attribute.path().is_ident("cfg")
        && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> RustSource {
        RustSource::parse(text).unwrap()
    }

    #[test]
    fn functions_are_measured_from_signature_to_closing_brace() {
        let source = parse("/// Doc.\n#[inline]\nfn a(\n) {\n}\nstruct S;\nimpl S { fn b() {} }\n");
        let a = Function { name: "a".to_owned(), line: 3, lines: 3 };
        let b = Function { name: "b".to_owned(), line: 7, lines: 1 };
        assert_eq!(source.functions, [a, b]);
    }

    #[test]
    fn attributes_are_seen_in_code_but_not_in_strings_or_comments() {
        let source = parse("// #[cold]\n#[cold]\nfn a() -> &'static str { \"#[cold]\" }\n");
        assert_eq!(source.attributes("cold"), [2]);
    }

    #[test]
    fn attributes_behind_a_condition_are_seen_and_arguments_are_not() {
        let source = parse("#[cfg_attr(any(unix, cold), inline)]\n#[doc(cold)]\nfn a() {}\n");
        assert_eq!(source.attributes("inline"), [1]);
        assert!(source.attributes("cold").is_empty());
    }

    #[test]
    fn test_functions_are_found_in_modules_and_macros() {
        let source = parse(
            "fn a() {}\nmod tests { #[test] fn b() {} fn c() {} }\n\
             property! { #[test] #[should_panic] fn d(x in 0..1) {} }\n",
        );
        assert_eq!(source.tests(), ["b", "d"]);
    }

    #[test]
    fn test_lines_are_those_of_test_modules_and_functions() {
        let source = parse("fn a() {}\n#[cfg(test)]\nmod tests {\n}\n#[test]\nfn b() {}\n");
        let lines: Vec<usize> = (1..=6).filter(|line| source.is_test_line(*line)).collect();
        assert_eq!(lines, [2, 3, 4, 5, 6]);
    }

    #[test]
    fn text_that_is_not_rust_is_an_error_with_its_line() {
        assert!(RustSource::parse("fn a() {}\nfn {\n").is_err());
        let (line, _) = RustSource::parse("fn a() {}\nfn 1() {}\n").err().unwrap();
        assert_eq!(line, 2);
    }
}
