//! The decision after a turn: one pure function.
//!
//! The order is a promise of the product: the end of the turn first, then
//! completion, then progress, then limits; otherwise the run continues. Evidence
//! outranks limits, so success on the last allowed iteration is success.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::time::Duration;

use crate::claim::{self, Claim};
use crate::evidence::{Evidence, GateReport, TurnEnd};
use crate::feedback::Feedback;
use crate::finding::ToolReport;
use crate::limits::RunUsage;
use crate::policy::{Criterion, GateImportance, GateSpec, Policy, RuleEdition, Trust};
use crate::progress::{Progress, ProgressSignals};
use crate::question;
use crate::run::Run;
use crate::state::{PauseReason, Proof, RunFailure, WaitReason};
use crate::time::{Timestamp, render_span};
use crate::wording;

/// Number of agent failures in a row, without a change of the tree, that ends a run.
const AGENT_ERRORS: u32 = 3;

/// Number of questions in a row, without progress, after which a person has to answer.
const QUESTIONS: u32 = 2;

/// The first wait if a provider does not say how long its limit lasts.
const FIRST_BACKOFF: Duration = Duration::from_mins(1);

/// The longest such wait.
const LONGEST_BACKOFF: Duration = Duration::from_mins(30);

/// The next step of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// The agent gets another turn with this feedback.
    Continue(Box<Feedback>),
    /// The work is done.
    Complete(Proof),
    /// The run waits for something outside.
    Wait(WaitReason),
    /// The run stops being active but can be resumed.
    Pause(PauseReason),
    /// Going on is pointless or not allowed.
    GiveUp(RunFailure),
}

/// A decision, with the progress and the claim it rests on.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnJudgement {
    /// The next step.
    pub decision: Decision,
    /// The progress after this turn.
    pub progress: Progress,
    /// The claim in the final text.
    pub claim: Claim,
}

/// Decides the next step after a turn.
///
/// `run.iteration` is the number of the turn that just ended.
pub fn decide(run: &Run, policy: &Policy, evidence: &Evidence) -> TurnJudgement {
    let signals = if policy.measures() { ProgressSignals::Gated } else { ProgressSignals::Ungated };
    let evidence = &*with_missing_reports(policy, evidence);
    let mut progress = run.progress.after(evidence, run.iteration, signals);
    let claim = valid_claim(policy, evidence);
    progress.held = held(run, policy, evidence);
    progress.accepted = evidence.accepts_changes;
    let decision = None
        .or_else(|| interruption(run, policy, evidence, &progress))
        .or_else(|| completion(run, policy, evidence, &claim))
        .or_else(|| standing_hold(run, evidence, &progress))
        .or_else(|| broken_agent(evidence, &progress))
        .or_else(|| repeated_question(evidence, &progress))
        .or_else(|| stagnation(policy, &progress))
        .or_else(|| unmeasured_budget(policy, evidence))
        .or_else(|| limit(run, policy, evidence))
        .unwrap_or_else(|| {
            let told = Feedback::gather(run, policy, evidence, &claim, &progress);
            Decision::Continue(Box::new(told))
        });
    TurnJudgement { decision, progress, claim }
}

/// Returns true if only the verdict of a judge is missing to complete the run.
/// Before the first turn there is nothing to judge.
pub fn awaits_judge(run: &Run, policy: &Policy, evidence: &Evidence) -> bool {
    if policy.trust == Trust::Claim {
        return false;
    }
    with_agreement(run, policy, evidence).is_some_and(|agreed| {
        matches!(decide(run, policy, &agreed).decision, Decision::Complete(_))
    })
}

/// Returns true if the run would be given up for lack of progress. A judge is then
/// asked for its opinion first.
pub fn awaits_opinion(run: &Run, policy: &Policy, evidence: &Evidence) -> bool {
    let decided = decide(run, policy, evidence).decision;
    policy.gates.iter().any(GateSpec::is_judge)
        && matches!(decided, Decision::GiveUp(RunFailure::NoProgress | RunFailure::Circular(_)))
}

