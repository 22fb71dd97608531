//! The strength of assertions, and the comparison of two.

use std::collections::HashSet;

use super::assertions::TestAssertion;
use super::language::FileLanguage;

/// The strength of an assertion's demand, from nothing to everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum AssertionStrength {
    /// It cannot fail.
    Trivial,
    /// That something is there, or true.
    Truth,
    /// That something is in a range or contains something.
    Relation,
    /// That something is equal to something.
    Equality,
}

/// The words for equality, in lower case and without `_`.
const EQUALITIES: &[&str] = &[
    "asserteq",
    "debugasserteq",
    "propasserteq",
    "assertequal",
    "assertequals",
    "assertsame",
    "assertis",
    "equal",
    "equals",
    "deepequal",
    "strictequal",
    "deepstrictequal",
    "tobe",
    "toequal",
    "tostrictequal",
    "tohavelength",
    "tohavebeencalledwith",
    "tohavebeencalledtimes",
    "eq",
    "eql",
    "eqvalues",
    "isequalto",
    "be",
    "mustequal",
    "mustbe",
    "expecteq",
    "shouldbe",
    "shouldequal",
    "jsoneq",
    "expectstreq",
    "assertstreq",
    "assertlistequal",
    "assertdictequal",
    "assertarrayequals",
    "testassertequal",
    "testassertequalint",
    "areequal",
    "exactly",
];
/// The words for less than equality, in lower case and without `_`.
const RELATIONS: &[&str] = &[
    "assertin",
    "assertgreater",
    "assertgreaterequal",
    "assertless",
    "assertlessequal",
    "assertisinstance",
    "assertnotequal",
    "assertnotequals",
    "assertne",
    "assertcontains",
    "assertstringcontainsstring",
    "isinstance",
    "instanceof",
    "notequal",
    "contains",
    "contain",
    "containsstring",
    "include",
    "includes",
    "startswith",
    "endswith",
    "tocontain",
    "tocontainequal",
    "tomatch",
    "tobegreaterthan",
    "tobegreaterthanorequal",
    "tobelessthan",
    "tobelessthanorequal",
    "tobeinstanceof",
    "expectne",
    "expectgt",
    "expectge",
    "expectlt",
    "expectle",
    "assertgt",
    "assertge",
    "assertlt",
    "assertle",
    "isgreaterthan",
    "islessthan",
    "isin",
    "isinstanceof",
    "begreaterthan",
    "match",
];
/// The words for matchers that accept any value.
const ANYTHING: &[&str] = &["any", "anything", "objectcontaining", "stringcontaining"];
const COMPARISONS: &[&str] = &["==", "===", "!=", "!==", ">=", "<=", ">", "<", "<>"];
/// Constants that a predicate says as well: `x == None` and `x.is_none()`.
const PLAIN: &[&str] = &[
    "true",
    "false",
    "none",
    "null",
    "nil",
    "undefined",
    "0",
    "len",
    "length",
    "size",
    "count",
    "is",
    "not",
    "self",
    "this",
    "t",
    "to",
    "some",
    "ok",
    "err",
    "and",
    "or",
    "in",
];

/// The strength of an assertion, by its words.
pub(super) fn of(words: &[&str], language: FileLanguage) -> AssertionStrength {
    if is_trivial(words, language) {
        return AssertionStrength::Trivial;
    }
    let plain: Vec<String> = words.iter().map(|word| bare(word)).collect();
    let has = |known: &[&str]| plain.iter().any(|word| known.contains(&word.as_str()));
    let operators = outer_operators(words);
    let compares = |known: &[&str]| operators.iter().any(|word| known.contains(word));
    // `expect(a > b).toBe(true)` asks what `a > b` asks.
    let against_truth = words.len() > 3
        && matches!(words[words.len() - 2], "true" | "True")
        && compares(COMPARISONS);
    if has(EQUALITIES) && !against_truth && !negated_truth(&plain) {
        return AssertionStrength::Equality;
    }
    if has(RELATIONS) || compares(&[">=", "<=", ">", "<", "!=", "!==", "in"]) {
        return AssertionStrength::Relation;
    }
    if compares(&["==", "===", "is"]) && !words.windows(2).any(|pair| pair == ["is", "not"]) {
        return AssertionStrength::Equality;
    }
    if is_opaque(&plain) { AssertionStrength::Equality } else { AssertionStrength::Truth }
}

