//! Rules about what people read on a screen: short lines, and in Korean a verb in
//! every sentence. English sentences of sessions and runs are checked where they
//! are made, in `ralph-core`.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::LitStr;

use super::{Exemption, is_exempt, is_test_file};
use crate::finding::Finding;

/// How long a line may be.
const LINE_CHARS: usize = 200;

/// Where texts for people are written.
const TEXTS: &[Exemption] = &[
    ("crates/ralph-cli/src/", "commands and hooks"),
    ("crates/ralph-core/src/wording/", "runs and sessions"),
    ("crates/ralph-engine/src/", "events and reports"),
];

/// Texts there that no person reads.
const FOR_MODELS: &[Exemption] = &[
    ("crates/ralph-cli/src/commands/mcp.rs", "read by models"),
    ("crates/ralph-cli/src/commands/mcp/", "read by models"),
];

/// Endings of Korean verbs as we write to people.
const VERB_ENDINGS: [&str; 3] = ["니다", "세요", "까"];

/// Checks the texts of one source file.
pub(super) fn check(path: &str, text: &str) -> Vec<Finding> {
    if !is_exempt(path, TEXTS) || is_exempt(path, FOR_MODELS) || is_test_file(path) {
        return Vec::new();
    }
    let mut texts = Vec::new();
    // What is not Rust is told by another rule.
    collect(text.parse().unwrap_or_default(), &mut texts);
    texts.iter().flat_map(|(line, text)| judge(path, *line, text)).collect()
}

/// The texts of a source, without comments, attributes and test modules.
fn collect(tokens: TokenStream, texts: &mut Vec<(usize, String)>) {
    let mut tokens = tokens.into_iter().peekable();
    let mut is_test = false;
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(sign) if sign.as_char() == '#' => {
                tokens.next_if(
                    |next| matches!(next, TokenTree::Punct(sign) if sign.as_char() == '!'),
                );
                let attribute = tokens.next_if(|next| {
                    matches!(next, TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket)
                });
                is_test |= attribute
                    .is_some_and(|found| found.to_string().replace(' ', "").contains("cfg(test)"));
            }
            TokenTree::Group(group) if is_test && group.delimiter() == Delimiter::Brace => {
                is_test = false;
            }
            TokenTree::Group(group) => collect(group.stream(), texts),
            TokenTree::Literal(literal) => {
                let line = literal.span().start().line;
                let text = syn::parse_str::<LitStr>(&literal.to_string());
                texts.extend(text.ok().map(|text| (line, text.value())));
            }
            TokenTree::Punct(sign) if sign.as_char() == ';' => is_test = false,
            TokenTree::Punct(_) | TokenTree::Ident(_) => {}
        }
    }
}

fn judge(path: &str, line: usize, text: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    let longest = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    if longest > LINE_CHARS {
        let what = format!("a line of {longest} characters");
        found.push(Finding::new(path, line, what, "say it in two sentences, or shorter"));
    }
    for sentence in korean_sentences(text) {
        if !VERB_ENDINGS.iter().any(|ending| sentence.contains(ending)) {
            let what = format!("`{sentence}` has no verb");
            found.push(Finding::new(path, line, what, "end it with 니다, 세요 or 까"));
        }
    }
    found
}

/// The Korean sentences of a text, without names of commands and what is in
/// brackets. What does not end with a full stop is a heading or a label.
fn korean_sentences(text: &str) -> Vec<String> {
    let is_korean = |text: &str| text.chars().any(|c| ('가'..='힣').contains(&c));
    if !is_korean(text) || !text.trim_end().ends_with('.') {
        return Vec::new();
    }
    let plain: String = text.split('`').step_by(2).collect::<Vec<_>>().join("X");
    let (mut outside, mut depth) = (String::new(), 0_usize);
    for c in plain.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            c if depth == 0 => outside.push(c),
            _ => {}
        }
    }
    let sentences = outside.replace(". ", "\n").replace("? ", "\n");
    let sentences = sentences.lines().map(str::trim).filter(|sentence| is_korean(sentence));
    sentences.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        check(path, text).into_iter().map(|finding| finding.what).collect()
    }

    #[test]
    fn long_lines_are_found_wherever_a_text_stands() {
        let long = "x".repeat(201);
        let source = format!("fn f() {{ say(&format!(\"{long}\")); }}");
        assert_eq!(found("crates/ralph-cli/src/a.rs", &source), ["a line of 201 characters"]);
        assert_eq!(found("crates/ralph-store/src/a.rs", &source), [""; 0]);
        let tests = format!("/// {long}\n#[cfg(test)]\nmod tests {{ fn f() {{ \"{long}\"; }} }}");
        assert_eq!(found("crates/ralph-cli/src/a.rs", &tests), [""; 0]);
    }

    #[test]
    fn a_korean_sentence_has_a_verb() {
        let said =
            |text: &str| found("crates/ralph-cli/src/a.rs", &format!("const A: &str = {text:?};"));
        assert_eq!(said("기록 3개."), ["`기록 3개.` has no verb"]);
        assert_eq!(said("기록 3개를 남겼습니다. `ralph report` 로 보세요."), [""; 0]);
        assert_eq!(said("상태"), [""; 0], "a label");
    }
}
