use std::{fs, thread};

use super::*;
use crate::event::{EventContext, NoteContent, NoteKind, NoteScope};
use crate::{LockPatience, NoteSelection, SessionFilter};

const DAY: i64 = 24 * 60 * 60 * 1000;

const ALL: SessionRetention = SessionRetention {
    since: Timestamp::from_millis(i64::MIN),
    bytes: u64::MAX,
    now: Timestamp::from_millis(i64::MAX),
};

fn scratch() -> (tempfile::TempDir, Notebook) {
    let dir = tempfile::tempdir().unwrap();
    let notebook = Notebook::open(dir.path()).unwrap();
    (dir, notebook)
}

fn asked(session: &str, at: i64) -> LogEvent {
    let place = EventContext { session: Some(session.to_owned()), ..EventContext::default() };
    let what = LogEventKind::Asked { text: format!("{session} at {at}") };
    LogEvent { at, place, actor: EventActor::User, what }
}

fn noted(id: &str, at: i64) -> LogEvent {
    let note = NoteContent::new(id, NoteKind::Fact, NoteScope::Project, format!("note {id}"));
    LogEvent {
        at,
        place: EventContext::default(),
        actor: EventActor::User,
        what: LogEventKind::Noted(Box::new(note)),
    }
}

/// All that the notebook says.
fn state(
    book: &Notebook,
) -> (Vec<crate::StoredNote>, Vec<crate::SessionRecord>, Vec<crate::SessionObservation>) {
    let notes = book.list(&NoteSelection::default()).unwrap();
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
    let keep = SessionRetention { since: Timestamp::from_millis(55), ..ALL };
    assert!(book.surplus(keep).unwrap().bytes > 0);
    assert!(book.let_go(keep).unwrap().bytes > 0);
    let after = state(&book);
    assert_eq!(after.0, notes);
    assert_eq!(after.1.len(), 5);
    let cut = after.1.last().unwrap();
    assert_eq!((cut.created, cut.messages.len()), (50, 6), "what was asked first stays");
    book.rebuild().unwrap();
    assert_eq!(state(&book), after);
    assert_eq!(book.let_go(keep).unwrap(), RetentionOutcome::default());
    book.write(&[asked("s5", 200)]).unwrap();
    assert_eq!(state(&book).1[0].messages.len(), 7);
}

/// What sessions take of the log.
fn captured(book: &Notebook) -> u64 {
    let mut bytes = 0;
    let weigh = |entry| {
        if let LogEntry::Event(event) = entry
            && event.what.is_captured()
        {
            bytes += CapturedPiece::of(&event, i64::MAX).bytes;
        }
    };
    book.log.read(LogPosition::default(), weigh).unwrap();
    bytes
}

#[test]
fn too_much_of_sessions_loses_the_oldest_until_the_rest_fits() {
    let (dir, book) = filled();
    let before = state(&book);
    let keep = SessionRetention { bytes: captured(&book) * 9 / 10, ..ALL };
    let would = book.surplus(keep).unwrap();
    assert_eq!(would.sessions, 1);
    assert_eq!(book.let_go(keep).unwrap(), would);
    let after = state(&book);
    assert_eq!((&after.0, &after.1), (&before.0, &before.1[..9].to_vec()));
    assert_eq!(book.let_go(keep).unwrap(), RetentionOutcome::default());
    book.rebuild().unwrap();
    assert_eq!(state(&book), after);
    let half = SessionRetention { bytes: captured(&book) / 2, ..ALL };
    assert_eq!(book.let_go(half).unwrap().sessions, 4, "and the first half of the fifth");
    assert!(EventLog::new(dir.path()).size().unwrap() > 0, "notes stay");
}

#[test]
fn what_nobody_can_let_go_of_makes_no_session_go() {
    let (dir, book) = filled();
    let size = captured(&book);
    let path = dir.path().join("memory/00000001.jsonl");
    let damage = "x".repeat(3 * usize::try_from(size).unwrap());
    fs::write(&path, format!("{}{damage}\n", fs::read_to_string(&path).unwrap())).unwrap();
    for at in 0..100 {
        book.write(&[noted(&format!("another{at}"), at)]).unwrap();
    }
    assert_eq!(
        book.let_go(SessionRetention { bytes: size, ..ALL }).unwrap(),
        RetentionOutcome::default()
    );
    assert_eq!(state(&book).1.len(), 10);
}

#[test]
fn sessions_of_the_last_day_stay_however_much_there_is_of_them() {
    let (_dir, book) = scratch();
    let now = 10 * DAY;
    let events = [asked("old", now - DAY - 1), asked("new", now - DAY), asked("ahead", now + DAY)];
    book.write(&events).unwrap();
    let keep = SessionRetention { bytes: 0, now: Timestamp::from_millis(now), ..ALL };
    assert_eq!(book.let_go(keep).unwrap().sessions, 1);
    let left: Vec<_> = state(&book).1.into_iter().filter_map(|one| one.external).collect();
    assert_eq!(left, ["ahead", "new"]);
}

#[test]
fn a_session_that_goes_on_keeps_where_it_lives_and_what_it_is_about() {
    let (_dir, book) = scratch();
    let opened = |at| {
        let (worktree, source) = (Some("/w".to_owned()), "new".to_owned());
        let what = LogEventKind::Opened { worktree, source, external: None };
        LogEvent { what, actor: EventActor::Ralph, ..asked("one", at) }
    };
    let events = [opened(1), asked("one", 2), asked("one", 3), asked("one", 50)];
    book.write(&events).unwrap();
    let keep = SessionRetention { since: Timestamp::from_millis(40), ..ALL };
    assert!(book.let_go(keep).unwrap().bytes > 0);
    let one = state(&book).1.remove(0);
    assert_eq!((one.worktree.as_deref(), one.task.as_deref()), (Some("/w"), Some("one at 2")));
    let said: Vec<i64> = one.messages.iter().map(|message| message.at).collect();
    assert_eq!(said, [2, 50]);
    assert_eq!(book.let_go(keep).unwrap(), RetentionOutcome::default());
    let later = SessionRetention { since: Timestamp::from_millis(60), ..ALL };
    assert_eq!(book.let_go(later).unwrap().sessions, 1);
    assert_eq!(state(&book).1, []);
}

