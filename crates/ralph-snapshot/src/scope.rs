use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::left_out::{self, LeftOut};

/// Untracked files above this many bytes are left out unless told otherwise.
const SIZE_LIMIT: u64 = 100 * 1024 * 1024;

/// What belongs to a tree, beyond what the ignore rules say.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    pub(crate) left_out: LeftOut,
    /// Ignored paths that count all the same; relative to the root, no dots.
    pub(crate) included: Vec<PathBuf>,
    /// Untracked files above this many bytes do not count.
    pub(crate) size_limit: u64,
    /// Files that count however large they are.
    pub(crate) must: BTreeSet<PathBuf>,
}

impl Scope {
    pub(crate) fn new(state: Option<PathBuf>) -> Self {
        let left_out = LeftOut::new(state);
        Self { left_out, included: Vec::new(), size_limit: SIZE_LIMIT, must: BTreeSet::new() }
    }

    /// Replaces the ignored paths that count. Those outside of `root`, and
    /// `root` itself, are passed over.
    pub(crate) fn include(
        &mut self,
        root: &Path,
        paths: impl IntoIterator<Item = impl AsRef<Path>>,
    ) {
        let inside = |path: &Path| left_out::relative(root, path);
        self.included = paths.into_iter().filter_map(|path| inside(path.as_ref())).collect();
    }

    /// Lets these files count, be they ignored or large.
    pub(crate) fn insist_on(&mut self, paths: &BTreeSet<PathBuf>) {
        self.included.extend(paths.iter().cloned());
        self.must.extend(paths.iter().cloned());
    }

    pub(crate) fn includes(&self, path: &Path) -> bool {
        self.included.iter().any(|included| path.starts_with(included))
    }
}

/// A file that does not belong to a tree although no rule ignores it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeftOutFile {
    /// Relative to the root of the work tree.
    pub path: PathBuf,
    /// How large it was.
    pub bytes: u64,
    /// What kept it out.
    pub why: WhyLeftOut,
}

/// Why a file was left out of a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WhyLeftOut {
    /// It is untracked and above the size limit.
    TooLarge,
    /// It may not be read.
    Unreadable,
}
