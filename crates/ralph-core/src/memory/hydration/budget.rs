//! Divides the token budget among the sections.

use super::{RenderedSection, USUAL_TOKENS};
use crate::tokens::with_margin;

/// A section of the text, in the order of the text: stable sections first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HydrationSection {
    /// Rules that always hold.
    Rules,
    /// The code that the task names.
    Code,
    /// Files that the task will probably touch.
    Likely,
    /// Conditions that must hold in changed files.
    Invariants,
    /// Skills, patterns and facts.
    Known,
    /// State of the work.
    Task,
    /// Known pitfalls.
    Gotchas,
    /// Failed attempts.
    Failures,
    /// Recent changes of the files.
    Timeline,
}

impl HydrationSection {
    /// All sections, in the order in which they get room. Unused room passes to the next.
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

    /// Returns the section's share of a budget of `tokens`.
    pub const fn share(self, tokens: usize) -> usize {
        let of_usual = match self {
            Self::Rules | Self::Task => 1500,
            // Sections to check work with and to plan with weigh the same.
            Self::Gotchas | Self::Known | Self::Code | Self::Invariants => 1200,
            Self::Failures => 800,
            Self::Likely | Self::Timeline => 300,
        };
        // Division first avoids an overflow with a very large budget.
        tokens / USUAL_TOKENS * of_usual + tokens % USUAL_TOKENS * of_usual / USUAL_TOKENS
    }

    /// Returns the name in output for programs.
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

/// The group of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoteCategory {
    /// A rule of the user that always holds.
    Rule,
    /// A condition that must hold in changed files.
    Invariant,
    /// A procedure.
    Skill,
    /// A pattern of this code base.
    Pattern,
    /// A fact, a decision or a finding.
    Fact,
    /// A known pitfall.
    Gotcha,
    /// A failed attempt.
    Failure,
}

impl NoteCategory {
    /// Returns the section it is shown in.
    pub const fn section(self) -> HydrationSection {
        match self {
            Self::Rule => HydrationSection::Rules,
            Self::Invariant => HydrationSection::Invariants,
            Self::Skill | Self::Pattern | Self::Fact => HydrationSection::Known,
            Self::Gotcha => HydrationSection::Gotchas,
            Self::Failure => HydrationSection::Failures,
        }
    }

    /// Returns the maximum number of its notes; longer lists are not read.
    pub const fn limit(self) -> usize {
        match self {
            Self::Rule => usize::MAX,
            Self::Skill | Self::Gotcha | Self::Fact | Self::Failure => 5,
            Self::Pattern => 3,
            Self::Invariant => 10,
        }
    }
}

/// The token budget that is left.
pub(super) struct TokenBudget {
    tokens: usize,
    /// Tokens left in all.
    free: usize,
    /// Tokens that earlier sections left unused.
    unused: usize,
}

impl TokenBudget {
    pub(super) const fn new(tokens: usize, free: usize) -> Self {
        Self { tokens, free, unused: 0 }
    }

    /// Renders a section within its share and the unused room of earlier ones.
    pub(super) fn fill(
        &mut self,
        section: HydrationSection,
        write: impl FnOnce(usize) -> Option<(usize, RenderedSection)>,
    ) -> Option<RenderedSection> {
        let due = with_margin(section.share(self.tokens)) + self.unused;
        let written = write(due.min(self.free));
        let used = written.as_ref().map_or(0, |(used, _)| *used);
        self.unused = due - used;
        self.free -= used;
        written.map(|(_, written)| written)
    }
}
