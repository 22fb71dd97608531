//! What the agent is told before its next turn: short, concrete, in order of use.

use crate::claim::{Claim, Reason};
use crate::evidence::{Evidence, Timeout, TurnEnd, Verdict, Weakening};
use crate::policy::{Policy, Trust};
use crate::progress::Progress;
use crate::question;
use crate::run::Run;

/// How much of a gate's output is repeated to the agent.
const TAIL_CHARS: usize = 3000;

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
}

impl Standing {
    /// How much better than at the start, in percent; negative when worse.
    pub fn improvement(self) -> i64 {
        let (now, before) = (i64::from(self.failing), i64::from(self.initially));
        if before == 0 { if now == 0 { 100 } else { -100 } } else { (before - now) * 100 / before }
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
    /// It nearly said it was done.
    NearMiss(Reason),
    /// It did not say that it is done.
    NoClaim,
    /// Every required gate passes, only the claim is missing.
    OnlyClaimMissing,
    /// A gate does not pass.
    Gate {
        /// Its name.
        name: String,
        /// Its command.
        command: String,
        /// What it came to.
        verdict: Verdict,
        /// The end of its output.
        tail: String,
    },
    /// A check was made weaker, which blocks success.
    Weakened(Weakening),
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
    Circle,
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
        points.extend(gate_points(evidence));
        points.extend(evidence.weakened.iter().cloned().map(Point::Weakened));
        points.extend(progress_points(policy, progress));
        let initially = run.baseline.as_ref().map_or(0, |baseline| baseline.failing.len());
        let standing = (!policy.gates.is_empty()).then(|| Standing {
            failing: count(evidence.failing().len()),
            initially: count(initially),
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
    let blocking: Vec<String> =
        evidence.gates.iter().filter(|gate| gate.blocks()).map(|gate| gate.name.clone()).collect();
    match claim {
        Claim::Made(_) if !blocking.is_empty() => vec![Point::ClaimRejected { gates: blocking }],
        Claim::NearMiss(reason) => vec![Point::NearMiss(reason.clone())],
        Claim::None if policy.trust == Trust::Claim => vec![Point::NoClaim],
        Claim::None if blocking.is_empty() && evidence.weakened.is_empty() => {
            vec![Point::OnlyClaimMissing]
        }
        Claim::Made(_) | Claim::None => Vec::new(),
    }
}

/// The gates that do not pass; those that success depends on come first.
fn gate_points(evidence: &Evidence) -> impl Iterator<Item = Point> {
    let blocking = evidence.gates.iter().filter(|gate| gate.blocks());
    let others = evidence.gates.iter().filter(|gate| !gate.passed() && !gate.blocks());
    blocking.chain(others).map(|gate| Point::Gate {
        name: gate.name.clone(),
        command: gate.command.clone(),
        verdict: gate.verdict.clone(),
        tail: last_chars(&gate.tail, TAIL_CHARS).to_owned(),
    })
}

fn progress_points(policy: &Policy, progress: &Progress) -> Vec<Point> {
    let mut points = Vec::new();
    if policy.gates.is_empty() || progress.stalled == 0 {
        return points;
    }
    if progress.returns > 0 {
        points.push(Point::Circle);
    }
    points.push(Point::Stalled { iterations: progress.stalled, limit: policy.limits.stalled });
    points
}

fn pace(run: &Run, policy: &Policy, evidence: &Evidence) -> Pace {
    let limits = &policy.limits;
    let usage = run.usage + evidence.usage.unwrap_or_default();
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
