//! The record of one iteration.

use ralph_core::evidence::{GateReport, TestEdit, WeakenedCheck};
use ralph_core::usage::Usage;
use ralph_core::{Approach, RunId, Timestamp, TreeId};

/// The record of one iteration. Written once and never changed.
#[derive(Clone, Debug, PartialEq)]
pub struct IterationRecord {
    /// The run it belongs to.
    pub run: RunId,
    /// Its number, from 1.
    pub number: u32,
    /// The start of the turn.
    pub started_at: Timestamp,
    /// The time of the decision.
    pub ended_at: Timestamp,
    /// The name of the turn's ending.
    pub turn: String,
    /// The name of the claim in the final text.
    pub claim: String,
    /// The name of the decision.
    pub decision: String,
    /// Number of failures that were counted.
    pub failing: u32,
    /// The tree that the gates ran on.
    pub tree: Option<TreeId>,
    /// The hunks that the turn made.
    pub approach: Option<Approach>,
    /// Tokens and cost of the turn.
    pub usage: Usage,
    /// The results of the gates, in the order in which they ran.
    pub gates: Vec<GateReport>,
    /// Checks that were made weaker since the run started.
    pub weakened: Vec<WeakenedCheck>,
    /// Other edits of tests and checks since the run started.
    pub edited: Vec<TestEdit>,
    /// The end of the final text.
    pub text: String,
    /// The file with the agent's whole output.
    pub log: Option<String>,
}
