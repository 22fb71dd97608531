//! Stored forms of core types. They are private and converted at once.
//!
//! Every field is listed, so code that forgets a new field of a core type does
//! not compile.

mod errands;
mod feedback;
mod gate;
mod policy;
mod progress;
mod reading;
mod run;
mod state;
mod totals;

pub(crate) use gate::{
    decode_changes, decode_gates, decode_usage, encode_changes, encode_gates, encode_usage,
};
pub(crate) use reading::{decode_pass, encode_pass};
pub(crate) use run::{OwnerRow, RunRow};

use ralph_core::RunId;
use ralph_core::SessionId;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::StoreError;

/// Declares the stored twin of a core enum whose variants have no fields.
macro_rules! twin {
    ($twin:ident of $core:ident { $($variant:ident),+ $(,)? }) => {
        #[derive(Clone, Copy, serde::Deserialize, serde::Serialize)]
        #[serde(rename_all = "snake_case")]
        pub(super) enum $twin {
            $($variant),+
        }

        impl From<$core> for $twin {
            fn from(value: $core) -> Self {
                match value {
                    $($core::$variant => Self::$variant),+
                }
            }
        }

        impl From<$twin> for $core {
            fn from(value: $twin) -> Self {
                match value {
                    $($twin::$variant => Self::$variant),+
                }
            }
        }
    };
}
use twin;

/// Returns the JSON form of `value`.
pub(crate) fn encode<T: Serialize>(what: &'static str, value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| unfit(what, &error.to_string()))
}

/// Reads a value from its JSON form.
pub(crate) fn decode<T: DeserializeOwned>(what: &'static str, text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|error| unfit(what, &error.to_string()))
}

/// Returns the error for a value that does not fit its stored form.
pub(crate) fn unfit(what: &'static str, detail: &str) -> StoreError {
    StoreError::Unfit { what, detail: detail.to_owned() }
}

/// Reads a run id.
pub(crate) fn decode_run_id(text: &str) -> Result<RunId, StoreError> {
    text.parse().map_err(|_| unfit("a run id", text))
}

/// Reads a session id.
pub(crate) fn decode_session_id(text: &str) -> Result<SessionId, StoreError> {
    SessionId::new(text).ok_or_else(|| unfit("a session id", text))
}
