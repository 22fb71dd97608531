//! What follows when the agent falls silent: one pure function.
//!
//! The order matters and is the product's promise: how the turn ended, then
//! completion, then progress, then limits, else go on. Evidence outranks
//! limits, so success on the last allowed iteration is success.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::time::Duration;

use crate::claim::{self, Claim};
use crate::evidence::{Evidence, GateReport, TurnEnd};
use crate::feedback::Feedback;
use crate::finding::Reading;
use crate::limits::Spent;
use crate::policy::{Criterion, GateSpec, Need, Policy, RuleEdition, Trust};
use crate::progress::{Progress, Signals};
use crate::question;
use crate::run::Run;
use crate::state::{Failure, Pause, Proof, Wait};
use crate::time::{Timestamp, render_span};
use crate::wording;

/// Agent failures in a row, without any change to the tree, that end a run.
const AGENT_ERRORS: u32 = 3;

/// Questions in a row, without progress, that end in waiting for a person.
const QUESTIONS: u32 = 2;

/// The first wait when a provider does not say how long its limit lasts.
const FIRST_BACKOFF: Duration = Duration::from_mins(1);

/// The longest such wait.
const LONGEST_BACKOFF: Duration = Duration::from_mins(30);

/// What follows.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// The agent gets another turn and is told this.
    Continue(Box<Feedback>),
    /// The work is done.
    Complete(Proof),
    /// Nothing happens until something outside changes.
    Wait(Wait),
    /// The run stops being active but can be resumed.
    Pause(Pause),
    /// Going on is pointless or not allowed.
    GiveUp(Failure),
}

/// A decision and the progress record that goes with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// What follows.
    pub decision: Decision,
    /// What the turns amount to now.
    pub progress: Progress,
    /// What the final text said about being done.
    pub claim: Claim,
}

/// Decides what follows once a turn is over.
///
/// `run.iteration` is the number of the turn that just ended.
pub fn decide(run: &Run, policy: &Policy, evidence: &Evidence) -> Judgement {
    let signals = if policy.measures() { Signals::Gated } else { Signals::Ungated };
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
    Judgement { decision, progress, claim }
}

/// Whether nothing but the word of a judge keeps this turn from completing
/// the run. Before the first turn there is nothing to judge.
pub fn awaits_judge(run: &Run, policy: &Policy, evidence: &Evidence) -> bool {
    if policy.trust == Trust::Claim {
        return false;
    }
    with_agreement(run, policy, evidence).is_some_and(|agreed| {
        matches!(decide(run, policy, &agreed).decision, Decision::Complete(_))
    })
}

/// Whether a run would be given up for want of progress: then a judge is asked
/// whether the work comes nearer.
pub fn awaits_opinion(run: &Run, policy: &Policy, evidence: &Evidence) -> bool {
    let decided = decide(run, policy, evidence).decision;
    policy.gates.iter().any(GateSpec::is_judge)
        && matches!(decided, Decision::GiveUp(Failure::NoProgress | Failure::Circular(_)))
}

/// The evidence if every judge that was not asked yet agreed; `None` if there
/// is none to ask.
fn with_agreement(run: &Run, policy: &Policy, evidence: &Evidence) -> Option<Evidence> {
    let is_silent = |gate: &&GateSpec| {
        gate.is_judge() && evidence.gates.iter().all(|report| report.name != gate.name)
    };
    let silent: Vec<&GateSpec> = policy.gates.iter().filter(is_silent).collect();
    if silent.is_empty() || run.iteration == 0 {
        return None;
    }
    let yes = |gate: &GateSpec| GateReport::remembered(gate, Reading::default());
    let mut agreed = evidence.clone();
    agreed.gates.extend(silent.into_iter().map(yes));
    Some(agreed)
}

