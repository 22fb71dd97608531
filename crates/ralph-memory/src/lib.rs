//! What was learned, found again: ranked search over memory entries.
//!
//! [`Memory`] keeps entries in one `SQLite` file and finds the best of them for
//! a question. The ranking is BM25 over weighted places (title, text,
//! identifiers, paths, neighbouring entries), raised by the entry's group.
//!
//! The index is our own and not FTS5: a question is an OR of its words, for
//! which FTS5 scores every entry that has one of them. That took 28 ms at
//! 100,000 entries and 280 ms at a million. Here lists are cut into blocks whose
//! best impact is known, and blocks that cannot matter are never read, without
//! changing the result. It also lets us cut words ourselves: identifiers into
//! their parts, Korean without its particles.
//!
//! The file is derived data. It can be deleted and built anew, and damage to it
//! touches nothing else. The truth is the [`log`], which only grows, in plain
//! files that survive the loss of every database.

pub mod analysis;
pub mod anchor;
pub mod approach;
pub mod clean;
pub mod consolidate;
mod entry;
mod error;
pub mod event;
pub mod health;
pub mod history;
mod import;
mod index;
pub mod log;
mod memory;
pub mod notebook;
mod precedence;
mod query;
mod ranking;
pub mod raw;
pub mod relation;
pub mod resume;
mod session;
mod store;
pub mod succession;
#[doc(hidden)]
pub mod synthetic;
mod vector;

pub use entry::{Entry, LONGEST_NAME, LONGEST_TEXT, MOST_FILES, Refusal, State};
pub use error::MemoryError;
pub use import::Imported;
pub use memory::Memory;
pub use notebook::{
    AttemptQuery, Brought, Counts, Found, Keep, Known, LetGo, Notebook, PastAttempt, Retirement,
    Salvage, Selection, Stats, Tally, Words, failure_key, failure_name, failure_note, new_id,
    note_id,
};
pub use query::{Filters, GroupHit, Hit, Query, Retired};
pub use ranking::Ranking;
pub use session::{
    Message, Observation, Session, SessionFilter, SessionFound, SessionMode, Who, session_id,
};
pub use store::open::Patience;
