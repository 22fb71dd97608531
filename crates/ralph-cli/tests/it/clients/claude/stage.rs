//! A project whose sessions call `ralph`, and what its loops come to.

use std::fs;
use std::path::{Path, PathBuf};

use ralph_testkit::{
    BinaryCall, ClaudeClient, CommandOutput, MessagesServer, ModelScript, ModelTurn, Terminal,
    TestProject,
};
use serde_json::{Value, json};

/// The words with which an agent says that it is done.
pub(crate) const DONE: &str = "All of it is done.\n\n<promise>DONE</promise>";

/// A gate that fails until the file `a` has a `b`.
pub(crate) const GATE: &str = "--criteria \"custom:grep -q b a\"";

/// The events that are of interest, and the tools where not all are.
const EVENTS: &[(&str, &str)] = &[
    ("SessionStart", ""),
    ("UserPromptSubmit", ""),
    ("PreToolUse", "Write|Edit|MultiEdit|NotebookEdit"),
    ("PostToolUse", "Write|Edit|MultiEdit|NotebookEdit"),
    ("PostToolUseFailure", ""),
    ("PostToolBatch", ""),
    ("Stop", ""),
    ("StopFailure", ""),
    ("SubagentStop", ""),
    ("PreCompact", ""),
    ("PostCompact", ""),
    ("SessionEnd", ""),
];

/// A project with hooks, a client and a model.
pub(crate) struct Stage {
    pub(crate) project: TestProject,
    pub(crate) api: MessagesServer,
}

impl Stage {
    /// Hooks as they are installed, with no limit to continuations.
    pub(crate) fn new(script: ModelScript) -> Self {
        let stage = Self::bare(script);
        stage.hooks(stage.project.binary(), &json!({ "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "0" }));
        stage
    }

    /// The same for one agent that takes these turns.
    pub(crate) fn saying(turns: impl IntoIterator<Item = ModelTurn>) -> Self {
        Self::new(ModelScript::new(turns))
    }

    /// A project of one commit without hooks.
    pub(crate) fn bare(script: ModelScript) -> Self {
        let project = TestProject::git(env!("CARGO_BIN_EXE_ralph"));
        project.file("a", "1\n");
        for name in ["ralph", "cancel-ralph"] {
            // The model is not told of commands that it may not call.
            let text =
                "---\ndescription: a loop\ndisable-model-invocation: true\n---\nAs it says.\n";
            project.file(&format!(".claude/commands/{name}.md"), text);
        }
        project.run_git(&["add", "-A"]);
        project.run_git(&["commit", "--quiet", "--message=start"]);
        Self { project, api: MessagesServer::start(script) }
    }

    /// Writes the hooks by hand: what a session does with them must not
    /// depend on how they came there.
    pub(crate) fn hooks(&self, program: &Path, environment: &Value) {
        self.write_hooks(program, environment, 3600);
    }

    /// The same for hooks that have so many seconds.
    pub(crate) fn hooks_within(&self, seconds: u64) {
        let environment = json!({ "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "0" });
        self.write_hooks(self.project.binary(), &environment, seconds);
    }

    fn write_hooks(&self, program: &Path, environment: &Value, seconds: u64) {
        let hook = json!({
            "type": "command",
            "command": program,
            "args": ["hook", "--agent", "claude-code", "--timeout", seconds.to_string()],
            "timeout": seconds,
        });
        let entry = |(event, matcher): &(&str, &str)| {
            ((*event).to_owned(), json!([{ "matcher": matcher, "hooks": [hook] }]))
        };
        let hooks: serde_json::Map<String, Value> = EVENTS.iter().map(entry).collect();
        self.settings(&json!({ "env": environment, "hooks": hooks }));
    }

    /// Writes the settings of the project.
    pub(crate) fn settings(&self, settings: &Value) {
        self.project.file(".claude/settings.json", format!("{settings:#}\n"));
    }

    pub(crate) fn claude(&self) -> ClaudeClient<'_> {
        ClaudeClient::new(&self.project, &self.api)
    }

    /// A session that is told this and may use every tool.
    pub(crate) fn session(&self, prompt: &str) -> BinaryCall {
        self.claude().print(prompt)
    }

    /// The newest run as `status --json` has it; null when there is none.
    pub(crate) fn run(&self) -> Value {
        let status = self.project.ralph(&["status", "--json"]).output().exits(0).json();
        status["runs"][0].clone()
    }

    /// Checks where the newest run stands: `status/reason` and its iteration.
    #[track_caller]
    pub(crate) fn is(&self, standing: &str, iteration: u64) -> &Self {
        let run = self.run();
        assert_eq!(
            (self::standing(&run), run["iteration"].as_u64()),
            (standing.to_owned(), Some(iteration)),
            "{run:#}"
        );
        self
    }

    /// Checks how many requests the main agent made.
    #[track_caller]
    pub(crate) fn asked(&self, times: usize) -> &Self {
        let news: Vec<String> =
            self.api.main().iter().map(ralph_testkit::ClientRequest::news).collect();
        assert_eq!(news.len(), times, "{news:#?}");
        self
    }

    /// What the model heard since it spoke last, in its n-th request.
    #[track_caller]
    pub(crate) fn heard(&self, request: usize) -> String {
        self.api.main()[request - 1].news()
    }
}

/// `status/reason` of a run.
pub(crate) fn standing(run: &Value) -> String {
    let reason = run["reason"].as_str().map(|reason| format!("/{reason}"));
    format!("{}{}", run["status"].as_str().unwrap_or("none"), reason.unwrap_or_default())
}

/// The id of the session that said this.
pub(crate) fn session_id(said: &CommandOutput) -> String {
    let events = said.events();
    let id = events.iter().find_map(|event| event["session_id"].as_str());
    id.unwrap_or_else(|| panic!("no session: {}", said.stdout)).to_owned()
}

/// What the user is shown beside the conversation.
pub(crate) fn notes(said: &CommandOutput) -> String {
    let events = said.events_of("system");
    let notes = events.iter().filter_map(|event| event["content"].as_str());
    notes.collect::<Vec<_>>().join("\n")
}

/// A turn that writes a file of the project.
pub(crate) fn writes(project: &TestProject, name: &str, content: &str) -> ModelTurn {
    let path = project.root().join(name);
    ModelTurn::uses("Write", &json!({ "file_path": path, "content": content }))
}

/// Waits until the client has put a line on record that it holds back.
#[track_caller]
pub(crate) fn until_queued(terminal: &Terminal, project: &TestProject, line: &str) {
    let folder = project.outside("home/.claude/projects");
    let queued = format!("\"content\":\"{line}");
    let has_it = |file: PathBuf| fs::read_to_string(file).is_ok_and(|text| text.contains(&queued));
    let files = |folder: PathBuf| fs::read_dir(folder).into_iter().flatten().flatten();
    let _ = terminal.until(|_| {
        let files = files(folder.clone()).flat_map(|project| files(project.path()));
        files.map(|file| file.path()).any(has_it)
    });
}
