//! Words that a file must hold for a rule to match anything in it.
//!
//! They are read off the rule itself, so they cannot be forgotten when it
//! changes. What cannot be told demands nothing: the file is then parsed.

use regex_syntax::hir::literal::Extractor;
use serde_json::Value;

/// Words of which at least one must occur, in lower case.
pub(super) type Clause = Vec<String>;

/// Shorter words occur everywhere.
const SHORTEST: usize = 3;

/// How deep rules may refer to each other before we stop looking.
const DEEPEST: u32 = 8;

/// What a rule with its `utils` demands. All clauses must hold; the case of
/// letters does not matter.
pub(super) fn clauses(core: &Value) -> Vec<Clause> {
    of_rule(&core["rule"], &core["utils"], DEEPEST)
}

fn of_rule(rule: &Value, utils: &Value, depth: u32) -> Vec<Clause> {
    let (Some(parts), Some(depth)) = (rule.as_object(), depth.checked_sub(1)) else {
        return Vec::new();
    };
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut found = Vec::new();
    for (key, value) in parts {
        match key.as_str() {
            "pattern" => found.extend(of_pattern(value)),
            "regex" => found.extend(of_regex(value)),
            "has" | "inside" | "precedes" | "follows" => {
                found.extend(of_rule(value, utils, depth));
            }
            "all" => found.extend(list(value).iter().flat_map(|part| of_rule(part, utils, depth))),
            "any" => found.extend(of_any(&list(value), utils, depth)),
            "matches" => {
                let util = value.as_str().and_then(|name| utils.get(name));
                found.extend(util.into_iter().flat_map(|util| of_rule(util, utils, depth)));
            }
            // Kinds, positions and what must not be there demand no word.
            _ => {}
        }
    }
    found
}

/// The words of a pattern; each of them is the text of some node.
///
/// A pattern in the long form may have parts that do not count.
fn of_pattern(pattern: &Value) -> Vec<Clause> {
    let text = pattern.as_str().unwrap_or_default();
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    text.split(|c| !is_part(c))
        .filter(|word| !word.contains('$') && word.len() >= SHORTEST)
        .map(|word| vec![word.to_ascii_lowercase()])
        .collect()
}

/// What every match of an expression begins with.
fn of_regex(regex: &Value) -> Option<Clause> {
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

/// One clause for all alternatives: the most telling of each.
fn of_any(alternatives: &[Value], utils: &Value, depth: u32) -> Option<Clause> {
    let shortest = |clause: &Clause| clause.iter().map(String::len).min();
    let mut all = Clause::new();
    for alternative in alternatives {
        all.extend(of_rule(alternative, utils, depth).into_iter().max_by_key(shortest)?);
    }
    Some(all).filter(|all| !all.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(rule: &Value, want: &[&[&str]]) {
        let utils = json!({ "named": { "regex": "^secret" }, "loop": { "matches": "loop" } });
        assert_eq!(clauses(&json!({ "rule": rule, "utils": utils })), want, "{rule}");
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
}
