//! A note taken apart: its clauses, what each affirms or denies, where it
//! says what it is about and where what it says of that.

use super::acronyms;
use super::clauses::{Clause, Part, clauses, put_conditions_last};
use super::code::{are_related, are_rivals, extension, is_file, parts};
use super::grammar::{
    AUXILIARY, NOUNS, OPENERS, VERBS, is_light, is_slight, is_verb, mark_verbs, verb,
};
use super::kinds::kind;
use super::quantity;
use super::signs::{Sign, is_set_aside, sign};
use super::synonyms::{family, key};
use super::tables::Words;
use super::words::{Class, List, Word, list, words};

/// A note as a list of words.
#[derive(Debug)]
pub(super) struct Statement {
    pub(super) words: Vec<Word>,
    clauses: Vec<Clause>,
    /// The first word that leads from what it is about to what is said of it.
    verb: Option<usize>,
    /// What its words and the parts of its code are compared by.
    known: Words<String>,
    /// Whether it is in Korean, where the verb is last.
    pub(super) is_korean: bool,
    /// The families of its plain words.
    families: Words<String>,
    /// Whether it tells of a change.
    pub(super) tells_of_change: bool,
}

/// Nouns that a number belongs to as a name does.
static LABELS: List = list![
    "step issue ticket pr phase line chapter section rule task bug case milestone level no stage"
    "item week quarter migration error code adr rfc figure exit epic sprint channel vlan slot bay"
];

/// What a number in front of the verb is said to be: "Go 1.22 is the minimum".
static BOUNDS: List = list!["minimum maximum default version baseline target"];

/// Nouns that a number before them names.
static RELEASES: List = list!["release version branch series"];

impl Statement {
    /// Two notes, of which one may abbreviate what the other spells out.
    pub(super) fn pair(old: &str, new: &str) -> (Self, Self) {
        let (mut one, mut other) = (words(old), words(new));
        acronyms::settle(&mut one, &mut other);
        (Self::from_words(one, old), Self::from_words(other, new))
    }

    /// The statement that words of a text make.
    fn from_words(mut words: Vec<Word>, text: &str) -> Self {
        let is_korean = text.chars().any(|c| ('가'..='힣').contains(&c));
        put_conditions_last(&mut words);
        mark_verbs(&mut words);
        let clauses = clauses(&words);
        let verb = verb(&words);
        let topic = words.iter().position(|word| word.is_topic).map(|at| at + 1);
        let turn = topic.or(verb).unwrap_or(0);
        let head = words[..turn].iter().rposition(Word::is_content);
        for (at, word) in words.iter_mut().enumerate() {
            // Logs and builds are things where a note says what it is about.
            let is_noun =
                !word.is_verb && (word.is(&NOUNS) || is_plain_topic(word)) && !is_slight(word);
            word.tenths = if is_noun && head == Some(at) { 10 } else { tenths(word) };
        }
        let mut known: Words<String> = Words::default();
        for word in words.iter().filter(|word| word.is_content()) {
            known.insert(word.stem.clone());
            known.extend(quantity::share(word));
            known.extend(parts(word));
            known.extend(extension(word).map(key));
            known.extend(alone(word));
            // Redis is a cache, whether or not the note says so.
            known.extend(kind(&word.stem).and_then(kind_word).map(key));
        }
        let plain = words.iter().filter(|word| word.class == Class::Plain && word.is_content());
        let families = plain.map(|word| family(&word.stem).to_owned()).collect();
        let mut found =
            Self { words, clauses, verb, known, is_korean, families, tells_of_change: false };
        found.tells_of_change = found.is_of_change();
        found
    }

    /// The positions of the words that carry meaning.
    pub(super) fn content(&self) -> impl Iterator<Item = usize> {
        (0..self.words.len()).filter(|at| self.words[*at].is_content())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.content().next().is_none()
    }

    /// Whether it has a word of a list.
    pub(super) fn has(&self, list: &List) -> bool {
        self.words.iter().any(|word| word.is(list))
    }

    /// Whether a word stands where a note says something of what it is about.
    pub(super) fn is_said(&self, at: usize) -> bool {
        if self.is_purpose(at) {
            return false;
        }
        let topic = self.words.iter().position(|word| word.is_topic);
        if topic.is_none() && self.is_korean {
            return self.content().next().is_some_and(|first| at > first);
        }
        match topic.or(self.verb) {
            Some(turn) => at > turn,
            None => self.content().last() == Some(at),
        }
    }

    /// Whether a word says what something is for.
    pub(super) fn is_purpose(&self, at: usize) -> bool {
        let near = self.words[..at].iter().rev().take(3);
        // "For local work use it" says what is used, not what it is for.
        let turns = |word: &Word| matches!(word.text.as_str(), "use" | "run" | "prefer" | "choose");
        let ends = |word: &&Word| {
            word.is_number() || word.class == Class::Mark || word.is(&AUXILIARY) || turns(word)
        };
        let lead = near.take_while(|word| !ends(word));
        // "For this quarter" says when.
        let lead: Vec<&Word> = lead.collect();
        lead.iter().any(|word| word.text == "for")
            && !lead.iter().any(|word| word.text == "this")
            && !self.words[at].is_number()
    }

