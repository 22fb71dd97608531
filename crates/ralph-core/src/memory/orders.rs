//! Detects text that gives orders to the agent that reads it.
//!
//! Notes come from tools, web pages and commits, so anybody may have written them.
//! The fence and the label around them are the main protection. This module detects
//! text that addresses an agent: it tells it to forget its orders, to be someone
//! else, to keep something from the user, or it poses as another side of the
//! conversation. Advice to people ("run `make` first") is none of these.
//!
//! A rule is a sequence of words in one sentence. The lookup needs almost no
//! set-up, because a hook lives for some milliseconds.

mod disguise;
mod rules;

use std::collections::HashMap;
use std::sync::LazyLock;

pub(super) use disguise::is_unseen;
use disguise::{is_disguised, readable};
use rules::{GROUPS, KOREAN, POSING, RULES, STARTERS};

/// Maximum number of words between two words of a rule.
const GAP: usize = 6;

/// Maximum distance between the parts of a Korean rule, in bytes.
const KOREAN_GAP: usize = 90;

/// The kind of order that a text gives to its reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OrderKind {
    /// To forget earlier instructions or limits.
    Forget,
    /// To play another role.
    Pretend,
    /// Text that poses as the system or another side of the conversation.
    Role,
    /// To hide something from the user, or to lie.
    Hide,
    /// To reveal the user's data.
    Leak,
    /// Any other instruction to the agent.
    Command,
    /// Text with parts that are invisible to people.
    Disguise,
}

/// Returns the kinds of orders in a text, each once; empty for plain information.
pub fn orders(text: &str) -> Vec<OrderKind> {
    let seen = readable(text);
    let mut found: Vec<OrderKind> = Vec::new();
    if is_disguised(text) {
        found.push(OrderKind::Disguise);
    }
    if POSING.iter().any(|sign| seen.contains(sign)) || closes_a_fence(&seen) {
        found.push(OrderKind::Role);
    }
    for sentence in sentences(&seen) {
        said_in(&sentence, &mut found);
    }
    if seen.contains(|c| ('가'..='힣').contains(&c)) {
        let asks = KOREAN.iter().filter(|(_, first, then)| follow(&seen, first, then));
        found.extend(asks.map(|(order, _, _)| *order));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Returns true if one of the `first` texts is followed closely by one of `then`.
fn follow(text: &str, first: &str, then: &str) -> bool {
    first.split('|').flat_map(|first| text.match_indices(first)).any(|(at, first)| {
        let rest = &text[at + first.len()..];
        then.split('|').any(|then| rest.find(then).is_some_and(|far| far <= KOREAN_GAP))
    })
}

/// Splits a text into sentences and words. A colon, a comma and an opening
/// quotation mark are words of their own.
fn sentences(text: &str) -> Vec<Vec<&str>> {
    let mut all = Vec::new();
    let mut sentence = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '_' | '-');
        let length = match rest.find(|c| !is_word(c)).unwrap_or(rest.len()) {
            0 => c.len_utf8(),
            length => length,
        };
        let (word, after) = rest.split_at(length);
        let ends = matches!(c, '!' | '?' | ';' | '\n')
            || c == '.' && !after.starts_with(|c: char| c.is_alphanumeric());
        if is_word(c) {
            sentence.extend(Some(word.trim_matches(['\'', '-'])).filter(|word| !word.is_empty()));
        } else if matches!(c, ':' | ',') {
            sentence.push(word);
        } else if ends {
            all.push(std::mem::take(&mut sentence));
        }
        rest = after;
    }
    all.push(sentence);
    all
}

/// A rule with its groups expanded.
type ExpandedRule = (OrderKind, String);

/// The rules by the word they begin with.
static BY_WORD: LazyLock<HashMap<String, Vec<ExpandedRule>>> = LazyLock::new(|| {
    let mut by_word: HashMap<String, Vec<ExpandedRule>> = HashMap::new();
    for (order, rules) in RULES {
        for rule in *rules {
            let spell = |rule: String, (name, words): &(&str, &str)| rule.replace(name, words);
            let rule = GROUPS.iter().fold((*rule).to_owned(), spell);
            let first = rule.split(' ').next().unwrap_or_default().trim_start_matches('^');
            for word in first.split('|') {
                by_word.entry(word.to_owned()).or_default().push((*order, rule.clone()));
            }
        }
    }
    by_word
});

fn said_in(words: &[&str], found: &mut Vec<OrderKind>) {
    for (at, word) in words.iter().enumerate() {
        for (order, rule) in BY_WORD.get(*word).into_iter().flatten() {
            let (first, rest) = rule.split_once(' ').unwrap_or((rule, ""));
            // `^`: only at the start of an order, not in a description.
            let starts = || at == 0 || STARTERS.split('|').any(|word| word == words[at - 1]);
            if (!first.starts_with('^') || starts()) && goes_on(rest, &words[at + 1..]) {
                found.push(*order);
            }
        }
    }
}

/// Returns true if the rest of a rule follows: each group of words within `GAP` of
/// the one before, or right after it if it begins with `+`.
fn goes_on(rule: &str, words: &[&str]) -> bool {
    if rule.is_empty() {
        return true;
    }
    let (group, rest) = rule.split_once(' ').unwrap_or((rule, ""));
    let (group, reach) = group.strip_prefix('+').map_or((group, GAP + 1), |group| (group, 1));
    let is_of = |word: &str| {
        group.split('|').any(|one| match one.strip_suffix('*') {
            Some(start) => word.starts_with(start),
            None => word == one,
        })
    };
    let mut places = (0..words.len().min(reach)).filter(|at| is_of(words[*at]));
    places.any(|at| goes_on(rest, &words[at + 1..]))
}

/// Returns true if a text closes an element that it did not open, as if the text
/// after it were outside of a quotation.
fn closes_a_fence(text: &str) -> bool {
    let mut parts = text.match_indices("</");
    parts.any(|(at, _)| {
        let name = text[at + 2..].split('>').next().unwrap_or_default();
        let line = text[..at].rsplit('\n').next().unwrap_or_default();
        ["note", "memor", "context", "document", "rules", "prompt"]
            .iter()
            .any(|it| name.starts_with(it))
            && !text[..at].contains(&format!("<{name}"))
            && !line.contains(char::is_alphanumeric)
    })
}

#[cfg(test)]
#[path = "orders_tests.rs"]
mod tests;
