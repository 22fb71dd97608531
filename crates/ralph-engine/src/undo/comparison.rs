//! Two snapshots as trees of a repository of their own, for git to compare.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use ralph_core::Run;
use ralph_snapshot::{Snapshot, Snapshots};
use tempfile::TempDir;

use super::listing::no_snapshot;
use super::{SnapshotName, find};
use crate::user_error::UserError;

/// A repository with the trees of two snapshots, which is deleted with it.
pub struct SnapshotComparison {
    folder: TempDir,
    /// The names of the two trees.
    pub trees: [OsString; 2],
}

impl SnapshotComparison {
    /// Copies both snapshots of a range into a temporary folder. Git never reads the
    /// repository, whose files and settings the agent may have changed.
    pub fn new(snapshots: &Snapshots<'_>, run: &Run, range: &str) -> Result<Self, UserError> {
        let all = snapshots.list()?;
        let (from, to) = range.split_once("..").unwrap_or((range, "last"));
        let (from, to) = (named(from, run, &all)?, named(to, run, &all)?);
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
        Ok(Self { folder, trees })
    }

    /// Returns the folder of the repository.
    pub fn repository(&self) -> PathBuf {
        self.folder.path().join("git")
    }
}

fn named<'a>(text: &str, run: &Run, all: &'a [Snapshot]) -> Result<&'a Snapshot, UserError> {
    let name: SnapshotName = text.parse().map_err(UserError::usage)?;
    find(name, run, all).ok_or_else(|| no_snapshot(run, text))
}

/// Runs git in a temporary repository; returns its output.
fn scratch_git(git: &Path, args: &[&str], files: Option<&Path>) -> Result<OsString, UserError> {
    let mut command = own_git();
    command.env("GIT_DIR", git).args(["-c", "core.autocrlf=false", "-c", "core.safecrlf=false"]);
    if let Some(files) = files {
        command.current_dir(files).arg("--work-tree").arg(files);
    }
    let output = command.args(args).output().map_err(|error| cannot_start(&error))?;
    if !output.status.success() {
        return Err(UserError::refused("git could not compare the files")
            .in_korean("git 이 파일을 비교하지 못했습니다", None));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().into())
}

/// Makes a git command that ignores all settings but ours.
pub fn own_git() -> Command {
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

/// Makes the error for a git that does not start.
pub fn cannot_start(error: &std::io::Error) -> UserError {
    UserError::refused(format!("git, which shows differences, cannot be started: {error}"))
        .in_korean(format!("차이를 보여 줄 git 을 시작할 수 없습니다: {error}"), None)
}
