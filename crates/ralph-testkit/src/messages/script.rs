//! Which turn answers which request.

use std::collections::VecDeque;

use super::asked::{Asked, Asker};
use super::turn::Turn;

/// What the model says, conversation by conversation.
///
/// A conversation with turns of its own takes those, an agent that another
/// one started takes those for such agents, and everyone else the main turns.
/// What the client asks for itself consumes none of them.
pub struct Script {
    parts: Vec<(Who, Turns)>,
}

enum Who {
    /// Everyone whose first message has this text.
    Opening(String),
    /// Every agent of this kind.
    Asker(Asker),
}

enum Turns {
    Listed(VecDeque<Turn>),
    Endless(Box<dyn FnMut(usize) -> Turn + Send>, usize),
}

impl Script {
    /// The main agent takes these turns.
    pub fn new(turns: impl IntoIterator<Item = Turn>) -> Self {
        Self { parts: vec![(Who::Asker(Asker::Main), Turns::listed(turns))] }
    }

    /// The main agent takes turns without end; the first is number 1.
    pub fn endless(turn: impl FnMut(usize) -> Turn + Send + 'static) -> Self {
        Self { parts: vec![(Who::Asker(Asker::Main), Turns::Endless(Box::new(turn), 0))] }
    }

    /// Agents that another one started take these.
    #[must_use]
    pub fn subagents(mut self, turns: impl IntoIterator<Item = Turn>) -> Self {
        self.parts.insert(0, (Who::Asker(Asker::Subagent), Turns::listed(turns)));
        self
    }

    /// What the client asks for itself is answered with these, as long as there
    /// are any.
    #[must_use]
    pub fn asides(mut self, turns: impl IntoIterator<Item = Turn>) -> Self {
        self.parts.insert(0, (Who::Asker(Asker::Aside), Turns::listed(turns)));
        self
    }

    /// The conversation whose first message has this text takes these.
    #[must_use]
    pub fn conversation(mut self, opening: &str, turns: impl IntoIterator<Item = Turn>) -> Self {
        self.parts.insert(0, (Who::Opening(opening.to_owned()), Turns::listed(turns)));
        self
    }

    /// The turn that answers; `None` when nothing is scripted any more.
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

    /// How many turns nobody asked for.
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
