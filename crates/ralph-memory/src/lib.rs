//! What was learned, found again: ranked search over memory entries.
//!
//! A [`Notebook`] keeps notes in one `SQLite` file and finds the best of them for
//! a question. The ranking is BM25 over weighted places (title, text,
//! identifiers, paths, neighbouring entries), raised by the entry's group.
//!
//! `SQLite`'s FTS5 keeps which entry has which word where. We cut the words
//! ourselves, identifiers into their parts and Korean without its particles,
//! and decide what a hit is worth: FTS5's own order knows neither neighbours
//! nor groups (`docs/adr/0003-search-memory-with-fts5.md`).
//!
//! The file is derived data. It can be deleted and built anew, and damage to it
//! touches nothing else. The truth is the [`log`], in plain files that survive the
//! loss of every database.
//!
//! # The log and the notebook
//!
//! - A hook appends to the log with one lock and one write, and waits for no lock:
//!   if the log is held, it writes a file beside it, which the next writer makes a
//!   file of the log. The log only grows, but for what is forgotten, too old or
//!   damaged: then one new file takes the place of all others at once.
//! - The [`Notebook`] is a pure projection of the events in their order
//!   (`notebook/projection.rs`). Decisions (one note replaces another, or says the
//!   same) are events too, so a replay decides nothing.
//! - Consolidation (`consolidate.rs`) makes all decisions about notes on trial.
//!   Only notes that a turn cited or wrote are credited with its checks.
//! - The author of a note says what it replaces. `relation.rs` decides alone only
//!   in the strict case; `tests/memory` measures that.
//! - An anchor (`anchor.rs`) is the hash of a file, or of a definition in it. A
//!   file that did not change answers for all its definitions.
//!
//! # Search
//!
//! - Neighbours' words are added when a question is asked, so a new entry is the
//!   only one that is indexed. The rest of what a search needs of an entry is 24
//!   bytes in a table of places.
//! - The rarest 64 words of a question are looked up; the most frequent of them
//!   are dropped beyond 200,000 hits. Words are cut before a transaction begins.
//! - All weights are in one struct, `Ranking`.
//! - Git history ([`history`]) has no index: commits are stored by name, and git
//!   says each time which of them count.

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
pub mod log;
mod memory;
pub mod notebook;
pub mod notebooks;
mod precedence;
mod query;
mod ranking;
pub mod relation;
pub mod resume;
mod session;
mod store;
pub mod succession;

pub use entry::{ImportRefusal, LONGEST_NAME, LONGEST_TEXT, MOST_FILES, refusal};
pub use error::MemoryError;
pub use notebook::{
    AttemptQuery, ImportCounts, ImportedNote, NoteCounts, NoteHit, NoteRetirement, NoteSelection,
    NoteTally, NoteTexts, Notebook, NotebookStats, PastAttempt, RetentionOutcome, SalvageReport,
    SessionRetention, StoredNote, failure_key, failure_name, failure_note, new_id, note_id,
    note_of, try_name,
};
pub use notebooks::{
    BOTH, ChoiceError, NoteAddition, NoteChoice, NoteDraft, NoteWriter, NotebookRemark, Notebooks,
};
pub use query::{GroupHit, RetiredEntries, SearchFilters, SearchQuery};
pub use session::{
    MessageRole, PermissionMode, SessionFilter, SessionLookup, SessionMessage, SessionObservation,
    SessionRecord, session_id,
};
pub use store::open::LockPatience;
