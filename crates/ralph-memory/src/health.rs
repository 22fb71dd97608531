//! What is wrong with the notes as a whole: said twice, learned from ourselves,
//! never of use, out of date, or not fit to be kept.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use ralph_core::memory::label::Anchored;
use ralph_core::memory::{Relation, relate};

use crate::anchor::Sight;
use crate::clean;
use crate::error::MemoryError;
use crate::event::Actor;
use crate::notebook::{Known, Notebook, Selection};
use crate::query::{Filters, Query};

/// With more notes than these, only what is the same word for word is noticed.
const MANY: usize = 5_000;

/// How many notes are compared with each.
const CANDIDATES: usize = 6;

/// Somebody who was shown a note so often and never named it does not need it.
const OFTEN: u32 = 5;

/// A note that says what another one says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Twice {
    /// The one that came first.
    pub first: String,
    /// The one that says it again.
    pub again: String,
    /// Whether it is the same word for word.
    pub is_literal: bool,
}

/// What an examination found; notes by their ids.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Health {
    /// Notes that hold.
    pub active: usize,
    /// Said more than once.
    pub twice: Vec<Twice>,
    /// Noted by an agent that had been shown the same.
    pub echoes: Vec<Twice>,
    /// Never shown to anybody.
    pub never_shown: Vec<String>,
    /// Shown often, and never a reason for anything.
    pub never_cited: Vec<String>,
    /// What they point at has changed or is gone.
    pub stale: Vec<String>,
    /// They hold what must not be kept.
    pub secrets: Vec<String>,
    /// They read like orders to an agent.
    pub orders: Vec<String>,
    /// How long all showings were together, in tokens.
    pub tokens_shown: u64,
    /// How long those of notes were that were named as a reason.
    pub tokens_cited: u64,
    /// Lines of the log that nobody can read.
    pub damaged: usize,
}

impl Health {
    /// Whether something should be done about it.
    pub fn needs_care(&self) -> bool {
        let Self { twice, echoes, secrets, damaged, .. } = self;
        !(twice.is_empty() && echoes.is_empty() && secrets.is_empty()) || *damaged > 0
    }
}

/// Looks at every note that holds; anchors are looked at below a root.
pub fn examine(notebook: &Notebook, root: &Path) -> Result<Health, MemoryError> {
    let mut notes = notebook.list(&Selection::default())?;
    // The first to say something is the one that stays.
    notes.reverse();
    let mut health = Health {
        active: notes.len(),
        damaged: notebook.stats()?.damaged.len(),
        ..Health::default()
    };
    let mut sight = Sight::new(root);
    for known in &notes {
        look_at(known, &mut sight, &mut health);
    }
    let twice = if notes.len() > MANY { literal(&notes) } else { alike(notebook, &notes)? };
    for (first, again, is_literal) in twice {
        let pair = Twice { first: first.note.id.clone(), again: again.note.id.clone(), is_literal };
        let is_echo = again.actor == Actor::Agent && first.counts.shown > 0;
        if is_echo { health.echoes.push(pair) } else { health.twice.push(pair) }
    }
    Ok(health)
}

fn look_at(known: &Known, sight: &mut Sight<'_>, health: &mut Health) {
    let id = || known.note.id.clone();
    let counts = known.counts;
    health.tokens_shown += counts.tokens;
    if counts.cited > 0 {
        health.tokens_cited += counts.tokens;
    }
    if counts.shown == 0 {
        health.never_shown.push(id());
    }
    if counts.shown >= OFTEN && counts.cited == 0 {
        health.never_cited.push(id());
    }
    if known.look(sight).iter().any(|anchor| *anchor != Anchored::Same) {
        health.stale.push(id());
    }
    if !known.orders().is_empty() {
        health.orders.push(id());
    }
    let note = &known.note;
    let texts = [Some(&note.text), note.title.as_ref(), note.why.as_ref()];
    let has_secret = |text: &String| matches!(clean::text(text), Cow::Owned(_));
    if texts.into_iter().flatten().any(has_secret) {
        health.secrets.push(id());
    }
}

type Pair<'a> = (&'a Known, &'a Known, bool);

/// Notes that are the same but for their layout.
fn literal(notes: &[Known]) -> Vec<Pair<'_>> {
    let mut known: HashMap<String, &Known> = HashMap::new();
    let mut found = Vec::new();
    for note in notes {
        match known.get(&plain(note)) {
            Some(first) => found.push((*first, note, true)),
            None => drop(known.insert(plain(note), note)),
        }
    }
    found
}

