//! Keeps the last lines that an agent printed, for its watchers.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Number of lines that are kept.
const KEPT: usize = 3;

/// Maximum length of a kept line, in bytes.
const KEPT_BYTES: usize = 1024;

/// The last lines of an output; clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct LastLines {
    shared: Arc<Mutex<RecentOutput>>,
}

#[derive(Debug, Default)]
struct RecentOutput {
    lines: VecDeque<String>,
    is_new: bool,
}

impl LastLines {
    /// Adds a line. A blank one is skipped.
    pub(crate) fn push(&self, line: &str) {
        if line.trim().is_empty() {
            return;
        }
        let mut recent = self.lock();
        if recent.lines.len() == KEPT {
            recent.lines.pop_front();
        }
        recent.lines.push_back(line[..line.floor_char_boundary(KEPT_BYTES)].to_owned());
        recent.is_new = true;
    }

    /// Returns the lines, the oldest first, if they changed since the last
    /// call.
    pub(crate) fn news(&self) -> Option<Vec<String>> {
        let mut recent = self.lock();
        std::mem::take(&mut recent.is_new).then(|| recent.lines.iter().cloned().collect())
    }

    fn lock(&self) -> MutexGuard<'_, RecentOutput> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_news_once() {
        let writer = LastLines::default();
        let reader = writer.clone();
        assert_eq!(reader.news(), None);
        for line in ["one", "two", " \t", "three", "four"] {
            writer.push(line);
        }
        assert_eq!(reader.news().unwrap(), ["two", "three", "four"]);
        assert_eq!(reader.news(), None);
        writer.push(&"ä".repeat(KEPT_BYTES));
        assert_eq!(reader.news().unwrap()[2].len(), KEPT_BYTES);
    }
}
