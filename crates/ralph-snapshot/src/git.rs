//! Runs git for one repository, isolated from the caller's environment and the
//! user's settings.

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::{fs, thread};

use crate::error::TreeError;
use crate::git_rules::GitRules;
use crate::git_watch::{STUCK, WatchedGit, WatchedInput};
use crate::project::GitDirs;
use crate::state_home::short_digest;
use crate::work_handle::WorkHandle;
use crate::{path_bytes, probe};

/// Settings that keep git from starting a user's program, writing beside the
/// private index, or refusing a file.
const CONFIG: [&str; 15] = [
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.splitIndex=false",
    "core.safecrlf=false",
    "core.hooksPath=/dev/null",
    "advice.addEmbeddedRepo=false",
    "advice.updateSparsePath=false",
    "gc.auto=0",
    "core.logAllRefUpdates=false",
    "i18n.commitEncoding=UTF-8",
    "core.fsyncMethod=batch",
    "core.filesRefLockTimeout=1000",
    // A submodule has its own settings.
    "diff.ignoreSubmodules=dirty",
    "log.showSignature=false",
    "protocol.allow=never",
];

/// The only environment variables that git gets: paths of its configuration and
/// programs, and variables of the system. Never a secret.
const KEPT: [&str; 15] = [
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_EXEC_PATH",
    "PATH",
    "HOME",
    "XDG_CONFIG_HOME",
    "USER",
    "TMPDIR",
    "TZ",
    "SUDO_UID",
    "SYSTEMROOT",
    "USERPROFILE",
    "TEMP",
    "TMP",
];

/// Fewer files than this are not reported as progress.
const SHOWN: usize = 1000;

/// Number of bytes written to git at once.
const FED: usize = 64 * 1024;

/// Number of bytes of git's error output kept in an error.
const STDERR_TAIL: usize = 2048;

/// The git program and the repository it works on.
#[derive(Debug)]
pub(crate) struct Git {
    program: PathBuf,
    root: PathBuf,
    dirs: GitDirs,
    kept: Vec<(OsString, OsString)>,
    /// A copy of the rules that tell git about the work tree.
    rules: GitRules,
    /// Folder for new objects, if not the repository.
    objects: Option<PathBuf>,
    /// Folder of links to objects that the repository may lose.
    held: PathBuf,
    /// Interrupts the work.
    pub(crate) handle: WorkHandle,
}

impl Git {
    /// Uses the present rules, which are copied to a folder in `state`.
    pub(crate) fn new(program: PathBuf, root: &Path, dirs: &GitDirs, state: &Path) -> Self {
        let kept = std::env::vars_os().filter(|(name, _)| is_kept(name)).collect();
        let rules = state.join("rules").join(short_digest(root));
        let (root, dirs, rules) = (root.to_owned(), dirs.clone(), GitRules::present(rules));
        let held = state.join("kept").join("objects");
        let handle = WorkHandle::default();
        Self { program, root, dirs, kept, rules, objects: None, held, handle }
    }

    /// Uses the rules in `folder`, which are copied there now if it has none.
    pub(crate) fn keep_rules_in(&mut self, folder: PathBuf) {
        self.rules = GitRules::kept(folder);
    }

    pub(crate) fn rules(&self) -> &GitRules {
        &self.rules
    }

    /// Returns true if git works here. It refuses a repository of another user
    /// that is not marked as safe, since its settings could be an attack.
    pub(crate) fn is_safe(&self) -> bool {
        let places = [&self.root, &self.root.join(".git"), &self.dirs.dir, &self.dirs.common];
        if places.iter().all(|place| is_ours(place)) {
            return true;
        }
        let mut asked = self.bare();
        asked.args(["rev-parse", "--git-dir"]).stdin(Stdio::null());
        asked.stdout(Stdio::null()).stderr(Stdio::null());
        let asked = asked.spawn().map(|child| WatchedGit::new(child, &self.handle));
        asked.and_then(|mut git| git.wait()).is_ok_and(|status| status.success())
    }

    /// Returns the folder that all work trees of the repository share.
    pub(crate) fn common_dir(&self) -> &Path {
        &self.dirs.common
    }

