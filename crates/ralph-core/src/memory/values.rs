//! Values that take each other's place: numbers of one kind, names and code
//! in the same part of a sentence.

use super::comparison::{Comparison, heavy};
use super::grammar::{OPENERS, is_verb};
use super::kinds::kind;
use super::quantity::Unit;
use super::statement::{Sign, Statement, weight};
use super::words::{Class, List, Word, list};

static OWNING: List = list!["own belong approve review"];

/// Verbs whose object is one of many: both notes may be true.
static OF_MANY: List = list![
    "call import contain include support depend export cover handle touch emit require change add"
    "remove fix fail work test check log read extend see want expose provide list define forbid"
    "mention reload mean block terminate show cause allow drop split register"
];

/// Verbs that say where something is or goes, or by what it is done.
static PLACING: List = list![
    "store locate write go put send keep run host deploy push publish upload load live build pass"
    "move listen report ship make hold create do serve use finish belong come start trigger read log"
    "print record design write export"
];

/// Verbs whose object is the one there is.
static OF_ONE: List = list![
    "use return throw prefer expect target default equal set follow take name pin inherit become run"
];

/// Verbs that say what something became.
static TURNING: List = list!["rename become change replace license"];

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

static PUTTING: List = list!["store locate deploy send write upload"];

/// Where something may be put, whatever the grammar says.
static PLACES: List = list!["file directory repository table database memory screen"];

/// What part a word plays in a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Subject,
    Identity,
    Means,
    Place,
    Time,
    Object,
}

