//! Inverted lists and the search for the best documents in them.
//!
//! A list is cut into blocks of 128 postings. Each block's last document and
//! largest impact are known without reading it, so that blocks which cannot
//! hold one of the best are never decoded. What is returned is exact: the same
//! documents in the same order as if every posting had been scored.

mod allowed;
mod block;
mod list;
mod postings;
mod search;
mod top;

pub(crate) use self::allowed::Allowed;
pub(crate) use self::list::{Chunks, List};
pub(crate) use self::postings::{Malformed, chunks_of, decode, encode, local_of, posting};
pub(crate) use self::search::search;
pub(crate) use self::top::{Scored, Top};

/// Documents of one partition: a list's numbers are relative to its partition.
pub(crate) const PARTITION: u32 = 1 << PARTITION_BITS;

/// Lists up to this length have no chunks.
pub(crate) const SHORT_LIST: u32 = 128;

/// The bits of a document's number inside its partition.
pub(crate) const PARTITION_BITS: u32 = 17;