/// Returns the evidence as it would be if every judge not yet asked agreed; `None`
/// if there is no such judge.
fn with_agreement(run: &Run, policy: &Policy, evidence: &Evidence) -> Option<Evidence> {
    let is_silent = |gate: &&GateSpec| {
        gate.is_judge() && evidence.gates.iter().all(|report| report.name != gate.name)
    };
    let silent: Vec<&GateSpec> = policy.gates.iter().filter(is_silent).collect();
    if silent.is_empty() || run.iteration == 0 {
        return None;
    }
    let yes = |gate: &GateSpec| GateReport::remembered(gate, ToolReport::default());
    let mut agreed = evidence.clone();
    agreed.gates.extend(silent.into_iter().map(yes));
    Some(agreed)
}

/// Adds an unknown verdict for every required gate without a report, so that a
/// missing report is neither a pass nor a fix. Judges are left out: they were not
/// asked.
fn with_missing_reports<'a>(policy: &Policy, evidence: &'a Evidence) -> Cow<'a, Evidence> {
    let missing: Vec<GateReport> = policy
        .gates
        .iter()
        .filter(|gate| gate.need == GateImportance::Required && !gate.is_judge())
        .filter(|gate| evidence.gates.iter().all(|report| report.name != gate.name))
        .map(|gate| GateReport::unknown(gate, "it did not run".to_owned()))
        .collect();
    if missing.is_empty() {
        return Cow::Borrowed(evidence);
    }
    let mut evidence = evidence.clone();
    evidence.gates.extend(missing);
    Cow::Owned(evidence)
}

/// Returns the claim, which counts only if the agent ended its turn normally.
fn valid_claim(policy: &Policy, evidence: &Evidence) -> Claim {
    match evidence.turn {
        TurnEnd::Finished => claim::detect(&evidence.text, &policy.claim),
        TurnEnd::UserAbort
        | TurnEnd::ProviderLimit { .. }
        | TurnEnd::HumanAsked { .. }
        | TurnEnd::ChildrenRunning
        | TurnEnd::Failed { .. }
        | TurnEnd::TimedOut(_)
        | TurnEnd::WorkTreeGone { .. } => Claim::None,
    }
}

/// Decides on turns that something other than the agent ended.
fn interruption(
    run: &Run,
    policy: &Policy,
    evidence: &Evidence,
    progress: &Progress,
) -> Option<Decision> {
    match &evidence.turn {
        TurnEnd::UserAbort => Some(Decision::Pause(PauseReason::Aborted)),
        TurnEnd::ProviderLimit { until } => {
            Some(wait_for_provider(run, policy, *until, evidence.now, progress.limit_hits))
        }
        TurnEnd::HumanAsked { question } => {
            Some(Decision::Wait(WaitReason::Human { question: question.clone() }))
        }
        TurnEnd::ChildrenRunning => Some(Decision::Wait(WaitReason::Child)),
        TurnEnd::WorkTreeGone { folder } => {
            Some(Decision::GiveUp(RunFailure::FolderGone { folder: folder.clone() }))
        }
        TurnEnd::Finished | TurnEnd::Failed { .. } | TurnEnd::TimedOut(_) => None,
    }
}

fn wait_for_provider(
    run: &Run,
    policy: &Policy,
    said: Option<Timestamp>,
    now: Timestamp,
    hits: u32,
) -> Decision {
    let until = match said {
        None => now.plus(backoff(hits)),
        // A provider may refuse again at the very time it named. Each repeat waits
        // longer: waiting costs no iteration, so nothing else would end such a run.
        Some(until) => until.max(now.plus(backoff(hits.saturating_sub(1)))),
    };
    if run.waited.saturating_add(until.since(now)) > policy.limits.waiting {
        let most = render_span(policy.limits.waiting);
        return Decision::GiveUp(RunFailure::AgentError {
            what: format!("the provider's limit does not lift within {most} of waiting"),
        });
    }
    Decision::Wait(WaitReason::Limit { until })
}

/// Returns the wait after this many refusals in a row.
fn backoff(hits: u32) -> Duration {
    let Some(doublings) = hits.checked_sub(1) else { return Duration::ZERO };
    FIRST_BACKOFF.saturating_mul(1 << doublings.min(10)).min(LONGEST_BACKOFF)
}

