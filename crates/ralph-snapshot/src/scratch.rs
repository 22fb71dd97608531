//! Work trees for tests: a folder, with or without git, and a state folder.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use ralph_core::TreeId;
use tempfile::TempDir;

use crate::{ChangeKind, ProjectLocation, TreeChange, WorkTree};

pub(crate) struct ScratchTree {
    top: TempDir,
    pub(crate) root: PathBuf,
}

impl ScratchTree {
    /// Creates a folder without git.
    pub(crate) fn plain() -> Self {
        let top = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(top.path()).unwrap().join("project");
        fs::create_dir(&root).unwrap();
        Self { top, root }
    }

    /// Creates a repository without a commit, which ignores the developer's
    /// settings.
    pub(crate) fn git() -> Self {
        let scratch = Self::plain();
        scratch.run(&["init", "-q", "-b", "main"]);
        for setting in ["core.excludesFile", "core.attributesFile"] {
            scratch.run(&["config", setting, "/dev/null"]);
        }
        scratch.run(&["config", "core.autocrlf", "false"]);
        scratch
    }

    /// Creates a repository with one commit of these files.
    pub(crate) fn committed(files: &[(&str, &str)]) -> Self {
        let scratch = Self::git();
        for (path, text) in files {
            scratch.write(path, text);
        }
        scratch.commit();
        scratch
    }

    pub(crate) fn run(&self, args: &[&str]) -> String {
        run_in(&self.root, args)
    }

    /// Runs a git command that may fail, such as a merge with conflicts.
    pub(crate) fn try_run(&self, args: &[&str]) {
        git(&self.root, args).output().unwrap();
    }

    pub(crate) fn commit(&self) {
        self.run(&["add", "-A"]);
        self.run(&["commit", "-q", "-m", "work"]);
    }

    pub(crate) fn path(&self, path: impl AsRef<OsStr>) -> PathBuf {
        self.root.join(Path::new(path.as_ref()))
    }

    pub(crate) fn write(&self, path: impl AsRef<OsStr>, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn remove(&self, path: &str) {
        fs::remove_file(self.path(path)).unwrap();
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.top.path().join("state")
    }

    pub(crate) fn open(&self) -> WorkTree {
        WorkTree::open(&ProjectLocation::discover(&self.root).unwrap(), &self.state()).unwrap()
    }

    /// Returns the id that a new process computes.
    pub(crate) fn tree(&self) -> TreeId {
        self.open().tree().unwrap()
    }

    /// Returns the id computed with an empty state folder.
    pub(crate) fn tree_anew(&self) -> TreeId {
        let state = tempfile::tempdir().unwrap();
        let project = ProjectLocation::discover(&self.root).unwrap();
        WorkTree::open(&project, state.path()).unwrap().tree().unwrap()
    }

    /// Returns every file below the root except in `.git`.
    pub(crate) fn image(&self) -> TreeImage {
        let mut image = TreeImage::new();
        push_image(&self.root, Path::new(""), &mut image);
        image
    }

    /// Returns the state of the repository: index, branches, `HEAD` and logs.
    pub(crate) fn git_state(&self) -> [String; 4] {
        let refs = self.run(&["for-each-ref", "--format=%(refname) %(objectname)"]);
        let refs = refs.lines().filter(|line| !line.starts_with("refs/ralph/"));
        let read = |path: &str| fs::read_to_string(self.path(path)).unwrap_or_default();
        [
            self.run(&["ls-files", "-s"]),
            refs.collect::<Vec<_>>().join("\n"),
            read(".git/HEAD"),
            read(".git/logs/HEAD") + &read(".git/logs/refs/stash"),
        ]
    }

    pub(crate) fn status(&self) -> String {
        self.run(&["--no-optional-locks", "status", "--porcelain=v2", "--untracked-files=all"])
    }

    #[cfg(unix)]
    pub(crate) fn link(&self, path: &str, target: &str) {
        // It may be missing.
        let _ = fs::remove_file(self.path(path));
        std::os::unix::fs::symlink(target, self.path(path)).unwrap();
    }

    #[cfg(unix)]
    pub(crate) fn set_mode(&self, path: &str, mode: u32) {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(self.path(path), fs::Permissions::from_mode(mode)).unwrap();
    }
}

/// The kind of each file, `f`, `x` or `l`, and its bytes or target.
pub(crate) type TreeImage = BTreeMap<PathBuf, (char, Vec<u8>)>;

fn push_image(root: &Path, folder: &Path, image: &mut TreeImage) {
    for entry in fs::read_dir(root.join(folder)).unwrap() {
        let path = folder.join(entry.unwrap().file_name());
        let metadata = fs::symlink_metadata(root.join(&path)).unwrap();
        if path.ends_with(".git") {
        } else if metadata.is_dir() {
            push_image(root, &path, image);
        } else if metadata.is_symlink() {
            let target = fs::read_link(root.join(&path)).unwrap();
            image.insert(path, ('l', crate::path_bytes::to_bytes(&target)));
        } else {
            let letter = if is_executable(&metadata) { 'x' } else { 'f' };
            let bytes = fs::read(root.join(&path)).unwrap();
            image.insert(path, (letter, bytes));
        }
    }
}

#[cfg(unix)]
fn is_executable(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_metadata: &fs::Metadata) -> bool {
    false
}

/// Runs git in `folder` and returns its output; panics if it fails.
pub(crate) fn run_in(folder: &Path, args: &[&str]) -> String {
    let output = git(folder, args).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {args:?}: {stderr}");
    String::from_utf8(output.stdout).unwrap()
}

fn git(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.current_dir(folder).args(args).env("GIT_CONFIG_GLOBAL", "/dev/null");
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(name);
    }
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), "A").env(format!("GIT_{role}_EMAIL"), "a@b.c");
    }
    command
}

pub(crate) fn change(path: impl Into<PathBuf>, kind: ChangeKind) -> TreeChange {
    TreeChange { path: path.into(), kind }
}
