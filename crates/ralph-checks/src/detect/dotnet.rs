//! C# and its relatives: solutions and projects of `dotnet`.

use ralph_core::policy::Criterion;

use super::draft::ProposalDraft;
use super::flags::{self, FlagRules};
use super::sight::{ProjectFolder, is_of};

const SOLUTIONS: [&str; 2] = ["sln", "slnx"];
const PROJECTS: [&str; 3] = ["csproj", "fsproj", "vbproj"];

const TEST: FlagRules = FlagRules {
    unwanted: &["--nologo"],
    unwanted_values: &[
        "--verbosity",
        "-v",
        "--logger",
        "-l",
        "--collect",
        "--results-directory",
        "-r",
    ],
    parts: &["--list-tests", "-t"],
};

/// The maximum number of project files read in search of tests.
const MOST_READ: usize = 200;

pub(super) fn drafts(folder: &ProjectFolder<'_>) -> Vec<ProposalDraft> {
    let one_of = |file: &str, kinds: &[&str]| kinds.iter().any(|kind| is_of(file, kind));
    let solution = folder.own_files().find(|file| one_of(file, &SOLUTIONS));
    let sign = solution.or_else(|| folder.own_files().find(|file| one_of(file, &PROJECTS)));
    let Some(sign) = sign else { return Vec::new() };
    let mut projects =
        folder.all_files().filter(|(_, file)| one_of(file, &PROJECTS)).take(MOST_READ);
    let tested = projects.any(|(at, file)| {
        let text = at.read(file).unwrap_or_default();
        text.contains("Microsoft.NET.Test.Sdk") || text.contains("IsTestProject")
    });
    let build =
        ProposalDraft::new(folder, Criterion::BuildSuccess, "dotnet", "dotnet build --nologo");
    let mut drafts = vec![build.because(sign)];
    if tested {
        let said = flags::said(folder, &["dotnet", "test"], TEST);
        let words = ["dotnet", "test", "--nologo"].map(str::to_owned).into_iter();
        let words = words.chain(said.map(|(words, _)| words).unwrap_or_default());
        let test = ProposalDraft::of_words(folder, Criterion::TestPass, "dotnet", words);
        drafts.insert(0, test.because(format!("{sign} with a test project")));
    }
    drafts
}
