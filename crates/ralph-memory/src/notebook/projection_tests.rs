use ralph_core::Timestamp;

use crate::event::{
    EventActor, EventContext, LogEvent, LogEventKind, NoteContent, NoteKind, NoteScope,
};
use crate::notebook::{Notebook, StoredNote};

fn scratch() -> (tempfile::TempDir, Notebook) {
    let dir = tempfile::tempdir().unwrap();
    let notebook = Notebook::open(dir.path()).unwrap();
    (dir, notebook)
}

fn turn(run: &str, iteration: u32) -> EventContext {
    EventContext {
        run: Some(run.to_owned()),
        iteration: Some(iteration),
        ..EventContext::default()
    }
}

fn session(name: &str) -> EventContext {
    EventContext { session: Some(name.to_owned()), ..EventContext::default() }
}

fn event(actor: EventActor, place: EventContext, what: LogEventKind) -> LogEvent {
    LogEvent { at: 1_000, place, actor, what }
}

fn noted(actor: EventActor, place: EventContext, text: &str) -> LogEvent {
    let note = NoteContent::new("m", NoteKind::Fact, NoteScope::Task, text);
    event(actor, place, LogEventKind::Noted(Box::new(note)))
}

fn again(actor: EventActor, place: EventContext) -> LogEvent {
    event(actor, place, LogEventKind::SeenAgain { id: "m".to_owned() })
}

fn passed(run: &str, iteration: u32) -> LogEvent {
    let what = LogEventKind::Checked { passed: true };
    event(EventActor::Ralph, turn(run, iteration), what)
}

fn landed(commit: &str) -> LogEvent {
    let what = LogEventKind::Landed { ids: vec!["m".to_owned()], commits: vec![commit.to_owned()] };
    event(EventActor::Ralph, EventContext::default(), what)
}

/// The note after these events, which is the same once the notebook is made
/// anew.
#[track_caller]
fn after(events: &[LogEvent]) -> StoredNote {
    let (_dir, notebook) = scratch();
    for event in events {
        notebook.write(std::slice::from_ref(event)).unwrap();
    }
    let known = notebook.get("m").unwrap().unwrap();
    let landings = notebook.landings().unwrap();
    notebook.rebuild().unwrap();
    assert_eq!(notebook.get("m").unwrap().unwrap(), known);
    assert_eq!(notebook.landings().unwrap(), landings);
    known
}

/// How many commits the note stands or falls with.
#[track_caller]
fn landings(events: &[LogEvent]) -> usize {
    let (_dir, notebook) = scratch();
    notebook.write(events).unwrap();
    notebook.landings().unwrap().len()
}

#[track_caller]
fn check_credit(author: EventContext, others: &[EventContext], want: (usize, f64)) {
    let mut events = vec![noted(EventActor::Agent, author, "it is so")];
    events.extend(others.iter().map(|place| again(EventActor::Agent, place.clone())));
    let known = after(&events);
    assert_eq!((known.witnesses.len(), known.belief().outcomes().0), want, "{others:?}");
}

#[test]
fn each_task_that_comes_to_the_same_counts_once_and_the_author_never() {
    let one = session("one");
    check_credit(one.clone(), &vec![one.clone(); 40], (0, 0.0));
    check_credit(one.clone(), &vec![session("two"); 40], (1, 0.5));
    check_credit(one.clone(), &[session("two"), session("three")], (2, 1.0));
    check_credit(turn("r1", 1), &[turn("r1", 2), turn("r2", 1), turn("r2", 5)], (1, 0.5));
    // A session that begins a loop is still the same.
    let looping = EventContext { session: Some("one".to_owned()), ..turn("r1", 1) };
    check_credit(one.clone(), std::slice::from_ref(&looping), (0, 0.0));
    check_credit(looping, std::slice::from_ref(&one), (0, 0.0));
    // Nobody can tell whether these are two.
    check_credit(EventContext::default(), &[EventContext::default(), session("two")], (0, 0.0));
    check_credit(one, &[EventContext::default()], (0, 0.0));
}

#[test]
fn belief_by_agreement_has_an_end() {
    let many: Vec<EventContext> = (0..100).map(|number| session(&number.to_string())).collect();
    check_credit(session("author"), &many, (20, 10.0));
}

