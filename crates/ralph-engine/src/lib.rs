//! The driver loop, the handling of host events, and the event stream.
//!
//! The engine connects the pure decisions of `ralph-core` to processes, files
//! and the store. Surfaces use it through [`loops`] and receive its [`events`].

pub mod affected;
pub mod allowed;
pub mod capture;
pub mod check;
pub mod clock;
pub mod command_log;
pub mod commits;
mod driver;
mod error;
pub mod events;
pub mod history;
pub mod host;
pub mod invariants;
mod known_tests;
pub mod landed;
mod ledger;
pub mod likely;
mod locks;
pub mod loops;
pub mod outside_changes;
pub mod owner;
mod programs;
mod python;
pub mod recall;
pub mod report;
mod ruby;
pub mod seal;
pub mod settings_copy;
mod stamps;
mod steps;
mod surroundings;
pub mod undo;
pub mod wire;

pub use driver::turn::turn_log;
pub use driver::{Driver, keep_changes_of, keep_end_of};
pub use error::EngineError;
pub use ledger::Ledger;
