//! Values that take each other's place: numbers of one kind, names and code
//! in the same part of a sentence.

use super::code::parts;
use super::comparison::{Comparison, heavy};
use super::grammar::{OPENERS, is_verb};
use super::kinds::kind;
use super::quantity::Unit;
use super::rivals::{PLACING, Rivals, Role};
use super::statement::{Statement, weight};
use super::words::{Class, List, Word, list};

/// What everything has one of: to speak of it is to speak of the thing.
static ATTRIBUTES: List = list![
    "address configuration job site host port channel schedule image base run day 요일 owner status"
    "license language currency color title id"
];

/// Verbs that say how long or how often, whatever it is that is done.
static LASTING: List = list![
    "run take store expire set finish happen wait retry require allow raise lower change go hold"
    "schedule timeout remove start stop use"
];

/// Where something may be put, whatever the grammar says.
static PLACES: List = list!["file directory repository table database memory screen"];

/// Notes that are built alike less than this are worded differently.
const LOOSE: f64 = 0.4;

impl<'a> Comparison<'a> {
    /// Numbers of one kind that differ.
    pub(super) fn numbers(&self) -> Option<(usize, usize)> {
        let usable = |one: &Statement, at: &usize| is_counted(&one.words[*at]);
        let old: Vec<usize> =
            self.only_old.iter().copied().filter(|at| usable(self.old, at)).collect();
        let new: Vec<usize> =
            self.only_new.iter().copied().filter(|at| usable(self.new, at)).collect();
        let pairs: Vec<(usize, usize)> =
            old.iter().flat_map(|a| new.iter().map(move |b| (*a, *b))).collect();
        let is_label = |(a, b): &(usize, usize)| self.old.is_label(*a) && self.new.is_label(*b);
        if pairs.iter().any(is_label) {
            return None;
        }
        let fits = |(a, b): &(usize, usize)| {
            let (old, new) = (&self.old.words[*a], &self.new.words[*b]);
            let next = |one: &'a Statement, at: usize| one.words.get(at + 1).map(|word| &word.stem);
            // "One" counts only where the other number counts the same.
            let counts = (old.is_number() && new.is_number())
                || (old.class != new.class && next(self.old, *a) == next(self.new, *b));
            counts && are_comparable(old, new)
        };
        pairs.into_iter().find(fits)
    }

    /// Whether two numbers count different things: "5 files", "20 lines".
    fn count_other_things(&self, old: usize, new: usize) -> bool {
        let thing = |one: &Statement, only: &[usize], at: usize| {
            only.contains(&(at + 1)) && weight(&one.words[at + 1]) >= 0.9
        };
        thing(self.old, &self.only_old, old) && thing(self.new, &self.only_new, new)
    }

    /// The value that the same thing had and has.
    pub(super) fn changed_value(&self) -> Option<(&'a Word, &'a Word)> {
        let counts = |one: &Statement, only: &[usize]| -> Vec<usize> {
            only.iter().copied().filter(|at| one.words[*at].is_number()).collect()
        };
        let (old, new) = (counts(self.old, &self.only_old), counts(self.new, &self.only_new));
        if old.iter().any(|a| new.iter().any(|b| self.count_other_things(*a, *b))) {
            return None;
        }
        if self.have_two_purposes() || self.have_two_topics() {
            return None;
        }
        let (was, now) = self.numbers().or_else(|| self.named_values())?;
        if self.are_of_two_names(was, now)
            || self.are_of_two_doings(was, now)
            || self.are_loose_words(was, now)
        {
            return None;
        }
        let is_alone = |one: &Statement, only: &[usize], value: usize| {
            heavy(one, only).all(|at| at == value || is_beside(one, at, value))
        };
        let old_is_clear = is_alone(self.old, &self.only_old, was);
        let new_is_clear = is_alone(self.new, &self.only_new, now);
        let is_clear = (old_is_clear || new_is_clear)
            && !self.has_two_subjects(was, now)
            && !self.is_about_one_of_several()
            && !self.has_twins(was, now)
            && !self.is_about_a_part()
            && !self.is_about_less();
        is_clear.then(|| (&self.old.words[was], &self.new.words[now]))
    }

    /// Whether two plain words stand in notes that are built too differently to
    /// tell that one takes the place of the other.
    fn are_loose_words(&self, was: usize, now: usize) -> bool {
        let is_plain =
            |word: &Word| word.class == Class::Plain && !word.is_name && kind(&word.stem).is_none();
        is_plain(&self.old.words[was])
            && is_plain(&self.new.words[now])
            && !self.new.is_korean
            && !self.is_news()
            && self.parallel() < LOOSE
            && self.says_the_same()
    }

