//! Finds every test of before again, and says what became of it.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::Hash;

use super::assertions::TestAssertion;
use super::comparing::{self, ComparedTest, FileAdditions};
use super::kind::{Tampering, TamperingKind};
use super::language::FileLanguage;
use super::marks::SkipEffect;
use super::outline::CodeUnit;
use super::strength::telling;
use super::units::CodeUnitRole;
use super::{ParsedFilePair, ParsedFileVersion, lost};

/// A body must have as many words to be known again by them alone.
pub(super) const TELLING_WORDS: usize = 6;
/// The minimum similarity of two tests of one file that count as one that was renamed.
const ALIKE: f64 = 0.6;
/// Beyond so many tests on either side, likeness is not looked for.
pub(super) const MOST_COMPARED: usize = 300;

/// A test and the file it is in.
#[derive(Clone, Copy)]
pub(super) struct CodeUnitEntry<'p> {
    pub(super) pair: usize,
    pub(super) side: &'p ParsedFileVersion<'p>,
    pub(super) unit: &'p CodeUnit,
}

/// Reports what became of tests.
pub(super) fn tests(pairs: &[ParsedFilePair<'_>]) -> Vec<Tampering> {
    let olds = entries(pairs, |pair| pair.old.as_ref());
    let news = entries(pairs, |pair| pair.new.as_ref());
    let mut found = Vec::new();
    let matches = TestMatches::find(&olds.tests, &news.tests);
    let mut fresh = matches.fresh(&news);
    for (old, new) in olds.tests.iter().zip(&matches.new_of) {
        let Some(new) = new.map(|at| news.tests[at]) else { continue };
        let fresh = fresh.entry(new.pair).or_default();
        found.extend(comparing::cases(old.unit, new.unit, new.side.path, fresh.tests));
        found.extend(became(old, &olds, &new, &news, fresh));
    }
    found.extend(lost::tests(&olds, &news, &matches, pairs));
    for (new, used) in news.tests.iter().zip(&matches.used) {
        let selects = new.unit.marks.iter().filter(|mark| mark.effect == SkipEffect::Only && !used);
        found.extend(selects.map(|mark| comparing::marked(mark, new.side.path)));
    }
    found.extend(shadowed(&news, &matches));
    found.extend(helpers(&olds, &news));
    found
}

/// Reports tests behind which another one of the same name was added: where names are bound again,
/// only the last is run.
fn shadowed(news: &CodeUnitIndex<'_>, matches: &TestMatches) -> Vec<Tampering> {
    let rebinds = |entry: &CodeUnitEntry<'_>| {
        matches!(language(entry), Some(FileLanguage::Python | FileLanguage::Ruby))
    };
    let named: HashMap<(usize, &str), &CodeUnitEntry<'_>> = news
        .tests
        .iter()
        .zip(&matches.used)
        .filter(|(entry, used)| **used && rebinds(entry))
        .map(|(entry, _)| ((entry.pair, entry.unit.id.as_str()), entry))
        .collect();
    let added = news.tests.iter().zip(&matches.used).filter(|(_, used)| !**used);
    added
        .filter_map(|(entry, _)| {
            let known = named.get(&(entry.pair, entry.unit.id.as_str()))?;
            let (path, line) = (entry.side.path, entry.unit.line);
            let kind = TamperingKind::TestNotCollected {
                test: known.unit.id.clone(),
                now: format!("{path}:{line}"),
            };
            (known.unit.line < line).then(|| Tampering::new(path, line, kind))
        })
        .collect()
}

/// The tests and other functions of all files of one time.
pub(super) struct CodeUnitIndex<'p> {
    pub(super) tests: Vec<CodeUnitEntry<'p>>,
    pub(super) others: Vec<CodeUnitEntry<'p>>,
    /// Functions that assert, by file and name, and by name alone.
    local: HashMap<(usize, &'p str), &'p CodeUnit>,
    global: HashMap<&'p str, &'p CodeUnit>,
}

