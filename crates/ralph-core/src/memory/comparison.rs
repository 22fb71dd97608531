//! Two notes side by side: what they share, and what only one of them has.

use super::code::parts;
use super::grammar::{NOUNS, is_verb};
use super::kinds::kind;
use super::quantity::Unit;
use super::signs::Sign;
use super::statement::{Statement, ratio, weight};
use super::synonyms::{are_opposite, are_siblings, tells_apart};
use super::words::{Class, List, Word, list};

/// How much of both notes must be shared for them to say the same.
const SAME: f64 = 0.60;

/// How much of each.
const SAME_EACH: f64 = 0.45;

/// How much of what each note says of its subject must be in the other.
const LEAST_SAID: f64 = 0.2;

/// Notes built alike to this part differ in what they name, not in wording.
const PARALLEL: f64 = 0.66;

/// Two notes and the words that only one of them has.
#[derive(Debug)]
pub(super) struct Comparison<'a> {
    pub(super) old: &'a Statement,
    pub(super) new: &'a Statement,
    /// Positions of words of the old note that the new one lacks.
    pub(super) only_old: Vec<usize>,
    /// Positions of words of the new note that the old one lacks.
    pub(super) only_new: Vec<usize>,
    pub(super) old_signs: Vec<Sign>,
    pub(super) new_signs: Vec<Sign>,
    /// How much of each note the other has, weighted by what the words say.
    pub(super) shares: (f64, f64),
}

/// What says that a note adds to what is known.
static ADDING: List = list!["also too additionally moreover furthermore besides"];

/// What leads to a part of a whole.
static NARROWING: List = list!["that which who by with without over under than from on"];

impl<'a> Comparison<'a> {
    pub(super) fn of(old: &'a Statement, new: &'a Statement) -> Self {
        let only = |one: &Statement, other: &Statement| -> Vec<usize> {
            one.content().filter(|at| other.share_of(&one.words[*at]) < 1.0).collect()
        };
        Self {
            only_old: only(old, new),
            only_new: only(new, old),
            old_signs: old.signs(new),
            new_signs: new.signs(old),
            shares: (old.share_in(new), new.share_in(old)),
            old,
            new,
        }
    }

    /// Whether they share enough to be compared at all.
    pub(super) fn is_about_one_thing(&self) -> bool {
        let share = |one: &Statement, only: &[usize]| {
            let (mut shared, mut all) = (0.0, 0.0);
            for at in one.content().filter(|at| !one.words[*at].is_number()) {
                let own = weight(&one.words[at]);
                let is_free = is_value(&one.words[at]) || one.is_said(at);
                all += if is_free && only.contains(&at) { 0.0 } else { own };
                shared += if only.contains(&at) { 0.0 } else { own };
            }
            (shared, all)
        };
        let (old, new) = (share(self.old, &self.only_old), share(self.new, &self.only_new));
        old.0 >= 0.9 || old.0 / old.1 >= 0.5 || new.0 / new.1 >= 0.5
    }

    /// How far the notes are built the same way: the longest row of words that
    /// both have in the same order.
    pub(super) fn parallel(&self) -> f64 {
        let row = |one: &'a Statement| -> Vec<&'a str> {
            one.words
                .iter()
                .filter(|word| word.class != Class::Mark)
                .map(|word| word.stem.as_str())
                .collect()
        };
        let (old, new) = (row(self.old), row(self.new));
        let mut lengths = vec![0_usize; new.len() + 1];
        for a in &old {
            let mut corner = 0;
            for (at, b) in new.iter().enumerate() {
                let above = lengths[at + 1];
                lengths[at + 1] = if a == b { corner + 1 } else { above.max(lengths[at]) };
                corner = above;
            }
        }
        ratio(lengths[new.len()], old.len().max(new.len()))
    }

    /// Whether the new note speaks of what the old one told, and says something
    /// else of it.
    fn says_more(&self) -> bool {
        let is_new = |at: usize| self.new.is_said(at) || self.new.is_purpose(at);
        self.shares.0 >= 0.75
            && self.new.said_share(self.old) < 0.34
            && heavy(self.new, &self.only_new).any(is_new)
    }

