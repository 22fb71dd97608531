//! Whether a note tells of a change. Who writes "now", "no longer" or "was
//! moved" speaks of something that was otherwise before, so if an older note
//! is about the same thing, the new one takes its place, whatever the words
//! are in which the two differ.

use super::comparison::{CARRIERS, Comparison};
use super::grammar::{is_negation, is_verb};
use super::kinds::kind;
use super::statement::{Statement, weight};
use super::words::{Class, List, Word, list};

/// How much of what the old note is about the new one must speak of.
const LEAST_TOPIC: f64 = 0.6;

/// From here on two notes are built alike.
const ALIKE: f64 = 0.5;

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

static TURNED: List =
    list!["change move replace migrate increase decrease rename raise lower convert"];

impl Statement {
    /// Whether it tells of a change.
    pub(super) fn tells_of_change(&self) -> bool {
        let text = |at: usize| self.words.get(at).map_or("", |word| word.text.as_str());
        let denies = self.words.iter().any(is_negation);
        (0..self.words.len()).any(|at| match text(at) {
            "now" | "nowadays" | "anymore" => true,
            "longer" => denies,
            "any" => text(at + 1) == "more" && denies,
            "since" => self.names_a_time(at),
            "after" => self.names_an_event(at) || text(at + 1) == "all",
            "from" => text(at + 1) == "this",
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
        if word.class != Class::Plain {
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
        (is_past && is_one_of(CHANGED, word)) || (goes && is_one_of(GOING, word))
    }

    /// Whether all it says is that something was changed: then there is no
    /// room for more of the kind.
    fn says_only_change(&self) -> bool {
        self.ends_in_change() || self.predicate().is_some_and(|word| is_one_of(CHANGED, word))
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
        self.new.tells_of_change() && !self.old.tells_of_change()
    }

    /// Whether the new note tells of a change of what the old one is about.
    pub(super) fn is_news_of_it(&self) -> bool {
        let (mut all, mut found) = (0.0, 0.0);
        for at in self.old.content().filter(|at| is_topic(&self.old.words[*at])) {
            all += weight(&self.old.words[at]);
            found += if self.only_old.contains(&at) { 0.0 } else { weight(&self.old.words[at]) };
        }
        let is_whole = all > 0.0 && found / all >= LEAST_TOPIC;
        self.is_news()
            && is_whole
            && !self.is_about_a_part()
            && !self.is_about_less()
            && (self.new.says_only_change() || !self.may_be_one_of_many())
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
        let carried = usize::from(old.contains(&true) && new.contains(&true));
        let alike = if self.new.is_korean { 0.7 } else { ALIKE };
        old.len() >= 2 + carried && new.len() >= 2 + carried && self.parallel() >= alike
    }
}

/// Whether a word names what a note is about rather than what it says of it.
fn is_topic(word: &Word) -> bool {
    let is_value = word.is_number() || word.class == Class::Code || word.is_name;
    weight(word) >= 0.9 && !is_value && kind(&word.stem).is_none()
}

fn is_being(word: &Word) -> bool {
    matches!(word.text.as_str(), "is" | "are" | "was" | "were" | "has" | "have")
}

fn is_one_of(list: &str, word: &Word) -> bool {
    list.split(' ').any(|one| one == word.text)
}