#[test]
fn who_asks_how_an_old_session_goes_on_does_not_keep_it() {
    let (_dir, book) = scratch();
    let (worktree, source) = (Some("/w".to_owned()), "resumed".to_owned());
    let taken = LogEvent {
        what: LogEventKind::Opened { worktree, source, external: None },
        ..asked("one", 50)
    };
    book.write(&[asked("one", 1), taken]).unwrap();
    let keep = SessionRetention { since: Timestamp::from_millis(40), ..ALL };
    assert_eq!(book.let_go(keep).unwrap().sessions, 1);
    assert_eq!(state(&book).1, []);
    assert_eq!(book.let_go(keep).unwrap(), RetentionOutcome::default());
    assert_eq!(book.log.size().unwrap(), 0);
}

#[test]
fn no_empty_file_is_left_and_reading_goes_on_where_writing_does() {
    let (dir, book) = scratch();
    let other = Notebook::open(dir.path()).unwrap();
    let keep = |since| SessionRetention { since: Timestamp::from_millis(since), ..ALL };
    let empty = || {
        let files = fs::read_dir(dir.path().join("memory")).unwrap().map(Result::unwrap);
        let lines = files.filter(|file| file.path().to_string_lossy().contains(".jsonl"));
        lines.filter(|file| file.metadata().unwrap().len() == 0).count()
    };
    for at in 1..6 {
        book.write(&[asked("one", at), noted(&format!("m{at}"), at)]).unwrap();
        assert!(book.let_go(keep(at + 1)).unwrap().bytes > 0);
        assert!(empty() <= 1);
        assert_eq!(state(&other).0.len(), usize::try_from(at).unwrap());
    }
    other.write(&[asked("two", 10)]).unwrap();
    assert_eq!(state(&book).1.len(), 1);
    let told = state(&book);
    book.rebuild().unwrap();
    assert_eq!(state(&book), told);
}

#[test]
fn a_log_of_sessions_alone_may_become_empty_and_begin_again() {
    let (dir, book) = scratch();
    book.write(&[asked("one", 1)]).unwrap();
    book.let_go(SessionRetention { since: Timestamp::from_millis(2), ..ALL }).unwrap();
    assert_eq!(state(&book).1, []);
    drop(book);
    let book = Notebook::open(dir.path()).unwrap();
    book.write(&[asked("two", 3)]).unwrap();
    assert_eq!(state(&book).1.len(), 1);
}

#[test]
fn an_end_in_the_middle_loses_nothing() {
    let (dir, book) = filled();
    let keep = SessionRetention { since: Timestamp::from_millis(55), ..ALL };
    let plan = RetentionPlan::new(&book.log, keep).unwrap();
    // The log was written anew, and the database does not know of it.
    let held = book.log.lock().unwrap();
    let edit = |event: &LogEvent| {
        let goes = event.what.is_captured() && plan.drops(&CapturedPiece::of(event, plan.now));
        Ok::<_, LogError>(if goes { LineEdit::Drop } else { LineEdit::Keep })
    };
    book.log.rewrite(&held, edit).unwrap();
    drop(held);
    EventLog::new(dir.path()).append(&[noted("late", 300), asked("late", 300)]).unwrap();
    let hook = Notebook::open_within(dir.path(), LockPatience::Short).unwrap();
    let (notes, sessions, _) = state(&hook);
    assert_eq!((notes.len(), sessions.len()), (101, 6));
    assert_eq!(sessions[0].external.as_deref(), Some("late"));
    assert_eq!(state(&book), state(&hook));
    let told = state(&book);
    book.rebuild().unwrap();
    assert_eq!(state(&book), told);
}

#[test]
fn a_log_that_cannot_be_read_leaves_sessions_as_they_were_told() {
    let (dir, book) = filled();
    let before = state(&book);
    let path = dir.path().join("memory/00000001.jsonl");
    fs::rename(&path, dir.path().join("away")).unwrap();
    fs::create_dir(&path).unwrap();
    let keep = SessionRetention { since: Timestamp::from_millis(55), ..ALL };
    assert!(matches!(book.let_go(keep), Err(MemoryError::Log(_))));
    fs::remove_dir(&path).unwrap();
    fs::rename(dir.path().join("away"), &path).unwrap();
    assert_eq!(state(&book), before);
}

#[test]
fn whoever_appends_meanwhile_loses_nothing() {
    let (dir, book) = filled();
    thread::scope(|scope| {
        scope.spawn(|| {
            for at in 1000..1200 {
                EventLog::new(dir.path()).append(&[asked("busy", at)]).unwrap();
            }
        });
        for since in 1..20 {
            book.let_go(SessionRetention { since: Timestamp::from_millis(since * 5), ..ALL })
                .unwrap();
        }
    });
    let mut texts = Vec::new();
    EventLog::new(dir.path())
        .read(LogPosition::default(), |entry| match entry {
            LogEntry::Event(event) if event.at >= 1000 => texts.push(event.at),
            LogEntry::Event(_) => {}
            LogEntry::Damaged { .. } => panic!("{entry:?}"),
        })
        .unwrap();
    assert_eq!(texts, (1000..1200).collect::<Vec<_>>());
    let told = state(&book);
    book.rebuild().unwrap();
    assert_eq!(state(&book), told);
}
