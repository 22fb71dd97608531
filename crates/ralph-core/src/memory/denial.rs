//! Whether one note takes back what another says: denies it, gives it up, or
//! turns it round.

use super::comparison::{Comparison, heavy, names};
use super::grammar::{OPENERS, VERBS, is_light, is_negation, is_verb};
use super::quantity::Unit;
use super::signs::Sign;
use super::statement::{Statement, weight};
use super::synonyms::{are_opposite, are_siblings, family};
use super::words::{Class, List, Word, list};

static BEFORE: List = list!["before"];

static AFTER: List = list!["after"];

/// What says that something is not there any more.
static GONE: List = list![
    "remove retired abandoned empty gone longer formerly replace closed left cancelled uninstalled"
    "disabled readonly frozen"
];

/// How much of the shorter note must be denied.
const LEAST_CLASH: f64 = 0.45;

/// What lies beyond a limit.
static BEYOND: List = list!["over above beyond exceed exceeding larger bigger past"];

static ABOVE: List = list!["above"];

static LIMIT: List = list!["maximum limited"];

/// What says that something is not there.
static ABSENT: List = list!["missing absent lacking unset undefined"];

static REVERSED: List = list!["reversed inverted flipped swapped"];

/// Verbs that say nothing of what they are about.
static GENERIC: List =
    list!["run use call do make start finish happen put set insert go step must"];

impl<'a> Comparison<'a> {
    /// Whether the new note says that what the old one told of is gone.
    pub(super) fn is_given_up(&self) -> bool {
        let claims = self.new.claims().filter(|(start, end)| self.is_gone_clause(*start, *end));
        let several = self.new.claims().count() > 1;
        let has = |word: &Word| {
            let mut old = self.old.words.iter().zip(&self.old_signs);
            weight(word) >= 0.9 && old.any(|(old, sign)| *sign == Sign::Holds && is_in(old, word))
        };
        // "Images are deleted after 30 days" ends nothing.
        let has_number = self.only_new.iter().any(|at| self.new.words[*at].is_number());
        let is_bare = !self.new.is_korean || !has_number;
        let ended = !several && self.is_ended() && is_bare && self.shares.0 >= 0.5;
        ended
            || (several && claims.count() > 0)
            || self.new.set_aside().any(has) && self.old.set_aside().count() == 0
    }

    /// Whether all the new note says is that something was taken away.
    fn is_ended(&self) -> bool {
        let words = &self.new.words;
        let gone = words.iter().position(|word| word.is(&GONE));
        let is_past = |word: &Word| matches!(word.text.as_str(), "was" | "were" | "been" | "got");
        gone.is_some_and(|at| self.new.is_korean || words[..at].iter().any(is_past))
            && !self.old.has(&GONE)
    }

    fn is_gone_clause(&self, start: usize, end: usize) -> bool {
        let words = &self.new.words[start..end];
        // "It works without a network" takes nothing away.
        let denies = |word: &Word| {
            (is_negation(word) && word.text != "without") || word.is(&GONE) || is_refusal(word)
        };
        let keeps = |word: &Word| matches!(word.text.as_str(), "only" | "alone");
        let was_gone = self.old.has(&GONE)
            || self.old.has(&ABSENT)
            || self.old.words.iter().any(|word| is_negation(word) || keeps(word));
        // "Never without a migration" asks for one.
        let is_twice = words.iter().filter(|word| is_negation(word)).count() == 2
            && words.iter().any(|word| word.text == "without");
        if was_gone || is_twice || self.is_failure() || self.new.waits(end, self.old) {
            return false;
        }
        if let Some(taken) = taken_out(words) {
            return self.is_mostly_held(taken, 0.5);
        }
        if !words.iter().any(denies) && !is_shelved(words) && !self.is_taken_down(words) {
            return false;
        }
        // "X was removed from Y" is about X.
        let turn = words
            .iter()
            .position(|word| matches!(word.text.as_str(), "was" | "were" | "is" | "are"));
        let subject = &words[..turn.unwrap_or(words.len())];
        // "Don't write raw SQL" forbids raw SQL, not SQL.
        let forbids = words.iter().find(|word| word.class != Class::Mark);
        let forbids = forbids.is_some_and(|word| matches!(word.text.as_str(), "do" | "never"));
        let least = if forbids { 0.6 } else { 0.5 };
        self.is_mostly_held(subject, least) || self.is_mostly_held(words, least)
    }

