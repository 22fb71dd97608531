use ralph_core::Timestamp;

use crate::event::{Actor, Event, Note, NoteKind, Place, Scope, What};
use crate::notebook::{Known, Notebook};

fn scratch() -> (tempfile::TempDir, Notebook) {
    let dir = tempfile::tempdir().unwrap();
    let notebook = Notebook::open(dir.path()).unwrap();
    (dir, notebook)
}

fn turn(run: &str, iteration: u32) -> Place {
    Place { run: Some(run.to_owned()), iteration: Some(iteration), ..Place::default() }
}

fn session(name: &str) -> Place {
    Place { session: Some(name.to_owned()), ..Place::default() }
}

fn event(actor: Actor, place: Place, what: What) -> Event {
    Event { at: 1_000, place, actor, what }
}

fn noted(actor: Actor, place: Place, text: &str) -> Event {
    let note = Note::new("m", NoteKind::Fact, Scope::Task, text);
    event(actor, place, What::Noted(Box::new(note)))
}

fn again(actor: Actor, place: Place) -> Event {
    event(actor, place, What::SeenAgain { id: "m".to_owned() })
}

fn passed(run: &str, iteration: u32) -> Event {
    let what = What::Checked { passed: true, tree: None, failures: Vec::new(), raw: None };
    event(Actor::Ralph, turn(run, iteration), what)
}

fn landed(commit: &str) -> Event {
    let what = What::Landed { ids: vec!["m".to_owned()], commits: vec![commit.to_owned()] };
    event(Actor::Ralph, Place::default(), what)
}