fn plain(known: &Known) -> String {
    let words = known.note.text.split_whitespace().map(str::to_lowercase);
    words.collect::<Vec<_>>().join(" ")
}

/// Notes that say the same, in whatever words.
fn alike<'a>(notebook: &Notebook, notes: &'a [Known]) -> Result<Vec<Pair<'a>>, MemoryError> {
    let place: HashMap<&str, usize> =
        notes.iter().zip(0..).map(|(known, place)| (known.note.id.as_str(), place)).collect();
    let mut found = Vec::new();
    for (again, at) in notes.iter().zip(0..) {
        let text = again.note.text.clone();
        let query = Query { text, limit: CANDIDATES, filters: Filters::default() };
        let hits = notebook.search(&query)?;
        let earlier = hits.iter().filter_map(|hit| place.get(hit.known.note.id.as_str()));
        let earlier = earlier.filter(|place| **place < at).map(|place| &notes[*place]);
        let says_the_same = |first: &&Known| {
            plain(first) == plain(again)
                || relate(&first.note.text, &again.note.text) == Relation::Same
        };
        if let Some(first) = earlier.into_iter().find(says_the_same) {
            found.push((first, again, plain(first) == plain(again)));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Event, Note, NoteKind, Place, Scope, What};

    fn noted(id: &str, actor: Actor, text: &str) -> Event {
        let note = Note::new(id.to_owned(), NoteKind::Fact, Scope::Project, text.to_owned());
        let what = What::Noted(Box::new(note));
        Event { at: 1, place: Place::default(), actor, what }
    }

    fn shown(id: &str, times: usize) -> Vec<Event> {
        let what = What::Shown { ids: vec![id.to_owned()], tokens: 10 };
        let event = Event { at: 2, place: Place::default(), actor: Actor::Ralph, what };
        vec![event; times]
    }

    #[test]
    fn what_is_said_twice_learned_from_ourselves_or_never_of_use_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let notebook = Notebook::open(dir.path()).unwrap();
        notebook
            .write(&[
                noted("first", Actor::User, "The API listens on port 8080"),
                noted("again", Actor::User, "the API listens  on port 8080"),
                noted("other", Actor::User, "The API listens on port 9090"),
                noted("told", Actor::User, "Run the migrations before the tests"),
            ])
            .unwrap();
        notebook.write(&shown("told", 6)).unwrap();
        let echo = noted("echo", Actor::Agent, "Run the migrations before the tests.");
        notebook.write(&[echo]).unwrap();
        let health = examine(&notebook, dir.path()).unwrap();
        let pair = |first: &str, again: &str, is_literal| {
            let (first, again) = (first.to_owned(), again.to_owned());
            Twice { first, again, is_literal }
        };
        assert_eq!(health.twice, [pair("first", "again", true)]);
        assert_eq!(health.echoes, [pair("told", "echo", false)]);
        assert_eq!(health.never_cited, ["told"]);
        assert_eq!(health.never_shown, ["first", "again", "other", "echo"]);
        assert_eq!((health.tokens_shown, health.tokens_cited), (60, 0));
        assert!(health.needs_care());
    }

    #[test]
    fn an_empty_notebook_needs_no_care() {
        let dir = tempfile::tempdir().unwrap();
        let notebook = Notebook::open(dir.path()).unwrap();
        let health = examine(&notebook, dir.path()).unwrap();
        assert_eq!(health, Health::default());
        assert!(!health.needs_care());
    }

    #[test]
    fn a_secret_that_got_in_is_found_and_scrubbed_from_the_log() {
        let dir = tempfile::tempdir().unwrap();
        let token = format!("ghp_{}", "a1B2".repeat(9));
        let event = noted("leak", Actor::User, &format!("use {token} to push"));
        crate::log::Log::new(dir.path()).append(&[event]).unwrap();
        let notebook = Notebook::open(dir.path()).unwrap();
        assert_eq!(examine(&notebook, dir.path()).unwrap().secrets, ["leak"]);
        assert_eq!(notebook.scrub().unwrap(), 1);
        assert_eq!(examine(&notebook, dir.path()).unwrap().secrets, Vec::<String>::new());
        assert!(notebook.get("leak").unwrap().unwrap().note.text.contains("to push"));
        for file in std::fs::read_dir(dir.path().join("memory")).unwrap() {
            let text = std::fs::read(file.unwrap().path()).unwrap();
            assert!(!String::from_utf8_lossy(&text).contains(&token));
        }
    }
}