/// What is known of two values that may take each other's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rivals {
    /// A project has one of them, as a rule.
    OfOneKind,
    Any,
}

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
        if self.are_of_two_names(was, now) || self.are_of_two_doings(was, now) {
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
        names(self.old, &self.only_old, was) && names(self.new, &self.only_new, now)
    }

    /// Whether the new note is about something that belongs to what the old
    /// one is about: "the sprint", "the sprint retro".
    fn is_about_a_part(&self) -> bool {
        let head = |one: &Statement| one.content().take_while(|at| !one.is_said(*at)).last();
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
        let fits = |at: &usize| weight(&one.words[*at]) >= 0.9 || (shares_verb && is_place(*at));
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

    pub(super) fn is_of_one_kind(&self, old: usize, new: usize) -> bool {
        let kinds = (kind(&self.old.words[old].stem), kind(&self.new.words[new].stem));
        kinds.0.is_some() && kinds.0 == kinds.1
    }

    /// Whether there is room for only one of two words.
    fn compete(&self, old: usize, new: usize) -> bool {
        let (a, b) = (&self.old.words[old], &self.new.words[new]);
        let said = (self.old.is_said(old), self.new.is_said(new));
        let owned = self.old.has(&OWNING) && self.new.has(&OWNING);
        let signs = (self.old_signs[old], self.new_signs[new]);
        if signs.0 == Sign::Open
            || signs.0 != signs.1
            || a.is_number()
            || b.is_number()
            || a.is_verb
            || b.is_verb
            || !(said.0 || said.1 || owned)
        {
            return false;
        }
        let rivals = if self.is_of_one_kind(old, new) { Rivals::OfOneKind } else { Rivals::Any };
        let is_source = self.old.lead(old) == Some("from") && self.new.lead(new) == Some("from");
        let are_owners = owned && !said.0 && !said.1;
        if self.leaves_room(rivals) && !is_source && !are_owners {
            return false;
        }
        // "Mei owns the parser" leaves room for what else she owns.
        let owns = |one: &Statement, at: usize| {
            one.predicate().is_some_and(|word| word.is(&OWNING))
                && one.is_said(at)
                && !matches!(one.lead(at), Some("by" | "to" | "with"))
        };
        if owned && owns(self.old, old) && owns(self.new, new) {
            return false;
        }
        if owned || self.is_of_one_kind(old, new) {
            return true;
        }
        let counted =
            |one: &Statement, at: usize| one.words.get(at + 1).is_some_and(Word::is_number);
        if counted(self.old, old) != counted(self.new, new) {
            return false;
        }
        let plain = |word: &Word| word.class == Class::Plain && !word.is_name;
        if (kind(&a.stem).is_some() && plain(b) && kind(&b.stem).is_none())
            && said.0
            && said.1
            && !self.is_single()
        {
            return false;
        }
        if self.are_form_and_place(a, b) {
            return false;
        }
        let is_hard = |word: &Word| word.class == Class::Code || word.is_name;
        let roles = (Self::role(self.old, old), Self::role(self.new, new));
        match roles {
            (Role::Object, Role::Object) => self.takes_one() && !self.uses_two_things(old, new),
            (Role::Identity, Role::Identity) if self.new.is_korean => {
                let is_whole = self.old.predicate().is_some() == self.new.predicate().is_some();
                is_whole
                    && self.has_one_predicate()
                    && (is_hard(a) || is_hard(b) || self.is_single())
            }
            (Role::Identity, Role::Identity) => is_hard(a) || is_hard(b) || self.is_single(),
            (Role::Identity, _) | (_, Role::Identity) => {
                (self.is_single() && self.tell_what_it_is())
                    || (is_hard(a) && is_hard(b) && self.says_one_thing())
            }
            (Role::Subject, Role::Subject) => self.is_only() && self.is_single(),
            (Role::Subject, Role::Means) | (Role::Means, Role::Subject) => self.shares_verb(),
            (Role::Place, Role::Means) | (Role::Means, Role::Place) => {
                is_hard(a) && is_hard(b) && self.shares_verb_or_uses()
            }
            (one, other) => {
                (one == other && self.has_one_predicate())
                    || (is_hard(a)
                        && is_hard(b)
                        && said.0
                        && said.1
                        && self.shares_a_thing()
                        && (self.says_one_thing() || a.class == b.class && a.class == Class::Code))
            }
        }
    }

    /// Whether one says in which form something is and the other where, or
    /// what is done with it: "written in Markdown", "published to the site".
    fn are_form_and_place(&self, a: &Word, b: &Word) -> bool {
        const FORMS: [&str; 7] =
            ["data format", "language", "encoding", "compression", "hash", "licence", "case"];
        let is_form = |word: &Word| kind(&word.stem).is_some_and(|name| FORMS.contains(&name));
        let (was, now) = (self.old.predicate(), self.new.predicate());
        let is_place = |word: &Word| {
            (word.class == Class::Code || kind(&word.stem).is_some()) && !is_form(word)
        };
        let are_both = (is_form(a) && is_place(b)) || (is_form(b) && is_place(a));
        are_both && was.map(|word| &word.stem) != now.map(|word| &word.stem)
    }

    /// Whether two Korean notes say where the same is put.
    pub(super) fn are_put_somewhere(&self) -> bool {
        let puts = |one: &Statement| one.predicate().is_some_and(|word| word.is(&PUTTING));
        self.new.is_korean && puts(self.old) && puts(self.new)
    }

    /// Whether what the new note says may be one of many.
    pub(super) fn may_be_one_of_many(&self) -> bool {
        self.leaves_room(Rivals::Any)
    }

    /// Whether what they say leaves room for more of the kind.
    fn leaves_room(&self, rival: Rivals) -> bool {
        let is_many = |one: &Statement| {
            one.has_one_of_many()
                || one.predicate().is_some_and(|word| word.is(&OF_MANY) && !word.is(&PLACING))
        };
        let both = is_many(self.old) && is_many(self.new);
        match rival {
            Rivals::OfOneKind => both,
            Rivals::Any => is_many(self.new),
        }
    }

    /// Whether each note names but one thing that the other does not.
    fn is_single(&self) -> bool {
        let phrases = |one: &Statement, only: &[usize]| {
            let all: Vec<usize> = heavy(one, only).collect();
            all.iter()
                .filter(|at| !at.checked_sub(1).is_some_and(|before| all.contains(&before)))
                .count()
        };
        phrases(self.old, &self.only_old) == 1 && phrases(self.new, &self.only_new) == 1
    }

    /// Whether both say what something is, or where, or by what it is done.
    fn tell_what_it_is(&self) -> bool {
        tells_what_it_is(self.old) && tells_what_it_is(self.new)
    }

    /// Whether the new note says but one thing that the old one does not.
    fn says_one_thing(&self) -> bool {
        let is_said = |at: &usize| self.new.is_said(*at) && self.is_in_first_claim(*at);
        heavy(self.new, &self.only_new).filter(is_said).count() <= 1
    }

    /// Whether a word with weight, and not only a part of code, is in both.
    fn shares_a_thing(&self) -> bool {
        self.old.content().any(|at| {
            let word = &self.old.words[at];
            let same = |other: &Word| other.stem == word.stem;
            weight(word) >= 0.9 && self.new.words.iter().any(same)
        })
    }

    fn takes_one(&self) -> bool {
        let takes = |one: &Statement| one.predicate().is_some_and(|word| word.is(&OF_ONE));
        takes(self.old) && takes(self.new)
    }

    /// Whether both say what is used, in plain words and for nothing that they
    /// share: "uses dependency injection", "uses structured logging".
    fn uses_two_things(&self, old: usize, new: usize) -> bool {
        let uses = |one: &Statement| one.predicate().is_some_and(|word| word.stem == "use");
        let is_long = |one: &Statement, only: &[usize]| {
            only.iter().filter(|at| one.is_said(**at)).count() >= 2
        };
        let is_plain =
            |word: &Word| word.class == Class::Plain && !word.is_name && kind(&word.stem).is_none();
        uses(self.old)
            && uses(self.new)
            && is_plain(&self.old.words[old])
            && is_plain(&self.new.words[new])
            && is_long(self.old, &self.only_old)
            && is_long(self.new, &self.only_new)
    }

    pub(super) fn has_one_predicate(&self) -> bool {
        match (self.old.predicate(), self.new.predicate()) {
            (Some(a), Some(b)) => {
                a.stem == b.stem || (a.is(&PLACING) && b.is(&PLACING)) || b.is(&TURNING)
            }
            (Some(_) | None, _) => true,
        }
    }

    /// Whether both notes say that the same is done.
    fn shares_verb(&self) -> bool {
        let shared = |word: &Word| is_verb(word) && self.new.share_of(word) >= 1.0;
        self.old.words.iter().any(shared)
            || self.new.words.iter().any(|word| is_verb(word) && self.old.share_of(word) >= 1.0)
    }

    /// Whether both say that the same is done, or what is used for it.
    fn shares_verb_or_uses(&self) -> bool {
        let uses = |one: &Statement| one.predicate().is_some_and(|word| word.stem == "use");
        self.shares_verb() || uses(self.old) || uses(self.new)
    }

    /// What part a word plays.
    fn role(one: &Statement, at: usize) -> Role {
        if !one.is_said(at) {
            return Role::Subject;
        }
        if one.words[at].stem.ends_with("시간") {
            return Role::Time;
        }
        // Korean says so by endings, which are cut.
        if one.words.iter().any(|word| word.is_topic) {
            return Role::Identity;
        }
        // "Use it for tickets" says by what that is done.
        let is_for = one.words[at..].iter().skip(1).take(2).any(|word| word.text == "for");
        let uses = one.predicate().is_some_and(|word| word.stem == "use");
        if is_for && uses {
            return Role::Means;
        }
        if kind(&one.words[at].stem) == Some("weekday") {
            return Role::Time;
        }
        match one.lead(at).unwrap_or_default() {
            "is" | "are" | "was" | "be" | ":" | "=" | "as" | "called" | "named" => Role::Identity,
            "with" | "by" | "using" | "via" | "through" | "against" => Role::Means,
            "in" | "on" | "at" | "under" | "to" | "into" | "onto" | "from" | "inside" => {
                Role::Place
            }
            _ => Role::Object,
        }
    }
}

/// Whether a note says what something is, or where, or by what it is done.
pub(super) fn tells_what_it_is(one: &Statement) -> bool {
    match one.predicate() {
        Some(word) => word.is(&OF_ONE) || word.is(&PLACING) || word.is(&TURNING),
        None => one.is_copular() && !(one.is_korean && one.words.last().is_some_and(is_verb)),
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
