//! What the user says now in place of what was said before.
//!
//! Of two notes that cannot both hold, the user's newer word stands at once.
//! Rules and notes with a check are not given up in passing: they are named.

use ralph_core::memory::{Relation, relate};

use crate::consolidate::reason;
use crate::error::MemoryError;
use crate::event::{Actor, Note, NoteKind, Scope, What};
use crate::notebook::{Known, Notebook};
use crate::query::{Filters, Query};

/// Notes that a new one is compared with: the most alike.
const RIVALS: usize = 10;

/// What a new note means for older ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Succession {
    /// Notes that it takes the place of, each with the reason.
    pub replaced: Vec<(String, String)>,
    /// Notes that it contradicts and that stand all the same.
    pub against: Vec<String>,
}

impl Succession {
    /// That older notes are replaced by the one with this id.
    pub fn events(&self, by: &str) -> Vec<What> {
        let replaced = |(id, why): &(String, String)| What::Replaced {
            id: id.clone(),
            by: by.to_owned(),
            why: why.clone(),
        };
        self.replaced.iter().map(replaced).collect()
    }
}

/// What a note that the user writes means for older ones. Writes nothing.
pub fn succession(notebook: &Notebook, note: &Note) -> Result<Succession, MemoryError> {
    let mut found = Succession::default();
    if note.scope == Scope::Task {
        return Ok(found);
    }
    let scopes = [Scope::Project, Scope::Global].map(|scope| scope.word().to_owned()).to_vec();
    let filters = Filters { scopes, ..Filters::default() };
    let text = note.text.clone();
    for rival in notebook.search(&Query { text, limit: RIVALS, filters })? {
        let older = rival.known;
        if older.note.id == note.id || !is_statement(&older) {
            continue;
        }
        if let Relation::Replaces(why) = relate(&older.note.text, &note.text) {
            let id = older.note.id.clone();
            let is_rule = older.note.kind == NoteKind::Constitution && older.note.kind != note.kind;
            if is_rule || notebook.check_of(&id)?.is_some() {
                found.against.push(id);
            } else {
                found.replaced.push((id, reason(&why)));
            }
        }
    }
    Ok(found)
}

/// Whether somebody here said it. What we write ourselves is known by its id,
/// and what was imported tells what was said elsewhere.
fn is_statement(known: &Known) -> bool {
    match known.actor {
        Actor::User | Actor::Agent => true,
        Actor::Ralph | Actor::Import => false,
    }
}

#[cfg(test)]
mod tests {
    use ralph_core::Timestamp;

    use super::*;
    use crate::event::{Event, Invariant, Place};

    fn note(id: &str, kind: NoteKind, text: &str) -> Note {
        Note::new(id, kind, Scope::Project, text)
    }

    fn book(actor: Actor, known: Note) -> (tempfile::TempDir, Notebook) {
        let home = tempfile::tempdir().unwrap();
        let notebook = Notebook::open(home.path()).unwrap();
        let at = Timestamp::from_millis(0).as_millis();
        let what = What::Noted(Box::new(known));
        notebook.write(&[Event { at, place: Place::default(), actor, what }]).unwrap();
        (home, notebook)
    }

    const OLD: &str = "The HTTP timeout is 30 seconds";
    const NEW: &str = "The HTTP timeout is 60 seconds";

    #[test]
    fn the_users_newer_word_takes_the_place_of_the_older() {
        let (_home, notebook) = book(Actor::User, note("m1", NoteKind::Fact, OLD));
        let found = succession(&notebook, &note("m2", NoteKind::Fact, NEW)).unwrap();
        assert_eq!(found.replaced.len(), 1, "{found:?}");
        assert_eq!(found.replaced[0].0, "m1");
        let other = note("m3", NoteKind::Fact, "The session expires after an hour");
        assert_eq!(succession(&notebook, &other).unwrap(), Succession::default());
    }

    #[test]
    fn a_rule_a_checked_note_and_an_import_are_not_given_up_in_passing() {
        let (_home, notebook) = book(Actor::User, note("m1", NoteKind::Constitution, OLD));
        let found = succession(&notebook, &note("m2", NoteKind::Fact, NEW)).unwrap();
        assert_eq!((found.replaced.len(), found.against), (0, vec!["m1".to_owned()]));
        let found = succession(&notebook, &note("m2", NoteKind::Constitution, NEW)).unwrap();
        assert_eq!(found.replaced.len(), 1, "a rule gives way to a rule");

        let (_home, notebook) = book(Actor::User, note("m1", NoteKind::Fact, OLD));
        let check = Some(Invariant::Test("a".to_owned()));
        let what = What::Bound { id: "m1".to_owned(), check };
        let event = Event { at: 1, place: Place::default(), actor: Actor::User, what };
        notebook.write(&[event]).unwrap();
        let found = succession(&notebook, &note("m2", NoteKind::Fact, NEW)).unwrap();
        assert_eq!(found.against, ["m1"]);

        let (_home, notebook) = book(Actor::Import, note("m1", NoteKind::Fact, OLD));
        let found = succession(&notebook, &note("m2", NoteKind::Fact, NEW)).unwrap();
        assert_eq!(found, Succession::default());
    }
}
