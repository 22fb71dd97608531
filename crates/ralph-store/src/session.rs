//! Sessions: conversations that can be left and taken up again.

use ralph_core::{SessionId, Timestamp};

/// A conversation with an agent that can be left and taken up again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Its own name.
    pub id: String,
    /// The task it works on.
    pub task_id: Option<String>,
    /// The name that the host gave it.
    pub external: Option<SessionId>,
    /// Where it stands.
    pub state: SessionState,
    /// What it is for.
    pub mode: SessionMode,
    /// When it was saved so that it can be resumed.
    pub last_checkpoint: Option<Timestamp>,
    /// What the agent is told when the session is resumed.
    pub resume_context: Option<String>,
    /// The last messages, as a JSON array.
    pub messages: String,
    /// When it began.
    pub created_at: Timestamp,
    /// When anything about it changed last.
    pub updated_at: Timestamp,
}

/// Where a session stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionState {
    /// Somebody works in it.
    Active,
    /// It can be resumed.
    Paused,
    /// Its task is done.
    Completed,
    /// Its task was given up.
    Failed,
}

/// What a session is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionMode {
    /// To plan.
    Plan,
    /// To do the work.
    Agent,
}

impl SessionState {
    /// All states.
    pub const ALL: [Self; 4] = [Self::Active, Self::Paused, Self::Completed, Self::Failed];

    /// The name in JSON and in the database.
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

    /// The name in JSON and in the database.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Agent => "agent",
        }
    }
}
