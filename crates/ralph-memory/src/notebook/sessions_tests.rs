use std::fs;

use proptest::prelude::*;

use super::*;
use crate::event::{EventActor, EventContext};
use crate::resume::resume_context;

fn scratch() -> (tempfile::TempDir, Notebook) {
    let dir = tempfile::tempdir().unwrap();
    let notebook = Notebook::open(dir.path()).unwrap();
    (dir, notebook)
}

fn of(session: &str, at: i64, what: LogEventKind) -> LogEvent {
    let place = EventContext { session: Some(session.to_owned()), ..EventContext::default() };
    LogEvent { at, place, actor: EventActor::Agent, what }
}

fn used(tool: &str, file: &str, error: Option<&str>) -> LogEventKind {
    LogEventKind::Observed(Box::new(ToolUseRecord {
        tool: tool.to_owned(),
        files: vec![file.to_owned()],
        about: format!("about {file}"),
        error: error.map(str::to_owned),
    }))
}

fn asked(text: &str) -> LogEventKind {
    LogEventKind::Asked { text: text.to_owned() }
}

fn answered(text: &str) -> LogEventKind {
    LogEventKind::Answered { text: text.to_owned() }
}

fn opened() -> LogEventKind {
    LogEventKind::Opened {
        worktree: Some("/w".to_owned()),
        source: "new".to_owned(),
        external: None,
    }
}

fn committed(commit: &str, reverts: Option<&str>) -> LogEventKind {
    LogEventKind::Committed(Box::new(CommitRecord {
        commit: commit.to_owned(),
        subject: "api: move it".to_owned(),
        files: vec!["a.rs".to_owned()],
        reverts: reverts.map(str::to_owned),
    }))
}

fn all(notebook: &Notebook) -> Vec<SessionRecord> {
    notebook.sessions(&SessionFilter::default()).unwrap()
}

#[test]
fn a_session_tells_what_was_asked_done_and_said_in_it() {
    let (_dir, notebook) = scratch();
    let closed = LogEventKind::Closed { state: SessionStatus::Paused, why: "left".to_owned() };
    notebook
        .write(&[
            of("one", 10, opened()),
            of("one", 20, asked("\nfix the parser\nplease")),
            of("one", 30, used("Edit", "a.rs", None)),
            of("one", 31, used("Edit", "a.rs", None)),
            of("one", 40, used("Bash", "b.rs", Some("exit 1"))),
            of("one", 50, answered("it is done")),
            of("two", 45, asked("something else")),
            of("one", 60, closed),
        ])
        .unwrap();
    let found = all(&notebook);
    assert_eq!(found.len(), 2);
    let one = &found[0];
    assert_eq!(one.task.as_deref(), Some("fix the parser"));
    assert_eq!(one.external.as_deref(), Some("one"));
    assert_eq!((one.state, one.mode), (SessionStatus::Paused, PermissionMode::Agent));
    assert_eq!((one.created, one.updated, one.last_checkpoint), (10, 60, 60));
    assert_eq!(one.worktree.as_deref(), Some("/w"));
    assert_eq!(one.files, ["b.rs", "a.rs"]);
    assert_eq!(one.last_failure.as_deref(), Some("Bash about b.rs: exit 1"));
    let said: Vec<(MessageRole, &str)> =
        one.messages.iter().map(|m| (m.who, m.text.as_str())).collect();
    assert_eq!(
        said,
        [
            (MessageRole::User, "\nfix the parser\nplease"),
            (MessageRole::Tool, "Edit about a.rs"),
            (MessageRole::Tool, "Bash about b.rs: exit 1"),
            (MessageRole::Agent, "it is done"),
        ]
    );
    let context = notebook.resume_context(&one.id).unwrap().unwrap();
    assert_eq!(context, resume_context(one, ralph_core::locale::Locale::En));
    assert!(context.contains("files touched last: b.rs, a.rs"), "{context}");
    // Whoever says something in it takes it up again.
    notebook.write(&[of("one", 70, asked("and now the tests"))]).unwrap();
    assert_eq!(all(&notebook)[0].state, SessionStatus::Active);
    let paused = SessionFilter { states: vec![SessionStatus::Paused], ..SessionFilter::default() };
    assert_eq!(notebook.sessions(&paused).unwrap(), []);
}

