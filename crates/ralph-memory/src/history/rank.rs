//! Which files a task will touch.
//!
//! Every commit is compared with the question by BM25, and what it is worth
//! goes to the files it touched. A file's own path and definitions are compared
//! in the same way, so that both add up. Then files that were changed together
//! with the best ones get a share.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::message::{self, TermKey};
use super::past::{CommitCorpus, CommitFate, CorpusCommit, CorpusFile};
use crate::analysis::TextAnalyzer;

/// What is longer is a document, in bytes.
const LONGEST_QUESTION: usize = 8000;

/// A line that is longer, in bytes, is a text without line ends; then so much
/// of it is taken for its heading.
const LONGEST_HEADING: usize = 160;
const USUAL_HEADING: usize = 72;

/// With so many commits the words of definitions count half.
const FEW_COMMITS: f32 = 10.0;

/// Words that are looked for inside names have so many letters at least.
const SHORTEST_PART: usize = 4;

/// Files whose partners get a share, commits of each that are looked at, and
/// how many files one may have touched.
const LEADERS: usize = 10;
const RECENT: usize = 40;
const FEW_FILES: usize = 15;

/// Reasons of one kind.
const REASONS: usize = 2;

/// What is asked.
#[derive(Clone, Debug, Default)]
pub struct FileQuery {
    /// The task in words.
    pub text: String,
    /// How many files are wanted.
    pub limit: usize,
    /// What else speaks for files: how much, from 0 to 1, and why.
    pub hints: Vec<(String, f32, LikelyReason)>,
}

/// A file that the task will probably touch.
#[derive(Clone, Debug, PartialEq)]
pub struct LikelyFile {
    /// From the root, with slashes.
    pub file: String,
    /// In relation to the best, which has 1.
    pub score: f64,
    /// What speaks for it, the strongest first.
    pub reasons: Vec<LikelyReason>,
    /// How many words of the task are in its path, its definitions and one of
    /// its commits.
    pub words: usize,
    /// How much of the task these words are, from 0 to 1, by how rare they are.
    pub share: f64,
}

/// What speaks for a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LikelyReason {
    /// A commit with words of the task touched it.
    Commit {
        /// Its name.
        id: String,
        /// When, in seconds since 1970.
        at: i64,
        /// The first line of its message, as its author wrote it.
        subject: String,
        /// Whether it was taken back later.
        reverted: bool,
    },
    /// Words of the task are in its path, or in what it defines.
    Words(Vec<String>),
    /// The task names something that it defines.
    Defines(String),
    /// It was changed together with another file that is likely.
    Together {
        /// The other file.
        file: String,
        /// How often, among the last changes of the other.
        times: usize,
    },
    /// A note about it has words of the task.
    Note {
        /// The note.
        id: String,
        /// What it says, in a line.
        title: String,
    },
}

/// A term of the question.
struct QueryTerm {
    key: TermKey,
    weight: f32,
    rarity: f32,
    /// Empty for a scope.
    word: String,
}

/// The terms of the question, those of its first line first. Sums are made in
/// this order, so that they are always the same.
#[derive(Default)]
struct QueryTerms {
    all: Vec<QueryTerm>,
    /// The place of each, sorted by key.
    places: Vec<(TermKey, usize)>,
}

impl QueryTerms {
    fn add(&mut self, key: TermKey, weight: f32, word: &str) {
        if let Err(at) = self.places.binary_search_by_key(&key, |place| place.0) {
            self.places.insert(at, (key, self.all.len()));
            self.all.push(QueryTerm { key, weight, rarity: 0.0, word: word.to_owned() });
        }
    }

    fn place(&self, key: TermKey) -> Option<usize> {
        let at = self.places.binary_search_by_key(&key, |place| place.0).ok()?;
        Some(self.places[at].1)
    }

    fn get(&self, key: TermKey) -> Option<&QueryTerm> {
        self.place(key).map(|place| &self.all[place])
    }
}

