//! The stored form of the actions that a host still has to carry out.

use ralph_core::Timestamp;
use ralph_core::errand::{Asked, Errand, Errands};
use serde::{Deserialize, Serialize};

use super::{decode, decode_session_id, encode};
use crate::error::StoreError;

const WHAT: &str = "what a host still has to do";

#[derive(Deserialize, Serialize)]
struct ErrandsRow {
    list: Vec<ErrandRow>,
    asked: Option<AskedRow>,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum ErrandRow {
    Summarize,
    Create,
    Select,
    Prompt(String),
    Hear,
    Delete(String),
}

#[derive(Deserialize, Serialize)]
struct AskedRow {
    pid: u32,
    started: u64,
    at: i64,
}

/// Returns the JSON form of a list; `None` for an empty one.
pub(super) fn encode_errands(errands: &Errands) -> Result<Option<String>, StoreError> {
    let Errands { list, asked } = errands;
    if list.is_empty() {
        return Ok(None);
    }
    let asked =
        asked.map(|Asked { pid, started, at }| AskedRow { pid, started, at: at.as_millis() });
    let row = ErrandsRow { list: list.iter().map(ErrandRow::from).collect(), asked };
    encode(WHAT, &row).map(Some)
}

/// Reads a list from its JSON form.
pub(super) fn decode_errands(text: Option<&str>) -> Result<Errands, StoreError> {
    let Some(text) = text else { return Ok(Errands::default()) };
    let ErrandsRow { list, asked } = decode(WHAT, text)?;
    let list = list.into_iter().map(ErrandRow::errand).collect::<Result<_, _>>()?;
    let asked = asked.map(|AskedRow { pid, started, at }| Asked {
        pid,
        started,
        at: Timestamp::from_millis(at),
    });
    Ok(Errands { list, asked })
}

impl From<&Errand> for ErrandRow {
    fn from(errand: &Errand) -> Self {
        match errand {
            Errand::Summarize => Self::Summarize,
            Errand::Create => Self::Create,
            Errand::Select => Self::Select,
            Errand::Prompt(session) => Self::Prompt(session.to_string()),
            Errand::Hear => Self::Hear,
            Errand::Delete(session) => Self::Delete(session.to_string()),
        }
    }
}

impl ErrandRow {
    fn errand(self) -> Result<Errand, StoreError> {
        Ok(match self {
            Self::Summarize => Errand::Summarize,
            Self::Create => Errand::Create,
            Self::Select => Errand::Select,
            Self::Prompt(session) => Errand::Prompt(decode_session_id(&session)?),
            Self::Hear => Errand::Hear,
            Self::Delete(session) => Errand::Delete(decode_session_id(&session)?),
        })
    }
}