    /// The word that says what is done: the first verb behind an auxiliary.
    pub(super) fn predicate(&self) -> Option<&Word> {
        // Korean puts it last.
        if self.words.iter().any(|word| word.is_topic) {
            let last = self.words.iter().rev().find(|word| word.class != Class::Mark);
            return last.filter(|word| word.is(&VERBS) || word.is(&AUXILIARY));
        }
        let from = self.verb?;
        let near = self.words[from..].iter().take(4);
        let obliges = |word: &Word| matches!(word.text.as_str(), "must" | "should" | "may" | "can");
        near.into_iter().find(|word| word.is(&VERBS) && !obliges(word))
    }

    /// Whether it says what something is.
    pub(super) fn is_copular(&self) -> bool {
        // What comes before the topic of a Korean sentence is no verb.
        if self.words.iter().any(|word| word.is_topic) {
            return self.predicate().is_none();
        }
        let Some(at) = self.verb else { return true };
        let word = &self.words[at];
        if self.words[..at].iter().any(|word| word.is_verb) {
            return false;
        }
        word.class == Class::Mark
            || matches!(word.text.as_str(), "is" | "are" | "was" | "were" | "be")
            || word.text == "must"
    }

    /// Whether it says that something has a thing, of which there may be more.
    pub(super) fn has_one_of_many(&self) -> bool {
        let Some(at) = self.verb else { return false };
        let next = self.words.get(at + 1);
        matches!(self.words[at].text.as_str(), "has" | "have")
            && next.is_some_and(|word| matches!(word.text.as_str(), "a" | "an"))
    }

    /// The word that leads to another: "in", "with", "is".
    pub(super) fn lead(&self, at: usize) -> Option<&str> {
        let near = self.words[..at].iter().rev().take(4);
        let describes =
            |word: &Word| word.class == Class::Plain && word.is_content() && !is_verb(word);
        let mut before = near.skip_while(|word| {
            word.is(&OPENERS) || word.is_name || word.text == "now" || describes(word)
        });
        before.next().map(|word| word.text.as_str())
    }

    /// Words that a clause puts behind others: "A instead of B".
    pub(super) fn set_aside(&self) -> impl Iterator<Item = &Word> {
        self.claims().flat_map(|(start, end)| {
            let words = &self.words[start..end];
            (0..words.len()).filter(|at| is_set_aside(words, *at)).map(|at| &words[at])
        })
    }

    /// How much of it another note has, weighted by what the words say.
    pub(super) fn share_in(&self, other: &Self) -> f64 {
        let (mut all, mut found) = (0.0, 0.0);
        for at in self.content() {
            all += weight(&self.words[at]);
            found += weight(&self.words[at]) * other.share_of(&self.words[at]);
        }
        if all == 0.0 { 0.0 } else { found / all }
    }

    /// How much of what it says of its subject another note has.
    pub(super) fn said_share(&self, other: &Self) -> f64 {
        let (mut all, mut found) = (0.0, 0.0);
        let is_repeated = |at: usize| {
            let mut before = self.content().take_while(|other| *other < at);
            before.any(|other| self.words[other].stem == self.words[at].stem)
        };
        for at in self.content().filter(|at| self.is_said(*at) && !is_repeated(*at)) {
            all += weight(&self.words[at]);
            found += weight(&self.words[at]) * other.share_of(&self.words[at]);
        }
        if all < 0.5 { 1.0 } else { found / all }
    }

    /// Whether a number is a name: "step 3", "port 80 is taken".
    pub(super) fn is_label(&self, at: usize) -> bool {
        let word = &self.words[at];
        let near = |at: Option<usize>| at.and_then(|at| self.words.get(at));
        let before = near(at.checked_sub(1));
        let is_named = before.is_some_and(|word| word.is(&LABELS))
            || near(Some(at + 1)).is_some_and(|word| word.text == "step");
        let is_subject = self.verb.is_some_and(|verb| at < verb)
            && !self.has(&BOUNDS)
            && !(self.is_korean && self.is_said(at))
            && before.is_some_and(|word| word.is_content() && !word.is_number());
        let next = near(Some(at + 1)).filter(|word| word.is_content());
        let is_release = next.is_some_and(|next| {
            (word.text.starts_with('v') && next.class == Class::Plain)
                || (word.text.contains('.') && next.is(&RELEASES))
        });
        word.is_number() && (is_named || is_subject || is_release)
    }

