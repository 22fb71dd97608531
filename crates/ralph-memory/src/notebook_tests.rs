use std::thread;

use proptest::prelude::*;
use ralph_core::Timestamp;
use ralph_core::memory::NoteSource;
use ralph_core::memory::attempt::TaskAttempt;
use ralph_core::memory::label::NoteLabel;

use super::*;
use crate::entry::ImportRefusal;
use crate::event::{
    AttemptRecord, EventContext, NoteAnchor, NoteCheck, NoteContent, NoteKind, NoteScope,
};
use crate::query::RetiredEntries;

#[path = "notebook/import_tests.rs"]
mod import;

fn scratch() -> (tempfile::TempDir, Notebook) {
    let dir = tempfile::tempdir().unwrap();
    let notebook = Notebook::open(dir.path()).unwrap();
    (dir, notebook)
}

fn note(id: &str, text: &str) -> NoteContent {
    NoteContent::new(id, NoteKind::Gotcha, NoteScope::Task, text)
}

fn turn(iteration: u32) -> EventContext {
    EventContext {
        run: Some("run-1".to_owned()),
        iteration: Some(iteration),
        ..EventContext::default()
    }
}

fn event(actor: EventActor, place: EventContext, what: LogEventKind) -> LogEvent {
    LogEvent { at: 1_000, place, actor, what }
}

fn noted(actor: EventActor, note: NoteContent) -> LogEvent {
    event(actor, EventContext::default(), LogEventKind::Noted(Box::new(note)))
}

fn ids(ids: &[&str]) -> Vec<String> {
    ids.iter().map(|id| (*id).to_owned()).collect()
}

fn passed(iteration: u32) -> LogEvent {
    let what = LogEventKind::Checked { passed: true };
    event(EventActor::Ralph, turn(iteration), what)
}

fn failed(iteration: u32) -> LogEvent {
    let what = LogEventKind::Checked { passed: false };
    event(EventActor::Ralph, turn(iteration), what)
}

fn question(text: &str) -> SearchQuery {
    SearchQuery { text: text.to_owned(), limit: 10, ..SearchQuery::default() }
}

/// All that the notebook says, to be compared.
fn dump(notebook: &Notebook) -> Vec<StoredNote> {
    let filters = SearchFilters { retired: RetiredEntries::Shown, ..SearchFilters::default() };
    notebook.list(&NoteSelection { filters, ..NoteSelection::default() }).unwrap()
}

#[test]
fn a_note_comes_back_with_all_it_says() {
    let (_dir, notebook) = scratch();
    let wanted = NoteContent {
        title: Some("Locks".to_owned()),
        why: Some("it was slow".to_owned()),
        files: ids(&["src/lock.rs", "src/a b.rs"]),
        anchors: vec![NoteAnchor {
            file: "src/lock.rs".to_owned(),
            hash: Some("abc".to_owned()),
            symbol: Some("Lock".to_owned()),
            body: Some("def".to_owned()),
        }],
        since: Some(5),
        external_id: Some("e1".to_owned()),
        prev: Some("e0".to_owned()),
        next: Some("e2".to_owned()),
        group: Some("g".to_owned()),
        ..note("m1", "Take the lock with \"quotes\" first.\n잠금")
    };
    notebook
        .write(&[event(EventActor::Agent, turn(1), LogEventKind::Noted(Box::new(wanted.clone())))])
        .unwrap();
    let known = notebook.get("m1").unwrap().unwrap();
    assert_eq!(known.note, wanted);
    assert_eq!((known.actor, &known.place), (EventActor::Agent, &turn(1)));
    assert_eq!((known.recorded.as_millis(), known.valid_from().as_millis()), (1_000, 5));
    assert_eq!((known.source(), known.verified), (NoteSource::AgentCiting, false));
    assert_eq!(notebook.get("e1").unwrap(), Some(known));
    assert_eq!(notebook.get("../m1").unwrap(), None);
}

