//! The table of every setting, from which parsing, references and the schema are made.

use ralph_agents::{ClientOption, ClientSetting};
use ralph_core::format::OutputFormat;
use ralph_core::policy::Criterion;

pub use super::sandbox_keys::KEYS;
use super::value::SettingKind;

/// One setting.
#[derive(Clone, Copy, Debug)]
pub struct SettingKey {
    /// The path in a file, such as `run.max_iterations`.
    pub path: &'static str,
    /// The environment variable that sets it; `None` for settings of a project only.
    pub variable: Option<&'static str>,
    /// The kind of its value.
    pub kind: SettingKind,
    /// The default, in words.
    pub default: &'static str,
    /// A description.
    pub help: &'static str,
}

pub(super) const fn key(
    path: &'static str,
    variable: &'static str,
    kind: SettingKind,
    default: &'static str,
    help: &'static str,
) -> SettingKey {
    SettingKey { path, variable: Some(variable), kind, default, help }
}

/// Makes the setting of a client, as `ralph-agents` describes it.
const fn client(index: usize) -> SettingKey {
    let ClientSetting { option, path, variable, choices, default, help } =
        ralph_agents::SETTINGS[index];
    let kind = match option {
        ClientOption::Args => SettingKind::Command,
        ClientOption::Program
        | ClientOption::Model
        | ClientOption::PermissionMode
        | ClientOption::Persona
        | ClientOption::Attach => {
            if choices.is_empty() {
                SettingKind::Text
            } else {
                SettingKind::Choice(choices)
            }
        }
    };
    SettingKey { path, variable: Some(variable), kind, default, help }
}

/// A setting that has no variable, because it is one of a table.
const fn in_table(
    path: &'static str,
    kind: SettingKind,
    default: &'static str,
    help: &'static str,
) -> SettingKey {
    SettingKey { path, variable: None, kind, default, help }
}

const COMMAND_HELP: &str =
    "What is executed, without a shell; `{report}` is the path of a file it is to write";
const SHELL_HELP: &str = "A script for `sh -c`, instead of `command`";
const DIR_HELP: &str = "Where it runs, relative to the project's root";
const FORMAT_HELP: &str = "How its output, or its report, is read";
const TIMEOUT_HELP: &str = "After this long the gate counts as failed";

/// The names of all output formats.
const FORMATS: [&str; OutputFormat::ALL.len()] = [
    "exit",
    "text",
    "cargo",
    "libtest",
    "nextest",
    "junit",
    "jest",
    "tap",
    "go-test",
    "ctest",
    "tsc",
    "eslint",
    "biome",
    "oxlint",
    "ruff",
    "mypy",
    "pyright",
    "shellcheck",
    "rubocop",
    "sarif",
];