/// The evidence with an unknown verdict for every required gate that sent no
/// report, so that silence is neither a pass nor a fix further down. A judge
/// is silent because it was not asked.
fn with_missing_reports<'a>(policy: &Policy, evidence: &'a Evidence) -> Cow<'a, Evidence> {
    let missing: Vec<GateReport> = policy
        .gates
        .iter()
        .filter(|gate| gate.need == Need::Required && !gate.is_judge())
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

/// A claim counts only when the agent ended its turn in good order.
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

/// Turns that did not end by the agent's own decision.
fn interruption(
    run: &Run,
    policy: &Policy,
    evidence: &Evidence,
    progress: &Progress,
) -> Option<Decision> {
    match &evidence.turn {
        TurnEnd::UserAbort => Some(Decision::Pause(Pause::Aborted)),
        TurnEnd::ProviderLimit { until } => {
            Some(wait_for_provider(run, policy, *until, (evidence.now, progress.limit_hits)))
        }
        TurnEnd::HumanAsked { question } => {
            Some(Decision::Wait(Wait::Human { question: question.clone() }))
        }
        TurnEnd::ChildrenRunning => Some(Decision::Wait(Wait::Child)),
        TurnEnd::WorkTreeGone { folder } => {
            Some(Decision::GiveUp(Failure::FolderGone { folder: folder.clone() }))
        }
        TurnEnd::Finished | TurnEnd::Failed { .. } | TurnEnd::TimedOut(_) => None,
    }
}

fn wait_for_provider(
    run: &Run,
    policy: &Policy,
    said: Option<Timestamp>,
    (now, hits): (Timestamp, u32),
) -> Decision {
    let until = match said {
        None => now.plus(backoff(hits)),
        // A provider that refuses again at the time it gave itself is asked
        // ever more slowly: waiting costs no iteration, so nothing else
        // would end a run that is sent back at once each time.
        Some(until) => until.max(now.plus(backoff(hits.saturating_sub(1)))),
    };
    if run.waited.saturating_add(until.since(now)) > policy.limits.waiting {
        let most = render_span(policy.limits.waiting);
        return Decision::GiveUp(Failure::AgentError {
            what: format!("the provider's limit does not lift within {most} of waiting"),
        });
    }
    Decision::Wait(Wait::Limit { until })
}

/// How long to wait after this many refusals in a row.
fn backoff(hits: u32) -> Duration {
    let Some(doublings) = hits.checked_sub(1) else { return Duration::ZERO };
    FIRST_BACKOFF.saturating_mul(1 << doublings.min(10)).min(LONGEST_BACKOFF)
}

/// Whether the work is done, and by whose word.
///
/// Gates that passed before the first turn cannot tell whether the task is
/// done, so then it takes the agent's word, and that is what it is called.
fn completion(run: &Run, policy: &Policy, evidence: &Evidence, claim: &Claim) -> Option<Decision> {
    let proof = match (done(run, policy, evidence, claim)?, policy.trust) {
        (proof, _) if evidence.weakened.is_empty() => proof,
        (_, Trust::Claim) => Proof::Claimed,
        (_, Trust::Evidence) => return None,
    };
    Some(Decision::Complete(proof))
}

/// The same, whatever became of tests and checks.
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

/// Whether nothing but changes of tests and checks, or a judge that was not
/// asked yet, keeps this turn from completing the run.
pub fn is_otherwise_done(run: &Run, policy: &Policy, evidence: &Evidence) -> bool {
    let agreed = with_agreement(run, policy, evidence);
    let evidence = agreed.as_ref().unwrap_or(evidence);
    let claim = valid_claim(policy, evidence);
    evidence.turn == TurnEnd::Finished
        && policy.trust == Trust::Evidence
        && done(run, policy, evidence, &claim).is_some()
}

/// What keeps this turn from completing the run if nothing else does.
fn held(run: &Run, policy: &Policy, evidence: &Evidence) -> BTreeSet<String> {
    if evidence.weakened.is_empty() || !is_otherwise_done(run, policy, evidence) {
        return BTreeSet::new();
    }
    let held = evidence.weakened.iter().map(|held| format!("{} {}", held.place, held.what));
    held.chain(evidence.weakened_state.clone()).collect()
}

