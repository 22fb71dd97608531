//! Whether enough is known to begin: what a task of this kind needs, what of it
//! was found, and what to do about the rest.

mod kind;
mod named;
mod words;

use crate::locale::Locale;

pub use kind::TaskKind;
pub use named::{Named, named};

/// Searches that are tried, each wider than the one before, until a person is asked.
pub const ROUNDS: u32 = 2;

/// Something that has to be known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Slot {
    /// Which files it is about.
    Files,
    /// Where the symbols that the task names are defined.
    Symbols,
    /// How the work is checked.
    Check,
    /// When it is done. Only a person can decide that.
    Criterion,
    /// What goes wrong with those files.
    Gotchas,
}

impl Slot {
    /// The name in output for programs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Symbols => "symbols",
            Self::Check => "check",
            Self::Criterion => "criterion",
            Self::Gotchas => "gotchas",
        }
    }
}

/// What was found for a task.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Knowledge {
    /// Files that it is likely about.
    pub files: Vec<String>,
    /// What the task names and nobody knows.
    pub undefined: Vec<String>,
    /// A command that checks the work is known.
    pub has_check: bool,
    /// Notes about the files were looked for, whether or not there are any.
    pub has_looked_for_gotchas: bool,
    /// How often the search was widened already.
    pub rounds: u32,
}

/// Whether enough is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sufficiency {
    /// It is.
    Ready,
    /// A wider search may find the rest.
    ExpandSearch {
        /// What is missing.
        missing: Vec<Slot>,
    },
    /// Only a person knows the rest.
    RequestHuman {
        /// What is missing.
        missing: Vec<Slot>,
        /// One question for each.
        questions: Vec<String>,
    },
}

/// Judges what is known against what a task needs.
pub fn judge(task: &str, known: &Knowledge, locale: Locale) -> Sufficiency {
    let kind = TaskKind::of(task);
    let needed = needs(kind).iter().copied();
    let missing: Vec<Slot> = needed.filter(|slot| !is_filled(*slot, task, known)).collect();
    if missing.is_empty() {
        Sufficiency::Ready
    } else if missing.contains(&Slot::Criterion) || known.rounds >= ROUNDS {
        let questions =
            missing.iter().map(|slot| words::question(*slot, &known.undefined, locale)).collect();
        Sufficiency::RequestHuman { missing, questions }
    } else {
        Sufficiency::ExpandSearch { missing }
    }
}

/// What a kind of task needs. New things have names that nobody knows yet.
const fn needs(kind: TaskKind) -> &'static [Slot] {
    match kind {
        TaskKind::Fix | TaskKind::Refactor => {
            &[Slot::Files, Slot::Symbols, Slot::Check, Slot::Gotchas]
        }
        TaskKind::Feature => &[Slot::Criterion, Slot::Check],
        TaskKind::Test => &[Slot::Files, Slot::Symbols, Slot::Check],
        TaskKind::Docs | TaskKind::Question => &[Slot::Symbols],
    }
}

fn is_filled(slot: Slot, task: &str, known: &Knowledge) -> bool {
    match slot {
        Slot::Files => !known.files.is_empty(),
        Slot::Symbols => known.undefined.is_empty(),
        Slot::Check => known.has_check,
        Slot::Criterion => words::has_criterion(task),
        Slot::Gotchas => known.has_looked_for_gotchas,
    }
}

#[cfg(test)]
#[path = "sufficiency_tests.rs"]
mod tests;
