//! The real Claude Code client against a scripted Messages API.
//!
//! Tests that use it are the body of [`isolated`](crate::isolated): the
//! client, its tools and its hooks reach the scripted server and nothing else.

use std::ffi::{OsStr, OsString};
use std::{env, fs};

use serde_json::{Value, json};

use crate::{Call, Messages, Output, Project, Story, Terminal, isolation, tool, tools_path};

/// A key of the usual form that opens nothing.
const KEY: &str = "sk-ant-api03-scripted-scripted-scripted-scripted-0000";

/// What keeps the client from everything that is not the conversation, and
/// lets it use tools without asking although it may run as root.
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
pub struct Claude<'a> {
    project: &'a Project,
    variables: Vec<(&'static str, OsString)>,
}

impl<'a> Claude<'a> {
    /// A client that was set up and trusts the project.
    #[track_caller]
    pub fn new(project: &'a Project, server: &Messages) -> Self {
        let home = project.outside("home");
        fs::create_dir_all(home.join(".claude")).unwrap();
        let memory = home.join(".claude.json");
        if !memory.exists() {
            // Never again: another client may be about to read it.
            fs::write(memory, settled(project).to_string()).unwrap();
        }
        Self { project, variables: variables(project, server) }
    }

    /// A call of the client with these arguments.
    #[track_caller]
    pub fn call<S: AsRef<OsStr>>(&self, args: &[S]) -> Call {
        self.project.program(tool("claude")).envs(self.variables.clone()).args(args)
    }

    /// A call that answers one prompt, says what happens as JSON lines, and
    /// may use every tool.
    #[track_caller]
    pub fn print(&self, prompt: &str) -> Call {
        self.careful(prompt).args(["--dangerously-skip-permissions"])
    }

    /// The same, but it may use only the tools that need no permission.
    #[track_caller]
    pub fn careful(&self, prompt: &str) -> Call {
        self.call(&["-p", "--output-format", "stream-json", "--verbose"]).stdin(prompt)
    }

    /// A call of `ralph` that finds this client.
    pub fn ralph<S: AsRef<OsStr>>(&self, args: &[S]) -> Call {
        self.project.ralph(args).envs(self.variables.clone())
    }

    /// Starts the client in a terminal, as a person does.
    #[track_caller]
    pub fn terminal(&self, args: &[&str]) -> Terminal<'a> {
        Terminal::start(self.project, &self.variables, &tool("claude"), args)
    }

    /// Sits down at a shell that finds the client and `ralph`.
    #[track_caller]
    pub fn story(&self) -> Story<'a> {
        Story::new(self.project, Terminal::shell(self.project, &self.variables))
    }
}

impl Output {
    /// The last word of a client: its last line of the type `result`.
    #[track_caller]
    pub fn result(&self) -> Value {
        let last = self.events_of("result").pop();
        last.unwrap_or_else(|| panic!("no result:\n{}\n{}", self.stdout, self.stderr))
    }
}

fn variables(project: &Project, server: &Messages) -> Vec<(&'static str, OsString)> {
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

/// What the client remembers of a user who has answered its first questions.
fn settled(project: &Project) -> Value {
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
