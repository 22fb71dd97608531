//! Which of several notes that say the same is the one that stays.

use std::collections::HashSet;

use crate::error::MemoryError;
use crate::event::{EventActor, NoteKind};
use crate::notebook::{Notebook, StoredNote};

/// What speaks for a note, the most important first: it is the user's, it binds
/// somebody, it was proven. Of equal ones the older stays.
pub(crate) type PrecedenceRank = [bool; 3];

/// What has to be known beside notes to say which of them stays.
#[derive(Debug, Default)]
pub(crate) struct NotePrecedence {
    /// Notes with a check.
    bound: HashSet<String>,
}

impl NotePrecedence {
    /// As the notebook says now.
    pub(crate) fn read(notebook: &Notebook) -> Result<Self, MemoryError> {
        let bound = notebook.invariants()?.into_iter().map(|(known, _)| known.note.id);
        Ok(Self { bound: bound.collect() })
    }

    /// What speaks for a note.
    pub(crate) fn rank(&self, known: &StoredNote) -> PrecedenceRank {
        [known.actor == EventActor::User, self.is_binding(known), known.verified]
    }

    /// Whether nobody but the user may withdraw it.
    pub(crate) fn is_for_the_user(&self, known: &StoredNote) -> bool {
        known.actor == EventActor::User || self.is_binding(known)
    }

    fn is_binding(&self, known: &StoredNote) -> bool {
        known.note.kind == NoteKind::Constitution || self.bound.contains(&known.note.id)
    }
}

/// Whether it is a part of something that was imported, such as one line of a
/// conversation: that others said the same does not make it superfluous.
pub(crate) fn is_part(known: &StoredNote) -> bool {
    known.actor == EventActor::Import && known.note.group.is_some()
}