/// Completes the run if the work is done.
///
/// Gates that passed before the first turn cannot show that the task is done. The
/// agent's claim then decides, and the proof is called `claimed`.
fn completion(run: &Run, policy: &Policy, evidence: &Evidence, claim: &Claim) -> Option<Decision> {
    let proof = match (done(run, policy, evidence, claim)?, policy.trust) {
        (proof, _) if evidence.weakened.is_empty() => proof,
        (_, Trust::Claim) => Proof::Claimed,
        (_, Trust::Evidence) => return None,
    };
    Some(Decision::Complete(proof))
}

/// Returns the proof that the work is done, ignoring weakened tests and checks.
fn done(run: &Run, policy: &Policy, evidence: &Evidence, claim: &Claim) -> Option<Proof> {
    let claimed = matches!(claim, Claim::Made(_));
    let green = policy.has_required_gate() && all_required_pass(policy, evidence);
    let proven = green && is_proven(run, evidence);
    let proof = if proven { Proof::Verified } else { Proof::Claimed };
    let is_done = match policy.trust {
        Trust::Claim => claimed,
        Trust::Evidence => green && (claimed || (proven && turned_green(run))),
    };
    is_done.then_some(proof)
}

/// Returns true if the turn would complete the run but for weakened tests and
/// checks, or for a judge not yet asked.
pub fn is_otherwise_done(run: &Run, policy: &Policy, evidence: &Evidence) -> bool {
    let agreed = with_agreement(run, policy, evidence);
    let evidence = agreed.as_ref().unwrap_or(evidence);
    let claim = valid_claim(policy, evidence);
    evidence.turn == TurnEnd::Finished
        && policy.trust == Trust::Evidence
        && done(run, policy, evidence, &claim).is_some()
}

/// Returns the weakenings if nothing else keeps this turn from completing the run.
fn held(run: &Run, policy: &Policy, evidence: &Evidence) -> BTreeSet<String> {
    if evidence.weakened.is_empty() || !is_otherwise_done(run, policy, evidence) {
        return BTreeSet::new();
    }
    let held = evidence.weakened.iter().map(|held| format!("{} {}", held.place, held.what));
    held.chain(evidence.weakened_state.clone()).collect()
}

/// Asks the user if the agent was told about weakenings and changed none of them:
/// it may have a reason.
fn standing_hold(run: &Run, evidence: &Evidence, progress: &Progress) -> Option<Decision> {
    let told = &run.progress.held;
    if told.is_empty() || !told.is_subset(&progress.held) {
        return None;
    }
    let question = wording::held_question(run, &evidence.weakened);
    Some(Decision::Wait(WaitReason::Human { question }))
}

/// Returns true if passing gates prove the work of this run: files changed, and a
/// failure became a pass or a judge agreed.
fn is_proven(run: &Run, evidence: &Evidence) -> bool {
    match run.policy.edition {
        RuleEdition::First => return true,
        RuleEdition::Second => {}
    }
    let Some(baseline) = &run.baseline else { return false };
    let is_changed = evidence.tree.is_none() || evidence.tree != baseline.tree;
    let is_judged = evidence.gates.iter().any(|gate| gate.is_judge() && gate.passed());
    let bites = !evidence.biting.is_empty();
    let mends = || turned_green(run) || evidence.mends_any(&baseline.failing);
    let is_told = !evidence.forgets_failure && !is_luck(run, evidence);
    is_changed && (is_judged || bites || (is_told && mends()))
}

/// Returns true if a failure disappeared although the files are the same as in the
/// turn before: it may fail again.
pub fn is_luck(run: &Run, evidence: &Evidence) -> bool {
    let progress = &run.progress;
    // With weakened checks the gates passed, and that is not counted as fixed.
    let is_same = evidence.tree.is_some() && evidence.tree == progress.last_tree;
    let now = evidence.failing();
    is_same && progress.held.is_empty() && progress.failing.iter().any(|print| !now.contains(print))
}

