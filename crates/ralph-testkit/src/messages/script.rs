//! Assigns scripted turns to requests.

use std::collections::VecDeque;

use super::asked::{Asked, Asker};
use super::turn::Turn;

/// Scripted answers of the model, by conversation.
///
/// A conversation with turns of its own takes those, a subagent takes those for
/// subagents, and all others take the main turns. The client's own requests
/// consume none of them.
pub struct Script {
    parts: Vec<(Who, Turns)>,
}

enum Who {
    /// Conversations whose first message contains this text.
    Opening(String),
    /// Requests from this kind of sender.
    Asker(Asker),
}

enum Turns {
    Listed(VecDeque<Turn>),
    Endless(Box<dyn FnMut(usize) -> Turn + Send>, usize),
}

impl Script {
    /// Scripts turns of the main agent.
    pub fn new(turns: impl IntoIterator<Item = Turn>) -> Self {
        Self { parts: vec![(Who::Asker(Asker::Main), Turns::listed(turns))] }
    }

    /// Scripts endless turns of the main agent; the first is number 1.
    pub fn endless(turn: impl FnMut(usize) -> Turn + Send + 'static) -> Self {
        Self { parts: vec![(Who::Asker(Asker::Main), Turns::Endless(Box::new(turn), 0))] }
    }

    /// Scripts turns of subagents.
    #[must_use]
    pub fn subagents(mut self, turns: impl IntoIterator<Item = Turn>) -> Self {
        self.parts.insert(0, (Who::Asker(Asker::Subagent), Turns::listed(turns)));
        self
    }

    /// Scripts answers to the client's own requests, until they run out.
    #[must_use]
    pub fn asides(mut self, turns: impl IntoIterator<Item = Turn>) -> Self {
        self.parts.insert(0, (Who::Asker(Asker::Aside), Turns::listed(turns)));
        self
    }

    /// Scripts turns of the conversation whose first message contains this
    /// text.
    #[must_use]
    pub fn conversation(mut self, opening: &str, turns: impl IntoIterator<Item = Turn>) -> Self {
        self.parts.insert(0, (Who::Opening(opening.to_owned()), Turns::listed(turns)));
        self
    }

    /// Returns the turn that answers; `None` if no scripted turn is left.
    pub(super) fn next(&mut self, asked: &Asked) -> Option<Turn> {
        let fits = |who: &Who| match who {
            Who::Opening(text) => {
                asked.asker != Asker::Aside && asked.opening().contains(text.as_str())
            }
            Who::Asker(kind) => *kind == asked.asker,
        };
        let (_, turns) = self.parts.iter_mut().find(|(who, _)| fits(who))?;
        match turns {
            Turns::Listed(turns) => turns.pop_front(),
            Turns::Endless(turn, count) => {
                *count += 1;
                Some(turn(*count))
            }
        }
    }

    /// Returns the number of unused turns.
    pub(super) fn left(&self) -> usize {
        let left = self.parts.iter().map(|(_, turns)| match turns {
            Turns::Listed(turns) => turns.len(),
            Turns::Endless(..) => 0,
        });
        left.sum()
    }
}

impl Turns {
    fn listed(turns: impl IntoIterator<Item = Turn>) -> Self {
        Self::Listed(turns.into_iter().collect())
    }
}
