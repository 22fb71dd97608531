//! The feedback to the agent before its next turn: short, concrete, in order of use.

mod gate;

use std::collections::BTreeSet;

pub use gate::{FailedTest, FailingSince, GateFeedback, ReportedFinding};

use crate::circle::Circle;
use crate::claim::{Claim, NearMissReason};
use crate::diagnostics::{self, GateTotals};
use crate::evidence::{Evidence, TurnEnd, TurnTimeout, WeakenedCheck, is_absent};
use crate::policy::{Policy, Trust};
use crate::progress::{Progress, sees_all_required};
use crate::question;
use crate::run::Run;

/// Used share of a limit, in percent, at which the agent is told to wrap up.
const WRAP_UP_PERCENT: u128 = 85;

/// The feedback to the agent before its next turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Feedback {
    /// Number of the coming turn.
    pub iteration: u32,
    /// Highest number allowed.
    pub max_iterations: u32,
    /// Counts of failures now and at the start; `None` without gates.
    pub standing: Option<FailureCounts>,
    /// The reason why the work does not count as done.
    pub verdict: TurnVerdict,
    /// Change since the last turn, if known.
    pub change: Option<FailureChange>,
    /// The gates that do not pass; required ones come first.
    pub gates: Vec<GateFeedback>,
    /// Changes of tests and checks that block success.
    pub held: Vec<WeakenedCheck>,
    /// The most important remark about the turn itself.
    pub remark: Option<TurnRemark>,
    /// The hint whether the next turn is likely the last.
    pub pace: WrapUpHint,
}

/// The counts of the gates now and at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailureCounts {
    /// Number of failures now.
    pub failing: u32,
    /// Number of failures before the first turn.
    pub initially: u32,
    /// Number of required gates without a result.
    pub not_run: u32,
    /// Totals now.
    pub now: GateTotals,
    /// Totals before the first turn.
    pub start: GateTotals,
}

impl FailureCounts {
    /// Compares these failures and totals with the run's baseline.
    pub fn new(run: &Run, failing: usize, now: GateTotals) -> Self {
        let start = run.baseline.as_ref();
        Self {
            failing: count(failing),
            initially: count(start.map_or(0, |start| start.failing.len())),
            not_run: 0,
            now,
            start: start.map(|start| start.totals).unwrap_or_default(),
        }
    }

    /// Returns true if findings or tests were counted, now or at the start.
    pub fn is_counted(self) -> bool {
        self.now.is_counted() || self.start.is_counted()
    }

    /// Returns the improvement since the start in percent; negative if it got worse.
    pub fn improvement(self) -> i64 {
        if self.is_counted() {
            return self.now.improvement(self.start);
        }
        diagnostics::improvement(self.failing.into(), self.initially.into())
    }
}

/// The hint whether there is room for more turns after the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrapUpHint {
    /// Continue as usual.
    Steady,
    /// The next turn is likely the last: leave things in good order.
    WrapUp,
}

/// The reason why the work does not count as done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TurnVerdict {
    /// These gates do not pass.
    Failing(Vec<String>),
    /// No gate fails, but these have no result.
    NoResult(Vec<String>),
    /// The gates pass, but weakened tests or checks block success.
    Held,
    /// The agent's claim is only a near miss.
    NearMiss(NearMissReason),
    /// Only the agent's claim counts, and there is none.
    NoClaim,
    /// Every required gate passes; only the claim is missing.
    OnlyClaimMissing,
    /// The claim was made in a turn that did not end normally.
    Unfinished,
}

/// The change since the last turn, in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailureChange {
    /// Number of failures that disappeared.
    pub fixed: u32,
    /// Number of new failures.
    pub new: u32,
}

/// A remark about the turn that ended.
#[derive(Clone, Debug, PartialEq)]
pub enum TurnRemark {
    /// The turn was ended because it took too long.
    TimedOut(TurnTimeout),
    /// The agent ended with an error.
    Failed {
        /// The error.
        what: String,
    },
    /// The agent asked a question that no one will answer.
    Asked {
        /// The question.
        question: String,
    },
    /// The tree is the same as after an earlier turn.
    Circle(Circle),
    /// There was no progress for some turns.
    Stalled {
        /// Number of turns without progress.
        turns: u32,
        /// Number of such turns that ends the run.
        limit: u32,
    },
}

impl Feedback {
    /// Collects the feedback for the turn after this one.
    pub fn gather(
        run: &Run,
        policy: &Policy,
        evidence: &Evidence,
        claim: &Claim,
        progress: &Progress,
    ) -> Self {
        let now = GateTotals::of(&evidence.gates);
        let not_run = unproven(evidence).len();
        let standing = policy.measures().then(|| FailureCounts {
            not_run: count(not_run),
            ..FailureCounts::new(run, evidence.shown_failing().len(), now)
        });
        let verdict = verdict(policy, evidence, claim);
        let pace = pace(run, policy, evidence);
        Self {
            iteration: run.iteration + 1,
            max_iterations: policy.limits.iterations,
            standing,
            change: change(run, evidence, progress),
            gates: gates(run, evidence, progress),
            held: evidence.weakened.clone(),
            remark: remark(policy, evidence, progress, &verdict, pace),
            verdict,
            pace,
        }
    }
}

