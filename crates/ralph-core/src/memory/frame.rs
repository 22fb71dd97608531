//! Notes that are alike word for word but for one place: what stands there is
//! the value, whatever the words are.

use super::code::is_file;
use super::comparison::Comparison;
use super::grammar::{OPENERS, is_negation, is_verb};
use super::statement::{Statement, weight};
use super::synonyms::are_siblings;
use super::words::{Class, List, Word, list};

/// How many words the place may have.
const LONGEST: usize = 4;

/// Verbs that leave room for more, however what they lead to is joined to
/// them: "works on Linux" says nothing of Windows.
static OPEN: List = list![
    "support work fail test cover include depend cause mention see allow forbid list register define"
    "crash happen use find need require import call contain block break hang show add remove fix log"
    "emit read touch handle extend expose check split avoid skip"
];

/// What does not change what a sentence says.
static FILLERS: List = list!["now currently current still always already our my your their new"];

/// The place in which two notes differ, as ranges of rows of words.
struct Place {
    old: Vec<usize>,
    new: Vec<usize>,
    /// Whether words that both have stand before it.
    begins: bool,
}

impl<'a> Comparison<'a> {
    /// The values that stand in the one place in which the notes differ.
    pub(super) fn reframed(&self) -> Option<(&'a Word, &'a Word)> {
        let place = self.place()?;
        let fits = |one: &Statement, at: &[usize]| {
            let has_verb = at.iter().any(|at| is_verb(&one.words[*at]));
            !at.is_empty() && at.len() <= LONGEST && !has_verb
        };
        if !fits(self.old, &place.old) || !fits(self.new, &place.new) {
            return None;
        }
        let is_said = place.old.iter().all(|at| self.old.is_said(*at))
            && place.new.iter().all(|at| self.new.is_said(*at));
        let is_value = place.begins && is_said && !self.is_open_place(&place);
        if !(is_value || self.is_the_one(&place)) || self.is_part(&place) {
            return None;
        }
        let value = |one: &'a Statement, at: &[usize]| {
            let heavy = at.iter().rev().find(|at| weight(&one.words[**at]) >= 0.9);
            heavy.or(at.last()).map(|at| &one.words[*at])
        };
        value(self.old, &place.old).zip(value(self.new, &place.new))
    }

    /// Whether both say who or what the one thing is: "Ann is the lead".
    fn is_the_one(&self, place: &Place) -> bool {
        let is_one = |one: &Statement, at: &[usize]| {
            let Some(last) = at.last() else { return false };
            let mut behind = one.words[last + 1..].iter().map(|word| word.text.as_str());
            let is_plain = at.iter().all(|at| !one.words[*at].is_number());
            is_plain && at.len() <= 2 && behind.next() == Some("is") && behind.next() == Some("the")
        };
        !place.begins && is_one(self.old, &place.old) && is_one(self.new, &place.new)
    }

    /// Where the notes differ, if that is one place.
    fn place(&self) -> Option<Place> {
        let (old, new) = (row(self.old), row(self.new));
        let same = |(a, b): &(&usize, &usize)| self.old.words[**a].stem == self.new.words[**b].stem;
        let before = old.iter().zip(&new).take_while(same).count();
        let behind = old.iter().rev().zip(new.iter().rev()).take_while(same).count();
        let behind = behind.min(old.len().min(new.len()).saturating_sub(before));
        let middle = |row: &[usize]| row.get(before..row.len() - behind).map(<[usize]>::to_vec);
        let (was, now) = (middle(&old)?, middle(&new)?);
        let begins = old[..before].iter().any(|at| self.old.words[*at].is_content());
        let denies =
            |one: &Statement, row: &[usize]| row.iter().any(|at| is_negation(&one.words[*at]));
        let is_plain = !denies(self.old, &was) && !denies(self.new, &now);
        let content = |one: &Statement, row: Vec<usize>| {
            row.into_iter().filter(|at| one.words[*at].is_content()).collect()
        };
        let place = Place { old: content(self.old, was), new: content(self.new, now), begins };
        is_plain.then_some(place)
    }

    /// Whether what stands there in one note is a part of what the other has.
    fn is_part(&self, place: &Place) -> bool {
        let has = |one: &Statement, at: &[usize], other: &Statement| {
            let mut words = at.iter().map(|at| &one.words[*at]).filter(|word| word.is_content());
            words.all(|word| other.share_of(word) >= 1.0)
        };
        let are_siblings = |a: &usize| {
            let stem = &self.old.words[*a].stem;
            place.new.iter().any(|b| are_siblings(stem, &self.new.words[*b].stem))
        };
        // Two paths are two places, though they have parts in common.
        if let (&[a], &[b]) = (place.old.as_slice(), place.new.as_slice()) {
            let (a, b) = (&self.old.words[a], &self.new.words[b]);
            let holds = |a: &Word, b: &Word| a.text.ends_with(&b.text);
            if is_file(a) && is_file(b) && !holds(a, b) && !holds(b, a) {
                return false;
            }
        }
        has(self.old, &place.old, self.new)
            || has(self.new, &place.new, self.old)
            || place.old.iter().any(are_siblings)
    }

    /// Whether there is room for both there.
    fn is_open_place(&self, place: &Place) -> bool {
        if self.old.has_one_of_many() || self.new.has_one_of_many() {
            return true;
        }
        let (Some(first), Some(other)) = (place.old.first(), place.new.first()) else {
            return true;
        };
        let leads = (self.old.lead_to(*first), self.new.lead_to(*other));
        let by = |lead: &str| matches!(lead, "by" | "as" | "is" | "are" | ":" | "=" | "under");
        if by(leads.0) && by(leads.1) {
            return self.old.is_purpose(*first);
        }
        let joins = |lead: &str| {
            matches!(
                lead,
                "in" | "on"
                    | "at"
                    | "to"
                    | "into"
                    | "from"
                    | "with"
                    | "via"
                    | "using"
                    | "through"
                    | "over"
                    | "behind"
                    | "against"
            )
        };
        let verbs =
            [self.old, self.new].map(|one| one.words.iter().rev().find(|word| is_verb(word)));
        let is_open = |word: &Word| word.is(&OPEN);
        !(joins(leads.0) && joins(leads.1)) || verbs.iter().flatten().any(|word| is_open(word))
    }
}

impl Statement {
    /// The word in front of another, articles left out.
    fn lead_to(&self, at: usize) -> &str {
        let mut before = self.words[..at].iter().rev();
        before.find(|word| !word.is(&OPENERS)).map_or("", |word| word.text.as_str())
    }
}

/// The positions of the words of a note that say something.
fn row(one: &Statement) -> Vec<usize> {
    let counts = |word: &Word| {
        word.class != Class::Mark && !word.is(&OPENERS) && (word.is_content() || !word.is(&FILLERS))
    };
    (0..one.words.len()).filter(|at| counts(&one.words[*at])).collect()
}
