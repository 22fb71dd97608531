use super::*;
use crate::event::{EventContext, LogEvent, LogEventKind, NoteContent, NoteKind, NoteScope};

fn noted(id: &str, actor: EventActor, text: &str) -> LogEvent {
    let note = NoteContent::new(id.to_owned(), NoteKind::Fact, NoteScope::Project, text.to_owned());
    let what = LogEventKind::Noted(Box::new(note));
    LogEvent { at: 1, place: EventContext::default(), actor, what }
}

fn shown(id: &str, times: usize) -> Vec<LogEvent> {
    let what = LogEventKind::Shown { ids: vec![id.to_owned()], tokens: 10 };
    let event = LogEvent { at: 2, place: EventContext::default(), actor: EventActor::Ralph, what };
    vec![event; times]
}

#[test]
fn what_is_said_twice_learned_from_ourselves_or_never_of_use_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let notebook = Notebook::open(dir.path()).unwrap();
    notebook
        .write(&[
            noted("first", EventActor::User, "The API listens on port 8080"),
            noted("again", EventActor::User, "the API listens  on port 8080"),
            noted("other", EventActor::User, "The API listens on port 9090"),
            noted("told", EventActor::User, "Run the migrations before the tests"),
        ])
        .unwrap();
    notebook.write(&shown("told", 6)).unwrap();
    let echo = noted("echo", EventActor::Agent, "Run the migrations before the tests.");
    notebook.write(&[echo]).unwrap();
    let health = examine(&notebook, dir.path()).unwrap();
    let pair = |first: &str, again: &str, is_literal, is_spare| {
        let (first, again) = (first.to_owned(), again.to_owned());
        DuplicateNote { first, again, is_literal, is_spare }
    };
    // Which of the user's own words go is for the user to say.
    assert_eq!(health.twice, [pair("first", "again", true, false)]);
    assert_eq!(health.echoes, [pair("told", "echo", false, true)]);
    let near =
        |older: &str, newer: &str| NearPair { older: older.to_owned(), newer: newer.to_owned() };
    // Whether they replace each other is for who knows what they mean.
    assert_eq!(health.near, [near("first", "other"), near("again", "other")]);
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
    assert_eq!(health, NotebookHealth::default());
    assert!(!health.needs_care());
}

#[test]
fn a_secret_that_got_in_is_found_and_scrubbed_from_the_log() {
    let dir = tempfile::tempdir().unwrap();
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let event = noted("leak", EventActor::User, &format!("use {token} to push"));
    crate::log::EventLog::new(dir.path()).append(&[event]).unwrap();
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

/// What is said twice when a note is followed by another with the same words:
/// which stays, and whether the other can go.
#[track_caller]
fn check(older: LogEvent, newer: LogEvent, more: &[LogEvent], want: (&str, bool)) {
    let dir = tempfile::tempdir().unwrap();
    let notebook = Notebook::open(dir.path()).unwrap();
    notebook.write(&[&[older, newer], more].concat()).unwrap();
    let [pair] = examine(&notebook, dir.path()).unwrap().twice.try_into().unwrap();
    assert!(pair.is_literal);
    assert_eq!((pair.first.as_str(), pair.is_spare), want);
}

fn of_kind(kind: NoteKind, event: LogEvent) -> LogEvent {
    let LogEventKind::Noted(note) = event.what else { panic!("a note is noted") };
    LogEvent { what: LogEventKind::Noted(Box::new(NoteContent { kind, ..*note })), ..event }
}

fn of_scope(scope: NoteScope, event: LogEvent) -> LogEvent {
    let LogEventKind::Noted(note) = event.what else { panic!("a note is noted") };
    LogEvent { what: LogEventKind::Noted(Box::new(NoteContent { scope, ..*note })), ..event }
}

#[test]
fn of_two_the_users_stays_then_what_binds_then_what_is_proven_then_the_older() {
    let text = "never push to the main branch directly";
    let [user, agent, imported] = [EventActor::User, EventActor::Agent, EventActor::Import];
    let (a, b) = (|actor| noted("a", actor, text), |actor| noted("b", actor, text));
    check(a(agent), b(agent), &[], ("a", true));
    check(a(agent), b(user), &[], ("b", true));
    check(a(user), b(agent), &[], ("a", true));
    check(a(user), b(user), &[], ("a", false));
    let check_of = |id: &str| {
        let what = LogEventKind::Bound {
            id: id.to_owned(),
            check: Some(crate::event::NoteCheck::Test("t".to_owned())),
        };
        LogEvent { at: 3, place: EventContext::default(), actor: user, what }
    };
    check(a(agent), b(imported), &[check_of("b")], ("b", true));
    check(a(user), b(agent), &[check_of("b")], ("a", false));
    let place =
        EventContext { run: Some("r".to_owned()), iteration: Some(1), ..EventContext::default() };
    let proven = LogEvent { place: place.clone(), ..b(agent) };
    let what = LogEventKind::Checked { passed: true };
    let passed = LogEvent { at: 3, place, actor: EventActor::Ralph, what };
    check(a(agent), proven, &[passed], ("b", true));
}

#[test]
fn what_is_of_another_kind_or_for_others_is_nobodys_spare() {
    let text = "output goes through the log";
    let [user, agent] = [EventActor::User, EventActor::Agent];
    let (a, b) = (|actor| noted("a", actor, text), |actor| noted("b", actor, text));
    check(a(agent), of_kind(NoteKind::Constitution, b(user)), &[], ("b", false));
    check(of_kind(NoteKind::Skill, a(agent)), b(agent), &[], ("a", false));
    check(of_scope(NoteScope::Task, a(agent)), b(user), &[], ("b", false));
}

#[test]
fn what_was_said_twice_in_a_conversation_was_said_twice() {
    let dir = tempfile::tempdir().unwrap();
    let notebook = Notebook::open(dir.path()).unwrap();
    let said = |id: &str| {
        let turn = of_kind(NoteKind::of("turn"), noted(id, EventActor::Import, "ok"));
        let LogEventKind::Noted(note) = turn.what else { panic!("a note is noted") };
        let note = NoteContent { group: Some("talk".to_owned()), ..*note };
        LogEvent { what: LogEventKind::Noted(Box::new(note)), ..turn }
    };
    notebook.write(&[said("a"), said("b")]).unwrap();
    assert!(!examine(&notebook, dir.path()).unwrap().needs_care());
}
