//! The command line: one definition, from which help and references are generated.

use std::ffi::OsString;
use std::fmt::Write;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::commands;
use crate::examples::EXAMPLES;

/// Keeps a coding agent working until the work is proven done
#[derive(Parser, Debug)]
#[command(name = "ralph", bin_name = "ralph", version)]
#[command(max_term_width = 100, propagate_version = true)]
#[command(about = "Keeps a coding agent working until the work is proven done")]
pub(crate) struct Cli {
    /// Log what ralph tries, for finding out why; a run logs to `debug.log` in its folder
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
    #[command(subcommand)]
    pub(crate) command: CliCommand,
}

/// The groups of commands in the help; each command is in one group.
pub(crate) const GROUPS: [(&str, &[&str]); 5] = [
    ("Work", &["run", "check", "resume", "pause", "stop", "allow"]),
    ("Look", &["status", "logs", "report", "runs", "sessions", "diff", "snapshots"]),
    ("Undo", &["rollback", "gc"]),
    ("Memory and code", &["memory", "code"]),
    (
        "Set up",
        &[
            "demo",
            "agents",
            "init",
            "trust",
            "config",
            "doctor",
            "sandbox",
            "install",
            "uninstall",
            "completions",
        ],
    ),
];

impl Cli {
    /// Builds the whole command line, with examples and its commands in groups.
    pub(crate) fn definition() -> clap::Command {
        let mut command = Self::command();
        for (name, calls) in EXAMPLES {
            command = command.mut_subcommand(name, |sub| sub.after_help(examples(calls)));
        }
        let groups = groups(&command);
        command.help_template(format!(
            "{{about}}\n\n{{usage-heading}} {{usage}}\n{groups}\nOptions:\n{{options}}\n\n\
             `ralph COMMAND --help` explains a command, with examples.\n"
        ))
    }

    /// Parses the words that were typed.
    pub(crate) fn read() -> Result<Self, clap::Error> {
        let words: Vec<OsString> = std::env::args_os().collect();
        if let Some(command) = CliCommand::read_alone(words.get(1..).unwrap_or_default()) {
            return Ok(Self { verbose: false, command });
        }
        let mut command = Self::definition();
        let matches = command.try_get_matches_from_mut(words)?;
        Self::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
    }
}

impl CliCommand {
    /// Parses a command that scripts and agents call often, without defining the
    /// others. Returns `None` for other commands, for help and for errors, which need
    /// the whole definition.
    fn read_alone(words: &[OsString]) -> Option<Self> {
        let (name, words) = words.split_first()?;
        match name.to_str()? {
            "check" => read_args(words).map(Self::Check),
            "status" => read_args(words).map(Self::Status),
            "start" => read_args(words).map(Self::Start),
            "stop" => read_args(words).map(Self::Stop),
            "cancel" => read_args(words).map(Self::Cancel),
            _ => None,
        }
    }
}

/// Parses the arguments of one command.
fn read_args<A: Args>(words: &[OsString]) -> Option<A> {
    let command = A::augment_args(clap::Command::new("ralph")).no_binary_name(true);
    let matches = command.try_get_matches_from(words).ok()?;
    A::from_arg_matches(&matches).ok()
}

fn examples(calls: &[(&str, &str)]) -> String {
    let host = ralph_agents::host::HOSTS.first().map_or("HOST", |host| host.name);
    let calls: Vec<(String, &str)> =
        calls.iter().map(|(call, does)| (call.replace("HOST", host), *does)).collect();
    let wide = calls.iter().map(|(call, _)| call.chars().count()).max().unwrap_or(0);
    let mut text = "Examples:".to_owned();
    for (call, does) in calls {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n  {call:<wide$}  # {does}");
    }
    text
}

/// Lists the commands that people call, group by group, each with its summary.
fn groups(command: &clap::Command) -> String {
    let wide = GROUPS.iter().flat_map(|(_, names)| *names).map(|name| name.len()).max();
    let wide = wide.unwrap_or(0);
    let mut text = String::new();
    for (title, names) in GROUPS {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\n{title}:");
        for name in names {
            let about = command.find_subcommand(name).and_then(clap::Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "  {name:<wide$}  {about}");
        }
    }
    text
}

#[derive(Subcommand, Debug)]
pub(crate) enum CliCommand {
    Demo(commands::demo::DemoArgs),
    Init(commands::init::InitArgs),
    Run(Box<commands::run::RunArgs>),
    #[command(hide = true)]
    Start(Box<commands::start::StartArgs>),
    Stop(commands::stop::StopArgs),
    /// The same as `ralph stop`
    #[command(hide = true)]
    Cancel(commands::stop::StopArgs),
    Pause(commands::pause::PauseArgs),
    Resume(commands::resume::ResumeArgs),
    Status(commands::status::StatusArgs),
    #[command(alias = "log")]
    Logs(commands::logs::LogsArgs),
    #[command(aliases = ["list", "ls"])]
    Runs(commands::runs::RunsArgs),
    Sessions(commands::sessions::SessionsArgs),
    Report(commands::report::ReportArgs),
    Snapshots(commands::snapshots::SnapshotsArgs),
    Diff(commands::diff::DiffArgs),
    #[command(alias = "undo")]
    Rollback(commands::rollback::RollbackArgs),
    Gc(commands::gc::GcArgs),
    Allow(commands::allow::AllowArgs),
    Check(Box<commands::check::CheckArgs>),
    Sandbox(commands::sandbox::SandboxArgs),
    Trust(commands::trust::TrustArgs),
    Code(commands::code::CodeArgs),
    Memory(commands::memory::MemoryArgs),
    #[command(hide = true)]
    Mcp(commands::mcp::McpArgs),
    Config(commands::config::ConfigArgs),
    Completions(commands::completions::CompletionsArgs),
    Agents(commands::agents::AgentsArgs),
    Doctor(commands::doctor::DoctorArgs),
    Install(commands::install::InstallArgs),
    Uninstall(commands::install::UninstallArgs),
    #[command(hide = true)]
    Hook(commands::hook::HookArgs),
    #[command(name = "__docs", hide = true)]
    Docs(commands::docs::DocsArgs),
    #[command(name = "__run-ids", hide = true)]
    RunIds(commands::completions::RunIdsArgs),
    #[command(name = "__lsp-helper", hide = true)]
    LspHelper(commands::lsp_helper::LspHelperArgs),
    #[command(name = "__measure", hide = true)]
    Measure(commands::measure::MeasureArgs),
    #[command(name = "__scripted", hide = true)]
    Scripted(commands::scripted::ScriptedArgs),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_is_read_alone_means_what_the_whole_definition_says() {
        let lines = [
            "check",
            "check --criteria custom:true --fresh --json",
            "check --lsp --warm -- --all",
            "check --max-iterations 3",
            "check --wait --fresh",
            "check --warm",
            "check --help",
            "check --version",
            "check help",
            "status",
            "status abc --json",
            "status --nope",
            "start the work --max-iterations 3",
            "start",
            "stop",
            "stop abc def",
            "cancel",
            "cancel --nope",
        ];
        for line in lines {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let whole = Cli::try_parse_from([&[OsString::from("ralph")], &words[..]].concat());
            let alone = CliCommand::read_alone(&words).map(|command| format!("{command:?}"));
            assert_eq!(alone, whole.ok().map(|cli| format!("{:?}", cli.command)), "{line}");
        }
    }
}
