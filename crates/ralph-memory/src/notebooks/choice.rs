//! Adding a note whose author says what it means for those near it.

use super::{NoteWriter, Notebooks};
use crate::error::MemoryError;
use crate::event::{EventActor, LogEventKind, NoteCheck, NoteContent, NoteScope};
use crate::notebook::StoredNote;
use crate::succession::{self, NoteSuccession};

/// The older notes that a new one stands for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NoteChoice {
    /// Notes that it replaces.
    pub replaces: Vec<String>,
    /// A note that says the same: that one is kept, and nothing is added.
    pub same_as: Option<String>,
}

/// A note before it is added.
#[derive(Debug, Clone, PartialEq)]
pub struct NoteDraft {
    /// The note, under the id that its text has already if it was noted before.
    pub note: NoteContent,
    /// The note that says the same already.
    pub before: Option<StoredNote>,
    /// Its check.
    pub check: Option<NoteCheck>,
}

/// The result of adding a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteAddition {
    /// The note that says it now.
    pub id: String,
    /// Its notebook.
    pub scope: NoteScope,
    /// Notes that were replaced, and those that contradict it and stand.
    pub older: NoteSuccession,
    /// Notes that stand until checks prove the new one, or the user promotes it.
    pub pending: Vec<String>,
}

/// The reason why a note cannot be added like this.
#[derive(Debug, thiserror::Error)]
pub enum ChoiceError {
    /// There is no note with this id.
    #[error("there is no note `{0}`")]
    Unknown(String),
    /// The note is retired.
    #[error("{} does not hold any more", .0.note.id)]
    Retired(Box<StoredNote>),
    /// A note was named as its own replacement.
    #[error("{0} cannot replace itself")]
    Itself(String),
    /// A note with these words stands, and an agent may not withdraw it.
    #[error("{0} has these words, and stands")]
    Stands(String),
    /// Only the user replaces a note for all projects.
    #[error("an agent cannot replace {0}, which is for all projects")]
    ForTheUser(String),
    /// A notebook cannot be used.
    #[error(transparent)]
    Memory(#[from] MemoryError),
}

impl Notebooks {
    /// Looks for a note that says the same already, before a new one is added.
    pub fn draft(&self, note: NoteContent) -> Result<NoteDraft, MemoryError> {
        let (id, before) = self.with(note.scope, |book| book.said_before(&note.id, &note.text))?;
        Ok(NoteDraft { note: NoteContent { id, ..note }, before, check: None })
    }

    /// Adds a note.
    pub fn add(
        &self,
        draft: NoteDraft,
        choice: &NoteChoice,
        writer: &NoteWriter,
    ) -> Result<NoteAddition, ChoiceError> {
        if let Some(same) = &choice.same_as {
            return self.say_again(same, draft, writer);
        }
        let NoteDraft { note, before, check } = draft;
        let (mut note, scope, id) = (note.clone(), note.scope, note.id);
        let mut chosen: Vec<(NoteScope, String, String)> = Vec::new();
        for old in &choice.replaces {
            let (home, known) = self.holding(old)?;
            if known.note.id == id {
                return Err(ChoiceError::Itself(id));
            }
            let found = succession::chosen([&known], writer.actor, &note.text);
            let is_elsewhere = self.home(home) != self.home(scope);
            if let Some(old) = found.pending.first().filter(|_| is_elsewhere) {
                return Err(ChoiceError::ForTheUser(old.clone()));
            }
            chosen.extend(found.replaced.into_iter().map(|(old, why)| (home, old, why)));
            note.replaces.extend(found.pending);
        }
        let pending = note.replaces.clone();
        let what = match before {
            Some(known) => known.said_by(note, (writer.actor, &writer.place)),
            None => LogEventKind::Noted(Box::new(note)),
        };
        let mut older = if let LogEventKind::Noted(note) = &what
            && writer.actor == EventActor::User
        {
            self.succession(note)?
        } else {
            NoteSuccession::default()
        };
        let is_chosen = |old: &str| chosen.iter().any(|(_, id, _)| id == old);
        older.replaced.retain(|(old, _)| !is_chosen(old));
        older.against.retain(|old| !is_chosen(old));
        let bound = check.map(|check| LogEventKind::Bound { id: id.clone(), check: Some(check) });
        let events = std::iter::once(what).chain(bound).chain(older.events(&id));
        self.write(scope, events.collect(), writer)?;
        for (home, old, why) in chosen {
            let replaced =
                LogEventKind::Replaced { id: old.clone(), by: id.clone(), why: why.clone() };
            self.write(home, vec![replaced], writer)?;
            older.replaced.push((old, why));
        }
        Ok(NoteAddition { id, scope, older, pending })
    }

    /// Repeats a note in other words. A note with those words is retired.
    fn say_again(
        &self,
        same_as: &str,
        draft: NoteDraft,
        writer: &NoteWriter,
    ) -> Result<NoteAddition, ChoiceError> {
        let NoteDraft { note, before, .. } = draft;
        let (home, stays) = self.holding(same_as)?;
        let (own, id) = (note.scope, stays.note.id.clone());
        let goes = before.filter(|before| before.note.id != id && before.retired.is_none());
        let chosen = succession::chosen(&goes, writer.actor, &stays.note.text);
        if let Some(other) = chosen.pending.into_iter().next() {
            return Err(ChoiceError::Stands(other));
        }
        let scope = note.scope.max(stays.note.scope);
        let (kind, text) = (stays.note.kind.clone(), stays.note.text.clone());
        let again = NoteContent { id: id.clone(), kind, scope, text, ..note };
        let said = stays.said_by(again, (writer.actor, &writer.place));
        self.write(home, vec![said], writer)?;
        for (old, _) in chosen.replaced {
            let why = format!("it says the same as {id}");
            self.write(own, vec![LogEventKind::Retracted { id: old, why }], writer)?;
        }
        Ok(NoteAddition { id, scope: home, older: NoteSuccession::default(), pending: Vec::new() })
    }

    /// Returns a note that is not retired, by its id or the beginning of it.
    fn holding(&self, id: &str) -> Result<(NoteScope, StoredNote), ChoiceError> {
        let meant = self.meant(id)?;
        let id = if let [only] = meant.as_slice() { only } else { id };
        let (scope, known) = self.get(id)?.ok_or_else(|| ChoiceError::Unknown(id.to_owned()))?;
        match known.retired {
            Some(_) => Err(ChoiceError::Retired(Box::new(known))),
            None => Ok((scope, known)),
        }
    }
}
