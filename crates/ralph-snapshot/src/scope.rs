use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::left_out::{self, LeftOut};

/// Default size in bytes above which untracked files are left out.
const SIZE_LIMIT: u64 = 100 * 1024 * 1024;

/// The files that belong to a tree, beyond the ignore rules.
#[derive(Clone, Debug)]
pub(crate) struct TreeScope {
    pub(crate) left_out: LeftOut,
    /// Ignored paths that count anyway; relative to the root, without dots.
    pub(crate) included: Vec<PathBuf>,
    /// Untracked files above this many bytes do not count.
    pub(crate) size_limit: u64,
    /// Files that count whatever their size.
    pub(crate) must: BTreeSet<PathBuf>,
}

impl TreeScope {
    pub(crate) fn new(state: Option<PathBuf>) -> Self {
        let left_out = LeftOut::new(state);
        Self { left_out, included: Vec::new(), size_limit: SIZE_LIMIT, must: BTreeSet::new() }
    }

    /// Replaces the ignored paths that count. Those outside of `root`, and
    /// `root` itself, are skipped.
    pub(crate) fn include(
        &mut self,
        root: &Path,
        paths: impl IntoIterator<Item = impl AsRef<Path>>,
    ) {
        let inside = |path: &Path| left_out::relative(root, path);
        self.included = paths.into_iter().filter_map(|path| inside(path.as_ref())).collect();
    }

    /// Makes these files count, even if ignored or large.
    pub(crate) fn insist_on(&mut self, paths: &BTreeSet<PathBuf>) {
        self.included.extend(paths.iter().cloned());
        self.must.extend(paths.iter().cloned());
    }

    pub(crate) fn includes(&self, path: &Path) -> bool {
        self.included.iter().any(|included| path.starts_with(included))
    }
}

/// A file that is not part of a tree although no rule ignores it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeftOutFile {
    /// Relative to the root of the work tree.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// The reason.
    pub why: WhyLeftOut,
}

/// A reason why a snapshot leaves a file out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WhyLeftOut {
    /// It is untracked and above the size limit.
    TooLarge,
    /// It cannot be read.
    Unreadable,
}
