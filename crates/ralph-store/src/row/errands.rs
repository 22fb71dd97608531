//! The stored form of the actions that a host still has to carry out.

use ralph_core::Timestamp;
use ralph_core::errand::{ActionRequest, PendingAction, PendingActions};
use serde::{Deserialize, Serialize};

use super::{decode, decode_session_id, encode};
use crate::error::StoreError;

const WHAT: &str = "what a host still has to do";

#[derive(Deserialize, Serialize)]
struct PendingActionsRow {
    list: Vec<PendingActionRow>,
    asked: Option<ActionRequestRow>,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum PendingActionRow {
    Summarize,
    Create,
    Select,
    Prompt(String),
    Hear,
    Delete(String),
}

#[derive(Deserialize, Serialize)]
struct ActionRequestRow {
    pid: u32,
    started: u64,
    at: i64,
}

/// Returns the JSON form of a list; `None` for an empty one.
pub(super) fn encode_errands(errands: &PendingActions) -> Result<Option<String>, StoreError> {
    let PendingActions { list, asked } = errands;
    if list.is_empty() {
        return Ok(None);
    }
    let asked = asked.map(|ActionRequest { pid, started, at }| ActionRequestRow {
        pid,
        started,
        at: at.as_millis(),
    });
    let row = PendingActionsRow { list: list.iter().map(PendingActionRow::from).collect(), asked };
    encode(WHAT, &row).map(Some)
}

/// Reads a list from its JSON form.
pub(super) fn decode_errands(text: Option<&str>) -> Result<PendingActions, StoreError> {
    let Some(text) = text else { return Ok(PendingActions::default()) };
    let PendingActionsRow { list, asked } = decode(WHAT, text)?;
    let list = list.into_iter().map(PendingActionRow::errand).collect::<Result<_, _>>()?;
    let asked = asked.map(|ActionRequestRow { pid, started, at }| ActionRequest {
        pid,
        started,
        at: Timestamp::from_millis(at),
    });
    Ok(PendingActions { list, asked })
}

impl From<&PendingAction> for PendingActionRow {
    fn from(errand: &PendingAction) -> Self {
        match errand {
            PendingAction::Summarize => Self::Summarize,
            PendingAction::Create => Self::Create,
            PendingAction::Select => Self::Select,
            PendingAction::Prompt(session) => Self::Prompt(session.to_string()),
            PendingAction::Hear => Self::Hear,
            PendingAction::Delete(session) => Self::Delete(session.to_string()),
        }
    }
}

impl PendingActionRow {
    fn errand(self) -> Result<PendingAction, StoreError> {
        Ok(match self {
            Self::Summarize => PendingAction::Summarize,
            Self::Create => PendingAction::Create,
            Self::Select => PendingAction::Select,
            Self::Prompt(session) => PendingAction::Prompt(decode_session_id(&session)?),
            Self::Hear => PendingAction::Hear,
            Self::Delete(session) => PendingAction::Delete(decode_session_id(&session)?),
        })
    }
}