    /// Whether a Korean clause says that something was taken down; of an amount
    /// that says that it is less.
    fn is_taken_down(&self, words: &[Word]) -> bool {
        static LESS: List = list!["decrease"];
        self.new.is_korean
            && words.iter().any(|word| word.is(&LESS))
            && !self.new.words.iter().any(Word::is_number)
    }

    /// Whether the old note says something of most of these words.
    fn is_mostly_held(&self, words: &[Word], least: f64) -> bool {
        let (mut shared, mut all) = (0.0, 0.0);
        let counts = |word: &&Word| {
            word.is_content() && !word.is(&GONE) && !is_light(word) && !is_refusal(word)
        };
        for word in words.iter().filter(counts) {
            all += weight(word);
            let mut old = self.old.words.iter().zip(&self.old_signs);
            let holds = old.any(|(old, sign)| *sign == Sign::Holds && names(old, word));
            shared += if holds { weight(word) } else { 0.0 };
        }
        shared >= 0.9 && shared / all >= least
    }

    /// Whether the new note says that the order or direction is another.
    pub(super) fn is_turned_round(&self) -> bool {
        if self.new.has(&REVERSED) && !self.old.has(&REVERSED) {
            return true;
        }
        // "Only after a restart" is about what takes effect, not about order.
        if self.is_only() {
            return false;
        }
        match (sequence(self.old), sequence(self.new)) {
            (Some((a, b)), Some((c, d))) => {
                let meets =
                    |one: &[String], other: &[String]| one.iter().any(|word| other.contains(word));
                meets(&a, &d) && meets(&b, &c) && !meets(&a, &c) && !meets(&b, &d)
            }
            (Some(_) | None, _) => false,
        }
    }

    /// Whether what both speak of holds in one and not in the other.
    pub(super) fn is_denied(&self) -> bool {
        let (mut agree, mut clash) = (0.0, 0.0);
        for at in self.old.content() {
            let word = &self.old.words[at];
            let own = signs_of(self.old, &self.old_signs, word);
            let others = signs_of(self.new, &self.new_signs, word);
            let meets = |sign: Sign| own.contains(&sign) && others.contains(&sign);
            let crosses = (own.contains(&Sign::Holds) && others.contains(&Sign::Denied))
                || (own.contains(&Sign::Denied) && others.contains(&Sign::Holds));
            if meets(Sign::Holds) || meets(Sign::Denied) {
                agree += weight(word);
            } else if crosses {
                clash += weight(word);
            }
        }
        let total = |one: &Statement| one.content().map(|at| weight(&one.words[at])).sum::<f64>();
        let least = total(self.old).min(total(self.new)) * LEAST_CLASH;
        clash > agree
            && clash >= least.max(0.5)
            && (self.is_opposed() || !self.says_other())
            && !self.is_only()
            && !self.is_bound()
            && self.meets_its_head()
            && !self.is_absence()
            && !self.is_failure()
            && !self.is_kept_as_long()
            && !self.is_elsewhere()
            && (self.is_news() || !self.deny_one_doing())
            && (self.takes_back_a_denial() || !(self.is_narrowed() || self.is_about_less()))
    }

