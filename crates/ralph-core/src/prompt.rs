//! The sections of the next prompt. Each is written by one place, and
//! [`crate::wording::NextPrompt`] joins them.

/// The sections of the next prompt; unused ones are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PromptSections {
    /// The reason why the work does not count as done.
    pub verdict: String,
    /// The findings of the checks.
    pub findings: String,
    /// The agent's question and its answer.
    pub answer: String,
    /// Operations that the agent was denied.
    pub refusals: String,
    /// Notes about such failures.
    pub notes: String,
    /// Lessons of earlier turns for the next one.
    pub past: String,
}

impl PromptSections {
    /// Returns the sections in reading order.
    pub fn in_order(&self) -> [&str; 6] {
        let Self { verdict, findings, answer, refusals, notes, past } = self;
        [verdict, findings, answer, refusals, notes, past].map(String::as_str)
    }

    /// Returns every section mutably, for the removal of secrets.
    pub fn texts(&mut self) -> [&mut String; 6] {
        let Self { verdict, findings, answer, refusals, notes, past } = self;
        [verdict, findings, answer, refusals, notes, past]
    }

    /// Returns true if all sections are empty.
    pub fn is_empty(&self) -> bool {
        self.in_order().iter().all(|part| part.is_empty())
    }

    /// Joins all sections to one text.
    pub fn text(&self) -> String {
        paragraphs(self.in_order())
    }
}

/// Joins the texts that are not empty with blank lines.
pub(crate) fn paragraphs<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
}
