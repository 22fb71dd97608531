//! How a commit is written down: few bytes, read in one go.

use std::collections::{BTreeMap, BTreeSet};

use super::HistoryCommit;
use super::message::{self, TermKey};
use super::weights::FileRankWeights;
use crate::analysis::TextAnalyzer;

/// What more files than these have in common is a tool or a licence, not a
/// task. Such a commit still tells what was renamed.
const MOST_FILES: usize = 60;

/// A subject is shown as a reason; what is longer is cut, in bytes.
const LONGEST_SUBJECT: usize = 200;

/// A commit as it is kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct StoredCommit {
    pub(crate) at: i64,
    pub(crate) subject: String,
    /// The name of the commit it takes back.
    pub(crate) takes_back: Option<String>,
    /// Empty if there are too many.
    pub(crate) files: Vec<String>,
    pub(crate) renames: Vec<(String, String)>,
    /// Each term of the message and of the paths with how much it counts, sorted.
    pub(crate) terms: Vec<(TermKey, f32)>,
}

impl StoredCommit {
    pub(crate) fn new(analyzer: &mut TextAnalyzer, commit: HistoryCommit) -> Self {
        let HistoryCommit { id: _, at, subject, body, files, renames } = commit;
        let weights = FileRankWeights::default();
        let mut counts: BTreeMap<TermKey, f32> = BTreeMap::new();
        for (key, counted) in message::counted(analyzer, &subject, &body) {
            let (subject, body) = (f32::from(counted.subject), f32::from(counted.body));
            counts.insert(key, weights.subject * subject + weights.body * body);
        }
        let takes_back = message::taken_back(&body).map(str::to_owned);
        let subject = subject[..subject.floor_char_boundary(LONGEST_SUBJECT)].to_owned();
        let files = if files.len() > MOST_FILES { Vec::new() } else { files };
        let in_paths: BTreeSet<TermKey> =
            files.iter().flat_map(|file| message::terms(analyzer, file)).collect();
        for key in in_paths {
            *counts.entry(key).or_default() += weights.path;
        }
        let terms = counts.into_iter().collect();
        Self { at, subject, takes_back, files, renames, terms }
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.extend(self.at.to_le_bytes());
        text(&mut out, &self.subject);
        text(&mut out, self.takes_back.as_deref().unwrap_or_default());
        count(&mut out, self.files.len());
        for file in &self.files {
            text(&mut out, file);
        }
        count(&mut out, self.renames.len());
        for (old, new) in &self.renames {
            text(&mut out, old);
            text(&mut out, new);
        }
        for (key, counts) in &self.terms {
            out.extend(key.0.to_le_bytes());
            out.extend(counts.to_le_bytes());
        }
        out
    }

    /// `None` if these bytes are not those of a commit.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let mut reader = CommitDecoder(bytes);
        let at = i64::from_le_bytes(reader.take()?);
        let subject = reader.text()?;
        let takes_back = Some(reader.text()?).filter(|name| !name.is_empty());
        let files = (0..reader.count()?).map(|_| reader.text()).collect::<Option<_>>()?;
        let renames = (0..reader.count()?).map(|_| Some((reader.text()?, reader.text()?)));
        let renames = renames.collect::<Option<_>>()?;
        let mut terms = Vec::with_capacity(reader.0.len() / 12);
        while !reader.0.is_empty() {
            let key = TermKey(u64::from_le_bytes(reader.take()?));
            terms.push((key, f32::from_le_bytes(reader.take()?)));
        }
        Some(Self { at, subject, takes_back, files, renames, terms })
    }
}

fn count(out: &mut Vec<u8>, number: usize) {
    out.extend(u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes());
}

fn text(out: &mut Vec<u8>, text: &str) {
    count(out, text.len());
    out.extend(text.as_bytes());
}

struct CommitDecoder<'a>(&'a [u8]);

impl CommitDecoder<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    fn count(&mut self) -> Option<usize> {
        usize::try_from(u32::from_le_bytes(self.take()?)).ok()
    }

    fn text(&mut self) -> Option<String> {
        let length = self.count()?;
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        String::from_utf8(taken.to_vec()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(files: usize) -> HistoryCommit {
        HistoryCommit {
            id: "a".repeat(40),
            at: 12,
            subject: "core: do ünlikely things".to_owned(),
            body: "This reverts commit 0123456789.".to_owned(),
            files: (0..files).map(|at| format!("src/{at}.rs")).collect(),
            renames: vec![("a".to_owned(), "b".to_owned())],
        }
    }

    #[test]
    fn a_commit_is_read_as_it_was_written() {
        let stored = StoredCommit::new(&mut TextAnalyzer::default(), commit(3));
        assert_eq!(stored.takes_back.as_deref(), Some("0123456789"));
        assert!(stored.terms.len() > 4);
        let bytes = stored.bytes();
        assert_eq!(StoredCommit::read(&bytes), Some(stored));
        assert_eq!(StoredCommit::read(&bytes[..bytes.len() - 1]), None);
        assert_eq!(StoredCommit::read(&[]), None);
    }

    #[test]
    fn a_giant_commit_is_kept_for_its_renames_alone() {
        let stored = StoredCommit::new(&mut TextAnalyzer::default(), commit(MOST_FILES + 1));
        assert_eq!((stored.files.len(), stored.renames.len()), (0, 1));
    }
}
