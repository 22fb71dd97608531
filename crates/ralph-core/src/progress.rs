//! Measures progress by a vector of signals, never by a word count.
//!
//! With gates, an iteration advances in one of four cases: a failure is fixed for
//! the first time, fewer things fail than ever before, a new change was tried that
//! reverts no earlier one, or a judge sees progress. Without gates, only an equal
//! reply on an unchanged tree counts against a run, so reading and thinking may
//! take their time.

use std::collections::BTreeSet;

use crate::circle::Circle;
use crate::diagnostics::GateTotals;
use crate::evidence::{Evidence, TurnEnd, Verdict, is_absent};
use crate::ids::{Hunk, TreeId};
use crate::policy::GateImportance;
use crate::question;

/// Number of earlier trees that are remembered: enough for any real circle, while
/// the record of a run stays small.
const TREE_MEMORY: usize = 128;

/// Number of tried hunks that are remembered.
const HUNK_MEMORY: usize = 4096;

/// Number of fixed fingerprints that are remembered.
const FIXED_MEMORY: usize = 4096;

/// The progress of a run so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Number of iterations in a row without progress.
    pub stalled: u32,
    /// Number of those that returned to an earlier tree.
    pub returns: u32,
    /// The last of those returns.
    pub circle: Option<Circle>,
    /// Number of equal replies in a row on an unchanged tree.
    pub identical: u32,
    /// Number of questions in a row without progress.
    pub questions: u32,
    /// Number of turns in a row in which the agent failed without a change.
    pub agent_errors: u32,
    /// Number of provider limits in a row.
    pub limit_hits: u32,
    /// Digest of the last final text.
    pub last_text: Option<u64>,
    /// The last tree that was examined.
    pub last_tree: Option<TreeId>,
    /// Trees of earlier iterations, oldest first.
    pub trees: Vec<SeenTree>,
    /// Tried hunks, oldest first.
    pub hunks: Vec<Hunk>,
    /// Fingerprints of the failures after the last turn.
    pub failing: BTreeSet<String>,
    /// Fingerprints of failures that were fixed.
    pub fixed: BTreeSet<String>,
    /// Smallest number of failures so far.
    pub fewest: Option<u32>,
    /// Fingerprints of flaky tests: they failed and passed on one tree.
    pub flaky: BTreeSet<String>,
    /// Totals of the gates after the last turn.
    pub totals: GateTotals,
    /// Weakened tests and checks that kept the last turn from completing the run,
    /// and that the agent was told about.
    pub held: BTreeSet<String>,
    /// True if the user accepted such changes. Failures that disappeared with them
    /// do not count as fixed.
    pub accepted: bool,
}

/// A tree, with the iteration that last left it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenTree {
    /// The tree.
    pub tree: TreeId,
    /// The iteration; 0 is the start.
    pub iteration: u32,
}

/// The source of signals about progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgressSignals {
    /// Gates.
    Gated,
    /// Only the reply and the tree.
    Ungated,
}

impl Progress {
    /// Creates the state before the first turn from the initial failures and tree.
    pub fn from_baseline(failing: BTreeSet<String>, tree: Option<TreeId>) -> Self {
        Self {
            fewest: Some(count(&failing)),
            failing,
            trees: tree.iter().map(|tree| SeenTree { tree: tree.clone(), iteration: 0 }).collect(),
            last_tree: tree,
            ..Self::default()
        }
    }

    /// Creates the state before the first turn. Gates without a result are left
    /// out, so their first result counts as new.
    pub fn at_start(evidence: &Evidence) -> Self {
        let start = Self::from_baseline(evidence.shown_failing(), evidence.tree.clone());
        let fewest = start.fewest.filter(|_| sees_all_required(evidence));
        Self { fewest, ..start }
    }

    /// Returns true if the failure of this test may be unreliable: the test is
    /// known to be flaky, or did not fail before.
    pub fn is_doubtful(&self, fingerprint: &str) -> bool {
        fingerprint.starts_with("test ")
            && (self.flaky.contains(fingerprint) || !self.failing.contains(fingerprint))
    }

    /// Returns true if the tree is needed to judge this turn even without gates:
    /// after an equal reply, a question or a failure.
    pub fn needs_tree(&self, turn: &TurnEnd, text: &str) -> bool {
        *turn != TurnEnd::Finished
            || self.last_text == Some(digest(text))
            || question::asks(text).is_some()
    }

