//! Ranks files and definitions by importance for some of them: `PageRank` over
//! mentions of names, started from the files of interest.

use crate::facts::{DefinitionId, NameId, SymbolVisibility};
use crate::family::LanguageFamily;
use crate::fuzzy::{FuzzyPattern, MatchScore};
use crate::outline::{ByKey, Mention, NameKey};
use crate::project::{CodeFile, CodeFileId, CodeProject, DefRef, is_aside};
use crate::sketch::MentionCandidate;

/// Share of the weight that each step passes on.
const DAMPING: f32 = 0.85;

/// Number of steps; the order hardly changes after them.
const STEPS: usize = 12;

/// Number of defining files above which a name says nothing about any of them.
const COMMON: usize = 24;

/// Extra weight of a file of interest as a start.
const INTEREST: f32 = 100.0;

/// Number of definitions sorted at once: more than a usual map has.
const SORTED: usize = 4096;

/// Weight of definitions in tests and examples.
const ASIDE: f32 = 1e-3;

/// The files and words that a user is interested in.
#[derive(Debug, Default)]
pub(crate) struct UserInterest {
    pub(crate) files: Vec<CodeFileId>,
    /// Names, or parts of them.
    pub(crate) words: Vec<String>,
}

/// An edge to a file whose names are mentioned.
#[derive(Debug, Clone, Copy)]
struct MentionEdge {
    to: u32,
    weight: f32,
}

/// Mentions between files.
struct FileMentions {
    edges: Vec<MentionEdge>,
    /// End of each file's edges in the list.
    ends: Vec<usize>,
    /// The mentioning file, the definition, and the share of the mention.
    mentions: Vec<(u32, DefRef, f32)>,
}

impl FileMentions {
    fn of(&self, file: usize) -> &[MentionEdge] {
        let start = file.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.edges[start..self.ends[file]]
    }
}

/// Returns the definitions of a project, the most important first. For one tree
/// and one interest the order is always the same.
pub(crate) fn ranked(project: &CodeProject, interest: &UserInterest) -> RankedDefinitions {
    let worded = WordMatches::new(project, &interest.words);
    let graph = graph(project, interest, &worded);
    let start = start(project, interest, &worded);
    let rank = walk(&graph, &start);
    let mut scores = DefinitionScores::new(project);
    for (from, at, share) in &graph.mentions {
        *scores.of(*at) += rank[*from as usize] * share;
    }
    for (at, share) in &worded.definitions {
        *scores.of(*at) += share / 10.0;
    }
    for file in interest.files.iter().copied() {
        for (at, definition) in project.definitions(file) {
            let share = if definition.reach == SymbolVisibility::Project { 2.0 } else { 1.0 };
            let count = project.file(file).count().max(1);
            *scores.of(at) += share * rank[file.0 as usize] / as_f32(count);
        }
    }
    scores.in_order(project, interest, &rank)
}

/// Definitions in ranked order. Few of many are ever needed, so they are sorted
/// only as far as they are read.
pub(crate) struct RankedDefinitions {
    next: std::vec::IntoIter<(f32, DefRef)>,
    rest: Vec<(f32, DefRef)>,
}

impl Iterator for RankedDefinitions {
    type Item = (f32, DefRef);

    fn next(&mut self) -> Option<Self::Item> {
        if self.next.len() == 0 {
            let order =
                |a: &Self::Item, b: &Self::Item| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1));
            // Sorting a quarter at a time costs little more than sorting once.
            let count = SORTED.max(self.rest.len() / 4);
            let mut best = std::mem::take(&mut self.rest);
            if best.len() > count {
                best.select_nth_unstable_by(count, order);
                self.rest = best.split_off(count);
            }
            best.sort_unstable_by(order);
            self.next = best.into_iter();
        }
        self.next.next()
    }
}

/// A score for each definition of a project.
struct DefinitionScores {
    /// Position of the first value of each file.
    starts: Vec<usize>,
    values: Vec<f32>,
}

impl DefinitionScores {
    fn new(project: &CodeProject) -> Self {
        let mut starts = Vec::with_capacity(project.files.len());
        let mut count = 0;
        for file in &project.files {
            starts.push(count);
            count += file.count();
        }
        Self { starts, values: vec![0.0; count] }
    }

    fn of(&mut self, at: DefRef) -> &mut f32 {
        &mut self.values[self.starts[at.file.0 as usize] + at.id.0 as usize]
    }

