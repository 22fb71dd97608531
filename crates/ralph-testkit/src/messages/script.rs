//! Assigns scripted turns to requests.

use std::collections::VecDeque;

use super::asked::{ClientRequest, RequestSender};
use super::turn::ModelTurn;

/// Scripted answers of the model, by conversation.
///
/// A conversation with turns of its own takes those, a subagent takes those for
/// subagents, and all others take the main turns. The client's own requests
/// consume none of them.
pub struct ModelScript {
    parts: Vec<(ConversationMatch, TurnSequence)>,
}

enum ConversationMatch {
    /// Conversations whose first message contains this text.
    Opening(String),
    /// Requests from this kind of sender.
    Asker(RequestSender),
}

enum TurnSequence {
    Listed(VecDeque<ModelTurn>),
    Endless(Box<dyn FnMut(usize) -> ModelTurn + Send>, usize),
}

impl ModelScript {
    /// Scripts turns of the main agent.
    pub fn new(turns: impl IntoIterator<Item = ModelTurn>) -> Self {
        Self {
            parts: vec![(
                ConversationMatch::Asker(RequestSender::Main),
                TurnSequence::listed(turns),
            )],
        }
    }

    /// Scripts endless turns of the main agent; the first is number 1.
    pub fn endless(turn: impl FnMut(usize) -> ModelTurn + Send + 'static) -> Self {
        Self {
            parts: vec![(
                ConversationMatch::Asker(RequestSender::Main),
                TurnSequence::Endless(Box::new(turn), 0),
            )],
        }
    }

    /// Scripts turns of subagents.
    #[must_use]
    pub fn subagents(mut self, turns: impl IntoIterator<Item = ModelTurn>) -> Self {
        self.parts.insert(
            0,
            (ConversationMatch::Asker(RequestSender::Subagent), TurnSequence::listed(turns)),
        );
        self
    }

    /// Scripts answers to the client's own requests, until they run out.
    #[must_use]
    pub fn asides(mut self, turns: impl IntoIterator<Item = ModelTurn>) -> Self {
        self.parts.insert(
            0,
            (ConversationMatch::Asker(RequestSender::Aside), TurnSequence::listed(turns)),
        );
        self
    }

    /// Scripts turns of the conversation whose first message contains this
    /// text.
    #[must_use]
    pub fn conversation(
        mut self,
        opening: &str,
        turns: impl IntoIterator<Item = ModelTurn>,
    ) -> Self {
        self.parts.insert(
            0,
            (ConversationMatch::Opening(opening.to_owned()), TurnSequence::listed(turns)),
        );
        self
    }

    /// Returns the turn that answers; `None` if no scripted turn is left.
    pub(super) fn next(&mut self, asked: &ClientRequest) -> Option<ModelTurn> {
        let fits = |who: &ConversationMatch| match who {
            ConversationMatch::Opening(text) => {
                asked.asker != RequestSender::Aside && asked.opening().contains(text.as_str())
            }
            ConversationMatch::Asker(kind) => *kind == asked.asker,
        };
        let (_, turns) = self.parts.iter_mut().find(|(who, _)| fits(who))?;
        match turns {
            TurnSequence::Listed(turns) => turns.pop_front(),
            TurnSequence::Endless(turn, count) => {
                *count += 1;
                Some(turn(*count))
            }
        }
    }

    /// Returns the number of unused turns.
    pub(super) fn left(&self) -> usize {
        let left = self.parts.iter().map(|(_, turns)| match turns {
            TurnSequence::Listed(turns) => turns.len(),
            TurnSequence::Endless(..) => 0,
        });
        left.sum()
    }
}

impl TurnSequence {
    fn listed(turns: impl IntoIterator<Item = ModelTurn>) -> Self {
        Self::Listed(turns.into_iter().collect())
    }
}
