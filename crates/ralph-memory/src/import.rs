//! Writing entries: who is new, who stands beside whom.

mod batch;
mod links;

pub(crate) use self::batch::{EntryBatch, IdentityRule, remove, set_state};

use crate::entry::ImportRefusal;

/// What an import did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportCounts {
    /// Entries that were not there.
    pub added: u64,
    /// Entries that were there and differed.
    pub updated: u64,
    /// Entries that were there as they are.
    pub unchanged: u64,
    /// Entries that were there, differed, and stay as the user has them here.
    pub kept: u64,
    /// Notes that hold and are the user's word by this import.
    pub said: Vec<String>,
    /// Entries that were left out: where in the order they came, and why.
    pub refused: Vec<(u64, ImportRefusal)>,
}
