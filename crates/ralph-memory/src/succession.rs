//! Which older notes a new one takes the place of, and which are near it.
//!
//! Whoever writes a note is shown what is near and says what it replaces. Alone
//! we decide only the strict case of [`relate`], and never about rules and notes
//! with a check: those are named.

use ralph_redact::MARK;

use crate::error::MemoryError;
use crate::event::{EventActor, LogEventKind, NoteContent, NoteKind, NoteScope};
use crate::notebook::{NoteHit, Notebook, StoredNote};
use crate::precedence::is_part;
use crate::query::{SearchFilters, SearchQuery};
use crate::relation::{NoteRelation, exclude_each_other, reason, relate};

/// Notes that a new one is compared with: the most alike.
const COMPARED: usize = 10;

/// How many near notes the writer of a note is shown.
pub const NEAREST: usize = 5;

/// How much of a note a reason quotes, in characters.
const QUOTED: usize = 120;

/// What a new note means for older ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NoteSuccession {
    /// Notes that it takes the place of, each with the reason.
    pub replaced: Vec<(String, String)>,
    /// Notes that it contradicts and that stand all the same.
    pub against: Vec<String>,
}

impl NoteSuccession {
    /// That older notes are replaced by the one with this id.
    pub fn events(&self, by: &str) -> Vec<LogEventKind> {
        let replaced = |(id, why): &(String, String)| LogEventKind::Replaced {
            id: id.clone(),
            by: by.to_owned(),
            why: why.clone(),
        };
        self.replaced.iter().map(replaced).collect()
    }
}

/// What a note that the user writes means for older ones of its notebook. Writes
/// nothing. What is for a task alone neither takes a place nor gives it up.
pub fn succession(notebook: &Notebook, note: &NoteContent) -> Result<NoteSuccession, MemoryError> {
    let mut found = NoteSuccession::default();
    for older in comparable(notebook, note)? {
        let NoteRelation::Replaces(change) = relate(&older.text, &note.text) else { continue };
        let is_rule = older.kind == NoteKind::Constitution;
        let is_on_trial = older.scope == NoteScope::Task || note.scope == NoteScope::Task;
        if is_rule || is_on_trial || notebook.check_of(&older.id)?.is_some() {
            found.against.push(older.id);
        } else {
            found.replaced.push((older.id, reason(&change, &note.text)));
        }
    }
    Ok(found)
}

/// Notes of a notebook that cannot hold beside one of the user's, whichever of
/// them is older: one that is kept elsewhere, or was said long ago.
pub fn contradicted(notebook: &Notebook, note: &NoteContent) -> Result<Vec<String>, MemoryError> {
    let found = comparable(notebook, note)?.into_iter();
    let excluded = found.filter(|other| exclude_each_other(&other.text, &note.text));
    Ok(excluded.map(|other| other.id).collect())
}

/// The notes that are nearest to what one says, the best first: what its writer
/// may want to replace. Those that we wrote ourselves are known by what failed.
pub fn nearest(notebook: &Notebook, note: &NoteContent) -> Result<Vec<NoteHit>, MemoryError> {
    let query = SearchQuery {
        text: note.text.clone(),
        limit: 2 * NEAREST,
        filters: SearchFilters::default(),
    };
    let found = notebook.search(&query)?.into_iter().filter(|found| {
        let known = &found.known;
        known.note.id != note.id && known.actor != EventActor::Ralph && !is_part(known)
    });
    Ok(found.take(NEAREST).collect())
}

/// What becomes of notes that the writer of another says to replace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReplacementChoice {
    /// They go at once, each with the reason.
    pub replaced: Vec<(String, String)>,
    /// They stand until checks prove the new note, or the user promotes it.
    pub pending: Vec<String>,
}

