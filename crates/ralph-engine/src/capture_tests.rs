use ralph_core::SessionId;
use ralph_core::host::{Breakage, Silence};
use ralph_memory::{Notebook, SessionFilter, SessionMode, Who};

use super::*;

fn event(what: Happening) -> HostEvent {
    HostEvent {
        session: SessionId::new("ses-1"),
        actor: Actor::Main,
        prompt: None,
        folder: None,
        mode: Some(Mode::Work),
        name: String::new(),
        what,
    }
}

fn capture(home: &Path, teller: Teller) -> Capture<'_> {
    let place = match teller {
        Teller::Host => Place { session: Some("ses-1".to_owned()), ..Place::default() },
        Teller::Driven => Place { run: Some("run-1".to_owned()), ..Place::default() },
    };
    Capture { home, root: Path::new("/p"), worktree: "/p".to_owned(), place, teller }
}

fn prompted(text: &str) -> Happening {
    Happening::Prompted { text: text.to_owned(), position: Position::Unknown }
}

fn edited(files: &[&str]) -> Happening {
    let files = files.iter().map(PathBuf::from).collect();
    Happening::ToolsUsed(vec![ToolUse { tool: "Edit".to_owned(), files, ..ToolUse::default() }])
}

#[test]
fn a_session_is_kept_as_it_goes_on() {
    let home = tempfile::tempdir().unwrap();
    let capture = capture(home.path(), Teller::Host);
    let silence = Silence { text: Some("done".to_owned()), ..Silence::default() };
    let broken =
        Breakage { kind: BreakageKind::Overloaded, text: "overloaded".to_owned(), message: None };
    let tell = |at, what| capture.take(&event(what), Timestamp::from_millis(at)).unwrap();
    tell(1, Happening::SessionStarted(Start::New));
    tell(2, prompted("fix it"));
    tell(3, edited(&["/p/src/a.rs", "/elsewhere/b.rs", "./c.rs", "../d.rs"]));
    tell(4, Happening::Compacting);
    tell(5, Happening::TurnEnded(silence));
    let book = Notebook::open(home.path()).unwrap();
    let session = || book.sessions(&SessionFilter::default()).unwrap().remove(0);
    let now = session();
    assert_eq!((now.created, now.last_checkpoint), (1, 5));
    assert_eq!(now.files, ["src/a.rs", "c.rs"]);
    let who: Vec<Who> = now.messages.iter().map(|message| message.who).collect();
    assert_eq!(who, [Who::User, Who::Tool, Who::Agent]);
    tell(6, Happening::TurnBroken(broken));
    assert_eq!(session().state, SessionState::Failed);
    assert_eq!(session().last_failure.as_deref(), Some("overloaded"));
    tell(7, prompted("go on"));
    assert_eq!(session().state, SessionState::Active);
    tell(8, Happening::SessionEnded { reason: "prompt_input_exit".to_owned() });
    assert_eq!(session().state, SessionState::Paused);
    tell(9, Happening::SessionEnded { reason: "clear".to_owned() });
    assert_eq!(session().state, SessionState::Completed);
}

#[test]
fn the_mode_is_the_hosts() {
    let home = tempfile::tempdir().unwrap();
    let capture = capture(home.path(), Teller::Host);
    let event = HostEvent { mode: Some(Mode::Plan), ..event(prompted("plan it")) };
    capture.take(&event, Timestamp::from_millis(1)).unwrap();
    let book = Notebook::open(home.path()).unwrap();
    let mode = book.sessions(&SessionFilter::default()).unwrap()[0].mode;
    assert_eq!(mode, SessionMode::Plan);
}

#[test]
fn what_children_say_is_not_the_sessions_but_what_they_do_is() {
    let home = tempfile::tempdir().unwrap();
    let capture = capture(home.path(), Teller::Host);
    for what in [prompted("child's task"), edited(&["a.rs"])] {
        let event = HostEvent { actor: Actor::Child("c".to_owned()), ..event(what) };
        capture.take(&event, Timestamp::from_millis(1)).unwrap();
    }
    let book = Notebook::open(home.path()).unwrap();
    let session = book.sessions(&SessionFilter::default()).unwrap().remove(0);
    assert_eq!((session.task, session.files), (None, vec!["a.rs".to_owned()]));
}

#[test]
fn under_a_driver_the_run_is_the_session_and_only_tools_speak() {
    let home = tempfile::tempdir().unwrap();
    let capture = capture(home.path(), Teller::Driven);
    let ended = Happening::SessionEnded { reason: "other".to_owned() };
    for what in [
        Happening::SessionStarted(Start::New),
        prompted("the whole prompt"),
        edited(&["a.rs"]),
        ended,
    ] {
        capture.take(&event(what), Timestamp::from_millis(1)).unwrap();
    }
    let book = Notebook::open(home.path()).unwrap();
    let session = book.sessions(&SessionFilter::default()).unwrap().remove(0);
    assert_eq!(session.run.as_deref(), Some("run-1"));
    assert_eq!(session.external.as_deref(), Some("ses-1"));
    assert_eq!((session.state, session.messages.len()), (SessionState::Active, 1));
}
