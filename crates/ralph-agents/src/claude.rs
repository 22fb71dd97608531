//! Claude Code: inside it through its hooks, and driven from outside turn by
//! turn.
//!
//! Everything here is text in, text out: files, processes and the environment
//! belong to the callers.

pub mod files;
pub mod hook;
pub mod settings;

mod agent;
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

pub use agent::{ClaudeAgent, SETTINGS};
pub use hook::parse;
pub use look::{inspect, payload};
pub use plan::{plan_install, plan_uninstall, user_folder};
pub use reply::render;
pub(crate) use servers::SERVERS;

/// The name by which its hooks tell `ralph` whose dialect they speak.
pub const NAME: &str = "claude-code";
