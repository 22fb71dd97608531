//! The JSON of every surface, such as the command line.
//!
//! Core types do not derive serialization; these structs are made from them for
//! output and are never read back.

pub mod code;
mod diagnostics;
pub(crate) mod doctor;
mod findings;
pub mod likely;
mod lines;
pub mod memory;
pub mod recall;
pub mod rollback;
pub mod sessions;

use jiff::Timestamp as Moment;
use jiff::tz::TimeZone;
use ralph_core::diagnostics::DiagnosticSnapshot;
use ralph_core::evidence::{GateExtent, GateReport};
use ralph_core::feedback::FailureCounts;
use ralph_core::policy::{GateImportance, GateSpec};
use ralph_core::run::Owner;
use ralph_core::state::{RunFailure, RunState, WaitReason};
use ralph_core::usage::Usage;
use ralph_core::{Run, Timestamp};
use ralph_store::IterationRecord;
use serde::Serialize;
use serde_json::{Value, json};

pub use diagnostics::score;
pub use findings::sarif;
pub use lines::event_line;

use crate::{history, owner};

/// The version of all JSON in this module.
pub const SCHEMA: u32 = 1;

/// Formats a time as RFC 3339 with milliseconds, in UTC.
pub fn moment(at: Timestamp) -> String {
    Moment::from_millisecond(at.as_millis())
        .map(|moment| format!("{moment:.3}"))
        .unwrap_or_default()
}

/// Formats a time for people: in their own time zone, which is named.
pub fn local_time(at: Timestamp) -> String {
    time_in(at, TimeZone::system())
}

fn time_in(at: Timestamp, zone: TimeZone) -> String {
    Moment::from_millisecond(at.as_millis())
        .map(|moment| moment.to_zoned(zone).strftime("%Y-%m-%d %H:%M:%S %Z").to_string())
        .unwrap_or_default()
}

/// One run.
#[derive(Clone, Debug, Serialize)]
pub struct RunView {
    id: String,
    session_id: Option<String>,
    task: String,
    task_id: Option<String>,
    description: Option<String>,
    status: &'static str,
    reason: Option<&'static str>,
    active: bool,
    iteration: u32,
    max_iterations: u32,
    max_duration_seconds: u64,
    no_progress_count: u32,
    completion_promise: Option<String>,
    #[serde(rename = "match")]
    match_mode: &'static str,
    trust: &'static str,
    criteria: Vec<Value>,
    target_files: Vec<String>,
    agent: String,
    agent_command: Vec<String>,
    worktree: String,
    started_at: String,
    updated_at: String,
    last_iteration_at: Option<String>,
    ended_at: Option<String>,
    waiting_until: Option<String>,
    question: Option<String>,
    error: Option<String>,
    missing_folder: Option<String>,
    final_status: Option<&'static str>,
    completion_reason: Option<&'static str>,
    baseline: Option<Value>,
    improvement_percent: Option<i64>,
    snapshots: Vec<Value>,
    best_iteration: Option<u32>,
    best_score: Option<Value>,
    circle: Option<Value>,
    tree: Option<String>,
    usage: Value,
    restarts: u32,
    waited_seconds: u64,
    owner: Option<Value>,
    last_output: Option<String>,
}

/// Returns the report of one gate.
pub fn gate(report: &GateReport) -> Value {
    let reading = &report.reading;
    json!({
        "name": report.name,
        "command": report.command,
        "verdict": report.verdict.name(),
        "detail": report.verdict.describe(),
        "required": report.need == GateImportance::Required,
        "cached": report.cached,
        "extent": match report.extent {
            GateExtent::Whole => "whole",
            GateExtent::Affected => "affected",
        },
        "elapsed_ms": u64::try_from(report.elapsed.as_millis()).unwrap_or(u64::MAX),
        "failing": report.failing,
        "counts": findings::counts(reading.counts),
        "tests": findings::tests(reading),
        "findings": reading.findings.iter().map(findings::finding).collect::<Vec<_>>(),
        "beyond": reading.beyond,
        "tail": report.tail,
        "usage": report.usage.map(usage),
    })
}