    /// Whether two numbers belong to two names, with room for both: "supports
    /// Python 3.9", "supports Node 18".
    fn are_of_two_names(&self, was: usize, now: usize) -> bool {
        let is_named = |one: &Statement, only: &[usize], at: usize| {
            let name = at.checked_sub(1).filter(|at| only.contains(at));
            one.words[at].is_number() && name.is_some_and(|at| weight(&one.words[at]) >= 0.9)
        };
        is_named(self.old, &self.only_old, was)
            && is_named(self.new, &self.only_new, now)
            && self.leaves_room(Rivals::Any)
    }

    /// Whether two spans of time belong to two doings: "refreshes every minute",
    /// "shows the last 24 hours".
    fn are_of_two_doings(&self, was: usize, now: usize) -> bool {
        let acts = |one: &Statement, only: &[usize]| {
            let mut verbs = one.content().filter(|at| is_verb(&one.words[*at])).peekable();
            verbs.peek().is_some()
                && verbs.all(|at| only.contains(&at) && !one.words[at].is(&LASTING))
        };
        let is_span = |word: &Word| word.class == Class::Number(Unit::Time);
        is_span(&self.old.words[was])
            && is_span(&self.new.words[now])
            && acts(self.old, &self.only_old)
            && acts(self.new, &self.only_new)
    }

    /// Whether each note is about something that the other does not name.
    fn has_two_subjects(&self, was: usize, now: usize) -> bool {
        let names = |one: &Statement, only: &[usize], value: usize| {
            let mut subject = heavy(one, only).filter(|at| *at != value && !one.is_said(*at));
            subject.any(|at| !is_verb(&one.words[at]) && !is_beside(one, at, value))
        };
        // "Tests are in …" is not about the fixtures in tests/.
        let is_in_code = || {
            let head = self.old.content().next().filter(|at| !self.old.is_said(*at));
            head.is_some_and(|at| {
                let word = &self.old.words[at];
                let mut plain = self.new.words.iter().filter(|word| word.class != Class::Code);
                word.class == Class::Plain
                    && !self.only_old.contains(&at)
                    && !plain
                        .any(|other| self.old.share_of(other) >= 1.0 && other.stem == word.stem)
                    && self.new.words.iter().any(|other| parts(other).contains(&word.stem))
            })
        };
        (names(self.old, &self.only_old, was) || is_in_code())
            && names(self.new, &self.only_new, now)
    }

    /// Whether the new note is about something that belongs to what the old
    /// one is about: "the sprint", "the sprint retro".
    pub(super) fn is_about_a_part(&self) -> bool {
        // What counts something may be called by what it counts.
        let counts = self.numbers().is_some();
        let head = |one: &Statement| {
            let subject = one.content().take_while(|at| !one.is_said(*at));
            subject.filter(|at| counts || !is_verb(&one.words[*at])).last()
        };
        let (Some(old), Some(new)) = (head(self.old), head(self.new)) else { return false };
        let Some(before) = new.checked_sub(1) else { return false };
        let is_thing = |word: &Word| weight(word) >= 0.9 && !word.is_number();
        self.only_new.contains(&new)
            && is_thing(&self.new.words[new])
            && !is_verb(&self.new.words[new])
            && !self.new.words[new].is(&ATTRIBUTES)
            && is_thing(&self.old.words[old])
            && self.new.words[before].stem == self.old.words[old].stem
    }

