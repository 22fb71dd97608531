//! The options of `run`, `start` and `check`: flags that override settings.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};

use ralph_agents::{Client, ClientOption};
use ralph_config::{SettingKind, SettingLayers, SettingValue, ValueError, criteria};
use ralph_core::run::Task;

use crate::error::CliError;

/// The argument that stands for standard input.
const STDIN: &str = "-";

/// Most bytes of a task, which is text for a model.
const MOST_TASK_BYTES: u64 = 1024 * 1024;

/// What the agent is to do
#[derive(clap::Args, Debug, Default)]
pub(crate) struct TaskOptions {
    /// What the agent is to do, in your words (`-` for standard input)
    #[arg(value_name = "TASK")]
    task: Option<String>,
    /// Read the task from a file (`-` for standard input)
    #[arg(long, value_name = "FILE", conflicts_with = "task")]
    prompt_file: Option<PathBuf>,
    /// A short description for lists
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// A file or folder the task is about (repeatable)
    #[arg(long, value_name = "PATH")]
    target: Vec<String>,
    /// Tie this run to others of the same task
    #[arg(long, value_name = "ID")]
    task_id: Option<String>,
}

impl TaskOptions {
    /// Reads the task. An empty one is an error.
    pub(crate) fn read(&self) -> Result<Task, CliError> {
        let text = match (&self.task, &self.prompt_file) {
            (Some(task), _) if task == STDIN => read_text(Path::new(STDIN))?,
            (Some(task), _) => task.clone(),
            (None, Some(path)) => read_text(path)?,
            (None, None) => {
                return Err(CliError::usage("there is no task")
                    .with_hint("say what to do: ralph run \"make the tests pass\" …")
                    .in_korean(
                        "작업이 없습니다",
                        Some("할 일을 적으세요: ralph run \"테스트를 통과시켜 줘\" …"),
                    ));
            }
        };
        if text.trim().is_empty() {
            return Err(
                CliError::usage("the task is empty").in_korean("작업 내용이 비어 있습니다", None)
            );
        }
        Ok(Task {
            text,
            description: self.description.clone(),
            targets: self.target.clone(),
            id: self.task_id.clone(),
        })
    }
}

fn read_text(path: &Path) -> Result<String, CliError> {
    let cannot = |what: &dyn std::fmt::Display| {
        CliError::usage(format!("cannot read the task from {}: {what}", path.display()))
            .in_korean(format!("{} 에서 작업을 읽을 수 없습니다: {what}", path.display()), None)
    };
    let mut bytes = Vec::new();
    let read = if path.as_os_str() == STDIN {
        std::io::stdin().lock().take(MOST_TASK_BYTES + 1).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path)
            .and_then(|file| file.take(MOST_TASK_BYTES + 1).read_to_end(&mut bytes))
    };
    read.map_err(|error| cannot(&error))?;
    if bytes.len() as u64 > MOST_TASK_BYTES {
        return Err(cannot(&"it is larger than 1 MiB"));
    }
    String::from_utf8(bytes).map_err(|_| cannot(&"it is not UTF-8 text"))
}

/// What must hold
#[derive(clap::Args, Debug, Default)]
#[command(next_help_heading = "When it is done")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct CriteriaOptions {
    /// What must hold: `test_pass`, `build_success`, `lint_clean`, `type_check`, `diagnostics`, `security`, `memory`, or `custom:COMMAND` (repeatable)
    #[arg(long, value_name = "CRITERIA")]
    criteria: Vec<String>,
    /// The same as `--criteria test_pass`
    #[arg(long)]
    tests_pass: bool,
    /// Fail if any error remains (default with `lint_clean` or `type_check`)
    #[arg(long)]
    zero_errors: bool,
    /// Do not fail on remaining errors when the gate itself passes
    #[arg(long, conflicts_with = "zero_errors")]
    no_zero_errors: bool,
    /// Fail if any warning remains
    #[arg(long)]
    zero_warnings: bool,
    /// Fail if any security issue remains
    #[arg(long)]
    zero_security: bool,
}

