//! Conversations that an agent continues from turn to turn.

use ralph_core::SessionId;
use ralph_core::usage::Usage;

/// A conversation that an agent continues from turn to turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentConversation {
    /// Its id.
    pub id: SessionId,
    /// Usage of its turns so far. Agents report the total of a session, so a
    /// turn's usage is the growth of that total.
    pub charged: Usage,
    /// The fill of its context window, if the agent reports it.
    pub context: Option<ContextWindow>,
}

impl AgentConversation {
    /// Creates a session without any turns.
    pub fn new(id: SessionId) -> Self {
        Self { id, charged: Usage::default(), context: None }
    }
}

/// The size of a conversation, and of the model's context window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextWindow {
    /// Tokens of the conversation.
    pub tokens: u64,
    /// Tokens that fit; never zero.
    pub window: u64,
}

impl ContextWindow {
    /// Returns the fill in percent.
    pub fn percent(self) -> u64 {
        self.tokens.saturating_mul(100) / self.window.max(1)
    }
}

/// The session in which a turn runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnSession<'a> {
    /// None: the agent starts afresh every turn.
    Nowhere,
    /// A new one with this id.
    New(&'a SessionId),
    /// An earlier one that is continued.
    Resumed(&'a AgentConversation),
    /// A new one that replaces an old one. The prompt contains our own record.
    /// An agent that can summarise the old session may add its summary.
    After {
        /// The id of the new one.
        id: &'a SessionId,
        /// The one that is replaced.
        old: &'a AgentConversation,
    },
}

/// The state of a turn's session after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionAfterTurn {
    /// There is none to continue.
    Nothing,
    /// The agent did not find the session to continue.
    Lost,
    /// It can be continued.
    Session(AgentConversation),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_context_may_be_fuller_than_full() {
        assert_eq!(ContextWindow { tokens: 50, window: 200 }.percent(), 25);
        assert_eq!(ContextWindow { tokens: 300, window: 200 }.percent(), 150);
    }
}