impl CommitCorpus {
    /// The files that a task will probably touch, the likeliest first; of
    /// equally likely ones in the order of their paths.
    pub fn likely(&self, question: &FileQuery) -> Vec<LikelyFile> {
        let text = &question.text[..question.text.floor_char_boundary(LONGEST_QUESTION)];
        let asked = self.asked(text);
        let worth: Vec<f64> =
            (0..).zip(&self.commits).map(|(age, it)| self.worth(age, it, &asked)).collect();
        let mut scores = vec![0.0; self.files.len()];
        for (commit, worth) in self.commits.iter().zip(&worth) {
            for file in &commit.files {
                scores[*file] += worth;
            }
        }
        for (score, file) in scores.iter_mut().zip(&self.files) {
            let own = f64::from(self.own(file, &asked).powf(self.weights.sharpness));
            *score += f64::from(self.weights.own_words) * own;
        }
        relate_to_best(&mut scores);
        self.add_parts(text, &asked, &mut scores);
        self.add_hints(question, &mut scores);
        let partners = self.partners(&mut scores);
        for (score, file) in scores.iter_mut().zip(&self.files) {
            let popularity = 1.0 + (1.0 + number(file.commits.len())).ln();
            *score /= f64::from(popularity.powf(self.weights.popularity));
        }
        relate_to_best(&mut scores);
        let best = best(&scores, question.limit);
        let reasons = ReasonFinder { past: self, question, asked: &asked, worth: &worth, partners };
        let mut analyzer = TextAnalyzer::default();
        best.into_iter()
            .map(|file| {
                let keys = self.files[file].keys(&mut analyzer);
                let (words, share) = self.shared(file, &keys, &asked);
                let (path, reasons) = (self.files[file].path.clone(), reasons.of(file, &keys));
                LikelyFile { file: path, score: scores[file], reasons, words, share }
            })
            .collect()
    }

    /// How many words of the question a file and the best of its last commits
    /// have, and how much of the question they are.
    fn shared(&self, file: usize, keys: &BTreeSet<TermKey>, asked: &QueryTerms) -> (usize, f64) {
        let words = || asked.all.iter().filter(|it| !it.word.is_empty());
        let with = |commit: Option<&CorpusCommit>| {
            let has = |it: &&QueryTerm| {
                let is_in = |commit: &CorpusCommit| {
                    commit.terms.binary_search_by_key(&it.key, |term| term.0).is_ok()
                };
                keys.contains(&it.key) || commit.is_some_and(is_in)
            };
            let found: Vec<f32> = words().filter(has).map(|it| it.rarity).collect();
            (found.len(), found.iter().sum::<f32>())
        };
        let commits = &self.files[file].commits;
        let commits = commits.iter().take(RECENT).map(|it| with(Some(&self.commits[*it])));
        let (count, sum) =
            commits.fold(with(None), |best, next| if next.1 > best.1 { next } else { best });
        let whole = words().map(|it| it.rarity).sum::<f32>().max(f32::MIN_POSITIVE);
        (count, f64::from(sum / whole))
    }

    /// The terms of the question; those of its first line count more.
    fn asked(&self, text: &str) -> QueryTerms {
        let mut analyzer = TextAnalyzer::default();
        let (first, rest) = heading(text);
        let mut terms = QueryTerms::default();
        let first_line = self.weights.first_line;
        analyzer.analyse(first, |term, _| terms.add(TermKey::of(term), first_line, term));
        let rest = message::without_trailers(rest);
        analyzer.analyse(&rest, |term, _| terms.add(TermKey::of(term), 1.0, term));
        for key in message::scope(first) {
            terms.add(key, self.weights.scope, "");
        }
        let mut having = vec![0_usize; terms.all.len()];
        for (key, _) in self.commits.iter().flat_map(|commit| &commit.terms) {
            if let Some(place) = terms.place(*key) {
                having[place] += 1;
            }
        }
        let all = number(self.commits.len());
        for (asked, having) in terms.all.iter_mut().zip(having) {
            let having = number(having);
            asked.rarity = (1.0 + (all - having + 0.5) / (having + 0.5)).ln();
        }
        terms
    }

    /// What a commit is worth for each of its files.
    fn worth(&self, age: usize, commit: &CorpusCommit, asked: &QueryTerms) -> f64 {
        if commit.files.is_empty() {
            return 0.0;
        }
        let weights = &self.weights;
        let relative = commit.length / self.mean.commit.max(1.0);
        let held_back =
            weights.saturation * (1.0 - weights.length_share + weights.length_share * relative);
        let mut score = 0.0;
        for (key, count) in &commit.terms {
            if let Some(asked) = asked.get(*key) {
                let often = count * (weights.saturation + 1.0) / (count + held_back);
                score += asked.weight * asked.rarity * often;
            }
        }
        let fading = (-number(age) / weights.half_life).exp2();
        let fresh = weights.lasting + (1.0 - weights.lasting) * fading;
        let kept = match commit.fate {
            CommitFate::Kept => 1.0,
            CommitFate::Reverted | CommitFate::Reverts => weights.reverted,
        };
        let shared = number(commit.touched).powf(weights.sharing);
        f64::from(score.powf(weights.sharpness) * fresh * kept / shared)
    }