    /// Whether something beside the values differs in the same place: "the
    /// backup of the database" and "the backup of the files".
    fn has_twins(&self, was: usize, now: usize) -> bool {
        let is_thing = |one: &Statement, at: usize| {
            let is_opened = at > 0 && one.words[at - 1].is(&OPENERS);
            one.words[at].class == Class::Plain && (is_opened || !is_verb(&one.words[at]))
        };
        let near = |one: &'a Statement, at: usize| -> Option<(&'a str, &'a str)> {
            let word = |at: Option<usize>| {
                at.and_then(|at| one.words.get(at)).map_or("", |word| word.stem.as_str())
            };
            Some((word(at.checked_sub(2)), word(Some(at + 1))))
        };
        self.only_old.iter().filter(|at| **at != was && is_thing(self.old, **at)).any(|a| {
            let mut others =
                self.only_new.iter().filter(|at| **at != now && is_thing(self.new, **at));
            others.any(|b| {
                let (one, other) = (near(self.old, *a), near(self.new, *b));
                let next = |pair: Option<(&'a str, &'a str)>| pair.map_or("", |(_, next)| next);
                let of =
                    |pair: Option<(&str, &str)>| pair.is_some_and(|(before, _)| before == "of");
                (!next(one).is_empty()
                    && next(one) == next(other)
                    && (self.old.words[*a + 1].is_content() || !self.old.is_said(*a)))
                    || (of(one) && of(other))
            })
        })
    }

    /// Names, code or words that take each other's place.
    fn named_values(&self) -> Option<(usize, usize)> {
        // "Redis for caching" says nothing of what else is used.
        if self.only_new.iter().any(|at| self.new.is_purpose(*at)) || self.have_two_ends() {
            return None;
        }
        let old = self.candidates(self.old, &self.only_old);
        let new = self.candidates(self.new, &self.only_new);
        let pairs = old.iter().flat_map(|a| new.iter().map(move |b| (*a, *b)));
        let mut pairs: Vec<(usize, usize)> = pairs.filter(|(a, b)| self.compete(*a, *b)).collect();
        pairs.sort_by_key(|(a, b)| self.is_of_one_kind(*a, *b));
        pairs.pop().or_else(|| self.only_words())
    }

    /// Whether each note says what for, and that is not the same: "404 for
    /// missing users", "409 for duplicate users".
    fn have_two_purposes(&self) -> bool {
        let has = |one: &Statement, only: &[usize]| {
            only.iter().any(|at| one.is_purpose(*at) && !one.words[*at].is_number())
        };
        has(self.old, &self.only_old) && has(self.new, &self.only_new)
    }

    /// Whether Korean particles say that each note is about something else.
    fn have_two_topics(&self) -> bool {
        let is_other = |one: &Statement, only: &[usize]| {
            let topic = one.words.iter().position(|word| word.is_topic && word.is_content());
            topic.is_some_and(|at| only.contains(&at))
        };
        is_other(self.old, &self.only_old) && is_other(self.new, &self.only_new)
    }

    /// Whether the notes tell how to reach different ends: "run A to build",
    /// "run B to test".
    fn have_two_ends(&self) -> bool {
        let (old, new) = (ends(self.old), ends(self.new));
        let differ = |old: &[&Word], new: &[&Word]| {
            let is_in = |end: &&Word| new.iter().any(|other| other.stem == end.stem);
            !old.is_empty() && !new.is_empty() && !old.iter().any(is_in)
        };
        // "To program the board", "to program the chip": what is done is the same.
        let things = |ends: &[&'a Word]| -> Vec<&'a Word> {
            ends.iter().copied().filter(|word| weight(word) >= 0.9).collect()
        };
        differ(&old, &new) || differ(&things(&old), &things(&new))
    }

    /// Words that may be values: those with weight, and places of any weight
    /// where both notes say that the same is done.
    fn candidates(&self, one: &Statement, only: &[usize]) -> Vec<usize> {
        let is_place = |at: usize| {
            let is_place = one.words[at].is(&PLACES) || Self::role(one, at) == Role::Place;
            !is_verb(&one.words[at]) && one.is_said(at) && is_place
        };
        let shares_verb = match (self.old.predicate(), self.new.predicate()) {
            (Some(a), Some(b)) => {
                a.stem == b.stem || (one.is_korean && a.is(&PLACING) && b.is(&PLACING))
            }
            (Some(_) | None, _) => false,
        };
        // "Not for money" says where it holds, not what is used.
        let fits = |at: &usize| {
            (weight(&one.words[*at]) >= 0.9 || (shares_verb && is_place(*at)))
                && !one.is_purpose(*at)
        };
        only.iter().copied().filter(fits).collect()
    }

    /// The only words that differ, where both say what something is.
    fn only_words(&self) -> Option<(usize, usize)> {
        let (&[a], &[b]) = (self.only_old.as_slice(), self.only_new.as_slice()) else {
            return None;
        };
        let is_said =
            Self::role(self.old, a) == Role::Identity && Self::role(self.new, b) == Role::Identity;
        let is_thing = !is_verb(&self.old.words[a]) && !is_verb(&self.new.words[b]);
        (is_said && is_thing && !self.leaves_room(Rivals::Any)).then_some((a, b))
    }
}

/// What is behind "to" and a verb: what something is done for.
fn ends(one: &Statement) -> Vec<&Word> {
    let is_end = |pair: &[Word]| pair[0].text == "to" && is_verb(&pair[1]);
    let Some(at) = one.words.windows(2).position(is_end) else { return Vec::new() };
    one.words[at + 1..].iter().filter(|word| word.is_content()).collect()
}

/// Whether a word counts: a number, or "one".
fn is_counted(word: &Word) -> bool {
    word.is_number() || matches!(word.text.as_str(), "one" | "single")
}

fn are_comparable(a: &Word, b: &Word) -> bool {
    let is_count = |word: &Word| match word.class {
        // "One", which is no number to the reader of words.
        Class::Plain | Class::Number(Unit::Count | Unit::Version) => true,
        Class::Number(Unit::Time | Unit::Bytes | Unit::Percent | Unit::Clock)
        | Class::Code
        | Class::Mark => false,
    };
    a.class == b.class || (is_count(a) && is_count(b))
}

/// Whether a word belongs to the value beside it.
fn is_beside(one: &Statement, at: usize, value: usize) -> bool {
    let (from, to) = (at.min(value), at.max(value));
    let joins = |word: &Word| word.is_content() && !is_verb(word) && !word.is_topic;
    to - from <= 3 && one.words[from..to].iter().all(joins)
}
