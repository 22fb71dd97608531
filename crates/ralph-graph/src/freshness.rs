//! How far an answer can be relied on: nothing found is not the same as
//! nothing known.

/// How far what is known can be relied on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Freshness {
    /// Files that are known.
    pub files: usize,
    /// Files that are known as they were before.
    pub stale: Vec<Trouble>,
    /// Files of which something is not known.
    pub partial: Vec<Trouble>,
    /// Files that were left out by a rule.
    pub skipped: Vec<Trouble>,
}

/// A file with which something is the matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// From the root, with slashes.
    pub path: String,
    /// What it is.
    pub why: String,
}

/// Freshness in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FreshnessState {
    /// All code is known as it is.
    Fresh,
    /// Some is known as it was before.
    Stale,
    /// Some is not known.
    Partial,
    /// There is no code that could be read, so nothing can be said.
    Unknown,
}

impl Freshness {
    /// Freshness in one word.
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
    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Fresh => "fresh",
            Self::Stale => "stale",
            Self::Partial => "partial",
            Self::Unknown => "unknown",
        }
    }
}