    /// Returns the definitions with the highest scores first. Those without
    /// mentions come last, by the weight of their files.
    fn in_order(
        self,
        project: &CodeProject,
        interest: &UserInterest,
        rank: &[f32],
    ) -> RankedDefinitions {
        let mut all: Vec<(f32, DefRef)> = Vec::with_capacity(self.values.len());
        let mut values = self.values.into_iter();
        for file in project.ids() {
            let least = rank[file.0 as usize] * 1e-4;
            let is_aside = is_aside(&project.file(file).path) && !interest.files.contains(&file);
            let share = if is_aside { ASIDE } else { 1.0 };
            let count = project.file(file).count();
            let ids = (0..).map(|id| DefRef { file, id: DefinitionId(id) });
            all.extend(values.by_ref().take(count).map(|score| score.max(least) * share).zip(ids));
        }
        RankedDefinitions { next: Vec::new().into_iter(), rest: all }
    }
}

/// Definitions and files that match the words of interest.
struct WordMatches {
    definitions: Vec<(DefRef, f32)>,
    files: Vec<(CodeFileId, f32)>,
    keys: ByKey<f32>,
}

impl WordMatches {
    fn new(project: &CodeProject, words: &[String]) -> Self {
        let mut worded =
            Self { definitions: Vec::new(), files: Vec::new(), keys: ByKey::default() };
        for word in words {
            let pattern = FuzzyPattern::new(word);
            for file in project.ids() {
                let path = &project.file(file).path;
                let share = crate::fuzzy::path_score(&pattern, path).map_or(0.0, strong);
                if share > 0.0 {
                    worded.files.push((file, share));
                }
                worded.add(project, file, &pattern);
            }
        }
        worded
    }

    fn add(&mut self, project: &CodeProject, file: CodeFileId, pattern: &FuzzyPattern) {
        // Few files have a matching name; the others are not decoded.
        let names = (0..).map(NameId).zip(project.file(file).folded.names());
        let fitting: Vec<(NameId, f32)> = names
            .filter_map(|(id, name)| Some((id, strong(pattern.clear_score(name)?))))
            .filter(|(_, share)| *share > 0.0)
            .collect();
        if fitting.is_empty() {
            return;
        }
        for (at, definition) in project.definitions(file) {
            let found = fitting.binary_search_by_key(&definition.name, |(id, _)| *id);
            if let Some((_, share)) = found.ok().and_then(|place| fitting.get(place)) {
                self.definitions.push((at, *share));
                self.keys.insert(NameKey::of(project.name(at)), *share);
            }
        }
    }
}

/// Returns the weight of a match; letters that only occur in order have none.
fn strong(MatchScore(score): MatchScore) -> f32 {
    if score < 450 { 0.0 } else { f32::from(u16::try_from(score).unwrap_or(u16::MAX)) / 1000.0 }
}

fn as_f32(count: usize) -> f32 {
    f32::from(u16::try_from(count).unwrap_or(u16::MAX))
}

/// A definition that other files may mean by its name.
#[derive(Debug, Clone, Copy)]
struct MentionTarget {
    at: DefRef,
    family: LanguageFamily,
    /// True if it is only found after a qualifier.
    is_member: bool,
    /// Weight of a mention, from any file.
    weight: f32,
    /// Position of the next one with the same name, plus one.
    next: u32,
}

/// The mentioned names, with a few false positives: a Bloom filter, small
/// enough to be checked for every definition of a project.
struct NameBloomFilter {
    bits: Vec<u64>,
    mask: u64,
}

impl NameBloomFilter {
    fn new(project: &CodeProject) -> Self {
        let all = || project.files.iter().flat_map(|file| file.folded.sketch().mentions());
        let size = (all().count() * 8).next_power_of_two().max(64);
        let mut mentioned = Self { bits: vec![0; size / 64], mask: size as u64 - 1 };
        for mention in all() {
            let (word, bit) = mentioned.place(mention.name);
            mentioned.bits[word] |= bit;
        }
        mentioned
    }

    fn place(&self, NameKey(key): NameKey) -> (usize, u64) {
        let place = key & self.mask;
        (usize::try_from(place / 64).unwrap_or(0), 1 << (place % 64))
    }

    fn has(&self, key: NameKey) -> bool {
        let (word, bit) = self.place(key);
        self.bits[word] & bit != 0
    }
}

/// Definitions by mentioned name: linked lists in one vector, because a vector
/// for each name would be slower than everything else.
#[derive(Default)]
struct TargetsByName {
    first: ByKey<u32>,
    all: Vec<MentionTarget>,
}

