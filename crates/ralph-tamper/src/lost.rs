//! Reports on tests that were not found again.

use std::collections::HashMap;

use super::ParsedFilePair;
use super::assertions::TestAssertion;
use super::kind::{Tampering, TamperingKind};
use super::language::FileLanguage;
use super::matching::{
    CodeUnitEntry, CodeUnitIndex, MOST_COMPARED, TELLING_WORDS, TestMatches, language, share,
};
use super::outline::CodeUnit;
use super::strength::telling;

/// The share of a test that must be in a table of cases.
const IN_TABLE: f64 = 0.6;
/// The share of a test that must be in another one that it became a part of.
const IN_TEST: f64 = 0.9;

/// Reports tests that were not found again.
pub(super) fn tests(
    olds: &CodeUnitIndex<'_>,
    news: &CodeUnitIndex<'_>,
    matches: &TestMatches,
    pairs: &[ParsedFilePair<'_>],
) -> Vec<Tampering> {
    let mut room = room_for_cases(&olds.tests, &news.tests, matches);
    let open = || olds.tests.iter().zip(&matches.new_of).filter(|(_, new)| new.is_none());
    let few = open().count() <= MOST_COMPARED;
    let mut found = Vec::new();
    for (old, _) in open() {
        let test = old.unit.id.clone();
        let whole = now_a_case(old, &news.tests, &mut room)
            .or_else(|| few.then(|| merged_into(old, olds, news, matches)).flatten());
        if let Some(whole) = whole.map(|at| &news.tests[at]) {
            let kind = TamperingKind::TestMerged { test, into: whole.unit.id.clone() };
            found.push(Tampering::new(whole.side.path, whole.unit.line, kind));
        } else if let Some((path, line, now)) = not_collected(old, &news.others, pairs) {
            found.push(Tampering::new(path, line, TamperingKind::TestNotCollected { test, now }));
        } else {
            let was = format!("{}:{}", old.side.path, old.unit.line);
            found.push(Tampering::new(
                old.side.path,
                old.unit.line,
                TamperingKind::TestLost { test, was },
            ));
        }
    }
    found
}

/// Returns the number of cases that each test gained.
fn room_for_cases(
    olds: &[CodeUnitEntry<'_>],
    news: &[CodeUnitEntry<'_>],
    matches: &TestMatches,
) -> Vec<usize> {
    let mut room: Vec<usize> = news.iter().map(|new| new.unit.cases).collect();
    for (old, new) in olds.iter().zip(&matches.new_of) {
        if let Some(new) = *new {
            room[new] = room[new].saturating_sub(old.unit.cases.max(1));
        }
    }
    room
}

/// The test in whose table this one became a row.
fn now_a_case(
    old: &CodeUnitEntry<'_>,
    news: &[CodeUnitEntry<'_>],
    room: &mut [usize],
) -> Option<usize> {
    let needed = old.unit.cases.max(1);
    let table = news.iter().enumerate().position(|(at, new)| {
        let fits = room[at] >= needed && language(new) == language(old);
        fits && contained(old.unit, new.unit) >= IN_TABLE
    })?;
    room[table] -= needed;
    Some(table)
}

/// The test that asserts what this one asserted, and did not before.
fn merged_into(
    old: &CodeUnitEntry<'_>,
    olds: &CodeUnitIndex<'_>,
    news: &CodeUnitIndex<'_>,
    matches: &TestMatches,
) -> Option<usize> {
    let wanted = counted(&olds.assertions(old.pair, old.unit));
    if wanted.is_empty() {
        return None;
    }
    news.tests.iter().enumerate().position(|(at, new)| {
        if new.pair != old.pair || contained(old.unit, new.unit) < IN_TEST {
            return false;
        }
        let now = counted(&news.assertions(new.pair, new.unit));
        let itself = matches.new_of.iter().position(|other| *other == Some(at));
        let before = itself.map(|at| olds.tests[at]).map_or_else(HashMap::new, |itself| {
            counted(&olds.assertions(itself.pair, itself.unit))
        });
        let of = |counts: &HashMap<Vec<String>, usize>, tokens: &Vec<String>| {
            counts.get(tokens).copied().unwrap_or_default()
        };
        wanted.iter().all(|(tokens, wanted)| of(&now, tokens) >= of(&before, tokens) + wanted)
    })
}

fn counted(assertions: &[TestAssertion]) -> HashMap<Vec<String>, usize> {
    let mut counts = HashMap::new();
    for assertion in assertions {
        *counts.entry(assertion.tokens.clone()).or_default() += 1;
    }
    counts
}

/// The share of a test's telling words that another one has.
fn contained(part: &CodeUnit, whole: &CodeUnit) -> f64 {
    let (part, whole) = (telling(part.body()), telling(&whole.words));
    share(part.intersection(&whole).count(), part.len())
}

/// Returns the place of a lost test's code, if no runner collects it there.
fn not_collected<'p>(
    old: &CodeUnitEntry<'_>,
    others: &[CodeUnitEntry<'p>],
    pairs: &'p [ParsedFilePair<'p>],
) -> Option<(&'p str, u32, String)> {
    let same_words =
        |unit: &CodeUnit| unit.words.len() >= TELLING_WORDS && old.unit.body() == unit.body();
    let other = others.iter().find(|other| {
        let near = other.pair == old.pair && other.unit.name.contains(&old.unit.name);
        language(other) == language(old) && (near || same_words(other.unit))
    });
    if let Some(other) = other {
        let renamed = other.unit.name != old.unit.name || other.side.path == old.side.path;
        let now = if renamed { other.unit.name.clone() } else { other.side.path.to_owned() };
        return Some((other.side.path, other.unit.line, now));
    }
    let moved = pairs.iter().enumerate().find_map(|(at, pair)| {
        let new = pair.new.as_ref()?;
        let unknown = FileLanguage::of(new.path).is_none();
        (unknown && (at == old.pair || new.text == old.side.text)).then_some(new)
    })?;
    Some((moved.path, 1, moved.path.to_owned()))
}
