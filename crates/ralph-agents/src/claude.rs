//! Claude Code: as a host through its hooks, and as an agent driven turn by
//! turn.
//!
//! This module maps text to text: callers handle files, processes and the
//! environment.

pub mod files;
pub mod hook;
pub mod settings;

mod agent;
mod asked;
mod denial;
mod look;
mod pieces;
mod places;
mod plan;
mod reply;
mod result;
mod servers;
mod stream;
mod verdict;

use ralph_core::ids::SessionId;

pub use agent::{ClaudeAgent, SETTINGS};
pub(crate) use asked::asked;
pub use hook::parse;
pub use look::{inspect, payload};
pub(crate) use places::places;
pub use plan::{plan_install, plan_uninstall};
pub use reply::render;
pub(crate) use servers::SERVERS;

/// The name that its hooks pass to `ralph hook --agent`.
pub const NAME: &str = "claude-code";

/// Returns the command that resumes a session, whose id must be a UUID.
pub fn resume_command(session: &SessionId) -> Option<Vec<String>> {
    let parts: Vec<&str> = session.as_str().split('-').collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    let is_hex = parts.iter().all(|part| part.chars().all(|c| c.is_ascii_hexdigit()));
    let words = ["claude", "--resume", session.as_str()];
    (is_hex && lengths == [8, 4, 4, 4, 12]).then(|| words.map(str::to_owned).to_vec())
}