    /// How much of a word the note has, from none to all.
    pub(super) fn share_of(&self, word: &Word) -> f64 {
        if self.known.contains(&word.stem) || self.has_opposite(word) {
            return 1.0;
        }
        if word.class == Class::Plain && self.families.contains(family(&word.stem)) {
            return 1.0;
        }
        if quantity::share(word).is_some_and(|share| self.known.contains(&share)) {
            return 1.0;
        }
        let parts = parts(word);
        if word.class != Class::Code || parts.is_empty() {
            return 0.0;
        }
        let found = parts.iter().filter(|part| self.known.contains(*part)).count();
        // A file is more than the words in its name.
        if is_file(word) && !self.words.iter().any(|other| are_related(word, other)) {
            return ratio(found, parts.len()).min(0.5);
        }
        if found == parts.len() && self.words.iter().any(|other| are_rivals(word, other)) {
            return 0.5;
        }
        ratio(found, parts.len())
    }

    /// Whether it has a word that says the opposite, or denies the same.
    fn has_opposite(&self, word: &Word) -> bool {
        let denied = word.opposites;
        self.words.iter().any(|other| {
            let shares = other.opposites.iter().any(|one| denied.contains(one));
            shares || denied.contains(&other.stem) || other.opposites.contains(&word.stem)
        })
    }

    /// What each word is said to be, seen beside another note: "slow" denies
    /// something only if the other says "fast".
    pub(super) fn signs(&self, other: &Self) -> Vec<Sign> {
        let mut signs = vec![Sign::Open; self.words.len()];
        let mut after = None;
        for clause in self.clauses.iter().rev() {
            if clause.part != Part::Claim {
                continue;
            }
            let words = &self.words[clause.start..clause.end];
            let waits = self.waits(clause.end, other);
            let own = if waits { Sign::Holds } else { sign(words, &self.words, other) };
            // "In CI, it is slow": what has no verb goes with what follows.
            let is_whole =
                words.iter().any(|word| word.is_verb || word.is(&AUXILIARY) || word.is(&VERBS));
            let clause_sign = after.filter(|_| !is_whole && own == Sign::Holds).unwrap_or(own);
            after = Some(clause_sign);
            for (at, _) in words.iter().enumerate().filter(|(_, word)| word.is_content()) {
                let own = if is_set_aside(words, at) { Sign::Denied } else { clause_sign };
                signs[clause.start + at] = own;
            }
        }
        signs
    }

    /// Whether a clause that ends here says only when something is so: "not
    /// until it is asked for", "not unless it is there".
    pub(super) fn waits(&self, end: usize, other: &Self) -> bool {
        let Some(turn) = self.words.get(end) else { return false };
        let is_met = |word: &Word| weight(word) >= 0.9 && other.share_of(word) >= 1.0;
        turn.text == "until" || (turn.text == "unless" && self.words[end..].iter().any(is_met))
    }

    /// The clauses that hold no condition, as ranges of words.
    pub(super) fn claims(&self) -> impl Iterator<Item = (usize, usize)> {
        let open = self.clauses.iter().filter(|clause| clause.part == Part::Claim);
        open.map(|clause| (clause.start, clause.end))
    }

    /// Words of conditions.
    pub(super) fn conditions(&self) -> impl Iterator<Item = &Word> {
        self.condition_positions().map(|at| &self.words[at])
    }

    /// Where they stand.
    pub(super) fn condition_positions(&self) -> impl Iterator<Item = usize> {
        let conditions = self.clauses.iter().filter(|clause| clause.part == Part::Condition);
        conditions.flat_map(|clause| clause.start..clause.end)
    }
}

fn is_plain_topic(word: &Word) -> bool {
    word.is_topic && word.class == Class::Plain
}

/// The one word for a kind of things, if there is one.
fn kind_word(name: &'static str) -> Option<&'static str> {
    match name {
        "type checker" => Some("typecheck"),
        _ => (!name.contains(' ')).then_some(name),
    }
}

/// The number that a word for one thing alone stands for, and the other way
/// round.
fn alone(word: &Word) -> Vec<String> {
    let is_one = match word.class {
        Class::Plain => matches!(word.text.as_str(), "single" | "sole" | "one"),
        Class::Number(unit) => unit == quantity::Unit::Count && word.stem == "1",
        Class::Code | Class::Mark => false,
    };
    if is_one { vec!["1".to_owned(), "one".to_owned(), key("single")] } else { Vec::new() }
}

/// How much a word says about what a note is about.
pub(super) fn weight(word: &Word) -> f64 {
    f64::from(word.tenths) / 10.0
}

fn tenths(word: &Word) -> u8 {
    match word.class {
        Class::Mark => 0,
        Class::Number(_) => 12,
        Class::Code if parts(word).len() < 2 && kind(&word.stem).is_none() => 13,
        Class::Code => 16,
        Class::Plain if !word.is_content() => 0,
        Class::Plain if kind(&word.stem).is_some() => 12,
        Class::Plain if is_light(word) => 3,
        Class::Plain => 10,
    }
}

#[expect(clippy::cast_precision_loss, reason = "notes have few words")]
pub(super) fn ratio(part: usize, all: usize) -> f64 {
    if all == 0 { 0.0 } else { part as f64 / all as f64 }
}