fn entries<'p>(
    pairs: &'p [ParsedFilePair<'p>],
    side: impl Fn(&'p ParsedFilePair<'p>) -> Option<&'p ParsedFileVersion<'p>>,
) -> CodeUnitIndex<'p> {
    let mut all = CodeUnitIndex {
        tests: vec![],
        others: vec![],
        local: HashMap::new(),
        global: HashMap::new(),
    };
    for (index, pair) in pairs.iter().enumerate() {
        let Some(side) = side(pair) else { continue };
        for unit in &side.outline.units {
            let entry = CodeUnitEntry { pair: index, side, unit };
            match unit.role {
                CodeUnitRole::Test => all.tests.push(entry),
                CodeUnitRole::Helper => {
                    all.others.push(entry);
                    all.local.insert((index, unit.name.as_str()), unit);
                }
                CodeUnitRole::Other => all.others.push(entry),
            }
            if unit.role != CodeUnitRole::Test && !unit.assertions.is_empty() {
                all.global.insert(unit.name.as_str(), unit);
            }
        }
    }
    all
}

impl CodeUnitIndex<'_> {
    /// The assertions a test makes, those of its helpers included.
    pub(super) fn assertions(&self, pair: usize, unit: &CodeUnit) -> Vec<TestAssertion> {
        let mut out = Vec::new();
        self.expand(pair, unit, 0, &mut out);
        out
    }

    fn expand(&self, pair: usize, unit: &CodeUnit, depth: usize, out: &mut Vec<TestAssertion>) {
        const DEPTH: usize = 3;
        const MOST: usize = 10_000;
        let mut replaced = HashSet::new();
        for call in &unit.calls {
            let known = self.local.get(&(pair, call.name.as_str())).or_else(|| {
                let helper = self.global.get(call.name.as_str());
                helper.filter(|unit| unit.role == CodeUnitRole::Helper || call.assertion.is_some())
            });
            let Some(helper) = known.filter(|helper| helper.name != unit.name) else { continue };
            replaced.extend(call.assertion);
            if depth < DEPTH && out.len() < MOST {
                self.expand(pair, helper, depth + 1, out);
            }
        }
        let own = unit.assertions.iter().enumerate().filter(|(at, _)| !replaced.contains(at));
        out.extend(own.map(|(_, assertion)| assertion.clone()));
    }
}

/// The pairs of earlier and current tests.
pub(super) struct TestMatches {
    /// The test of now for each of before.
    pub(super) new_of: Vec<Option<usize>>,
    used: Vec<bool>,
}

impl TestMatches {
    fn find(olds: &[CodeUnitEntry<'_>], news: &[CodeUnitEntry<'_>]) -> Self {
        let mut matches = Self { new_of: vec![None; olds.len()], used: vec![false; news.len()] };
        matches.by(olds, news, |entry| Some((entry.pair, entry.unit.id.clone())));
        matches.by(olds, news, |entry| Some((entry.side.path.to_owned(), entry.unit.id.clone())));
        matches.by(olds, news, |entry| Some((language(entry), entry.unit.id.clone())));
        matches.by(olds, news, |entry| {
            (entry.unit.words.len() >= TELLING_WORDS)
                .then(|| (language(entry), entry.unit.words.clone()))
        });
        matches.by(olds, news, |entry| Some((entry.pair, entry.unit.name.clone())));
        matches.by(olds, news, |entry| Some((language(entry), entry.unit.name.clone())));
        matches.by_likeness(olds, news);
        matches
    }

