//! Notices commits that the memory does not know yet.
//!
//! Hooks have no time to ask git, and the user may commit without any. So a
//! reader compares the commit that is checked out with the known ones. If
//! nothing happened, that reads two small files.

use std::path::Path;

use ralph_core::Timestamp;
use ralph_memory::event::{CommitRecord, EventActor, EventContext, LogEvent, LogEventKind};
use ralph_memory::{MemoryError, Notebook};
use ralph_snapshot::{CommitReader, GitCommit, GitDirs, ProjectLocation, TreeError};

/// Maximum number of commits that are read: the newest.
const MOST: usize = 50;

/// Age in seconds beyond which commits are noticed only if they are checked
/// out.
const LATELY: i64 = 7 * 24 * 60 * 60;

/// The text in a message before the commit that it reverts.
const REVERTS: &str = "This reverts commit ";

/// Stores commits that are new. A failure is ignored.
pub fn notice(book: &Notebook, root: &Path, now: Timestamp) {
    // What is not stored now is stored the next time.
    let _ = look(book, root, now);
}

fn look(book: &Notebook, root: &Path, now: Timestamp) -> Option<()> {
    let project = ProjectLocation::discover(root).ok().filter(|project| project.root == *root)?;
    if let Some(head) = project.git.as_ref().and_then(head)
        && book.has_noticed(&head).ok()?
    {
        return Some(());
    }
    let commits = CommitReader::of(&project).ok()?;
    let head = commits.head().ok()??;
    let mut new = Vec::new();
    for commit in commits.line(&head, MOST).ok()? {
        if book.has_noticed(&commit).ok()? {
            break;
        }
        new.push(commit);
    }
    let since = now.as_millis() / 1000 - LATELY;
    let mut events = Vec::new();
    let read = commits.read(&new, |commit| {
        if commit.at >= since || commit.id == head {
            events.push(committed(commit));
        }
        Ok::<(), TreeError>(())
    });
    read.ok()?;
    // The newest come first; commits of the same second keep their order.
    events.reverse();
    events.sort_by_key(|event| event.at);
    write(book, &events).ok()
}

fn write(book: &Notebook, events: &[LogEvent]) -> Result<(), MemoryError> {
    if events.is_empty() { Ok(()) } else { book.write(events) }
}

/// Returns the commit that is checked out, read from two small files.
fn head(git: &GitDirs) -> Option<String> {
    let head = ralph_files::read_text(git.dir.join("HEAD")).ok()?;
    let name = match head.trim().strip_prefix("ref: ") {
        Some(name) => {
            ralph_files::read_text(git.common.join(name)).ok().or_else(|| packed(git, name))?
        }
        None => head,
    };
    Some(name.trim().to_owned())
}

/// Returns the commit of a packed reference, as after a clone.
fn packed(git: &GitDirs, name: &str) -> Option<String> {
    let all = ralph_files::read_text(git.common.join("packed-refs")).ok()?;
    let mut lines = all.lines().filter_map(|line| line.split_once(' '));
    lines.find(|(_, packed)| *packed == name).map(|(commit, _)| commit.to_owned())
}

fn committed(commit: GitCommit) -> LogEvent {
    let GitCommit { id, at, subject, body, files, .. } = commit;
    let reverts = body.find(REVERTS).map(|start| &body[start + REVERTS.len()..]);
    let reverts = reverts.map(|rest| rest.chars().take_while(char::is_ascii_hexdigit).collect());
    let made = CommitRecord { commit: id, subject, files, reverts };
    let (at, what) = (at.saturating_mul(1000), LogEventKind::Committed(Box::new(made)));
    LogEvent { at, place: EventContext::default(), actor: EventActor::Ralph, what }
}
