//! Whether a note announces that what another says is otherwise now.

use super::comparison::{Comparison, heavy};
use super::grammar::{is_negation, is_verb};
use super::rivals::tells_what_it_is;
use super::statement::{Statement, weight};
use super::words::{Class, List, Word, list};

/// What says that something is another now.
static CHANGED: List = list![
    "rename move migrate change replace rewrite port convert raise lower increase decrease bump"
    "upgrade extend shorten reduce 바뀌 become"
];

static THINGS: List = list!["port write convert"];

static FAILING: List = list!["fail crash forbid reject impossible useless"];

impl Comparison<'_> {
    /// Whether the new note says that what the old one told was changed:
    /// "renamed to", "moved to", "raised to".
    pub(super) fn is_announced(&self) -> bool {
        // A port and a record are no changes, though Korean has no other word.
        let is_thing = |word: &Word| self.new.is_korean && word.is(&THINGS);
        let changes = |word: &Word| word.is(&CHANGED) && !is_thing(word);
        let Some(turn) = self.new.words.iter().position(changes) else {
            return self.is_so_now();
        };
        let text = self.new.words[turn].text.as_str();
        let is_past = self.new.is_korean || text.ends_with("ed") || text.ends_with("en");
        let leads =
            |word: &Word| matches!(word.text.as_str(), "to" | "into" | "in" | "by" | "with" | "as");
        let mut behind = self.new.words[turn..].iter().take(3);
        let ends = self.new.words.get(turn + 1).is_none_or(|word| word.class == Class::Mark);
        let is_lead = self.new.is_korean || ends || behind.any(leads);
        let subject = self.new.content().filter(|at| !self.new.is_said(*at) && *at < turn);
        let mut subject: Vec<usize> = subject.collect();
        subject.retain(|at| weight(&self.new.words[*at]) >= 0.9 || !self.only_new.contains(at));
        let is_shared = !subject.is_empty() && subject.iter().all(|at| !self.only_new.contains(at));
        let differs = heavy(self.old, &self.only_old).any(|at| self.old.is_said(at));
        // What it does is not what it was changed to.
        let is_that = tells_what_it_is(self.old) && !self.old.has(&CHANGED);
        is_past && is_lead && is_shared && differs && is_that
    }

    /// Whether the new note says what is now so instead: "it now goes to stdout".
    fn is_so_now(&self) -> bool {
        let is_now = |one: &Statement| one.words.iter().any(|word| word.text == "now");
        let is_subject = |at: &usize| !self.new.is_said(*at) && weight(&self.new.words[*at]) >= 0.3;
        let subject: Vec<usize> = self.new.content().filter(is_subject).collect();
        let is_shared = !subject.is_empty() && subject.iter().all(|at| !self.only_new.contains(at));
        let differs = |one: &Statement, only: &[usize]| only.iter().any(|at| one.is_said(*at));
        is_now(self.new)
            && !is_now(self.old)
            && is_shared
            && differs(self.old, &self.only_old)
            && differs(self.new, &self.only_new)
            && self.has_one_predicate()
            && self.new.predicate().is_some() == self.old.predicate().is_some()
            && tells_what_it_is(self.old)
            && !self.may_be_one_of_many()
    }

    /// Whether the new note does without what the old one does it with.
    pub(super) fn is_done_without(&self) -> bool {
        // "Nobody gets in without it" says that it is needed.
        let fails =
            |word: &Word| word.is(&FAILING) || (is_negation(word) && word.text != "without");
        let is_lacking = |at: usize| !self.old.is_said(at) && !is_verb(&self.old.words[at]);
        let works = !self.new.words.iter().any(fails)
            && !self.is_about_less()
            && !heavy(self.old, &self.only_old).any(is_lacking);
        let with = |at: usize| {
            let lead = self.old.lead(at).unwrap_or_default();
            let needs = ["need", "needs", "require", "requires", "required"].contains(&lead);
            (needs && works)
                || matches!(lead, "with" | "through" | "via" | "behind" | "using" | "by" | "over")
        };
        let spared = self.new.words.iter().enumerate().filter(|(_, word)| word.text == "without");
        let spared: Vec<&Word> = spared
            .filter_map(|(at, _)| self.new.words[at + 1..].iter().find(|word| word.is_content()))
            .collect();
        let is_spared = |at: usize| spared.iter().any(|word| word.stem == self.old.words[at].stem);
        self.shares.0 >= 0.6 && self.old.content().any(|at| with(at) && is_spared(at))
    }
}
