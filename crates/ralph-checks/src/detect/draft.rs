use ralph_core::format::OutputFormat;
use ralph_core::policy::{Criterion, GateCommand};

use super::sight::ProjectFolder;
use super::{MissingNeed, ProposalRole};

/// A proposal in the making, by one ecosystem in one folder.
#[derive(Clone, Debug)]
pub(super) struct ProposalDraft {
    pub(super) criterion: Criterion,
    pub(super) tool: &'static str,
    pub(super) command: GateCommand,
    pub(super) format: OutputFormat,
    pub(super) why: String,
    pub(super) missing: Option<MissingNeed>,
    pub(super) standing: ProposalRole,
    /// The kind of project, where one place knows several.
    pub(super) ecosystem: Option<&'static str>,
    /// The tool that a script or task calls and does nothing else.
    pub(super) calls: Option<&'static str>,
}

impl ProposalDraft {
    /// A command whose words hold no white space. Its program is needed.
    pub(super) fn new(
        folder: &ProjectFolder<'_>,
        criterion: Criterion,
        tool: &'static str,
        line: &str,
    ) -> Self {
        Self::of_words(folder, criterion, tool, line.split_whitespace().map(str::to_owned))
    }

    /// A command of these words. The first is the program and is needed.
    pub(super) fn of_words(
        folder: &ProjectFolder<'_>,
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
        Self {
            criterion,
            tool,
            command,
            format: OutputFormat::Text,
            why: String::new(),
            missing: None,
            standing: ProposalRole::Required,
            ecosystem: None,
            calls: None,
        }
    }

    /// Says how its output is read; plain text unless said.
    #[must_use]
    pub(super) fn reads(self, format: OutputFormat) -> Self {
        Self { format, ..self }
    }

    /// Says what speaks for it.
    #[must_use]
    pub(super) fn because(self, why: impl Into<String>) -> Self {
        Self { why: why.into(), ..self }
    }

    /// Says that it cannot run without this program.
    #[must_use]
    pub(super) fn needs(self, folder: &ProjectFolder<'_>, program: &str) -> Self {
        if folder.has_tool(program) { self } else { self.lacks(program, None) }
    }

    /// Says what is not here, and what installs it with the rest of the
    /// project's packages. A program of the machine has to be there before.
    #[must_use]
    pub(super) fn lacks(self, what: &str, install: Option<&str>) -> Self {
        let is_first = |missing: &MissingNeed| {
            missing.install.is_some() || install.is_none() || !missing.what.contains('/')
        };
        if self.missing.as_ref().is_some_and(is_first) {
            return self;
        }
        let missing = MissingNeed { what: what.to_owned(), install: install.map(str::to_owned) };
        Self { missing: Some(missing), ..self }
    }

    /// Says why it is only mentioned. The first reason stays.
    #[must_use]
    pub(super) fn aside(self, reason: impl Into<String>) -> Self {
        match self.standing {
            ProposalRole::Required => Self { standing: ProposalRole::Aside(reason.into()), ..self },
            ProposalRole::Aside(_) | ProposalRole::Forbidden(_) => self,
        }
    }

    /// Says why it must not be run; it is only mentioned, whatever else there is.
    #[must_use]
    pub(super) fn forbid(self, reason: impl Into<String>) -> Self {
        Self { standing: ProposalRole::Forbidden(reason.into()), ..self }
    }

    /// Mentions a linter that the project shows no sign of using.
    #[must_use]
    pub(super) fn unused(self, linter: &str) -> Self {
        self.aside(format!("nothing in the project says that {linter} is used"))
    }
}
