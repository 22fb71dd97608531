//! The real agents: how each is pointed at the scripted model, and how it writes
//! a file.

use std::fs;
use std::path::Path;

use ralph_testkit::{BinaryCall, MessagesServer, ModelScript, ModelTurn, TestProject};
use serde_json::{Value, json};

/// A real agent.
#[derive(Clone, Copy)]
pub(super) struct RealAgent {
    pub(super) name: &'static str,
    /// Its table in the user's settings.
    pub(super) settings: &'static str,
    /// Files of the home folder; `URL` stands for the address of the model.
    pub(super) files: &'static [(&'static str, &'static str)],
    /// Variables; `URL` and `HOME` stand for values.
    pub(super) variables: &'static [(&'static str, &'static str)],
    /// The use of a tool that makes `text` the contents of a file with `1`.
    pub(super) writes: fn(&Path, &str) -> ModelTurn,
    /// The use of a tool that runs a command, if the usual mode refuses it.
    pub(super) refused: Option<fn(&str) -> ModelTurn>,
    /// True if it goes on with a conversation.
    pub(super) remembers: bool,
}

fn uses(tool: &str, input: &Value) -> ModelTurn {
    ModelTurn::uses(tool, input)
}

pub(super) const CODEX: RealAgent = RealAgent {
    name: "codex",
    settings: "",
    files: &[(
        ".codex/config.toml",
        "model = \"stub\"\nmodel_provider = \"stub\"\ncheck_for_update_on_startup = false\n\
         [analytics]\nenabled = false\n\
         [model_providers.stub]\nname = \"stub\"\nbase_url = \"URL/v1\"\nenv_key = \"STUB_KEY\"\n\
         wire_api = \"responses\"\nrequest_max_retries = 0\nstream_max_retries = 0\n",
    )],
    // It keeps no helpers of its sandbox below the folder for temporary files.
    variables: &[("STUB_KEY", "dummy"), ("TMPDIR", "HOME/tmp")],
    writes: |path, text| {
        let command = format!("printf '{text}' > '{}'", path.display());
        uses("exec_command", &json!({ "cmd": command }))
    },
    refused: None,
    remembers: true,
};

pub(super) const COPILOT: RealAgent = RealAgent {
    name: "copilot",
    settings: "",
    files: &[],
    variables: &[
        ("COPILOT_OFFLINE", "true"),
        ("COPILOT_PROVIDER_BASE_URL", "URL/v1"),
        ("COPILOT_MODEL", "stub"),
    ],
    writes: |path, text| uses("edit", &json!({ "path": path, "old_str": "1\n", "new_str": text })),
    refused: Some(|command| uses("bash", &json!({ "command": command, "description": "x" }))),
    remembers: true,
};

pub(super) const GEMINI: RealAgent = RealAgent {
    name: "gemini",
    settings: "args = [\"--skip-trust\"]\nmodel = \"gemini-2.5-flash\"\n",
    files: &[(
        ".gemini/settings.json",
        r#"{"security":{"auth":{"selectedType":"gemini-api-key"}},"general":{"maxAttempts":1}}"#,
    )],
    variables: &[
        ("GOOGLE_GEMINI_BASE_URL", "URL"),
        ("GEMINI_API_KEY", "dummy"),
        ("GEMINI_CLI_NO_RELAUNCH", "true"),
    ],
    writes: |path, text| uses("write_file", &json!({ "file_path": path, "content": text })),
    refused: Some(|command| uses("run_shell_command", &json!({ "command": command }))),
    remembers: true,
};

