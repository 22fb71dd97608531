//! The hidden command that prints the generated references.

use std::fmt::Write;

use clap::Command;

use super::hook;
use crate::cli::Cli;
use crate::error::CliError;
use crate::out;

/// Print a generated reference
#[derive(clap::Args, Debug)]
pub(crate) struct DocsArgs {
    /// Which one
    #[arg(value_parser = ["cli", "config", "schema", "plugins", "calls"])]
    which: String,
}

#[expect(clippy::unnecessary_wraps, reason = "every command has the same form")]
pub(crate) fn run(args: &DocsArgs) -> Result<u8, CliError> {
    match args.which.as_str() {
        "cli" => out::raw(&cli_reference()),
        "config" => out::raw(&ralph_config::reference()),
        "plugins" => out::raw(&plugins()),
        "calls" => out::raw(&misunderstood()),
        _ => out::raw(&ralph_config::schema()),
    }
    Ok(0)
}

/// Lists the errors in calls that documents show. Each line of standard input is a
/// command line, or a command typed in a session.
fn misunderstood() -> String {
    let lines = std::io::stdin().lines().map_while(Result::ok);
    let fault = |line: &str| {
        if line.starts_with('/') {
            return hook::fault_of(line).map(|error| error.in_line());
        }
        let words = ralph_config::words(line).ok()?;
        let error = Cli::definition().try_get_matches_from(words).err()?;
        error.use_stderr().then(|| format!("{:?}", error.kind()))
    };
    let told = lines.filter_map(|line| fault(&line).map(|fault| format!("{line}\t{fault}\n")));
    told.collect()
}

/// Renders the files of all plugins, and the guides of all agents that are rows, as
/// one JSON object of paths and texts.
fn plugins() -> String {
    let guides = ralph_agents::agent_guides().into_iter();
    let guides = guides.map(|(name, text)| (format!("docs/guide/agents/{name}"), text));
    let files: serde_json::Map<_, _> = ralph_agents::plugins()
        .into_iter()
        .chain(guides)
        .map(|(path, text)| (path, text.into()))
        .collect();
    serde_json::Value::Object(files).to_string()
}

fn cli_reference() -> String {
    let mut command = Cli::definition();
    command.build();
    let mut text =
        String::from("# Command line\n\nMade from the definitions by `cargo xtask docs`.\n");
    for sub in command.get_subcommands().filter(|sub| !sub.get_name().starts_with("__")) {
        if sub.get_name() != "help" {
            section(&mut text, sub.get_name(), sub.clone());
            for inner in sub.get_subcommands().filter(|inner| inner.get_name() != "help") {
                section(
                    &mut text,
                    &format!("{} {}", sub.get_name(), inner.get_name()),
                    inner.clone(),
                );
            }
        }
    }
    text
}

fn section(text: &mut String, name: &str, command: Command) {
    let mut command = command.term_width(100).color(clap::ColorChoice::Never);
    let help = command.render_long_help().to_string();
    let _ = write!(text, "\n## `ralph {name}`\n\n```text\n");
    for line in help.lines() {
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text.push_str("```\n");
}
