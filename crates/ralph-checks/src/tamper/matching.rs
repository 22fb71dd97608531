//! Finds every test of before again, and says what became of it.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::Hash;

use super::assertions::Assertion;
use super::comparing::{self, Against, Fresh};
use super::kind::{Kind, Tampering};
use super::language::Language;
use super::marks::Effect;
use super::outline::Unit;
use super::strength::telling;
use super::units::Role;
use super::{Pair, Side, lost};

/// A body must have as many words to be known again by them alone.
pub(super) const TELLING_WORDS: usize = 6;
/// The minimum similarity of two tests of one file that count as one that was renamed.
const ALIKE: f64 = 0.6;
/// Beyond so many tests on either side, likeness is not looked for.
pub(super) const MOST_COMPARED: usize = 300;

/// A test and the file it is in.
#[derive(Clone, Copy)]
pub(super) struct Entry<'p> {
    pub(super) pair: usize,
    pub(super) side: &'p Side<'p>,
    pub(super) unit: &'p Unit,
}

/// Reports what became of tests.
pub(super) fn tests(pairs: &[Pair<'_>]) -> Vec<Tampering> {
    let olds = entries(pairs, |pair| pair.old.as_ref());
    let news = entries(pairs, |pair| pair.new.as_ref());
    let mut found = Vec::new();
    let matches = Matches::find(&olds.tests, &news.tests);
    let mut fresh = matches.fresh(&news);
    for (old, new) in olds.tests.iter().zip(&matches.new_of) {
        let Some(new) = new.map(|at| news.tests[at]) else { continue };
        let fresh = fresh.entry(new.pair).or_default();
        found.extend(comparing::cases(old.unit, new.unit, new.side.path, fresh.tests));
        found.extend(became(old, &olds, &new, &news, fresh));
    }
    found.extend(lost::tests(&olds, &news, &matches, pairs));
    for (new, used) in news.tests.iter().zip(&matches.used) {
        let selects = new.unit.marks.iter().filter(|mark| mark.effect == Effect::Only && !used);
        found.extend(selects.map(|mark| comparing::marked(mark, new.side.path)));
    }
    found.extend(shadowed(&news, &matches));
    found.extend(helpers(&olds, &news));
    found
}

/// Reports tests behind which another one of the same name was added: where names are bound again,
/// only the last is run.
fn shadowed(news: &Entries<'_>, matches: &Matches) -> Vec<Tampering> {
    let rebinds =
        |entry: &Entry<'_>| matches!(language(entry), Some(Language::Python | Language::Ruby));
    let named: HashMap<(usize, &str), &Entry<'_>> = news
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
            let kind = Kind::TestNotCollected {
                test: known.unit.id.clone(),
                now: format!("{path}:{line}"),
            };
            (known.unit.line < line).then(|| Tampering::new(path, line, kind))
        })
        .collect()
}

/// The tests and other functions of all files of one time.
pub(super) struct Entries<'p> {
    pub(super) tests: Vec<Entry<'p>>,
    pub(super) others: Vec<Entry<'p>>,
    /// Functions that assert, by file and name, and by name alone.
    local: HashMap<(usize, &'p str), &'p Unit>,
    global: HashMap<&'p str, &'p Unit>,
}

fn entries<'p>(
    pairs: &'p [Pair<'p>],
    side: impl Fn(&'p Pair<'p>) -> Option<&'p Side<'p>>,
) -> Entries<'p> {
    let mut all =
        Entries { tests: vec![], others: vec![], local: HashMap::new(), global: HashMap::new() };
    for (index, pair) in pairs.iter().enumerate() {
        let Some(side) = side(pair) else { continue };
        for unit in &side.outline.units {
            let entry = Entry { pair: index, side, unit };
            match unit.role {
                Role::Test => all.tests.push(entry),
                Role::Helper => {
                    all.others.push(entry);
                    all.local.insert((index, unit.name.as_str()), unit);
                }
                Role::Other => all.others.push(entry),
            }
            if unit.role != Role::Test && !unit.assertions.is_empty() {
                all.global.insert(unit.name.as_str(), unit);
            }
        }
    }
    all
}

impl Entries<'_> {
    /// The assertions a test makes, those of its helpers included.
    pub(super) fn assertions(&self, pair: usize, unit: &Unit) -> Vec<Assertion> {
        let mut out = Vec::new();
        self.expand(pair, unit, 0, &mut out);
        out
    }

    fn expand(&self, pair: usize, unit: &Unit, depth: usize, out: &mut Vec<Assertion>) {
        const DEPTH: usize = 3;
        const MOST: usize = 10_000;
        let mut replaced = HashSet::new();
        for call in &unit.calls {
            let known = self.local.get(&(pair, call.name.as_str())).or_else(|| {
                let helper = self.global.get(call.name.as_str());
                helper.filter(|unit| unit.role == Role::Helper || call.assertion.is_some())
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
pub(super) struct Matches {
    /// The test of now for each of before.
    pub(super) new_of: Vec<Option<usize>>,
    used: Vec<bool>,
}

impl Matches {
    fn find(olds: &[Entry<'_>], news: &[Entry<'_>]) -> Self {
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
        olds: &[Entry<'_>],
        news: &[Entry<'_>],
        key: impl Fn(&Entry<'_>) -> Option<K>,
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
    fn by_likeness(&mut self, olds: &[Entry<'_>], news: &[Entry<'_>]) {
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
    fn fresh(&self, news: &Entries<'_>) -> HashMap<usize, Fresh> {
        let mut all: HashMap<usize, Fresh> = HashMap::new();
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

pub(super) fn language(entry: &Entry<'_>) -> Option<Language> {
    Language::of(entry.side.path)
        .map(|language| if language.is_script() { Language::JavaScript } else { language })
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
    old: &Entry<'_>,
    olds: &Entries<'_>,
    new: &Entry<'_>,
    news: &Entries<'_>,
    fresh: &mut Fresh,
) -> Vec<Tampering> {
    if new.unit.collection < old.unit.collection {
        let (test, now) = (old.unit.id.clone(), new.side.path.to_owned());
        let kind = Kind::TestNotCollected { test, now };
        return vec![Tampering::new(new.side.path, new.unit.line, kind)];
    }
    let (before, now) = (olds.assertions(old.pair, old.unit), news.assertions(new.pair, new.unit));
    comparing::units(
        &Against { path: old.side.path, unit: old.unit, assertions: &before },
        &Against { path: new.side.path, unit: new.unit, assertions: &now },
        fresh,
    )
}

/// Compares helpers that no test of their own file calls: with the others,
/// the tests are compared.
fn helpers(olds: &Entries<'_>, news: &Entries<'_>) -> Vec<Tampering> {
    let called: HashSet<(usize, &str)> = olds
        .tests
        .iter()
        .flat_map(|test| test.unit.calls.iter().map(|call| (test.pair, call.name.as_str())))
        .collect();
    let now: HashMap<(usize, &str), &Entry<'_>> =
        news.others.iter().map(|entry| ((entry.pair, entry.unit.id.as_str()), entry)).collect();
    let mut found = Vec::new();
    for old in olds.others.iter().filter(|old| old.unit.role == Role::Helper) {
        let Some(new) = now.get(&(old.pair, old.unit.id.as_str())) else { continue };
        if !called.contains(&(old.pair, old.unit.name.as_str())) {
            found.extend(became(old, olds, new, news, &mut Fresh::default()));
        }
    }
    found
}
