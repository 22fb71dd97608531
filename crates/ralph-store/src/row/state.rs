//! The stored form of a state: two words and, if needed, a JSON detail.

use ralph_core::circle::Circle;
use ralph_core::state::{PauseReason, Proof, RunFailure, RunState, WaitReason};
use ralph_core::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::{decode, encode, unfit};
use crate::error::StoreError;

const WHAT: &str = "the state of a run";

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum DetailRow {
    Until(i64),
    Question(String),
    What(String),
    Folder(String),
    Circle(u32, u32),
}

/// Returns the facts of a state beyond its two words, as JSON.
pub(super) fn encode_detail(state: &RunState) -> Result<Option<String>, StoreError> {
    let detail = match state {
        RunState::Waiting(WaitReason::Limit { until }) => DetailRow::Until(until.as_millis()),
        RunState::Waiting(WaitReason::Human { question }) => DetailRow::Question(question.clone()),
        RunState::Failed(RunFailure::AgentError { what }) => DetailRow::What(what.clone()),
        RunState::Failed(RunFailure::FolderGone { folder }) => DetailRow::Folder(folder.clone()),
        RunState::Failed(RunFailure::Circular(Some(circle))) => {
            DetailRow::Circle(circle.from, circle.to)
        }
        RunState::Running
        | RunState::Waiting(WaitReason::Child | WaitReason::Host)
        | RunState::Paused(_)
        | RunState::Success(_)
        | RunState::Failed(
            RunFailure::MaxIterations
            | RunFailure::MaxDuration
            | RunFailure::NoProgress
            | RunFailure::Circular(None)
            | RunFailure::Budget
            | RunFailure::MaxRestarts,
        )
        | RunState::Stopped => return Ok(None),
    };
    encode(WHAT, &detail).map(Some)
}

/// Reads a state from its words and its detail.
pub(super) fn decode_state(
    status: &str,
    reason: Option<&str>,
    detail: Option<&str>,
) -> Result<RunState, StoreError> {
    let detail = detail.map(|text| decode(WHAT, text)).transpose()?;
    let state = match (status, reason, detail) {
        ("running", None, None) => RunState::Running,
        ("stopped", None, None) => RunState::Stopped,
        ("waiting", Some("limit"), Some(DetailRow::Until(millis))) => {
            RunState::Waiting(WaitReason::Limit { until: Timestamp::from_millis(millis) })
        }
        ("waiting", Some("human"), Some(DetailRow::Question(question))) => {
            RunState::Waiting(WaitReason::Human { question })
        }
        ("waiting", Some("child"), None) => RunState::Waiting(WaitReason::Child),
        ("waiting", Some("host"), None) => RunState::Waiting(WaitReason::Host),
        ("paused", Some("asked"), None) => RunState::Paused(PauseReason::Asked),
        ("paused", Some("interrupted"), None) => RunState::Paused(PauseReason::Interrupted),
        ("paused", Some("aborted"), None) => RunState::Paused(PauseReason::Aborted),
        ("paused", Some("capped"), None) => RunState::Paused(PauseReason::Capped),
        ("success", Some("verified"), None) => RunState::Success(Proof::Verified),
        ("success", Some("claimed"), None) => RunState::Success(Proof::Claimed),
        ("failed", Some("agent_error"), Some(DetailRow::What(what))) => {
            RunState::Failed(RunFailure::AgentError { what })
        }
        ("failed", Some("agent_error"), Some(DetailRow::Folder(folder))) => {
            RunState::Failed(RunFailure::FolderGone { folder })
        }
        ("failed", Some("circular"), Some(DetailRow::Circle(from, to))) => {
            RunState::Failed(RunFailure::Circular(Some(Circle { from, to })))
        }
        ("failed", Some(name), None) => RunState::Failed(decode_failure(name)?),
        _ => return Err(unfit(WHAT, &format!("{status}, {}", reason.unwrap_or("no reason")))),
    };
    Ok(state)
}

fn decode_failure(name: &str) -> Result<RunFailure, StoreError> {
    match name {
        "max_iterations" => Ok(RunFailure::MaxIterations),
        "max_duration" => Ok(RunFailure::MaxDuration),
        "no_progress" => Ok(RunFailure::NoProgress),
        "circular" => Ok(RunFailure::Circular(None)),
        "budget" => Ok(RunFailure::Budget),
        "max_restarts" => Ok(RunFailure::MaxRestarts),
        _ => Err(unfit(WHAT, name)),
    }
}
