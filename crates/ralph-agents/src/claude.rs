//! Claude Code: as a host through its hooks, and as an agent driven turn by
//! turn.
//!
//! This module maps text to text: callers handle files, processes and the
//! environment.

pub(crate) mod files;

mod agent;
mod asked;
mod denial;
mod pieces;
mod places;
mod result;
mod servers;
mod stream;
mod verdict;

pub use agent::{ClaudeAgent, SETTINGS};
pub(crate) use asked::asked;
pub(crate) use places::places;
pub(crate) use servers::SERVERS;

/// The name that its hooks pass to `ralph hook --agent`.
pub const NAME: &str = "claude-code";