/// The settings of everything but the sandbox.
pub(super) const COMMON: &[SettingKey] = &[
    key(
        "run.agent",
        "RALPH_AGENT",
        SettingKind::Agent(ralph_agents::NAMES),
        "command",
        "Who does the work",
    ),
    key(
        "run.agent_cmd",
        "RALPH_AGENT_CMD",
        SettingKind::Command,
        "none",
        "The agent's command line, run without a shell: prompt on stdin, text on stdout",
    ),
    key(
        "run.promise",
        "RALPH_PROMISE",
        SettingKind::Text,
        "DONE",
        "What the agent says when it is done; empty disables it",
    ),
    key(
        "run.match",
        "RALPH_MATCH",
        SettingKind::Choice(&["tag", "word", "contains"]),
        "tag",
        "Where the promise must appear in the final message",
    ),
    key(
        "run.markers",
        "RALPH_MARKERS",
        SettingKind::List,
        "the known ones",
        "Literals that claim completion whatever the promise",
    ),
    key(
        "run.trust",
        "RALPH_TRUST",
        SettingKind::Choice(&["claim", "evidence"]),
        "evidence with a gate, else claim",
        "Whose word ends a run",
    ),
    key(
        "run.criteria",
        "RALPH_CRITERIA",
        SettingKind::Criteria,
        "none",
        "What must hold: test_pass, build_success, lint_clean, type_check, diagnostics (of language servers), security, memory (notes with a check), custom:COMMAND",
    ),
    key(
        "run.allow_changes",
        "RALPH_ALLOW_CHANGES",
        SettingKind::List,
        "none",
        "Tests and checks that the agent may change or remove: paths, or patterns as in .gitignore",
    ),
    key(
        "run.allow_test_changes",
        "RALPH_ALLOW_TEST_CHANGES",
        SettingKind::Switch,
        "false",
        "Any test may be changed",
    ),
    key(
        "run.original_tests",
        "RALPH_ORIGINAL_TESTS",
        SettingKind::Choice(&["hold", "report", "off"]),
        "hold",
        "What follows when tests were changed and those of the start do not accept the present code: hold the run, report it, or do not run them",
    ),
    key(
        "run.new_tests",
        "RALPH_NEW_TESTS",
        SettingKind::Choice(&["expect", "ignore"]),
        "expect",
        "Whether the agent is asked for tests that fail without its work, when all checks pass before the first turn",
    ),
    key(
        "run.known_failures",
        "RALPH_KNOWN_FAILURES",
        SettingKind::Switch,
        "false",
        "Tests that failed at the start may go on failing; the run then needs the agent's word",
    ),
    key(
        "run.any_folder",
        "RALPH_ANY_FOLDER",
        SettingKind::Switch,
        "false",
        "Start a run even in `/`, in the home folder, or in a folder without git that has more than 100,000 files or 4 GiB",
    ),
    key(
        "run.zero_errors",
        "RALPH_ZERO_ERRORS",
        SettingKind::Switch,
        "true with lint_clean or type_check",
        "Fail if any error remains; adds the detected linters and type checkers where no gate looks for errors",
    ),
    key(
        "run.zero_warnings",
        "RALPH_ZERO_WARNINGS",
        SettingKind::Switch,
        "false",
        "No warning may be left; adds gates like zero_errors",
    ),
    key(
        "run.zero_security",
        "RALPH_ZERO_SECURITY",
        SettingKind::Switch,
        "false",
        "Fail if any security issue remains",
    ),
    key(
        "run.affected_first",
        "RALPH_AFFECTED_FIRST",
        SettingKind::Switch,
        "true",
        "Run the tests affected by the changes first, once `ralph code index` has run: if one fails, the rest of its gate waits; success needs all of it",
    ),
    key(
        "run.max_iterations",
        "RALPH_MAX_ITERATIONS",
        SettingKind::Count,
        "10 with a gate, else 100",
        "Turns of the agent",
    ),
    key(
        "run.max_duration",
        "RALPH_MAX_DURATION",
        SettingKind::Span,
        "30m with a gate, else 4h",
        "Working time",
    ),
    key(
        "run.max_restarts",
        "RALPH_MAX_RESTARTS",
        SettingKind::Count,
        "5",
        "How often a crashed or hung turn, or a move to a new session, may be retried",
    ),
    key(
        "run.max_cost",
        "RALPH_MAX_COST",
        SettingKind::Budget,
        "none",
        "Money, where the agent reports it",
    ),
    key(
        "run.max_tokens",
        "RALPH_MAX_TOKENS",
        SettingKind::Count,
        "none",
        "Tokens, where the agent reports them",
    ),
    key(
        "run.max_wait",
        "RALPH_MAX_WAIT",
        SettingKind::Span,
        "24h",
        "Time spent waiting for a provider's limit, in total",
    ),
    key(
        "run.stagnation_limit",
        "RALPH_STAGNATION_LIMIT",
        SettingKind::Count,
        "3",
        "Iterations in a row without progress that end a run",
    ),
    key(
        "run.idle_timeout",
        "RALPH_IDLE_TIMEOUT",
        SettingKind::Span,
        "10m",
        "A turn without output is ended after this long",
    ),
    key(
        "run.turn_timeout",
        "RALPH_TURN_TIMEOUT",
        SettingKind::Span,
        "1h",
        "A turn is ended after this long",
    ),
    key(
        "run.grace",
        "RALPH_GRACE",
        SettingKind::Span,
        "10s",
        "Time between asking a process to end and killing it",
    ),
    key(
        "run.context",
        "RALPH_CONTEXT",
        SettingKind::Choice(&["auto", "same", "summarize", "fresh"]),
        "auto",
        "How much the agent remembers from one turn to the next",
    ),
    key(
        "run.old_session",
        "RALPH_OLD_SESSION",
        SettingKind::Choice(&["delete", "keep"]),
        "delete",
        "What becomes of a session once `summarize` or `fresh` put another one in its place",
    ),
    key(
        "run.locale",
        "RALPH_LOCALE",
        SettingKind::Choice(&["en", "ko"]),
        "from LC_ALL, LC_MESSAGES or LANG",
        "The language of prompts and messages",
    ),
    key(
        "run.limit_patterns",
        "RALPH_LIMIT_PATTERNS",
        SettingKind::List,
        "the known ones",
        "Regular expressions for what a provider's limit looks like",
    ),
    key(
        "run.on_fail",
        "RALPH_ON_FAIL",
        SettingKind::Choice(&["keep", "best", "start"]),
        "keep",
        "What a run that fails leaves: its last files, those of its best iteration, or those it began with",
    ),
    client(0),
    client(1),
    client(2),
    client(3),
    client(4),
    client(5),
    client(6),
    client(7),
    client(8),
    client(9),
    key(
        "prompt.continuation",
        "RALPH_PROMPT_CONTINUATION",
        SettingKind::Text,
        "built in",
        "The prompt of every turn but the first; placeholders ITERATION, MAX, PROMISE, SIGNAL, FEEDBACK, PROMPT, TARGETS and CHECKS, each in double braces",
    ),
    key(
        "environment.exclude",
        "RALPH_ENVIRONMENT_EXCLUDE",
        SettingKind::List,
        "keys, tokens, passwords",
        "Variables that gates do not get; `*` matches anything",
    ),
    key(
        "environment.pass",
        "RALPH_ENVIRONMENT_PASS",
        SettingKind::List,
        "none",
        "Variables that gates get even though excluded",
    ),
    key(
        "snapshots.max_file_size",
        "RALPH_SNAPSHOTS_MAX_FILE_SIZE",
        SettingKind::Size,
        "100MB",
        "Untracked files above this size are not in snapshots",
    ),
    key(
        "snapshots.include_ignored",
        "RALPH_SNAPSHOTS_INCLUDE_IGNORED",
        SettingKind::List,
        "none",
        "Ignored files or folders that are in snapshots all the same",
    ),
    key(
        "hooks.arm",
        "RALPH_ARM",
        SettingKind::Choice(&["manual", "on-errors", "every-session"]),
        "manual",
        "When a loop begins inside a host: when you ask for it, when a turn leaves errors that were not there before, or with the first message of every session",
    ),
    key(
        "hooks.scope",
        "RALPH_HOOKS_SCOPE",
        SettingKind::Choice(&["edited", "project"]),
        "edited",
        "Which errors begin a loop with `on-errors`: those in files that the agent edited, or those anywhere",
    ),
    key(
        "hooks.memory",
        "RALPH_HOOKS_MEMORY",
        SettingKind::Choice(&["off", "loops", "all"]),
        "loops",
        "Which sessions of a host are shown what is remembered: none, those with a loop, or all",
    ),
    key(
        "memory.enabled",
        "RALPH_MEMORY",
        SettingKind::Switch,
        "true",
        "Whether what checks show is remembered, and agents are shown what was learned",
    ),
    key(
        "memory.tokens",
        "RALPH_MEMORY_TOKENS",
        SettingKind::Count,
        "8000",
        "How many tokens of it an agent is shown at most",
    ),
    key(
        "memory.enforce",
        "RALPH_MEMORY_ENFORCE",
        SettingKind::Choice(&["off", "report", "require"]),
        "require",
        "What becomes of work that breaks a note with a check: nothing, it is told, or the work is not accepted; `memory` among the criteria asks for the last, whatever this says",
    ),
    key(
        "memory.days",
        "RALPH_MEMORY_DAYS",
        SettingKind::Count,
        "30",
        "For how long `ralph gc` keeps what happened in sessions; notes stay for ever",
    ),
    key(
        "memory.size",
        "RALPH_MEMORY_SIZE",
        SettingKind::Size,
        "64MB",
        "How much of its log the memory may use for sessions before `ralph gc` deletes the oldest; those of the last day stay",
    ),
    key(
        "security.rules",
        "RALPH_SECURITY_RULES",
        SettingKind::List,
        "none",
        "Folders with rules of your own for the security gate, written as ast-grep's manual says",
    ),
    key(
        "retention.runs",
        "RALPH_RETENTION_RUNS",
        SettingKind::Count,
        "50",
        "How many ended runs keep their snapshots and logs when `ralph gc` is called",
    ),
    key(
        "retention.days",
        "RALPH_RETENTION_DAYS",
        SettingKind::Count,
        "30",
        "For how long ended runs keep them",
    ),
    key(
        "retention.size",
        "RALPH_RETENTION_SIZE",
        SettingKind::Size,
        "10GB",
        "How much all of them may take; the oldest go first",
    ),
    key(
        "judge.criterion",
        "RALPH_JUDGE_CRITERION",
        SettingKind::Text,
        "none",
        "What a judge has to find fulfilled once nothing else stands in the way of success; empty for none",
    ),
    key(
        "judge.kind",
        "RALPH_JUDGE_KIND",
        SettingKind::Choice(&["openai", "anthropic", "command"]),
        "command with judge.command, else openai",
        "The interface of the judge: chat completions, as most servers of local models have them, messages, or a command",
    ),
    key(
        "judge.url",
        "RALPH_JUDGE_URL",
        SettingKind::Text,
        "the provider's own",
        "Where the judge's model is, such as http://localhost:11434/v1",
    ),
    key("judge.model", "RALPH_JUDGE_MODEL", SettingKind::Text, "none", "The judge's model"),
    key(
        "judge.key_variable",
        "RALPH_JUDGE_KEY_VARIABLE",
        SettingKind::Text,
        "OPENAI_API_KEY or ANTHROPIC_API_KEY; none with judge.url or a command",
        "The environment variable that holds the judge's key; a command gets it, too",
    ),
    key(
        "judge.command",
        "RALPH_JUDGE_COMMAND",
        SettingKind::Command,
        "none",
        "A command that judges, run without a shell: the request as JSON on stdin, the answer on stdout",
    ),
    key(
        "judge.agent",
        "RALPH_JUDGE_AGENT",
        SettingKind::Text,
        "none",
        "A coding agent that judges, by its name: a process of its own in an empty folder, without tools, settings of the project and memory; judge.model names its model",
    ),
    key(
        "judge.timeout",
        "RALPH_JUDGE_TIMEOUT",
        SettingKind::Span,
        "5m",
        "After this long, all attempts together, the judge counts as silent",
    ),
    key(
        "judge.price_input",
        "RALPH_JUDGE_PRICE_INPUT",
        SettingKind::Money,
        "unknown",
        "Price of one million input tokens, in US dollars",
    ),
    key(
        "judge.price_output",
        "RALPH_JUDGE_PRICE_OUTPUT",
        SettingKind::Money,
        "unknown",
        "Price of one million output tokens, in US dollars",
    ),
    in_table("gates.test_pass.command", SettingKind::Command, "detected", COMMAND_HELP),
    in_table("gates.test_pass.shell", SettingKind::Text, "none", SHELL_HELP),
    in_table("gates.test_pass.dir", SettingKind::Text, "the root", DIR_HELP),
    in_table("gates.test_pass.format", SettingKind::Choice(&FORMATS), "text", FORMAT_HELP),
    in_table("gates.test_pass.timeout", SettingKind::Span, "10m", TIMEOUT_HELP),
    in_table("gates.build_success.command", SettingKind::Command, "detected", COMMAND_HELP),
    in_table("gates.build_success.shell", SettingKind::Text, "none", SHELL_HELP),
    in_table("gates.build_success.dir", SettingKind::Text, "the root", DIR_HELP),
    in_table("gates.build_success.format", SettingKind::Choice(&FORMATS), "text", FORMAT_HELP),
    in_table("gates.build_success.timeout", SettingKind::Span, "10m", TIMEOUT_HELP),
    in_table("gates.lint_clean.command", SettingKind::Command, "detected", COMMAND_HELP),
    in_table("gates.lint_clean.shell", SettingKind::Text, "none", SHELL_HELP),
    in_table("gates.lint_clean.dir", SettingKind::Text, "the root", DIR_HELP),
    in_table("gates.lint_clean.format", SettingKind::Choice(&FORMATS), "text", FORMAT_HELP),
    in_table("gates.lint_clean.timeout", SettingKind::Span, "10m", TIMEOUT_HELP),
    in_table("gates.type_check.command", SettingKind::Command, "detected", COMMAND_HELP),
    in_table("gates.type_check.shell", SettingKind::Text, "none", SHELL_HELP),
    in_table("gates.type_check.dir", SettingKind::Text, "the root", DIR_HELP),
    in_table("gates.type_check.format", SettingKind::Choice(&FORMATS), "text", FORMAT_HELP),
    in_table("gates.type_check.timeout", SettingKind::Span, "10m", TIMEOUT_HELP),
    in_table("gates.custom.format", SettingKind::Choice(&FORMATS), "text", FORMAT_HELP),
    in_table("gates.custom.timeout", SettingKind::Span, "10m", TIMEOUT_HELP),
    in_table(
        "lsp.NAME.command",
        SettingKind::Command,
        "none",
        "A language server that talks on its standard streams; one of a known name is replaced",
    ),
    in_table(
        "lsp.NAME.extensions",
        SettingKind::List,
        "none",
        "Which files it looks at, such as `.lua`",
    ),
    in_table(
        "lsp.NAME.language",
        SettingKind::Text,
        "from the extension",
        "What it calls their language",
    ),
];

