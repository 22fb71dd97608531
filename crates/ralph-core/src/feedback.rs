//! What the agent is told before its next turn: short, concrete, in order of use.

mod gate;

use std::collections::BTreeSet;

pub use gate::{FailedTest, GateNews, Problem, Since};

use crate::circle::Circle;
use crate::claim::{Claim, Reason};
use crate::diagnostics::{self, Totals};
use crate::evidence::{Evidence, Timeout, TurnEnd, Weakening};
use crate::policy::{Policy, Trust};
use crate::progress::{Progress, sees_all_required};
use crate::question;
use crate::run::Run;

/// A share of a limit, in percent, after which the agent is told to wrap up.
const WRAP_UP_PERCENT: u128 = 85;

/// What the agent is told before its next turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Feedback {
    /// The number of the turn to come.
    pub iteration: u32,
    /// The last number allowed.
    pub max_iterations: u32,
    /// Where the gates stand; `None` without gates.
    pub standing: Option<Standing>,
    /// Why the work does not count as done.
    pub verdict: TurnVerdict,
    /// What changed since the last turn, where that is known.
    pub change: Option<FailureChange>,
    /// The gates that do not pass; those that success depends on come first.
    pub gates: Vec<GateNews>,
    /// Changes of tests and checks that block success.
    pub held: Vec<Weakening>,
    /// The one thing to know about the turn itself, most telling first.
    pub remark: Option<TurnRemark>,
    /// Whether the next turn is likely the last.
    pub pace: Pace,
}

/// Where the gates stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// How many things fail now.
    pub failing: u32,
    /// How many failed before the first turn.
    pub initially: u32,
    /// How many required gates have no result.
    pub not_run: u32,
    /// What the gates count now.
    pub now: Totals,
    /// What they counted before the first turn.
    pub start: Totals,
}

impl Standing {
    /// How a run stands after gates that showed this many failures and counts.
    pub fn new(run: &Run, failing: usize, now: Totals) -> Self {
        let start = run.baseline.as_ref();
        Self {
            failing: count(failing),
            initially: count(start.map_or(0, |start| start.failing.len())),
            not_run: 0,
            now,
            start: start.map(|start| start.totals).unwrap_or_default(),
        }
    }

    /// Whether anything was ever counted, or the gates only passed and failed.
    pub fn is_counted(self) -> bool {
        self.now.is_counted() || self.start.is_counted()
    }

    /// How much better than at the start, in percent; negative when worse.
    pub fn improvement(self) -> i64 {
        if self.is_counted() {
            return self.now.improvement(self.start);
        }
        diagnostics::improvement(self.failing.into(), self.initially.into())
    }
}

/// Whether there is room for more turns after the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Go on as usual.
    Steady,
    /// The next turn is likely the last: leave things in good order.
    WrapUp,
}

/// Why the work does not count as done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TurnVerdict {
    /// These gates do not pass.
    Failing(Vec<String>),
    /// No gate fails, but these have no result.
    NoResult(Vec<String>),
    /// The gates pass, but changes of tests or checks are held.
    Held,
    /// The agent nearly said that it is done.
    NearMiss(Reason),
    /// Its word is all that counts, and it did not say that it is done.
    NoClaim,
    /// Every required gate passes, only the claim is missing.
    OnlyClaimMissing,
    /// It said so in a turn that did not end in good order.
    Unfinished,
}

/// What changed since the last turn, in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailureChange {
    /// What failed then and does not now.
    pub fixed: u32,
    /// What fails now and did not then.
    pub new: u32,
}

/// One thing to know about the turn that ended.
#[derive(Clone, Debug, PartialEq)]
pub enum TurnRemark {
    /// It was ended because it took too long.
    TimedOut(Timeout),
    /// The agent ended with an error.
    Failed {
        /// What happened.
        what: String,
    },
    /// The agent asked a question that no one will answer.
    Asked {
        /// The question.
        question: String,
    },
    /// The tree is one that an earlier turn had already produced.
    Circle(Circle),
    /// Nothing has moved for a while.
    Stalled {
        /// For how many turns.
        turns: u32,
        /// After how many the run ends.
        limit: u32,
    },
}

impl Feedback {
    /// Collects what the agent should know after this turn.
    pub fn gather(
        run: &Run,
        policy: &Policy,
        evidence: &Evidence,
        claim: &Claim,
        progress: &Progress,
    ) -> Self {
        let now = Totals::of(&evidence.gates);
        let not_run = unproven(evidence).len();
        let standing = policy.measures().then(|| Standing {
            not_run: count(not_run),
            ..Standing::new(run, evidence.shown_failing().len(), now)
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

/// The one thing to know about a turn. Where the agent has to be told how to say
/// that it is done, nothing else matters.
fn remark(
    policy: &Policy,
    evidence: &Evidence,
    progress: &Progress,
    verdict: &TurnVerdict,
    pace: Pace,
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
    if !policy.measures() || progress.stalled == 0 || pace == Pace::WrapUp {
        return None;
    }
    let stalled = TurnRemark::Stalled { turns: progress.stalled, limit: policy.limits.stalled };
    Some(progress.circle.map_or(stalled, TurnRemark::Circle))
}

/// The gates that success depends on and that have no result.
fn unproven(evidence: &Evidence) -> Vec<String> {
    let unproven = evidence.gates.iter().filter(|gate| gate.blocks() && !gate.has_result());
    unproven.map(|gate| gate.name.clone()).collect()
}

/// What changed since the last turn. Where only exit codes are known the gates
/// say it all, and where a gate could not run nothing is known.
fn change(run: &Run, evidence: &Evidence, progress: &Progress) -> Option<FailureChange> {
    if !Totals::of(&evidence.gates).is_counted() || !sees_all_required(evidence) {
        return None;
    }
    let steady = |prints: &BTreeSet<String>| -> BTreeSet<String> {
        prints.difference(&progress.flaky).cloned().collect()
    };
    let (before, now) = (steady(&run.progress.failing), steady(&evidence.measured_failing()));
    Some(FailureChange {
        fixed: count(before.difference(&now).count()),
        new: count(now.difference(&before).count()),
    })
}

fn gates(run: &Run, evidence: &Evidence, progress: &Progress) -> Vec<GateNews> {
    let blocking = evidence.gates.iter().filter(|gate| gate.blocks());
    let others = evidence.gates.iter().filter(|gate| !gate.passed() && !gate.blocks());
    let past = gate::Past {
        failing: &run.progress.failing,
        broken: &evidence.broken,
        flaky: &progress.flaky,
    };
    blocking.chain(others).map(|gate| GateNews::of(gate, &past)).collect()
}

fn pace(run: &Run, policy: &Policy, evidence: &Evidence) -> Pace {
    let limits = &policy.limits;
    let usage = run.usage + evidence.spent();
    let nearly = |used: u128, most: u128| used * 100 >= most * WRAP_UP_PERCENT;
    let last = run.iteration + 1 >= limits.iterations
        || nearly(run.worked(evidence.now).as_millis(), limits.duration.as_millis())
        || limits.tokens.is_some_and(|most| nearly(usage.tokens().into(), most.into()))
        || limits.cost.is_some_and(|most| nearly(usage.cost.micros().into(), most.micros().into()));
    if last { Pace::WrapUp } else { Pace::Steady }
}

/// The last `most` characters of `text`, cut at a character's edge.
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
