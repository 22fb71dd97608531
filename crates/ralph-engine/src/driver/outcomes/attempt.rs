//! The attempt of a turn: the lines it added and removed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ralph_core::memory::attempt::{AttemptResult, TaskAttempt};
use ralph_core::{Evidence, Run, TreeId};
use ralph_snapshot::{ChangeKind, Snapshot, SnapshotError, Snapshots};
use similar::{ChangeTag, TextDiff};

use super::LessonWriter;
use super::mend;
use crate::undo;

/// Maximum number of files that are compared: a larger change tells nothing.
const MOST_FILES: usize = 60;

/// Size in bytes above which files are not compared.
const MOST_BYTES: u64 = 256 * 1024;

/// Time for comparing two versions of a file.
pub(super) const COMPARING: Duration = Duration::from_millis(200);

/// Maximum number of lines of an attempt that are quoted.
const FEW_LINES: usize = 4;

/// Maximum length of the agent's words that is kept, in characters.
const APPROACH_CHARS: usize = 200;

impl LessonWriter<'_, '_> {
    /// Returns the turn's changes since the turn before. Unknown parts are left
    /// out.
    pub(super) fn attempt_of(&self, run: &Run, evidence: &Evidence) -> TurnAttempt {
        let tree = evidence.tree.as_ref().map(ToString::to_string);
        let attempt = TaskAttempt::new(tree, approach(&evidence.text), AttemptResult::Open);
        let untold = TurnAttempt { attempt: attempt.clone(), hunks: None };
        if evidence.tree.is_none() || run.tree == evidence.tree {
            return untold;
        }
        self.with_changes(run, evidence, attempt).ok().flatten().unwrap_or(untold)
    }

    fn with_changes(
        &self,
        run: &Run,
        evidence: &Evidence,
        mut attempt: TaskAttempt,
    ) -> Result<Option<TurnAttempt>, SnapshotError> {
        let (Some(last), Some(present)) = (&run.tree, &evidence.tree) else { return Ok(None) };
        let snapshots = Snapshots::new(&self.context.tree, run.id.clone());
        let is_last = |kept: &Snapshot| kept.tree == *last;
        let kept = match self.kept.cloned().filter(is_last) {
            Some(kept) => Some(kept),
            None => undo::last(&snapshots.list()?).cloned().filter(is_last),
        };
        let Some(kept) = kept else { return Ok(None) };
        let files = self.compared_files(&snapshots, &kept, present)?;
        for file in &files {
            attempt = match &file.texts {
                Some((before, after)) => compared(attempt, &file.name, before, after),
                None => attempt.change(&file.name, &[], &[]),
            };
        }
        let hunks = mend::quoted(&mend::not_tests(files), FEW_LINES);
        Ok(Some(TurnAttempt { attempt, hunks: Some(hunks).filter(|hunks| !hunks.is_empty()) }))
    }

    /// Returns the changes since a snapshot.
    pub(super) fn compared_files(
        &self,
        snapshots: &Snapshots<'_>,
        kept: &Snapshot,
        present: &TreeId,
    ) -> Result<Vec<ChangedFile>, SnapshotError> {
        let changes = self.context.tree.changes(&kept.tree, present)?;
        let earlier = snapshots.earlier(kept, present, MOST_BYTES)?;
        let mut earlier: BTreeMap<PathBuf, Option<Vec<u8>>> =
            earlier.into_iter().map(|file| (file.path, file.contents)).collect();
        let files = changes.iter().take(MOST_FILES).map(|change| {
            let before = earlier.remove(&change.path).flatten();
            let before = if change.kind == ChangeKind::Added { Some(Vec::new()) } else { before };
            let after = match change.kind {
                ChangeKind::Removed => Some(Vec::new()),
                ChangeKind::Added | ChangeKind::Modified => {
                    present_text(&self.context.places.root.join(&change.path))
                }
            };
            let texts = before.as_deref().and_then(text).zip(after.as_deref().and_then(text));
            ChangedFile { name: change.path.to_string_lossy().into_owned(), texts }
        });
        Ok(files.collect())
    }
}

/// The changes of a turn.
#[derive(Debug, Clone)]
pub(super) struct TurnAttempt {
    pub(super) attempt: TaskAttempt,
    /// A few changed lines, unless only tests changed.
    pub(super) hunks: Option<String>,
}

/// A file that changed.
#[derive(Debug)]
pub(super) struct ChangedFile {
    pub(super) name: String,
    /// The text before and after; `None` if it is binary or too long.
    pub(super) texts: Option<(String, String)>,
}

fn text(bytes: &[u8]) -> Option<String> {
    (!bytes.contains(&0)).then(|| String::from_utf8_lossy(bytes).into_owned())
}

fn compared(attempt: TaskAttempt, name: &str, before: &str, after: &str) -> TaskAttempt {
    let diff = TextDiff::configure().timeout(COMPARING).diff_lines(before, after);
    let (mut added, mut removed) = (Vec::new(), Vec::new());
    for change in diff.iter_all_changes() {
        match change.tag() {
            ChangeTag::Insert => added.push(change.value()),
            ChangeTag::Delete => removed.push(change.value()),
            ChangeTag::Equal => {}
        }
    }
    attempt.change(name, &added, &removed)
}

fn present_text(path: &Path) -> Option<Vec<u8>> {
    let facts = fs::symlink_metadata(path).ok()?;
    (facts.is_file() && facts.len() <= MOST_BYTES).then(|| ralph_files::read(path).ok())?
}

/// Returns the agent's description of its work, in one line and without its
/// claim.
fn approach(text: &str) -> Option<String> {
    let mut lines = text.lines().map(|line| without_claim(line.trim()));
    let line = lines.find(|line| !line.is_empty())?;
    Some(line.chars().take(APPROACH_CHARS).collect())
}

/// Returns a line without the tag that ends it.
pub(super) fn without_claim(line: &str) -> &str {
    let claim = || {
        let (before, name) = line.strip_suffix('>')?.rsplit_once("</")?;
        Some(before.rsplit_once(&format!("<{name}>"))?.0.trim_end())
    };
    claim().unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_is_one_line_without_the_claim() {
        assert_eq!(approach("\n  Raise the limit.\nMore.").as_deref(), Some("Raise the limit."));
        assert_eq!(approach("<promise>DONE</promise>\n"), None);
        let both = "Raise it. <promise>DONE</promise>";
        assert_eq!(approach(both).as_deref(), Some("Raise it."));
        assert_eq!(approach("a <b> </c>").as_deref(), Some("a <b> </c>"));
    }

    #[test]
    fn lines_that_came_and_went_are_those_of_the_attempt() {
        let attempt = compared(TaskAttempt::default(), "a.py", "keep\nold()\n", "keep\nnew()\n");
        let want = TaskAttempt::default().change("a.py", &["new()"], &["old()"]);
        assert_eq!(attempt, want);
        assert_eq!(text(b"\0"), None);
    }
}
