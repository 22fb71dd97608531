use std::path::PathBuf;

use ralph_core::TreeId;

use crate::scope::LeftOutFile;
use crate::snapshot::ItemKind;

/// A tree that was named just now, and what lay beside it.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) id: TreeId,
    pub(crate) left_out: Vec<LeftOutFile>,
    /// Repositories inside the work tree of which the tree says nothing.
    pub(crate) nested: Vec<PathBuf>,
    /// All its files, where that is known without asking git.
    pub(crate) files: Option<Vec<ListedFile>>,
}

/// A file of a tree, and what is known of the one in the work tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ListedFile {
    pub(crate) path: PathBuf,
    pub(crate) kind: ItemKind,
    /// `None` where they were not looked at yet.
    pub(crate) permissions: Option<u32>,
}