#[test]
fn only_what_was_written_or_cited_in_a_turn_is_credited_with_its_end() {
    let (_dir, notebook) = scratch();
    let write = |id: &str| noted(EventActor::Agent, note(id, id));
    notebook.write(&["shown", "cited", "other"].map(write)).unwrap();
    let own = event(EventActor::Agent, turn(1), LogEventKind::Noted(Box::new(note("own", "own"))));
    let shown = LogEventKind::Shown { ids: ids(&["shown", "cited"]), tokens: 100 };
    let cited = LogEventKind::Cited { ids: ids(&["cited", "invented"]) };
    notebook
        .write(&[
            own,
            event(EventActor::Ralph, turn(1), shown),
            event(EventActor::Agent, turn(1), cited.clone()),
            passed(2),
            passed(1),
            passed(1),
        ])
        .unwrap();
    let of = |id: &str| {
        let known = notebook.get(id).unwrap().unwrap();
        (known.belief().outcomes().0, known.verified, known.counts.passed)
    };
    assert_eq!(of("cited"), (1.0, true, 1));
    assert_eq!(of("own"), (1.0, true, 1));
    assert_eq!(of("shown"), (0.0, false, 0));
    assert_eq!(of("other"), (0.0, false, 0));
    assert_eq!(notebook.get("shown").unwrap().unwrap().counts.tokens, 50);
    notebook.write(&[event(EventActor::Agent, turn(3), cited), failed(3)]).unwrap();
    let known = notebook.get("cited").unwrap().unwrap();
    assert_eq!((known.belief().outcomes().1, known.counts.failed, known.counts.cited), (1.0, 1, 2));
    assert_eq!(notebook.get("invented").unwrap(), None);
}

#[test]
fn failed_work_takes_the_label_from_notes_and_not_from_rules() {
    let (_dir, notebook) = scratch();
    let rule = NoteContent { kind: NoteKind::Constitution, ..note("rule", "never push to main") };
    notebook
        .write(&[noted(EventActor::User, rule), noted(EventActor::User, note("fact", "it is so"))])
        .unwrap();
    for at in 1..20 {
        let cited = LogEventKind::Cited { ids: ids(&["rule", "fact"]) };
        notebook.write(&[event(EventActor::Agent, turn(at), cited), failed(at)]).unwrap();
    }
    let label = |id: &str| notebook.get(id).unwrap().unwrap().label(&[]);
    assert_eq!((label("rule"), label("fact")), (NoteLabel::Verified, NoteLabel::Hypothesis));
}

#[test]
fn what_was_replaced_or_withdrawn_is_kept_and_found_only_on_demand() {
    let (_dir, notebook) = scratch();
    notebook
        .write(&[
            noted(EventActor::Agent, note("old", "deploy with make")),
            noted(EventActor::User, note("new", "deploy with just")),
            noted(EventActor::Agent, note("wrong", "deploy by hand")),
        ])
        .unwrap();
    let replaced = LogEventKind::Replaced {
        id: "old".to_owned(),
        by: "new".to_owned(),
        why: "moved".to_owned(),
    };
    let retracted = LogEventKind::Retracted { id: "wrong".to_owned(), why: "no".to_owned() };
    let decide = |what| event(EventActor::Ralph, EventContext::default(), what);
    notebook.write(&[decide(replaced), decide(retracted)]).unwrap();
    let found = notebook.search(&question("deploy")).unwrap();
    assert_eq!(found.iter().map(|one| one.known.note.id.as_str()).collect::<Vec<_>>(), ["new"]);
    assert!(found[0].known.verified, "the user wrote it");
    let old = notebook.get("old").unwrap().unwrap().retired.unwrap();
    assert_eq!((old.why.as_str(), old.by.as_deref()), ("moved", Some("new")));
    assert_eq!(dump(&notebook).len(), 3);
    // Written again, it holds again.
    notebook.write(&[noted(EventActor::Agent, note("wrong", "deploy by hand"))]).unwrap();
    assert_eq!(notebook.get("wrong").unwrap().unwrap().retired, None);
}

