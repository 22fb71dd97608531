//! The plan of a rollback, saved before it begins, so that an interrupted one
//! can be completed.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::TreeError;
use crate::escape::{escape, unescape};
use crate::label::SnapshotLabel;
use crate::{path_bytes, probe};

/// First line of every journal, with the number of its format.
const FIRST_LINE: &str = "ralph rollback 1";

/// A rollback in progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Journal {
    /// The snapshot it goes to.
    pub(crate) to: SnapshotLabel,
    /// Number of its safety snapshot.
    pub(crate) safety: u32,
    /// The files it changes.
    pub(crate) paths: BTreeSet<PathBuf>,
}

impl Journal {
    pub(crate) fn save(&self, path: &Path) -> Result<(), TreeError> {
        let mut text = format!("{FIRST_LINE}\n{}\n{}\n", self.to, self.safety);
        for path in &self.paths {
            escape(&path_bytes::to_bytes(path), &mut text);
            text.push('\n');
        }
        crate::work_tree::create_private(path.parent().unwrap_or(path))?;
        probe::write_atomically(path, text.as_bytes()).map_err(TreeError::io("write", path))
    }

    /// Loads a journal; `None` if there is none. An unreadable one is an error,
    /// since its rollback may be incomplete.
    pub(crate) fn load(path: &Path) -> Result<Option<Self>, TreeError> {
        let text = match ralph_files::read_own_text(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(TreeError::io("read", path)(error)),
        };
        let damaged = || TreeError::io("understand", path)(io::ErrorKind::InvalidData.into());
        Self::parse(&text).map(Some).ok_or_else(damaged)
    }

    pub(crate) fn delete(path: &Path) -> Result<(), TreeError> {
        match fs::remove_file(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed.map_err(TreeError::io("remove", path)),
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        if lines.next() != Some(FIRST_LINE) {
            return None;
        }
        let (to, safety) = (lines.next()?.parse().ok()?, lines.next()?.parse().ok()?);
        let paths = lines.map(|line| Some(path_bytes::from_bytes(&unescape(line)?)));
        Some(Self { to, safety, paths: paths.collect::<Option<_>>()? })
    }
}

/// Numbers of rollbacks that were undone, and of those that undid them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct UndoneRollbacks(BTreeSet<u32>);

impl UndoneRollbacks {
    /// Loads the list; empty if it is missing or unreadable. Undoing then
    /// begins with the newest rollback.
    pub(crate) fn load(path: &Path) -> Self {
        let text = ralph_files::read_own_text(path).unwrap_or_default();
        Self(text.split_ascii_whitespace().filter_map(|number| number.parse().ok()).collect())
    }

    pub(crate) fn has(&self, number: u32) -> bool {
        self.0.contains(&number)
    }

    pub(crate) fn add(&mut self, number: u32) {
        self.0.insert(number);
    }

    pub(crate) fn save(&self, path: &Path) -> Result<(), TreeError> {
        let lines: Vec<String> = self.0.iter().map(u32::to_string).collect();
        crate::work_tree::create_private(path.parent().unwrap_or(path))?;
        probe::write_atomically(path, lines.join("\n").as_bytes())
            .map_err(TreeError::io("write", path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_survives_the_way_through_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/journal");
        assert_eq!(Journal::load(&path).unwrap(), None);
        let paths = ["a\nb".into(), "dir/ c".into()].into();
        let journal = Journal { to: SnapshotLabel::Start, safety: 2, paths };
        journal.save(&path).unwrap();
        assert_eq!(Journal::load(&path).unwrap(), Some(journal));
        Journal::delete(&path).unwrap();
        assert_eq!(Journal::load(&path).unwrap(), None);
        fs::write(&path, "damaged").unwrap();
        assert!(Journal::load(&path).is_err());
    }
}
