//! Is the work getting anywhere? A vector of signals, never a word count.
//!
//! With gates, an iteration advances when something that failed is fixed for
//! the first time, when less fails than ever before, or when a change was
//! tried that is neither one made before nor the undoing of one. A judge that
//! sees the work come nearer is one more signal. Without gates only the same reply on an unchanged tree counts
//! against a run, so reading and thinking are free to take their time.

use std::collections::BTreeSet;

use crate::circle::Circle;
use crate::diagnostics::Totals;
use crate::evidence::{Evidence, TurnEnd, Verdict};
use crate::ids::{Hunk, TreeId};
use crate::policy::Need;
use crate::question;

/// How many earlier trees are remembered: enough for any circle worth the
/// name, and the record of a run stays small.
const TREE_MEMORY: usize = 128;

/// How many hunks that were tried are remembered.
const HUNK_MEMORY: usize = 4096;

/// How many fingerprints that were fixed once are remembered.
const FIXED_MEMORY: usize = 4096;

/// What the turns so far amount to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Iterations in a row that did not advance.
    pub stalled: u32,
    /// How many of those returned to an earlier tree.
    pub returns: u32,
    /// The last of those returns.
    pub circle: Option<Circle>,
    /// Equal replies in a row on an unchanged tree.
    pub identical: u32,
    /// Questions in a row without progress.
    pub questions: u32,
    /// Turns in a row that the agent failed without changing anything.
    pub agent_errors: u32,
    /// Provider limits in a row.
    pub limit_hits: u32,
    /// Digest of the last final text.
    pub last_text: Option<u64>,
    /// The last tree that was looked at.
    pub last_tree: Option<TreeId>,
    /// Trees seen, oldest first.
    pub trees: Vec<SeenTree>,
    /// Hunks tried, oldest first.
    pub hunks: Vec<Hunk>,
    /// What failed last.
    pub failing: BTreeSet<String>,
    /// What failed once and was fixed later.
    pub fixed: BTreeSet<String>,
    /// The smallest number of failures so far.
    pub fewest: Option<u32>,
    /// Tests that failed and passed on one tree: they say nothing.
    pub flaky: BTreeSet<String>,
    /// What the gates counted last.
    pub totals: Totals,
    /// Changes of tests and checks that kept the last turn from completing the
    /// run, and that the agent was told of.
    pub held: BTreeSet<String>,
    /// Whether the user accepted such changes, so that what turned green with
    /// them was not fixed.
    pub accepted: bool,
}

/// A tree, and when it was seen last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenTree {
    /// The tree.
    pub tree: TreeId,
    /// After which iteration; 0 is the start.
    pub iteration: u32,
}

/// Whether gates give the signals, or only the reply and the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signals {
    /// There are gates.
    Gated,
    /// There are none.
    Ungated,
}

impl Progress {
    /// The state before the first turn, given what failed and on which tree.
    pub fn from_baseline(failing: BTreeSet<String>, tree: Option<TreeId>) -> Self {
        Self {
            fewest: Some(count(&failing)),
            failing,
            trees: tree.iter().map(|tree| SeenTree { tree: tree.clone(), iteration: 0 }).collect(),
            last_tree: tree,
            ..Self::default()
        }
    }

    /// The state before the first turn, given what the gates showed then. A
    /// gate without a result showed nothing, so its first result is news.
    pub fn at_start(evidence: &Evidence) -> Self {
        let start = Self::from_baseline(evidence.shown_failing(), evidence.tree.clone());
        let fewest = start.fewest.filter(|_| sees_all_required(evidence));
        Self { fewest, ..start }
    }

    /// Whether the failure of this test may say nothing: it is known to be
    /// flaky, or it did not fail before.
    pub fn is_doubtful(&self, fingerprint: &str) -> bool {
        fingerprint.starts_with("test ")
            && (self.flaky.contains(fingerprint) || !self.failing.contains(fingerprint))
    }

    /// Whether this turn has to be judged by its tree even without gates:
    /// equal replies, questions and failures are.
    pub fn needs_tree(&self, turn: &TurnEnd, text: &str) -> bool {
        *turn != TurnEnd::Finished
            || self.last_text == Some(digest(text))
            || question::asks(text).is_some()
    }

    /// The state after this turn, which is that of `iteration`.
    #[must_use]
    pub fn after(&self, evidence: &Evidence, iteration: u32, signals: Signals) -> Self {
        match evidence.turn {
            TurnEnd::ProviderLimit { .. } => {
                return Self { limit_hits: self.limit_hits.saturating_add(1), ..self.clone() };
            }
            // The turn is not over or was taken from the agent: no gate ran,
            // so there is nothing to hold for or against it.
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
            Signals::Gated => next.note_gates(evidence, iteration),
            Signals::Ungated => next.note_repetition(moved),
        };
        next.note_question(evidence, got_somewhere);
        next.note_tree(evidence, iteration);
        next
    }

