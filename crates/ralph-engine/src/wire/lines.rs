//! Writes events as lines of JSON.

use ralph_core::state::RunState;
use ralph_core::{Run, RunId, Timestamp, wording};
use serde::Serialize;
use serde_json::{Value, json};

use super::{RunView, SCHEMA, details, gate, moment, usage};
use crate::events::{RunEvent, RunStart};
use crate::seal::UnsealedReason;

#[derive(Serialize)]
struct JsonEventLine<'a> {
    schema: u32,
    #[serde(rename = "type")]
    kind: &'a str,
    run_id: &'a str,
    seq: u64,
    at: String,
    #[serde(flatten)]
    body: Value,
}

/// Returns one event as one line, without the line break. `seq` counts the
/// lines of a stream; `run` is the run of events that do not carry it.
pub fn event_line(event: &RunEvent<'_>, run: &RunId, seq: u64, at: Timestamp) -> String {
    let (kind, body) = body(event);
    let line =
        JsonEventLine { schema: SCHEMA, kind, run_id: run.as_str(), seq, at: moment(at), body };
    serde_json::to_string(&line).unwrap_or_default()
}

fn body(event: &RunEvent<'_>) -> (&'static str, Value) {
    match event {
        RunEvent::RunStarted { run, how } => {
            let resumed = *how == RunStart::Resumed;
            ("run_started", json!({ "resumed": resumed, "run": RunView::new(run, &[]) }))
        }
        RunEvent::GateStarted { name, iteration } => {
            ("gate_started", json!({ "gate": name, "iteration": iteration }))
        }
        RunEvent::GateFinished { report, iteration } => {
            ("gate_finished", json!({ "iteration": iteration, "gate": gate(report) }))
        }
        RunEvent::IterationStarted { run } => (
            "iteration_started",
            json!({ "iteration": run.iteration, "max_iterations": run.policy.limits.iterations }),
        ),
        RunEvent::AgentOutput { iteration, kind, text } => {
            ("agent_output", json!({ "iteration": iteration, "kind": kind.name(), "text": text }))
        }
        RunEvent::IterationEnded { run, iteration, summary } => (
            "iteration_ended",
            json!({
                "iteration": iteration,
                "turn": summary.turn,
                "claim": summary.claim,
                "decision": summary.decision,
                "status": run.state.status(),
                "reason": run.state.reason(),
                "failing": summary.failing,
                "weakened": places(summary.weakened.iter().map(|one| (&one.place, &one.what))),
                "edited": places(summary.edited.iter().map(|one| (&one.place, &one.what))),
                "no_progress_count": run.progress.stalled,
                "tree": run.tree.as_ref().map(ToString::to_string),
                "elapsed_ms": u64::try_from(summary.elapsed.as_millis()).unwrap_or(u64::MAX),
                "usage": usage(run.usage),
            }),
        ),
        RunEvent::Waiting { run, wait } => waiting(run, wait),
        RunEvent::Notice { text, .. } => ("notice", json!({ "text": text })),
        RunEvent::RunBroken { run, error } => {
            let mut body = ended(run);
            body["reason"] = json!("internal_error");
            body["error"] = json!(error);
            body["exit_code"] = json!(3);
            ("run_ended", body)
        }
        RunEvent::RunEnded { run, learned, unsealed } => {
            let mut body = ended(run);
            body["sealed"] = json!(unsealed.is_none());
            body["unsealed_because"] = json!(unsealed.map(UnsealedReason::name));
            if matches!(run.state, RunState::Success(_)) {
                body["message"] = json!(wording::complete_line(run));
            }
            if let Some(learned) = learned {
                body["memory"] = json!(learned);
            }
            ("run_ended", body)
        }
    }
}

fn places<'a>(changes: impl Iterator<Item = (&'a String, &'a String)>) -> Vec<Value> {
    changes.map(|(place, what)| json!({ "place": place, "what": what })).collect()
}

fn ended(run: &Run) -> Value {
    let (_, question, error) = details(&run.state);
    json!({
        "status": run.state.status(),
        "reason": run.state.reason(),
        "question": question,
        "error": error,
        "iterations": run.iteration,
        "tree": run.tree.as_ref().map(ToString::to_string),
        "exit_code": run.state.exit_code(),
        "best_iteration": run.best.map(|best| best.iteration),
        "circle": super::circle(run),
        "cost": usage(run.usage),
    })
}

fn waiting(run: &Run, wait: &ralph_core::state::WaitReason) -> (&'static str, Value) {
    use ralph_core::state::WaitReason;
    let body = match wait {
        WaitReason::Limit { until } => json!({ "for": "limit", "until": moment(*until) }),
        WaitReason::Human { question } => json!({ "for": "human", "question": question }),
        WaitReason::Child => json!({ "for": "child" }),
        WaitReason::Host => json!({ "for": "host" }),
    };
    let mut body = body;
    body["iteration"] = json!(run.iteration);
    ("waiting", body)
}