/// When a run is done and when it is over
#[derive(clap::Args, Debug, Default)]
#[command(next_help_heading = "When it is done")]
pub(crate) struct PolicyOptions {
    #[command(flatten)]
    criteria: CriteriaOptions,
    /// Let the agent change or remove tests, or those at these paths (default: a weakened test blocks success)
    #[arg(long, value_name = "PATH", num_args = 0.., require_equals = true, value_delimiter = ',')]
    allow_test_changes: Option<Vec<String>>,
    /// Let tests that failed at the start go on failing; the run then needs the agent's word
    #[arg(long)]
    known_failures: bool,
    /// Start even in `/`, in your home folder, or in a very large folder without git
    #[arg(long)]
    any_folder: bool,
    /// What the agent says when it is done; empty disables it (default: DONE)
    #[arg(long, value_name = "WORD", alias = "completion-promise")]
    promise: Option<String>,
    /// Where the promise must appear in the final message: `tag`, `word` or `contains` (default: tag)
    #[arg(long = "match", value_name = "MODE")]
    match_mode: Option<String>,
    /// Whose word ends the run: `claim` or `evidence` (default: evidence with a gate, else claim)
    #[arg(long, value_name = "WHOSE")]
    trust: Option<String>,
    /// Ask a judge whether this holds before the work counts as done; see the `judge` settings
    #[arg(long, value_name = "CRITERION")]
    judge: Option<String>,
    /// Turns of the agent (default: 10 with a gate, else 100)
    #[arg(long, value_name = "N", help_heading = "Limits", allow_negative_numbers = true)]
    max_iterations: Option<String>,
    /// Working time (default: 30m with a gate, else 4h)
    #[arg(long, value_name = "TIME", help_heading = "Limits", allow_negative_numbers = true)]
    max_duration: Option<String>,
    /// Money in US dollars, for agents that report it
    #[arg(long, value_name = "USD", help_heading = "Limits", allow_negative_numbers = true)]
    max_cost: Option<String>,
    /// Tokens, for agents that report them
    #[arg(long, value_name = "N", help_heading = "Limits", allow_negative_numbers = true)]
    max_tokens: Option<String>,
    /// How often a crashed or hung turn, or a move to a new session, may be retried (default: 5)
    #[arg(long, value_name = "N", help_heading = "Limits", allow_negative_numbers = true)]
    max_restarts: Option<String>,
    /// Turns in a row without progress that end the run (default: 3)
    #[arg(long, value_name = "N", help_heading = "Limits", allow_negative_numbers = true)]
    stagnation_limit: Option<String>,
    /// What a run that fails leaves: `keep`, `best` or `start` (default: keep)
    #[arg(long, value_name = "WHAT", help_heading = "Limits")]
    on_fail: Option<String>,
    /// How much the agent remembers between turns: `auto`, `same`, `summarize` or `fresh` (default: auto)
    #[arg(long, value_name = "MODE", help_heading = "Turns")]
    context: Option<String>,
    /// The language of prompts and messages: `en` or `ko` (default: from the environment)
    #[arg(long, value_name = "LANG", help_heading = "Turns")]
    locale: Option<String>,
}

/// The sandbox of agents and gates
#[derive(clap::Args, Debug, Default)]
#[command(next_help_heading = "Sandbox")]
pub(crate) struct SandboxOptions {
    /// Start agent and gates in a sandbox: `on`, `require` (refuse what it cannot keep) or `off` (default: off; without a word: on)
    #[arg(long, value_name = "MODE", num_args = 0..=1, require_equals = true, default_missing_value = "on")]
    sandbox: Option<String>,
}

/// The settings of the project
#[derive(clap::Args, Debug, Default)]
pub(crate) struct TrustOptions {
    /// Accept the settings of ralph.toml for this command, whatever they are
    #[arg(long)]
    pub(crate) trust_project: bool,
}

/// The sandbox that a command shows or uses
#[derive(clap::Args, Debug, Default)]
pub(crate) struct SandboxLimits {
    /// The agent whose folders stay open (default: that of the settings)
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// The network: `on`, `off` or `hosts` (default: that of the settings)
    #[arg(long, value_name = "WHICH")]
    network: Option<String>,
    /// How it is enforced: `best` or `landlock` (default: best)
    #[arg(long, value_name = "HOW")]
    technique: Option<String>,
}

