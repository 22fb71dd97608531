//! The agent's session of a run, stored so that the next turn can continue it,
//! even under another driver.

use std::io::Write;
use std::path::Path;

use ralph_agents::{AgentConversation, SessionAfterTurn};
use ralph_core::usage::{Usage, Usd};
use ralph_core::{Run, SessionId, policy};
use serde::{Deserialize, Serialize};

use super::turn;
use crate::error::EngineError;

/// The name of the file in the run's folder.
const FILE: &str = "session.json";

/// Fill level in percent above which a new conversation is started.
const FULL: u64 = 80;

/// Number of turns without progress after which a new conversation is started.
const STUCK: u32 = 2;

/// The stored session of a run's agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AgentSession {
    /// The agent that the session belongs to.
    agent: String,
    /// The session of the last turn.
    pub(crate) known: Option<ResumableSession>,
    /// Number of turns in a row in which the agent was refused something and
    /// changed nothing.
    pub(crate) refused: u32,
}

/// A session that can be continued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ResumableSession {
    pub(crate) session: AgentConversation,
    /// Number of turns taken in it.
    pub(crate) turns: u32,
}

/// The session for the next turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SessionPlan {
    /// A new one with the task and the feedback.
    Fresh,
    /// The one of the last turn.
    Resume,
    /// A new one with a summary of the earlier turns.
    Summarize(FreshSessionReason),
}

/// The reason why a session is not continued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FreshSessionReason {
    /// The user wants a new one.
    Asked,
    /// There is no session.
    Unknown,
    /// It is full to this percentage.
    Full(u64),
    /// It made no progress for a while.
    Stuck,
}

/// Decides which session the next turn uses.
pub(crate) fn plan(run: &Run, known: Option<&ResumableSession>) -> SessionPlan {
    let is_first = run.iteration <= 1 && run.feedback.is_empty();
    let anew = |why: FreshSessionReason| {
        if is_first { SessionPlan::Fresh } else { SessionPlan::Summarize(why) }
    };
    let going_on = |known: &ResumableSession| match run.policy.context {
        policy::ContextMode::Fresh => SessionPlan::Fresh,
        policy::ContextMode::Summarize => anew(FreshSessionReason::Asked),
        policy::ContextMode::Same => SessionPlan::Resume,
        policy::ContextMode::Auto => {
            match known.session.context.map(ralph_agents::ContextWindow::percent) {
                Some(percent) if percent > FULL => anew(FreshSessionReason::Full(percent)),
                Some(_) | None if run.progress.stalled >= STUCK && known.turns >= STUCK => {
                    anew(FreshSessionReason::Stuck)
                }
                Some(_) | None => SessionPlan::Resume,
            }
        }
    };
    match (known, run.policy.context) {
        (Some(known), _) => going_on(known),
        (None, policy::ContextMode::Fresh) => SessionPlan::Fresh,
        (None, policy::ContextMode::Summarize) => anew(FreshSessionReason::Asked),
        (None, policy::ContextMode::Same | policy::ContextMode::Auto) => {
            anew(FreshSessionReason::Unknown)
        }
    }
}

/// Returns the text for the user when a new session starts without a request.
pub(crate) fn reason(why: FreshSessionReason) -> Option<String> {
    match why {
        FreshSessionReason::Asked | FreshSessionReason::Unknown => None,
        FreshSessionReason::Full(percent) => {
            Some(format!("the conversation is {percent} % full: a new one begins with a summary"))
        }
        FreshSessionReason::Stuck => Some(format!(
            "the last {STUCK} turns brought nothing: a new conversation begins with a summary"
        )),
    }
}

impl AgentSession {
    /// Loads the session of this agent; an empty one if the file is missing or
    /// belongs to another agent.
    pub(crate) fn load(folder: &Path, agent: &str) -> Self {
        let bytes = ralph_files::read_own(folder.join(FILE)).unwrap_or_default();
        let row: Option<AgentSessionRow> = serde_json::from_slice(&bytes).ok();
        match row.filter(|row| row.agent == agent) {
            Some(row) => row.memory(),
            None => Self { agent: agent.to_owned(), ..Self::default() },
        }
    }

    /// Stores it for later turns.
    pub(crate) fn save(&self, folder: &Path) -> Result<(), EngineError> {
        let path = folder.join(FILE);
        let written = turn::make_private_folder(folder)
            .and_then(|()| ralph_files::create_own(&path))
            .and_then(|mut file| file.write_all(&serde_json::to_vec(&AgentSessionRow::of(self))?));
        written.map_err(|source| EngineError::Write { path, source })
    }

    /// Updates the session after a turn.
    pub(crate) fn note(&mut self, kept: SessionAfterTurn) {
        let turns = self.known.as_ref().map_or(0, |known| known.turns);
        self.known = match kept {
            SessionAfterTurn::Nothing | SessionAfterTurn::Lost => None,
            SessionAfterTurn::Session(session) => {
                Some(ResumableSession { session, turns: turns + 1 })
            }
        };
    }
}

/// Returns a session with an unused id.
pub(crate) fn new_session() -> Option<AgentConversation> {
    let id = uuid::Builder::from_random_bytes(ralph_proc::random_bits().to_be_bytes());
    SessionId::new(&id.into_uuid().to_string()).map(AgentConversation::new)
}

#[derive(Deserialize, Serialize)]
struct AgentSessionRow {
    agent: String,
    #[serde(default)]
    refused: u32,
    session: Option<SessionRow>,
}

#[derive(Deserialize, Serialize)]
struct SessionRow {
    id: String,
    turns: u32,
    input_tokens: u64,
    output_tokens: u64,
    cost_micros: u64,
    context_tokens: Option<u64>,
    context_window: Option<u64>,
}

impl AgentSessionRow {
    fn of(memory: &AgentSession) -> Self {
        let session = memory.known.as_ref().map(|ResumableSession { session, turns }| SessionRow {
            id: session.id.to_string(),
            turns: *turns,
            input_tokens: session.charged.input_tokens,
            output_tokens: session.charged.output_tokens,
            cost_micros: session.charged.cost.micros(),
            context_tokens: session.context.map(|context| context.tokens),
            context_window: session.context.map(|context| context.window),
        });
        Self { agent: memory.agent.clone(), refused: memory.refused, session }
    }

    fn memory(self) -> AgentSession {
        let known = self.session.and_then(|row| {
            let context = row.context_tokens.zip(row.context_window);
            Some(ResumableSession {
                session: AgentConversation {
                    id: SessionId::new(&row.id)?,
                    charged: Usage {
                        input_tokens: row.input_tokens,
                        output_tokens: row.output_tokens,
                        cost: Usd::from_micros(row.cost_micros),
                    },
                    context: context
                        .map(|(tokens, window)| ralph_agents::ContextWindow { tokens, window }),
                },
                turns: row.turns,
            })
        });
        AgentSession { agent: self.agent, known, refused: self.refused }
    }
}

#[cfg(test)]
#[path = "memory_tests.rs"]
mod tests;
