//! Notes that have a check: which have to hold, and what checks them.

use std::path::{Path, PathBuf};

use ralph_checks::invariants::{Check, Invariant};
use ralph_memory::event::{self, Scope};
use ralph_memory::{Known, MemoryError, Notebook};

/// Notes of these homes that have a check and hold: not those of a task, which
/// are on trial. Opens nothing where nothing was ever noted.
pub fn held(homes: &[PathBuf]) -> Result<Vec<Invariant>, MemoryError> {
    let mut found = Vec::new();
    for home in homes.iter().filter(|home| Notebook::exists(home)) {
        found.extend(of_home(home)?.into_iter().map(|(known, check)| invariant(known, check)));
    }
    Ok(found)
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