    /// Writes new objects to `folder`; those of the repository are still read.
    pub(crate) fn write_objects_to(&mut self, folder: &Path) -> Result<(), TreeError> {
        let alternates = folder.join("info/alternates");
        let objects = path_bytes::to_bytes(&self.dirs.common.join("objects"));
        fs::create_dir_all(folder.join("info"))
            .and_then(|()| ralph_files::write_own(&alternates, [&*objects, b"\n"].concat()))
            .map_err(TreeError::io("write", &alternates))?;
        self.objects = Some(folder.to_owned());
        Ok(())
    }

    pub(crate) fn dirs(&self) -> &GitDirs {
        &self.dirs
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns true if the disk of the repository is full.
    fn is_out_of_room(&self) -> bool {
        let asked = probe::now_in(&self.dirs.common);
        asked.is_err_and(|error| {
            matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded)
        })
    }

    /// Returns the folder where objects are written and searched first.
    pub(crate) fn object_folder(&self) -> PathBuf {
        self.objects.clone().unwrap_or_else(|| self.dirs.common.join("objects"))
    }

    /// Prepares the command `name` on the work tree, under our copy of the
    /// rules. It has no index unless [`GitCommand::index`] sets one.
    pub(crate) fn command(&self, name: &'static str) -> GitCommand<'_> {
        let mut inner = self.bare();
        let rules = self.rules.folder();
        // All relevant settings were copied.
        inner.env("GIT_CONFIG_GLOBAL", null_file()).env("GIT_CONFIG_NOSYSTEM", "1");
        inner.env("GIT_COMMON_DIR", rules);
        inner.env("GIT_OBJECT_DIRECTORY", self.object_folder());
        inner.arg("--git-dir").arg(rules).arg("--work-tree").arg(&self.root);
        for setting in self.rules.arguments() {
            inner.arg("-c").arg(setting);
        }
        self.begin(name, inner, GitRuleSource::Copy)
    }

    /// Prepares a command like [`Self::command`] that only reads objects. It
    /// also finds objects that the repository lost meanwhile. Never build new
    /// objects on those: the repository would be broken.
    pub(crate) fn reading(&self, name: &'static str) -> GitCommand<'_> {
        self.command(name).env("GIT_ALTERNATE_OBJECT_DIRECTORIES", &self.held)
    }

    /// Prepares the command `name` on the user's repository: for its commits,
    /// branches and settings, and never for files.
    pub(crate) fn users(&self, name: &'static str) -> GitCommand<'_> {
        let mut inner = self.bare();
        inner.arg("--git-dir").arg(&self.dirs.dir).arg("--work-tree").arg(&self.root);
        self.begin(name, inner, GitRuleSource::Repository)
    }

    fn begin(&self, name: &'static str, mut inner: Command, sees: GitRuleSource) -> GitCommand<'_> {
        for setting in CONFIG {
            inner.args(["-c", setting]);
        }
        inner.arg(name);
        GitCommand { git: self, name, inner, sees }
    }

    /// Fails if a file that git reads first would make it hang.
    fn refuse_odd_files(&self) -> Result<(), TreeError> {
        let GitDirs { dir, common } = &self.dirs;
        let rules = ralph_files::odd_rules(&self.root).map(|name| self.root.join(name));
        let own = ["HEAD", "index", "config.worktree"].map(|name| dir.join(name));
        let shared = ["config", "packed-refs", "shallow", "objects/info/alternates"];
        let mut files = own.into_iter().chain(shared.map(|name| common.join(name)));
        match rules.or_else(|| files.find(|file| ralph_files::is_odd(file))) {
            Some(path) => Err(TreeError::NoFile { path }),
            None => Ok(()),
        }
    }

    fn bare(&self) -> Command {
        let mut inner = Command::new(&self.program);
        inner.env_clear().envs(self.kept.iter().map(|(name, value)| (name, value)));
        inner.current_dir(&self.root).env("LC_ALL", "C").env("GIT_OPTIONAL_LOCKS", "0");
        // Naming a tree must not reach for the network or for a human.
        inner.env("GIT_NO_LAZY_FETCH", "1").env("GIT_TERMINAL_PROMPT", "0");
        // A replaced object would change the contents of the start.
        inner.env("GIT_NO_REPLACE_OBJECTS", "1");
        #[cfg(unix)]
        if self.handle.is_attended() {
            std::os::unix::process::CommandExt::process_group(&mut inner, 0);
        }
        inner
    }
}

/// The settings that a command reads: our copy or the repository's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GitRuleSource {
    Copy,
    Repository,
}

fn null_file() -> &'static str {
    if cfg!(windows) { "NUL" } else { "/dev/null" }
}

/// Returns true if the current user owns `path` or it does not exist.
#[cfg(unix)]
fn is_ours(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let ours = rustix::process::geteuid().as_raw();
    fs::symlink_metadata(path).map_or(true, |found| found.uid() == ours)
}

#[cfg(not(unix))]
fn is_ours(_path: &Path) -> bool {
    true
}

/// Returns the git program of this process: the first on its `PATH` at the
/// first call. A git added to the `PATH` later is never started.
pub(crate) fn program() -> Option<PathBuf> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    FOUND.get_or_init(|| locate(std::env::var_os("PATH").as_deref())).clone()
}

/// Returns the first git program in the folders of `path`, a value like
/// `$PATH`.
///
/// Relative folders are skipped: the project must not bring its own git.
fn locate(path: Option<&OsStr>) -> Option<PathBuf> {
    let name = format!("git{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(path?)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(&name))
        .find(|program| program.is_file())
}

fn is_kept(name: &OsStr) -> bool {
    KEPT.iter().any(|kept| name.eq_ignore_ascii_case(kept))
}

/// One git command that has not run yet.
pub(crate) struct GitCommand<'a> {
    git: &'a Git,
    name: &'static str,
    inner: Command,
    sees: GitRuleSource,
}

impl GitCommand<'_> {
    pub(crate) fn index(mut self, index: &Path) -> Self {
        self.inner.env("GIT_INDEX_FILE", index);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.inner.env(name, value);
        self
    }