/// Decides about notes that the writer of another says to replace. The user may
/// replace any, an agent at once only what is an agent's word on trial.
pub fn chosen<'a>(
    notes: impl IntoIterator<Item = &'a StoredNote>,
    actor: EventActor,
    new: &str,
) -> ReplacementChoice {
    let mut found = ReplacementChoice::default();
    for known in notes {
        let is_on_trial = known.actor == EventActor::Agent && known.note.scope == NoteScope::Task;
        if actor == EventActor::User || (is_on_trial && !known.verified) {
            found.replaced.push((known.note.id.clone(), chosen_reason(actor, new)));
        } else {
            found.pending.push(known.note.id.clone());
        }
    }
    found
}

/// Why a note goes that its writer said to replace, in the words of the new one.
pub fn chosen_reason(actor: EventActor, new: &str) -> String {
    let who = match actor {
        EventActor::User => "the user",
        EventActor::Agent | EventActor::Ralph | EventActor::Import => "an agent",
    };
    let quoted = match new.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}…", &new[..end]),
        None => new.to_owned(),
    };
    format!("{who} says now: {quoted}")
}

/// The notes that are most like one of the user's, as far as somebody here said
/// them. What agents have on trial is decided about elsewhere.
fn comparable(notebook: &Notebook, note: &NoteContent) -> Result<Vec<NoteContent>, MemoryError> {
    // Of what was taken out of a text nobody knows whether it differs.
    if note.text.contains(MARK) {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for scopes in [&[NoteScope::Project, NoteScope::Global][..], &[NoteScope::Task]] {
        let scopes = scopes.iter().map(|scope| scope.word().to_owned()).collect();
        let filters = SearchFilters { scopes, ..SearchFilters::default() };
        let text = note.text.clone();
        let alike = notebook.search(&SearchQuery { text, limit: COMPARED, filters })?;
        let others = alike.into_iter().map(|rival| rival.known).filter(|rival| {
            let is_staged = rival.note.scope == NoteScope::Task && rival.actor != EventActor::User;
            let is_whole = !rival.note.text.contains(MARK);
            rival.note.id != note.id && is_statement(rival) && is_whole && !is_staged
        });
        found.extend(others.map(|rival| rival.note));
    }
    Ok(found)
}

/// Whether somebody here said it. What we write ourselves is known by its id,
/// and what was imported tells what was said elsewhere.
fn is_statement(known: &StoredNote) -> bool {
    match known.actor {
        EventActor::User | EventActor::Agent => true,
        EventActor::Ralph | EventActor::Import => false,
    }
}

#[cfg(test)]
mod tests {
    use ralph_core::Timestamp;

    use super::*;
    use crate::event::{EventContext, LogEvent, NoteCheck};

    #[test]
    fn what_is_for_a_task_is_named_and_neither_takes_nor_gives_a_place() {
        let task = |id: &str, text: &str| NoteContent {
            scope: NoteScope::Task,
            ..note(id, NoteKind::Fact, text)
        };
        for (old, new) in [
            (task("m1", OLD), task("m2", NEW)),
            (task("m1", OLD), note("m2", NoteKind::Fact, NEW)),
            (note("m1", NoteKind::Fact, OLD), task("m2", NEW)),
        ] {
            let (_home, notebook) = book(EventActor::User, old);
            let found = succession(&notebook, &new).unwrap();
            assert_eq!(
                (found.replaced.len(), found.against),
                (0, vec!["m1".to_owned()]),
                "{new:?}"
            );
        }
        let (_home, notebook) = book(EventActor::Agent, task("m1", OLD));
        let found = succession(&notebook, &note("m2", NoteKind::Fact, NEW)).unwrap();
        assert_eq!(found, NoteSuccession::default(), "what agents have on trial");
    }

    fn note(id: &str, kind: NoteKind, text: &str) -> NoteContent {
        NoteContent::new(id, kind, NoteScope::Project, text)
    }

    fn book(actor: EventActor, known: NoteContent) -> (tempfile::TempDir, Notebook) {
        let home = tempfile::tempdir().unwrap();
        let notebook = Notebook::open(home.path()).unwrap();
        let at = Timestamp::from_millis(0).as_millis();
        let what = LogEventKind::Noted(Box::new(known));
        notebook.write(&[LogEvent { at, place: EventContext::default(), actor, what }]).unwrap();
        (home, notebook)
    }

    const OLD: &str = "The HTTP timeout is 30 seconds";
    const NEW: &str = "The HTTP timeout is 60 seconds";

    #[test]
    fn the_users_newer_word_takes_the_place_of_the_older() {
        let (_home, notebook) = book(EventActor::User, note("m1", NoteKind::Fact, OLD));
        let found = succession(&notebook, &note("m2", NoteKind::Fact, NEW)).unwrap();
        assert_eq!(found.replaced.len(), 1, "{found:?}");
        assert_eq!(found.replaced[0].0, "m1");
        let other = note("m3", NoteKind::Fact, "The session expires after an hour");
        assert_eq!(succession(&notebook, &other).unwrap(), NoteSuccession::default());
    }

    #[test]
    fn what_may_be_about_two_things_is_named_and_stands() {
        for (old, new) in [
            ("If the flag is on, retry 3 times", "If the flag is off, retry 5 times"),
            ("Ids are UUIDs in the orders table", "Ids are integers in the users table"),
            ("Rows are locked during import", "Rows are not locked during export"),
            ("The limit is 100 requests per minute", "The limit is 5000 requests per day"),
            ("Errors are returned as JSON", "Errors are logged as text"),
            ("타임아웃은 API에서 30초이다", "타임아웃은 DB에서 60초이다"),
        ] {
            let (_home, notebook) = book(EventActor::User, note("m1", NoteKind::Fact, old));
            let found = succession(&notebook, &note("m2", NoteKind::Fact, new)).unwrap();
            assert_eq!(found.replaced, [], "{old} | {new}");
        }
        for (old, new) in [
            ("The HTTP timeout is 30 seconds", "The HTTP timeout is 60 seconds."),
            ("Never run migrations at startup", "Run migrations at startup"),
            ("타임아웃은 30초이다", "타임아웃은 60초이다"),
        ] {
            let (_home, notebook) = book(EventActor::User, note("m1", NoteKind::Fact, old));
            let found = succession(&notebook, &note("m2", NoteKind::Fact, new)).unwrap();
            assert_eq!(found.replaced.len(), 1, "{old} | {new}");
        }
    }

    #[test]
    fn what_was_taken_out_of_a_text_replaces_nothing() {
        let old = note("m1", NoteKind::Fact, "The password of staging is with Kim");
        let (_home, notebook) = book(EventActor::User, old);
        let text = "The password of staging is [redacted:password]";
        let found = succession(&notebook, &note("m2", NoteKind::Fact, text)).unwrap();
        assert_eq!(found, NoteSuccession::default());
    }

    #[test]
    fn a_rule_a_checked_note_and_an_import_are_not_given_up_in_passing() {
        let (_home, notebook) = book(EventActor::User, note("m1", NoteKind::Constitution, OLD));
        let found = succession(&notebook, &note("m2", NoteKind::Fact, NEW)).unwrap();
        assert_eq!((found.replaced.len(), found.against), (0, vec!["m1".to_owned()]));
        let found = succession(&notebook, &note("m2", NoteKind::Constitution, NEW)).unwrap();
        assert_eq!((found.replaced.len(), found.against.len()), (0, 1), "{found:?}");

        let (_home, notebook) = book(EventActor::User, note("m1", NoteKind::Fact, OLD));
        let check = Some(NoteCheck::Test("a".to_owned()));
        let what = LogEventKind::Bound { id: "m1".to_owned(), check };
        let event =
            LogEvent { at: 1, place: EventContext::default(), actor: EventActor::User, what };
        notebook.write(&[event]).unwrap();
        let found = succession(&notebook, &note("m2", NoteKind::Fact, NEW)).unwrap();
        assert_eq!(found.against, ["m1"]);

        let (_home, notebook) = book(EventActor::Import, note("m1", NoteKind::Fact, OLD));
        let found = succession(&notebook, &note("m2", NoteKind::Fact, NEW)).unwrap();
        assert_eq!(found, NoteSuccession::default());
    }
}
