//! Words that a file must hold for a rule to match anything in it.
//!
//! They are read off the rule itself, so they cannot be forgotten when it
//! changes. What cannot be told demands nothing: the file is then parsed.

use regex_syntax::hir::literal::Extractor;
use serde_json::Value;

/// Words of which at least one must occur, in lower case.
pub(super) type WordClause = Vec<String>;

/// Shorter words occur everywhere.
const SHORTEST: usize = 3;

/// The maximum depth of references between rules.
const DEEPEST: u32 = 8;

/// The demands of a rule. All clauses must hold; the case of letters does not matter.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct RequiredWords {
    /// Somewhere in the file.
    pub(super) in_file: Vec<WordClause>,
    /// In the text of the node that the rule matches.
    pub(super) in_node: Vec<WordClause>,
}

impl RequiredWords {
    /// Returns the demands of a rule with its `utils`.
    pub(super) fn of(core: &Value) -> Self {
        let demanded = |reach| {
            let search = RequiredWordSearch { utils: &core["utils"], reach };
            search.rule(&core["rule"], DEEPEST)
        };
        Self { in_file: demanded(WordScope::File), in_node: demanded(WordScope::Node) }
    }
}

/// The area in which words are searched.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WordScope {
    File,
    Node,
}

struct RequiredWordSearch<'a> {
    utils: &'a Value,
    reach: WordScope,
}

impl RequiredWordSearch<'_> {
    fn rule(&self, rule: &Value, depth: u32) -> Vec<WordClause> {
        let (Some(parts), Some(depth)) = (rule.as_object(), depth.checked_sub(1)) else {
            return Vec::new();
        };
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let mut found = Vec::new();
        for (key, value) in parts {
            match key.as_str() {
                "pattern" => found.extend(of_pattern(value)),
                "regex" => found.extend(of_regex(value)),
                "has" => found.extend(self.rule(value, depth)),
                // Other nodes than those in the one that is matched.
                "inside" | "precedes" | "follows" if self.reach == WordScope::File => {
                    found.extend(self.rule(value, depth));
                }
                "all" => found.extend(list(value).iter().flat_map(|part| self.rule(part, depth))),
                "any" => found.extend(self.any(&list(value), depth)),
                "matches" => {
                    let util = value.as_str().and_then(|name| self.utils.get(name));
                    found.extend(util.into_iter().flat_map(|util| self.rule(util, depth)));
                }
                // Kinds, positions and what must not be there demand no word.
                _ => {}
            }
        }
        found
    }

    /// One clause for all alternatives: the most telling of each.
    fn any(&self, alternatives: &[Value], depth: u32) -> Option<WordClause> {
        let shortest = |clause: &WordClause| clause.iter().map(String::len).min();
        let mut all = WordClause::new();
        for alternative in alternatives {
            all.extend(self.rule(alternative, depth).into_iter().max_by_key(shortest)?);
        }
        Some(all).filter(|all| !all.is_empty())
    }
}

/// The words of a pattern; each of them is the text of some node.
///
/// A pattern in the long form may have parts that do not count.
fn of_pattern(pattern: &Value) -> Vec<WordClause> {
    let text = pattern.as_str().unwrap_or_default();
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    text.split(|c| !is_part(c))
        .filter(|word| !word.contains('$') && word.len() >= SHORTEST)
        .map(|word| vec![word.to_ascii_lowercase()])
        .collect()
}

/// Returns a clause of the texts with which every match of an expression begins.
fn of_regex(regex: &Value) -> Option<WordClause> {
    let text = regex.as_str()?;
    // Case is ignored anyway; with it every letter would have two forms.
    let plain = ["(?i)", "(?is)", "(?si)"].iter().find_map(|flags| text.strip_prefix(flags));
    let text = plain.map_or(text.to_owned(), |rest| format!("(?s){rest}"));
    let tree = regex_syntax::parse(&text).ok()?;
    let literals = Extractor::new().extract(&tree);
    let mut clause = Vec::new();
    for literal in literals.literals()? {
        let word = std::str::from_utf8(literal.as_bytes()).ok()?;
        if word.len() < SHORTEST {
            return None;
        }
        clause.push(word.to_ascii_lowercase());
    }
    Some(clause).filter(|clause| !clause.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(rule: &Value, want: &[&[&str]]) {
        let utils = json!({ "named": { "regex": "^secret" }, "loop": { "matches": "loop" } });
        let needs = RequiredWords::of(&json!({ "rule": rule, "utils": utils }));
        assert_eq!(needs.in_file, want, "{rule}");
    }

    #[test]
    fn words_of_a_pattern_are_all_needed() {
        check(
            &json!({ "pattern": "os.system($CMD, $$$, shell=True)" }),
            &[&["system"], &["shell"], &["true"]],
        );
        check(&json!({ "pattern": { "context": "class A { b }", "selector": "b" } }), &[]);
    }

    #[test]
    fn an_expression_needs_one_of_its_beginnings() {
        check(&json!({ "regex": r"(?i)^(MD5|sha1)\.New$" }), &[&["md5.new", "sha1.new"]]);
        check(&json!({ "regex": ".*secret" }), &[]);
        check(&json!({ "regex": "[0-9]" }), &[]);
    }

    #[test]
    fn alternatives_need_one_of_theirs_and_all_must_demand_something() {
        let some = json!({ "any": [{ "pattern": "eval($A)" }, { "regex": "^exec" }] });
        check(&some, &[&["eval", "exec"]]);
        check(&json!({ "any": [{ "pattern": "eval($A)" }, { "kind": "call" }] }), &[]);
    }

    #[test]
    fn relations_and_references_demand_but_negations_do_not() {
        check(&json!({ "has": { "field": "name", "regex": "^token" } }), &[&["token"]]);
        check(&json!({ "matches": "named" }), &[&["secret"]]);
        check(&json!({ "not": { "pattern": "safe($A)" }, "kind": "call" }), &[]);
        check(&json!({ "matches": "loop" }), &[]);
    }

    #[test]
    fn what_surrounds_a_node_need_not_be_in_it() {
        let rule = json!({ "pattern": "eval($A)", "inside": { "regex": "^import" } });
        let needs = RequiredWords::of(&json!({ "rule": rule }));
        let clause = |word: &str| vec![word.to_owned()];
        assert_eq!(needs.in_node, [clause("eval")]);
        assert_eq!(needs.in_file.len(), 2);
        assert!(needs.in_file.contains(&clause("import")));
    }
}
