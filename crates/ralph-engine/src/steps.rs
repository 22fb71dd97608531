//! Pure steps that turn the stored state of a run into the next one.

use std::time::Duration;

use ralph_core::claim::{Claim, ClaimKind};
use ralph_core::decide::is_restart;
use ralph_core::diagnostics::GateTotals;
use ralph_core::evidence::{Evidence, TurnEnd, TurnTimeout};
use ralph_core::feedback::last_chars;
use ralph_core::progress::Progress;
use ralph_core::run::{Baseline, BestIteration};
use ralph_core::score::Score;
use ralph_core::state::{RunState, WaitReason};
use ralph_core::{Decision, Run, Timestamp, TurnJudgement, wording};

/// Length of the final text that is stored with the run, in characters.
const LAST_OUTPUT_CHARS: usize = 4_000;

/// Returns the run with its next turn started.
pub(crate) fn begin_turn(run: &Run, now: Timestamp) -> Run {
    Run { iteration: run.iteration + 1, state: RunState::Running, updated_at: now, ..run.clone() }
}

/// Returns the run after its turn was judged.
pub(crate) fn conclude(run: &Run, judgement: &TurnJudgement, evidence: &Evidence) -> Run {
    let now = evidence.now;
    let mut next = Run {
        progress: judgement.progress.clone(),
        usage: run.usage + evidence.spent(),
        last_output: last_chars(&evidence.text, LAST_OUTPUT_CHARS).to_owned(),
        tree: evidence.tree.clone().or_else(|| run.tree.clone()),
        best: best(run, evidence, &judgement.progress),
        asleep: run.asleep.saturating_add(evidence.aside),
        updated_at: now,
        ..run.clone()
    };
    let goes_on = matches!(judgement.decision, Decision::Continue(_));
    if is_restart(&evidence.turn) || (goes_on && run.moves()) {
        next.restarts += 1;
    }
    next.state = match &judgement.decision {
        Decision::Continue(feedback) => {
            next.feedback = wording::sections(feedback, &run.policy);
            RunState::Running
        }
        Decision::Complete(proof) => RunState::Success(*proof),
        Decision::Wait(wait) => RunState::Waiting(wait.clone()),
        Decision::Pause(pause) => RunState::Paused(*pause),
        Decision::GiveUp(failure) => RunState::Failed(failure.clone()),
    };
    if let RunState::Waiting(WaitReason::Limit { .. }) = next.state {
        // The turn could not be taken: it will start again under its number.
        next.iteration = run.iteration.saturating_sub(1);
        next.restarts = run.restarts;
    }
    if next.state.is_ended() {
        next.ended_at = Some(now);
    }
    next
}

/// Returns the run in another state, without judging a turn.
pub(crate) fn moved_to(run: &Run, state: RunState, now: Timestamp) -> Run {
    let ended_at = state.is_ended().then_some(now).or(run.ended_at);
    let waited = run.waited.saturating_add(waiting_since(run, now));
    Run { state, waited, updated_at: now, ended_at, ..run.clone() }
}

/// Returns the run after the end of a provider's limit.
pub(crate) fn waited(run: &Run, now: Timestamp) -> Run {
    moved_to(run, RunState::Running, now)
}

/// Returns the time that a run has waited for a provider at `now`. A broken
/// turn of a host counts as trouble with its provider.
fn waiting_since(run: &Run, now: Timestamp) -> Duration {
    if let RunState::Waiting(WaitReason::Limit { .. } | WaitReason::Host) = run.state {
        now.since(run.updated_at)
    } else {
        Duration::ZERO
    }
}

/// Returns the run with the time counted in which no process worked on it.
pub(crate) fn left_behind(run: &Run, now: Timestamp) -> Run {
    let alive = run.last_alive();
    Run {
        waited: run.waited.saturating_add(waiting_since(run, alive)),
        asleep: run.asleep.saturating_add(now.since(alive)),
        updated_at: now,
        ..run.clone()
    }
}

