//! Pure decisions of ralph: claims, evidence, progress, limits, feedback.
//!
//! Nothing here reads files, clocks or the environment; everything is a
//! function of its arguments, so every rule has a table test.

pub mod circle;
pub mod claim;
pub mod decide;
pub mod diagnostics;
pub mod errand;
pub mod evidence;
pub mod feedback;
pub mod finding;
pub mod format;
pub mod host;
pub mod ids;
pub mod limits;
pub mod line;
pub mod locale;
pub mod look;
pub mod memory;
pub mod original;
pub mod policy;
pub mod preserve;
pub mod progress;
pub mod prompt;
pub mod question;
pub mod run;
#[cfg(test)]
mod samples;
pub mod score;
pub mod state;
pub mod template;
pub mod time;
pub mod tokens;
pub mod usage;
pub mod wording;

pub use decide::{Decision, TurnJudgement, decide};
pub use evidence::Evidence;
pub use ids::{Approach, Hunk, ParseRunIdError, RunId, SessionId, TreeId};
pub use policy::Policy;
pub use run::Run;
pub use state::RunState;
pub use time::Timestamp;
