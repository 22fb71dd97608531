//! The hidden command that prints the generated references.

use std::fmt::Write;

use clap::Command;

use crate::cli::Cli;
use crate::config;
use crate::error::CliError;
use crate::out;

/// Print a generated reference
#[derive(clap::Args, Debug)]
pub(crate) struct DocsArgs {
    /// Which one
    #[arg(value_parser = ["cli", "config", "schema", "plugins"])]
    which: String,
}

#[expect(clippy::unnecessary_wraps, reason = "every command has the same form")]
pub(crate) fn run(args: &DocsArgs) -> Result<u8, CliError> {
    match args.which.as_str() {
        "cli" => out::raw(&cli_reference()),
        "config" => out::raw(&config::reference()),
        "plugins" => out::raw(&plugins()),
        _ => out::raw(&config::schema()),
    }
    Ok(0)
}

/// The files of all plugins, as one object of paths and texts.
fn plugins() -> String {
    let files: serde_json::Map<_, _> =
        ralph_agents::plugins().into_iter().map(|(path, text)| (path, text.into())).collect();
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