/// Returns the run as its new owner continues it. A provider's limit still
/// applies; any other wait is over.
pub(crate) fn woken(before: &Run, owned: &Run, now: Timestamp) -> Run {
    let accounted = left_behind(before, now);
    let mut next = Run {
        waited: accounted.waited,
        asleep: accounted.asleep,
        state: RunState::Running,
        updated_at: now,
        ..owned.clone()
    };
    match &before.state {
        RunState::Waiting(wait @ WaitReason::Limit { .. }) => {
            next.state = RunState::Waiting(wait.clone());
        }
        // The user who resumes has read the question, so counting restarts.
        RunState::Waiting(WaitReason::Human { .. }) => {
            next.progress.questions = 0;
            next.progress.stalled = 0;
        }
        RunState::Waiting(WaitReason::Child | WaitReason::Host)
        | RunState::Running
        | RunState::Paused(_)
        | RunState::Success(_)
        | RunState::Failed(_)
        | RunState::Stopped => {}
    }
    next
}

/// Returns the gates' results before the first turn. A gate that did not run is
/// not red: its later pass does not show that the run fixed it.
pub(crate) fn baseline(evidence: &Evidence) -> Baseline {
    let known_failures = evidence.gates.iter().flat_map(|gate| gate.failing.iter().cloned());
    Baseline {
        tree: evidence.tree.clone(),
        red: evidence
            .gates
            .iter()
            .filter(|gate| gate.is_red())
            .map(|gate| gate.name.clone())
            .collect(),
        failing: evidence.shown_failing().into_iter().chain(known_failures).collect(),
        totals: GateTotals::of(&evidence.gates),
    }
}

/// Returns the best iteration so far, the earliest of equally good ones.
fn best(run: &Run, evidence: &Evidence, progress: &Progress) -> Option<BestIteration> {
    if run.policy.gates.is_empty() || evidence.gates.is_empty() {
        return run.best;
    }
    let score = Score::of(evidence, &run.policy.gates, &progress.flaky);
    let failing = u32::try_from(evidence.failing().len()).unwrap_or(u32::MAX);
    match run.best {
        Some(best) if !score.is_better_than(best.score) => Some(best),
        Some(_) | None => Some(BestIteration { iteration: run.iteration, failing, score }),
    }
}

/// Returns the ending of a turn as one word for records.
pub(crate) fn turn_name(turn: &TurnEnd) -> &'static str {
    match turn {
        TurnEnd::Finished => "finished",
        TurnEnd::UserAbort => "aborted",
        TurnEnd::ProviderLimit { .. } => "provider_limit",
        TurnEnd::HumanAsked { .. } => "human_asked",
        TurnEnd::ChildrenRunning => "children_running",
        TurnEnd::Failed { .. } => "failed",
        TurnEnd::TimedOut(TurnTimeout::Idle(_)) => "idle_timeout",
        TurnEnd::TimedOut(TurnTimeout::Wall(_)) => "turn_timeout",
        TurnEnd::WorkTreeGone { .. } => "work_tree_gone",
    }
}

/// Returns the decision as one word for records.
pub(crate) fn decision_name(decision: &Decision) -> &'static str {
    match decision {
        Decision::Continue(_) => "continue",
        Decision::Complete(_) => "complete",
        Decision::Wait(_) => "wait",
        Decision::Pause(_) => "pause",
        Decision::GiveUp(_) => "give_up",
    }
}

/// Returns the claim of the final text as one word for records.
pub(crate) fn claim_name(claim: &Claim) -> &'static str {
    match claim {
        Claim::Made(ClaimKind::Promise) => "promise",
        Claim::Made(ClaimKind::Marker(_)) => "marker",
        Claim::NearMiss(_) => "near_miss",
        Claim::None => "none",
    }
}

#[cfg(test)]
#[path = "steps_tests.rs"]
mod tests;
