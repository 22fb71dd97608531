//! Whether there is room for only one of two words: what part they play in
//! their sentences, and whether what is said leaves room for more.

use super::comparison::{Comparison, heavy};
use super::grammar::is_verb;
use super::kinds::kind;
use super::signs::Sign;
use super::statement::{Statement, weight};
use super::words::{Class, List, Word, list};

static OWNING: List = list!["own belong approve review"];

/// Verbs whose object is one of many: both notes may be true.
static OF_MANY: List = list![
    "call import contain include support depend export cover handle touch emit require change add"
    "remove fix fail work test check log read extend see want expose provide list define forbid"
    "mention reload mean block terminate show cause allow drop split register"
];

/// Verbs that say where something is or goes, or by what it is done.
pub(super) static PLACING: List = list![
    "store locate write go put send keep run host deploy push publish upload load live build pass"
    "move listen report ship make hold create do serve use finish belong come start trigger read log"
    "print record design write export"
];

/// Verbs whose object is the one there is.
pub(super) static OF_ONE: List = list![
    "use return throw prefer expect target default equal set follow take name pin inherit become run"
];

/// Verbs that say what something became.
pub(super) static TURNING: List = list!["rename become change replace license"];

static PUTTING: List = list!["store locate deploy send write upload"];

/// What part a word plays in a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Subject,
    Identity,
    Means,
    Place,
    Time,
    Object,
}

/// What is known of two values that may take each other's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rivals {
    /// A project has one of them, as a rule.
    OfOneKind,
    Any,
}

impl Comparison<'_> {
    pub(super) fn is_of_one_kind(&self, old: usize, new: usize) -> bool {
        let kinds = (kind(&self.old.words[old].stem), kind(&self.new.words[new].stem));
        kinds.0.is_some() && kinds.0 == kinds.1
    }

    /// Whether there is room for only one of two words.
    pub(super) fn compete(&self, old: usize, new: usize) -> bool {
        let (a, b) = (&self.old.words[old], &self.new.words[new]);
        let said = (self.old.is_said(old), self.new.is_said(new));
        let owned = self.old.has(&OWNING) && self.new.has(&OWNING);
        let signs = (self.old_signs[old], self.new_signs[new]);
        // Of what is forbidden there may be more.
        if signs.0 != Sign::Holds
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
        if self.reads_and_sends(old, new) {
            return false;
        }
        let are_owners = owned && !said.0 && !said.1;
        if self.leaves_room(rivals) && !is_source && !are_owners {
            return false;
        }
        if owned && self.owns_more(old, new) {
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
        let is_day = |word: &Word| kind(&word.stem) == Some("weekday");
        if is_day(a) != is_day(b) || self.are_form_and_place(a, b) {
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

    /// Whether something is read from one place and sent to another.
    fn reads_and_sends(&self, old: usize, new: usize) -> bool {
        let crosses = matches!(
            (self.old.lead(old), self.new.lead(new)),
            (Some("from"), Some("to" | "into")) | (Some("to" | "into"), Some("from"))
        );
        let verb = |one: &Statement| one.predicate().map(|word| word.stem.clone());
        crosses && verb(self.old) != verb(self.new) && !self.is_news()
    }

    /// Whether "Mei owns the parser" leaves room for what else she owns.
    fn owns_more(&self, old: usize, new: usize) -> bool {
        let owns = |one: &Statement, at: usize| {
            let mut verbs = one.words[..at].iter().rev().filter(|word| is_verb(word));
            verbs.next().is_some_and(|word| word.is(&OWNING))
                && !matches!(one.lead(at), Some("by" | "to" | "with"))
        };
        owns(self.old, old) && owns(self.new, new)
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
    pub(super) fn leaves_room(&self, rival: Rivals) -> bool {
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
    pub(super) fn role(one: &Statement, at: usize) -> Role {
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
