//! Entries as terms with frequencies.

use std::collections::HashMap;

use crate::analysis::{Analyzer, Class, chunks, fold, is_plain};
use crate::ranking::{Field, Ranking};

/// A heading has at most so many words …
const HEADING_WORDS: usize = 3;

/// … and bytes.
const LONGEST_HEADING: usize = 60;

/// Terms by number, as long as a batch lasts.
#[derive(Default)]
pub(crate) struct Vocabulary {
    numbers: HashMap<Box<str>, u32>,
    names: Vec<Box<str>>,
}

impl Vocabulary {
    pub(crate) fn number(&mut self, term: &str) -> u32 {
        if let Some(number) = self.numbers.get(term) {
            return *number;
        }
        let number = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.names.push(term.into());
        self.numbers.insert(term.into(), number);
        number
    }

    /// The terms in order of their numbers.
    pub(crate) fn names(&self) -> &[Box<str>] {
        &self.names
    }
}

/// A term of an entry.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Term {
    number: u32,
    /// Its occurrences, each with the weight of its place.
    weighted: f32,
    /// Its occurrences in title and text, for neighbours.
    plain: f32,
}

/// An entry without its neighbours.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Vector {
    terms: Vec<Term>,
    weighted: f32,
    plain: f32,
}

/// The parts of an entry that are searched.
#[derive(Clone, Copy)]
pub(crate) struct Parts<'a> {
    pub(crate) title: &'a str,
    pub(crate) text: &'a str,
    pub(crate) why: Option<&'a str>,
    pub(crate) files: &'a [String],
}

/// Makes vectors; keeps its buffers.
#[derive(Default)]
pub(crate) struct Vectors {
    pub(crate) vocabulary: Vocabulary,
    analyzer: Analyzer,
    /// The terms of words that were met before, if they have one: most words
    /// are, and finding the stem of one costs more than all else.
    words: HashMap<Box<str>, Option<u32>>,
    found: Vec<Term>,
}

impl Vectors {
    pub(crate) fn vector(&mut self, parts: Parts<'_>, ranking: &Ranking) -> Vector {
        self.found.clear();
        self.analyse(parts.title, Field::Title, ranking);
        let (heading, text) = parts.text.split_at(heading(parts.text));
        self.analyse(heading, Field::Heading, ranking);
        self.analyse(text, Field::Body, ranking);
        self.analyse(parts.why.unwrap_or_default(), Field::Why, ranking);
        for file in parts.files {
            self.analyse(file, Field::Files, ranking);
        }
        // Not stable is enough: weights of one term are added up exactly.
        self.found.sort_unstable_by_key(|term| term.number);
        let mut terms: Vec<Term> = Vec::with_capacity(self.found.len());
        for term in &self.found {
            match terms.last_mut() {
                Some(last) if last.number == term.number => {
                    last.weighted += term.weighted;
                    last.plain += term.plain;
                }
                Some(_) | None => terms.push(*term),
            }
        }
        let weighted = terms.iter().map(|term| term.weighted).sum();
        let plain = terms.iter().map(|term| term.plain).sum();
        Vector { terms, weighted, plain }
    }

    fn analyse(&mut self, text: &str, field: Field, ranking: &Ranking) {
        let Self { vocabulary, analyzer, words, found } = self;
        let plain = match field {
            Field::Title | Field::Body => 1.0,
            Field::Heading => ranking.heading,
            Field::Why | Field::Files => 0.0,
        };
        for chunk in chunks(&fold(text)) {
            if !is_plain(chunk) {
                analyzer.chunk(chunk, &mut |term, class| {
                    let weighted = ranking.weight(field, class);
                    found.push(Term { number: vocabulary.number(term), weighted, plain });
                });
                continue;
            }
            let number = words.get(chunk).copied().unwrap_or_else(|| {
                let mut number = None;
                analyzer.chunk(chunk, &mut |term, _| number = Some(vocabulary.number(term)));
                words.insert(chunk.into(), number);
                number
            });
            let weighted = ranking.weight(field, Class::Word);
            found.extend(number.map(|number| Term { number, weighted, plain }));
        }
    }
}

