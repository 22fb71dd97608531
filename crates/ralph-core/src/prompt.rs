//! What the next turn reads, in parts: each is written by one place, and all are
//! put together in one, by [`crate::wording::NextPrompt`].

/// The parts of what the next turn reads; those without anything to say are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PromptSections {
    /// Why the work does not count as done.
    pub verdict: String,
    /// What the checks found.
    pub findings: String,
    /// What the agent asked, and the answer.
    pub answer: String,
    /// What the agent was not allowed to do.
    pub refusals: String,
    /// What is known of such failures.
    pub notes: String,
    /// What the turns so far say about the next one.
    pub past: String,
}

impl PromptSections {
    /// The parts in the order in which they are read.
    pub fn in_order(&self) -> [&str; 6] {
        let Self { verdict, findings, answer, refusals, notes, past } = self;
        [verdict, findings, answer, refusals, notes, past].map(String::as_str)
    }

    /// Every part, to be cleaned of secrets.
    pub fn texts(&mut self) -> [&mut String; 6] {
        let Self { verdict, findings, answer, refusals, notes, past } = self;
        [verdict, findings, answer, refusals, notes, past]
    }

    /// Whether nothing was judged yet.
    pub fn is_empty(&self) -> bool {
        self.in_order().iter().all(|part| part.is_empty())
    }

    /// All parts as one text.
    pub fn text(&self) -> String {
        paragraphs(self.in_order())
    }
}

/// The texts that say something, with a blank line between them.
pub(crate) fn paragraphs<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
}
