//! Symbols and relations of a project's code, updated on every query.
//!
//! A file is read once into [`facts::FileFacts`], which depend on its bytes
//! alone. They are stored by content hash, so a file that comes back, or is the
//! same in another worktree, is not read again. The meaning of a name depends
//! on other files, so it is resolved when a query needs it.

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

pub use code::{Code, Symbol};
pub use index::{Index, IndexError};
pub use update::{Progress, Updated};