    /// Whether both say that the same is not done: then they agree, whatever
    /// else stands in the clauses that say so.
    fn deny_one_doing(&self) -> bool {
        let denied = |one: &'a Statement, signs: &[Sign]| -> Vec<&'a str> {
            let all = one.content().filter(|at| signs[*at] == Sign::Denied);
            let all = all.map(|at| &one.words[at]).filter(|word| is_verb(word));
            all.map(|word| word.stem.as_str()).collect()
        };
        let (old, new) = (denied(self.old, &self.old_signs), denied(self.new, &self.new_signs));
        let head = |one: &'a Statement| {
            let at = one.words.iter().position(is_negation)?;
            let head = one.words[at + 1..].iter().find(|word| word.is_content())?;
            // Both may speak of unused things and say the opposite of them.
            (!head.text.ends_with("ed")).then_some(&head.stem)
        };
        let is_head = head(self.old).is_some() && head(self.old) == head(self.new);
        is_head || old.iter().any(|stem| new.contains(stem))
    }

    /// Whether both say of the same how it is, one the opposite of the other.
    fn is_opposed(&self) -> bool {
        let said = |one: &'a Statement, signs: &[Sign]| -> Vec<&'a str> {
            let is_how = |word: &Word| !word.is_verb && !word.is(&VERBS);
            let all = one.content().filter(|at| signs[*at] != Sign::Open && one.is_said(*at));
            let all = all.filter(|at| is_how(&one.words[*at]));
            all.map(|at| one.words[at].stem.as_str()).collect()
        };
        let (old, new) = (said(self.old, &self.old_signs), said(self.new, &self.new_signs));
        old.iter().any(|a| new.iter().any(|b| are_opposite(a, b)))
    }

    /// Whether one note names a limit and the other what lies beyond the same:
    /// "at most 10 MB", "nothing over 10 MB".
    fn is_bound(&self) -> bool {
        let has_number = |at: usize| self.old.words[at].is_number() && !self.only_old.contains(&at);
        let exceeds = |one: &Statement| one.words.iter().any(|word| word.is(&BEYOND));
        self.old.content().any(has_number) && exceeds(self.old) != exceeds(self.new)
    }

    /// Whether one note names a limit and the other says that what lies beyond
    /// the same is turned away.
    pub(super) fn is_one_bound(&self) -> bool {
        static REFUSING: List = list!["reject refuse forbid deny fail skip"];
        let exceeds = |one: &Statement| one.has(&BEYOND) || one.has(&ABOVE);
        let turns_away = |one: &Statement| {
            exceeds(one) && (one.has(&REFUSING) || one.words.iter().any(is_negation))
        };
        let names_limit = |one: &Statement| one.has(&LIMIT) && !exceeds(one);
        let has_number = |at: usize| self.old.words[at].is_number() && !self.only_old.contains(&at);
        let is_thing = |at: usize| {
            weight(&self.old.words[at]) >= 0.3
                && !self.only_old.contains(&at)
                && !self.old.words[at].is_number()
        };
        let is_other = |one: &Statement, only: &[usize]| {
            heavy(one, only).any(|at| !one.words[at].is(&REFUSING))
        };
        (turns_away(self.old) && names_limit(self.new)
            || turns_away(self.new) && names_limit(self.old))
            && self.old.content().any(has_number)
            && self.old.content().any(is_thing)
            && !is_other(self.old, &self.only_old)
            && !is_other(self.new, &self.only_new)
    }

    /// Whether what is denied is said in the other note, and not left open:
    /// "do not edit it", "edits get lost".
    fn meets_its_head(&self) -> bool {
        let is_met = |one: &Statement, other: &Statement, others: &[Sign]| {
            let turn = one.words.iter().position(is_negation);
            let behind = turn.and_then(|at| one.words.get(at + 1..)).unwrap_or_default();
            let Some(head) = behind.iter().find(|word| is_verb(word) && word.is_content()) else {
                return true;
            };
            let signs = signs_of(other, others, head);
            if signs.is_empty() {
                return one.share_in(other) >= 0.75;
            }
            signs.iter().any(|sign| *sign != Sign::Open)
        };
        is_met(self.old, self.new, &self.new_signs) && is_met(self.new, self.old, &self.old_signs)
    }

    /// Whether one note says that something is missing, and the other that
    /// there is none.
    fn is_absence(&self) -> bool {
        let denies = |one: &Statement| one.words.iter().any(is_negation);
        let lacks = |one: &Statement| one.words.iter().any(|word| word.is(&ABSENT));
        (lacks(self.old) && denies(self.new)) || (lacks(self.new) && denies(self.old))
    }

    /// Whether one note says that something fails, and the other that it is not
    /// done.
    fn is_failure(&self) -> bool {
        static FAILING: List = list!["fail crash impossible reject refuse"];
        let fails = |one: &Statement, only: &[usize]| {
            only.iter().any(|at| one.words[*at].is(&FAILING)) && !one.words.iter().any(is_negation)
        };
        let denies = |one: &Statement| one.words.iter().any(is_negation);
        (fails(self.old, &self.only_old) && denies(self.new))
            || (fails(self.new, &self.only_new) && denies(self.old))
    }

    /// Whether the new note speaks of another place: "off on staging" and "on in
    /// production" are both so.
    fn is_elsewhere(&self) -> bool {
        let are_places = |old: &usize| {
            let mut others = self.only_new.iter();
            others.any(|new| are_siblings(&self.old.words[*old].stem, &self.new.words[*new].stem))
        };
        self.only_old.iter().any(are_places)
    }

    /// Whether each note begins with somebody else: "developers have access",
    /// "support has no access".
    pub(super) fn is_about_others(&self) -> bool {
        let first = |one: &Statement, only: &[usize]| {
            let at = one.words.iter().position(|word| !word.is(&OPENERS))?;
            let next = one.words.get(at + 1)?;
            let has = matches!(next.text.as_str(), "has" | "have" | "can" | "may" | "must");
            (has && one.words[at].is_content()).then(|| only.contains(&at))
        };
        // "An admin cannot delete himself" says nothing of others.
        let is_self = |word: &Word| matches!(word.text.as_str(), "himself" | "herself");
        let turns_back = |one: &Statement| one.words.iter().any(is_self);
        let are_others = first(self.old, &self.only_old) == Some(true)
            && first(self.new, &self.only_new) == Some(true);
        are_others || (turns_back(self.new) && !turns_back(self.old))
    }

    /// Whether one note says how long something is kept and the other when it
    /// goes, and that is the same.
    fn is_kept_as_long(&self) -> bool {
        static KEEPING: List = list!["store"];
        static GOING: List = list!["remove expire"];
        let is_span = |word: &Word| word.class == Class::Number(Unit::Time);
        let has_span = |at: usize| is_span(&self.old.words[at]) && !self.only_old.contains(&at);
        let keeps = |one: &Statement| one.has(&KEEPING) && !one.has(&GOING);
        let goes = |one: &Statement| one.has(&GOING) && !one.words.iter().any(is_negation);
        self.old.content().any(has_span)
            && ((keeps(self.old) && goes(self.new)) || (goes(self.old) && keeps(self.new)))
    }

    /// Whether the same call ends in another way: it returned, and now throws.
    pub(super) fn ends_otherwise(&self) -> bool {
        static ENDS: List = list!["return throw crash hang"];
        let (Some(was), Some(now)) = (self.old.predicate(), self.new.predicate()) else {
            return false;
        };
        let is_same_call = |one: &Statement, only: &[usize]| {
            !only.iter().any(|at| !one.is_said(*at) && !is_verb(&one.words[*at]))
        };
        was.is(&ENDS)
            && now.is(&ENDS)
            && was.stem != now.stem
            && heavy(self.new, &self.only_new).next().is_none()
            && is_same_call(self.old, &self.only_old)
            && is_same_call(self.new, &self.only_new)
    }

    /// Whether the old note denies altogether what the new one says: then it
    /// is taken back, even if only for some cases.
    fn takes_back_a_denial(&self) -> bool {
        self.old.words.iter().any(is_negation)
            && !self.new_signs.contains(&Sign::Denied)
            && heavy(self.old, &self.only_old).next().is_none()
    }

    /// Whether what one note holds the other denies, and the other way round:
    /// "A, not B" and "B, not A".
    pub(super) fn is_exchanged(&self) -> bool {
        let (mut taken, mut given) = (false, false);
        for at in self.old.content().filter(|at| weight(&self.old.words[*at]) >= 0.9) {
            let others = signs_of(self.new, &self.new_signs, &self.old.words[at]);
            let crosses = |sign| !others.is_empty() && others.iter().all(|other| *other == sign);
            taken |= self.old_signs[at] == Sign::Holds && crosses(Sign::Denied);
            given |= self.old_signs[at] == Sign::Denied && crosses(Sign::Holds);
        }
        taken && given
    }

    /// Whether the new note speaks of a case that the old one leaves out.
    fn is_narrowed(&self) -> bool {
        let lacks = |word: &Word| weight(word) >= 0.9 && self.old.share_of(word) < 1.0;
        let mut words = self.new.conditions();
        let first = words.next().map_or("", |word| word.text.as_str());
        matches!(first, "if" | "when" | "while" | "whenever") && words.any(lacks)
    }

    /// Whether one note says "only": then what it says is also a denial.
    pub(super) fn is_only(&self) -> bool {
        let has = |one: &Statement| one.words.iter().any(|word| word.text == "only");
        has(self.old) != has(self.new)
    }

    /// Whether what the new note denies is not what the old one said.
    fn says_other(&self) -> bool {
        let is_said = |at: &usize| self.new.is_said(*at) && self.is_in_first_claim(*at);
        let heavy = heavy(self.new, &self.only_new).filter(is_said).count();
        heavy > 0 && self.new.said_share(self.old) < 0.34 && self.new_signs.contains(&Sign::Denied)
    }

    /// Whether each note names something of weight that the other lacks.
    pub(super) fn has_other_subject(&self) -> bool {
        // "The flag `x`" is `x`.
        let names = |one: &Statement, other: &Statement, at: usize| {
            let near = one.words[at + 1..].iter().take(2).find(|word| word.class == Class::Code);
            near.is_some_and(|word| other.share_of(word) >= 1.0)
        };
        // Numbers that take each other's place are no things.
        let (was, now) = self.numbers().unzip();
        let mut old = heavy(self.old, &self.only_old)
            .filter(|at| Some(*at) != was && !names(self.old, self.new, *at));
        let mut new = heavy(self.new, &self.only_new).filter(|at| {
            Some(*at) != now && self.is_in_first_claim(*at) && !names(self.new, self.old, *at)
        });
        old.next().is_some() && new.next().is_some()
    }
}

