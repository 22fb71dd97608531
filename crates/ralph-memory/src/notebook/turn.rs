//! A turn of the agent, and which notes took part in it.

use ralph_core::memory::Outcome;

use crate::event::Place;

/// Names a turn: an iteration of a run, else a session of a host.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Turn(pub(crate) String);

impl Turn {
    /// The turn that something happened in, if it can be told.
    pub(super) fn of(place: &Place) -> Option<Self> {
        match place {
            Place { run: Some(run), iteration: Some(iteration), .. } => {
                Some(Self(format!("run {iteration} {run}")))
            }
            Place { run: Some(run), iteration: None, .. } => Some(Self(format!("run - {run}"))),
            Place { run: None, session: Some(session), .. } => {
                Some(Self(format!("session {session}")))
            }
            Place { run: None, session: None, .. } => None,
        }
    }
}

/// How the checks of a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Checks {
    /// All passed.
    Passed,
    /// Some did not.
    Failed,
}

/// How a note took part in a turn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Part {
    /// The agent named it as its reason.
    pub(super) cited: bool,
    /// It was written.
    pub(super) noted: bool,
}

impl Part {
    /// What the end of the checks means for the note.
    pub(super) fn outcome(self, checks: Checks) -> Option<Outcome> {
        match checks {
            Checks::Passed if self.cited || self.noted => Some(Outcome::PassedCiting),
            // Who takes a note in a turn that fails may well have noted why.
            Checks::Failed if self.cited && !self.noted => Some(Outcome::FailedCiting),
            Checks::Passed | Checks::Failed => None,
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
        let cited = Part { cited: true, ..Part::default() };
        assert_eq!(cited.outcome(Checks::Failed), Some(Outcome::FailedCiting));
        let noted = Part { noted: true, ..cited };
        assert_eq!(noted.outcome(Checks::Failed), None);
        assert_eq!(noted.outcome(Checks::Passed), Some(Outcome::PassedCiting));
    }
}