    /// Matches what has the same key, in order.
    fn by<K: Hash + Eq>(
        &mut self,
        olds: &[CodeUnitEntry<'_>],
        news: &[CodeUnitEntry<'_>],
        key: impl Fn(&CodeUnitEntry<'_>) -> Option<K>,
    ) {
        let mut free: HashMap<K, VecDeque<usize>> = HashMap::new();
        for (at, new) in news.iter().enumerate().filter(|(at, _)| !self.used[*at]) {
            if let Some(key) = key(new) {
                free.entry(key).or_default().push_back(at);
            }
        }
        for (at, old) in olds.iter().enumerate() {
            if self.new_of[at].is_some() {
                continue;
            }
            let new = key(old).and_then(|key| free.get_mut(&key)?.pop_front());
            if let Some(new) = new {
                self.new_of[at] = Some(new);
                self.used[new] = true;
            }
        }
    }

    /// Matches tests of one file that are much alike, the most alike first.
    fn by_likeness(&mut self, olds: &[CodeUnitEntry<'_>], news: &[CodeUnitEntry<'_>]) {
        let open: Vec<usize> = (0..olds.len()).filter(|&at| self.new_of[at].is_none()).collect();
        let free: Vec<usize> = (0..news.len()).filter(|&at| !self.used[at]).collect();
        if open.len() > MOST_COMPARED || free.len() > MOST_COMPARED {
            return;
        }
        let mut alike = Vec::new();
        let words: Vec<HashSet<&str>> =
            free.iter().map(|&new| telling(&news[new].unit.words)).collect();
        for &old in &open {
            let before = telling(&olds[old].unit.words);
            let near = free.iter().zip(&words);
            for (&new, now) in near.filter(|(new, _)| news[**new].pair == olds[old].pair) {
                let likeness = likeness(&before, now);
                if likeness >= ALIKE {
                    alike.push((likeness, old, new));
                }
            }
        }
        alike.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        for (_, old, new) in alike {
            if self.new_of[old].is_none() && !self.used[new] {
                self.new_of[old] = Some(new);
                self.used[new] = true;
            }
        }
    }

    /// Returns the new tests and assertions, by the pair of files they are in.
    fn fresh(&self, news: &CodeUnitIndex<'_>) -> HashMap<usize, FileAdditions> {
        let mut all: HashMap<usize, FileAdditions> = HashMap::new();
        for (new, _) in news.tests.iter().zip(&self.used).filter(|(_, used)| !**used) {
            let fresh = all.entry(new.pair).or_default();
            fresh.tests += 1;
            for assertion in news.assertions(new.pair, new.unit) {
                *fresh.assertions.entry(assertion.tokens).or_default() += 1;
            }
        }
        all
    }
}

pub(super) fn language(entry: &CodeUnitEntry<'_>) -> Option<FileLanguage> {
    FileLanguage::of(entry.side.path)
        .map(|language| if language.is_script() { FileLanguage::JavaScript } else { language })
}

/// The share of telling words that two tests have in common.
fn likeness(before: &HashSet<&str>, now: &HashSet<&str>) -> f64 {
    let both = before.intersection(now).count();
    share(both, before.len() + now.len() - both)
}

#[expect(clippy::cast_precision_loss, reason = "counts of words are small")]
pub(super) fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Reports changes in a test that is still there.
fn became(
    old: &CodeUnitEntry<'_>,
    olds: &CodeUnitIndex<'_>,
    new: &CodeUnitEntry<'_>,
    news: &CodeUnitIndex<'_>,
    fresh: &mut FileAdditions,
) -> Vec<Tampering> {
    if new.unit.collection < old.unit.collection {
        let (test, now) = (old.unit.id.clone(), new.side.path.to_owned());
        let kind = TamperingKind::TestNotCollected { test, now };
        return vec![Tampering::new(new.side.path, new.unit.line, kind)];
    }
    let (before, now) = (olds.assertions(old.pair, old.unit), news.assertions(new.pair, new.unit));
    comparing::units(
        &ComparedTest { path: old.side.path, unit: old.unit, assertions: &before },
        &ComparedTest { path: new.side.path, unit: new.unit, assertions: &now },
        fresh,
    )
}

/// Compares helpers that no test of their own file calls: with the others,
/// the tests are compared.
fn helpers(olds: &CodeUnitIndex<'_>, news: &CodeUnitIndex<'_>) -> Vec<Tampering> {
    let called: HashSet<(usize, &str)> = olds
        .tests
        .iter()
        .flat_map(|test| test.unit.calls.iter().map(|call| (test.pair, call.name.as_str())))
        .collect();
    let now: HashMap<(usize, &str), &CodeUnitEntry<'_>> =
        news.others.iter().map(|entry| ((entry.pair, entry.unit.id.as_str()), entry)).collect();
    let mut found = Vec::new();
    for old in olds.others.iter().filter(|old| old.unit.role == CodeUnitRole::Helper) {
        let Some(new) = now.get(&(old.pair, old.unit.id.as_str())) else { continue };
        if !called.contains(&(old.pair, old.unit.name.as_str())) {
            found.extend(became(old, olds, new, news, &mut FileAdditions::default()));
        }
    }
    found
}
