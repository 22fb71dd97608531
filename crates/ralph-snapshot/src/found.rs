use std::path::PathBuf;

use ralph_core::TreeId;

use crate::scope::LeftOutFile;

/// A tree that was named just now, and what lay beside it.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) id: TreeId,
    pub(crate) left_out: Vec<LeftOutFile>,
    /// Repositories inside the work tree of which the tree says nothing.
    pub(crate) nested: Vec<PathBuf>,
}
