//! The simplest way to find files by commits, as a baseline: BM25 over messages and
//! paths, summed over a file's commits.

use std::collections::{HashMap, HashSet};

use super::{BenchCommit, number};

const SATURATION: f64 = 1.2;
const LENGTH_SHARE: f64 = 0.75;

/// Number of commits after which one counts half.
const HALF_LIFE: f64 = 1000.0;

/// Weight of a word in the subject.
const SUBJECT: f64 = 2.0;

/// The words of commits, newest first.
pub(super) struct CommitWords {
    commits: Vec<(HashMap<String, f64>, f64, Vec<String>)>,
    having: HashMap<String, f64>,
    mean: f64,
}

impl CommitWords {
    pub(super) fn new(commits: Vec<BenchCommit>) -> Self {
        let mut having: HashMap<String, f64> = HashMap::new();
        let mut read = |commit: BenchCommit| {
            let mut counts: HashMap<String, f64> = HashMap::new();
            for word in words(&commit.subject) {
                *counts.entry(word).or_default() += SUBJECT;
            }
            for word in words(&commit.body).chain(words(&commit.files.join(" "))) {
                *counts.entry(word).or_default() += 1.0;
            }
            for word in counts.keys() {
                *having.entry(word.clone()).or_default() += 1.0;
            }
            let length = counts.values().sum();
            (counts, length, commit.files)
        };
        let commits: Vec<_> = commits.into_iter().map(&mut read).collect();
        let lengths: f64 = commits.iter().map(|(_, length, _)| length).sum();
        let mean = lengths / number(commits.len().max(1));
        Self { commits, having, mean }
    }

    pub(super) fn len(&self) -> usize {
        self.commits.len()
    }

    /// Returns the ten best of the present files.
    pub(super) fn best(&self, question: &str, present: &HashSet<String>) -> Vec<String> {
        let asked: HashSet<String> = words(question).collect();
        let all = number(self.commits.len());
        let mut scores: HashMap<&str, f64> = HashMap::new();
        for (age, (counts, length, files)) in self.commits.iter().enumerate() {
            let held_back = SATURATION * (1.0 - LENGTH_SHARE + LENGTH_SHARE * length / self.mean);
            let mut score = 0.0;
            for word in &asked {
                let Some(count) = counts.get(word) else { continue };
                let having = self.having.get(word).copied().unwrap_or(0.0);
                let rarity = (1.0 + (all - having + 0.5) / (having + 0.5)).ln();
                score += rarity * count * (SATURATION + 1.0) / (count + held_back);
            }
            let recency = (-number(age) / HALF_LIFE).exp2();
            for file in files.iter().filter(|file| present.contains(*file)) {
                *scores.entry(file).or_default() += score * recency / number(files.len()).sqrt();
            }
        }
        let mut found: Vec<(&str, f64)> = scores.into_iter().filter(|it| it.1 > 0.0).collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
        found.into_iter().take(10).map(|(file, _)| file.to_owned()).collect()
    }
}

fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|it: char| !it.is_alphanumeric()).filter(|word| word.len() > 1);
    words.map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_commits_with_the_same_words_are_found() {
        let commit = |subject: &str, file: &str| BenchCommit {
            subject: subject.to_owned(),
            body: String::new(),
            files: vec![file.to_owned()],
        };
        let plain =
            CommitWords::new(vec![commit("read numbers", "a"), commit("print columns", "b")]);
        let present = HashSet::from(["a".to_owned(), "b".to_owned()]);
        assert_eq!(plain.best("columns are wrong", &present), ["b"]);
        assert_eq!(plain.len(), 2);
    }
}