#[test]
fn a_note_that_is_written_anew_says_the_new_and_earned_nothing_yet() {
    let (_dir, notebook) = scratch();
    notebook
        .write(&[
            event(EventActor::Agent, turn(1), LogEventKind::Noted(Box::new(note("m", "use tabs")))),
            passed(1),
            noted(EventActor::User, note("m", "use spaces")),
        ])
        .unwrap();
    let known = notebook.get("m").unwrap().unwrap();
    assert_eq!((known.note.text.as_str(), known.source()), ("use spaces", NoteSource::User));
    assert!(known.belief().outcomes().0 == 0.0 && known.verified);
    assert!(notebook.search(&question("tabs")).unwrap().is_empty());
    assert_eq!(notebook.search(&question("spaces")).unwrap().len(), 1);
}

#[test]
fn the_words_of_why_are_found_and_count_less_than_those_of_the_text() {
    let (dir, notebook) = scratch();
    let why = |why: &str| Some(why.to_owned());
    let found = |notebook: &Notebook, text: &str| -> Vec<String> {
        let found = notebook.search(&question(text)).unwrap();
        found.into_iter().map(|found| found.known.note.id).collect()
    };
    let reasoned =
        NoteContent { why: why("the linker runs out of memory"), ..note("m1", "build alone") };
    notebook
        .write(&[
            noted(EventActor::User, reasoned.clone()),
            noted(EventActor::User, note("m2", "memory of the linker")),
        ])
        .unwrap();
    assert_eq!(found(&notebook, "linker memory"), ["m2", "m1"]);
    assert_eq!(notebook.get("m1").unwrap().unwrap().note, reasoned);
    notebook
        .write(&[noted(EventActor::User, NoteContent { why: why("it is hot"), ..reasoned })])
        .unwrap();
    assert_eq!(found(&notebook, "linker memory"), ["m2"]);
    assert_eq!(found(&notebook, "hot"), ["m1"]);
    drop(notebook);
    assert_eq!(found(&Notebook::open(dir.path()).unwrap(), "hot"), ["m1"]);
}

#[test]
fn whoever_cannot_wait_gets_what_is_stored_and_is_heard_later() {
    let (dir, notebook) = scratch();
    notebook.write(&[noted(EventActor::User, note("m1", "words"))]).unwrap();
    let writer = notebook.memory.connection.unchecked_transaction().unwrap();
    writer.execute("INSERT INTO counters VALUES ('x', 1)", []).unwrap();
    let at_work = EventLog::new(dir.path());
    at_work.hand_in(&[noted(EventActor::User, note("m2", "words"))]).unwrap();
    let hook = |book: &Notebook| {
        book.write(&[noted(EventActor::User, note("m3", "words"))])?;
        book.count()
    };
    let (count, _) = Notebook::attempt_within(dir.path(), LockPatience::Short, hook).unwrap();
    assert_eq!(count, 1, "somebody writes");
    writer.rollback().unwrap();
    assert_eq!(notebook.count().unwrap(), 3);
}

#[test]
fn a_note_is_known_by_the_beginning_of_its_id() {
    let (_dir, notebook) = scratch();
    let ids = [note_id("one"), note_id("two"), "own".to_owned()];
    let events: Vec<LogEvent> =
        ids.iter().map(|id| noted(EventActor::User, note(id, "text"))).collect();
    notebook.write(&events).unwrap();
    for id in &ids {
        assert_eq!(notebook.beginning(&id[..3]).unwrap(), [id.as_str()]);
    }
    assert!(notebook.beginning("mzzzz").unwrap().is_empty());
}

