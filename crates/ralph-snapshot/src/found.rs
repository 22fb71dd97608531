use std::path::PathBuf;

use ralph_core::TreeId;

use crate::scope::LeftOutFile;
use crate::snapshot::ItemKind;

/// The id of the present tree, with files and repositories that are not part of
/// it.
#[derive(Clone, Debug)]
pub(crate) struct PresentTree {
    pub(crate) id: TreeId,
    pub(crate) left_out: Vec<LeftOutFile>,
    /// Repositories inside the work tree, which are not part of the tree.
    pub(crate) nested: Vec<PathBuf>,
    /// All its files, if they are known without asking git.
    pub(crate) files: Option<Vec<ListedFile>>,
}

/// A file of a tree, with its permissions in the work tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ListedFile {
    pub(crate) path: PathBuf,
    pub(crate) kind: ItemKind,
    /// `None` if not read yet.
    pub(crate) permissions: Option<u32>,
}