    /// How well a file's path and definitions fit the question.
    fn own(&self, file: &CorpusFile, asked: &QueryTerms) -> f32 {
        let weights = &self.weights;
        // Names of files differ less in length than messages, and it says less.
        let held = |length: f32, mean: f32| 0.5 + 0.5 * length / mean.max(1.0);
        let path = held(file.path_length, self.mean.path);
        let names = held(file.names_length, self.mean.names);
        // Definitions have many words, and commits tell better which of them
        // matter: with them recall fell by four points where there were 200.
        let scarcity = FEW_COMMITS / (FEW_COMMITS + number(self.commits.len()));
        let definition = weights.definition * scarcity;
        let mut score = 0.0;
        for asked in &asked.all {
            if let Some((in_path, in_names)) = file.terms.get(&asked.key) {
                let count = in_path / path + definition * in_names / names;
                let often = count * (weights.saturation + 1.0) / (count + weights.saturation);
                score += asked.weight * asked.rarity * often;
            }
        }
        score
    }

    /// Adds files with a word of the first line inside their names: `demux`
    /// in `hlsdemux.c`.
    fn add_parts(&self, text: &str, asked: &QueryTerms, scores: &mut [f64]) {
        let told = asked.all.iter().filter(|it| it.weight > 1.0 && !it.word.is_empty());
        let whole = told.map(|it| it.rarity).sum::<f32>().max(1.0);
        let most = (self.files.len() / 20).max(20);
        for word in parts(heading(text).0) {
            let has = |file: &&(usize, &CorpusFile)| file.1.squeezed.contains(&word);
            let found: Vec<usize> =
                self.files.iter().enumerate().filter(|it| has(&it)).map(|it| it.0).collect();
            if found.is_empty() || found.len() > most {
                continue;
            }
            let rarity = (1.0 + number(self.files.len()) / number(found.len())).ln();
            for file in found {
                scores[file] += f64::from(self.weights.name_part * rarity / whole);
            }
        }
    }

    fn add_hints(&self, question: &FileQuery, scores: &mut [f64]) {
        for (path, weight, _) in &question.hints {
            if let Ok(file) = self.files.binary_search_by(|it| it.path.as_str().cmp(path)) {
                scores[file] += f64::from(self.weights.named * weight);
            }
        }
    }

    /// Gives a share of the best files' scores to what was changed with them;
    /// says for each with which one and how often.
    fn partners(&self, scores: &mut [f64]) -> HashMap<usize, (usize, usize)> {
        let mut shares: BTreeMap<usize, (f64, f64, usize, usize)> = BTreeMap::new();
        for leader in best(scores, LEADERS) {
            let commits = self.files[leader].commits.iter().take(RECENT);
            let few = commits.map(|it| &self.commits[*it]).filter(|it| it.touched <= FEW_FILES);
            let few: Vec<&CorpusCommit> = few.collect();
            let mut times: BTreeMap<usize, usize> = BTreeMap::new();
            for file in few.iter().flat_map(|it| &it.files).filter(|it| **it != leader) {
                *times.entry(*file).or_default() += 1;
            }
            // Of what happened once nobody knows whether it happens again.
            let of = number(few.len().max(2));
            for (file, times) in times {
                let share = scores[leader] * f64::from(self.weights.partners * number(times) / of);
                let entry = shares.entry(file).or_default();
                entry.0 += share;
                if share > entry.1 {
                    (entry.1, entry.2, entry.3) = (share, leader, times);
                }
            }
        }
        for (file, share) in &shares {
            scores[*file] += share.0;
        }
        shares.into_iter().map(|(file, share)| (file, (share.2, share.3))).collect()
    }
}

/// The heading of a text and what follows: the first line, or as much of a long
/// one as people put into a heading.
fn heading(text: &str) -> (&str, &str) {
    let text = text.trim();
    let first = text.lines().next().unwrap_or_default();
    if first.len() <= LONGEST_HEADING {
        return text.split_at(first.len());
    }
    let sentence =
        first.find(". ").filter(|end| (USUAL_HEADING / 4..LONGEST_HEADING).contains(end));
    let usual = first.floor_char_boundary(USUAL_HEADING);
    let word = first[..usual].rfind(' ').filter(|end| *end > 0).unwrap_or(usual);
    text.split_at(sentence.unwrap_or(word))
}

