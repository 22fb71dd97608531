//! Scripted agents and temporary projects for the tests.
//!
//! A [`TestProject`] is a folder of its own with a state home and a clean
//! environment; [`TestProject::ralph`] runs the real binary in it and captures its
//! output. Everything is deleted with the project.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "test support: a broken fixture must fail its test at once"
)]

mod claude;
pub mod conversations;
mod drawn;
pub mod golden;
mod isolation;
mod messages;
mod model_server;
mod opencode;
mod running;
mod story;
mod terminal;
mod tools;

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;

use serde_json::Value;

pub use claude::ClaudeClient;
pub use isolation::isolated;
pub use messages::{ClientRequest, MessagesServer, ModelScript, ModelTurn, RequestSender};
pub use model_server::{ModelServer, ReceivedRequest, ScriptedReply, TOKENS, TokenCounts};
pub use opencode::OpenCodeClient;
pub use running::{RunningCall, Signal, TurnHold};
pub use story::TerminalSession;
pub use terminal::Terminal;
pub use tools::{tool, tools_path};

/// A temporary project with its own state, configuration and home folder.
pub struct TestProject {
    binary: PathBuf,
    folder: tempfile::TempDir,
}

/// The result of a command.
#[derive(Clone, Debug)]
pub struct CommandOutput {
    /// The exit code; `None` when a signal ended it.
    pub code: Option<i32>,
    /// Its standard output.
    pub stdout: String,
    /// Its messages to the user.
    pub stderr: String,
}

/// One call of the binary, which can be configured and run.
pub struct BinaryCall {
    command: Command,
    stdin: Option<Vec<u8>>,
}

