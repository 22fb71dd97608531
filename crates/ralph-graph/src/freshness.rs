//! Tells how far an answer can be relied on: finding nothing differs from
//! knowing nothing.

/// Tells how far the index can be relied on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Freshness {
    /// Number of known files.
    pub files: usize,
    /// Files that are known only in an earlier version.
    pub stale: Vec<FileProblem>,
    /// Files that are known only in part.
    pub partial: Vec<FileProblem>,
    /// Files that a rule skipped.
    pub skipped: Vec<FileProblem>,
}

/// A file with a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileProblem {
    /// From the root, with slashes.
    pub path: String,
    /// The problem.
    pub why: String,
}

/// Freshness in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FreshnessState {
    /// All code is known in its current version.
    Fresh,
    /// Some is known only in an earlier version.
    Stale,
    /// Some is not known.
    Partial,
    /// No code could be read, so nothing can be said.
    Unknown,
}

impl Freshness {
    /// Returns the freshness in one word.
    pub fn state(&self) -> FreshnessState {
        if self.files == 0 {
            FreshnessState::Unknown
        } else if !self.stale.is_empty() {
            FreshnessState::Stale
        } else if !self.partial.is_empty() {
            FreshnessState::Partial
        } else {
            FreshnessState::Fresh
        }
    }
}

impl FreshnessState {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Fresh => "fresh",
            Self::Stale => "stale",
            Self::Partial => "partial",
            Self::Unknown => "unknown",
        }
    }
}
