//! The state of a run. Each state carries exactly the facts that belong to it.

use crate::circle::Circle;
use crate::time::Timestamp;

/// The state of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunState {
    /// The agent works, or its next turn is about to start.
    Running,
    /// Waiting for something outside.
    Waiting(WaitReason),
    /// Not active, but can be resumed.
    Paused(PauseReason),
    /// Ended: the work is done.
    Success(Proof),
    /// Ended without success: a limit, no progress, or an error.
    Failed(RunFailure),
    /// Ended: the user stopped it.
    Stopped,
}

/// The event that a waiting run waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaitReason {
    /// The provider refuses work until this moment.
    Limit {
        /// Time of the next attempt.
        until: Timestamp,
    },
    /// A person has to answer.
    Human {
        /// The question, in the agent's words.
        question: String,
    },
    /// Background work or children of the agent are still running.
    Child,
    /// The host will call again without being asked.
    Host,
}

/// The reason why a run is paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PauseReason {
    /// `ralph pause`.
    Asked,
    /// Ctrl-C or a termination signal in the driver.
    Interrupted,
    /// The agent's turn was aborted in its host.
    Aborted,
    /// The host refuses to continue the agent until its user says something.
    Capped,
}

/// The kind of proof that success rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Every required gate passed on the final tree.
    Verified,
    /// The agent claimed it, and the policy accepts a claim.
    Claimed,
}

/// The reason why a run failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunFailure {
    /// All allowed iterations are used.
    MaxIterations,
    /// The allowed time is used.
    MaxDuration,
    /// Too many iterations in a row without progress.
    NoProgress,
    /// The work tree keeps returning to states it had before.
    Circular(
        /// The last return; `None` in records that do not say.
        Option<Circle>,
    ),
    /// The allowed tokens or money are used.
    Budget,
    /// The agent had to be restarted too often.
    MaxRestarts,
    /// The agent cannot work.
    AgentError {
        /// The error, in one line.
        what: String,
    },
    /// The work tree or its repository was deleted.
    FolderGone {
        /// The folder that is missing.
        folder: String,
    },
}

impl RunFailure {
    /// Returns the name in JSON and on the command line. A missing folder has
    /// counted as an error of the agent since the first version.
    pub fn name(&self) -> &'static str {
        match self {
            Self::MaxIterations => "max_iterations",
            Self::MaxDuration => "max_duration",
            Self::NoProgress => "no_progress",
            Self::Circular(_) => "circular",
            Self::Budget => "budget",
            Self::MaxRestarts => "max_restarts",
            Self::AgentError { .. } | Self::FolderGone { .. } => "agent_error",
        }
    }
}

impl RunState {
    /// Returns the first level of the state: the status.
    pub fn status(&self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Waiting(_) => "waiting",
            Self::Paused(_) => "paused",
            Self::Success(_) => "success",
            Self::Failed(_) => "failed",
            Self::Stopped => "stopped",
        }
    }

    /// Returns the second level of the state; `None` if the status says it all.
    pub fn reason(&self) -> Option<&'static str> {
        match self {
            Self::Running | Self::Stopped => None,
            Self::Waiting(wait) => Some(match wait {
                WaitReason::Limit { .. } => "limit",
                WaitReason::Human { .. } => "human",
                WaitReason::Child => "child",
                WaitReason::Host => "host",
            }),
            Self::Paused(pause) => Some(match pause {
                PauseReason::Asked => "asked",
                PauseReason::Interrupted => "interrupted",
                PauseReason::Aborted => "aborted",
                PauseReason::Capped => "capped",
            }),
            Self::Success(Proof::Verified) => Some("verified"),
            Self::Success(Proof::Claimed) => Some("claimed"),
            Self::Failed(failure) => Some(failure.name()),
        }
    }

    /// Returns true if the run has ended for good.
    pub fn is_ended(&self) -> bool {
        match self {
            Self::Success(_) | Self::Failed(_) | Self::Stopped => true,
            Self::Running | Self::Waiting(_) | Self::Paused(_) => false,
        }
    }

    /// Returns true if the run occupies its work tree: it works, or will continue
    /// without help.
    pub fn is_active(&self) -> bool {
        matches!(
            self,
            Self::Running
                | Self::Waiting(WaitReason::Limit { .. } | WaitReason::Child | WaitReason::Host)
        )
    }

    /// Returns the exit code of a driver that exits with the run in this state.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Success(_) => 0,
            Self::Waiting(WaitReason::Human { .. }) => 4,
            Self::Paused(_) => 130,
            Self::Running
            | Self::Waiting(WaitReason::Limit { .. } | WaitReason::Child | WaitReason::Host)
            | Self::Failed(_)
            | Self::Stopped => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Status, reason, exit code, and whether the run is `active` or `ended`.
    #[track_caller]
    fn check(state: &RunState, want: (&str, Option<&str>, u8, &str)) {
        let life = match (state.is_active(), state.is_ended()) {
            (true, false) => "active",
            (false, true) => "ended",
            (false, false) => "at rest",
            (true, true) => "contradictory",
        };
        assert_eq!((state.status(), state.reason(), state.exit_code(), life), want);
    }

    #[test]
    fn every_state_has_its_words_and_its_exit_code() {
        let until = Timestamp::from_millis(0);
        let human = WaitReason::Human { question: String::new() };
        let broken = RunFailure::AgentError { what: String::new() };
        check(&RunState::Running, ("running", None, 1, "active"));
        check(
            &RunState::Waiting(WaitReason::Limit { until }),
            ("waiting", Some("limit"), 1, "active"),
        );
        check(&RunState::Waiting(WaitReason::Child), ("waiting", Some("child"), 1, "active"));
        check(&RunState::Waiting(WaitReason::Host), ("waiting", Some("host"), 1, "active"));
        check(&RunState::Waiting(human), ("waiting", Some("human"), 4, "at rest"));
        check(&RunState::Paused(PauseReason::Asked), ("paused", Some("asked"), 130, "at rest"));
        check(&RunState::Paused(PauseReason::Aborted), ("paused", Some("aborted"), 130, "at rest"));
        check(&RunState::Paused(PauseReason::Capped), ("paused", Some("capped"), 130, "at rest"));
        check(
            &RunState::Paused(PauseReason::Interrupted),
            ("paused", Some("interrupted"), 130, "at rest"),
        );
        check(&RunState::Success(Proof::Verified), ("success", Some("verified"), 0, "ended"));
        check(&RunState::Success(Proof::Claimed), ("success", Some("claimed"), 0, "ended"));
        check(&RunState::Failed(broken), ("failed", Some("agent_error"), 1, "ended"));
        check(
            &RunState::Failed(RunFailure::Circular(None)),
            ("failed", Some("circular"), 1, "ended"),
        );
        check(&RunState::Stopped, ("stopped", None, 1, "ended"));
    }
}
