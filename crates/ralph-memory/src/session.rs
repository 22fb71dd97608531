//! Sessions of agents: what was asked, done and said in them, so that one that
//! was left can go on.

use serde::{Deserialize, Serialize};

use crate::event::{EventContext, SessionStatus};

/// Messages of a session that are kept: the last ones.
pub(crate) const MOST_MESSAGES: usize = 50;

/// Files of a session that are kept: those touched last.
pub(crate) const MOST_FILES: usize = 50;

/// A session of an agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRecord {
    /// Our name for it, which never changes.
    pub id: String,
    /// Its task: the task's id where it has one, else what was asked first.
    pub task: Option<String>,
    /// The name that its host has for it.
    pub external: Option<String>,
    /// How it stands.
    pub state: SessionStatus,
    /// What its agent is allowed.
    pub mode: PermissionMode,
    /// The work tree it is in.
    pub worktree: Option<String>,
    /// When something of it was kept last, in milliseconds since 1970.
    pub last_checkpoint: i64,
    /// What was said and done last, the oldest first.
    pub messages: Vec<SessionMessage>,
    /// The files it touched, the latest first.
    pub files: Vec<String>,
    /// What went wrong last and was not put right since.
    pub last_failure: Option<String>,
    /// Whether that broke a turn off, and no tool or check said it.
    pub is_broken: bool,
    /// When somebody was told how it goes on, in milliseconds since 1970, if
    /// nothing happened in it since.
    pub taken_up: Option<i64>,
    /// When it was heard of first, in milliseconds since 1970.
    pub created: i64,
    /// When it was heard of last, in milliseconds since 1970.
    pub updated: i64,
    /// The run it works for.
    pub run: Option<String>,
}

impl SessionRecord {
    /// Whether there is anything to tell of it.
    pub fn has_content(&self) -> bool {
        self.task.is_some() || !self.messages.is_empty()
    }

    /// Where what happens to it is put down.
    pub fn place(&self) -> EventContext {
        let of_host = EventContext { session: self.external.clone(), ..EventContext::default() };
        if session_id(&of_host).as_ref() == Some(&self.id) {
            return EventContext { run: self.run.clone(), ..of_host };
        }
        EventContext { run: self.run.clone(), ..EventContext::default() }
    }
}

/// What an agent is allowed.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum PermissionMode {
    /// To plan, and to change nothing.
    Plan,
    /// To work.
    #[default]
    Agent,
}

impl PermissionMode {
    /// Its name, as it is stored and typed.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Agent => "agent",
        }
    }
}

/// Something that was said or done in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionMessage {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// By whom.
    pub who: MessageRole,
    /// What.
    pub text: String,
}

/// Who said or did something in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageRole {
    /// The user.
    User,
    /// The agent, in words.
    Agent,
    /// A tool of the agent's.
    Tool,
}

impl MessageRole {
    /// Its name in output for programs.
    pub const fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Agent => "agent",
            Self::Tool => "tool",
        }
    }
}

/// Something that was done in a session, or a commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionObservation {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// In which session, by our name for it; `None` for commits.
    pub session: Option<String>,
    /// The tool; `commit` for commits.
    pub tool: String,
    /// The files it touched, from the root of the project.
    pub files: Vec<String>,
    /// What it was about, in a few words.
    pub about: String,
    /// What went wrong.
    pub error: Option<String>,
}

/// Which sessions are asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionFilter {
    /// That stand like one of these; any if there is none.
    pub states: Vec<SessionStatus>,
    /// Of this work tree.
    pub worktree: Option<String>,
    /// Of this task.
    pub task: Option<String>,
    /// Of this run.
    pub run: Option<String>,
    /// How many at most; all if `None`.
    pub limit: Option<usize>,
}

/// What a name of a session leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionLookup {
    /// To this one.
    One(Box<SessionRecord>),
    /// To several that begin like it: their ids, the latest first.
    Several(Vec<String>),
    /// To none.
    None {
        /// The id of the session with the name that is most like it.
        near: Option<String>,
    },
}

/// Our name for the session that something happened in: the host's session,
/// else the run, if it can be told.
pub fn session_id(place: &EventContext) -> Option<String> {
    let name = match place {
        EventContext { session: Some(session), .. } => format!("session {session}"),
        EventContext { session: None, run: Some(run), .. } => format!("run {run}"),
        EventContext { session: None, run: None, .. } => return None,
    };
    let hash = blake3::hash(name.as_bytes()).to_hex();
    Some(format!("s{}", hash.as_str().get(..12).unwrap_or_default()))
}