    /// Whether what one note has beyond the other is only wording.
    pub(super) fn says_the_same(&self) -> bool {
        let (old, new) = self.shares;
        let adds = (old > 0.97 && new < 0.6) || self.says_more();
        let swaps = has_more_than_carriers(self.old, &self.only_old)
            && has_more_than_carriers(self.new, &self.only_new);
        let parallel = self.parallel();
        let is_other = (swaps && parallel >= PARALLEL && !self.lasts_as_long())
            || (self.has_both_heavy() && parallel >= 0.5);
        let is_alike = f64::midpoint(old, new) >= SAME && old.min(new) >= SAME_EACH;
        let said = self.old.said_share(self.new).min(self.new.said_share(self.old));
        let is_said = self.new.is_korean || (said >= LEAST_SAID && !self.says_other_things());
        self.has_same_values()
            && is_alike
            && !adds
            && !is_other
            && is_said
            && !self.say_nothing_alike()
            && !self.is_news()
            && !self.tells_when_instead()
            && !self.does_other_things()
            && !self.tells_two_things()
    }

    /// Whether the new note says when, and no longer how or where.
    fn tells_when_instead(&self) -> bool {
        let lacks = |at: usize| self.old.is_said(at);
        self.open_conditions() >= 0.5
            && self.old.condition_positions().next().is_none()
            && heavy(self.old, &self.only_old).any(lacks)
    }

    /// Whether all that each note says is what is done, and that differs.
    fn does_other_things(&self) -> bool {
        let acts = |one: &Statement, only: &[usize]| {
            let mut verbs = one.content().filter(|at| is_verb(&one.words[*at])).peekable();
            verbs.peek().is_some()
                && verbs
                    .all(|at| only.contains(&at) || !one.is_said(at) && one.words[at].tenths > 9)
        };
        let is_shared =
            |at: &usize| !self.only_new.contains(at) && weight(&self.new.words[*at]) >= 0.9;
        !self.new.is_korean
            && self.old.condition_positions().next().is_none()
            && acts(self.old, &self.only_old)
            && acts(self.new, &self.only_new)
            && self.new.content().filter(is_shared).count() < 2
            && has_more_than_carriers(self.old, &self.only_old)
            && has_more_than_carriers(self.new, &self.only_new)
    }

    /// Whether both say of the same for how long or how much: "valid for two
    /// days", "works for 48 hours".
    fn lasts_as_long(&self) -> bool {
        let is_amount = |word: &Word| match word.class {
            Class::Number(Unit::Time | Unit::Bytes | Unit::Percent | Unit::Clock) => true,
            Class::Number(Unit::Count | Unit::Version)
            | Class::Plain
            | Class::Code
            | Class::Mark => false,
        };
        let is_shared = |at: usize| is_amount(&self.new.words[at]) && !self.only_new.contains(&at);
        let is_one = self.only_old.len() <= 1 && self.only_new.len() <= 1;
        let is_said = |one: &Statement, only: &[usize]| {
            only.iter().all(|at| one.is_said(*at) || is_verb(&one.words[*at]))
        };
        is_one
            && self.new.content().any(is_shared)
            && is_said(self.old, &self.only_old)
            && is_said(self.new, &self.only_new)
    }

    /// Whether each note says two things that the other does not, and they have
    /// little in common but what they are about.
    fn tells_two_things(&self) -> bool {
        let told = |one: &Statement, only: &[usize]| {
            only.iter().filter(|at| !one.words[**at].is(&CARRIERS)).count()
        };
        let is_shared =
            |at: &usize| !self.only_new.contains(at) && weight(&self.new.words[*at]) >= 0.9;
        told(self.old, &self.only_old) >= 2
            && told(self.new, &self.only_new) >= 2
            && self.new.content().filter(is_shared).count() < 2
    }

    /// Whether nothing of what one note says of its subject is in the other:
    /// "is sharded", "has a trigger".
    fn say_nothing_alike(&self) -> bool {
        let is_apart = |one: &Statement, only: &[usize]| {
            let said: Vec<usize> = one.content().filter(|at| one.is_said(*at)).collect();
            !said.is_empty()
                && said.iter().all(|at| only.contains(at))
                && has_more_than_carriers(one, &said)
        };
        is_apart(self.old, &self.only_old) && is_apart(self.new, &self.only_new)
    }

    /// Whether what each note adds weighs as much as what they share: "uses
    /// exponential backoff", "adds jitter to its backoff".
    fn says_other_things(&self) -> bool {
        let added = |one: &Statement, only: &[usize]| {
            heavy(one, only).filter(|at| one.is_said(*at) && !is_verb(&one.words[*at])).count()
        };
        let added = added(self.old, &self.only_old).min(added(self.new, &self.only_new));
        let is_shared =
            |at: &usize| weight(&self.old.words[*at]) >= 0.9 && !self.only_old.contains(at);
        added > 0 && self.old.content().filter(is_shared).count() <= 2 * added
    }

    fn has_both_heavy(&self) -> bool {
        let old = heavy(self.old, &self.only_old).next();
        old.is_some() && heavy(self.new, &self.only_new).next().is_some()
    }