#[test]
fn what_works_again_is_no_failure_any_more() {
    let (_dir, notebook) = scratch();
    notebook.write(&[of("one", 1, used("Bash", "a.rs", Some("exit 1")))]).unwrap();
    notebook.write(&[of("one", 2, used("Edit", "a.rs", None))]).unwrap();
    assert!(all(&notebook)[0].last_failure.is_some());
    notebook.write(&[of("one", 3, used("Bash", "a.rs", None))]).unwrap();
    assert_eq!(all(&notebook)[0].last_failure, None);
}

#[test]
fn an_error_that_broke_a_turn_off_is_over_when_something_succeeds() {
    let broken =
        || LogEventKind::Closed { state: SessionStatus::Failed, why: "overloaded".to_owned() };
    let failure = |next: &[LogEventKind]| {
        let (_dir, notebook) = scratch();
        let all = [asked("x"), broken(), asked("go on")].into_iter().chain(next.iter().cloned());
        let events: Vec<LogEvent> = (1..).zip(all).map(|(at, what)| of("one", at, what)).collect();
        notebook.write(&events).unwrap();
        notebook.rebuild().unwrap();
        self::all(&notebook)[0].last_failure.clone()
    };
    assert_eq!(failure(&[]).as_deref(), Some("overloaded"));
    assert_eq!(failure(&[answered("")]).as_deref(), Some("overloaded"));
    assert_eq!(failure(&[used("Edit", "a.rs", None)]), None);
    assert_eq!(failure(&[answered("done")]), None);
    let failed = used("Bash", "a.rs", Some("exit 1"));
    let kept = failure(&[failed, used("Edit", "a.rs", None), answered("hm")]);
    assert_eq!(kept.as_deref(), Some("Bash about a.rs: exit 1"), "a tool's own stays");
}

#[test]
fn who_is_told_how_a_session_goes_on_does_nothing_in_it() {
    let (_dir, notebook) = scratch();
    let closed = |state| LogEventKind::Closed { state, why: "left".to_owned() };
    let taken = |at, session| LogEvent { actor: EventActor::User, ..of(session, at, opened()) };
    notebook
        .write(&[
            of("one", 1, asked("x")),
            of("one", 2, closed(SessionStatus::Paused)),
            taken(50, "one"),
            of("two", 1, asked("x")),
            of("two", 3, closed(SessionStatus::Completed)),
            taken(50, "two"),
            taken(50, "unknown"),
        ])
        .unwrap();
    let found = all(&notebook);
    let states: Vec<_> = found.iter().map(|one| (one.state, one.updated, one.taken_up)).collect();
    assert_eq!(states, [(SessionStatus::Completed, 3, None), (SessionStatus::Active, 2, Some(50))]);
    assert_eq!((found[1].last_checkpoint, found[1].created), (2, 1));
    notebook.write(&[of("two", 60, asked("once more"))]).unwrap();
    notebook.write(&[of("one", 70, asked("once more"))]).unwrap();
    let states: Vec<_> =
        all(&notebook).into_iter().map(|one| (one.state, one.updated, one.taken_up)).collect();
    assert_eq!(states, [(SessionStatus::Active, 70, None), (SessionStatus::Active, 60, None)]);
}

#[test]
fn a_session_that_is_done_stays_so_when_it_is_left() {
    let (_dir, notebook) = scratch();
    let closed = |state| LogEventKind::Closed { state, why: "left".to_owned() };
    let state = |events: &[LogEventKind]| {
        let events: Vec<_> = events.iter().map(|what| of("one", 1, what.clone())).collect();
        notebook.write(&events).unwrap();
        all(&notebook)[0].state
    };
    let (done, left) = (closed(SessionStatus::Completed), closed(SessionStatus::Paused));
    assert_eq!(state(&[asked("x"), done, left.clone()]), SessionStatus::Completed);
    assert_eq!(state(&[asked("once more"), left]), SessionStatus::Paused);
}

#[test]
fn what_a_turn_of_a_run_changed_are_files_of_its_session() {
    let (_dir, notebook) = scratch();
    let change = crate::event::FileEditDigest { file: "calc.py".to_owned(), ..Default::default() };
    let tried = AttemptRecord { changes: vec![change], ..AttemptRecord::default() };
    let events = [asked("x"), LogEventKind::Attempted(Box::new(tried))];
    notebook.write(&events.map(|what| of("one", 1, what))).unwrap();
    assert_eq!(all(&notebook)[0].files, ["calc.py"]);
}

