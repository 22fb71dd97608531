use std::path::PathBuf;

use ralph_core::{Timestamp, TreeId};

use crate::facts::{AttributesPresence, TreeFacts};
use crate::label::SnapshotLabel;
use crate::modes::FileModes;
use crate::scope::LeftOutFile;

/// The files of a work tree at one moment of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Its name within the run.
    pub label: SnapshotLabel,
    /// The id of its contents.
    pub tree: TreeId,
    /// Time at which these contents were first recorded. A snapshot without
    /// changes keeps the time of the one before.
    pub at: Timestamp,
    /// The storage that holds it.
    pub place: SnapshotPlace,
    /// Files that it does not hold; no rollback touches them.
    pub left_out: Vec<LeftOutFile>,
    /// Repositories inside the work tree. A snapshot in git records at most
    /// their commit, never their files.
    pub nested: Vec<PathBuf>,
    /// Folders of the start without a file of the tree that still exist.
    pub(crate) folders: Vec<PathBuf>,
    pub(crate) modes: FileModes,
    pub(crate) attributes: AttributesPresence,
}

/// The storage of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SnapshotPlace {
    /// The repository.
    Git {
        /// The commit, whose tree is the snapshot's. Its parent, if it has one,
        /// holds the bytes of files that git converts.
        commit: String,
        /// The name of its reference: `refs/ralph/`, the run, `/` and the
        /// label.
        reference: String,
        /// The tree of the parent.
        raw: Option<String>,
    },
    /// Our state folder.
    Files {
        /// The list of the files; their contents are in `objects`.
        manifest: PathBuf,
    },
}

/// The contents of a tree, to the byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TreeVersion {
    pub(crate) tree: TreeId,
    /// In git, the tree of those files whose bytes differ from their stored
    /// contents.
    pub(crate) raw: Option<String>,
}

/// Recorded contents that no snapshot refers to yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RecordedTree {
    pub(crate) version: TreeVersion,
    pub(crate) facts: TreeFacts,
}

impl Snapshot {
    pub(crate) fn new(
        label: SnapshotLabel,
        tree: TreeId,
        place: SnapshotPlace,
        facts: TreeFacts,
    ) -> Self {
        let TreeFacts { at, left_out, nested, folders, modes, attributes } = facts;
        Self { label, tree, at, place, left_out, nested, folders, modes, attributes }
    }

    pub(crate) fn facts(&self) -> TreeFacts {
        TreeFacts {
            at: self.at,
            left_out: self.left_out.clone(),
            nested: self.nested.clone(),
            folders: self.folders.clone(),
            modes: self.modes.clone(),
            attributes: self.attributes,
        }
    }

    /// Returns true if both are in the same storage. Others cannot be compared.
    pub fn is_beside(&self, other: &Self) -> bool {
        std::mem::discriminant(&self.place) == std::mem::discriminant(&other.place)
    }

    pub(crate) fn version(&self) -> TreeVersion {
        let raw = match &self.place {
            SnapshotPlace::Git { raw, .. } => raw.clone(),
            SnapshotPlace::Files { .. } => None,
        };
        TreeVersion { tree: self.tree.clone(), raw }
    }

    /// Returns true if it has the same contents and facts as `present`.
    pub(crate) fn is_like(&self, present: &RecordedTree) -> bool {
        self.version() == present.version
            && self.left_out == present.facts.left_out
            && self.nested == present.facts.nested
            && self.folders == present.facts.folders
            && self.modes == present.facts.modes
            && self.attributes == present.facts.attributes
    }
}

/// The contents at a path of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TreeItem {
    pub(crate) kind: ItemKind,
    /// The id of the contents in the store.
    pub(crate) content: String,
}

/// The kind of a path in a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemKind {
    File,
    Executable,
    Link,
    /// A nested repository or an unreadable file: it exists, but the store has
    /// no contents for it.
    Opaque,
}

/// A path that differs between two versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PathDifference {
    pub(crate) path: PathBuf,
    pub(crate) from: Option<TreeItem>,
    pub(crate) to: Option<TreeItem>,
}