/// Returns the report with every test by its id, not just those that failed.
pub fn gate_with_every_test(report: &GateReport) -> Value {
    let mut view = gate(report);
    if let Some(tests) = &report.reading.tests {
        let outcomes = tests.states.iter().map(|(id, state)| (id.clone(), json!(state.name())));
        view["tests"]["outcomes"] = Value::Object(outcomes.collect());
    }
    view
}

/// Returns the record of one iteration.
fn snapshot(record: &IterationRecord, returned_to: Option<u32>) -> Value {
    let shown = DiagnosticSnapshot::of(&record.gates, record.ended_at);
    json!({
        "iteration": record.number,
        "timestamp": moment(record.ended_at),
        "turn": record.turn,
        "claim": record.claim,
        "decision": record.decision,
        "failing": record.failing,
        "tree": record.tree.as_ref().map(ToString::to_string),
        "returned_to": returned_to,
        "diagnostics": (!record.gates.is_empty()).then(|| diagnostics::diagnostics(&shown)),
        "gates": record.gates.iter().map(gate).collect::<Vec<_>>(),
    })
}

/// Returns tokens and money.
fn usage(usage: Usage) -> Value {
    let Usage { input_tokens, output_tokens, cost } = usage;
    json!({
        "input_tokens": input_tokens,
        "output_tokens": output_tokens,
        "cost_usd": cost.dollars(),
    })
}

impl RunView {
    /// Returns the run with the iterations to show.
    pub fn new(run: &Run, iterations: &[IterationRecord]) -> Self {
        let policy = &run.policy;
        let ended = run.state.is_ended();
        let (waiting_until, question, error) = details(&run.state);
        Self {
            id: run.id.to_string(),
            session_id: run.session().map(ToString::to_string),
            task: run.task.text.clone(),
            task_id: run.task.id.clone(),
            description: run.task.description.clone(),
            status: run.state.status(),
            reason: run.state.reason(),
            active: run.state.is_active(),
            iteration: run.iteration,
            max_iterations: policy.limits.iterations,
            max_duration_seconds: policy.limits.duration.as_secs(),
            no_progress_count: run.progress.stalled,
            completion_promise: policy.claim.promise.as_ref().map(|p| p.as_str().to_owned()),
            match_mode: policy.claim.mode.as_str(),
            trust: policy.trust.name(),
            criteria: criteria(run),
            target_files: run.task.targets.clone(),
            agent: run.agent.name.clone(),
            agent_command: run.agent.command.clone(),
            worktree: run.worktree.clone(),
            started_at: moment(run.started_at),
            updated_at: moment(run.updated_at),
            last_iteration_at: iterations.last().map(|record| moment(record.ended_at)),
            ended_at: run.ended_at.map(moment),
            waiting_until,
            question,
            error,
            missing_folder: missing_folder(&run.state),
            final_status: ended.then(|| run.state.status()),
            completion_reason: if ended { run.state.reason() } else { None },
            baseline: run.baseline.as_ref().map(diagnostics::baseline),
            improvement_percent: improvement(run),
            snapshots: snapshots(run, iterations),
            best_iteration: run.best.map(|best| best.iteration),
            best_score: run.best.map(|best| score(best.score)),
            circle: circle(run),
            tree: run.tree.as_ref().map(ToString::to_string),
            usage: usage(run.usage),
            restarts: run.restarts,
            waited_seconds: run.waited.as_secs(),
            owner: run.owner.as_ref().map(owner_view),
            last_output: (!run.last_output.is_empty()).then(|| run.last_output.clone()),
        }
    }
}

fn snapshots(run: &Run, iterations: &[IterationRecord]) -> Vec<Value> {
    let returns = history::returns(run, iterations);
    iterations.iter().zip(returns).map(|(record, to)| snapshot(record, to)).collect()
}