    fn tree_moved(&self, evidence: &Evidence) -> Moved {
        match (&self.last_tree, &evidence.tree) {
            (Some(before), Some(now)) if before == now => Moved::No,
            (Some(_), Some(_)) => Moved::Yes,
            (None, _) | (_, None) => Moved::NobodyLooked,
        }
    }

    /// What a crash or a hang left behind is no reply: such turns have their
    /// own count.
    fn note_reply(&mut self, evidence: &Evidence, moved: Moved) {
        if evidence.turn != TurnEnd::Finished {
            return;
        }
        let text = digest(&evidence.text);
        let same = self.last_text == Some(text) && moved == Moved::No;
        self.identical = if same { self.identical.max(1) + 1 } else { 1 };
        self.last_text = Some(text);
    }

    /// Without gates only equal replies on an unchanged tree count against a
    /// run. Says whether the turn changed anything.
    fn note_repetition(&mut self, moved: Moved) -> bool {
        self.stalled = if self.identical >= 2 { self.identical } else { 0 };
        moved == Moved::Yes
    }

    /// Takes in what the gates showed and says whether the turn advanced.
    fn note_gates(&mut self, evidence: &Evidence, iteration: u32) -> bool {
        self.totals = Totals::of(&evidence.gates);
        self.note_flaky(evidence);
        let failing = evidence.measured_failing().difference(&self.flaky).cloned().collect();
        // What weakened checks no longer report has not been fixed.
        let sees_all = sees_all_required(evidence) && evidence.weakened.is_empty();
        let less_fails = sees_all && self.note_failing(failing);
        let tried_something_new = self.note_hunks(evidence);
        let returned_to = self.returned_to(evidence);
        // A judge that sees the work come nearer can only prolong a run.
        let comes_nearer = evidence.gates.iter().any(|gate| gate.is_opinion() && gate.passed());
        let advanced = less_fails || (tried_something_new && returned_to.is_none()) || comes_nearer;
        if advanced {
            self.stalled = 0;
            self.returns = 0;
            self.circle = None;
        } else if self.agent_errors == 0 {
            // A crash that changed nothing says nothing about the work.
            self.stalled += 1;
            if let Some(from) = returned_to {
                self.returns += 1;
                self.circle = Some(Circle { from, to: iteration });
            }
        }
        advanced
    }

    /// Takes in what was tried and says whether any of it was new. Undoing is
    /// not: a hunk and its inverse are the same.
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

    /// A flaky test was never fixed and never broken.
    fn note_flaky(&mut self, evidence: &Evidence) {
        let room = FIXED_MEMORY.saturating_sub(self.flaky.len());
        self.flaky.extend(evidence.flaky.iter().take(room).cloned());
        let before = count(&self.failing);
        self.failing.retain(|fingerprint| !self.flaky.contains(fingerprint));
        self.fixed.retain(|fingerprint| !self.flaky.contains(fingerprint));
        // That it no longer counts must not look like less failing.
        let fewer = before - count(&self.failing);
        self.fewest = self.fewest.map(|fewest| fewest.saturating_sub(fewer));
    }

    /// Takes in what fails now and says whether that is better than before.
    fn note_failing(&mut self, failing: BTreeSet<String>) -> bool {
        // What cannot be remembered as fixed does not count as fixed: it
        // would count again each time it breaks and is mended.
        let newly_fixed: Vec<String> = self
            .failing
            .difference(&failing)
            .filter(|fingerprint| !self.fixed.contains(*fingerprint))
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

    /// The iteration that left the same tree, if it was left behind since.
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

    fn note_agent_error(&mut self, evidence: &Evidence, moved: Moved) {
        let failed = matches!(evidence.turn, TurnEnd::Failed { .. } | TurnEnd::TimedOut(_));
        self.agent_errors = match (failed, moved) {
            (false, _) | (true, Moved::Yes) => 0,
            (true, Moved::No | Moved::NobodyLooked) => self.agent_errors + 1,
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

/// Whether the required gates could be run at all. What a gate that could not
/// run no longer reports has not been fixed.
pub(crate) fn sees_all_required(evidence: &Evidence) -> bool {
    evidence.gates.iter().filter(|gate| !gate.is_judge()).all(|gate| match gate.verdict {
        Verdict::Pass | Verdict::Fail(_) => true,
        Verdict::Unclear { .. } | Verdict::Unknown { .. } => gate.need == Need::Advisory,
    })
}

/// What became of the tree since it was looked at last.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Moved {
    Yes,
    No,
    NobodyLooked,
}

fn count(failing: &BTreeSet<String>) -> u32 {
    u32::try_from(failing.len()).unwrap_or(u32::MAX)
}

/// FNV-1a over the trimmed text: stable across versions, good enough to tell replies apart.
fn digest(text: &str) -> u64 {
    text.trim().bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
#[path = "progress_tests.rs"]
mod tests;
