//! What a run has used, held against what it may use.

use std::time::Duration;

use crate::policy::Limits;
use crate::state::Failure;
use crate::usage::Usage;

/// What a run has used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spent {
    /// Turns begun.
    pub iterations: u32,
    /// Working time.
    pub worked: Duration,
    /// Tokens and money.
    pub usage: Usage,
    /// Turns that had to be begun anew.
    pub restarts: u32,
}

impl Limits {
    /// Whether this uses up the tokens or the money.
    pub fn is_over_budget(&self, usage: &Usage) -> bool {
        self.tokens.is_some_and(|most| usage.tokens() >= most)
            || self.cost.is_some_and(|most| usage.cost >= most)
    }

    /// The limit that forbids another turn, if one does.
    pub fn reached_by(&self, spent: &Spent) -> Option<Failure> {
        if spent.iterations >= self.iterations {
            Some(Failure::MaxIterations)
        } else if spent.worked >= self.duration {
            Some(Failure::MaxDuration)
        } else if self.is_over_budget(&spent.usage) {
            Some(Failure::Budget)
        } else if spent.restarts > self.restarts {
            Some(Failure::MaxRestarts)
        } else {
            None
        }
    }
}