/// What was taken out of something: "we ripped X out of Y".
fn taken_out(words: &[Word]) -> Option<&[Word]> {
    const TAKING: [&str; 9] =
        ["ripped", "took", "taken", "pulled", "threw", "thrown", "kicked", "tore", "yanked"];
    let from = words.iter().position(|word| TAKING.contains(&word.text.as_str()))?;
    let is_out = |word: &Word| matches!(word.text.as_str(), "out" | "outof");
    let end = words[from..].iter().position(is_out).map(|step| from + step)?;
    let taken = &words[from + 1..end];
    taken.iter().any(Word::is_content).then_some(taken)
}

/// Whether something was put away for good: "got archived".
fn is_shelved(words: &[Word]) -> bool {
    const AWAY: [&str; 6] = ["archived", "killed", "dismantled", "shelved", "mothballed", "ended"];
    let is_past = |word: &Word| matches!(word.text.as_str(), "was" | "were" | "been" | "got");
    let at = words.iter().position(|word| AWAY.contains(&word.text.as_str()));
    at.is_some_and(|at| words[..at].iter().any(is_past)) && !words.iter().any(Word::is_number)
}

/// Numbers by which a server says that something is not there.
fn is_refusal(word: &Word) -> bool {
    word.is_number() && matches!(word.stem.as_str(), "400" | "401" | "403" | "404" | "405" | "410")
}