    /// Whether each note has a word that tells its thing from the other's.
    pub(super) fn is_about_siblings(&self) -> bool {
        let has_numbers = self.numbers().is_some();
        self.only_old.iter().any(|old| {
            self.only_new.iter().any(|new| {
                let (a, b) = (&self.old.words[*old], &self.new.words[*new]);
                let said = self.old.is_said(*old) && self.new.is_said(*new);
                let tell_apart = || !said || (has_numbers && !self.is_tagged(*old, *new));
                (are_siblings(&a.stem, &b.stem) && tell_apart()) || self.qualify(*old, *new)
            })
        })
    }

    /// Whether the differing numbers are versions of two things: `debian:12`,
    /// `alpine:3.19`.
    fn is_tagged(&self, old: usize, new: usize) -> bool {
        let is_code = |one: &Statement, at: usize| one.words[at].class == Class::Code;
        is_code(self.old, old)
            && is_code(self.new, new)
            && self.numbers().is_some_and(|(was, now)| was == old + 1 && now == new + 1)
    }

    /// Whether what the notes are about are two things of one kind: staging
    /// and production.
    pub(super) fn has_sibling_subjects(&self) -> bool {
        let goes_on = |a: &Word, b: &Word| {
            let rest = a.text.strip_prefix(b.text.as_str());
            a.class == Class::Code
                && b.class == Class::Code
                && rest.is_some_and(|rest| rest.starts_with(' '))
        };
        if self.subject_pairs().any(|(a, b)| goes_on(a, b) || goes_on(b, a)) {
            return true;
        }
        self.only_old.iter().filter(|at| !self.old.is_said(**at)).any(|old| {
            let stem = &self.old.words[*old].stem;
            let mut others = self.only_new.iter().filter(|at| !self.new.is_said(**at));
            others.any(|new| are_siblings(stem, &self.new.words[*new].stem))
        })
    }

    /// Words of both notes that stand where these say what they are about.
    fn subject_pairs(&self) -> impl Iterator<Item = (&'a Word, &'a Word)> {
        let subject = |one: &'a Statement| one.content().filter(|at| !one.is_said(*at));
        let (old, new) = (self.old, self.new);
        subject(old).flat_map(move |a| subject(new).map(move |b| (&old.words[a], &new.words[b])))
    }

    /// Whether only one note says of which of several things it speaks: "admin
    /// sessions" are not all sessions.
    pub(super) fn is_about_one_of_several(&self) -> bool {
        let picks = |one: &Statement, only: &[usize]| {
            only.iter().any(|at| {
                let next = one.words.get(at + 1);
                let is_before = next.is_some_and(|word| {
                    word.is_content() && !is_verb(word) && !only.contains(&(at + 1))
                });
                is_before
                    && !is_verb(&one.words[*at])
                    && !one.is_said(*at)
                    && tells_apart(&one.words[*at].stem)
            })
        };
        picks(self.old, &self.only_old) != picks(self.new, &self.only_new)
    }

    /// Whether two words tell apart what both notes name next: "web client",
    /// "mobile client".
    fn qualify(&self, old: usize, new: usize) -> bool {
        let (a, b) = (&self.old.words[old], &self.new.words[new]);
        // "By a Perl script", "a Python script now": that is what has changed.
        if self.is_news() && (self.old.is_said(old) || self.new.is_said(new)) {
            return false;
        }
        let (Some(next), Some(other)) = (self.old.words.get(old + 1), self.new.words.get(new + 1))
        else {
            return false;
        };
        // "A Rails app", "a Next.js app": that is what they say of one thing.
        let says_what = self.old.predicate().is_none() && self.old.is_copular();
        if says_what && self.old.is_said(old) && self.new.is_said(new) {
            return false;
        }
        // "It goes to the raw bucket": that is where, and there is one place.
        let is_place = || {
            let are_said = self.old.is_said(old) && self.new.is_said(new);
            are_said && (self.reframed().is_some() || self.are_put_somewhere())
        };
        let is_name = |word: &Word| {
            let is_done = word.text.ends_with("ed") && !word.is_verb;
            (weight(word) >= 0.9 || is_done || word.is(&NOUNS)) && !word.is_number()
        };
        let siblings = are_siblings(&a.stem, &b.stem) || (is_name(a) && is_name(b));
        siblings
            && next.is_content()
            && !is_verb(next)
            && next.stem == other.stem
            && !self.is_of_one_kind(old, new)
            && !are_opposite(&a.stem, &b.stem)
            && !is_place()
    }

    pub(super) fn is_in_first_claim(&self, at: usize) -> bool {
        self.new.claims().next().is_none_or(|(_, end)| at < end)
    }

