//! A turn of the agent, and which notes took part in it.

use ralph_core::memory::BeliefEvent;

use crate::event::EventContext;

/// Names a turn: an iteration of a run, else a session of a host.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TurnKey(pub(crate) String);

impl TurnKey {
    /// The turn that something happened in, if it can be told.
    pub(super) fn of(place: &EventContext) -> Option<Self> {
        match place {
            EventContext { run: Some(run), iteration: Some(iteration), .. } => {
                Some(Self(format!("run {iteration} {run}")))
            }
            EventContext { run: Some(run), iteration: None, .. } => {
                Some(Self(format!("run - {run}")))
            }
            EventContext { run: None, session: Some(session), .. } => {
                Some(Self(format!("session {session}")))
            }
            EventContext { run: None, session: None, .. } => None,
        }
    }
}

/// How the checks of a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TurnCheckStatus {
    /// All passed.
    Passed,
    /// Some did not.
    Failed,
}

/// How a note took part in a turn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct NoteInvolvement {
    /// The agent named it as its reason.
    pub(super) cited: bool,
    /// It was written.
    pub(super) noted: bool,
}

impl NoteInvolvement {
    /// What the end of the checks means for the note.
    pub(super) fn outcome(self, checks: TurnCheckStatus) -> Option<BeliefEvent> {
        match checks {
            TurnCheckStatus::Passed if self.cited || self.noted => Some(BeliefEvent::PassedCiting),
            // Who takes a note in a turn that fails may well have noted why.
            TurnCheckStatus::Failed if self.cited && !self.noted => Some(BeliefEvent::FailedCiting),
            TurnCheckStatus::Passed | TurnCheckStatus::Failed => None,
        }
    }

    pub(crate) fn from_bits(bits: u8) -> Self {
        Self { cited: bits & 1 != 0, noted: bits & 2 != 0 }
    }

    pub(crate) fn bits(self) -> u8 {
        u8::from(self.cited) | u8::from(self.noted) << 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_not_punished_for_the_turn_that_wrote_it() {
        let cited = NoteInvolvement { cited: true, ..NoteInvolvement::default() };
        assert_eq!(cited.outcome(TurnCheckStatus::Failed), Some(BeliefEvent::FailedCiting));
        let noted = NoteInvolvement { noted: true, ..cited };
        assert_eq!(noted.outcome(TurnCheckStatus::Failed), None);
        assert_eq!(noted.outcome(TurnCheckStatus::Passed), Some(BeliefEvent::PassedCiting));
    }
}
