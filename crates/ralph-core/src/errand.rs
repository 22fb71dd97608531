//! The actions that a host still has to carry out to continue a run in another session.
//!
//! The list is stored before the first action is requested, and an action leaves it
//! when the host reports it as done. So the list always shows the current position:
//! an action may be requested twice, and none is ever skipped. A session is deleted
//! only after its successor has answered.

use std::time::Duration;

use crate::ids::SessionId;
use crate::policy::{ContextMode, OldSession};
use crate::time::Timestamp;

/// Time a host has for one action before it is asked again. A model needs a while
/// to summarize a long conversation.
const PATIENCE: Duration = Duration::from_mins(5);

/// One action that is requested from a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PendingAction {
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
pub struct ActionRequest {
    /// Process id of the host; 0 if unknown.
    pub pid: u32,
    /// Start time of that process, according to the system.
    pub started: u64,
    /// Time of the request.
    pub at: Timestamp,
}

/// The actions that a host still has to carry out, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PendingActions {
    /// The actions.
    pub list: Vec<PendingAction>,
    /// The request for the first action; `None` if it was not requested yet.
    pub asked: Option<ActionRequest>,
}

impl PendingActions {
    /// Returns true if there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the action the host has to carry out now; `None` if it is the agent's turn.
    pub fn first(&self) -> Option<&PendingAction> {
        self.list.first().filter(|errand| **errand != PendingAction::Hear)
    }

    /// Returns the list after a turn of the session that owns the run. Actions
    /// meant to start that turn are done, and a move away from the session is
    /// dropped.
    #[must_use]
    pub fn after_turn(&self) -> Self {
        let is_delete = |errand: &&PendingAction| matches!(errand, PendingAction::Delete(_));
        let due = self.list.iter().take_while(is_delete).count();
        let (due, rest) = self.list.split_at(due);
        let heard = match rest.first() {
            Some(PendingAction::Select | PendingAction::Prompt(_) | PendingAction::Hear) => {
                let hear = rest.iter().position(|errand| *errand == PendingAction::Hear);
                hear.map_or(&[][..], |hear| &rest[hear + 1..])
            }
            Some(PendingAction::Summarize | PendingAction::Create | PendingAction::Delete(_))
            | None => &[],
        };
        Self { list: [due, heard].concat(), asked: None }
    }

    /// Appends a move from `old` to another session.
    #[must_use]
    pub fn with_move(mut self, context: ContextMode, old: &SessionId, fate: OldSession) -> Self {
        if context == ContextMode::Summarize {
            self.list.push(PendingAction::Summarize);
        }
        let prompt = PendingAction::Prompt(old.clone());
        self.list.extend([
            PendingAction::Create,
            PendingAction::Select,
            prompt,
            PendingAction::Hear,
        ]);
        if fate == OldSession::Delete {
            self.list.push(PendingAction::Delete(old.clone()));
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
    pub fn after_prompt(&self) -> Self {
        match self.list.first() {
            Some(PendingAction::Select | PendingAction::Prompt(_)) => {
                let is_over = |errand: &&PendingAction| {
                    matches!(errand, PendingAction::Select | PendingAction::Prompt(_))
                };
                let list = self.list.iter().skip_while(is_over).cloned().collect();
                Self { list, asked: None }
            }
            Some(
                PendingAction::Summarize
                | PendingAction::Create
                | PendingAction::Hear
                | PendingAction::Delete(_),
            )
            | None => self.clone(),
        }
    }

    /// Returns true if this session is going to be deleted.
    pub fn leaves(&self, session: &SessionId) -> bool {
        self.list
            .iter()
            .any(|errand| matches!(errand, PendingAction::Delete(left) if left == session))
    }

    /// Returns the list without the deletion of this session, for a session that is
    /// in use again.
    #[must_use]
    pub fn sparing(&self, session: &SessionId) -> Self {
        let is_end = |errand: &&PendingAction| matches!(errand, PendingAction::Delete(left) if left == session);
        let list: Vec<PendingAction> = self.list.iter().filter(|e| !is_end(e)).cloned().collect();
        // The request counts only for the action it was made for.
        let asked = self.asked.filter(|_| list.first() == self.list.first());
        Self { list, asked }
    }

    /// Returns true if the first action has to be requested at `now`: it never was,
    /// or the host that was asked is gone or takes too long.
    pub fn is_due(&self, now: Timestamp, lives: impl Fn(&ActionRequest) -> bool) -> bool {
        let waits = |asked: &ActionRequest| lives(asked) && now.since(asked.at) < PATIENCE;
        self.first().is_some() && !self.asked.as_ref().is_some_and(waits)
    }
}

#[cfg(test)]
#[path = "errand_tests.rs"]
mod tests;
