//! Shell scripts: `ShellCheck` and Bats, for the project as a whole.

use std::collections::BTreeSet;

use ralph_core::format::OutputFormat;
use ralph_core::policy::Criterion;

use super::draft::ProposalDraft;
use super::sight::{ProjectFolder, is_of, is_within};

/// Looks for scripts at every run, so that new ones are checked as well.
const SHELLCHECK: &str = "find . -name .?* -prune -o -name node_modules -prune -o -name vendor -prune \
                          -o -name target -prune -o -path ./agent.sh -prune -o -type f -name *.sh \
                          -exec shellcheck --format=json1 {} +";

pub(super) fn drafts(folder: &ProjectFolder<'_>) -> Vec<ProposalDraft> {
    if !folder.is_root() {
        return Vec::new();
    }
    said_tests(folder).or_else(|| tests(folder)).into_iter().chain(lint(folder)).collect()
}

fn lint(folder: &ProjectFolder<'_>) -> Option<ProposalDraft> {
    // The agent is the user's, not the project's.
    let is_script = |at: &ProjectFolder<'_>, file: &str| {
        is_of(file, "sh") && !(at.is_root() && file == "agent.sh")
    };
    let (at, file) = folder.all_files().find(|(at, file)| is_script(at, file))?;
    let configured = folder.has(".shellcheckrc");
    let why = if configured { ".shellcheckrc".to_owned() } else { at.name_of(file) };
    let draft = match folder.said().targets("shellcheck", "", folder) {
        Some(files) => {
            let words = ["shellcheck", "--format=json1"].map(str::to_owned).into_iter();
            ProposalDraft::of_words(folder, Criterion::LintClean, "shellcheck", words.chain(files))
        }
        None => ProposalDraft::new(folder, Criterion::LintClean, "shellcheck", SHELLCHECK),
    };
    let draft = draft.reads(OutputFormat::Shellcheck).because(why).needs(folder, "shellcheck");
    let is_used = configured || folder.said().mention("shellcheck");
    let draft = if is_used { draft } else { draft.unused("shellcheck") };
    // A script on the side does not call for a linter that is not even here.
    Some(draft).filter(|draft| is_used || draft.missing.is_none())
}

/// The tests as the project says that they are run.
fn said_tests(folder: &ProjectFolder<'_>) -> Option<ProposalDraft> {
    let said = folder.said();
    let targets = said.targets("bats", "", folder)?;
    let command = said.agreed("bats", "", |_| true)?;
    let report = ["--formatter", "tap"].map(str::to_owned);
    let words = command.started_by().iter().cloned().chain(report).chain(targets);
    let draft = ProposalDraft::of_words(folder, Criterion::TestPass, "bats", words);
    Some(draft.reads(OutputFormat::Tap).because(format!("{} runs it", command.origin)))
}

fn tests(folder: &ProjectFolder<'_>) -> Option<ProposalDraft> {
    let with_tests: BTreeSet<&str> = folder
        .all_files()
        .filter(|(_, file)| is_of(file, "bats"))
        .map(|(at, _)| at.dir())
        .collect();
    let first = with_tests.first()?;
    // From the root Bats would descend into installed packages.
    let flat = first.is_empty();
    let mut words: Vec<String> = ["bats", "--formatter", "tap"].map(str::to_owned).to_vec();
    if !flat {
        words.push("--recursive".to_owned());
    }
    for dir in &with_tests {
        let inside = |other: &&str| other != dir && is_within(dir, other);
        if flat || !with_tests.iter().any(inside) {
            words.push(if dir.is_empty() { ".".to_owned() } else { (*dir).to_owned() });
        }
    }
    let why = if flat { "*.bats".to_owned() } else { format!("{first}/*.bats") };
    let draft = ProposalDraft::of_words(folder, Criterion::TestPass, "bats", words);
    Some(draft.reads(OutputFormat::Tap).because(why))
}
