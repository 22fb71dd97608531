use std::path::PathBuf;

use ralph_core::{Timestamp, TreeId};

use crate::facts::{Attributes, Facts};
use crate::label::Label;
use crate::modes::Modes;
use crate::scope::LeftOutFile;

/// The files of a work tree as they were at one moment of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Its name within the run.
    pub label: Label,
    /// The name of its contents.
    pub tree: TreeId,
    /// When these contents were recorded first. A snapshot without a change
    /// since the one before has that one's time.
    pub at: Timestamp,
    /// Where it is kept.
    pub place: Place,
    /// Files that it does not hold, so that no rollback touches them.
    pub left_out: Vec<LeftOutFile>,
    /// Repositories inside the work tree. A snapshot in git holds at most the
    /// name of the commit they were at, never their files.
    pub nested: Vec<PathBuf>,
    /// Folders that were there at the start without a file of the tree, and
    /// still were.
    pub(crate) folders: Vec<PathBuf>,
    pub(crate) modes: Modes,
    pub(crate) attributes: Attributes,
}

/// Where a snapshot is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the repository.
    Git {
        /// The commit, whose tree is the snapshot's. Its parent, if it has
        /// one, holds the bytes of those files that git converts.
        commit: String,
        /// What refers to it: `refs/ralph/`, the run, `/` and the label.
        reference: String,
        /// The tree of the parent.
        raw: Option<String>,
    },
    /// In our state folder.
    Files {
        /// The list of the files; their contents lie in `objects`.
        manifest: PathBuf,
    },
}

/// The contents of a tree, to the byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) tree: TreeId,
    /// In git, the tree of those files whose bytes differ from what git
    /// stores for them.
    pub(crate) raw: Option<String>,
}

/// Contents that were recorded just now, with no name yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Present {
    pub(crate) version: Version,
    pub(crate) facts: Facts,
}

impl Snapshot {
    pub(crate) fn new(label: Label, tree: TreeId, place: Place, facts: Facts) -> Self {
        let Facts { at, left_out, nested, folders, modes, attributes } = facts;
        Self { label, tree, at, place, left_out, nested, folders, modes, attributes }
    }

    pub(crate) fn facts(&self) -> Facts {
        Facts {
            at: self.at,
            left_out: self.left_out.clone(),
            nested: self.nested.clone(),
            folders: self.folders.clone(),
            modes: self.modes.clone(),
            attributes: self.attributes,
        }
    }

    /// Whether both are kept in the repository, or both in our state folder.
    /// Others cannot be compared.
    pub fn is_beside(&self, other: &Self) -> bool {
        std::mem::discriminant(&self.place) == std::mem::discriminant(&other.place)
    }

    pub(crate) fn version(&self) -> Version {
        let raw = match &self.place {
            Place::Git { raw, .. } => raw.clone(),
            Place::Files { .. } => None,
        };
        Version { tree: self.tree.clone(), raw }
    }

    /// Whether it could stand for `present` too.
    pub(crate) fn is_like(&self, present: &Present) -> bool {
        self.version() == present.version
            && self.left_out == present.facts.left_out
            && self.nested == present.facts.nested
            && self.folders == present.facts.folders
            && self.modes == present.facts.modes
            && self.attributes == present.facts.attributes
    }
}

/// What a path of a tree holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) kind: ItemKind,
    /// Names the contents in the store.
    pub(crate) content: String,
}

/// What a path of a tree is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemKind {
    File,
    Executable,
    Link,
    /// A repository of its own, or a file that may not be read: it is there,
    /// but the store has no contents for it.
    Opaque,
}

/// A path that differs between two versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) path: PathBuf,
    pub(crate) from: Option<Item>,
    pub(crate) to: Option<Item>,
}
