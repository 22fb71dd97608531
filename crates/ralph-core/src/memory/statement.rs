//! A note taken apart: what it is about, what it says of that, and whether it
//! says so or denies it.

use std::collections::BTreeSet;

use super::synonyms::category;
use super::words::{Class, List, Word, list, words};

/// A note as a list of words.
#[derive(Debug)]
pub(super) struct Statement {
    words: Vec<Word>,
    negated: bool,
    /// Which words stand behind "instead of", "not" or "from".
    rejected: Vec<usize>,
}

/// Something and the value it is said to have.
#[derive(Debug)]
pub(super) struct Fact<'a> {
    /// What has the value, without the values in it.
    pub(super) subject: BTreeSet<String>,
    /// The code and numbers that belong to the subject.
    pub(super) about: Vec<&'a str>,
    /// The value.
    pub(super) value: &'a Word,
    verb: Option<&'a Word>,
    /// Whether a word such as `in` or `to` leads to the value.
    led_to: bool,
}

static NEGATIONS: List =
    list!["not" "never" "no" "without" "avoid" "nor" "않" "안" "금지" "마세요" "말"];

/// What leads to something that is not chosen.
static REJECTIONS: List = list![
    "instead" "rather" "over" "not" "never" "from" "longer" "replace" "avoid" "no"
];

static AUXILIARY: List = list![
    "is" "are" "was" "were" "be" "must" "should" "can" "may" "will" "shall" "has" "have" "do" "does"
];

/// Verbs whose object is one of many: both notes may be true.
static OF_MANY: List = list![
    "call" "import" "contain" "include" "support" "accept" "depend" "export" "cover" "handle" "touch"
    "emit" "require" "change" "add" "remove" "fix" "fail" "work" "test" "check" "log" "read" "extend"
    "see" "want" "expose" "serve" "provide" "list"
];

/// Verbs whose object is the one there is.
static OF_ONE: List = list![
    "use" "return" "prefer" "expect" "target" "default" "equal" "set" "run" "build" "store" "locate"
    "write" "own" "deploy" "name" "format" "configure" "pin" "listen" "expire" "pass" "take" "send"
    "raise" "create" "put" "point" "become" "allow" "retry" "wait" "limit" "host" "release" "rotate"
    "load" "license" "base" "document" "manage" "schedule" "sign" "encode" "encrypt" "cache" "time"
    "inherit" "bind" "compress" "hash" "merge" "rebase" "branch" "indent" "cap" "fall" "serialize"
    "install" "lint" "happen" "trigger" "measure"
];

/// Nouns that a number belongs to as a name does.
static LABELS: List = list![
    "step" "issue" "ticket" "pr" "phase" "line" "chapter" "section" "rule" "task" "bug" "case"
    "milestone" "level" "no" "stage" "item" "week" "quarter"
];

/// Words that lead to a value.
static LEADS: List = list![
    "in" "to" "as" "with" "by" "at" "on" "from" "into" "under" "via" "through" "is" "are" "be" "of"
    "every"
];

static ARTICLES: List = list!["a" "an" "the" "now"];

static LIGHT: List = list![
    "use" "run" "set" "default" "locate" "store" "prefer" "command" "configure" "value" "require"
    "over" "from"
];

static PURPOSE: List = list!["for" "when" "if" "because"];

static CHANGE: List = list![
    "now" "switch" "moved" "migrated" "replaced" "longer" "renamed" "instead" "changed"
];

/// What puts one thing beside another.
static BESIDE: List = list!["instead" "rather" "over"];

static TO: List = list!["to"];

impl Statement {
    pub(super) fn of(text: &str) -> Self {
        let words = words(text);
        let rejected = rejected(&words);
        let denials = words
            .iter()
            .enumerate()
            .filter(|(at, word)| is_negation(word) && !leads_to_rejection(*at, &words, &rejected))
            .count();
        Self { negated: denials % 2 == 1, rejected, words }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.content().is_empty()
    }

    pub(super) fn is_negated(&self) -> bool {
        self.negated
    }

    /// The words that carry meaning, but for those that deny.
    pub(super) fn content(&self) -> Vec<&Word> {
        let carries = |word: &&Word| word.is_content() && !is_negation(word);
        self.words.iter().filter(carries).collect()
    }

    /// Code, numbers and names of things that compete, in order.
    pub(super) fn values(&self) -> Vec<&Word> {
        self.words.iter().filter(|word| is_value(word)).collect()
    }

    /// What the note says is not so.
    pub(super) fn rejected(&self) -> Vec<&Word> {
        self.rejected.iter().filter_map(|at| self.words.get(*at)).collect()
    }

    /// What the note says is so, where it can be chosen: values, and whatever
    /// it puts before something that it rejects.
    pub(super) fn accepted(&self) -> Vec<&Word> {
        let first = self.rejected.first().copied().unwrap_or(0);
        let chosen = |(at, word): &(usize, &Word)| {
            let stands = is_value(word) || (*at < first && is_choice(word));
            stands && !self.rejected.contains(at)
        };
        let found = self.words.iter().enumerate().filter(chosen).map(|(_, word)| word);
        found.collect()
    }

    /// The words with meaning that are no values.
    pub(super) fn subject_words(&self) -> BTreeSet<String> {
        self.content()
            .into_iter()
            .filter(|word| !is_value(word) && !word.is(&LIGHT))
            .map(|word| word.stem.clone())
            .collect()
    }

