//! Rules about texts on a screen: short lines, and in Korean a verb before a full stop.
//! The sentences of sessions and runs are checked where they are built, in
//! `ralph-core`.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::LitStr;

use super::{Exemption, is_exempt, is_test_file};
use crate::finding::RuleViolation;

/// Longest line, in characters.
const LINE_CHARS: usize = 200;

/// Paths with texts for people.
const TEXTS: &[Exemption] = &[
    ("crates/ralph-cli/src/", "commands and hooks"),
    ("crates/ralph-config/src/", "settings"),
    ("crates/ralph-core/src/wording/", "runs and sessions"),
    ("crates/ralph-engine/src/", "events and reports"),
];

/// Paths among them with texts for models.
const FOR_MODELS: &[Exemption] = &[
    ("crates/ralph-cli/src/commands/mcp.rs", "read by models"),
    ("crates/ralph-cli/src/commands/mcp/", "read by models"),
    ("crates/ralph-engine/src/tool/", "read by models"),
];

/// The last letters of Korean verbs in polite sentences: 니다, 세요, 까.
const VERB_ENDINGS: [char; 3] = ['다', '요', '까'];

/// Checks the texts of one source file.
pub(super) fn check(path: &str, text: &str) -> Vec<RuleViolation> {
    if !is_exempt(path, TEXTS) || is_exempt(path, FOR_MODELS) || is_test_file(path) {
        return Vec::new();
    }
    let mut texts = Vec::new();
    // Source that does not parse is a finding of another rule.
    collect(text.parse().unwrap_or_default(), &mut texts);
    texts.iter().flat_map(|(line, text)| judge(path, *line, text)).collect()
}

/// Collects the texts of a source, without comments, attributes and test modules.
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

fn judge(path: &str, line: usize, text: &str) -> Vec<RuleViolation> {
    let mut found = Vec::new();
    let longest = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    if longest > LINE_CHARS {
        let what = format!("a line of {longest} characters");
        found.push(RuleViolation::new(path, line, what, "say it in two sentences, or shorter"));
    }
    let sentences = text.split_inclusive('.').filter_map(|said| said.strip_suffix('.'));
    for sentence in sentences.filter(|sentence| is_korean_without_verb(sentence)) {
        let what = format!("`{}.` does not end with a verb", sentence.trim_start());
        found.push(RuleViolation::new(path, line, what, "end it with 니다, 세요 or 까"));
    }
    found
}

fn is_korean_without_verb(sentence: &str) -> bool {
    let last = sentence.chars().next_back();
    last.is_some_and(|c| ('가'..='힣').contains(&c) && !VERB_ENDINGS.contains(&c))
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
    fn a_korean_sentence_ends_with_a_verb() {
        let said =
            |text: &str| found("crates/ralph-cli/src/a.rs", &format!("const A: &str = {text:?};"));
        assert_eq!(said("정리했습니다. 기록 3개."), ["`기록 3개.` does not end with a verb"]);
        assert_eq!(said("기록 3개를 남겼습니다. `ralph report` 로 보세요."), [""; 0]);
        assert_eq!(said("상태"), [""; 0], "a label");
    }
}
