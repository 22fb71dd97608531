//! Finds every test of before again, and says what became of it.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::Hash;

use super::comparing::{self, Against};
use super::kind::{Kind, Tampering};
use super::language::Language;
use super::marks::Effect;
use super::outline::Unit;
use super::strength::telling;
use super::units::Role;
use super::{Pair, Side};

/// A body must have as many words to be known again by them alone.
const TELLING_WORDS: usize = 6;
/// How alike two tests of one file must be to be one that was renamed.
const ALIKE: f64 = 0.6;
/// How much of a test must be in a table of cases.
const CONTAINED: f64 = 0.6;
/// Beyond so many tests on either side, likeness is not looked for.
const MOST_COMPARED: usize = 300;

/// A test and the file it is in.
#[derive(Clone, Copy)]
struct Entry<'p> {
    pair: usize,
    side: &'p Side<'p>,
    unit: &'p Unit,
}

/// Reports what became of tests.
pub(super) fn tests(pairs: &[Pair<'_>]) -> Vec<Tampering> {
    let olds = entries(pairs, |pair| pair.old.as_ref());
    let news = entries(pairs, |pair| pair.new.as_ref());
    let mut found = Vec::new();
    let matches = Matches::find(&olds.tests, &news.tests);
    let fresh = matches.fresh(&news.tests);
    for (old, new) in olds.tests.iter().zip(&matches.new_of) {
        let Some(new) = new.map(|at| news.tests[at]) else { continue };
        found.extend(became(old, &new, &olds, &news));
        let split = fresh.get(&new.pair).copied().unwrap_or_default();
        found.extend(comparing::cases(old.unit, new.unit, new.side.path, split));
    }
    found.extend(lost(&olds.tests, &news, &matches, pairs));
    for (new, used) in news.tests.iter().zip(&matches.used) {
        let selects = new.unit.marks.iter().filter(|mark| mark.effect == Effect::Only && !used);
        found.extend(selects.map(|mark| comparing::marked(mark, new.side.path)));
    }
    found.extend(helpers(&olds, &news));
    found
}

/// The tests and other functions of all files of one time.
struct Entries<'p> {
    tests: Vec<Entry<'p>>,
    others: Vec<Entry<'p>>,
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
    fn assertions(&self, pair: usize, unit: &Unit) -> Vec<super::assertions::Assertion> {
        let mut out = Vec::new();
        self.expand(pair, unit, 0, &mut out);
        out
    }

    fn expand(
        &self,
        pair: usize,
        unit: &Unit,
        depth: usize,
        out: &mut Vec<super::assertions::Assertion>,
    ) {
        const DEPTH: usize = 3;
        const MOST: usize = 10_000;
        let mut replaced = HashSet::new();
        for call in &unit.calls {
            let known = self.local.get(&(pair, call.name.as_str())).or_else(|| {
                self.global.get(call.name.as_str()).filter(|_| call.assertion.is_some())
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

/// Which test of before is which test of now.
struct Matches {
    new_of: Vec<Option<usize>>,
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
        for &old in &open {
            for &new in free.iter().filter(|&&new| news[new].pair == olds[old].pair) {
                let likeness = likeness(olds[old].unit, news[new].unit);
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

    /// How many tests are new, by the pair they are in.
    fn fresh(&self, news: &[Entry<'_>]) -> HashMap<usize, usize> {
        let mut fresh = HashMap::new();
        for (new, _) in news.iter().zip(&self.used).filter(|(_, used)| !**used) {
            *fresh.entry(new.pair).or_default() += 1;
        }
        fresh
    }
}

fn language(entry: &Entry<'_>) -> Option<Language> {
    Language::of(entry.side.path)
        .map(|language| if language.is_script() { Language::JavaScript } else { language })
}

/// The share of telling words that two tests have in common.
fn likeness(old: &Unit, new: &Unit) -> f64 {
    let (before, now) = (telling(&old.words), telling(&new.words));
    let both = before.intersection(&now).count();
    share(both, before.len() + now.len() - both)
}

#[expect(clippy::cast_precision_loss, reason = "counts of words are small")]
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// What became of a test that is still there.
fn became(
    old: &Entry<'_>,
    new: &Entry<'_>,
    olds: &Entries<'_>,
    news: &Entries<'_>,
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
    )
}

/// Reports tests that were not found again.
fn lost(
    olds: &[Entry<'_>],
    news: &Entries<'_>,
    matches: &Matches,
    pairs: &[Pair<'_>],
) -> Vec<Tampering> {
    let mut room = room_for_cases(olds, &news.tests, matches);
    let mut found = Vec::new();
    for (old, _) in olds.iter().zip(&matches.new_of).filter(|(_, new)| new.is_none()) {
        if is_now_a_case(old, &news.tests, &mut room) {
            continue;
        }
        let test = old.unit.id.clone();
        if let Some((path, line, now)) = not_collected(old, &news.others, pairs) {
            found.push(Tampering::new(path, line, Kind::TestNotCollected { test, now }));
        } else {
            let was = format!("{}:{}", old.side.path, old.unit.line);
            found.push(Tampering::new(old.side.path, old.unit.line, Kind::TestLost { test, was }));
        }
    }
    found
}

/// How many cases each test gained.
fn room_for_cases(olds: &[Entry<'_>], news: &[Entry<'_>], matches: &Matches) -> Vec<usize> {
    let mut room: Vec<usize> = news.iter().map(|new| new.unit.cases).collect();
    for (old, new) in olds.iter().zip(&matches.new_of) {
        if let Some(new) = *new {
            room[new] = room[new].saturating_sub(old.unit.cases.max(1));
        }
    }
    room
}

/// Whether a test became a row in the table of another one.
fn is_now_a_case(old: &Entry<'_>, news: &[Entry<'_>], room: &mut [usize]) -> bool {
    let words = telling(&old.unit.words);
    let table = news.iter().enumerate().find(|(at, new)| {
        let there = telling(&new.unit.words);
        language(new) == language(old)
            && room[*at] >= old.unit.cases.max(1)
            && share(words.intersection(&there).count(), words.len()) >= CONTAINED
    });
    table.is_some_and(|(at, _)| {
        room[at] -= old.unit.cases.max(1);
        true
    })
}

/// Where the code of a lost test is now, if no runner takes it up there.
fn not_collected<'p>(
    old: &Entry<'_>,
    others: &[Entry<'p>],
    pairs: &'p [Pair<'p>],
) -> Option<(&'p str, u32, String)> {
    let same_words =
        |unit: &Unit| unit.words.len() >= TELLING_WORDS && likeness(old.unit, unit) >= 0.99;
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
        let unknown = Language::of(new.path).is_none();
        (unknown && (at == old.pair || new.text == old.side.text)).then_some(new)
    })?;
    Some((moved.path, 1, moved.path.to_owned()))
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
            found.extend(became(old, new, olds, news));
        }
    }
    found
}
