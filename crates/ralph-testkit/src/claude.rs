//! The real Claude Code client against a scripted Messages API.
//!
//! Tests that use it are the body of [`isolated`](crate::isolated): the
//! client, its tools and its hooks reach the scripted server and nothing else.

use std::ffi::{OsStr, OsString};
use std::{env, fs};

use serde_json::{Value, json};

use crate::{
    BinaryCall, CommandOutput, MessagesServer, Terminal, TerminalSession, TestProject, isolation,
    tool, tools_path,
};

/// A key of the usual form that is not valid.
const KEY: &str = "sk-ant-api03-scripted-scripted-scripted-scripted-0000";

/// Variables that disable everything but the conversation, and allow tools
/// without asking even as root.
const QUIET: &[(&str, &str)] = &[
    ("DISABLE_AUTOUPDATER", "1"),
    ("DISABLE_ERROR_REPORTING", "1"),
    ("DISABLE_TELEMETRY", "1"),
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ("CLAUDE_CODE_MAX_RETRIES", "0"),
    ("IS_SANDBOX", "1"),
    ("LC_ALL", "C.UTF-8"),
    ("SHELL", "/bin/bash"),
    ("TERM", "xterm-256color"),
];

/// The client of one project and one server, with a home folder of its own.
pub struct ClaudeClient<'a> {
    project: &'a TestProject,
    variables: Vec<(&'static str, OsString)>,
}

impl<'a> ClaudeClient<'a> {
    /// Sets up a client that trusts the project.
    #[track_caller]
    pub fn new(project: &'a TestProject, server: &MessagesServer) -> Self {
        let home = project.outside("home");
        fs::create_dir_all(home.join(".claude")).unwrap();
        let memory = home.join(".claude.json");
        if !memory.exists() {
            // Only once: another client may be about to read it.
            fs::write(memory, settled(project).to_string()).unwrap();
        }
        Self { project, variables: variables(project, server) }
    }

    /// Prepares a call of the client with these arguments.
    #[track_caller]
    pub fn call<S: AsRef<OsStr>>(&self, args: &[S]) -> BinaryCall {
        self.project.program(tool("claude")).envs(self.variables.clone()).args(args)
    }

    /// Prepares a call that answers one prompt, reports events as JSON lines,
    /// and may use every tool.
    #[track_caller]
    pub fn print(&self, prompt: &str) -> BinaryCall {
        self.careful(prompt).args(["--dangerously-skip-permissions"])
    }

    /// Prepares the same call, limited to tools that need no permission.
    #[track_caller]
    pub fn careful(&self, prompt: &str) -> BinaryCall {
        self.call(&["-p", "--output-format", "stream-json", "--verbose"]).stdin(prompt)
    }

    /// Prepares a call of `ralph` that finds this client.
    pub fn ralph<S: AsRef<OsStr>>(&self, args: &[S]) -> BinaryCall {
        self.project.ralph(args).envs(self.variables.clone())
    }

    /// Starts the client in a terminal, as a person does.
    #[track_caller]
    pub fn terminal(&self, args: &[&str]) -> Terminal<'a> {
        Terminal::start(self.project, &self.variables, &tool("claude"), args)
    }

    /// Starts a shell that finds the client and `ralph`.
    #[track_caller]
    pub fn story(&self) -> TerminalSession<'a> {
        TerminalSession::new(self.project, Terminal::shell(self.project, &self.variables))
    }
}

impl CommandOutput {
    /// Returns the client's last event of the type `result`.
    #[track_caller]
    pub fn result(&self) -> Value {
        let last = self.events_of("result").pop();
        last.unwrap_or_else(|| panic!("no result:\n{}\n{}", self.stdout, self.stderr))
    }
}

fn variables(project: &TestProject, server: &MessagesServer) -> Vec<(&'static str, OsString)> {
    let own = project.binary().parent().into_iter().map(Into::into);
    let path = own.chain(env::split_paths(&tools_path()).collect::<Vec<_>>());
    let path = env::join_paths(path).unwrap();
    let quiet = QUIET.iter().copied().chain(isolation::proxy());
    let mut variables: Vec<(&str, OsString)> =
        quiet.map(|(name, value)| (name, value.into())).collect();
    variables.push(("PATH", path));
    variables.push(("ANTHROPIC_API_KEY", KEY.into()));
    variables.push(("ANTHROPIC_BASE_URL", server.url().into()));
    variables
}

/// Returns the client's settings for a user who has answered its first
/// questions.
fn settled(project: &TestProject) -> Value {
    let root = project.root().to_str().unwrap().to_owned();
    let known = &KEY[KEY.len() - 20..];
    json!({
        "hasCompletedOnboarding": true,
        "lastOnboardingVersion": "99.0.0",
        "theme": "dark",
        "bypassPermissionsModeAccepted": true,
        "customApiKeyResponses": { "approved": [known], "rejected": [] },
        "projects": {
            root: { "hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true },
        },
    })
}
