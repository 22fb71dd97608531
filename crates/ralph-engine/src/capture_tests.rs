use ralph_core::SessionId;
use ralph_core::host::{
    HostTurnEnd, HostTurnError, PromptEvent, SessionEvent, ToolEvent, TurnEvent,
};
use ralph_memory::{MessageRole, Notebook, PermissionMode, SessionFilter};

use super::*;

fn event(what: HostEventKind) -> HostEvent {
    HostEvent {
        session: SessionId::new("ses-1"),
        actor: EventAgent::Main,
        prompt: None,
        folder: None,
        mode: Some(AgentMode::Work),
        name: String::new(),
        what,
    }
}

fn capture(home: &Path, teller: SessionNameSource) -> SessionCapture<'_> {
    let place = match teller {
        SessionNameSource::Host => {
            EventContext { session: Some("ses-1".to_owned()), ..EventContext::default() }
        }
        SessionNameSource::Driven => {
            EventContext { run: Some("run-1".to_owned()), ..EventContext::default() }
        }
    };
    SessionCapture { home, root: Path::new("/p"), worktree: "/p".to_owned(), place, teller }
}

fn prompted(text: &str) -> HostEventKind {
    HostEventKind::Prompt(PromptEvent::Sent {
        text: text.to_owned(),
        position: PromptPosition::Unknown,
    })
}

fn edited(files: &[&str]) -> HostEventKind {
    let files = files.iter().map(PathBuf::from).collect();
    HostEventKind::Tools(ToolEvent::Used(vec![ToolUse {
        tool: "Edit".to_owned(),
        files,
        ..ToolUse::default()
    }]))
}

#[test]
fn a_session_is_kept_as_it_goes_on() {
    let home = tempfile::tempdir().unwrap();
    let capture = capture(home.path(), SessionNameSource::Host);
    let silence = HostTurnEnd { text: Some("done".to_owned()), ..HostTurnEnd::default() };
    let broken = HostTurnError {
        kind: TurnErrorKind::Overloaded,
        text: "overloaded".to_owned(),
        message: None,
    };
    let tell = |at, what| capture.take(&event(what), Timestamp::from_millis(at)).unwrap();
    tell(1, HostEventKind::Session(SessionEvent::Started(SessionStart::New)));
    tell(2, prompted("fix it"));
    tell(3, edited(&["/p/src/a.rs", "/elsewhere/b.rs", "./c.rs", "../d.rs"]));
    tell(4, HostEventKind::Session(SessionEvent::Compacting));
    tell(5, HostEventKind::Turn(TurnEvent::Ended(silence)));
    let book = Notebook::open(home.path()).unwrap();
    let session = || book.sessions(&SessionFilter::default()).unwrap().remove(0);
    let now = session();
    assert_eq!((now.created, now.last_checkpoint), (1, 5));
    assert_eq!(now.files, ["src/a.rs", "c.rs"]);
    let who: Vec<MessageRole> = now.messages.iter().map(|message| message.who).collect();
    assert_eq!(who, [MessageRole::User, MessageRole::Tool, MessageRole::Agent]);
    tell(6, HostEventKind::Turn(TurnEvent::Broken(broken)));
    assert_eq!(session().state, SessionStatus::Failed);
    assert_eq!(session().last_failure.as_deref(), Some("overloaded"));
    tell(7, prompted("go on"));
    assert_eq!(session().state, SessionStatus::Active);
    tell(8, HostEventKind::Session(SessionEvent::Ended { reason: "prompt_input_exit".to_owned() }));
    assert_eq!(session().state, SessionStatus::Paused);
    tell(9, HostEventKind::Session(SessionEvent::Ended { reason: "clear".to_owned() }));
    assert_eq!(session().state, SessionStatus::Completed);
}

#[test]
fn the_mode_is_the_hosts() {
    let home = tempfile::tempdir().unwrap();
    let capture = capture(home.path(), SessionNameSource::Host);
    let event = HostEvent { mode: Some(AgentMode::Plan), ..event(prompted("plan it")) };
    capture.take(&event, Timestamp::from_millis(1)).unwrap();
    let book = Notebook::open(home.path()).unwrap();
    let mode = book.sessions(&SessionFilter::default()).unwrap()[0].mode;
    assert_eq!(mode, PermissionMode::Plan);
}

#[test]
fn what_children_say_is_not_the_sessions_but_what_they_do_is() {
    let home = tempfile::tempdir().unwrap();
    let capture = capture(home.path(), SessionNameSource::Host);
    for what in [prompted("child's task"), edited(&["a.rs"])] {
        let event = HostEvent { actor: EventAgent::Child("c".to_owned()), ..event(what) };
        capture.take(&event, Timestamp::from_millis(1)).unwrap();
    }
    let book = Notebook::open(home.path()).unwrap();
    let session = book.sessions(&SessionFilter::default()).unwrap().remove(0);
    assert_eq!((session.task, session.files), (None, vec!["a.rs".to_owned()]));
}

#[test]
fn under_a_driver_the_run_is_the_session_and_only_tools_speak() {
    let home = tempfile::tempdir().unwrap();
    let capture = capture(home.path(), SessionNameSource::Driven);
    let ended = HostEventKind::Session(SessionEvent::Ended { reason: "other".to_owned() });
    for what in [
        HostEventKind::Session(SessionEvent::Started(SessionStart::New)),
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
    assert_eq!((session.state, session.messages.len()), (SessionStatus::Active, 1));
}