#[test]
fn of_what_nothing_is_left_nothing_is_told() {
    let (_dir, notebook) = scratch();
    let closed = LogEventKind::Closed { state: SessionStatus::Paused, why: "left".to_owned() };
    notebook.write(&[of("ghost", 1, opened()), of("new", 2, opened())]).unwrap();
    assert_eq!(all(&notebook).len(), 2);
    notebook.write(&[of("ghost", 3, closed)]).unwrap();
    let names: Vec<_> = all(&notebook).into_iter().filter_map(|one| one.external).collect();
    assert_eq!(names, ["new"]);
    assert_eq!(notebook.session("ghost").unwrap(), SessionLookup::None { near: None });
}

#[test]
fn the_mode_follows_what_the_agent_is_about() {
    let (_dir, notebook) = scratch();
    let mode = |phase| {
        let mut event = of("one", 1, asked("x"));
        event.place.phase = Some(phase);
        notebook.write(&[event]).unwrap();
        all(&notebook)[0].mode
    };
    assert_eq!(mode(WorkPhase::Think), PermissionMode::Plan);
    assert_eq!(mode(WorkPhase::Code), PermissionMode::Agent);
}

#[test]
fn a_run_is_a_session_of_its_own() {
    let (_dir, notebook) = scratch();
    let place = EventContext { run: Some("run-1".to_owned()), ..EventContext::default() };
    let event = |at, what| LogEvent { at, place: place.clone(), actor: EventActor::Ralph, what };
    let external = Some("conversation".to_owned());
    let opened = LogEventKind::Opened { worktree: None, source: "run".to_owned(), external };
    let tried =
        AttemptRecord { failures: vec!["test: one fails".to_owned()], ..AttemptRecord::default() };
    notebook
        .write(&[event(1, opened), event(2, LogEventKind::Attempted(Box::new(tried)))])
        .unwrap();
    let one = &all(&notebook)[0];
    assert_eq!(one.run.as_deref(), Some("run-1"));
    assert_eq!(one.external.as_deref(), Some("conversation"));
    assert_eq!(one.last_failure.as_deref(), Some("test: one fails"));
    assert_eq!((one.last_checkpoint, one.updated), (1, 2));
    let files = vec!["src/a.rs".to_owned(), "src/b.rs".to_owned()];
    let later =
        LogEventKind::Checkpointed { about: "iteration 2".to_owned(), files: files.clone() };
    notebook.write(&[event(9, later)]).unwrap();
    assert_eq!((all(&notebook)[0].last_checkpoint, &all(&notebook)[0].files), (9, &files));
}

#[test]
fn a_session_is_found_by_any_of_its_names_and_by_the_beginning_of_one() {
    let (_dir, notebook) = scratch();
    notebook.write(&[of("ses-alpha", 1, asked("a")), of("ses-beta", 2, asked("b"))]).unwrap();
    let id = |name: &str| match notebook.session(name).unwrap() {
        SessionLookup::One(session) => session.external.unwrap(),
        SessionLookup::Several(ids) => format!("{} meant", ids.len()),
        SessionLookup::None { near } => format!("near {}", near.is_some()),
    };
    let own = all(&notebook)[1].id.clone();
    assert_eq!(id(&own), "ses-alpha");
    assert_eq!(id(&own[..8]), "ses-alpha");
    assert_eq!(id("ses-beta"), "ses-beta");
    assert_eq!(id("ses-a"), "ses-alpha");
    assert_eq!(id("ses-"), "2 meant");
    assert_eq!(id("ses-bete"), "near true");
    assert_eq!(id("unheard"), "near false");
    assert_eq!(id(""), "near false");
    assert_eq!(id("../../etc' OR 1 --"), "near false");
}