    /// Whether it says that something is not as it was.
    pub(super) fn tells_a_change(&self) -> bool {
        self.words.iter().any(|word| word.is(&CHANGE))
    }

    /// The last value of the note, and what has it.
    pub(super) fn fact(&self) -> Option<Fact<'_>> {
        let verb = self.verb();
        let begin = verb.map_or(0, |at| at);
        let usable = |at: usize| {
            let word = &self.words[at];
            let named = word.class == Class::Number && at > 0 && self.words[at - 1].is(&LABELS);
            is_value(word) && !named && !self.rejected.contains(&at)
        };
        let candidates: Vec<usize> = (begin..self.words.len()).filter(|at| usable(*at)).collect();
        let at = self.main_value(&candidates).or_else(|| self.plain_value(verb?))?;
        let value = &self.words[at];
        let about = self.values_beside(at);
        let subject = self.subject_without(at);
        let verb = verb.map(|at| &self.words[at]);
        Some(Fact { subject, about, value, verb, led_to: self.is_led_to(at) })
    }

    /// Which of several values is the one that is given: a number before
    /// code, and the last before others; the first where the rest says for what.
    fn main_value(&self, candidates: &[usize]) -> Option<usize> {
        let number = candidates.iter().rev().find(|at| self.words[**at].class == Class::Number);
        if let Some(at) = number {
            return Some(*at);
        }
        let purpose = self.words.iter().position(|word| word.is(&PURPOSE));
        let before_purpose =
            candidates.iter().rev().find(|at| purpose.is_some_and(|end| **at < end));
        before_purpose.or(candidates.last()).copied()
    }

    /// The last plain word behind a verb and a word that leads to it.
    fn plain_value(&self, verb: usize) -> Option<usize> {
        let from = verb + 1;
        let last = (from..self.words.len()).rev().find(|at| self.words[*at].is_content())?;
        self.is_led_to(last).then_some(last)
    }

    fn is_led_to(&self, at: usize) -> bool {
        let before = self.words[..at].iter().rev().find(|word| !word.is(&ARTICLES));
        before.is_some_and(|word| word.is(&LEADS))
    }

    fn verb(&self) -> Option<usize> {
        let strong = |word: &Word| word.is(&AUXILIARY);
        let known = |word: &Word| word.is(&OF_ONE) || word.is(&OF_MANY);
        if let Some(at) = self.words.iter().position(strong) {
            let next = self.words[at + 1..].iter().take(3).position(known);
            return Some(next.map_or(at, |step| at + 1 + step));
        }
        self.words.iter().position(known)
    }

    fn values_beside(&self, at: usize) -> Vec<&str> {
        let mut beside: Vec<&str> = self
            .words
            .iter()
            .enumerate()
            .filter(|(other, word)| {
                *other != at && is_value(word) && !self.rejected.contains(other)
            })
            .map(|(_, word)| word.stem.as_str())
            .collect();
        beside.sort_unstable();
        beside
    }

    fn subject_without(&self, value: usize) -> BTreeSet<String> {
        let belongs = |(at, word): &(usize, &Word)| {
            *at != value && word.is_content() && !is_value(word) && !is_negation(word)
        };
        let words: Vec<&Word> =
            self.words.iter().enumerate().filter(belongs).map(|(_, word)| word).collect();
        let stems =
            |words: &mut dyn Iterator<Item = &Word>| words.map(|word| word.stem.clone()).collect();
        let heavy: BTreeSet<String> =
            stems(&mut words.iter().copied().filter(|word| !word.is(&LIGHT)));
        if heavy.is_empty() { stems(&mut words.iter().copied()) } else { heavy }
    }
}

impl Fact<'_> {
    /// Whether there is but one such value at a time.
    pub(super) fn is_functional(&self) -> bool {
        match self.verb {
            Some(verb) if verb.is(&OF_ONE) => true,
            Some(verb) if verb.is(&OF_MANY) => false,
            Some(_) => self.led_to,
            None => true,
        }
    }
}

fn is_value(word: &Word) -> bool {
    word.class != Class::Plain || category(&word.stem).is_some()
}

/// Whether something can be meant by it that one has or has not.
fn is_choice(word: &Word) -> bool {
    word.is_content() && !is_negation(word) && !word.is(&LIGHT) && !word.is(&OF_ONE)
}

fn is_negation(word: &Word) -> bool {
    word.is(&NEGATIONS)
}

/// The words that the note says are not, or no longer, the ones.
fn rejected(words: &[Word]) -> Vec<usize> {
    let leads = |at: usize| {
        let before = words[..at].iter().rev().take(3).take_while(|word| !is_choice(word));
        let mut before = before.peekable();
        before.peek().is_some() && before.any(|word| word.is(&REJECTIONS))
    };
    // "Never use X" denies; "use Y, never X" and "from X to Y" choose.
    let chooses = |at: usize| {
        let is_pair = words[..at]
            .iter()
            .any(|word| is_choice(word) && (is_value(word) || !is_value(&words[at])));
        is_pair || words[at + 1..].iter().any(|word| word.is(&TO))
    };
    (0..words.len())
        .filter(|at| is_choice(&words[*at]) && leads(*at) && chooses(*at))
        .filter(|at| is_value(&words[*at]) || words[..*at].iter().any(|word| word.is(&BESIDE)))
        .collect()
}

fn leads_to_rejection(at: usize, words: &[Word], rejected: &[usize]) -> bool {
    rejected.iter().any(|value| {
        *value > at && !words[at + 1..*value].iter().any(is_choice) && *value - at <= 3
    })
}
