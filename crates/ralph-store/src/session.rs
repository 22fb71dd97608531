//! Sessions: conversations that can be left and resumed.

use ralph_core::{SessionId, Timestamp};

/// A conversation with an agent that can be left and resumed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Its own name.
    pub id: String,
    /// The task it works on.
    pub task_id: Option<String>,
    /// The name that the host gave it.
    pub external: Option<SessionId>,
    /// The state.
    pub state: SessionState,
    /// The purpose.
    pub mode: SessionMode,
    /// The time of the last checkpoint that it can be resumed from.
    pub last_checkpoint: Option<Timestamp>,
    /// The text that the agent gets when the session is resumed.
    pub resume_context: Option<String>,
    /// The last messages, as a JSON array.
    pub messages: String,
    /// The time of its creation.
    pub created_at: Timestamp,
    /// The time of the last change.
    pub updated_at: Timestamp,
}

/// The state of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionState {
    /// It is in use.
    Active,
    /// It can be resumed.
    Paused,
    /// Its task is done.
    Completed,
    /// Its task was given up.
    Failed,
}

/// The purpose of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionMode {
    /// Planning.
    Plan,
    /// Doing the work.
    Agent,
}

impl SessionState {
    /// All states.
    pub const ALL: [Self; 4] = [Self::Active, Self::Paused, Self::Completed, Self::Failed];

    /// Returns the name in JSON and in the database.
    pub fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Paused => "paused",
            Self::Completed => "completed",
            Self::Failed => "failed",
        }
    }
}

impl SessionMode {
    /// All modes.
    pub const ALL: [Self; 2] = [Self::Plan, Self::Agent];

    /// Returns the name in JSON and in the database.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Agent => "agent",
        }
    }
}