#[test]
fn notes_are_listed_by_what_they_are_and_what_they_are_about() {
    let (_dir, notebook) = scratch();
    let about = |id: &str, file: &str, kind: NoteKind| {
        noted(EventActor::User, NoteContent { kind, files: ids(&[file]), ..note(id, "text") })
    };
    notebook
        .write(&[
            about("a", "src/a.rs", NoteKind::Gotcha),
            about("b", "src/b.rs", NoteKind::Skill),
            about("c", "src/a.rs", NoteKind::of("turn")),
        ])
        .unwrap();
    let list = |selection: &NoteSelection| -> Vec<String> {
        notebook.list(selection).unwrap().into_iter().map(|known| known.note.id).collect()
    };
    let of_a = NoteSelection { files: ids(&["src/a.rs"]), ..NoteSelection::default() };
    assert_eq!(list(&of_a), ["c", "a"]);
    assert_eq!(list(&NoteSelection { limit: Some(1), ..of_a.clone() }), ["c"]);
    let filters = SearchFilters { kinds: ids(&["turn", "skill"]), ..SearchFilters::default() };
    assert_eq!(list(&NoteSelection { filters, ..NoteSelection::default() }), ["c", "b"]);
    // No longer about the file once it is written anew, and gone once forgotten.
    notebook.write(&[about("a", "src/b.rs", NoteKind::Gotcha)]).unwrap();
    notebook.forget("c").unwrap();
    assert!(list(&of_a).is_empty());
}

#[test]
fn a_forgotten_note_is_gone_from_every_file() {
    let (dir, notebook) = scratch();
    notebook
        .write(&[
            noted(EventActor::User, note("m1", "the magic word is xyzzy42")),
            noted(EventActor::User, note("m2", "something else")),
        ])
        .unwrap();
    assert_eq!(notebook.forget("m1").unwrap(), 1);
    assert_eq!(notebook.get("m1").unwrap(), None);
    assert!(notebook.search(&question("password xyzzy42")).unwrap().is_empty());
    assert_eq!(dump(&notebook).len(), 1);
    let mut folders = vec![dir.path().to_owned()];
    while let Some(folder) = folders.pop() {
        for one in fs::read_dir(folder).unwrap() {
            let path = one.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = fs::read(&path).unwrap();
            let holds = bytes.windows(7).any(|window| window == b"xyzzy42");
            assert!(!holds, "{}", path.display());
        }
    }
}

#[test]
fn a_note_that_is_rewritten_holds_since_then() {
    let (_dir, notebook) = scratch();
    notebook.write(&[noted(EventActor::User, note("m1", "one"))]).unwrap();
    notebook
        .write(&[LogEvent { at: 2_000, ..noted(EventActor::User, note("m1", "two")) }])
        .unwrap();
    let known = notebook.get("m1").unwrap().unwrap();
    assert_eq!((known.recorded.as_millis(), known.valid_from().as_millis()), (1_000, 2_000));
    assert_eq!(known.note.since, None);
}

#[test]
fn a_database_of_an_older_version_is_made_anew_from_the_log() {
    let (dir, notebook) = scratch();
    let in_group = NoteContent { group: Some("talk".to_owned()), ..note("m2", "more text") };
    notebook.write(&[noted(EventActor::User, note("m1", "text"))]).unwrap();
    notebook.write(&[noted(EventActor::User, in_group)]).unwrap();
    let before = dump(&notebook);
    let older = "DROP TABLE words; DROP TABLE places; DROP TABLE notes; \
                 CREATE TABLE entries (doc INTEGER PRIMARY KEY, text TEXT); \
                 CREATE TABLE notes (doc INTEGER PRIMARY KEY, flags INTEGER); \
                 CREATE TABLE segments (id INTEGER PRIMARY KEY, part INTEGER, docs INTEGER); \
                 CREATE TABLE chunks (id INTEGER PRIMARY KEY, data BLOB); \
                 INSERT INTO segments VALUES (1, 0, 2); PRAGMA user_version = 8";
    notebook.memory.connection.execute_batch(older).unwrap();
    drop(notebook);
    let notebook = Notebook::open(dir.path()).unwrap();
    assert_eq!(dump(&notebook), before);
    let left = "SELECT count(*) FROM sqlite_schema WHERE name IN ('segments', 'chunks', 'entries')";
    let left: i64 = notebook.memory.connection.query_row(left, [], |row| row.get(0)).unwrap();
    assert_eq!(left, 0, "tables of the index of our own");
    assert!(notebook.repaired().is_none(), "nothing was wrong");
    let filters = SearchFilters { group: Some("talk".to_owned()), ..SearchFilters::default() };
    let found = notebook.search(&SearchQuery { filters, ..question("text") }).unwrap();
    assert_eq!(found.iter().map(|found| &*found.known.note.id).collect::<Vec<_>>(), ["m2"]);
}