    /// Returns the progress after the turn of this iteration.
    #[must_use]
    pub fn after(&self, evidence: &Evidence, iteration: u32, signals: ProgressSignals) -> Self {
        match evidence.turn {
            TurnEnd::ProviderLimit { .. } => {
                return Self { limit_hits: self.limit_hits.saturating_add(1), ..self.clone() };
            }
            // The turn is not over, or the agent lost it: no gate ran, so it counts
            // neither for nor against progress.
            TurnEnd::UserAbort
            | TurnEnd::HumanAsked { .. }
            | TurnEnd::ChildrenRunning
            | TurnEnd::WorkTreeGone { .. } => return Self { limit_hits: 0, ..self.clone() },
            TurnEnd::Finished | TurnEnd::Failed { .. } | TurnEnd::TimedOut(_) => {}
        }
        let mut next = Self { limit_hits: 0, ..self.clone() };
        let moved = self.tree_moved(evidence);
        next.note_agent_error(evidence, moved);
        next.note_reply(evidence, moved);
        let got_somewhere = match signals {
            ProgressSignals::Gated => next.note_gates(evidence, iteration),
            ProgressSignals::Ungated => next.note_repetition(moved),
        };
        next.note_question(evidence, got_somewhere);
        next.note_tree(evidence, iteration);
        next
    }

    fn tree_moved(&self, evidence: &Evidence) -> TreeMovement {
        match (&self.last_tree, &evidence.tree) {
            (Some(before), Some(now)) if before == now => TreeMovement::No,
            (Some(_), Some(_)) => TreeMovement::Yes,
            (None, _) | (_, None) => TreeMovement::NobodyLooked,
        }
    }

    /// Counts equal replies. A turn that crashed or hung has no reply, and a
    /// counter of its own.
    fn note_reply(&mut self, evidence: &Evidence, moved: TreeMovement) {
        if evidence.turn != TurnEnd::Finished {
            return;
        }
        let text = digest(&evidence.text);
        let same = self.last_text == Some(text) && moved == TreeMovement::No;
        self.identical = if same { self.identical.max(1) + 1 } else { 1 };
        self.last_text = Some(text);
    }

    /// Updates the counter of a run without gates: only equal replies on an
    /// unchanged tree count. Returns true if the turn changed anything.
    fn note_repetition(&mut self, moved: TreeMovement) -> bool {
        self.stalled = if self.identical >= 2 { self.identical } else { 0 };
        moved == TreeMovement::Yes
    }

    /// Stores the results of the gates and returns true if the turn advanced.
    fn note_gates(&mut self, evidence: &Evidence, iteration: u32) -> bool {
        self.totals = GateTotals::of(&evidence.gates);
        self.note_flaky(evidence);
        let failing = evidence.measured_failing().difference(&self.flaky).cloned().collect();
        // Failures that weakened checks no longer report are not fixed.
        let sees_all = sees_all_required(evidence) && evidence.weakened.is_empty();
        let less_fails = sees_all && self.note_failing(failing);
        let tried_something_new = self.note_hunks(evidence);
        let returned_to = self.returned_to(evidence);
        // A judge's opinion about progress can only prolong a run.
        let comes_nearer = evidence.gates.iter().any(|gate| gate.is_opinion() && gate.passed());
        let advanced = less_fails || (tried_something_new && returned_to.is_none()) || comes_nearer;
        if advanced {
            self.stalled = 0;
            self.returns = 0;
            self.circle = None;
        } else if self.agent_errors == 0 {
            // A crash without a change says nothing about the work.
            self.stalled += 1;
            if let Some(from) = returned_to {
                self.returns += 1;
                self.circle = Some(Circle { from, to: iteration });
            }
        }
        advanced
    }

    /// Stores the hunks of the turn and returns true if any is new. A hunk and its
    /// inverse are the same, so a revert is not new.
    fn note_hunks(&mut self, evidence: &Evidence) -> bool {
        let Some(approach) = &evidence.approach else { return false };
        let remembered = self.hunks.len();
        self.hunks.retain(|hunk| !approach.hunks().contains(hunk));
        let known = remembered - self.hunks.len();
        self.hunks.extend(approach.hunks());
        let forgotten = self.hunks.len().saturating_sub(HUNK_MEMORY);
        self.hunks.drain(..forgotten);
        known < approach.hunks().len()
    }

