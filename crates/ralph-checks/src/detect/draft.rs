use ralph_core::format::Format;
use ralph_core::policy::{Criterion, GateCommand};

use super::sight::Folder;

/// A proposal in the making, by one ecosystem in one folder.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) criterion: Criterion,
    pub(super) tool: &'static str,
    pub(super) command: GateCommand,
    pub(super) format: Format,
    pub(super) why: String,
    pub(super) missing: Option<String>,
}

impl Draft {
    /// A command whose words hold no white space. Its program is needed.
    pub(super) fn new(
        folder: &Folder<'_>,
        criterion: Criterion,
        tool: &'static str,
        line: &str,
    ) -> Self {
        Self::of_words(folder, criterion, tool, line.split_whitespace().map(str::to_owned))
    }

    /// A command of these words. The first is the program and is needed.
    pub(super) fn of_words(
        folder: &Folder<'_>,
        criterion: Criterion,
        tool: &'static str,
        words: impl IntoIterator<Item = String>,
    ) -> Self {
        let words: Vec<String> = words.into_iter().collect();
        let program = words.first().cloned().unwrap_or_default();
        let draft = Self::bare(criterion, tool, GateCommand::Argv(words));
        draft.needs(folder, &program)
    }

    /// A script for a shell; what it needs has to be said.
    pub(super) fn of_script(criterion: Criterion, tool: &'static str, script: &str) -> Self {
        Self::bare(criterion, tool, GateCommand::Shell(script.to_owned()))
    }

    fn bare(criterion: Criterion, tool: &'static str, command: GateCommand) -> Self {
        let (format, why) = (Format::Text, String::new());
        Self { criterion, tool, command, format, why, missing: None }
    }

    /// Says how its output is read; plain text unless said.
    #[must_use]
    pub(super) fn reads(self, format: Format) -> Self {
        Self { format, ..self }
    }

    /// Says what speaks for it.
    #[must_use]
    pub(super) fn because(self, why: impl Into<String>) -> Self {
        Self { why: why.into(), ..self }
    }

    /// Says that it cannot run without this program.
    #[must_use]
    pub(super) fn needs(self, folder: &Folder<'_>, program: &str) -> Self {
        if folder.has_tool(program) { self } else { self.lacks(program) }
    }

    /// Says what is not here. What was missing first stays.
    #[must_use]
    pub(super) fn lacks(self, what: &str) -> Self {
        let missing = self.missing.or_else(|| Some(what.to_owned()));
        Self { missing, ..self }
    }
}
