//! Claude Code: inside it through its hooks, and driven from outside turn by
//! turn.
//!
//! Everything here is text in, text out: files, processes and the environment
//! belong to the callers.

pub mod files;
pub mod hook;
pub mod settings;

mod agent;
mod asked;
mod denial;
mod lines;
mod look;
mod pieces;
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
pub use plan::{plan_install, plan_uninstall, user_folder};
pub use reply::render;
pub(crate) use servers::SERVERS;

/// The name by which its hooks tell `ralph` whose dialect they speak.
pub const NAME: &str = "claude-code";

/// The command line that goes on with a session; its name is a UUID.
pub fn resume_command(session: &SessionId) -> Option<Vec<String>> {
    let parts: Vec<&str> = session.as_str().split('-').collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    let is_hex = parts.iter().all(|part| part.chars().all(|c| c.is_ascii_hexdigit()));
    let words = ["claude", "--resume", session.as_str()];
    (is_hex && lengths == [8, 4, 4, 4, 12]).then(|| words.map(str::to_owned).to_vec())
}