impl TestProject {
    /// Creates an empty project outside git, for the binary at `binary`.
    pub fn plain(binary: impl Into<PathBuf>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("project")).unwrap();
        Self { binary: binary.into(), folder }
    }

    /// Creates an empty project in a fresh git repository without a commit.
    pub fn git(binary: impl Into<PathBuf>) -> Self {
        let project = Self::plain(binary);
        project.run_git(&["init", "--quiet", "--initial-branch=main"]);
        project
    }

    /// Returns the project's root.
    pub fn root(&self) -> PathBuf {
        fs::canonicalize(self.folder.path().join("project")).unwrap()
    }

    /// Returns a path outside the project that lives as long as it does.
    pub fn outside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns the state folder of a project outside git.
    pub fn state(&self) -> PathBuf {
        self.outside("state")
    }

    /// Returns every path of the project, its state and its home, in order: if
    /// they are the same before and after, nothing was created or deleted.
    pub fn everything(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut folders = vec![self.folder.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let entry = entry.unwrap();
                if entry.file_type().unwrap().is_dir() {
                    folders.push(entry.path());
                }
                found.push(entry.path());
            }
        }
        found.sort();
        found
    }

    /// Writes a file of the project.
    pub fn file(&self, name: &str, text: impl AsRef<[u8]>) -> &Self {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    /// Reads a file of the project; empty when it does not exist.
    pub fn read(&self, name: &str) -> String {
        let bytes = fs::read(self.root().join(name)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Writes an executable shell script of the project.
    pub fn script(&self, name: &str, body: &str) -> &Self {
        self.file(name, format!("#!/bin/sh\n{body}\n"));
        let path = self.root().join(name);
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    /// Reads a file that a script left in `$OUTSIDE`; empty when it does not exist.
    pub fn kept(&self, name: &str) -> String {
        let bytes = fs::read(self.outside(name)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Writes `agent.sh`: the prompt is on its stdin and in
    /// `$RALPH_PROMPT_FILE`. Output that must not change the project goes into
    /// `$OUTSIDE`.
    pub fn agent(&self, body: &str) -> &Self {
        self.script("agent.sh", body)
    }

    /// Writes an agent of the Agent Client Protocol below the project's home,
    /// and returns its path. Its argument names what it does wrong.
    pub fn acp_agent(&self) -> PathBuf {
        let path = self.outside("acp_agent.py");
        fs::write(&path, include_str!("acp_agent.py")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// Runs git in the project and returns what it printed.
    pub fn run_git(&self, args: &[&str]) -> String {
        let output = self.clean(Command::new("git")).args(args).output().unwrap();
        assert!(
            output.status.success(),
            "git {args:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// Prepares a call of the binary with these arguments.
    pub fn ralph<S: AsRef<OsStr>>(&self, args: &[S]) -> BinaryCall {
        let mut command = self.clean(Command::new(&self.binary));
        command.args(args);
        BinaryCall { command, stdin: None }
    }

    /// Prepares a call of another program in the same environment.
    pub fn program(&self, program: impl AsRef<OsStr>) -> BinaryCall {
        BinaryCall { command: self.clean(Command::new(program)), stdin: None }
    }

    /// Returns the binary under test.
    pub fn binary(&self) -> &Path {
        &self.binary
    }

    /// Runs `ralph run TASK --agent-cmd ./agent.sh --json` with more arguments.
    pub fn run_json(&self, task: &str, more: &[&str]) -> CommandOutput {
        self.run_call(task, more).output()
    }

    /// Prepares the call that [`TestProject::run_json`] runs.
    pub fn run_call(&self, task: &str, more: &[&str]) -> BinaryCall {
        let mut args = vec!["run", task, "--agent-cmd", "./agent.sh", "--json"];
        args.extend(more);
        self.ralph(&args)
    }

    fn clean(&self, mut command: Command) -> Command {
        command.env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("OUTSIDE", self.folder.path());
        command.env("HOME", self.outside("home"));
        command.env("XDG_STATE_HOME", self.state());
        // The tests' own projects count without a question.
        command.env("RALPH_TRUSTED_FOLDERS", self.folder.path());
        command.env("XDG_CONFIG_HOME", self.outside("config"));
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "Test");
            command.env(format!("GIT_{role}_EMAIL"), "test@example.invalid");
        }
        command.current_dir(self.root());
        command
    }
}

impl BinaryCall {
    /// Sets a variable.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Sets several variables.
    #[must_use]
    pub fn envs<N: AsRef<OsStr>, V: AsRef<OsStr>>(
        mut self,
        variables: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        self.command.envs(variables);
        self
    }

    /// Finds the binary and the real tools, and no network.
    #[must_use]
    pub fn with_tools(mut self) -> Self {
        self.command.env("PATH", tools_path()).envs(isolation::proxy());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.command.args(args);
        self
    }

    /// Runs in another folder.
    #[must_use]
    pub fn dir(mut self, path: impl AsRef<Path>) -> Self {
        self.command.current_dir(path);
        self
    }

    /// Sets its standard input.
    #[must_use]
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(bytes.into());
        self
    }

    /// Runs it to its end with a stdout that no one reads.
    pub fn unheard(mut self) -> CommandOutput {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        self.command.stdin(Stdio::null()).stdout(writer).stderr(Stdio::piped());
        self.command.spawn().unwrap().wait_with_output().unwrap().into()
    }

    /// Starts it and returns at once; its events are read one by one.
    pub fn start(self) -> RunningCall {
        RunningCall::new(self.spawn())
    }

    /// Starts it and returns at once, its output in pipes.
    pub fn spawn(mut self) -> Child {
        let input = self.stdin.take();
        let stdin = if input.is_some() { Stdio::piped() } else { Stdio::null() };
        self.command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().unwrap();
        if let (Some(bytes), Some(mut pipe)) = (input, child.stdin.take()) {
            // In a thread, because it may be more than a pipe holds. The
            // command may end without reading all of it.
            thread::spawn(move || pipe.write_all(&bytes));
        }
        child
    }

    /// Starts it and returns at once, with input and output in pipes.
    pub fn converse(mut self) -> Child {
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        self.command.spawn().unwrap()
    }

    /// Runs it to its end.
    pub fn output(self) -> CommandOutput {
        self.spawn().wait_with_output().unwrap().into()
    }
}

impl From<std::process::Output> for CommandOutput {
    fn from(output: std::process::Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl CommandOutput {
    /// Checks the exit code; the output is shown when it differs.
    #[track_caller]
    #[must_use]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// Parses the output as one JSON value.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Parses the output as one JSON object per line.
    #[track_caller]
    pub fn events(&self) -> Vec<Value> {
        let parse = |line: &str| {
            serde_json::from_str(line)
                .unwrap_or_else(|error| panic!("{error}: {line}\n{}", self.stderr))
        };
        self.stdout.lines().map(parse).collect()
    }

    /// Returns all events of a type.
    #[track_caller]
    pub fn events_of(&self, kind: &str) -> Vec<Value> {
        self.events().into_iter().filter(|event| event["type"] == kind).collect()
    }

    /// Returns one field of all events of a type, as text.
    #[track_caller]
    pub fn values(&self, kind: &str, field: &str) -> Vec<String> {
        let text = |event: Value| {
            let value = &event[field];
            value.as_str().map_or_else(|| value.to_string(), str::to_owned)
        };
        self.events_of(kind).into_iter().map(text).collect()
    }

    /// Returns the `run_ended` event, which must be the last.
    #[track_caller]
    pub fn ended(&self) -> Value {
        let last = self.events().pop().unwrap_or_else(|| panic!("no events: {}", self.stderr));
        assert_eq!(last["type"], "run_ended", "{last}");
        last
    }

    /// Checks the end of the run: `status/reason`, and the number of turns.
    #[track_caller]
    #[must_use]
    pub fn ends(self, how: &str, iterations: u64) -> Self {
        let ended = self.ended();
        let status = ended["status"].as_str().unwrap_or("");
        let got = match ended["reason"].as_str() {
            Some(reason) => format!("{status}/{reason}"),
            None => status.to_owned(),
        };
        let want = (how, Some(iterations));
        assert_eq!(
            (got.as_str(), ended["iterations"].as_u64()),
            want,
            "{}\n{}",
            self.stdout,
            self.stderr
        );
        self
    }
}

/// Returns true if a process with the id in this text exists.
#[track_caller]
pub fn is_alive(pid: &str) -> bool {
    let pid: u32 = pid.trim().parse().unwrap_or_else(|_| panic!("`{pid}` is no process id"));
    Path::new("/proc").join(pid.to_string()).exists()
}
