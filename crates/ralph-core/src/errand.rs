//! What a host still has to do so that a run goes on in another session.
//!
//! The list is on record before the first errand is asked for, and each one
//! leaves it when the host says that it is done. So whoever finds the list
//! later knows where things stand: an errand may be asked for twice, and is
//! never left out. A session goes only after the one that follows it spoke.

use std::time::Duration;

use crate::ids::SessionId;
use crate::policy::{Context, OldSession};
use crate::time::Timestamp;

/// How long a host may take for one errand before it is asked again. To sum
/// up a long conversation takes a model a while.
const PATIENCE: Duration = Duration::from_mins(5);

/// One thing that a host is asked to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Errand {
    /// Sum up what was said in the session that owns the run.
    Summarize,
    /// Begin another session, which owns the run from then on.
    Create,
    /// Show that session to the user.
    Select,
    /// Tell the agent in it what to do: the one that worked in this session.
    Prompt(SessionId),
    /// Nothing: the session has to speak before anything else is done.
    Hear,
    /// Delete a session that was left.
    Delete(SessionId),
}

/// Who was asked for the first errand, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The process of the host; 0 if it is not known.
    pub pid: u32,
    /// When the system says it started.
    pub started: u64,
    /// When it was asked.
    pub at: Timestamp,
}

/// What a host still has to do, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Errands {
    /// The errands.
    pub list: Vec<Errand>,
    /// Who was asked for the first; `None` if nobody was.
    pub asked: Option<Asked>,
}

impl Errands {
    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// What the host has to do now; `None` if it is the agent's turn.
    pub fn first(&self) -> Option<&Errand> {
        self.list.first().filter(|errand| **errand != Errand::Hear)
    }

    /// The list after the session that owns the run spoke: what was to make it
    /// speak is done, and a move away from it has lost its reason.
    #[must_use]
    pub fn after_turn(&self) -> Self {
        let is_delete = |errand: &&Errand| matches!(errand, Errand::Delete(_));
        let due = self.list.iter().take_while(is_delete).count();
        let (due, rest) = self.list.split_at(due);
        let heard = match rest.first() {
            Some(Errand::Select | Errand::Prompt(_) | Errand::Hear) => {
                let hear = rest.iter().position(|errand| *errand == Errand::Hear);
                hear.map_or(&[][..], |hear| &rest[hear + 1..])
            }
            Some(Errand::Summarize | Errand::Create | Errand::Delete(_)) | None => &[],
        };
        Self { list: [due, heard].concat(), asked: None }
    }

    /// The list with a move from `old` to another session behind it.
    #[must_use]
    pub fn with_move(mut self, context: Context, old: &SessionId, fate: OldSession) -> Self {
        if context == Context::Summarize {
            self.list.push(Errand::Summarize);
        }
        let prompt = Errand::Prompt(old.clone());
        self.list.extend([Errand::Create, Errand::Select, prompt, Errand::Hear]);
        if fate == OldSession::Delete {
            self.list.push(Errand::Delete(old.clone()));
        }
        self
    }

    /// The list without its first errand.
    #[must_use]
    pub fn without_first(&self) -> Self {
        Self { list: self.list.iter().skip(1).cloned().collect(), asked: None }
    }

    /// The list if the agent was told what to do by other means.
    #[must_use]
    pub fn told(&self) -> Self {
        match self.list.first() {
            Some(Errand::Select | Errand::Prompt(_)) => {
                let is_over =
                    |errand: &&Errand| matches!(errand, Errand::Select | Errand::Prompt(_));
                let list = self.list.iter().skip_while(is_over).cloned().collect();
                Self { list, asked: None }
            }
            Some(Errand::Summarize | Errand::Create | Errand::Hear | Errand::Delete(_)) | None => {
                self.clone()
            }
        }
    }

    /// Whether this session was left and is to be deleted.
    pub fn leaves(&self, session: &SessionId) -> bool {
        self.list.iter().any(|errand| matches!(errand, Errand::Delete(left) if left == session))
    }

    /// The list without the end of this session: somebody uses it.
    #[must_use]
    pub fn sparing(&self, session: &SessionId) -> Self {
        let is_end = |errand: &&Errand| matches!(errand, Errand::Delete(left) if left == session);
        let list: Vec<Errand> = self.list.iter().filter(|e| !is_end(e)).cloned().collect();
        // Whoever was asked to delete it was asked for nothing that is left.
        let asked = self.asked.filter(|_| list.first() == self.list.first());
        Self { list, asked }
    }

    /// Whether the first errand has to be asked for at `now`: nobody was asked,
    /// or whoever was is gone, or takes too long.
    pub fn is_due(&self, now: Timestamp, lives: impl Fn(&Asked) -> bool) -> bool {
        let waits = |asked: &Asked| lives(asked) && now.since(asked.at) < PATIENCE;
        self.first().is_some() && !self.asked.as_ref().is_some_and(waits)
    }
}

#[cfg(test)]
#[path = "errand_tests.rs"]
mod tests;
