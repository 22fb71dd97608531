//! Compares a test with what it was.

use std::collections::HashMap;

use super::assertions::TestAssertion;
use super::kind::{Tampering, TamperingKind, TamperingSeverity};
use super::marks::{SkipEffect, SkipMark};
use super::outline::CodeUnit;
use super::strength::{self, AssertionStrength, telling};
use super::units::CodeUnitRole;

/// Beyond so many assertions, changed ones are compared in order only.
const MOST_COMPARED: usize = 300;

/// A test at one of the two times.
pub(super) struct ComparedTest<'a> {
    pub(super) path: &'a str,
    pub(super) unit: &'a CodeUnit,
    /// With those of its helpers.
    pub(super) assertions: &'a [TestAssertion],
}

/// The new things in a file: a test may have been split.
#[derive(Default)]
pub(super) struct FileAdditions {
    /// The number of tests.
    pub(super) tests: usize,
    /// Their assertions with the number of occurrences. Those that are found again are removed.
    pub(super) assertions: HashMap<Vec<String>, usize>,
}

impl FileAdditions {
    fn takes_over(&mut self, assertion: &TestAssertion) -> bool {
        self.assertions.get_mut(&assertion.tokens).is_some_and(|count| {
            let some = *count > 0;
            *count = count.saturating_sub(1);
            some
        })
    }
}

/// Says what became weaker in a test, or else that it was edited.
pub(super) fn units(
    old: &ComparedTest<'_>,
    new: &ComparedTest<'_>,
    fresh: &mut FileAdditions,
) -> Vec<Tampering> {
    let mut found = added_marks(old.unit, new);
    let test = new.unit.id.clone();
    if new.unit.is_empty && !old.unit.is_empty {
        found.push(Tampering::new(new.path, new.unit.line, TamperingKind::TestEmptied { test }));
        return found;
    }
    found.extend(assertions(old, new, fresh));
    found.extend(propagations(old, new));
    if new.unit.role != CodeUnitRole::Test || found.iter().any(is_weakening) {
        return found;
    }
    if old.unit.id != new.unit.id {
        let (from, to) = (old.unit.id.clone(), test);
        found.push(Tampering::new(
            new.path,
            new.unit.line,
            TamperingKind::TestRenamed { from, to },
        ));
    } else if found.is_empty() && old.unit.words != new.unit.words {
        found.push(Tampering::new(new.path, new.unit.line, TamperingKind::TestChanged { test }));
    }
    found
}

fn is_weakening(one: &Tampering) -> bool {
    one.severity() == TamperingSeverity::Weakening
}

/// Says whether a test lost cases. `split` is how many tests of the file are
/// new: a table may have been taken apart.
pub(super) fn cases(old: &CodeUnit, new: &CodeUnit, path: &str, split: usize) -> Option<Tampering> {
    // A table written elsewhere cannot be counted.
    let elsewhere = new.cases == 0
        && new.words.iter().any(|word| {
            matches!(word.as_str(), "parametrize" | "each" | "MethodSource" | "MemberData")
        });
    let lost = old.cases > new.cases && !elsewhere && old.cases - new.cases > split;
    lost.then(|| {
        let (test, from, to) = (new.id.clone(), old.cases, new.cases);
        Tampering::new(path, new.line, TamperingKind::CasesRemoved { test, from, to })
    })
}

/// The report of a mark.
pub(super) fn marked(mark: &SkipMark, path: &str) -> Tampering {
    let (test, marker) = (mark.owner.clone(), mark.marker.clone());
    let kind = match mark.effect {
        SkipEffect::Skip => TamperingKind::SkipAdded { test, marker },
        SkipEffect::Only => TamperingKind::OnlyAdded { test, marker },
    };
    Tampering::new(path, mark.line, kind)
}

fn added_marks(old: &CodeUnit, new: &ComparedTest<'_>) -> Vec<Tampering> {
    let mut before: HashMap<String, usize> = HashMap::new();
    for mark in &old.marks {
        *before.entry(mark_key(&mark.marker)).or_default() += 1;
    }
    let mut is_new = |mark: &SkipMark| match before.get_mut(&mark_key(&mark.marker)) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        Some(_) | None => true,
    };
    new.unit.marks.iter().filter(|mark| is_new(mark)).map(|mark| marked(mark, new.path)).collect()
}

/// Returns the part of a mark that distinguishes it from others: conditions count, reasons do not.
fn mark_key(marker: &str) -> String {
    let conditional = ["cfg", "skipif", "skipIf", "skipUnless", "build", "If", "On"];
    let plain: String = marker.split_whitespace().collect();
    if conditional.iter().any(|word| plain.contains(word)) {
        return plain;
    }
    plain.split(['(', '=', '"', '\'']).next().unwrap_or_default().trim_end_matches(']').to_owned()
}

