//! Claude Code: inside it through its hooks, and what is installed for that.
//!
//! Everything here is text in, text out: files, processes and the environment
//! belong to the callers.

pub mod files;
pub mod hook;
pub mod settings;

mod plan;
mod reply;

pub use hook::{BadPayload, parse};
pub use plan::{plan_install, plan_uninstall};
pub use reply::render;

/// The name by which its hooks tell `ralph` whose dialect they speak.
pub const NAME: &str = "claude-code";
