//! Reads the commits of a repository with git.

use std::collections::{BTreeSet, VecDeque};
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::path::PathBuf;

use crate::error::TreeError;
use crate::git::{self, Git, fields};
use crate::git_watch::WatchedOutput;
use crate::path_bytes;
use crate::project::ProjectLocation;

/// Number of bytes read of a commit message.
const LONGEST_MESSAGE: usize = 8 * 1024;

/// A reason why there are no commits to read.
#[derive(Debug, thiserror::Error)]
pub enum NoCommits {
    /// The project is not in a repository.
    #[error("{} is not in a git repository", root.display())]
    NoRepository {
        /// The root of the project.
        root: PathBuf,
    },
    /// There is no git program.
    #[error("no git program was found on the PATH")]
    NoProgram,
    /// It belongs to another user and is not marked as safe.
    #[error("the repository belongs to another user; see `safe.directory` in `git help config`")]
    Foreign,
}

/// One commit and the files it touched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitCommit {
    /// Its name in hexadecimal digits.
    pub id: String,
    /// Time of the commit, in seconds since 1970.
    pub at: i64,
    /// The first paragraph of the message as one line.
    pub subject: String,
    /// The rest of the message. Bytes that are not UTF-8 are replaced.
    pub body: String,
    /// The files it touched, by their names after the commit; a deleted one by
    /// its old name.
    pub files: Vec<String>,
    /// Files that were moved: the old and the new path.
    pub renames: Vec<(String, String)>,
}

/// Reads the commits of a repository. Nothing is written.
#[derive(Debug)]
pub struct CommitReader {
    git: Git,
}

impl CommitReader {
    /// Opens the project's repository for reading.
    pub fn of(project: &ProjectLocation) -> Result<Self, NoCommits> {
        let Some(dirs) = &project.git else {
            return Err(NoCommits::NoRepository { root: project.root.clone() });
        };
        let program = git::program();
        let program = program.ok_or(NoCommits::NoProgram)?;
        // No file is read, so the rules need not be copied.
        let git = Git::new(program, &project.root, dirs, &dirs.common);
        if git.is_safe() { Ok(Self { git }) } else { Err(NoCommits::Foreign) }
    }

    /// Returns the commit that is checked out; `None` before the first one.
    pub fn head(&self) -> Result<Option<String>, TreeError> {
        let asked = self.git.users("rev-parse").args(["--verify", "--quiet", "HEAD^{commit}"]);
        let ended = asked.feed(&[])?;
        // With `--quiet`, git prints nothing and exits with 1 if there is none.
        if ended.status.code() == Some(1) && ended.stderr.is_empty() {
            return Ok(None);
        }
        let name = String::from_utf8_lossy(&ended.success()?).trim().to_owned();
        Ok(Some(name).filter(|name| !name.is_empty()))
    }

    /// Returns true if the clone left out older commits.
    pub fn is_shallow(&self) -> bool {
        self.git.dirs().common.join("shallow").exists()
    }

    /// Returns the commits at the edge of a shallow clone. Git treats them as
    /// first commits that touched every file.
    fn edge(&self) -> BTreeSet<String> {
        let listed = ralph_files::read_text(self.git.dirs().common.join("shallow"));
        listed.unwrap_or_default().lines().map(|line| line.trim().to_owned()).collect()
    }

    /// Returns the names of the commits that lead to `head`, newest first.
    /// Merges are left out, since the commits they join have their changes. The
    /// edge of a shallow clone is left out because its changes are unknown.
    pub fn line(&self, head: &str, limit: usize) -> Result<Vec<String>, TreeError> {
        let most = format!("--max-count={limit}");
        let asked = self.git.users("rev-list").args(["--no-merges", &most, head, "--"]);
        let names = asked.read()?;
        let edge = self.edge();
        let names = String::from_utf8_lossy(&names);
        Ok(names.lines().filter(|name| !edge.contains(*name)).map(str::to_owned).collect())
    }

    /// Returns the paths of the files that git tracks, as it writes them.
    pub fn tracked(&self) -> Result<Vec<PathBuf>, TreeError> {
        // `core.quotePath` does not apply to what ends with NUL.
        let listed = self.git.users("ls-files").args(["-z", "--cached", "--", ":/"]).read()?;
        let mut paths: Vec<PathBuf> = fields(&listed).map(path_bytes::from_bytes).collect();
        // A file in conflict is listed once for each side.
        paths.dedup();
        Ok(paths)
    }

