//! Compares the usage of a run with its limits.

use std::time::Duration;

use crate::policy::RunLimits;
use crate::state::RunFailure;
use crate::usage::Usage;

/// The usage of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunUsage {
    /// Number of turns started.
    pub iterations: u32,
    /// Working time.
    pub worked: Duration,
    /// Tokens and money.
    pub usage: Usage,
    /// Number of turns that had to be repeated.
    pub restarts: u32,
}

impl RunLimits {
    /// Returns true if this usage reaches the limit of tokens or money.
    pub fn is_over_budget(&self, usage: &Usage) -> bool {
        self.tokens.is_some_and(|most| usage.tokens() >= most)
            || self.cost.is_some_and(|most| usage.cost >= most)
    }

    /// Returns the limit that forbids another turn, if one does.
    pub fn reached_by(&self, spent: &RunUsage) -> Option<RunFailure> {
        if spent.iterations >= self.iterations {
            Some(RunFailure::MaxIterations)
        } else if spent.worked >= self.duration {
            Some(RunFailure::MaxDuration)
        } else if self.is_over_budget(&spent.usage) {
            Some(RunFailure::Budget)
        } else if spent.restarts > self.restarts {
            Some(RunFailure::MaxRestarts)
        } else {
            None
        }
    }
}
