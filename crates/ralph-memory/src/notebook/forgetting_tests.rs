use std::fs;

use super::*;
use crate::event::{NoteKind, Scope};
use crate::{Session, SessionFilter};

fn scratch() -> (tempfile::TempDir, Notebook) {
    let dir = tempfile::tempdir().unwrap();
    let notebook = Notebook::open(dir.path()).unwrap();
    (dir, notebook)
}

fn in_session(at: i64, what: What) -> Event {
    let place = Place { session: Some("one".to_owned()), ..Place::default() };
    // What is told twice within seconds is one thing.
    Event { at: at * 10_000, place, actor: Actor::Agent, what }
}

fn asked(at: i64, text: &str) -> Event {
    in_session(at, What::Asked { text: text.to_owned() })
}

fn typed(at: i64, about: &str) -> Event {
    let (tool, about) = ("Bash".to_owned(), about.to_owned());
    in_session(at, What::Observed(Box::new(Observed { tool, about, ..Observed::default() })))
}

fn noted(at: i64, note: Note) -> Event {
    let what = What::Noted(Box::new(note));
    Event { at, place: Place::default(), actor: Actor::User, what }
}

fn note(text: &str) -> Note {
    Note::new("m1", NoteKind::Fact, Scope::Project, text)
}

/// What is left of a session once the note is forgotten.
fn left(events: &[Event]) -> Vec<String> {
    let (dir, notebook) = scratch();
    notebook.write(events).unwrap();
    notebook.forget("m1", Timestamp::from_millis(100)).unwrap();
    let log = fs::read_to_string(dir.path().join("memory/00000001.jsonl")).unwrap();
    assert!(!log.contains("4711"), "{log}");
    let session: Session = notebook.sessions(&SessionFilter::default()).unwrap().remove(0);
    session.messages.into_iter().map(|message| message.text).collect()
}

#[test]
fn what_repeats_a_forgotten_note_is_forgotten_with_it() {
    let text = "the door code is 4711";
    let events = [
        asked(1, &format!("remember: {text}")),
        asked(2, "and another thing"),
        noted(3, note(text)),
    ];
    assert_eq!(left(&events), ["and another thing"]);
}

#[test]
fn a_repetition_within_a_sentence_begins_with_a_small_letter() {
    let events = [
        asked(1, "As noted, the door code is 4711, so I did it."),
        asked(2, "and another thing"),
        noted(3, note("The door code is 4711")),
    ];
    assert_eq!(left(&events), ["and another thing"]);
}

#[test]
fn a_repetition_that_was_cut_is_forgotten_too() {
    let text =
        format!("the door code is 4711 {} and that of the safe is 4711-2", "so ".repeat(900));
    let command = format!("ralph memory add \"{text}\" --kind fact");
    let begun: String = command.chars().take(80).collect();
    let events = [
        asked(1, &text),
        asked(2, &format!("keep in mind:\n{text}\nand go on")),
        typed(3, &command),
        typed(4, &format!("{begun}…")),
        typed(5, "cargo build … done"),
        noted(6, note(&text)),
    ];
    assert_eq!(left(&events), ["Bash", "Bash", "Bash cargo build … done"]);
}

#[test]
fn all_that_a_note_ever_said_is_forgotten() {
    let why = Some("because 4711 was on the old door".to_owned());
    let events = [
        noted(1, note("the door code is 4711")),
        asked(2, "is the door code is 4711 still right?"),
        noted(3, Note { why, ..note("the door has no code") }),
        asked(4, "no, because 4711 was on the old door"),
        asked(5, "thanks"),
    ];
    assert_eq!(left(&events), ["thanks"]);
}

#[test]
fn the_reasons_of_other_notes_do_not_repeat_what_is_forgotten() {
    let (dir, notebook) = scratch();
    let other = |id: &str, text: &str, why: &str| {
        let note = Note::new(id, NoteKind::Fact, Scope::Project, text);
        noted(2, Note { why: Some(why.to_owned()), ..note })
    };
    let ended = |what| Event { at: 3, place: Place::default(), actor: Actor::User, what };
    let why = "before it said: the door code is 4711".to_owned();
    let (old, new) = ("m4".to_owned(), "m2".to_owned());
    notebook
        .write(&[
            noted(1, note("the door code is 4711")),
            other("m2", "the door has a key", "The door code is 4711 no more"),
            other("m3", "the door is green", "it was painted"),
            other("m4", "the door is open", "nobody closed it"),
            ended(What::Replaced { id: old.clone(), by: new, why: why.clone() }),
            ended(What::Retracted { id: old, why }),
        ])
        .unwrap();
    notebook.forget("m1", Timestamp::from_millis(100)).unwrap();
    let log = fs::read_to_string(dir.path().join("memory/00000001.jsonl")).unwrap();
    assert!(!log.contains("4711"), "{log}");
    let why = |id: &str| notebook.get(id).unwrap().unwrap().note.why;
    assert_eq!((why("m2"), why("m3").as_deref()), (None, Some("it was painted")));
    assert!(notebook.get("m4").unwrap().unwrap().retired.is_some());
}
