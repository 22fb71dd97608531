//! The driver loop, the handling of host events, and the event stream.
//!
//! The engine connects the pure decisions of `ralph-core` to processes, files
//! and the store. Surfaces use it through [`loops`] and receive its [`events`].
//!
//! # The driver and hosted loops
//!
//! [`Driver::drive`] starts the agent itself. [`host`] is the driver without its
//! first half: the host takes the turns, and the same gates, snapshots, records
//! and `decide` judge them.
//!
//! - Most events of a host concern no run. A folder in the state home shows that
//!   without opening the store, which keeps a hook cheap.
//! - A turn is stored before the host hears that it goes on. An event is answered
//!   only if the run did not change since the process started, so of several
//!   processes one answers.
//! - A hook starts a gate if it has time for what the gate took before. A gate
//!   without a result is unknown; `ralph check --wait` runs it, and the next hook
//!   uses its pass.
//! - After an edit, linters and warm language servers look at the written files
//!   for two seconds at most (`host/looks.rs`). A look decides nothing.
//! - A loop with a new session for each turn stores the actions that the host has
//!   to carry out before it asks for the first (`host/moving.rs`). The old session
//!   is deleted only after the new one has answered.
//!
//! # Evidence that the agent cannot bend
//!
//! - The driver believes its memory: run, baseline and policy are never read back.
//!   The files that judge the run are read before a turn and restored after it
//!   ([`seal`]). A key for signatures would say no more than that memory.
//! - Reading sources cannot tell a bent test from a better one; running it can.
//!   Before a run with changed tests is accepted, `driver/original.rs` runs the
//!   gate with the tests of the start over the present code, and compares test by
//!   test. Two controls follow (`driver/original/control.rs`), because code can
//!   notice the overlay.
//! - Programs, settings and modules outside the snapshots are compared with the
//!   start only when a run would be accepted (`driver/surroundings.rs`).
//! - Changes that the user makes while a run rests or checks run are not the
//!   agent's.
//!
//! # Notes
//!
//! [`recall`] finds what an agent is shown: notes in one thread, code and commits
//! in another, fused by rank. The result depends only on its inputs, and what
//! changes least comes first. What a judged turn teaches (`driver/outcomes.rs`) is
//! written after the turn is stored. Trouble with the memory never stops a run.

pub mod affected;
pub mod allowed;
pub mod app;
pub mod caller;
pub mod capture;
pub mod check;
pub mod clock;
pub mod command_log;
pub mod commits;
pub mod debug_log;
mod driver;
mod error;
pub mod events;
pub mod folder_guard;
pub mod history;
pub mod hook;
pub mod host;
pub mod invariants;
pub mod landed;
mod ledger;
pub mod likely;
mod locks;
pub mod loops;
pub mod lsp_helper;
pub mod owner;
mod programs;
mod python;
pub mod recall;
pub mod report;
pub mod rights;
mod ruby;
pub mod run;
pub mod seal;
pub mod sessions;
pub mod settings_copy;
mod stamps;
mod steps;
pub mod stop;
mod surroundings;
pub mod tool;
pub mod undo;
mod user_error;
pub mod wire;

pub use driver::turn::turn_log;
pub use driver::{
    CheckSet, Driver, EvidenceGatherer, MemoryUse, RunContext, RunPlaces, TurnInputs,
    log_changes_of, log_end_of,
};
pub use error::EngineError;
pub use ledger::RunLedger;
pub use user_error::{ErrorKind, UserError};
