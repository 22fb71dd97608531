//! Who gets how much room.

use super::{USUAL_TOKENS, Written};
use crate::tokens::with_margin;

/// A part of what is shown, in the order of the text: what changes least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// What holds always.
    Rules,
    /// The code that the task names.
    Code,
    /// Files that the task will probably touch.
    Likely,
    /// What must hold in files that were changed.
    Invariants,
    /// How things are done, and what is so.
    Known,
    /// Where the work stands.
    Task,
    /// What goes wrong.
    Gotchas,
    /// What was tried and failed.
    Failures,
    /// What was done to the files lately.
    Timeline,
}

impl Section {
    /// In the order in which room is given out. What one leaves goes to the next.
    pub(super) const BY_PRECEDENCE: [Self; 9] = [
        Self::Rules,
        Self::Task,
        Self::Invariants,
        Self::Gotchas,
        Self::Failures,
        Self::Known,
        Self::Code,
        Self::Likely,
        Self::Timeline,
    ];

    /// The tokens it has, if there are so many in all.
    pub const fn share(self, tokens: usize) -> usize {
        let of_usual = match self {
            Self::Rules | Self::Task => 1500,
            // Work is checked with what must hold and planned with what is known.
            Self::Gotchas | Self::Known | Self::Code | Self::Invariants => 1200,
            Self::Failures => 800,
            Self::Likely | Self::Timeline => 300,
        };
        // In this order because a budget may be as large as there is.
        tokens / USUAL_TOKENS * of_usual + tokens % USUAL_TOKENS * of_usual / USUAL_TOKENS
    }

    /// The name in output for programs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::Code => "code",
            Self::Likely => "likely",
            Self::Invariants => "invariants",
            Self::Known => "known",
            Self::Task => "task",
            Self::Gotchas => "gotchas",
            Self::Failures => "failures",
            Self::Timeline => "timeline",
        }
    }
}

/// Where a note is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shelf {
    /// What the user wants to hold always.
    Rule,
    /// What must hold in files that were changed.
    Invariant,
    /// How something is done.
    Skill,
    /// How things look here.
    Pattern,
    /// What is so, was decided or found out.
    Fact,
    /// What goes wrong.
    Gotcha,
    /// What was tried and failed.
    Failure,
}

impl Shelf {
    /// The part of the text it is in.
    pub const fn section(self) -> Section {
        match self {
            Self::Rule => Section::Rules,
            Self::Invariant => Section::Invariants,
            Self::Skill | Self::Pattern | Self::Fact => Section::Known,
            Self::Gotcha => Section::Gotchas,
            Self::Failure => Section::Failures,
        }
    }

    /// How many notes it has at most: more are not read.
    pub const fn limit(self) -> usize {
        match self {
            Self::Rule => usize::MAX,
            Self::Skill | Self::Gotcha | Self::Fact | Self::Failure => 5,
            Self::Pattern => 3,
            Self::Invariant => 10,
        }
    }
}

/// The room that is left.
pub(super) struct Room {
    tokens: usize,
    /// In all.
    free: usize,
    /// What earlier sections did not use of theirs.
    unused: usize,
}

impl Room {
    pub(super) const fn new(tokens: usize, free: usize) -> Self {
        Self { tokens, free, unused: 0 }
    }

    /// Lets a section write into its share and what others left of theirs.
    pub(super) fn fill(
        &mut self,
        section: Section,
        write: impl FnOnce(usize) -> Option<(usize, Written)>,
    ) -> Option<Written> {
        let due = with_margin(section.share(self.tokens)) + self.unused;
        let written = write(due.min(self.free));
        let used = written.as_ref().map_or(0, |(used, _)| *used);
        self.unused = due - used;
        self.free -= used;
        written.map(|(_, written)| written)
    }
}