/// Whether it is the same, or a file in that folder.
fn is_in(one: &Word, folder: &Word) -> bool {
    let inside = || one.text.strip_prefix(folder.text.as_str());
    let is_code = one.class == Class::Code && folder.class == Class::Code;
    one.stem == folder.stem || (is_code && inside().is_some_and(|rest| rest.starts_with('/')))
}

/// What a note says of a word, wherever it stands.
fn signs_of(one: &Statement, signs: &[Sign], word: &Word) -> Vec<Sign> {
    let all = |fits: &dyn Fn(&Word) -> bool| -> Vec<Sign> {
        let found = one.words.iter().zip(signs).filter(|(other, _)| fits(other));
        found.map(|(_, sign)| *sign).collect()
    };
    let same = all(&|other| names(other, word));
    if !same.is_empty() {
        return same;
    }
    let related = all(&|other| family(&other.stem) == family(&word.stem));
    if !related.is_empty() {
        return related;
    }
    all(&|other| are_opposite(&other.stem, &word.stem))
}

/// What comes earlier and what later, where a note says so.
fn sequence(one: &Statement) -> Option<(Vec<String>, Vec<String>)> {
    let is_turn = |word: &Word| word.is(&BEFORE) || word.is(&AFTER);
    let turn = one.words.iter().position(|word| word.text != "once" && is_turn(word));
    let Some(turn) = turn else { return listed(one) };
    let is_before = one.words[turn].is(&BEFORE) || leads_on(&one.words[turn]);
    let heavy =
        |at: &usize| one.words[*at].is_content() && !one.words[*at].is(&GENERIC) && *at != turn;
    let is_behind = matches!(one.words[turn].text.as_str(), "전" | "뒤");
    let end = one.words[turn..].iter().position(|word| word.class == Class::Mark);
    let end = end.map_or(one.words.len(), |step| turn + step);
    // Korean puts the word behind what it belongs to.
    let group: Vec<usize> = if is_behind {
        (0..turn).rev().find(|at| heavy(at)).into_iter().collect()
    } else {
        (turn + 1..end).filter(heavy).collect()
    };
    let rest = one.content().filter(|at| heavy(at) && !group.contains(at));
    let stems =
        |list: &[usize]| list.iter().map(|at| family(&one.words[*at].stem).to_owned()).collect();
    let (group, rest): (Vec<String>, Vec<String>) =
        (stems(&group), stems(&rest.collect::<Vec<_>>()));
    Some(if is_before { (rest, group) } else { (group, rest) })
}

/// Whether a word leads to what comes later.
fn leads_on(word: &Word) -> bool {
    matches!(word.text.as_str(), "then" | "afterwards" | "subsequently")
}

/// What comes earlier and what later in "A first and B second".
fn listed(one: &Statement) -> Option<(Vec<String>, Vec<String>)> {
    let turn = one.words.iter().position(|word| word.text == "first")?;
    let is_last = |word: &Word| matches!(word.text.as_str(), "second" | "last" | "next");
    let end = one.words[turn..].iter().position(is_last).map(|step| turn + step)?;
    let stems = |from: usize, to: usize| -> Vec<String> {
        let words = one.words[from..to].iter();
        let words = words.filter(|word| word.is_content() && !word.is(&GENERIC));
        words.map(|word| family(&word.stem).to_owned()).collect()
    };
    Some((stems(0, turn), stems(turn + 1, end)))
}