/// Who does the work and how its turns are bounded
#[derive(clap::Args, Debug, Default)]
#[command(next_help_heading = "Turns")]
pub(crate) struct AgentOptions {
    #[arg(long, value_name = "NAME", help = agent_help())]
    agent: Option<String>,
    /// The agent's command line; prompt on stdin, text on stdout, no shell
    #[arg(long, value_name = "COMMAND", conflicts_with = "script")]
    agent_cmd: Option<String>,
    /// What the scripted agent does
    #[arg(long, value_name = "FILE")]
    pub(crate) script: Option<PathBuf>,
    /// The model to ask for, for agents that let one choose
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// Use a server of the agent that runs already, for agents that have one
    #[arg(long, value_name = "URL")]
    attach: Option<String>,
    /// End a turn without output after this long (default: 10m)
    #[arg(long, value_name = "TIME")]
    idle_timeout: Option<String>,
    /// End a turn after this long (default: 1h)
    #[arg(long, value_name = "TIME")]
    turn_timeout: Option<String>,
}

/// Renders the help of `--agent` with the names of the agents.
fn agent_help() -> String {
    let names: Vec<String> = ralph_agents::NAMES.iter().map(|name| format!("`{name}`")).collect();
    format!("Who does the work: {} (default: command)", names.join(", "))
}

impl CriteriaOptions {
    /// Returns true if any option was given.
    pub(crate) fn is_given(&self) -> bool {
        let Self {
            criteria,
            tests_pass,
            zero_errors,
            no_zero_errors,
            zero_warnings,
            zero_security,
        } = self;
        let flags = [tests_pass, zero_errors, no_zero_errors, zero_warnings, zero_security];
        !criteria.is_empty() || flags.into_iter().any(|flag| *flag)
    }

    /// Applies the options to the settings.
    pub(crate) fn apply(&self, layers: &mut SettingLayers) -> Result<(), CliError> {
        let mut given = self.criteria.clone();
        if self.tests_pass {
            given.push("test_pass".to_owned());
        }
        if !given.is_empty() {
            let list = criteria(&given).map_err(|error| flag_error("--criteria", &error))?;
            layers.set_flag("run.criteria", list);
        }
        for (given, path, on) in [
            (self.zero_errors, "run.zero_errors", true),
            (self.no_zero_errors, "run.zero_errors", false),
            (self.zero_warnings, "run.zero_warnings", true),
            (self.zero_security, "run.zero_security", true),
        ] {
            if given {
                layers.set_flag(path, SettingValue::Switch(on));
            }
        }
        Ok(())
    }
}

impl PolicyOptions {
    /// Applies the options to the settings.
    pub(crate) fn apply(&self, layers: &mut SettingLayers) -> Result<(), CliError> {
        self.criteria.apply(layers)?;
        match self.allow_test_changes.as_deref() {
            Some([]) => layers.set_flag("run.allow_test_changes", SettingValue::Switch(true)),
            Some(paths) => {
                let mut allowed = match layers.get("run.allow_changes") {
                    Some(SettingValue::List(known)) => known.clone(),
                    Some(_) | None => Vec::new(),
                };
                allowed.extend(paths.iter().cloned());
                layers.set_flag("run.allow_changes", SettingValue::List(allowed));
            }
            None => {}
        }
        if self.known_failures {
            layers.set_flag("run.known_failures", SettingValue::Switch(true));
        }
        if self.any_folder {
            layers.set_flag("run.any_folder", SettingValue::Switch(true));
        }
        for (flag, path, value) in [
            ("--promise", "run.promise", &self.promise),
            ("--match", "run.match", &self.match_mode),
            ("--trust", "run.trust", &self.trust),
            ("--judge", "judge.criterion", &self.judge),
            ("--max-iterations", "run.max_iterations", &self.max_iterations),
            ("--max-duration", "run.max_duration", &self.max_duration),
            ("--max-cost", "run.max_cost", &self.max_cost),
            ("--max-tokens", "run.max_tokens", &self.max_tokens),
            ("--max-restarts", "run.max_restarts", &self.max_restarts),
            ("--stagnation-limit", "run.stagnation_limit", &self.stagnation_limit),
            ("--on-fail", "run.on_fail", &self.on_fail),
            ("--context", "run.context", &self.context),
            ("--locale", "run.locale", &self.locale),
        ] {
            set(layers, flag, path, value.as_deref())?;
        }
        Ok(())
    }
}

