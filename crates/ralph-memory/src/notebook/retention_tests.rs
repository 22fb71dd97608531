use std::{fs, thread};

use super::*;
use crate::event::{Actor, Note, NoteKind, Observed, Place, Scope, What};
use crate::log::Log;
use crate::{Patience, Selection, SessionFilter};

const ALL: Keep = Keep { since: Timestamp::from_millis(i64::MIN), bytes: u64::MAX };

fn scratch() -> (tempfile::TempDir, Notebook) {
    let dir = tempfile::tempdir().unwrap();
    let notebook = Notebook::open(dir.path()).unwrap();
    (dir, notebook)
}

fn asked(session: &str, at: i64) -> Event {
    let place = Place { session: Some(session.to_owned()), ..Place::default() };
    let what = What::Asked { text: format!("{session} at {at}") };
    Event { at, place, actor: Actor::User, what }
}

fn noted(id: &str, at: i64) -> Event {
    let note = Note::new(id, NoteKind::Fact, Scope::Project, format!("note {id}"));
    Event { at, place: Place::default(), actor: Actor::User, what: What::Noted(Box::new(note)) }
}

/// Lets go of lines as if the process had ended before what is left was told
/// anew.
fn break_off(book: &Notebook, keep: Keep) {
    let _alone = book.log.collect().unwrap();
    let end = book.log.begin_file().unwrap();
    book.move_on(end).unwrap();
    assert!(book.log.compact(end, |event, size| keep.drops(event, size)).unwrap() > 0);
}

/// All that the notebook says.
fn state(book: &Notebook) -> (Vec<crate::Known>, Vec<crate::Session>, Vec<crate::Observation>) {
    let notes = book.list(&Selection::default()).unwrap();
    let sessions = book.sessions(&SessionFilter::default()).unwrap();
    (notes, sessions, book.timeline(&[], i64::MIN, 1000).unwrap())
}

fn filled() -> (tempfile::TempDir, Notebook) {
    let (dir, book) = scratch();
    for at in 0..100 {
        let session = format!("s{}", at / 10);
        book.write(&[asked(&session, at), noted(&format!("m{at}"), at)]).unwrap();
    }
    (dir, book)
}

#[test]
fn old_sessions_go_and_notes_stay() {
    let (_dir, book) = filled();
    let (notes, ..) = state(&book);
    let keep = Keep { since: Timestamp::from_millis(55), ..ALL };
    assert!(book.surplus(keep).unwrap().bytes > 0);
    assert!(book.let_go(keep).unwrap().bytes > 0);
    let after = state(&book);
    assert_eq!(after.0, notes);
    assert_eq!(after.1.len(), 5);
    let cut = after.1.last().unwrap();
    assert_eq!((cut.created, cut.messages.len()), (55, 5));
    book.rebuild().unwrap();
    assert_eq!(state(&book), after);
    assert_eq!(book.let_go(keep).unwrap(), LetGo::default());
    book.write(&[asked("s5", 200)]).unwrap();
    assert_eq!(state(&book).1[0].messages.len(), 6);
}

#[test]
fn a_log_that_is_too_long_loses_what_was_captured() {
    let (dir, book) = filled();
    let (notes, ..) = state(&book);
    let before = Log::new(dir.path()).size().unwrap();
    book.let_go(Keep { bytes: before - 1, ..ALL }).unwrap();
    assert!(Log::new(dir.path()).size().unwrap() < before);
    assert_eq!(state(&book).0, notes);
    assert_eq!(book.let_go(ALL).unwrap(), LetGo::default());
}

#[test]
fn a_reader_that_was_behind_reads_on_and_an_end_in_the_middle_loses_nothing() {
    let (dir, book) = filled();
    break_off(&book, Keep { since: Timestamp::from_millis(55), ..ALL });
    drop(book);
    Log::new(dir.path()).append(&[noted("late", 300), asked("late", 300)]).unwrap();
    let book = Notebook::open(dir.path()).unwrap();
    let (notes, sessions, _) = state(&book);
    assert_eq!(notes.len(), 101);
    assert_eq!(sessions[0].external.as_deref(), Some("late"));
    let told = state(&book);
    book.rebuild().unwrap();
    assert_eq!(state(&book), told);
}

#[test]
fn what_a_collection_did_not_get_to_is_done_by_the_next_who_opens() {
    let (dir, book) = filled();
    let before = state(&book);
    break_off(&book, Keep { since: Timestamp::from_millis(55), ..ALL });
    assert_eq!(state(&book), before);
    let hook = Notebook::open_within(dir.path(), Patience::Short).unwrap();
    assert_eq!(state(&hook), before, "a hook has no time for it");
    let at_work = book.log.collect().unwrap();
    assert_eq!(state(&Notebook::open(dir.path()).unwrap()), before, "somebody is about it");
    drop(at_work);
    let book = Notebook::open(dir.path()).unwrap();
    let after = state(&book);
    assert_eq!((after.1.len(), after.0), (5, before.0));
    let told = state(&book);
    book.rebuild().unwrap();
    assert_eq!(state(&book), told);
}

#[test]
fn a_log_that_cannot_be_read_leaves_sessions_as_they_were_told() {
    let (dir, book) = filled();
    book.log.append_many(&[asked("s1", 400)]).unwrap();
    let before = state(&book);
    let path = dir.path().join("memory/00000001.jsonl");
    fs::rename(&path, dir.path().join("away")).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(matches!(book.retell(), Err(MemoryError::Log(_))));
    assert_eq!(state(&book), before);
}

#[test]
fn whoever_makes_the_database_anew_meanwhile_tells_everything_once() {
    let (dir, book) = filled();
    let used = |at| {
        let place = Place { session: Some("s1".to_owned()), ..Place::default() };
        let what = What::Observed(Box::new(Observed {
            tool: format!("tool {at}"),
            ..Observed::default()
        }));
        Event { at: at * 10_000, place, actor: Actor::Agent, what }
    };
    for at in [1, 2, 3] {
        book.log.append_many(&[used(at), asked("s2", at * 10_000)]).unwrap();
    }
    let before = state(&book);
    let other = Notebook::open(dir.path()).unwrap();
    other.clear().unwrap();
    assert!(other.read_one_file().unwrap() && other.read_one_file().unwrap());
    book.retell().unwrap();
    other.catch_up().unwrap();
    assert_eq!(state(&book), before);
}

#[test]
fn whoever_appends_meanwhile_loses_nothing() {
    let (dir, book) = filled();
    thread::scope(|scope| {
        scope.spawn(|| {
            for at in 1000..1200 {
                Log::new(dir.path()).append(&[asked("busy", at)]).unwrap();
            }
        });
        for since in 1..20 {
            book.let_go(Keep { since: Timestamp::from_millis(since * 5), ..ALL }).unwrap();
        }
    });
    let mut texts = Vec::new();
    Log::new(dir.path())
        .read(Position::default(), |entry| match entry {
            Entry::Event(event) if event.at >= 1000 => texts.push(event.at),
            Entry::Event(_) => {}
            Entry::Damaged { .. } => panic!("{entry:?}"),
        })
        .unwrap();
    assert_eq!(texts, (1000..1200).collect::<Vec<_>>());
    let told = state(&book);
    book.rebuild().unwrap();
    assert_eq!(state(&book), told);
}
