//! Whether a note tells of a change. Who writes "now", "no longer" or "was
//! moved" speaks of something that was otherwise before, so if an older note
//! is about the same thing, the new one takes its place, whatever the words
//! are in which the two differ.

use std::sync::LazyLock;

use super::alignment::is_named;
use super::comparison::{CARRIERS, Comparison, heavy};
use super::grammar::{is_negation, is_verb};
use super::rivals::tells_what_it_is;
use super::statement::{Statement, weight};
use super::tables::Words;
use super::words::{Class, List, Word, list};

/// How much of what the old note is about the new one must speak of.
const LEAST_TOPIC: f64 = 0.6;

/// How much of all that it has, where nothing in it weighs much.
const LEAST_SHARE: f64 = 0.65;

/// From here on two notes are built alike.
const ALIKE: f64 = 0.42;

/// Which words a number stands in says less.
const ALIKE_WITH_NUMBERS: f64 = 0.5;

/// In Korean nearly all words carry meaning, so fewer are shared by chance.
const ALIKE_IN_KOREAN: f64 = 0.7;

/// Forms that tell of a change behind "was", "has been", "got" or "we".
const CHANGED: &str = "moved renamed migrated switched replaced changed swapped dropped removed \
    retired raised lowered bumped upgraded downgraded reduced increased decreased relicensed \
    ported converted deleted decommissioned handed transferred reassigned relocated doubled \
    tripled halved lifted enlarged extended shortened shifted postponed rewritten rewired rebuilt \
    redone deprecated discontinued cancelled canceled archived ended fixed resolved implemented \
    introduced updated scaled grown shrunk split reverted restored recreated retuned \
    repartitioned expanded tightened relaxed loosened abolished scrapped ditched abandoned \
    terminated revoked reinstated reopened repealed pulled phased taken switched enabled disabled \
    left stopped started tuned trimmed widened narrowed overhauled consolidated unified \
    merged revised rolled";

/// Forms that tell of a change by themselves if "to", "from" or the like
/// follows: "slipped to March".
const GOING: &str =
    "moved went slipped dropped rose grew fell jumped shrank switched changed migrated shifted";

/// What a change may be called: "after the rewrite".
static EVENTS: List = list![
    "migration rewrite rework move upgrade update release switch outage incident refactor cleanup"
    "merger redesign"
];

static MENDING: List = list!["fix"];

/// What a Korean sentence about a change ends in.
static TURNED: List =
    list!["change move replace migrate increase decrease rename raise lower convert"];

impl Statement {
    /// Whether it tells of a change.
    pub(super) fn is_of_change(&self) -> bool {
        let text = |at: usize| self.words.get(at).map_or("", |word| word.text.as_str());
        let denies = self.words.iter().any(is_negation);
        (0..self.words.len()).any(|at| match text(at) {
            "now" | "nowadays" | "anymore" | "gone" | "이번" => true,
            "longer" => denies,
            "any" => text(at + 1) == "more" && denies,
            "since" => self.names_a_time(at),
            "after" => self.names_an_event(at) || text(at + 1) == "all",
            "from" => text(at + 1) == "this",
            "has" | "have" => text(at + 1) == "a" && text(at + 2) == "new",
            "turned" | "turns" | "found" if text(at + 1) == "out" => true,
            _ => self.is_changed(at),
        }) || self.ends_in_change()
    }

    /// Whether a "since" leads to a time or an event and not to a reason.
    fn names_a_time(&self, at: usize) -> bool {
        let behind = &self.words[at + 1..];
        let end = behind.iter().position(|word| word.class == Class::Mark);
        let behind = &behind[..end.unwrap_or(behind.len())];
        let acts = |word: &Word| is_verb(word) || matches!(word.text.as_str(), "is" | "are");
        (1..=4).contains(&behind.len()) && !behind.iter().any(acts)
    }

    /// Whether an "after" leads to the name of a change: "after the rewrite".
    fn names_an_event(&self, at: usize) -> bool {
        let behind = &self.words[at + 1..];
        let event = behind.iter().take(4).position(|word| word.is(&EVENTS));
        let Some(event) = event else { return false };
        // "After the migration job is done" says when, each time.
        let ends = behind.get(event + 1).is_none_or(|next| !next.is_content() && !is_being(next));
        behind[0].text == "the" && ends
    }

