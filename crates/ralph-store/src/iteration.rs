//! What one iteration came to.

use ralph_core::evidence::{Edit, GateReport, Weakening};
use ralph_core::usage::Usage;
use ralph_core::{Approach, RunId, Timestamp, TreeId};

/// What one iteration came to. Written once and never changed.
#[derive(Clone, Debug, PartialEq)]
pub struct IterationRecord {
    /// The run it belongs to.
    pub run: RunId,
    /// Its number, from 1.
    pub number: u32,
    /// When the turn began.
    pub started_at: Timestamp,
    /// When it was decided.
    pub ended_at: Timestamp,
    /// The name of how the turn ended.
    pub turn: String,
    /// The name of what the final text said about being done.
    pub claim: String,
    /// The name of what was decided.
    pub decision: String,
    /// How many things failed.
    pub failing: u32,
    /// The tree the gates ran on.
    pub tree: Option<TreeId>,
    /// What the turn tried.
    pub approach: Option<Approach>,
    /// What the turn cost.
    pub usage: Usage,
    /// What the gates found, in the order in which they ran.
    pub gates: Vec<GateReport>,
    /// Checks that were made weaker since the run was armed.
    pub weakened: Vec<Weakening>,
    /// Other edits of tests and checks since then.
    pub edited: Vec<Edit>,
    /// The end of the final text.
    pub text: String,
    /// The file with the agent's whole output.
    pub log: Option<String>,
}