#[test]
fn a_damaged_database_is_made_anew_and_said() {
    let (dir, notebook) = scratch();
    notebook.write(&[noted(EventActor::User, note("m1", "text"))]).unwrap();
    let before = dump(&notebook);
    drop(notebook);
    fs::remove_file(dir.path().join("memory.1.db-wal")).unwrap();
    fs::write(dir.path().join("memory.1.db"), "no database").unwrap();
    let notebook = Notebook::open(dir.path()).unwrap();
    assert!(matches!(notebook.repaired(), Some(MemoryError::Damaged { .. })));
    assert_eq!(dump(&notebook), before);
    notebook.memory.connection.execute("DELETE FROM notes", []).unwrap();
    drop(notebook);
    let (found, notebook) =
        Notebook::attempt(dir.path(), |notebook| notebook.search(&question("text"))).unwrap();
    assert_eq!((found.len(), dump(&notebook)), (1, before));
    assert!(notebook.repaired().is_some());
}

#[test]
fn nobody_is_answered_from_a_database_that_another_has_replaced() {
    let (dir, notebook) = scratch();
    notebook.write(&[noted(EventActor::User, note("m1", "text"))]).unwrap();
    open::remove(&open::path_in(dir.path())).unwrap();
    let other = Notebook::open(dir.path()).unwrap();
    let found = notebook.search(&question("text"));
    assert!(found.as_ref().is_err_and(MemoryError::is_passing), "{found:?}");
    notebook.write(&[noted(EventActor::User, note("m2", "text"))]).unwrap();
    assert_eq!(other.search(&question("text")).unwrap().len(), 2);
}

#[test]
fn a_damaged_line_is_counted_and_the_others_are_kept() {
    let (dir, notebook) = scratch();
    notebook.write(&["a", "b", "c"].map(|id| noted(EventActor::User, note(id, id)))).unwrap();
    let path = dir.path().join("memory/00000001.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("\"text\":\"b\"", "\"text\":\"x\"")).unwrap();
    notebook.remake().unwrap();
    let damaged = notebook.stats().unwrap().damaged;
    assert_eq!(damaged.len(), 1);
    assert_eq!(damaged[0].0, Path::new("00000001.jsonl"));
    let kept: Vec<String> = dump(&notebook).into_iter().map(|known| known.note.id).collect();
    assert_eq!(kept, ["c", "a"]);
}

#[test]
fn without_its_log_nothing_is_known() {
    let (dir, notebook) = scratch();
    notebook.write(&[noted(EventActor::User, note("m1", "text"))]).unwrap();
    drop(notebook);
    fs::remove_dir_all(dir.path().join("memory")).unwrap();
    assert!(dump(&Notebook::open(dir.path()).unwrap()).is_empty());
}

#[test]
fn what_is_too_large_is_refused_and_nothing_is_written() {
    let (_dir, notebook) = scratch();
    let huge = note("m2", &"x".repeat(crate::LONGEST_TEXT + 1));
    let refused =
        notebook.write(&[noted(EventActor::User, note("m1", "a")), noted(EventActor::User, huge)]);
    assert!(matches!(refused, Err(MemoryError::Refused { .. })), "{refused:?}");
    assert_eq!(notebook.count().unwrap(), 0);
}

#[test]
fn two_writers_at_once_lose_and_repeat_nothing() {
    let dir = tempfile::tempdir().unwrap();
    thread::scope(|scope| {
        for writer in 0..4 {
            let home = dir.path();
            scope.spawn(move || {
                let notebook = Notebook::open(home).unwrap();
                for number in 0..20 {
                    let id = format!("{writer}-{number}");
                    let cited = LogEventKind::Cited { ids: ids(&["shared"]) };
                    notebook
                        .write(&[
                            noted(EventActor::User, note(&id, "words")),
                            noted(EventActor::User, note("shared", "words")),
                            event(EventActor::Agent, EventContext::default(), cited),
                        ])
                        .unwrap();
                }
            });
        }
    });
    let notebook = Notebook::open(dir.path()).unwrap();
    assert_eq!(notebook.count().unwrap(), 81);
    assert_eq!(notebook.get("shared").unwrap().unwrap().counts.cited, 80);
    let before = dump(&notebook);
    notebook.rebuild().unwrap();
    assert_eq!(dump(&notebook), before);
}