    /// Whether a word says that something was changed.
    fn is_changed(&self, at: usize) -> bool {
        let word = &self.words[at];
        let text = word.text.as_str();
        let may_be = IS_CHANGED.contains(text) || IS_GOING.contains(text);
        if word.class != Class::Plain || !may_be {
            return false;
        }
        let before = &self.words[..at];
        let start =
            before.iter().rposition(|word| word.class == Class::Mark).map_or(0, |at| at + 1);
        let before = &before[start..];
        let waits = |word: &Word| {
            matches!(word.text.as_str(), "once" | "when" | "if" | "after" | "until" | "unless")
        };
        if before.iter().any(waits) {
            return false;
        }
        let has = |word: &&Word| matches!(word.text.as_str(), "has" | "have");
        let was =
            |word: &&Word| matches!(word.text.as_str(), "was" | "were" | "been" | "got" | "we");
        let near = || before.iter().rev().take(3).take_while(|word| !is_negation(word));
        let is_past = near().any(|word| was(&word)) || near().next().is_some_and(|word| has(&word));
        let next = self.words.get(at + 1).map_or("", |word| word.text.as_str());
        let goes = matches!(next, "to" | "from" | "over" | "up" | "down" | "into" | "outof");
        (is_past && IS_CHANGED.contains(word.text.as_str()))
            || (goes && IS_GOING.contains(word.text.as_str()))
    }

    /// Whether all it says is that something was changed: then there is no
    /// room for more of the kind.
    fn says_only_change(&self) -> bool {
        self.ends_in_change()
            || self.predicate().is_some_and(|word| IS_CHANGED.contains(word.text.as_str()))
    }

    /// Whether it says that something is mended: "is fixed".
    fn is_mended(&self) -> bool {
        let is_state = |pair: &[Word]| is_being(&pair[0]) && pair[1].is(&MENDING);
        self.words.windows(2).any(is_state)
    }

    /// Whether a Korean sentence ends in a change.
    fn ends_in_change(&self) -> bool {
        let last = self.words.iter().rev().find(|word| word.is_content());
        self.is_korean && last.is_some_and(|word| word.is(&TURNED))
    }
}