#[test]
fn the_timeline_of_files_has_what_was_done_to_them_lately_and_commits_once() {
    let (_dir, notebook) = scratch();
    let commit =
        |at, what| LogEvent { at, place: EventContext::default(), actor: EventActor::Ralph, what };
    notebook
        .write(&[
            of("one", 5, used("Edit", "a.rs", None)),
            of("one", 100, used("Edit", "a.rs", Some("no such text"))),
            of("two", 110, used("Write", "b.rs", None)),
            commit(120, committed("0123456789abcdef", None)),
            commit(121, committed("0123456789abcdef", None)),
            commit(130, committed("fedcba9876543210", Some("0123456789abcdef"))),
        ])
        .unwrap();
    let tools = |files: &[&str], since, limit| -> Vec<(i64, String)> {
        let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
        let found = notebook.timeline(&files, since, limit).unwrap();
        found.into_iter().map(|one| (one.at, one.tool)).collect()
    };
    let want = |list: &[(i64, &str)]| -> Vec<(i64, String)> {
        list.iter().map(|(at, tool)| (*at, (*tool).to_owned())).collect()
    };
    assert_eq!(tools(&["a.rs"], 50, 10), want(&[(130, "commit"), (120, "commit"), (100, "Edit")]));
    assert_eq!(tools(&["a.rs"], 0, 1), want(&[(130, "commit")]));
    assert_eq!(tools(&["b.rs"], 0, 10), want(&[(110, "Write")]));
    assert_eq!(tools(&[], 0, 10).len(), 5);
    let last = notebook.timeline(&[], 0, 1).unwrap().remove(0);
    assert_eq!(last.about, "fedcba9876 api: move it (takes back 0123456789)");
    assert!(notebook.has_noticed("fedcba9876543210").unwrap());
    assert!(!notebook.has_noticed("f").unwrap());
}

#[test]
fn nothing_that_must_not_be_kept_is_in_the_log() {
    let (dir, notebook) = scratch();
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let text = format!("use {token} <private>my name</private> <ralph-notes>old</ralph-notes>");
    let mut observed = used("Bash", "a.rs", Some(&text));
    if let LogEventKind::Observed(used) = &mut observed {
        used.about.clone_from(&text);
    }
    notebook
        .write(&[
            of("one", 1, asked(&text)),
            of("one", 2, answered(&text)),
            of("one", 3, observed),
            of("one", 4, LogEventKind::Closed { state: SessionStatus::Failed, why: text.clone() }),
            of("one", 5, asked(&"long ".repeat(100_000))),
        ])
        .unwrap();
    for file in fs::read_dir(dir.path().join("memory")).unwrap() {
        let text = fs::read(file.unwrap().path()).unwrap();
        let text = String::from_utf8_lossy(&text);
        for hidden in [token.as_str(), "my name", "old"] {
            assert!(!text.contains(hidden), "{hidden}");
        }
        assert!(text.len() < 10_000, "{}", text.len());
    }
}

fn any_event() -> impl Strategy<Value = LogEvent> {
    let files = ["a.rs", "b.rs", "c.rs"];
    let what = prop_oneof![
        (0..3_usize, any::<bool>()).prop_map(move |(file, broke)| {
            used("Edit", files[file], broke.then_some("exit 1"))
        }),
        (0..3_u8).prop_map(|n| asked(&format!("task {n}"))),
        (0..3_u8).prop_map(|n| answered(&format!("reply {n}"))),
        Just(opened()),
        (0..4_usize).prop_map(|state| LogEventKind::Closed {
            state: SessionStatus::ALL[state],
            why: "so".to_owned()
        }),
        Just(LogEventKind::Checkpointed { about: String::new(), files: Vec::new() }),
        Just(LogEventKind::Checkpointed { about: String::new(), files: vec!["a.rs".to_owned()] }),
        (0..4_u8).prop_map(|n| committed(&format!("{n}{n}{n}"), None)),
        any::<bool>().prop_map(|failed| LogEventKind::Attempted(Box::new(AttemptRecord {
            failures: failed.then(|| "test".to_owned()).into_iter().collect(),
            ..AttemptRecord::default()
        }))),
    ];
    (what, 0..3_u8, 0..10_000_i64).prop_map(|(what, session, at)| {
        let place = match session {
            0 => EventContext::default(),
            1 => EventContext { run: Some("r".to_owned()), ..EventContext::default() },
            _ => EventContext { session: Some("s".to_owned()), ..EventContext::default() },
        };
        LogEvent { at, place, actor: EventActor::Agent, what }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn sessions_made_anew_say_the_same(
        events in proptest::collection::vec(any_event(), 1..80),
        cut in 1..9_usize,
    ) {
        let (_dir, notebook) = scratch();
        for some in events.chunks(cut) {
            notebook.write(some).unwrap();
        }
        let state = |notebook: &Notebook| {
            (all(notebook), notebook.timeline(&[], 0, 1000).unwrap())
        };
        let before = state(&notebook);
        notebook.rebuild().unwrap();
        prop_assert_eq!(state(&notebook), before);
    }
}