#[test]
fn attempts_are_found_by_file_and_by_run_the_latest_of_them() {
    let (_dir, notebook) = scratch();
    let tried = |run: &str, iteration: u32, file: &str| {
        let attempt = TaskAttempt::default().change(file, &["a()"], &[]);
        let what =
            LogEventKind::Attempted(Box::new(AttemptRecord::new(attempt, ids(&["test a: no"]))));
        let place = EventContext { run: Some(run.to_owned()), ..turn(iteration) };
        event(EventActor::Ralph, place, what)
    };
    let all = [tried("r1", 1, "a.rs"), tried("r1", 2, "b.rs"), tried("r2", 1, "a.rs")];
    notebook.write(&all).unwrap();
    let found = |files: &[&str], run: Option<&str>, limit: usize| {
        let run = run.map(str::to_owned);
        let query = AttemptQuery { files: ids(files), run, limit };
        let found = notebook.attempts(&query).unwrap();
        let name = |one: PastAttempt| (one.place.run.unwrap(), one.place.iteration.unwrap());
        found.into_iter().map(name).collect::<Vec<_>>()
    };
    let want = |names: &[(&str, u32)]| -> Vec<(String, u32)> {
        names.iter().map(|(run, number)| ((*run).to_owned(), *number)).collect()
    };
    assert_eq!(found(&[], None, 9), want(&[("r1", 1), ("r1", 2), ("r2", 1)]));
    assert_eq!(found(&["a.rs"], None, 9), want(&[("r1", 1), ("r2", 1)]));
    assert_eq!(found(&["a.rs", "b.rs"], Some("r1"), 9), want(&[("r1", 1), ("r1", 2)]));
    assert_eq!(found(&[], None, 1), want(&[("r2", 1)]));
}

#[test]
fn a_check_goes_with_its_note() {
    let (_dir, notebook) = scratch();
    let bound = |check| LogEventKind::Bound { id: "m1".to_owned(), check };
    let rule = || Some(NoteCheck::Rule("id: a".to_owned()));
    let by_user = |what| event(EventActor::User, EventContext::default(), what);
    let count = || notebook.invariants().unwrap().len();
    notebook
        .write(&[noted(EventActor::User, note("m1", "words")), by_user(bound(rule()))])
        .unwrap();
    assert_eq!(notebook.invariants().unwrap()[0].1, rule().unwrap());
    let gone = LogEventKind::Retracted { id: "m1".to_owned(), why: String::new() };
    notebook.write(&[by_user(gone)]).unwrap();
    assert_eq!(count(), 0);
    notebook.write(&[noted(EventActor::User, note("m1", "words"))]).unwrap();
    assert_eq!(count(), 1);
    notebook.forget("m1").unwrap();
    notebook.write(&[noted(EventActor::User, note("m1", "words"))]).unwrap();
    assert_eq!(count(), 0);
}

