//! The stored form of a state: two words and, if needed, a JSON detail.

use ralph_core::circle::Circle;
use ralph_core::state::{Failure, Pause, Proof, State, Wait};
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
pub(super) fn encode_detail(state: &State) -> Result<Option<String>, StoreError> {
    let detail = match state {
        State::Waiting(Wait::Limit { until }) => DetailRow::Until(until.as_millis()),
        State::Waiting(Wait::Human { question }) => DetailRow::Question(question.clone()),
        State::Failed(Failure::AgentError { what }) => DetailRow::What(what.clone()),
        State::Failed(Failure::FolderGone { folder }) => DetailRow::Folder(folder.clone()),
        State::Failed(Failure::Circular(Some(circle))) => DetailRow::Circle(circle.from, circle.to),
        State::Running
        | State::Waiting(Wait::Child | Wait::Host)
        | State::Paused(_)
        | State::Success(_)
        | State::Failed(
            Failure::MaxIterations
            | Failure::MaxDuration
            | Failure::NoProgress
            | Failure::Circular(None)
            | Failure::Budget
            | Failure::MaxRestarts,
        )
        | State::Stopped => return Ok(None),
    };
    encode(WHAT, &detail).map(Some)
}

/// Reads a state from its words and its detail.
pub(super) fn decode_state(
    status: &str,
    reason: Option<&str>,
    detail: Option<&str>,
) -> Result<State, StoreError> {
    let detail = detail.map(|text| decode(WHAT, text)).transpose()?;
    let state = match (status, reason, detail) {
        ("running", None, None) => State::Running,
        ("stopped", None, None) => State::Stopped,
        ("waiting", Some("limit"), Some(DetailRow::Until(millis))) => {
            State::Waiting(Wait::Limit { until: Timestamp::from_millis(millis) })
        }
        ("waiting", Some("human"), Some(DetailRow::Question(question))) => {
            State::Waiting(Wait::Human { question })
        }
        ("waiting", Some("child"), None) => State::Waiting(Wait::Child),
        ("waiting", Some("host"), None) => State::Waiting(Wait::Host),
        ("paused", Some("asked"), None) => State::Paused(Pause::Asked),
        ("paused", Some("interrupted"), None) => State::Paused(Pause::Interrupted),
        ("paused", Some("aborted"), None) => State::Paused(Pause::Aborted),
        ("paused", Some("capped"), None) => State::Paused(Pause::Capped),
        ("success", Some("verified"), None) => State::Success(Proof::Verified),
        ("success", Some("claimed"), None) => State::Success(Proof::Claimed),
        ("failed", Some("agent_error"), Some(DetailRow::What(what))) => {
            State::Failed(Failure::AgentError { what })
        }
        ("failed", Some("agent_error"), Some(DetailRow::Folder(folder))) => {
            State::Failed(Failure::FolderGone { folder })
        }
        ("failed", Some("circular"), Some(DetailRow::Circle(from, to))) => {
            State::Failed(Failure::Circular(Some(Circle { from, to })))
        }
        ("failed", Some(name), None) => State::Failed(decode_failure(name)?),
        _ => return Err(unfit(WHAT, &format!("{status}, {}", reason.unwrap_or("no reason")))),
    };
    Ok(state)
}

fn decode_failure(name: &str) -> Result<Failure, StoreError> {
    match name {
        "max_iterations" => Ok(Failure::MaxIterations),
        "max_duration" => Ok(Failure::MaxDuration),
        "no_progress" => Ok(Failure::NoProgress),
        "circular" => Ok(Failure::Circular(None)),
        "budget" => Ok(Failure::Budget),
        "max_restarts" => Ok(Failure::MaxRestarts),
        _ => Err(unfit(WHAT, name)),
    }
}