/// An agent that was told what is held, and leaves all of it as it is, may
/// have a reason: the user has to know.
fn standing_hold(run: &Run, evidence: &Evidence, progress: &Progress) -> Option<Decision> {
    let told = &run.progress.held;
    if told.is_empty() || !told.is_subset(&progress.held) {
        return None;
    }
    let question = wording::held_question(run, &evidence.weakened);
    Some(Decision::Wait(Wait::Human { question }))
}

/// Whether gates that pass say that this run did what it was to do: something
/// changed, and with it a failure became a pass, or a judge is content.
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

/// Whether something fails no more on the very files on which it failed in the
/// turn before: it may fail again on them.
pub fn is_luck(run: &Run, evidence: &Evidence) -> bool {
    let progress = &run.progress;
    // What was held passed, and is not counted as fixed.
    let is_same = evidence.tree.is_some() && evidence.tree == progress.last_tree;
    let now = evidence.failing();
    is_same && progress.held.is_empty() && progress.failing.iter().any(|print| !now.contains(print))
}

/// Whether a gate about the task did not pass at the start. A note that holds
/// again says nothing about the task.
fn turned_green(run: &Run) -> bool {
    let is_about_task = |gate: &String| gate != Criterion::Memory.name();
    run.baseline.as_ref().is_some_and(|baseline| baseline.red.iter().any(is_about_task))
}

/// Whether every required gate passed, and no report says otherwise.
fn all_required_pass(policy: &Policy, evidence: &Evidence) -> bool {
    policy
        .gates
        .iter()
        .filter(|gate| gate.need == Need::Required)
        .all(|gate| evidence.passed(&gate.name))
        && !evidence.gates.iter().any(GateReport::blocks)
}

fn broken_agent(evidence: &Evidence, progress: &Progress) -> Option<Decision> {
    match &evidence.turn {
        TurnEnd::Failed { what } if progress.agent_errors >= AGENT_ERRORS => {
            Some(Decision::GiveUp(Failure::AgentError { what: what.clone() }))
        }
        TurnEnd::TimedOut(_) if progress.agent_errors >= AGENT_ERRORS => {
            Some(Decision::GiveUp(Failure::AgentError {
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
    question::asks(&evidence.text).map(|question| Decision::Wait(Wait::Human { question }))
}

fn stagnation(policy: &Policy, progress: &Progress) -> Option<Decision> {
    if progress.stalled == 0 || progress.stalled < policy.limits.stalled {
        return None;
    }
    // Two returns make a circle; one may be an honest step back.
    let circular = policy.measures() && progress.returns >= 2;
    Some(Decision::GiveUp(if circular {
        Failure::Circular(progress.circle)
    } else {
        Failure::NoProgress
    }))
}

/// A budget binds only when it can be measured.
fn unmeasured_budget(policy: &Policy, evidence: &Evidence) -> Option<Decision> {
    let limits = &policy.limits;
    let bounded = limits.tokens.is_some() || limits.cost.is_some();
    let silent = evidence.usage.is_none() && evidence.turn == TurnEnd::Finished;
    (bounded && silent).then(|| {
        Decision::GiveUp(Failure::AgentError {
            what: "the agent reports no usage, so its budget cannot be kept".to_owned(),
        })
    })
}

fn limit(run: &Run, policy: &Policy, evidence: &Evidence) -> Option<Decision> {
    let mut before = run.spent(evidence.now);
    before.worked = before.worked.saturating_sub(evidence.aside);
    let anew = run.moves() || is_restart(&evidence.turn);
    let spent = Spent {
        usage: before.usage + evidence.spent(),
        restarts: before.restarts.saturating_add(u32::from(anew)),
        ..before
    };
    policy.limits.reached_by(&spent).map(Decision::GiveUp)
}

/// Whether the agent has to be begun anew after such a turn.
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