impl SandboxOptions {
    /// Applies the options to the settings. The flag counts for agents and gates.
    pub(crate) fn apply(&self, layers: &mut SettingLayers) -> Result<(), CliError> {
        for path in ["sandbox.mode", "sandbox.gates"] {
            set(layers, "--sandbox", path, self.sandbox.as_deref())?;
        }
        Ok(())
    }
}

impl SandboxLimits {
    /// Returns the variables that set the same limits for another process.
    pub(crate) fn variables(&self) -> Vec<(&'static str, OsString)> {
        let given = [
            ("RALPH_SANDBOX_NETWORK", &self.network),
            ("RALPH_SANDBOX_TECHNIQUE", &self.technique),
        ];
        given.into_iter().filter_map(|(name, value)| Some((name, value.clone()?.into()))).collect()
    }

    /// Applies the options to the settings.
    pub(crate) fn apply(&self, layers: &mut SettingLayers) -> Result<(), CliError> {
        set(layers, "--agent", "run.agent", self.agent.as_deref())?;
        set(layers, "--network", "sandbox.network", self.network.as_deref())?;
        set(layers, "--technique", "sandbox.technique", self.technique.as_deref())
    }
}

impl AgentOptions {
    /// Makes the choice of an agent; `None` if none was chosen.
    pub(crate) fn named(agent: Option<String>, agent_cmd: Option<String>) -> Option<Self> {
        let chosen = agent.is_some() || agent_cmd.is_some();
        chosen.then(|| Self { agent, agent_cmd, ..Self::default() })
    }

    /// Applies the options to the settings.
    pub(crate) fn apply(&self, layers: &mut SettingLayers) -> Result<(), CliError> {
        if self.script.is_some() {
            layers.set_flag("run.agent", SettingValue::Text("scripted".to_owned()));
        } else if self.agent_cmd.is_some() {
            layers.set_flag("run.agent", SettingValue::Text("command".to_owned()));
        }
        for (flag, path, value) in [
            ("--agent", "run.agent", &self.agent),
            ("--agent-cmd", "run.agent_cmd", &self.agent_cmd),
            ("--idle-timeout", "run.idle_timeout", &self.idle_timeout),
            ("--turn-timeout", "run.turn_timeout", &self.turn_timeout),
        ] {
            set(layers, flag, path, value.as_deref())?;
        }
        set_of_client(layers, "--model", ClientOption::Model, self.model.as_deref())?;
        set_of_client(layers, "--attach", ClientOption::Attach, self.attach.as_deref())
    }
}

/// Sets an option of the chosen client, which must support it.
fn set_of_client(
    layers: &mut SettingLayers,
    flag: &str,
    option: ClientOption,
    value: Option<&str>,
) -> Result<(), CliError> {
    if value.is_none() {
        return Ok(());
    }
    let agent = ralph_config::agent_name(layers);
    if let (ClientOption::Model, Some(model), Ok(Some(_))) =
        (option, value, layers.rows().find(&agent))
    {
        return layers.set_row_flag(&agent, "model", model).map_err(CliError::usage);
    }
    let client = Client::named(&agent);
    let mut settings = client.map_or(&[][..], Client::settings).iter();
    let Some(setting) = settings.find(|setting| setting.option == option) else {
        return Err(CliError::usage(format!(
            "{flag}: the agent `{agent}` has nothing of the kind"
        ))
        .in_korean(format!("{flag}: 에이전트 `{agent}` 에는 그런 설정이 없습니다"), None));
    };
    set(layers, flag, setting.path, value)
}

fn set(
    layers: &mut SettingLayers,
    flag: &str,
    path: &'static str,
    value: Option<&str>,
) -> Result<(), CliError> {
    let Some(text) = value else { return Ok(()) };
    let kind = ralph_config::KEYS
        .iter()
        .find(|key| key.path == path)
        .map_or(SettingKind::Text, |key| key.kind);
    let value = kind.parse(text).map_err(|error| flag_error(flag, &error))?;
    layers.set_flag(path, value);
    Ok(())
}

fn flag_error(flag: &str, error: &ValueError) -> CliError {
    CliError::usage(format!("{flag}: {error}"))
        .in_korean(format!("{flag}: {}", error.korean()), None)
}