impl Comparison<'_> {
    /// Whether only the new note tells of a change.
    pub(super) fn is_news(&self) -> bool {
        let is_mended = || self.new.is_mended() && !self.old.has(&MENDING);
        (self.new.tells_of_change || is_mended()) && !self.old.tells_of_change
    }

    /// Whether the new note tells of a change of what the old one is about.
    pub(super) fn is_news_of_it(&self) -> bool {
        let share = |counts: &dyn Fn(usize) -> bool| {
            let (mut all, mut found) = (0.0, 0.0);
            for at in self.old.content().filter(|at| counts(*at)) {
                let own = weight(&self.old.words[at]);
                all += own;
                found += if self.only_old.contains(&at) { 0.0 } else { own };
            }
            if all < 0.9 { 0.0 } else { found / all }
        };
        let is_subject = |at: usize| !self.old.is_said(at) && weight(&self.old.words[at]) >= 0.9;
        let is_whole = share(&is_subject) >= LEAST_TOPIC
            || share(&|at| is_topic(&self.old.words[at])) >= LEAST_TOPIC
            || (self.speaks_of_the_head() && share(&is_subject) >= 0.5)
            || self.shares.0 >= LEAST_SHARE
            || (self.is_only() && self.old.said_share(self.new) >= 1.0);
        self.is_news()
            && is_whole
            && self.is_about_what_was_said()
            && !self.is_about_a_part()
            && !self.is_about_less()
            && (self.new.says_only_change() || self.turns_a_denial() || !self.may_be_one_of_many())
    }

    /// Whether the thing that the old note is about is in the new one: tokens,
    /// where it speaks of auth tokens.
    fn speaks_of_the_head(&self) -> bool {
        let mut subject = self.old.content().take_while(|at| !self.old.is_said(*at));
        let head = subject.by_ref().filter(|at| weight(&self.old.words[*at]) >= 0.9).last();
        head.is_some_and(|at| !self.only_old.contains(&at))
    }

    /// Whether the change can be one of what the old note says: that a parser
    /// was moved changes nothing of what it can read.
    fn is_about_what_was_said(&self) -> bool {
        let said = || self.old.content().filter(|at| self.old.is_said(*at));
        let is_shared =
            |at: usize| !self.only_old.contains(&at) && !self.old.words[at].is(&CARRIERS);
        let is_value = |at: usize| {
            let word = &self.old.words[at];
            let is_joined = || {
                matches!(self.old.lead(at), Some("with" | "by" | "in" | "via" | "from" | "using"))
            };
            self.only_old.contains(&at) && (word.is_number() || is_named(word) || is_joined())
        };
        let is_same_doing = match (self.old.predicate(), self.new.predicate()) {
            (Some(was), Some(now)) => was.stem == now.stem,
            (None, None) => self.old.is_copular() && self.new.is_copular(),
            (Some(_), None) | (None, Some(_)) => false,
        };
        is_same_doing
            || said().any(is_shared)
            || (tells_what_it_is(self.old) && said().any(is_value))
    }

    /// Whether one note denies something and the other nothing.
    fn turns_a_denial(&self) -> bool {
        let denies = |one: &Statement| one.words.iter().any(is_negation);
        denies(self.old) != denies(self.new)
    }

    /// Whether the new note says what the old one was about in one clause, with
    /// another value, and speaks of the old value in another: "Ann leads the
    /// team, Bob stepped down".
    pub(super) fn sends_off_the_old(&self) -> bool {
        let clauses: Vec<(usize, usize)> = self.new.claims().collect();
        if clauses.len() < 2 {
            return false;
        }
        let is_in = |(start, end): (usize, usize), word: &Word| {
            self.new.words[start..end].iter().any(|other| other.stem == word.stem)
        };
        let (values, topic): (Vec<usize>, Vec<usize>) = self
            .old
            .content()
            .partition(|at| self.old.is_said(*at) && is_named(&self.old.words[*at]));
        let is_heavy = |at: &usize| weight(&self.old.words[*at]) >= 0.9;
        let heavy_topic: Vec<usize> = topic.iter().copied().filter(is_heavy).collect();
        let speaks = |clause: (usize, usize), all: &[usize]| {
            all.iter().filter(|at| is_in(clause, &self.old.words[**at])).count()
        };
        let is_new = |clause: (usize, usize)| {
            let mut new =
                heavy(self.new, &self.only_new).filter(|at| is_named(&self.new.words[*at]));
            new.any(|at| (clause.0..clause.1).contains(&at))
        };
        clauses.iter().any(|about| {
            let all = speaks(*about, &topic);
            let tells = all > 0 && 2 * all >= topic.len();
            tells
                && is_new(*about)
                && speaks(*about, &values) == 0
                && clauses.iter().any(|other| {
                    other != about
                        && speaks(*other, &values) > 0
                        && speaks(*other, &heavy_topic) == 0
                })
        })
    }

    /// Whether notes that are built alike differ in two places: in what they are
    /// about or what is done, and in what is said of it.
    pub(super) fn differs_twice(&self) -> bool {
        let places = |one: &Statement, only: &[usize]| -> Vec<bool> {
            let ends = |at: &usize| {
                let is_tagged = one.words.get(at + 1).is_some_and(Word::is_number);
                let is_code = one.words[*at].class == Class::Code && !is_tagged;
                !only.contains(&(at + 1)) || is_code
            };
            let all = only.iter().filter(|at| ends(at));
            all.map(|at| one.words[*at].is(&CARRIERS)).collect()
        };
        let (old, new) = (places(self.old, &self.only_old), places(self.new, &self.only_new));
        // Which of the words that carry others is used makes no difference.
        let both = old.contains(&true) && new.contains(&true);
        let acts = |one: &Statement, only: &[usize]| only.iter().any(|at| is_verb(&one.words[*at]));
        let act = acts(self.old, &self.only_old) && acts(self.new, &self.only_new);
        let is_carried = old.contains(&true) || new.contains(&true);
        let either = self.numbers().is_some() && !act && is_carried;
        let carried = usize::from(both || either);
        let alike = match (self.new.is_korean, self.numbers()) {
            (true, _) => ALIKE_IN_KOREAN,
            (false, Some(_)) => ALIKE_WITH_NUMBERS,
            (false, None) => ALIKE,
        };
        old.len() >= 2 + carried && new.len() >= 2 + carried && self.parallel() >= alike
    }
}

/// Whether a word names what a note is about rather than what it says of it.
fn is_topic(word: &Word) -> bool {
    weight(word) >= 0.9 && !word.is_number() && !is_named(word)
}

fn is_being(word: &Word) -> bool {
    matches!(word.text.as_str(), "is" | "are" | "was" | "were" | "has" | "have")
}

/// Forms of words, as they are written.
type Forms = LazyLock<Words<&'static str>>;

static IS_CHANGED: Forms = LazyLock::new(|| CHANGED.split_whitespace().collect());

static IS_GOING: Forms = LazyLock::new(|| GOING.split_whitespace().collect());