/// Returns the improvement since the start; `None` if nothing was checked.
fn improvement(run: &Run) -> Option<i64> {
    let progress = &run.progress;
    let has_baseline = run.policy.measures() && run.baseline.is_some() && run.iteration > 0;
    let checked = has_baseline && progress.fewest.is_some();
    checked.then(|| FailureCounts::new(run, progress.failing.len(), progress.totals).improvement())
}

/// Returns the last return of the files to an earlier state, if nothing came
/// after it.
fn circle(run: &Run) -> Option<Value> {
    let circle = if let RunState::Failed(RunFailure::Circular(circle)) = &run.state {
        *circle
    } else {
        run.progress.circle
    };
    circle.map(diagnostics::circle)
}

fn criteria(run: &Run) -> Vec<Value> {
    let view = |gate: &GateSpec| {
        json!({
            "name": gate.name,
            "criterion": gate.criterion.name(),
            "command": gate.command.display(),
            "required": gate.need == GateImportance::Required,
        })
    };
    run.policy.gates.iter().map(view).collect()
}

/// Returns the details of a state: the end of a wait, the question, the error.
fn details(state: &RunState) -> (Option<String>, Option<String>, Option<String>) {
    match state {
        RunState::Waiting(WaitReason::Limit { until }) => (Some(moment(*until)), None, None),
        RunState::Waiting(WaitReason::Human { question }) => (None, Some(question.clone()), None),
        RunState::Failed(RunFailure::AgentError { what }) => (None, None, Some(what.clone())),
        RunState::Failed(RunFailure::FolderGone { folder }) => {
            (None, None, Some(format!("the folder {folder} was deleted")))
        }
        RunState::Waiting(WaitReason::Child | WaitReason::Host)
        | RunState::Failed(_)
        | RunState::Running
        | RunState::Paused(_)
        | RunState::Success(_)
        | RunState::Stopped => (None, None, None),
    }
}

/// Returns the folder whose loss ended the run.
fn missing_folder(state: &RunState) -> Option<String> {
    let RunState::Failed(RunFailure::FolderGone { folder }) = state else { return None };
    Some(folder.clone())
}

fn owner_view(found: &Owner) -> Value {
    let (pid, heartbeat) = match found {
        Owner::Driver { pid, heartbeat, .. } => (Some(*pid), Some(moment(*heartbeat))),
        Owner::Session(_) => (None, None),
    };
    json!({ "pid": pid, "alive": owner::is_alive(found), "heartbeat": heartbeat })
}

/// Returns the results of gates without a run, each in the form that `view` gives it.
pub fn checked(reports: &[GateReport], view: fn(&GateReport) -> Value) -> Value {
    let passed = !reports.iter().any(GateReport::blocks);
    let gates: Vec<Value> = reports.iter().map(view).collect();
    json!({ "schema": SCHEMA, "passed": passed, "gates": gates })
}

/// A list of runs, as `status` and `runs` print it.
#[derive(Clone, Debug, Serialize)]
pub struct RunList {
    schema: u32,
    runs: Vec<RunView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<MemorySize>,
}

/// The size of the memory on the disk, in bytes.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct MemorySize {
    /// The log.
    pub log_bytes: u64,
    /// The size of the log above which old events of sessions are removed.
    pub most_log_bytes: u64,
    /// The index that is made from the log.
    pub database_bytes: u64,
}

impl RunList {
    /// Returns the same list with the size of the memory.
    #[must_use]
    pub fn with_memory(self, memory: Option<MemorySize>) -> Self {
        Self { memory, ..self }
    }

    /// Returns the list of runs.
    pub fn new(runs: Vec<RunView>) -> Self {
        Self { schema: SCHEMA, runs, memory: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_read_their_own_time_and_its_zone() {
        let at = Timestamp::from_millis(1_794_963_600_000);
        assert_eq!(moment(at), "2026-11-18T01:00:00.000Z");
        let seoul = TimeZone::posix("KST-9").unwrap();
        assert_eq!(time_in(at, seoul), "2026-11-18 10:00:00 KST");
        assert_eq!(time_in(at, TimeZone::UTC), "2026-11-18 01:00:00 UTC");
    }
}
