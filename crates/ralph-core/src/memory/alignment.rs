//! Notes that say by what, from where or in what place the same is done, in
//! different words: "is orchestrated by A", "B runs it". What both speak of
//! must be the same but for the values, and so must what is done.

use super::comparison::{Comparison, heavy};
use super::grammar::is_verb;
use super::kinds::kind;
use super::signs::Sign;
use super::statement::Statement;
use super::synonyms::family;
use super::words::{Class, List, Word, list};

/// How a value is joined to what a note is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Joint {
    /// "By A", "with A", "A does it".
    Means,
    /// "In A", "at A".
    Place,
    /// "From A".
    Source,
    /// "Is A", ": A".
    Identity,
}

/// Verbs that say of anything that it is done.
static DOING: List = list![
    "run do handle manage serve provide come back power make perform drive orchestrate deliver answer"
];

/// Verbs that say where something is.
static BEING: List = list!["store locate host put go keep sit"];

impl<'a> Comparison<'a> {
    /// The values that the same thing had and has, however each is joined to it.
    pub(super) fn realigned(&self) -> Option<(&'a Word, &'a Word)> {
        if self.new.is_korean || self.may_be_one_of_many() || self.differs_twice() {
            return None;
        }
        let (was, old_joint) = value(self.old, &self.only_old, &self.old_signs)?;
        let (now, new_joint) = value(self.new, &self.only_new, &self.new_signs)?;
        let is_done = self.does_the_same();
        let fits = match (old_joint, new_joint) {
            (Joint::Place, Joint::Place) => is_done || self.both(&BEING),
            (Joint::Means | Joint::Source, Joint::Means | Joint::Source) => {
                is_done || self.one_of(&DOING)
            }
            (Joint::Identity, Joint::Means) | (Joint::Means, Joint::Identity) => is_done,
            (Joint::Place | Joint::Identity | Joint::Means | Joint::Source, _) => false,
        };
        (fits && self.shares_two_words()).then(|| (&self.old.words[was], &self.new.words[now]))
    }

    /// Whether a verb, or a noun made of it, is in both.
    fn does_the_same(&self) -> bool {
        let acts = |one: &'a Statement| {
            let all = one.content().map(|at| &one.words[at]).filter(|word| is_verb(word));
            all.filter(|word| !word.is(&DOING) && !word.is(&BEING))
        };
        let is_in = |word: &Word, other: &Statement| {
            let same =
                |one: &Word| one.class == Class::Plain && family(&one.stem) == family(&word.stem);
            other.words.iter().any(same)
        };
        acts(self.old).any(|word| is_in(word, self.new))
            || acts(self.new).any(|word| is_in(word, self.old))
    }

    /// Whether all verbs of both notes are of a list.
    fn both(&self, list: &List) -> bool {
        [self.old, self.new].iter().all(|one| {
            one.content()
                .map(|at| &one.words[at])
                .filter(|word| is_verb(word))
                .all(|word| word.is(list))
        })
    }

    /// Whether all verbs of one note are of a list, and there are some.
    fn one_of(&self, list: &List) -> bool {
        [self.old, self.new].iter().any(|one| {
            let mut verbs =
                one.content().map(|at| &one.words[at]).filter(|word| is_verb(word)).peekable();
            verbs.peek().is_some() && verbs.all(|word| word.is(list))
        })
    }

    /// Whether both speak of the same in two words, or in one and what is done.
    fn shares_two_words(&self) -> bool {
        let is_shared = |at: &usize| {
            let word = &self.old.words[*at];
            !self.only_old.contains(at) && !word.is_number()
        };
        self.old.content().filter(is_shared).count() >= 2
    }
}

/// The value of a note and how it is joined, if all that only this note has is
/// part of it.
fn value(one: &Statement, only: &[usize], signs: &[Sign]) -> Option<(usize, Joint)> {
    let all: Vec<usize> = heavy(one, only).collect();
    let first = *all.first()?;
    let joint = joint(one, first)?;
    let is_part = |at: &usize| {
        let goes_on = at.checked_sub(1).is_some_and(|before| only.contains(&before));
        let follows = joint == Joint::Place && one.is_said(*at);
        *at == first || goes_on || follows
    };
    let holds = all.iter().all(|at| signs[*at] == Sign::Holds && !one.words[*at].is_number());
    let has_name = all.iter().any(|at| is_named(&one.words[*at]) || is_unknown(&one.words[*at]));
    (holds && has_name && all.iter().all(is_part)).then_some((first, joint))
}

/// How a word is joined to what a note is about.
fn joint(one: &Statement, at: usize) -> Option<Joint> {
    if !one.is_said(at) {
        // "Dagster runs it": who acts is a means.
        let opens = at == 0 || (at == 1 && !one.words[0].is_content());
        let acts = one.words[at..].iter().any(|word| is_verb(word) && word.text.ends_with('s'));
        return (opens && acts).then_some(Joint::Means);
    }
    match one.lead(at)? {
        "by" | "with" | "using" | "via" | "through" => Some(Joint::Means),
        "in" | "on" | "at" | "under" | "inside" => Some(Joint::Place),
        "from" => Some(Joint::Source),
        "is" | "are" | ":" | "=" => Some(Joint::Identity),
        _ => None,
    }
}

/// Whether a word is a name, code, or one of a kind.
pub(super) fn is_named(word: &Word) -> bool {
    word.is_name || word.class == Class::Code || kind(&word.stem).is_some()
}

/// Whether it may be a name that is written small, as those of tools are.
fn is_unknown(word: &Word) -> bool {
    word.class == Class::Plain && word.stem == word.text && !is_verb(word)
}