#[test]
fn the_same_words_in_a_turn_whose_checks_pass_are_verified() {
    let known = after(&[
        noted(EventActor::Agent, turn("r1", 1), "it is so"),
        again(EventActor::Agent, turn("r1", 2)),
        passed("r1", 2),
    ]);
    assert!(known.verified);
    assert_eq!((known.counts.passed, known.belief().outcomes().0), (1, 1.0));
    // What we say of two notes ourselves is no work of a turn.
    let known = after(&[
        noted(EventActor::Agent, turn("r1", 1), "it is so"),
        again(EventActor::Ralph, turn("r2", 2)),
        passed("r2", 2),
    ]);
    assert!(!known.verified);
}

#[test]
fn what_the_user_wrote_is_changed_by_the_user_alone() {
    for actor in [EventActor::Ralph, EventActor::Agent, EventActor::Import] {
        let corrected = [
            noted(EventActor::Ralph, turn("r1", 1), "`make` is the check"),
            noted(EventActor::User, EventContext::default(), "`just` is the check"),
            noted(actor, turn("r2", 1), "`make` is the check"),
            passed("r2", 1),
        ];
        let known = after(&corrected);
        assert_eq!(
            (known.note.text.as_str(), known.actor),
            ("`just` is the check", EventActor::User)
        );
        assert_eq!((known.verified, known.counts.passed), (true, 0));
    }
    let known = after(&[
        noted(EventActor::User, EventContext::default(), "one"),
        noted(EventActor::User, EventContext::default(), "two"),
    ]);
    assert_eq!(known.note.text, "two");
}

#[test]
fn what_was_withdrawn_and_is_said_again_begins_anew() {
    let gone = |actor| {
        let what = LogEventKind::Retracted { id: "m".to_owned(), why: "no".to_owned() };
        event(actor, EventContext::default(), what)
    };
    let first = noted(EventActor::Agent, turn("r1", 1), "it is so");
    let known = after(&[first.clone(), passed("r1", 1), gone(EventActor::Ralph)]);
    assert!(known.verified && known.may_be_learned());
    assert!(!after(&[first.clone(), gone(EventActor::User)]).may_be_learned());
    let later = LogEvent { at: 5_000, ..noted(EventActor::Agent, turn("r2", 1), "it is so") };
    let known = after(&[first, passed("r1", 1), gone(EventActor::Ralph), later]);
    assert_eq!((known.retired, known.verified, &known.place), (None, false, &turn("r2", 1)));
    assert_eq!(known.recorded, Timestamp::from_millis(1_000));
}

#[test]
fn a_note_stands_or_falls_with_its_commit_until_it_is_said_again() {
    let first = [noted(EventActor::Agent, turn("r1", 1), "it is so"), landed("c1")];
    let and = |event: LogEvent| landings(&[&first[..], &[event]].concat());
    assert_eq!(landings(&first), 1);
    assert_eq!(and(again(EventActor::Agent, turn("r2", 1))), 0);
    assert_eq!(and(noted(EventActor::User, EventContext::default(), "it is so")), 0);
    assert_eq!(and(noted(EventActor::Import, EventContext::default(), "it is not")), 1);
    let id = || "m".to_owned();
    let promoted = || LogEventKind::Promoted { id: id(), scope: NoteScope::Project };
    assert_eq!(and(event(EventActor::User, EventContext::default(), promoted())), 0);
    assert_eq!(and(event(EventActor::Ralph, EventContext::default(), promoted())), 1);
    let retracted = LogEventKind::Retracted { id: id(), why: String::new() };
    assert_eq!(and(event(EventActor::Ralph, EventContext::default(), retracted)), 0);
    assert_eq!(
        and(event(EventActor::User, EventContext::default(), LogEventKind::Forgotten { id: id() })),
        0
    );
    assert_eq!(and(landed("c2")), 2);
}

#[test]
fn an_agent_owns_what_it_noted_for_its_task() {
    let known = after(&[noted(EventActor::Agent, session("one"), "it is so")]);
    assert!(known.is_own_of(&session("one")));
    assert!(!known.is_own_of(&session("two")) && !known.is_own_of(&EventContext::default()));
    for actor in [EventActor::User, EventActor::Ralph] {
        assert!(!after(&[noted(actor, session("one"), "it is so")]).is_own_of(&session("one")));
    }
    let promoted = LogEventKind::Promoted { id: "m".to_owned(), scope: NoteScope::Project };
    let events = [
        noted(EventActor::Agent, session("one"), "it is so"),
        event(EventActor::User, EventContext::default(), promoted),
    ];
    assert!(!after(&events).is_own_of(&session("one")));
}
