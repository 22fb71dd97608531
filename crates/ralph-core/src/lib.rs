//! Pure decisions of ralph: claims, evidence, progress, limits, feedback.
//!
//! Nothing here reads files, clocks or the environment; everything is a
//! function of its arguments, so every rule has a table test.

pub mod claim;
pub mod ids;
pub mod locale;
pub mod question;
pub mod redact;

pub use ids::{Approach, ParseRunIdError, RunId, SessionId, TreeId};