/// Finds the setting of a path. A gate with a label has the settings of its criterion;
/// all language servers have the same settings.
pub(crate) fn find(path: &str) -> Option<&'static SettingKey> {
    let gate = labelled(path).and_then(|(criterion, rest)| {
        let (_, name) = rest.rsplit_once('.')?;
        Some(format!("gates.{}.{name}", criterion.name()))
    });
    let server = || Some(format!("lsp.NAME.{}", path.strip_prefix("lsp.")?.rsplit_once('.')?.1));
    let plain = gate.or_else(server);
    let path = plain.as_deref().unwrap_or(path);
    KEYS.iter().find(|key| key.path == path)
}

/// Returns true if a table of a file may have this path.
pub(crate) fn is_table(path: &str) -> bool {
    labelled(path).is_some()
        || path.strip_prefix("lsp.").is_some_and(|name| !name.is_empty())
        || KEYS
            .iter()
            .any(|key| key.path.strip_prefix(path).is_some_and(|rest| rest.starts_with('.')))
}

/// Splits the path of a gate with a label into the criterion and the rest.
fn labelled(path: &str) -> Option<(Criterion, &str)> {
    let (name, rest) = path.strip_prefix("gates.")?.split_once(':')?;
    let criterion = Criterion::NAMED.into_iter().find(|criterion| criterion.name() == name)?;
    (!rest.is_empty()).then_some((criterion, rest))
}

/// Returns the setting whose path is nearest to a misspelt one.
pub(crate) fn nearest(path: &str) -> Option<&'static str> {
    let tables =
        "run gates judge prompt environment snapshots memory security retention lsp sandbox agents";
    let tables = tables.split(' ');
    let clients =
        ralph_agents::SETTINGS.iter().filter_map(|setting| Some(setting.path.split_once('.')?.0));
    let known = KEYS.iter().map(|key| key.path).chain(tables).chain(clients);
    crate::nearest::nearest(path, known)
}

#[cfg(test)]
#[path = "keys_tests.rs"]
mod tests;
