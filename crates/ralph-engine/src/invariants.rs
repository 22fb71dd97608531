//! Notes with a check: the notes that must hold, and their checks.

use std::path::{Path, PathBuf};

use ralph_checks::invariants::{Check, Invariant};
use ralph_memory::event::{self, Scope, What};
use ralph_memory::log::{Entry, Log, Position};
use ralph_memory::{Known, MemoryError, Notebook};

/// Returns the notes of these homes that have a check, except those of a task,
/// which are on trial. Opens nothing if there are no notes.
pub fn held(homes: &[PathBuf]) -> Result<Vec<Invariant>, MemoryError> {
    let mut found = Vec::new();
    for home in homes.iter().filter(|home| Notebook::exists(home)) {
        found.extend(of_home(home)?.into_iter().map(|(known, check)| invariant(known, check)));
    }
    Ok(found)
}

/// Returns true if a note of these homes has a check.
///
/// If notes cannot be read, their log is read instead, so that damaging an
/// index does not remove the check. If the log cannot be read either, the
/// answer is no: a broken memory must not fail a run.
pub fn any(homes: &[PathBuf]) -> bool {
    homes.iter().filter(|home| Notebook::exists(home)).any(|home| match of_home(home) {
        Ok(bound) => !bound.is_empty(),
        Err(_) => was_bound(home),
    })
}

/// Returns true if the log contains a check of a note.
fn was_bound(home: &Path) -> bool {
    let mut found = false;
    let see = |entry| match entry {
        Entry::Event(event) => found |= matches!(event.what, What::Bound { check: Some(_), .. }),
        Entry::Damaged { .. } => {}
    };
    // Entries before a read error count.
    let _ = Log::new(home).read(Position::default(), see);
    found
}

fn of_home(home: &Path) -> Result<Vec<(Known, event::Invariant)>, MemoryError> {
    let (mut bound, _) = Notebook::attempt(home, Notebook::invariants)?;
    bound.retain(|(known, _)| known.note.scope != Scope::Task);
    Ok(bound)
}

fn invariant(known: Known, check: event::Invariant) -> Invariant {
    let note = known.note;
    let check = match check {
        event::Invariant::Rule(rules) => Check::Rules(rules),
        event::Invariant::Test(test) => Check::Test(test),
    };
    Invariant { note: note.id, title: note.title, text: note.text, check }
}