fn any_event() -> impl Strategy<Value = LogEvent> {
    let id = || (0..6_u8).prop_map(|number| format!("m{number}"));
    let some_note = (id(), 0..4_u8, proptest::option::of(0..4_u8)).prop_map(|(id, text, outer)| {
        let external_id = outer.map(|outer| format!("e{outer}"));
        LogEventKind::Noted(Box::new(NoteContent {
            external_id,
            files: ids(&[&format!("f{text}")]),
            ..note(&id, &format!("word{text}"))
        }))
    });
    let what = prop_oneof![
        4 => some_note,
        1 => id().prop_map(|id| LogEventKind::Shown { ids: vec![id], tokens: 7 }),
        1 => id().prop_map(|id| LogEventKind::Cited { ids: vec![id] }),
        2 => any::<bool>()
            .prop_map(|passed| LogEventKind::Checked { passed }),
        2 => id().prop_map(|id| LogEventKind::SeenAgain { id }),
        1 => (id(), 0..3_u8).prop_map(|(id, commit)| {
            LogEventKind::Landed { ids: vec![id], commits: vec![format!("c{commit}")] }
        }),
        1 => (id(), id()).prop_map(|(id, by)| LogEventKind::Replaced { id, by, why: "w".to_owned() }),
        1 => id().prop_map(|id| LogEventKind::Promoted { id, scope: NoteScope::Project }),
        1 => id().prop_map(|id| LogEventKind::Retracted { id, why: "w".to_owned() }),
        1 => id().prop_map(|id| LogEventKind::Corrected { id }),
        1 => id().prop_map(|id| LogEventKind::Forgotten { id }),
        1 => id().prop_map(|id| {
            LogEventKind::Bound { id, check: Some(NoteCheck::Test("works".to_owned())) }
        }),
        1 => (0..4_u8).prop_map(|file| {
            let attempt = TaskAttempt::default().change(&format!("f{file}"), &["a()"], &[]);
            LogEventKind::Attempted(Box::new(AttemptRecord::new(attempt, ids(&["no"]))))
        }),
    ];
    let actors = [EventActor::User, EventActor::Agent, EventActor::Ralph, EventActor::Import];
    (what, 0..4_usize, 0..100_i64, 0..3_u32).prop_map(move |(what, actor, days, iteration)| {
        let place = if iteration == 0 { EventContext::default() } else { turn(iteration) };
        LogEvent { at: days * 86_400_000, place, actor: actors[actor], what }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_notebook_made_anew_says_the_same(
        events in proptest::collection::vec(any_event(), 1..60),
        cut in 1..8_usize,
    ) {
        let (_dir, notebook) = scratch();
        for some in events.chunks(cut) {
            notebook.write(some).unwrap();
        }
        let before = dump(&notebook);
        let files: Vec<Vec<StoredNote>> = (0..4)
            .map(|number| NoteSelection { files: vec![format!("f{number}")], ..NoteSelection::default() })
            .map(|selection| notebook.list(&selection).unwrap())
            .collect();
        let beside = |notebook: &Notebook| {
            let all = AttemptQuery { limit: 100, ..AttemptQuery::default() };
            let landings = notebook.landings().unwrap();
            (notebook.attempts(&all).unwrap(), notebook.invariants().unwrap(), landings)
        };
        let tried = beside(&notebook);
        notebook.rebuild().unwrap();
        prop_assert_eq!(&dump(&notebook), &before);
        prop_assert_eq!(beside(&notebook), tried);
        for (number, wanted) in files.iter().enumerate() {
            let files = vec![format!("f{number}")];
            let found = notebook.list(&NoteSelection { files, ..NoteSelection::default() }).unwrap();
            prop_assert_eq!(&found, wanted);
        }
        let active = before.iter().filter(|known| known.retired.is_none()).count();
        let all = SearchQuery { limit: 100, ..question("word0 word1 word2 word3") };
        prop_assert_eq!(notebook.search(&all).unwrap().len(), active);
    }
}

#[test]
fn a_secret_is_scrubbed_whatever_its_length() {
    let (dir, notebook) = scratch();
    let token = format!("ghp_{}", "a1B2".repeat(9));
    // As if it had been written before such secrets were known.
    let events = ["password=hunter2".to_owned(), format!("use {token}")];
    let events = events.map(|text| noted(EventActor::User, note(&text, &text)));
    EventLog::new(dir.path()).append(&events).unwrap();
    let after = noted(EventActor::User, note("m9", "the port is 8080"));
    notebook.write(&[after]).unwrap();
    assert_eq!(notebook.scrub().unwrap(), 2);
    let texts: Vec<String> = dump(&notebook).into_iter().map(|known| known.note.text).collect();
    assert_eq!(
        texts,
        ["the port is 8080", "use [redacted:github-token]", "password=[redacted:password]"]
    );
    assert_eq!(notebook.scrub().unwrap(), 0);
    assert!(notebook.stats().unwrap().damaged.is_empty());
}