/// The words of a line that may be inside a name.
fn parts(line: &str) -> Vec<String> {
    let mut analyzer = TextAnalyzer::default();
    let words = line.split(|it: char| it != '_' && !it.is_alphanumeric());
    let mut found: Vec<String> = words
        .filter(|word| word.len() >= SHORTEST_PART && !analyzer.terms(word).is_empty())
        .map(|word| word.replace('_', "").to_lowercase())
        .filter(|word| word.len() >= SHORTEST_PART)
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

fn relate_to_best(scores: &mut [f64]) {
    let best = scores.iter().copied().fold(0.0, f64::max);
    if best > 0.0 {
        for score in scores {
            *score /= best;
        }
    }
}

/// The files with the highest scores; files are in the order of their paths.
fn best(scores: &[f64], limit: usize) -> Vec<usize> {
    let mut found: Vec<usize> = (0..scores.len()).filter(|file| scores[*file] > 0.0).collect();
    found.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
    found.truncate(limit);
    found
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^24, or need not be exact")]
fn number(count: usize) -> f32 {
    count as f32
}

/// A stem as the task spells it: people do not know our stems.
fn spelled(text: &str, stem: &str) -> String {
    let words = text.split(|it: char| !it.is_alphanumeric()).map(str::to_lowercase);
    // A stem has `i` where the word may end in `y`.
    let with_y = stem.strip_suffix('i').map(|start| format!("{start}y"));
    let is_meant = |word: &String| word.starts_with(stem) || with_y.as_ref() == Some(word);
    let found = words.into_iter().find(is_meant);
    found.unwrap_or_else(|| stem.to_owned())
}

/// Finds out why files are likely.
struct ReasonFinder<'a> {
    past: &'a CommitCorpus,
    question: &'a FileQuery,
    asked: &'a QueryTerms,
    worth: &'a [f64],
    partners: HashMap<usize, (usize, usize)>,
}

impl ReasonFinder<'_> {
    fn of(&self, file: usize, keys: &BTreeSet<TermKey>) -> Vec<LikelyReason> {
        let known = &self.past.files[file];
        let hints = self.question.hints.iter().filter(|(path, ..)| *path == known.path);
        let mut found: Vec<LikelyReason> = hints.map(|(.., reason)| reason.clone()).collect();
        found.extend(self.commits(known));
        found.extend(self.words(known, keys));
        let together = self.partners.get(&file).map(|(other, times)| LikelyReason::Together {
            file: self.past.files[*other].path.clone(),
            times: *times,
        });
        found.extend(together.filter(|_| found.len() <= REASONS));
        found
    }

    /// The commits that brought most, if they brought anything to speak of.
    fn commits(&self, file: &CorpusFile) -> Vec<LikelyReason> {
        let mut commits = file.commits.clone();
        commits.sort_by(|a, b| self.worth[*b].total_cmp(&self.worth[*a]).then(a.cmp(b)));
        let sum: f64 = commits.iter().map(|it| self.worth[*it]).sum();
        let counts = |it: &usize| self.worth[*it] > 0.0 && self.worth[*it] * 20.0 > sum;
        let reason = |it: usize| {
            let CorpusCommit { id, at, subject, fate, .. } = &self.past.commits[it];
            let reverted = *fate == CommitFate::Reverted;
            LikelyReason::Commit { id: id.clone(), at: *at, subject: subject.clone(), reverted }
        };
        commits.into_iter().filter(counts).take(REASONS).map(reason).collect()
    }

    fn words(&self, file: &CorpusFile, keys: &BTreeSet<TermKey>) -> Option<LikelyReason> {
        let inside = parts(heading(&self.question.text).0)
            .into_iter()
            .filter(|part| file.squeezed.contains(part));
        let mut words: Vec<String> = inside.collect();
        let said = self
            .asked
            .all
            .iter()
            .filter(|it| !it.word.is_empty() && keys.contains(&it.key) && it.rarity > 1.0);
        for word in said.map(|asked| spelled(&self.question.text, &asked.word)) {
            if !words.iter().any(|known| known.contains(&word)) {
                words.push(word);
            }
        }
        words.sort_unstable();
        words.truncate(2 * REASONS);
        (!words.is_empty()).then_some(LikelyReason::Words(words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stem_is_shown_as_the_task_spells_it() {
        assert_eq!(spelled("OpenCode's plugins", "opencod"), "opencode");
        assert_eq!(spelled("Retry it", "retri"), "retry");
        assert_eq!(spelled("something else", "plugin"), "plugin");
    }
}