fn verdict(policy: &Policy, evidence: &Evidence, claim: &Claim) -> TurnVerdict {
    let is_claim_judged = policy.trust == Trust::Claim;
    let red = evidence.gates.iter().filter(|gate| gate.is_red() && !is_claim_judged);
    let red: Vec<String> = red.map(|gate| gate.name.clone()).collect();
    let unproven = unproven(evidence);
    match claim {
        _ if !red.is_empty() => TurnVerdict::Failing(red),
        _ if !unproven.is_empty() && !is_claim_judged => TurnVerdict::NoResult(unproven),
        _ if !evidence.weakened.is_empty() && !is_claim_judged => TurnVerdict::Held,
        Claim::NearMiss(reason) if evidence.turn == TurnEnd::Finished => {
            TurnVerdict::NearMiss(reason.clone())
        }
        Claim::NearMiss(_) | Claim::None if is_claim_judged => TurnVerdict::NoClaim,
        Claim::NearMiss(_) | Claim::None => TurnVerdict::OnlyClaimMissing,
        Claim::Made(_) => TurnVerdict::Unfinished,
    }
}

/// Selects the remark about a turn. After a near miss there is none: the agent only
/// has to learn how to make its claim.
fn remark(
    policy: &Policy,
    evidence: &Evidence,
    progress: &Progress,
    verdict: &TurnVerdict,
    pace: WrapUpHint,
) -> Option<TurnRemark> {
    match &evidence.turn {
        TurnEnd::TimedOut(timeout) => return Some(TurnRemark::TimedOut(*timeout)),
        TurnEnd::Failed { what } => return Some(TurnRemark::Failed { what: what.clone() }),
        TurnEnd::Finished
        | TurnEnd::UserAbort
        | TurnEnd::ProviderLimit { .. }
        | TurnEnd::HumanAsked { .. }
        | TurnEnd::ChildrenRunning
        | TurnEnd::WorkTreeGone { .. } => {}
    }
    if matches!(verdict, TurnVerdict::NearMiss(_)) {
        return None;
    }
    if let Some(question) = question::asks(&evidence.text) {
        return Some(TurnRemark::Asked { question });
    }
    if !policy.measures() || progress.stalled == 0 || pace == WrapUpHint::WrapUp {
        return None;
    }
    let stalled = TurnRemark::Stalled { turns: progress.stalled, limit: policy.limits.stalled };
    Some(progress.circle.map_or(stalled, TurnRemark::Circle))
}

/// Returns the names of required gates without a result.
fn unproven(evidence: &Evidence) -> Vec<String> {
    let unproven = evidence.gates.iter().filter(|gate| gate.blocks() && !gate.has_result());
    unproven.map(|gate| gate.name.clone()).collect()
}

/// Counts the failures that appeared and disappeared since the last turn. `None` if
/// only exit codes are known, or if a required gate could not run.
fn change(run: &Run, evidence: &Evidence, progress: &Progress) -> Option<FailureChange> {
    if !GateTotals::of(&evidence.gates).is_counted() || !sees_all_required(evidence) {
        return None;
    }
    let steady = |prints: &BTreeSet<String>| -> BTreeSet<String> {
        prints.difference(&progress.flaky).cloned().collect()
    };
    let (before, now) = (steady(&run.progress.failing), steady(&evidence.measured_failing()));
    let gone = |from: &BTreeSet<String>, to| from.iter().filter(|one| is_absent(one, to)).count();
    Some(FailureChange { fixed: count(gone(&before, &now)), new: count(gone(&now, &before)) })
}

fn gates(run: &Run, evidence: &Evidence, progress: &Progress) -> Vec<GateFeedback> {
    let blocking = evidence.gates.iter().filter(|gate| gate.blocks());
    let others = evidence.gates.iter().filter(|gate| !gate.passed() && !gate.blocks());
    let past = gate::PastFailures {
        failing: &run.progress.failing,
        broken: &evidence.broken,
        flaky: &progress.flaky,
    };
    blocking.chain(others).map(|gate| GateFeedback::of(gate, &past)).collect()
}

fn pace(run: &Run, policy: &Policy, evidence: &Evidence) -> WrapUpHint {
    let limits = &policy.limits;
    let usage = run.usage + evidence.spent();
    let nearly = |used: u128, most: u128| used * 100 >= most * WRAP_UP_PERCENT;
    let last = run.iteration + 1 >= limits.iterations
        || nearly(run.worked(evidence.now).as_millis(), limits.duration.as_millis())
        || limits.tokens.is_some_and(|most| nearly(usage.tokens().into(), most.into()))
        || limits.cost.is_some_and(|most| nearly(usage.cost.micros().into(), most.micros().into()));
    if last { WrapUpHint::WrapUp } else { WrapUpHint::Steady }
}

/// Returns the last `most` characters of `text`.
pub fn last_chars(text: &str, most: usize) -> &str {
    match text.char_indices().rev().nth(most.saturating_sub(1)) {
        Some((start, _)) if most > 0 => &text[start..],
        Some(_) => "",
        None => text,
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
#[path = "feedback_tests.rs"]
mod tests;
