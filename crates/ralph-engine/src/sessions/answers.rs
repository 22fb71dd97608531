//! Renders answers about sessions for people.

use std::fmt::Write;
use std::time::Duration;

use crate::report::span;
use crate::wire::local_time;
use crate::wire::sessions::ListedSession;
use ralph_core::Timestamp;
use ralph_core::locale::Locale;
use ralph_memory::event::SessionStatus;
use ralph_memory::resume::SessionAge;
use ralph_memory::{MessageRole, SessionRecord};

use crate::texts::{one_line, table};

/// Widest text in a table, in characters.
const WIDE: usize = 40;

/// Longest message, in characters.
const LONG: usize = 200;

/// Renders answers in one language, at one moment.
pub struct SessionRenderer {
    locale: Locale,
    now: Timestamp,
}

impl SessionRenderer {
    /// Makes one for a language and a moment.
    pub fn new(locale: Locale, now: Timestamp) -> Self {
        Self { locale, now }
    }

    fn say<'a>(&self, english: &'a str, korean: &'a str) -> &'a str {
        self.locale.say(english, korean)
    }

    /// Renders a table of sessions.
    pub fn list(&self, sessions: &[ListedSession]) -> String {
        if sessions.is_empty() {
            let none = ("There are no sessions here.\n", "여기에는 세션이 없습니다.\n");
            return self.say(none.0, none.1).to_owned();
        }
        let header = [
            self.say("session", "세션"),
            self.say("state", "상태"),
            self.say("age", "경과"),
            self.say("task", "작업"),
            self.say("last words", "마지막 말"),
            self.say("files", "파일"),
        ];
        let rows = sessions.iter().map(|seen| {
            let session = &seen.session;
            let said =
                session.messages.iter().rev().find(|message| message.who != MessageRole::Tool);
            vec![
                session.id.clone(),
                self.state(seen),
                self.age(session),
                one_line(session.task.as_deref().unwrap_or("-"), WIDE),
                one_line(said.map_or("-", |message| &message.text), WIDE),
                session.files.len().to_string(),
            ]
        });
        table(&header, rows)
    }

    /// Renders a session with what was said last.
    pub fn one(&self, seen: &ListedSession) -> String {
        let session = &seen.session;
        let mut text = String::new();
        let mut fact = |name: &str, value: &str| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{name}: {}", one_line(value, LONG));
        };
        fact(self.say("session", "세션"), &session.id);
        let named = [
            (self.say("host's name", "호스트의 이름"), &session.external),
            (self.say("run", "실행"), &session.run),
            (self.say("task", "작업"), &session.task),
            (self.say("work tree", "작업 트리"), &session.worktree),
        ];
        for (name, value) in named {
            if let Some(value) = value {
                fact(name, value);
            }
        }
        fact(self.say("state", "상태"), &format!("{}, {}", self.state(seen), session.mode.word()));
        let at = local_time(Timestamp::from_millis(session.last_checkpoint));
        fact(self.say("heard of last", "마지막 기록"), &format!("{at} ({})", self.age(session)));
        if !session.files.is_empty() {
            fact(self.say("files", "파일"), &session.files.join(", "));
        }
        if let Some(why) = &session.last_failure {
            fact(self.say("last failure", "마지막 실패"), why);
        }
        for message in &session.messages {
            let at = local_time(Timestamp::from_millis(message.at));
            let _ =
                writeln!(text, "  {at} {}: {}", message.who.word(), one_line(&message.text, LONG));
        }
        text
    }

    /// Renders what is shown of a session, and why.
    pub fn resuming(&self, seen: &ListedSession, age: SessionAge) -> String {
        let (id, ago) = (&seen.session.id, self.age(&seen.session));
        let what = match age {
            SessionAge::Recent => self.say(
                "below is where it stands and what was said last",
                "아래는 작업 상황과 마지막 대화입니다",
            ),
            SessionAge::Old => self.say(
                "that is long ago, so below is all that is remembered for its task",
                "오래되었으므로 아래는 이 작업에 대해 기억하는 모든 것입니다",
            ),
        };
        let mut text = self.locale.say(
            format!("Session {id} was heard of {ago} ago; {what}."),
            format!("세션 {id} 의 마지막 기록은 {ago} 전입니다. {what}."),
        );
        if seen.is_alive {
            text.push(' ');
            text.push_str(
                self.say(
                    "It still goes on elsewhere.",
                    "이 세션은 아직 다른 곳에서 진행 중입니다.",
                ),
            );
        }
        text
    }

    /// Renders how the session's host continues it.
    pub fn host(&self, command: Option<&[String]>) -> String {
        match command {
            Some(words) => self.locale.say(
                format!("Its host takes it up with `{}`.", words.join(" ")),
                format!("호스트에서 이어 하려면: `{}`", words.join(" ")),
            ),
            None => self.locale.say(
                "Give it to an agent to go on with.".to_owned(),
                "에이전트에게 전달하면 이어서 작업합니다.".to_owned(),
            ),
        }
    }

    fn state(&self, seen: &ListedSession) -> String {
        let word = seen.session.state.word();
        match (seen.session.state, seen.is_alive) {
            (SessionStatus::Active, false) => format!("{word} ({})", self.say("left", "중단됨")),
            (SessionStatus::Paused | SessionStatus::Failed, true) => {
                format!("{word} ({})", self.say("open", "열려 있음"))
            }
            (
                SessionStatus::Active
                | SessionStatus::Paused
                | SessionStatus::Failed
                | SessionStatus::Completed,
                _,
            ) => word.to_owned(),
        }
    }

    fn age(&self, session: &SessionRecord) -> String {
        let since = self.now.since(Timestamp::from_millis(session.last_checkpoint));
        let day = Duration::from_hours(24);
        if since < day { span(since) } else { format!("{}d", since.as_secs() / day.as_secs()) }
    }
}
