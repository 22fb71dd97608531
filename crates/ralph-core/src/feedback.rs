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

/// How many weakened checks are named one by one.
const WEAKENED: usize = 8;

/// What the agent is told before its next turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Feedback {
    /// The number of the turn to come.
    pub iteration: u32,
    /// The last number allowed.
    pub max_iterations: u32,
    /// Where the gates stand; `None` without gates.
    pub standing: Option<Standing>,
    /// What to know, most important first.
    pub points: Vec<Point>,
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

/// One thing the agent should know.
#[derive(Clone, Debug, PartialEq)]
pub enum Point {
    /// It said it was done, but these gates do not pass.
    ClaimRejected {
        /// The gates that stand against it.
        gates: Vec<String>,
    },
    /// It said it was done and no check disagrees, but these gates have
    /// no result.
    ClaimUnproven {
        /// The gates without a result.
        gates: Vec<String>,
    },
    /// It nearly said it was done.
    NearMiss(Reason),
    /// It did not say that it is done.
    NoClaim,
    /// Every required gate passes, only the claim is missing.
    OnlyClaimMissing,
    /// What changed since the last iteration.
    Change {
        /// What failed then and does not now.
        fixed: u32,
        /// What fails now and did not then.
        new: u32,
        /// What failed then and still does.
        still: u32,
    },
    /// A gate does not pass.
    Gate(GateNews),
    /// A check was made weaker, which blocks success.
    Weakened(Weakening),
    /// More checks were made weaker than are named.
    MoreWeakened {
        /// How many more.
        count: u32,
    },
    /// The turn was ended because it took too long.
    TimedOut(Timeout),
    /// The agent ended with an error.
    AgentFailed {
        /// What happened.
        what: String,
    },
    /// The agent asked a question that nobody will answer.
    Asked {
        /// The question.
        question: String,
    },
    /// The tree is one that an earlier turn had already produced.
    Circle(Circle),
    /// Nothing has moved for a while.
    Stalled {
        /// For how many iterations.
        iterations: u32,
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
        let mut points = turn_points(evidence);
        points.extend(claim_points(policy, evidence, claim));
        points.extend(change(run, evidence, progress));
        points.extend(gate_points(run, evidence, progress));
        points.extend(weakened_points(evidence));
        points.extend(progress_points(policy, progress));
        let now = Totals::of(&evidence.gates);
        let not_run = unproven(evidence).len();
        let standing = policy.measures().then(|| Standing {
            not_run: count(not_run),
            ..Standing::new(run, evidence.shown_failing().len(), now)
        });
        Self {
            iteration: run.iteration + 1,
            max_iterations: policy.limits.iterations,
            standing,
            points,
            pace: pace(run, policy, evidence),
        }
    }
}

fn turn_points(evidence: &Evidence) -> Vec<Point> {
    let mut points = Vec::new();
    match &evidence.turn {
        TurnEnd::TimedOut(timeout) => points.push(Point::TimedOut(*timeout)),
        TurnEnd::Failed { what } => points.push(Point::AgentFailed { what: what.clone() }),
        TurnEnd::Finished
        | TurnEnd::UserAbort
        | TurnEnd::ProviderLimit { .. }
        | TurnEnd::HumanAsked { .. }
        | TurnEnd::ChildrenRunning
        | TurnEnd::WorkTreeGone => {}
    }
    if let Some(question) = question::asks(&evidence.text) {
        points.push(Point::Asked { question });
    }
    points
}

fn claim_points(policy: &Policy, evidence: &Evidence, claim: &Claim) -> Vec<Point> {
    let red: Vec<String> =
        evidence.gates.iter().filter(|gate| gate.is_red()).map(|gate| gate.name.clone()).collect();
    let unproven = unproven(evidence);
    let all_pass = red.is_empty() && unproven.is_empty() && evidence.weakened.is_empty();
    match claim {
        Claim::Made(_) if !red.is_empty() => vec![Point::ClaimRejected { gates: red }],
        Claim::Made(_) if !unproven.is_empty() => vec![Point::ClaimUnproven { gates: unproven }],
        Claim::NearMiss(reason) => vec![Point::NearMiss(reason.clone())],
        Claim::None if policy.trust == Trust::Claim => vec![Point::NoClaim],
        Claim::None if all_pass => vec![Point::OnlyClaimMissing],
        Claim::Made(_) | Claim::None => Vec::new(),
    }
}

/// The gates that success depends on and that have no result.
fn unproven(evidence: &Evidence) -> Vec<String> {
    let unproven = evidence.gates.iter().filter(|gate| gate.blocks() && !gate.has_result());
    unproven.map(|gate| gate.name.clone()).collect()
}

/// What changed since the last iteration. Where only exit codes are known the
/// gates say it all, and where a gate could not run nothing is known.
fn change(run: &Run, evidence: &Evidence, progress: &Progress) -> Option<Point> {
    if !Totals::of(&evidence.gates).is_counted() || !sees_all_required(evidence) {
        return None;
    }
    let steady = |prints: &BTreeSet<String>| -> BTreeSet<String> {
        prints.difference(&progress.flaky).cloned().collect()
    };
    let (before, now) = (steady(&run.progress.failing), steady(&evidence.measured_failing()));
    let still = now.intersection(&before).count();
    let (fixed, new) = (before.len() - still, now.len() - still);
    (fixed + new + still > 0).then(|| Point::Change {
        fixed: count(fixed),
        new: count(new),
        still: count(still),
    })
}

/// The gates that do not pass; those that success depends on come first.
fn gate_points(run: &Run, evidence: &Evidence, progress: &Progress) -> impl Iterator<Item = Point> {
    let blocking = evidence.gates.iter().filter(|gate| gate.blocks());
    let others = evidence.gates.iter().filter(|gate| !gate.passed() && !gate.blocks());
    blocking.chain(others).map(|gate| {
        let past = gate::Past {
            failing: &run.progress.failing,
            broken: &evidence.broken,
            flaky: &progress.flaky,
        };
        Point::Gate(GateNews::of(gate, &past))
    })
}

fn weakened_points(evidence: &Evidence) -> impl Iterator<Item = Point> {
    let named = evidence.weakened.iter().take(WEAKENED).cloned().map(Point::Weakened);
    let more = evidence.weakened.len().saturating_sub(WEAKENED);
    named.chain((more > 0).then(|| Point::MoreWeakened { count: count(more) }))
}

fn progress_points(policy: &Policy, progress: &Progress) -> Vec<Point> {
    let mut points = Vec::new();
    if !policy.measures() || progress.stalled == 0 {
        return points;
    }
    points.extend(progress.circle.map(Point::Circle));
    points.push(Point::Stalled { iterations: progress.stalled, limit: policy.limits.stalled });
    points
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