/// True if an assertion calls a helper whose demands are not known here.
fn is_opaque(plain: &[String]) -> bool {
    const PLAIN_TRUTHS: &[&str] = &[
        "assert",
        "assertok",
        "assertthat",
        "asserttrue",
        "asserttruthy",
        "assertfalse",
        "assertfalsy",
        "assertnil",
        "assertnull",
        "assertnone",
        "assertisnone",
        "assertisnotnone",
        "assertnoerror",
        "assertpresent",
        "assertcalled",
        "check",
        "verify",
    ];
    let heads = ["assert", "check", "verify", "ensure"];
    let name = plain.iter().find(|word| heads.iter().any(|head| word.starts_with(head)));
    name.is_some_and(|name| {
        !PLAIN_TRUTHS.contains(&name.as_str())
            && !name.starts_with("assertnot")
            && !name.starts_with("assertis")
    })
}

/// The strength of a call that fails, by the words of its condition: what
/// must not be the case is the opposite of what is asserted.
pub(super) fn of_failing(condition: &[&str]) -> AssertionStrength {
    let has = |known: &[&str]| condition.iter().any(|word| known.contains(word));
    match condition {
        ["false" | "False" | "0"] | ["(", "false" | "False" | "0", ")"] => {
            return AssertionStrength::Trivial;
        }
        _ => {}
    }
    if has(&["&&", "and"]) && has(&["false", "False"]) {
        return AssertionStrength::Trivial;
    }
    let empty = has(&["nil", "null", "None", "nullptr", "NULL"]);
    if has(&["!=", "!=="]) && !empty || condition.iter().any(|word| word.ends_with("Equal")) {
        AssertionStrength::Equality
    } else if has(&[">", "<", ">=", "<="]) {
        AssertionStrength::Relation
    } else {
        AssertionStrength::Truth
    }
}

/// True if `new` asks for less than `old`, which it replaced.
pub(super) fn is_looser(old: &TestAssertion, new: &TestAssertion) -> bool {
    let added = |known: &[&str]| {
        new.tokens.iter().any(|word| known.contains(&bare(word).as_str()))
            && !old.tokens.iter().any(|word| known.contains(&bare(word).as_str()))
    };
    if added(&["||", "or"]) || added(ANYTHING) {
        return true;
    }
    let (before, now) = (telling(&old.tokens), telling(&new.tokens));
    let lost = loses_words(&old.tokens, &new.tokens);
    let gained = now.difference(&before).next().is_some();
    if is_about_errors(&old.tokens) && is_about_errors(&new.tokens) {
        let broad = ["Exception", "BaseException", "Throwable", "StandardError"];
        let broader = broad.iter().any(|name| now.contains(name) && !before.contains(name));
        return broader || (lost && !gained);
    }
    match (old.strength, new.strength) {
        (AssertionStrength::Equality, AssertionStrength::Relation) => {
            added(RELATIONS) || lost || outer_operators(&new.tokens) != outer_operators(&old.tokens)
        }
        (AssertionStrength::Equality | AssertionStrength::Relation, AssertionStrength::Truth) => {
            lost
        }
        (_, AssertionStrength::Trivial) => old.strength != AssertionStrength::Trivial,
        (AssertionStrength::Truth | AssertionStrength::Trivial, _)
        | (
            AssertionStrength::Relation,
            AssertionStrength::Relation | AssertionStrength::Equality,
        )
        | (AssertionStrength::Equality, AssertionStrength::Equality) => false,
    }
}

/// True if a word that carries meaning occurs less often in `new`: a value may be given and
/// expected.
fn loses_words(old: &[String], new: &[String]) -> bool {
    let count = |words: &[String], one: &str| words.iter().filter(|word| *word == one).count();
    telling(old).into_iter().any(|word| count(new, word) < count(old, word))
}

/// The words that carry meaning: names and values, not how it is asked.
pub(super) fn telling(tokens: &[String]) -> HashSet<&str> {
    tokens
        .iter()
        .map(String::as_str)
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .filter(|word| {
            let plain = bare(word);
            let asks = ["assert", "expect", "require", "refute", "should", "debugassert", "is"];
            let is_matcher = plain.starts_with("to") && word.chars().any(char::is_uppercase);
            let known = [PLAIN, EQUALITIES, RELATIONS];
            !is_matcher
                && !known.iter().any(|list| list.contains(&plain.as_str()))
                && !asks.iter().any(|head| plain.starts_with(head))
        })
        .collect()
}

fn is_about_errors(tokens: &[String]) -> bool {
    tokens.iter().any(|word| {
        let plain = bare(word);
        ["raise", "throw", "assertraises", "assertthrows", "tothrow", "expectexception"]
            .iter()
            .any(|head| plain.starts_with(head))
    })
}

