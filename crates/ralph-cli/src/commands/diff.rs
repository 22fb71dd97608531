//! `ralph diff`: what changed between two snapshots.

use std::ffi::{OsStr, OsString};
use std::io::IsTerminal;
use std::path::Path;
use std::process::Command;

use ralph_core::Run;
use ralph_engine::undo::{self, SnapshotName};
use ralph_snapshot::{Snapshot, Snapshots};

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
    let all = snapshots.list()?;
    let (from, to) = args.range.split_once("..").unwrap_or((&args.range, "last"));
    let (from, to) = (named(from, &run, &all)?, named(to, &run, &all)?);
    compare(&app, args, &snapshots, from, to)
}

fn named<'a>(text: &str, run: &Run, all: &'a [Snapshot]) -> Result<&'a Snapshot, CliError> {
    let name: SnapshotName = text.parse().map_err(CliError::usage)?;
    undo::find(name, run, all).ok_or_else(|| texts::no_snapshot(run, text))
}

/// Compares copies of both snapshots in a temporary folder. Git never reads the
/// repository, whose files and settings the agent may have changed.
fn compare(
    app: &App,
    args: &DiffArgs,
    snapshots: &Snapshots<'_>,
    from: &Snapshot,
    to: &Snapshot,
) -> Result<u8, CliError> {
    let folder = tempfile::tempdir()?;
    let [left, right] = ["a", "b"].map(|side| folder.path().join(side));
    std::fs::create_dir(&left)?;
    std::fs::create_dir(&right)?;
    snapshots.copy_out(from, &left, to, &right)?;
    // Uses two trees of a repository of its own: only there does git name a file that
    // is on one side alone correctly.
    let git = folder.path().join("git");
    scratch_git(&git, &["init", "--quiet", "--bare", "--template="], None)?;
    let tree = |side: &Path| {
        scratch_git(&git, &["add", "--all", "--force", "."], Some(side))?;
        scratch_git(&git, &["write-tree"], Some(side))
    };
    let trees = [tree(&left)?, tree(&right)?];
    git_diff(app, &git, args, &trees)
}

/// Runs git in a temporary repository; returns its output.
fn scratch_git(git: &Path, args: &[&str], files: Option<&Path>) -> Result<OsString, CliError> {
    let mut command = own_git();
    command.env("GIT_DIR", git).args(["-c", "core.autocrlf=false", "-c", "core.safecrlf=false"]);
    if let Some(files) = files {
        command.current_dir(files).arg("--work-tree").arg(files);
    }
    let output = command.args(args).output().map_err(|error| cannot_start(&error))?;
    if !output.status.success() {
        return Err(CliError::refused("git could not compare the files")
            .in_korean("git 이 파일을 비교하지 못했습니다", None));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().into())
}

/// Makes a git command that ignores all settings but ours.
fn own_git() -> Command {
    let mut git = Command::new("git");
    for (name, _) in std::env::vars_os().filter(|(name, _)| is_gits(name)) {
        git.env_remove(name);
    }
    git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    git.args(["-c", "core.quotePath=false"]);
    git
}

fn is_gits(name: &OsStr) -> bool {
    // The path of git's own programs is not a setting.
    name != "GIT_EXEC_PATH" && name.as_encoded_bytes().starts_with(b"GIT_")
}

fn cannot_start(error: &std::io::Error) -> CliError {
    CliError::refused(format!("git, which shows differences, cannot be started: {error}"))
        .in_korean(format!("차이를 보여 줄 git 을 시작할 수 없습니다: {error}"), None)
}

/// Shows the differences with git, in its colours and pager, or a note that there are none.
fn git_diff(app: &App, folder: &Path, args: &DiffArgs, what: &[OsString]) -> Result<u8, CliError> {
    let stdout = std::io::stdout();
    let audience = match (stdout.is_terminal(), out::colours(&stdout)) {
        (false, _) => DiffAudience::Machine,
        (true, false) => DiffAudience::Monochrome,
        (true, true) => DiffAudience::Person,
    };
    let mut git = own_git();
    git.env("GIT_DIR", folder).env("GIT_PAGER", pager()).args(audience.options());
    git.args(["--no-ext-diff", "--no-textconv", "--exit-code"]).args(args.stat.then_some("--stat"));
    let status = git.args(what).status().map_err(|error| cannot_start(&error))?;
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
