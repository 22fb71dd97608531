//! `ralph diff`: what changed between two snapshots.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::process::Command;

use ralph_engine::undo::{SnapshotComparison, cannot_start, own_git};
use ralph_snapshot::Snapshots;

use crate::app::App;
use crate::error::CliError;
use crate::{out, texts};

/// Show what changed between two snapshots of a run
///
/// Snapshots are named `start`, `best`, `last` or by their iteration, as in
/// `ralph diff start..last`.
#[derive(clap::Args, Debug)]
pub(crate) struct DiffArgs {
    /// The two snapshots
    #[arg(value_name = "A..B", default_value = "start..last")]
    range: String,
    /// The run (default: the newest of this work tree)
    #[arg(long, value_name = "RUN")]
    run: Option<String>,
    /// Only count the lines
    #[arg(long)]
    stat: bool,
}

pub(crate) fn run(args: &DiffArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    let (_, run) = app.recorded(args.run.as_deref())?;
    let tree = app.work_tree(&run.id)?;
    let snapshots = Snapshots::new(&tree, run.id.clone());
    let sides = SnapshotComparison::new(&snapshots, &run, &args.range)?;
    git_diff(&app, args, &sides)
}

/// Shows the differences with git, in its colours and pager, or a note that there are none.
fn git_diff(app: &App, args: &DiffArgs, sides: &SnapshotComparison) -> Result<u8, CliError> {
    let stdout = std::io::stdout();
    let audience = match (stdout.is_terminal(), out::colours(&stdout)) {
        (false, _) => DiffAudience::Machine,
        (true, false) => DiffAudience::Monochrome,
        (true, true) => DiffAudience::Person,
    };
    let mut git = own_git();
    git.env("GIT_DIR", sides.repository()).env("GIT_PAGER", pager()).args(audience.options());
    git.args(["--no-ext-diff", "--no-textconv", "--exit-code"]).args(args.stat.then_some("--stat"));
    let status = git.args(&sides.trees).status().map_err(|error| cannot_start(&error))?;
    match status.code() {
        Some(0) => {
            out::note(texts::no_difference(&args.range, app.chosen_locale()));
            Ok(0)
        }
        Some(1) => Ok(0),
        Some(_) | None => Err(CliError::refused("git could not show the differences")
            .in_korean("git 이 차이를 보여 주지 못했습니다", None)),
    }
}

/// Returns the user's pager. One that the repository names could be the agent's.
fn pager() -> OsString {
    let own = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let asked = || {
        let args = ["config", "--global", "--get", "core.pager"];
        let output = Command::new("git").args(args).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        Some(OsString::from(text.trim())).filter(|pager| !pager.is_empty())
    };
    own("GIT_PAGER").or_else(asked).or_else(|| own("PAGER")).unwrap_or_else(|| "less".into())
}

/// The reader of the differences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DiffAudience {
    /// A file or another program.
    Machine,
    /// A person at a terminal who wants no colours.
    Monochrome,
    /// A person at a terminal.
    Person,
}

impl DiffAudience {
    /// Returns the git command and options for this reader. The user's settings choose
    /// the pager; for programs there is none.
    fn options(self) -> &'static [&'static str] {
        match self {
            Self::Machine => &["--no-pager", "diff", "--color=never"],
            Self::Monochrome => &["diff", "--color=never"],
            Self::Person => &["diff", "--color=always"],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_person_at_a_terminal_gets_colours_and_a_pager() {
        let has = |audience: DiffAudience, option| audience.options().contains(&option);
        assert!(has(DiffAudience::Person, "--color=always"));
        for audience in [DiffAudience::Machine, DiffAudience::Monochrome] {
            assert!(has(audience, "--color=never"), "{audience:?}");
        }
        for audience in [DiffAudience::Monochrome, DiffAudience::Person] {
            assert!(!has(audience, "--no-pager"), "{audience:?}");
        }
        assert!(has(DiffAudience::Machine, "--no-pager"));
    }
}
