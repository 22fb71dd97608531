//! Whether a clause affirms what it speaks of or denies it.

use super::grammar::{is_negation, is_verb};
use super::statement::{Statement, weight};
use super::words::{Class, List, Word, list};

/// Whether a part of a note holds, does not hold, or is left open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    Holds,
    Denied,
    /// Part of a condition: neither said nor denied.
    Open,
}

static LEAVING: List = list!["leave"];

/// What puts one thing above another.
static PREFERRING: List = list!["prefer choose"];

static CHANGING: List = list!["change"];

/// Verbs that lead from one thing to another.
static MOVING: List = list![
    "move replace migrate change port transition rewrite upgrade raise lower increase"
    "decrease went hop"
];

/// What advises against something without denying it.
static AGAINST: List = list!["lost pointless useless futile overwrite overwritten wasted"];

pub(super) fn sign(words: &[Word], whole: &[Word], other: &Statement) -> Sign {
    let pairs = words.iter().any(|word| word.text == "neither");
    let turns = words.iter().any(|word| word.text == "favouring");
    let mut bases: Vec<&str> = Vec::new();
    let mut denials = 0;
    for (at, word) in words.iter().enumerate() {
        let leaves = word.is(&LEAVING)
            && words[at..].iter().any(|word| matches!(word.text.as_str(), "alone" | "out"));
        // "Without it the build breaks" says when, not that nothing breaks.
        let is_case = word.text == "without" && at == 0 && !words[1..].iter().any(is_negation);
        if is_negation(word) && !is_case && !(pairs && word.text == "nor") {
            if !is_aimed(words, at, other) {
                return Sign::Open;
            }
            denials += 1;
        } else if !turns
            && is_opposite(word, (words, whole), other)
            && !bases.contains(&word.stem.as_str())
        {
            bases.push(&word.stem);
            denials += 1;
        } else if leaves
            || is_avoided(words, at)
            || stays_out(words, at)
            || ends_support(word, words, other)
        {
            denials += 1;
        }
    }
    // "Edits get lost" speaks of edits and against them.
    if denials == 0 && words.iter().any(|word| word.is(&AGAINST)) {
        return Sign::Open;
    }
    if denials % 2 == 1 { Sign::Denied } else { Sign::Holds }
}

/// Whether it asks to avoid something: "please avoid", "we should avoid".
fn is_avoided(words: &[Word], at: usize) -> bool {
    let before = words[..at].iter().rev().find(|word| word.class != Class::Mark);
    let asks = before.is_none_or(|word| {
        matches!(word.text.as_str(), "please" | "should" | "must" | "always" | "and" | "we")
    });
    (words[at].text == "avoid" && asks) || (words[at].text == "avoided" && words[at].is_verb)
}

/// Whether it asks to keep something out of another.
fn stays_out(words: &[Word], at: usize) -> bool {
    static STAYING: List = list!["stay keep leave"];
    words[at].text == "outof" && words[..at].iter().any(|word| word.is(&STAYING))
}

/// Whether a clause says that support ends: "dropped Python 3.8 support".
fn ends_support(word: &Word, clause: &[Word], other: &Statement) -> bool {
    static ENDING: List = list!["remove retired abandoned stop finish fail lose"];
    static SUPPORT: List = list!["support compatible"];
    let has_support = clause.iter().any(|word| word.is(&SUPPORT));
    word.is(&ENDING) && has_support && other.has(&SUPPORT) && !other.has(&ENDING)
}

/// Whether a denial is about something that the other note speaks of.
fn is_aimed(words: &[Word], at: usize, other: &Statement) -> bool {
    let shares = |word: &Word| other.share_of(word) >= 1.0;
    match words[at].text.as_str() {
        "nothing" | "nobody" | "none" | "neither" => true,
        "without" if at > 0 => {
            let mut behind = words[at + 1..].iter().filter(|word| word.is_content());
            let counts = |word: &Word| weight(word) >= 0.9 || word.text.ends_with("ing");
            behind.next().is_none_or(|word| counts(word) && shares(word))
        }
        "않" => {
            let mut before = words[..at].iter().rev().filter(|word| word.is_content());
            let Some(last) = before.next() else { return true };
            // "Does not support it" is about it as well.
            shares(last) || (is_verb(last) && before.next().is_some_and(shares))
        }
        _ => {
            let mut behind = words[at + 1..].iter().filter(|word| word.is_content()).peekable();
            let is_bare = behind.peek().is_none();
            is_bare || behind.find(|word| weight(word) >= 0.9 || shares(word)).is_some_and(shares)
        }
    }
}

/// Whether a word denies what the other note says by being its opposite.
fn is_opposite(word: &Word, (clause, whole): (&[Word], &[Word]), other: &Statement) -> bool {
    static STRONG: List = list!["allow enable require include inside"];
    word.opposites.iter().any(|base| {
        let has = |words: &[Word]| words.iter().any(|one| one.stem == *base);
        let counts = Word::plain(base).is(&STRONG) || has(&other.words);
        // "Tabs, not spaces" says one thing.
        let is_contrast = has(whole) && clause.iter().any(is_negation);
        counts && !has(clause) && !is_contrast
    })
}

/// Whether a clause puts a word behind another: "A instead of B", "prefer A to
/// B", "B is discouraged in favour of A".
pub(super) fn is_set_aside(words: &[Word], at: usize) -> bool {
    let position = |text: &str| words.iter().position(|word| word.text == text);
    if let Some(turn) = position("대신").or_else(|| position("에서")) {
        return at + 1 == turn;
    }
    if let Some(turn) = position("insteadof") {
        return at > turn;
    }
    if let Some(turn) = position("favouring") {
        return at < turn;
    }
    let gives_up = |word: &Word| {
        matches!(word.text.as_str(), "dropped" | "swapped" | "ditched" | "traded" | "exchanged")
    };
    if let Some(turn) = words.iter().position(gives_up)
        && let Some(end) = words[turn..].iter().position(|word| word.text == "for")
    {
        return at > turn && at < turn + end;
    }
    if let Some(turn) = position("outof").or_else(|| position("from"))
        && words.iter().any(|word| word.is(&MOVING))
    {
        let end =
            words.iter().position(|word| matches!(word.text.as_str(), "to" | "into" | "onto"));
        let changes = words.iter().any(|word| word.is(&CHANGING));
        return !(changes && end.is_none())
            && at > turn
            && end.is_none_or(|end| at < end || end < turn);
    }
    // Preferences and choices are things.
    let prefers = |word: &Word| word.is(&PREFERRING) && !word.text.contains("ence");
    let Some(prefers) = words.iter().position(prefers) else { return false };
    let chooses = !words[prefers].text.starts_with(['p', 'f']) || words[prefers].text == "picked";
    let turns = |word: &Word| word.text == "over" || (word.text == "to" && !chooses);
    let turn = (prefers..words.len()).find(|at| turns(&words[*at]));
    let end =
        words[prefers..].iter().position(|word| word.text == "for").map(|step| prefers + step);
    turn.is_some_and(|turn| at > turn && end.is_none_or(|end| at < end || end < turn))
}