    /// Removes flaky tests from all counts: one was never fixed and never broken.
    fn note_flaky(&mut self, evidence: &Evidence) {
        let room = FIXED_MEMORY.saturating_sub(self.flaky.len());
        self.flaky.extend(evidence.flaky.iter().take(room).cloned());
        let before = count(&self.failing);
        self.failing.retain(|fingerprint| !self.flaky.contains(fingerprint));
        self.fixed.retain(|fingerprint| !self.flaky.contains(fingerprint));
        // Leaving it out must not look like fewer failures.
        let fewer = before - count(&self.failing);
        self.fewest = self.fewest.map(|fewest| fewest.saturating_sub(fewer));
    }

    /// Stores the failures and returns true if they are better than before.
    fn note_failing(&mut self, failing: BTreeSet<String>) -> bool {
        // A fix that cannot be remembered does not count: it would count again each
        // time it breaks and is repaired.
        let newly_fixed: Vec<String> = self
            .failing
            .iter()
            .filter(|print| is_absent(print, &failing) && !self.fixed.contains(*print))
            .take(FIXED_MEMORY.saturating_sub(self.fixed.len()))
            .cloned()
            .collect();
        let now = count(&failing);
        let better = !newly_fixed.is_empty() || self.fewest.is_none_or(|fewest| now < fewest);
        self.fixed.extend(newly_fixed);
        self.fewest = Some(self.fewest.map_or(now, |fewest| fewest.min(now)));
        self.failing = failing;
        better
    }

    /// Returns the iteration that left the same tree, if the tree differed since.
    fn returned_to(&self, evidence: &Evidence) -> Option<u32> {
        let tree = evidence.tree.as_ref().filter(|tree| self.last_tree.as_ref() != Some(tree))?;
        self.trees.iter().find(|seen| seen.tree == *tree).map(|seen| seen.iteration)
    }

    #[expect(clippy::fn_params_excessive_bools, reason = "private, and named at its one call")]
    fn note_question(&mut self, evidence: &Evidence, got_somewhere: bool) {
        let asked = question::asks(&evidence.text).is_some();
        self.questions = match (asked, got_somewhere) {
            (false, _) => 0,
            (true, true) => 1,
            (true, false) => self.questions + 1,
        };
    }

    fn note_agent_error(&mut self, evidence: &Evidence, moved: TreeMovement) {
        let failed = matches!(evidence.turn, TurnEnd::Failed { .. } | TurnEnd::TimedOut(_));
        self.agent_errors = match (failed, moved) {
            (false, _) | (true, TreeMovement::Yes) => 0,
            (true, TreeMovement::No | TreeMovement::NobodyLooked) => self.agent_errors + 1,
        };
    }

    fn note_tree(&mut self, evidence: &Evidence, iteration: u32) {
        let Some(tree) = &evidence.tree else { return };
        self.trees.retain(|seen| seen.tree != *tree);
        self.trees.push(SeenTree { tree: tree.clone(), iteration });
        let forgotten = self.trees.len().saturating_sub(TREE_MEMORY);
        self.trees.drain(..forgotten);
        self.last_tree = Some(tree.clone());
    }
}

/// Returns true if every required gate ran. Failures that a gate without a run no
/// longer reports are not fixed.
pub(crate) fn sees_all_required(evidence: &Evidence) -> bool {
    evidence.gates.iter().filter(|gate| !gate.is_judge()).all(|gate| match gate.verdict {
        Verdict::Pass | Verdict::Fail(_) => true,
        Verdict::Unclear { .. } | Verdict::Unknown { .. } => gate.need == GateImportance::Advisory,
    })
}

/// The change of the tree since it was last examined.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TreeMovement {
    Yes,
    No,
    NobodyLooked,
}

fn count(failing: &BTreeSet<String>) -> u32 {
    u32::try_from(failing.len()).unwrap_or(u32::MAX)
}

/// Hashes the trimmed text with FNV-1a: stable across versions, good enough to
/// compare replies.
fn digest(text: &str) -> u64 {
    text.trim().bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
#[path = "progress_tests.rs"]
mod tests;