impl TargetsByName {
    fn new(project: &CodeProject) -> Self {
        let mentioned = NameBloomFilter::new(project);
        let mut aims = Self::default();
        for file in project.ids() {
            let CodeFile { family, ref folded, .. } = *project.file(file);
            for offer in folded.sketch().offers().filter(|offer| mentioned.has(offer.name)) {
                let at = DefRef { file, id: offer.id };
                let MentionCandidate { is_member, weight, .. } = offer;
                aims.push(offer.name, MentionTarget { at, family, is_member, weight, next: 0 });
            }
        }
        aims
    }

    fn push(&mut self, key: NameKey, mut aim: MentionTarget) {
        let place = u32::try_from(self.all.len() + 1).unwrap_or(0);
        aim.next = self.first.insert(key, place).unwrap_or(0);
        self.all.push(aim);
    }

    /// Returns the definitions with a name.
    fn of(&self, key: NameKey) -> impl Iterator<Item = &MentionTarget> {
        let get = |place: u32| self.all.get((place as usize).checked_sub(1)?);
        let first = self.first.get(&key).and_then(|place| get(*place));
        std::iter::successors(first, move |aim| get(aim.next))
    }
}

/// Returns the weight of a mention for a definition.
fn strength(mention: &Mention, aim: &MentionTarget) -> f32 {
    let (bare, placed) = (as_f32(mention.bare as usize), as_f32(mention.placed as usize));
    let loose = as_f32(mention.loose as usize);
    let times = match (aim.is_member, aim.family.has_implied_self()) {
        (true, true) => bare + placed + loose * 0.03,
        (true, false) => placed + loose * 0.03,
        (false, _) => bare + placed,
    };
    times.sqrt()
}

fn graph(project: &CodeProject, interest: &UserInterest, worded: &WordMatches) -> FileMentions {
    let aims = TargetsByName::new(project);
    let mut meant: Vec<MentionTarget> = Vec::new();
    let mut graph = FileMentions { edges: Vec::new(), ends: Vec::new(), mentions: Vec::new() };
    let mut totals: Vec<f32> = vec![0.0; project.files.len()];
    let mut touched: Vec<u32> = Vec::new();
    for from in project.ids() {
        let file = project.file(from);
        let mut sum = 0.0;
        let first = graph.mentions.len();
        for mention in file.folded.sketch().mentions() {
            meant.clear();
            meant.extend(aims.of(mention.name).take(COMMON + 1));
            if meant.is_empty() || meant.len() > COMMON {
                continue;
            }
            let boost = 1.0 + worded.keys.get(&mention.name).map_or(0.0, |share| share * 10.0);
            let each = boost / (as_f32(meant.len()) * as_f32(meant.len()));
            for aim in meant.iter().filter(|aim| aim.family == file.family) {
                let share = each * strength(&mention, aim) * aim.weight;
                let to = aim.at.file.0;
                if share > 0.0 {
                    if totals[to as usize] == 0.0 {
                        touched.push(to);
                    }
                    graph.mentions.push((from.0, aim.at, share));
                    totals[to as usize] += share;
                    sum += share;
                }
            }
        }
        for to in touched.drain(..) {
            graph.edges.push(MentionEdge { to, weight: totals[to as usize] / sum });
            totals[to as usize] = 0.0;
        }
        // Names that files of interest mention are of interest.
        let boost = if interest.files.contains(&from) { 10.0 } else { 1.0 };
        for (_, _, share) in &mut graph.mentions[first..] {
            *share *= boost / sum;
        }
        graph.ends.push(graph.edges.len());
    }
    graph
}

fn start(project: &CodeProject, interest: &UserInterest, worded: &WordMatches) -> Vec<f32> {
    let count = project.files.len();
    let mut start = vec![1.0; count];
    for file in &interest.files {
        start[file.0 as usize] += INTEREST * as_f32(count);
    }
    for (file, share) in &worded.files {
        start[file.0 as usize] += INTEREST * share;
    }
    for (at, share) in &worded.definitions {
        start[at.file.0 as usize] += INTEREST * share;
    }
    let sum: f32 = start.iter().sum();
    for share in &mut start {
        *share /= sum.max(1.0);
    }
    start
}

fn walk(graph: &FileMentions, start: &[f32]) -> Vec<f32> {
    let mut rank = start.to_vec();
    for _ in 0..STEPS {
        let mut next: Vec<f32> = vec![0.0; rank.len()];
        let mut lost = 0.0;
        for (file, rank) in rank.iter().enumerate() {
            let edges = graph.of(file);
            if edges.is_empty() {
                lost += rank;
            }
            for edge in edges {
                next[edge.to as usize] += rank * edge.weight;
            }
        }
        for (rank, start) in next.iter_mut().zip(start) {
            *rank = (1.0 - DAMPING) * start + DAMPING * (*rank + lost * start);
        }
        rank = next;
    }
    rank
}