/// The note after these events, which is the same once the notebook is made
/// anew.
#[track_caller]
fn after(events: &[Event]) -> Known {
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
fn landings(events: &[Event]) -> usize {
    let (_dir, notebook) = scratch();
    notebook.write(events).unwrap();
    notebook.landings().unwrap().len()
}

#[track_caller]
fn check_credit(author: Place, others: &[Place], want: (usize, f64)) {
    let mut events = vec![noted(Actor::Agent, author, "it is so")];
    events.extend(others.iter().map(|place| again(Actor::Agent, place.clone())));
    let known = after(&events);
    assert_eq!((known.witnesses.len(), known.belief.outcomes().0), want, "{others:?}");
}

#[test]
fn each_task_that_comes_to_the_same_counts_once_and_the_author_never() {
    let one = session("one");
    check_credit(one.clone(), &vec![one.clone(); 40], (0, 0.0));
    check_credit(one.clone(), &vec![session("two"); 40], (1, 0.5));
    check_credit(one.clone(), &[session("two"), session("three")], (2, 1.0));
    check_credit(turn("r1", 1), &[turn("r1", 2), turn("r2", 1), turn("r2", 5)], (1, 0.5));
    // A session that begins a loop is still the same.
    let looping = Place { session: Some("one".to_owned()), ..turn("r1", 1) };
    check_credit(one.clone(), std::slice::from_ref(&looping), (0, 0.0));
    check_credit(looping, std::slice::from_ref(&one), (0, 0.0));
    // Nobody can tell whether these are two.
    check_credit(Place::default(), &[Place::default(), session("two")], (0, 0.0));
    check_credit(one, &[Place::default()], (0, 0.0));
}

#[test]
fn belief_by_agreement_has_an_end() {
    let many: Vec<Place> = (0..100).map(|number| session(&number.to_string())).collect();
    check_credit(session("author"), &many, (20, 10.0));
}

#[test]
fn the_same_words_in_a_turn_whose_checks_pass_are_verified() {
    let known = after(&[
        noted(Actor::Agent, turn("r1", 1), "it is so"),
        again(Actor::Agent, turn("r1", 2)),
        passed("r1", 2),
    ]);
    assert!(known.verified);
    assert_eq!((known.counts.passed, known.belief.outcomes().0), (1, 1.0));
    // What we say of two notes ourselves is no work of a turn.
    let known = after(&[
        noted(Actor::Agent, turn("r1", 1), "it is so"),
        again(Actor::Ralph, turn("r2", 2)),
        passed("r2", 2),
    ]);
    assert!(!known.verified);
}

#[test]
fn what_the_user_wrote_is_changed_by_the_user_alone() {
    for actor in [Actor::Ralph, Actor::Agent, Actor::Import] {
        let corrected = [
            noted(Actor::Ralph, turn("r1", 1), "`make` is the check"),
            noted(Actor::User, Place::default(), "`just` is the check"),
            noted(actor, turn("r2", 1), "`make` is the check"),
            passed("r2", 1),
        ];
        let known = after(&corrected);
        assert_eq!((known.note.text.as_str(), known.actor), ("`just` is the check", Actor::User));
        assert_eq!((known.verified, known.counts.passed), (true, 0));
    }
    let known = after(&[
        noted(Actor::User, Place::default(), "one"),
        noted(Actor::User, Place::default(), "two"),
    ]);
    assert_eq!(known.note.text, "two");
}

#[test]
fn what_was_withdrawn_and_is_said_again_begins_anew() {
    let gone = |actor| {
        let what = What::Retracted { id: "m".to_owned(), why: "no".to_owned() };
        event(actor, Place::default(), what)
    };
    let first = noted(Actor::Agent, turn("r1", 1), "it is so");
    let known = after(&[first.clone(), passed("r1", 1), gone(Actor::Ralph)]);
    assert!(known.verified && known.may_be_learned());
    assert!(!after(&[first.clone(), gone(Actor::User)]).may_be_learned());
    let later = Event { at: 5_000, ..noted(Actor::Agent, turn("r2", 1), "it is so") };
    let known = after(&[first, passed("r1", 1), gone(Actor::Ralph), later]);
    assert_eq!((known.retired, known.verified, &known.place), (None, false, &turn("r2", 1)));
    assert_eq!(known.recorded, Timestamp::from_millis(1_000));
}

#[test]
fn a_note_stands_or_falls_with_its_commit_until_it_is_said_again() {
    let first = [noted(Actor::Agent, turn("r1", 1), "it is so"), landed("c1")];
    let and = |event: Event| landings(&[&first[..], &[event]].concat());
    assert_eq!(landings(&first), 1);
    assert_eq!(and(again(Actor::Agent, turn("r2", 1))), 0);
    assert_eq!(and(noted(Actor::User, Place::default(), "it is so")), 0);
    assert_eq!(and(noted(Actor::Import, Place::default(), "it is not")), 1);
    let id = || "m".to_owned();
    let promoted = || What::Promoted { id: id(), scope: Scope::Project };
    assert_eq!(and(event(Actor::User, Place::default(), promoted())), 0);
    assert_eq!(and(event(Actor::Ralph, Place::default(), promoted())), 1);
    let retracted = What::Retracted { id: id(), why: String::new() };
    assert_eq!(and(event(Actor::Ralph, Place::default(), retracted)), 0);
    assert_eq!(and(event(Actor::User, Place::default(), What::Forgotten { id: id() })), 0);
    assert_eq!(and(landed("c2")), 2);
}

#[test]
fn an_agent_owns_what_it_noted_for_its_task() {
    let known = after(&[noted(Actor::Agent, session("one"), "it is so")]);
    assert!(known.is_own_of(&session("one")));
    assert!(!known.is_own_of(&session("two")) && !known.is_own_of(&Place::default()));
    for actor in [Actor::User, Actor::Ralph] {
        assert!(!after(&[noted(actor, session("one"), "it is so")]).is_own_of(&session("one")));
    }
    let promoted = What::Promoted { id: "m".to_owned(), scope: Scope::Project };
    let events = [
        noted(Actor::Agent, session("one"), "it is so"),
        event(Actor::User, Place::default(), promoted),
    ];
    assert!(!after(&events).is_own_of(&session("one")));
}