pub(super) const QWEN: RealAgent = RealAgent {
    name: "qwen",
    settings: "",
    // It would ask the model about notes, at moments of its own.
    files: &[(".qwen/settings.json", r#"{"memory":{"enableManagedAutoMemory":false}}"#)],
    variables: &[
        ("OPENAI_BASE_URL", "URL/v1"),
        ("OPENAI_API_KEY", "dummy"),
        ("OPENAI_MODEL", "stub"),
    ],
    writes: |path, text| {
        let read = uses("read_file", &json!({ "file_path": path }));
        read.and(uses("write_file", &json!({ "file_path": path, "content": text })))
    },
    refused: GEMINI.refused,
    remembers: true,
};

pub(super) const KIMI: RealAgent = RealAgent {
    name: "kimi",
    settings: "",
    files: &[],
    variables: &[
        ("KIMI_MODEL_NAME", "stub"),
        ("KIMI_MODEL_API_KEY", "dummy"),
        ("KIMI_MODEL_BASE_URL", "URL/v1"),
        ("KIMI_MODEL_PROVIDER_TYPE", "openai"),
        ("KIMI_MODEL_MAX_CONTEXT_SIZE", "200000"),
    ],
    writes: |path, text| uses("Write", &json!({ "path": path, "content": text })),
    refused: Some(|command| uses("Bash", &json!({ "command": command }))),
    remembers: true,
};

pub(super) const DROID: RealAgent = RealAgent {
    name: "droid",
    settings: "model = \"custom:stub-0\"\n",
    files: &[(
        ".factory/settings.json",
        r#"{"customModels":[{"model":"stub","displayName":"stub","baseUrl":"URL/v1","apiKey":"dummy","provider":"generic-chat-completion-api","maxOutputTokens":1000}]}"#,
    )],
    variables: &[],
    writes: |path, text| uses("Create", &json!({ "file_path": path, "content": text })),
    refused: None,
    remembers: true,
};

pub(super) const PI: RealAgent = RealAgent {
    name: "pi",
    settings: "args = [\"--offline\", \"--provider\", \"stub\"]\nmodel = \"stub\"\n",
    files: &[(
        ".pi/agent/models.json",
        r#"{"providers":{"stub":{"baseUrl":"URL/v1","api":"openai-completions","apiKey":"dummy","models":[{"id":"stub","contextWindow":100000,"maxTokens":1000}]}}}"#,
    )],
    variables: &[],
    writes: |path, text| uses("write", &json!({ "path": path, "content": text })),
    refused: None,
    remembers: true,
};

pub(super) const CLINE: RealAgent = RealAgent {
    name: "cline",
    settings: "",
    files: &[],
    variables: &[],
    writes: |path, text| {
        uses("editor", &json!({ "path": path, "old_text": "1\n", "new_text": text }))
    },
    refused: None,
    remembers: false,
};

/// A project, a model, and an agent that knows it.
pub(super) struct Stage {
    pub(super) agent: RealAgent,
    pub(super) project: TestProject,
    pub(super) api: MessagesServer,
}

impl Stage {
    pub(super) fn new(agent: RealAgent, turns: impl IntoIterator<Item = ModelTurn>) -> Self {
        Self::scripted(agent, ModelScript::new(turns))
    }

    pub(super) fn scripted(agent: RealAgent, script: ModelScript) -> Self {
        let project = TestProject::git(env!("CARGO_BIN_EXE_ralph"));
        project.file("a", "1\n").run_git(&["add", "-A"]);
        project.run_git(&["commit", "--quiet", "--message=start"]);
        let stage = Self { agent, project, api: MessagesServer::start(script) };
        stage.settle("");
        for (path, text) in agent.files {
            stage.outside(&format!("home/{path}"), &stage.filled(text));
        }
        fs::create_dir_all(stage.project.outside("home/tmp")).unwrap();
        if agent.name == "cline" {
            let url = format!("{}/v1", stage.api.url());
            let words = ["auth", "--provider", "openai", "--apikey", "dummy", "--modelid", "stub"];
            let call = stage.project.program(ralph_testkit::tool("cline")).with_tools();
            let _ = call.args(words).args(["--baseurl", &url]).output().exits(0);
        }
        stage
    }

    /// Writes the user's settings, with more keys of the agent's table.
    pub(super) fn settle(&self, more: &str) {
        let RealAgent { name, settings, .. } = self.agent;
        let table = format!("[agents.{name}]\n{settings}{more}");
        self.outside("config/ralph/config.toml", &table);
    }

    fn outside(&self, path: &str, text: &str) {
        let path = self.project.outside(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn filled(&self, text: &str) -> String {
        let home = self.project.outside("home");
        text.replace("URL", &self.api.url()).replace("HOME", home.to_str().unwrap())
    }

    /// The turn that makes the file `a` hold this text.
    pub(super) fn writes(&self, text: &str) -> ModelTurn {
        (self.agent.writes)(&self.project.root().join("a"), text)
    }

    /// A call of `ralph` that finds the agent.
    pub(super) fn ralph(&self, args: &[&str]) -> BinaryCall {
        self.with_model(self.project.ralph(args))
    }

    /// A call of the agent itself, without arguments.
    pub(super) fn client(&self) -> BinaryCall {
        self.with_model(self.project.program(ralph_testkit::tool(self.agent.name)))
    }

    fn with_model(&self, call: BinaryCall) -> BinaryCall {
        let variables =
            self.agent.variables.iter().map(|(name, value)| (*name, self.filled(value)));
        call.with_tools().envs(variables)
    }

    /// A run with this agent, this task and a check that the file `a` has a `b`.
    pub(super) fn run(&self, task: &str) -> BinaryCall {
        let args = ["run", task, "--json", "--max-iterations", "4", "--agent", self.agent.name];
        self.ralph(&args)
    }

    /// The tokens of all answers so far: those sent and those received.
    pub(super) fn tokens(&self) -> [u64; 2] {
        let answers = self.api.everything().len() as u64;
        [answers * ralph_testkit::TOKENS.sent, answers * ralph_testkit::TOKENS.received]
    }
}

/// The command lines of all processes that are not threads or dead.
pub(super) fn processes() -> Vec<String> {
    let entries = fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
    let ids = entries.filter(|entry| entry.file_name().to_string_lossy().parse::<u32>().is_ok());
    let line = |entry: fs::DirEntry| {
        let bytes = fs::read(entry.path().join("cmdline")).ok()?;
        (!bytes.is_empty()).then(|| String::from_utf8_lossy(&bytes).replace('\0', " "))
    };
    let mut lines: Vec<String> = ids.filter_map(line).collect();
    lines.sort();
    lines
}