/// Where the heading of a text ends: up to three words before a colon, as in
/// `Deployment: …` and in conversations, where they say who speaks.
fn heading(text: &str) -> usize {
    let Some(end) = text.find(": ").filter(|end| *end <= LONGEST_HEADING) else { return 0 };
    let is_word = |word: &str| word.chars().all(|c| c.is_alphanumeric() || "-_'’.".contains(c));
    let words = || text[..end].split(' ');
    if words().count() <= HEADING_WORDS && words().all(is_word) { end } else { 0 }
}

impl Vector {
    /// Its length together with its neighbours'.
    pub(crate) fn length(&self, neighbours: &[&Self], ranking: &Ranking) -> f32 {
        let beside: f32 = neighbours.iter().map(|neighbour| neighbour.plain).sum();
        self.weighted + ranking.neighbour * beside
    }

    /// Replaces `into` by its terms and its neighbours', in order, with their
    /// frequencies.
    pub(crate) fn combine(
        &self,
        neighbours: &[&Self],
        ranking: &Ranking,
        into: &mut Vec<(u32, f32)>,
    ) {
        into.clear();
        into.extend(self.terms.iter().map(|term| (term.number, term.weighted)));
        for neighbour in neighbours {
            let plain = neighbour.terms.iter().filter(|term| term.plain > 0.0);
            into.extend(plain.map(|term| (term.number, term.plain * ranking.neighbour)));
        }
        if !neighbours.is_empty() {
            into.sort_by_key(|(number, _)| *number);
            into.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                if same {
                    kept.1 += next.1;
                }
                same
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_neighbours_are_added_up_for_each_term() {
        let ranking = Ranking::default();
        let mut vectors = Vectors::default();
        let files = ["src/lock.rs".to_owned()];
        let mut vector =
            |title, text, files| vectors.vector(Parts { title, text, why: None, files }, &ranking);
        let own = vector("Lock order", "the lock", &files);
        let beside = vector("", "lock waits", &[]);
        let mut found = Vec::new();
        own.combine(&[&beside], &ranking, &mut found);
        let of = |term: &str| {
            let number = vectors.vocabulary.numbers[term];
            found.iter().find(|(known, _)| *known == number).unwrap().1
        };
        assert!((of("lock") - 7.3).abs() < 1e-5, "title 4, text 1, path 2, neighbour 0.3");
        assert!((of("wait") - 0.3).abs() < 1e-5);
        assert!((own.length(&[&beside], &ranking) - (own.weighted + 0.6)).abs() < 1e-5);
    }

    #[test]
    fn who_speaks_and_what_it_is_about_stands_before_a_colon() {
        let headings = |text: &'static str| &text[..heading(text)];
        for (text, want) in [
            ("Caroline: I went to the lake", "Caroline"),
            ("Deploy on staging: run the script", "Deploy on staging"),
            ("배포: 스크립트를 돌린다", "배포"),
            ("the first thing that we do: run it", ""),
            ("see https://example.com: it tells", ""),
            ("a\nb: c", ""),
            ("no colon", ""),
            (": nothing before", ""),
        ] {
            assert_eq!(headings(text), want, "{text}");
        }
        let ranking = Ranking::default();
        let mut vectors = Vectors::default();
        let text = "Caroline: lake";
        let vector = vectors.vector(Parts { title: "", text, why: None, files: &[] }, &ranking);
        let weights: Vec<f32> = vector.terms.iter().map(|term| term.weighted).collect();
        assert_eq!(weights, [3.0, 1.0]);
    }

    #[test]
    fn a_word_that_was_met_before_counts_as_it_did() {
        let ranking = Ranking::default();
        let text = "the locks went LOCKED parseConfig src/lock.rs 설정 don't a_b v1.2 locks went";
        let mut terms = Vec::new();
        Analyzer::default().analyse(text, |term, class| terms.push((term.to_owned(), class)));
        let mut vectors = Vectors::default();
        for _ in 0..2 {
            let vector = vectors.vector(Parts { title: "", text, why: None, files: &[] }, &ranking);
            let names = vectors.vocabulary.names();
            let found =
                vector.terms.iter().map(|term| (&*names[term.number as usize], term.weighted));
            for (name, weighted) in found {
                let same = terms.iter().filter(|(term, _)| term == name);
                let want: f32 = same.map(|(_, class)| ranking.weight(Field::Body, *class)).sum();
                assert!((weighted - want).abs() < 1e-5, "{name}");
            }
            assert!((f32::from(u8::try_from(terms.len()).unwrap()) - vector.plain).abs() < 1e-5);
        }
    }
}