    /// Reads commits by name and gives each to `each`, in the same order.
    ///
    /// An error of `each` ends the reading. A commit at the edge of a shallow
    /// clone has no files, since its changes are unknown.
    pub fn read<E: From<TreeError>>(
        &self,
        names: &[String],
        mut each: impl FnMut(GitCommit) -> Result<(), E>,
    ) -> Result<(), E> {
        if names.is_empty() {
            return Ok(());
        }
        let trouble = |source| TreeError::io("read commits in", self.git.root())(source);
        let mut child = self.git.users("log").args(LOG).converse()?;
        let Some(mut stdin) = child.take_input() else { return Ok(()) };
        // It reads all names before it prints anything.
        let fed = stdin.write_all(names.join("\n").as_bytes());
        drop(stdin);
        let Some(stdout) = child.take_output() else { return Ok(()) };
        let mut reader = NulFields { inner: BufReader::new(stdout), ahead: VecDeque::new() };
        let mut outcome = Ok(());
        let edge = self.edge();
        while outcome.is_ok() {
            match reader.commit() {
                Ok(Some(commit)) if edge.contains(&commit.id) => {
                    outcome = each(GitCommit { files: Vec::new(), renames: Vec::new(), ..commit });
                }
                Ok(Some(commit)) => outcome = each(commit),
                Ok(None) => break,
                Err(error) => outcome = Err(trouble(error).into()),
            }
        }
        // Git notices on its next write that the pipe is closed.
        drop(reader);
        let status = child.wait().map_err(trouble)?;
        outcome?;
        if !status.success() {
            let stderr = String::new();
            return Err(TreeError::Git { command: "log", status, stderr }.into());
        }
        match fed {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(trouble(error).into()),
            Err(_) | Ok(()) => Ok(()),
        }
    }
}

/// Arguments of `git log`. They ask for no line counts: with them git compares
/// the contents of every file, which took five times as long.
const LOG: [&str; 10] = [
    "--stdin",
    "--no-walk=unsorted",
    "-z",
    "--raw",
    "-M",
    "--no-ext-diff",
    "--no-show-signature",
    "--ignore-submodules=none",
    "--encoding=UTF-8",
    "--format=tformat:%H%x00%ct%x00%s%x00%b%x00",
];

/// The output of git, split at its NUL bytes.
struct NulFields {
    inner: BufReader<WatchedOutput>,
    ahead: VecDeque<Vec<u8>>,
}

impl NulFields {
    fn next(&mut self) -> std::io::Result<Option<Vec<u8>>> {
        if let Some(field) = self.ahead.pop_front() {
            return Ok(Some(field));
        }
        let mut field = Vec::new();
        if self.inner.read_until(0, &mut field)? == 0 {
            return Ok(None);
        }
        if field.last() == Some(&0) {
            field.pop();
        }
        Ok(Some(field))
    }

    fn text(&mut self) -> std::io::Result<String> {
        Ok(self.next()?.map_or_else(String::new, |field| lossy(&field)))
    }

    fn commit(&mut self) -> std::io::Result<Option<GitCommit>> {
        let Some(id) = self.next()? else { return Ok(None) };
        let at = self.text()?.trim().parse().unwrap_or(0);
        let (subject, body) = (self.text()?, self.text()?);
        // The end of the message.
        self.next()?;
        let mut commit = GitCommit {
            id: lossy(id.trim_ascii()),
            at,
            subject,
            body: body.trim().to_owned(),
            files: Vec::new(),
            renames: Vec::new(),
        };
        while let Some(field) = self.next()? {
            let Some(raw) = field.trim_ascii_start().strip_prefix(b":") else {
                self.ahead.push_back(field);
                break;
            };
            self.change(raw, &mut commit)?;
        }
        Ok(Some(commit))
    }

    /// Reads one change: modes, names of contents and a letter; the paths
    /// follow.
    fn change(&mut self, raw: &[u8], commit: &mut GitCommit) -> std::io::Result<()> {
        let kind = raw.rsplit(|byte| *byte == b' ').next().and_then(<[u8]>::first);
        let path = self.text()?;
        if matches!(kind, Some(b'R' | b'C')) {
            let new = self.text()?;
            if kind == Some(&b'R') {
                commit.renames.push((path, new.clone()));
            }
            commit.files.push(new);
        } else {
            commit.files.push(path);
        }
        Ok(())
    }
}

fn lossy(bytes: &[u8]) -> String {
    let end = bytes.len().min(LONGEST_MESSAGE);
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

#[cfg(test)]
#[path = "commits_tests.rs"]
mod tests;
