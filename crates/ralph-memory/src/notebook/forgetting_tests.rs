use std::fs;
use std::path::Path;

use super::*;
use crate::event::{EventActor, EventContext, NoteKind, NoteScope, ToolUseRecord};
use crate::log::EventLog;
use crate::{SessionFilter, SessionRecord};

fn scratch() -> (tempfile::TempDir, Notebook) {
    let dir = tempfile::tempdir().unwrap();
    let notebook = Notebook::open(dir.path()).unwrap();
    (dir, notebook)
}

fn in_session(at: i64, what: LogEventKind) -> LogEvent {
    let place = EventContext { session: Some("one".to_owned()), ..EventContext::default() };
    // What is told twice within seconds is one thing.
    LogEvent { at: at * 10_000, place, actor: EventActor::Agent, what }
}

fn asked(at: i64, text: &str) -> LogEvent {
    in_session(at, LogEventKind::Asked { text: text.to_owned() })
}

fn typed(at: i64, about: &str) -> LogEvent {
    let (tool, about) = ("Bash".to_owned(), about.to_owned());
    in_session(
        at,
        LogEventKind::Observed(Box::new(ToolUseRecord { tool, about, ..ToolUseRecord::default() })),
    )
}

fn noted(at: i64, note: NoteContent) -> LogEvent {
    let what = LogEventKind::Noted(Box::new(note));
    LogEvent { at, place: EventContext::default(), actor: EventActor::User, what }
}

fn note(text: &str) -> NoteContent {
    NoteContent::new("m1", NoteKind::Fact, NoteScope::Project, text)
}

/// Nothing of what is forgotten is in any file.
#[track_caller]
fn assert_gone(home: &Path) {
    let mut said = String::new();
    let see = |entry| said += format!("{entry:?}").as_str();
    EventLog::new(home).read(LogPosition::default(), see).unwrap();
    assert!(!said.contains("4711"), "{said}");
    for folder in [home.to_owned(), home.join("memory")] {
        for file in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let bytes = if file.is_file() { fs::read(&file).unwrap() } else { Vec::new() };
            assert!(!bytes.windows(4).any(|part| part == b"4711"), "{}", file.display());
        }
    }
}

/// What is left of a session once the note is forgotten.
fn left(events: &[LogEvent]) -> Vec<String> {
    let (dir, notebook) = scratch();
    notebook.write(events).unwrap();
    notebook.forget("m1").unwrap();
    assert_gone(dir.path());
    let session: SessionRecord = notebook.sessions(&SessionFilter::default()).unwrap().remove(0);
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
        noted(3, NoteContent { why, ..note("the door has no code") }),
        asked(4, "no, because 4711 was on the old door"),
        asked(5, "thanks"),
    ];
    assert_eq!(left(&events), ["thanks"]);
}

#[test]
fn the_reasons_of_other_notes_do_not_repeat_what_is_forgotten() {
    let (dir, notebook) = scratch();
    let other = |id: &str, text: &str, why: &str| {
        let note = NoteContent::new(id, NoteKind::Fact, NoteScope::Project, text);
        noted(2, NoteContent { why: Some(why.to_owned()), ..note })
    };
    let ended =
        |what| LogEvent { at: 3, place: EventContext::default(), actor: EventActor::User, what };
    let why = "before it said: the door code is 4711".to_owned();
    let (old, new) = ("m4".to_owned(), "m2".to_owned());
    notebook
        .write(&[
            noted(1, note("the door code is 4711")),
            other("m2", "the door has a key", "The door code is 4711 no more"),
            other("m3", "the door is green", "it was painted"),
            other("m4", "the door is open", "nobody closed it"),
            ended(LogEventKind::Replaced { id: old.clone(), by: new, why: why.clone() }),
            ended(LogEventKind::Retracted { id: old, why }),
        ])
        .unwrap();
    notebook.forget("m1").unwrap();
    assert_gone(dir.path());
    let why = |id: &str| notebook.get(id).unwrap().unwrap().note.why;
    assert_eq!((why("m2").as_deref(), why("m3").as_deref()), (None, Some("it was painted")));
    let end = notebook.get("m4").unwrap().unwrap().retired.unwrap();
    assert_eq!(end.why, "");
}

/// What is left of the reason of another note once one is forgotten.
#[track_caller]
fn reason_beside(forgotten: NoteContent, why: &str) -> Option<String> {
    let (_dir, notebook) = scratch();
    let other = NoteContent::new("m2", NoteKind::Fact, NoteScope::Project, "something else");
    let other = NoteContent { why: Some(why.to_owned()), ..other };
    notebook.write(&[noted(1, forgotten), noted(2, other)]).unwrap();
    notebook.forget("m1").unwrap();
    notebook.get("m2").unwrap().unwrap().note.why
}

#[test]
fn what_two_notes_have_alike_beside_their_texts_stays_with_the_other() {
    let met = "decided in the team meeting";
    let both = NoteContent { why: Some(met.to_owned()), ..note("the door code is 4711") };
    assert_eq!(reason_beside(both, met).as_deref(), Some(met));
    let read = "통합테스트가 그곳을 읽는다";
    let named =
        NoteContent { title: Some("통합테스트".to_owned()), ..note("the door code is 4711") };
    assert_eq!(reason_beside(named, read).as_deref(), Some(read));
    assert_eq!(reason_beside(note("통합테스트"), read).as_deref(), Some(read));
}

#[test]
fn a_reason_that_repeats_what_is_forgotten_goes_as_a_whole() {
    let check = |text: &str, why: &str, expected: Option<&str>| {
        assert_eq!(reason_beside(note(text), why).as_deref(), expected, "{why}");
    };
    let text = "The door code is 4711";
    check(text, "the  door\ncode is 4711, and it rains", None);
    check(text, "no more: the door code …", None);
    check("현관 비밀번호는 4711이다", "현관 비밀번호는 4711이다고 해서 바꾸었다", None);
    check(text, "the door has a code", Some("the door has a code"));
}

#[test]
fn what_repeats_a_note_goes_before_the_note_itself() {
    let (dir, notebook) = scratch();
    let text = "the door code is 4711";
    notebook.write(&[noted(1, note(text)), asked(2, &format!("remember: {text}"))]).unwrap();
    let words = notebook.words_of("m1").unwrap();
    assert!(notebook.has_repeated(&words).unwrap());
    assert_eq!(notebook.silence(&words).unwrap(), 1);
    assert!(!notebook.has_repeated(&words).unwrap());
    // Whoever was stopped here finds the note, and what it says.
    assert_eq!(notebook.words_of("m1").unwrap(), words);
    assert_eq!(notebook.forget("m1").unwrap(), 1);
    assert_gone(dir.path());
}