    /// Whether the new note says that it adds to the old one.
    pub(super) fn is_added(&self) -> bool {
        // "Too slow" adds nothing.
        let adds = |one: &Statement| {
            (0..one.words.len()).any(|at| {
                let ends = one.words.get(at + 1).is_none_or(|next| next.class == Class::Mark);
                one.words[at].is(&ADDING) && (ends || one.words[at].text != "too")
            })
        };
        adds(self.new) && !adds(self.old)
    }

    /// Whether there was one thing only, and the new note adds another: "only
    /// portrait mode", "landscape mode too".
    pub(super) fn is_opened_up(&self) -> bool {
        let has_only = |one: &Statement| one.words.iter().any(|word| word.text == "only");
        let same_verb = match (self.old.predicate(), self.new.predicate()) {
            (Some(a), Some(b)) => a.stem == b.stem,
            (Some(_) | None, _) => false,
        };
        has_only(self.old) && !has_only(self.new) && self.is_added() && same_verb
    }

    /// Whether no value stands in one note only, nor a condition in the new one.
    pub(super) fn has_same_values(&self) -> bool {
        let is_hard = |at: &usize| {
            let word = &self.new.words[*at];
            word.is_number() || word.class == Class::Code || self.has_rival(word)
        };
        let open: f64 = self.open_conditions();
        let least = if self.shares.0 > 0.97 { 0.5 } else { 0.9 };
        let narrows = self.shares.0 > 0.8 && open >= least;
        !self.only_new.iter().any(is_hard) && !narrows
    }

    /// Whether the old note names another thing of the same kind.
    fn has_rival(&self, word: &Word) -> bool {
        let own = kind(&word.stem);
        own.is_some() && self.old.words.iter().any(|other| kind(&other.stem) == own)
    }

    /// How much of the conditions of the new note is not in the old one: "a
    /// Redis server" is Redis.
    fn open_conditions(&self) -> f64 {
        let is_known = |at: usize| {
            self.new
                .words
                .get(at)
                .is_some_and(|word| is_value(word) && !self.only_new.contains(&at))
        };
        let open = self.new.condition_positions().filter(|at| self.only_new.contains(at));
        let open = open.filter(|at| !at.checked_sub(1).is_some_and(is_known));
        open.map(|at| weight(&self.new.words[at])).sum()
    }

    /// Whether the new note is about only some of what the old one is about:
    /// "reports" and "reports older than a year".
    pub(super) fn is_about_less(&self) -> bool {
        // "Older than 1 day" and "older than 2 days" have the same bound.
        let bound = self.numbers().map(|(_, now)| now);
        let lacks = |at: usize| {
            weight(&self.new.words[at]) >= 0.9 && self.only_new.contains(&at) && bound != Some(at)
        };
        let mut subject =
            self.new.content().filter(|at| !self.new.is_said(*at) && self.is_in_first_claim(*at));
        let Some(head) = subject.find(|at| !self.only_new.contains(at)) else { return false };
        let narrows = |at: usize| {
            let between = &self.new.words[head..at];
            between.iter().any(|word| word.is(&NARROWING)) && !self.new.is_purpose(at)
        };
        subject.any(|at| lacks(at) && narrows(at))
    }
}

/// Words that only carry others: which of them is used says nothing.
pub(super) static CARRIERS: List = list![
    "use store locate write run set go put keep make do file value name handle manage have process"
    "happen receive appear occur treat"
];

fn has_more_than_carriers(one: &Statement, only: &[usize]) -> bool {
    // A writer is somebody, to write is nothing much.
    let is_agent = |word: &Word| word.text.ends_with("er") || word.text.ends_with("or");
    only.iter().map(|at| &one.words[*at]).any(|word| !word.is(&CARRIERS) || is_agent(word))
}

/// Words with weight that only one note has.
pub(super) fn heavy<'b>(
    one: &'b Statement,
    only: &'b [usize],
) -> impl Iterator<Item = usize> + use<'b> {
    only.iter().copied().filter(|at| weight(&one.words[*at]) >= 0.9)
}

fn is_value(word: &Word) -> bool {
    word.is_number() || word.class == Class::Code || kind(&word.stem).is_some()
}

/// Whether one word stands for the other, or is part of it.
pub(super) fn names(old: &Word, new: &Word) -> bool {
    let (was, now) = (parts(old), parts(new));
    let is_part = |one: &[String], other: &[String]| {
        !one.is_empty() && one.iter().all(|part| other.contains(part))
    };
    old.stem == new.stem
        || was.contains(&new.stem)
        || now.contains(&old.stem)
        || is_part(&now, &was)
}
