//! The actions that a host still has to carry out to continue a run in another session.
//!
//! The list is stored before the first action is requested, and an action leaves it
//! when the host reports it as done. So the list always shows the current position:
//! an action may be requested twice, and none is ever skipped. A session is deleted
//! only after its successor has answered.

use std::time::Duration;

use crate::ids::SessionId;
use crate::policy::{Context, OldSession};
use crate::time::Timestamp;

/// Time a host has for one action before it is asked again. A model needs a while
/// to summarize a long conversation.
const PATIENCE: Duration = Duration::from_mins(5);

/// One action that is requested from a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Errand {
    /// Summarize the conversation of the session that owns the run.
    Summarize,
    /// Create another session, which then owns the run.
    Create,
    /// Show that session to the user.
    Select,
    /// Prompt the agent in that session; the id is the session it worked in before.
    Prompt(SessionId),
    /// No action: wait until the session has answered.
    Hear,
    /// Delete an abandoned session.
    Delete(SessionId),
}

/// The host process that was asked for the first action, and the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Process id of the host; 0 if unknown.
    pub pid: u32,
    /// Start time of that process, according to the system.
    pub started: u64,
    /// Time of the request.
    pub at: Timestamp,
}

/// The actions that a host still has to carry out, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Errands {
    /// The actions.
    pub list: Vec<Errand>,
    /// The request for the first action; `None` if it was not requested yet.
    pub asked: Option<Asked>,
}

impl Errands {
    /// Returns true if there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the action the host has to carry out now; `None` if it is the agent's turn.
    pub fn first(&self) -> Option<&Errand> {
        self.list.first().filter(|errand| **errand != Errand::Hear)
    }

    /// Returns the list after a turn of the session that owns the run. Actions
    /// meant to start that turn are done, and a move away from the session is
    /// dropped.
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

    /// Appends a move from `old` to another session.
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

    /// Returns the list without its first action.
    #[must_use]
    pub fn without_first(&self) -> Self {
        Self { list: self.list.iter().skip(1).cloned().collect(), asked: None }
    }

    /// Returns the list if the agent received its prompt in another way.
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

    /// Returns true if this session is going to be deleted.
    pub fn leaves(&self, session: &SessionId) -> bool {
        self.list.iter().any(|errand| matches!(errand, Errand::Delete(left) if left == session))
    }

    /// Returns the list without the deletion of this session, for a session that is
    /// in use again.
    #[must_use]
    pub fn sparing(&self, session: &SessionId) -> Self {
        let is_end = |errand: &&Errand| matches!(errand, Errand::Delete(left) if left == session);
        let list: Vec<Errand> = self.list.iter().filter(|e| !is_end(e)).cloned().collect();
        // The request counts only for the action it was made for.
        let asked = self.asked.filter(|_| list.first() == self.list.first());
        Self { list, asked }
    }

    /// Returns true if the first action has to be requested at `now`: it never was,
    /// or the host that was asked is gone or takes too long.
    pub fn is_due(&self, now: Timestamp, lives: impl Fn(&Asked) -> bool) -> bool {
        let waits = |asked: &Asked| lives(asked) && now.since(asked.at) < PATIENCE;
        self.first().is_some() && !self.asked.as_ref().is_some_and(waits)
    }
}

#[cfg(test)]
#[path = "errand_tests.rs"]
mod tests;
