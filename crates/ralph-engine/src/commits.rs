//! Commits that nobody told the memory of, noticed by whoever asks next.
//!
//! Hooks have no time to ask git, and the user may commit without any. So a
//! reader compares the commit that is checked out with those that are known:
//! two small files when nothing happened.

use std::path::Path;

use ralph_core::Timestamp;
use ralph_memory::event::{Actor, Committed, Event, Place, What};
use ralph_memory::{MemoryError, Notebook};
use ralph_snapshot::{Commit, Commits, GitDirs, Project, TreeError};

/// Commits that are looked at: the newest.
const MOST: usize = 50;

/// Older commits are noticed only if they are checked out, in seconds.
const LATELY: i64 = 7 * 24 * 60 * 60;

/// How a message tells which commit it takes back.
const REVERTS: &str = "This reverts commit ";

/// Puts commits on record that are new. Without them all goes on as well.
pub fn notice(book: &Notebook, root: &Path, now: Timestamp) {
    let _ = look(book, root, now);
}

fn look(book: &Notebook, root: &Path, now: Timestamp) -> Option<()> {
    let project = Project::discover(root).ok().filter(|project| project.root == *root)?;
    if let Some(head) = project.git.as_ref().and_then(head)
        && book.has_noticed(&head).ok()?
    {
        return Some(());
    }
    let commits = Commits::of(&project).ok()?;
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
    // The newest come first; of commits of one second the later one stays later.
    events.reverse();
    events.sort_by_key(|event| event.at);
    write(book, &events).ok()
}

fn write(book: &Notebook, events: &[Event]) -> Result<(), MemoryError> {
    if events.is_empty() { Ok(()) } else { book.write(events) }
}

/// The commit that is checked out, as far as two small files tell.
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

/// The commit of a reference that git packed, as it does after a clone.
fn packed(git: &GitDirs, name: &str) -> Option<String> {
    let all = ralph_files::read_text(git.common.join("packed-refs")).ok()?;
    let mut lines = all.lines().filter_map(|line| line.split_once(' '));
    lines.find(|(_, packed)| *packed == name).map(|(commit, _)| commit.to_owned())
}

fn committed(commit: Commit) -> Event {
    let Commit { id, at, subject, body, files, .. } = commit;
    let reverts = body.find(REVERTS).map(|start| &body[start + REVERTS.len()..]);
    let reverts = reverts.map(|rest| rest.chars().take_while(char::is_ascii_hexdigit).collect());
    let made = Committed { commit: id, subject, files, reverts };
    let (at, what) = (at.saturating_mul(1000), What::Committed(Box::new(made)));
    Event { at, place: Place::default(), actor: Actor::Ralph, what }
}