    pub(crate) fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.inner.args(args);
        self
    }

    /// Runs it to its end and returns its output.
    pub(crate) fn read(self) -> Result<Vec<u8>, TreeError> {
        self.feed(&[])?.success()
    }

    /// Runs it to its end with `items` on its standard input, each followed
    /// by a NUL byte.
    pub(crate) fn feed(self, items: &[Vec<u8>]) -> Result<GitOutput, TreeError> {
        if items.len() > SHOWN {
            self.git.handle.begin(items.len());
        }
        self.feed_bytes(
            &items.iter().flat_map(|item| [item, &b"\0"[..]].concat()).collect::<Vec<_>>(),
        )
    }

    /// Runs it to its end with `input` on its standard input.
    pub(crate) fn feed_bytes(mut self, input: &[u8]) -> Result<GitOutput, TreeError> {
        let stdin = if input.is_empty() { Stdio::null() } else { Stdio::piped() };
        self.inner.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.spawn()?;
        let stdin = child.take_input();
        // Some commands print while they read, so both must go on at once.
        let (fed, output) = thread::scope(|threads| {
            let write = |stdin| threads.spawn(|| write_all(stdin, input, &self.git.handle));
            let writer = stdin.map(write);
            let output = child.output();
            let join = |writer: thread::ScopedJoinHandle<'_, _>| writer.join();
            (writer.map_or(Ok(Ok(())), join), output)
        });
        self.git.handle.check()?;
        let (output, is_stuck) = output.map_err(self.talking())?;
        match fed.unwrap_or_else(|panic| std::panic::resume_unwind(panic)) {
            // Git closed its input before it read everything; its status tells
            // why.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
            Err(error) => return Err(self.talking()(error)),
            Ok(()) => {}
        }
        let mut stderr = tail(&output.stderr);
        if !output.status.success() && self.git.is_out_of_room() {
            // Git often does not report a full disk.
            stderr.push_str(" (no space left on device)");
        }
        if is_stuck {
            stderr.push_str(STUCK);
        }
        Ok(GitOutput { command: self.name, status: output.status, stdout: output.stdout, stderr })
    }

    /// Starts it with pipes for input and output.
    pub(crate) fn converse(mut self) -> Result<WatchedGit, TreeError> {
        self.inner.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        self.spawn()
    }

    /// Starts it with its output on a pipe, to be read as it arrives.
    pub(crate) fn stream(mut self) -> Result<WatchedGit, TreeError> {
        self.inner.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        self.spawn()
    }

    fn spawn(&mut self) -> Result<WatchedGit, TreeError> {
        match self.sees {
            GitRuleSource::Copy => self.git.rules.lay_out(self.git)?,
            GitRuleSource::Repository => {}
        }
        self.git.handle.check()?;
        self.git.refuse_odd_files()?;
        let spawned = self.inner.spawn();
        spawned.map(|child| WatchedGit::new(child, &self.git.handle)).map_err(|error| {
            let program = self.git.program.clone();
            if error.kind() == ErrorKind::NotFound && !program.exists() {
                TreeError::GitMissing { program }
            } else {
                TreeError::io("start git in", &self.git.root)(error)
            }
        })
    }

    fn talking(&self) -> impl FnOnce(io::Error) -> TreeError {
        TreeError::io("talk to", &self.git.program)
    }
}