fn assertions(
    old: &ComparedTest<'_>,
    new: &ComparedTest<'_>,
    elsewhere: &mut FileAdditions,
) -> Vec<Tampering> {
    let mut found = Vec::new();
    let mut free: HashMap<&[String], Vec<usize>> = HashMap::new();
    for (at, one) in new.assertions.iter().enumerate().rev() {
        free.entry(&one.tokens).or_default().push(at);
    }
    let mut gone = Vec::new();
    let mut kept = vec![false; new.assertions.len()];
    for before in old.assertions {
        match free.get_mut(before.tokens.as_slice()).and_then(Vec::pop) {
            Some(at) => {
                kept[at] = true;
                found.extend(surroundings(before, &new.assertions[at], new));
            }
            None if before.strength != AssertionStrength::Trivial => gone.push(before),
            None => {}
        }
    }
    let fresh = new.assertions.iter().zip(kept).filter(|(_, kept)| !kept).map(|(one, _)| one);
    let (trivial, fresh): (Vec<_>, Vec<_>) =
        fresh.partition(|one| one.strength == AssertionStrength::Trivial);
    let (changed, removed) = paired(&gone, &fresh);
    for (before, now) in changed {
        found.push(changed_to(before, now, new));
    }
    let mut trivial = trivial.into_iter();
    for before in removed {
        if is_absorbed(before, &fresh, old, new) || elsewhere.takes_over(before) {
            continue;
        }
        found.push(match trivial.next() {
            Some(now) => report(now, new, |owner, assertion| TamperingKind::AssertionTrivial {
                owner,
                assertion,
            }),
            None => missing(before, old, new),
        });
    }
    found
}

fn report(
    now: &TestAssertion,
    new: &ComparedTest<'_>,
    kind: impl Fn(String, String) -> TamperingKind,
) -> Tampering {
    Tampering::new(new.path, now.line, kind(now.owner.clone(), now.text.clone()))
}

/// The report of an assertion that is gone: at the test it was in.
fn missing(before: &TestAssertion, old: &ComparedTest<'_>, new: &ComparedTest<'_>) -> Tampering {
    let own = before.owner == old.unit.id;
    let was = format!("{}:{}", old.path, before.line);
    let (path, line, owner) = if own {
        (new.path, new.unit.line, new.unit.id.clone())
    } else {
        (old.path, before.line, before.owner.clone())
    };
    let assertion = before.text.clone();
    Tampering::new(path, line, TamperingKind::AssertionRemoved { owner, assertion, was })
}

/// Reports changes around an assertion that is itself the same.
fn surroundings(
    before: &TestAssertion,
    now: &TestAssertion,
    new: &ComparedTest<'_>,
) -> Option<Tampering> {
    if now.swallowed && !before.swallowed {
        return Some(report(now, new, |owner, assertion| TamperingKind::AssertionSwallowed {
            owner,
            assertion,
        }));
    }
    (now.conditions > before.conditions).then(|| {
        report(now, new, |owner, assertion| TamperingKind::AssertionConditional {
            owner,
            assertion,
        })
    })
}

fn changed_to(before: &TestAssertion, now: &TestAssertion, new: &ComparedTest<'_>) -> Tampering {
    let from = before.text.clone();
    if strength::is_looser(before, now) {
        return report(now, new, |owner, to| TamperingKind::AssertionLoosened {
            owner,
            from: from.clone(),
            to,
        });
    }
    surroundings(before, now, new).unwrap_or_else(|| {
        report(now, new, |owner, to| TamperingKind::AssertionChanged {
            owner,
            from: from.clone(),
            to,
        })
    })
}

type AssertionChanges<'a> = Vec<(&'a TestAssertion, &'a TestAssertion)>;

/// Pairs old assertions with the new ones that replaced them, the most alike first; also returns
/// the old ones that are left.
fn paired<'a>(
    gone: &[&'a TestAssertion],
    fresh: &[&'a TestAssertion],
) -> (AssertionChanges<'a>, Vec<&'a TestAssertion>) {
    let mut order: Vec<(usize, usize, usize)> = Vec::new();
    if gone.len() <= MOST_COMPARED && fresh.len() <= MOST_COMPARED {
        for (old, before) in gone.iter().enumerate() {
            let words = telling(&before.tokens);
            for (new, now) in fresh.iter().enumerate() {
                let common = words.intersection(&telling(&now.tokens)).count();
                order.push((usize::MAX - common, old, new));
            }
        }
        order.sort_unstable();
    } else {
        order.extend((0..gone.len().min(fresh.len())).map(|at| (0, at, at)));
    }
    let (mut taken, mut used) = (vec![false; gone.len()], vec![false; fresh.len()]);
    let mut changed = Vec::new();
    for (_, old, new) in order {
        if !taken[old] && !used[new] {
            (taken[old], used[new]) = (true, true);
            changed.push((gone[old], fresh[new]));
        }
    }
    let left = gone.iter().zip(taken).filter(|(_, taken)| !taken).map(|(one, _)| *one).collect();
    (changed, left)
}

/// True if an assertion lives on in a stricter one, or in a table of cases.
fn is_absorbed(
    before: &TestAssertion,
    fresh: &[&TestAssertion],
    old: &ComparedTest<'_>,
    new: &ComparedTest<'_>,
) -> bool {
    let words = telling(&before.tokens);
    let in_one = fresh.iter().any(|now| {
        now.strength == AssertionStrength::Equality
            && !words.is_empty()
            && words.is_subset(&telling(&now.tokens))
    });
    let in_table = new.unit.cases > old.unit.cases && words.is_subset(&telling(&new.unit.words));
    in_one || in_table
}

/// A test without assertions that does not stop at errors any more.
fn propagations(old: &ComparedTest<'_>, new: &ComparedTest<'_>) -> Option<Tampering> {
    let stopped = old.assertions.is_empty() && old.unit.propagations > 0;
    let goes_on = new.assertions.is_empty() && new.unit.propagations == 0;
    (stopped && goes_on).then(|| {
        let was = format!("{}:{}", old.path, old.unit.line);
        let (owner, assertion) = (new.unit.id.clone(), "unwrap()".to_owned());
        Tampering::new(
            new.path,
            new.unit.line,
            TamperingKind::AssertionRemoved { owner, assertion, was },
        )
    })
}