fn is_trivial(words: &[&str], language: FileLanguage) -> bool {
    let escapes = |pair: &[&str]| {
        matches!(pair, ["||" | "or", "true" | "True" | "1"] | ["true" | "True", "||" | "or"])
    };
    if words.windows(2).any(escapes) || matches!(words, ["true" | ":"]) {
        return true;
    }
    match operands(words, language).as_slice() {
        [one] => is_constant_truth(without_message(one)),
        // What is called twice may answer differently.
        [one, other] => one.as_slice() == without_message(other) && !one.contains(&"("),
        _ => false,
    }
}

/// The words before a message.
fn without_message<'w, 's>(words: &'s [&'w str]) -> &'s [&'w str] {
    let end = words.iter().skip(1).position(|word| *word == "\"");
    end.map_or(words, |end| &words[..=end])
}

/// Returns the compared values: the arguments, or both sides of an operator.
fn operands<'w>(words: &'w [&'w str], language: FileLanguage) -> Vec<Vec<&'w str>> {
    if let Some(rest) = words.strip_prefix(&["assert"]).filter(|_| language == FileLanguage::Python)
    {
        return sides(rest);
    }
    // Ruby calls without parentheses: those that are there belong to an argument.
    if let [_, rest @ ..] = words
        && language == FileLanguage::Ruby
        && rest.first().is_some_and(|next| !matches!(*next, "(" | "{" | "." | "do" | "["))
    {
        return arguments(rest);
    }
    let mut groups = Vec::new();
    let mut depth = 0_usize;
    let mut start = 0;
    for (at, word) in words.iter().enumerate() {
        match *word {
            "(" | "[" | "{" => {
                if depth == 0 {
                    start = at + 1;
                }
                depth += 1;
            }
            ")" | "]" | "}" => {
                depth = depth.saturating_sub(1);
                if depth == 0 && start < at {
                    groups.push(words[start..at].to_vec());
                }
            }
            _ => {}
        }
    }
    match groups.as_slice() {
        [only] => arguments(only),
        _ => groups,
    }
}

/// The arguments of a call. Commas are not among the words, so only those
/// that are single words or equal halves can be told apart.
fn arguments<'w>(words: &[&'w str]) -> Vec<Vec<&'w str>> {
    let by_operator = sides(words);
    if by_operator.len() > 1 {
        return by_operator;
    }
    let words = match words {
        ["t", rest @ ..] if rest.len() > 1 => rest,
        words => words,
    };
    for words in [words, without_message(words)] {
        let (one, other) = words.split_at(words.len() / 2);
        if !one.is_empty() && one == other {
            return vec![one.to_vec(), other.to_vec()];
        }
    }
    vec![words.to_vec()]
}

fn sides<'w>(words: &[&'w str]) -> Vec<Vec<&'w str>> {
    let equal = |word: &&str| matches!(*word, "==" | "===" | "is" | ">=" | "<=");
    let parts: Vec<Vec<&str>> =
        words.split(equal).map(<[&str]>::to_vec).filter(|part| !part.is_empty()).collect();
    if parts.len() == 2 { parts } else { vec![words.to_vec()] }
}

fn is_constant_truth(words: &[&str]) -> bool {
    matches!(words, ["true" | "True" | "TRUE" | "1"] | ["not", "False"] | ["!", "false"])
}

/// `expect(x).not.toBe(null)` asks that something is there, nothing more.
fn negated_truth(plain: &[String]) -> bool {
    let has = |known: &[&str]| plain.iter().any(|word| known.contains(&word.as_str()));
    has(&["not", "notto", "isnot"]) && has(&["null", "undefined", "nil", "none"])
}

/// The operators that are the least nested.
fn outer_operators<S: AsRef<str>>(words: &[S]) -> Vec<&str> {
    let mut depth = 0_usize;
    let mut found: Vec<(usize, &str)> = Vec::new();
    let mut last = "";
    for word in words {
        let word = word.as_ref();
        match word {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            // `::<` begins type arguments.
            "<" if last == "::" => {}
            word if COMPARISONS.contains(&word) || matches!(word, "in" | "is") => {
                found.push((depth, word));
            }
            _ => {}
        }
        last = word;
    }
    let outermost = found.iter().map(|(depth, _)| *depth).min();
    found.into_iter().filter(|(depth, _)| Some(*depth) == outermost).map(|(_, word)| word).collect()
}

/// A word in lower case and without `_`.
fn bare(word: &str) -> String {
    word.chars().filter(|&c| c != '_').flat_map(char::to_lowercase).collect()
}