/// Returns true if a gate about the task failed at the start. The gate that checks
/// notes says nothing about the task.
fn turned_green(run: &Run) -> bool {
    let is_about_task = |gate: &String| gate != Criterion::Memory.name();
    run.baseline.as_ref().is_some_and(|baseline| baseline.red.iter().any(is_about_task))
}

/// Returns true if every required gate passed, and no report says otherwise.
fn all_required_pass(policy: &Policy, evidence: &Evidence) -> bool {
    policy
        .gates
        .iter()
        .filter(|gate| gate.need == GateImportance::Required)
        .all(|gate| evidence.passed(&gate.name))
        && !evidence.gates.iter().any(GateReport::blocks)
}

fn broken_agent(evidence: &Evidence, progress: &Progress) -> Option<Decision> {
    match &evidence.turn {
        TurnEnd::Failed { what } if progress.agent_errors >= AGENT_ERRORS => {
            Some(Decision::GiveUp(RunFailure::AgentError { what: what.clone() }))
        }
        TurnEnd::TimedOut(_) if progress.agent_errors >= AGENT_ERRORS => {
            Some(Decision::GiveUp(RunFailure::AgentError {
                what: format!("{AGENT_ERRORS} turns in a row changed nothing, the last timed out"),
            }))
        }
        TurnEnd::Failed { .. }
        | TurnEnd::TimedOut(_)
        | TurnEnd::Finished
        | TurnEnd::UserAbort
        | TurnEnd::ProviderLimit { .. }
        | TurnEnd::HumanAsked { .. }
        | TurnEnd::ChildrenRunning
        | TurnEnd::WorkTreeGone { .. } => None,
    }
}

fn repeated_question(evidence: &Evidence, progress: &Progress) -> Option<Decision> {
    if progress.questions < QUESTIONS {
        return None;
    }
    question::asks(&evidence.text).map(|question| Decision::Wait(WaitReason::Human { question }))
}

fn stagnation(policy: &Policy, progress: &Progress) -> Option<Decision> {
    if progress.stalled == 0 || progress.stalled < policy.limits.stalled {
        return None;
    }
    // Two returns make a circle; one may be an honest step back.
    let circular = policy.measures() && progress.returns >= 2;
    Some(Decision::GiveUp(if circular {
        RunFailure::Circular(progress.circle)
    } else {
        RunFailure::NoProgress
    }))
}

/// Gives up if a budget is set but the agent reports no usage.
fn unmeasured_budget(policy: &Policy, evidence: &Evidence) -> Option<Decision> {
    let limits = &policy.limits;
    let bounded = limits.tokens.is_some() || limits.cost.is_some();
    let silent = evidence.usage.is_none() && evidence.turn == TurnEnd::Finished;
    (bounded && silent).then(|| {
        Decision::GiveUp(RunFailure::AgentError {
            what: "the agent reports no usage, so its budget cannot be kept".to_owned(),
        })
    })
}

fn limit(run: &Run, policy: &Policy, evidence: &Evidence) -> Option<Decision> {
    let mut before = run.spent(evidence.now);
    before.worked = before.worked.saturating_sub(evidence.aside);
    let anew = run.moves() || is_restart(&evidence.turn);
    let spent = RunUsage {
        usage: before.usage + evidence.spent(),
        restarts: before.restarts.saturating_add(u32::from(anew)),
        ..before
    };
    policy.limits.reached_by(&spent).map(Decision::GiveUp)
}

/// Returns true if the agent has to be restarted after such a turn.
pub fn is_restart(turn: &TurnEnd) -> bool {
    match turn {
        TurnEnd::Failed { .. } | TurnEnd::TimedOut(_) => true,
        TurnEnd::Finished
        | TurnEnd::UserAbort
        | TurnEnd::ProviderLimit { .. }
        | TurnEnd::HumanAsked { .. }
        | TurnEnd::ChildrenRunning
        | TurnEnd::WorkTreeGone { .. } => false,
    }
}

#[cfg(test)]
#[path = "decide_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "decide_judge_tests.rs"]
mod judge_tests;

#[cfg(test)]
#[path = "decide_laws.rs"]
mod laws;
