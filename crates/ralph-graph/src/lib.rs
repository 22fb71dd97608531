//! Symbols and relations of a project's code, updated on every query.
//!
//! A file is read once into [`facts::FileFacts`], which depend on its bytes
//! alone. They are stored by content hash, so a file that comes back, or is the
//! same in another worktree, is not read again. The meaning of a name depends
//! on other files, so it is resolved when a query needs it.
//!
//! # Details
//!
//! - There is no row for each reference. A reference is resolved from the outlines
//!   of all files and the full facts of the few that mention the name. So the
//!   index after any edits equals a new index of the present files. One exception:
//!   a broken file keeps its last whole state, marked as stale.
//! - Folders are rows with the stamps of their files; an update compares stamps
//!   and reads what differs.
//! - Resolution follows scope, imports and the rules of the language
//!   (`resolve.rs`). A member of a value of unknown type is resolved only if the
//!   project has one such member and the file can reach it. Anything else is
//!   ambiguous, with its candidates, or outside the project.
//! - The data is derived, in a database of its own: hooks do not pay for it, it is
//!   never migrated, and damage is repaired by reading again.

pub mod facts;
pub mod language;
#[cfg_attr(
    not(feature = "default"),
    expect(dead_code, reason = "what one language needs another does not")
)]
pub mod read;
pub mod skip;

pub mod anchor;
pub mod ask;
pub mod cases;
pub mod freshness;
pub mod map;

mod code;
mod content;
mod encode;
mod exports;
mod family;
mod folder;
mod fuzzy;
mod index;
mod known;
mod manifest;
mod mixer;
mod outline;
mod project;
mod rank;
mod resolve;
#[cfg(test)]
mod scratch;
mod script_config;
mod sketch;
mod spaces;
mod times;
mod update;
mod walk;

pub use code::{CodeSymbol, KnownCode};
pub use index::{Index, IndexError};
pub use update::{UpdateProgress, UpdateSummary};