/// Writes `input` to git, and counts the items it read.
fn write_all(mut stdin: WatchedInput, input: &[u8], handle: &WorkHandle) -> io::Result<()> {
    for part in input.chunks(FED) {
        stdin.write_all(part)?;
        handle.advance(part.split(|byte| *byte == 0).count() - 1);
    }
    Ok(())
}

/// A git command that ran to its end.
pub(crate) struct GitOutput {
    pub(crate) command: &'static str,
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl GitOutput {
    /// Returns its output if it exited with 0.
    pub(crate) fn success(self) -> Result<Vec<u8>, TreeError> {
        if self.status.success() { Ok(self.stdout) } else { Err(self.refusal()) }
    }

    pub(crate) fn refusal(self) -> TreeError {
        TreeError::Git { command: self.command, status: self.status, stderr: self.stderr }
    }
}

/// Splits git's output into its NUL-terminated fields.
pub(crate) fn fields(output: &[u8]) -> impl Iterator<Item = &[u8]> {
    output.split(|byte| *byte == 0).filter(|field| !field.is_empty())
}

fn tail(stderr: &[u8]) -> String {
    let from = stderr.len().saturating_sub(STDERR_TAIL);
    String::from_utf8_lossy(&stderr[from..]).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_redirect_git_or_are_secret_do_not_reach_it() {
        for name in ["GIT_DIR", "GIT_INDEX_FILE", "GIT_TRACE", "GIT_CONFIG_PARAMETERS", "A_TOKEN"] {
            assert!(!is_kept(name.as_ref()), "{name}");
        }
        for name in ["PATH", "HOME", "GIT_CONFIG_GLOBAL", "GIT_EXEC_PATH"] {
            assert!(is_kept(name.as_ref()), "{name}");
        }
    }

    #[test]
    fn a_relative_folder_on_the_path_is_passed_over() {
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join(format!("git{}", std::env::consts::EXE_SUFFIX));
        fs::write(&program, "").unwrap();
        let path = std::env::join_paths([Path::new("."), dir.path()]).unwrap();
        assert_eq!(locate(Some(&path)), Some(program));
        assert_eq!(locate(Some("bin:.".as_ref())), None);
        assert_eq!(locate(None), None);
    }

    #[test]
    fn a_git_that_is_gone_is_named() {
        let dirs = GitDirs { dir: "/r/.git".into(), common: "/r/.git".into() };
        let state = tempfile::tempdir().unwrap();
        let git = Git::new("/nowhere/git".into(), Path::new("/"), &dirs, state.path());
        let error = git.users("write-tree").read().unwrap_err();
        assert_eq!(error.to_string(), "no git program at /nowhere/git");
    }

    #[test]
    fn an_error_carries_the_end_of_what_git_said() {
        let long = [vec![b'x'; 5000], b"the end\n".to_vec()].concat();
        assert_eq!(tail(&long).len(), STDERR_TAIL - 1);
        assert!(tail(&long).ends_with("the end"));
    }
}
