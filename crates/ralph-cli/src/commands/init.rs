//! `ralph init`: writes a first `ralph.toml`.

use std::fmt::Write;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use crate::app::App;
use crate::error::CliError;
use crate::out;

/// Write a ralph.toml for this project
///
/// Looks for well-known project files and proposes the command that runs the
/// tests. An existing file is never overwritten.
#[derive(clap::Args, Debug)]
pub(crate) struct InitArgs {
    /// The agent's command line to put into the file
    #[arg(long, value_name = "COMMAND")]
    agent_cmd: Option<String>,
    /// Print the file instead of writing it
    #[arg(long)]
    dry_run: bool,
}

/// Project files, and the command that runs the tests where they stand.
const SIGNS: [(&str, &str); 8] = [
    ("Cargo.toml", "cargo test"),
    ("go.mod", "go test ./..."),
    ("package.json", "npm test"),
    ("pyproject.toml", "python -m pytest"),
    ("pom.xml", "mvn -q test"),
    ("build.gradle", "gradle test"),
    ("build.gradle.kts", "gradle test"),
    ("Makefile", "make test"),
];

pub(crate) fn run(args: &InitArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    let path = app.project_config();
    if let Some(command) = &args.agent_cmd {
        crate::config::Kind::Command
            .parse(command)
            .map_err(|error| CliError::usage(format!("--agent-cmd: {error}")))?;
    }
    let found = detect(&app.project.root);
    let text = render(found, args.agent_cmd.as_deref());
    if args.dry_run {
        out::raw(&text);
        return Ok(0);
    }
    let created = fs::OpenOptions::new().write(true).create_new(true).open(&path);
    match created.and_then(|mut file| file.write_all(text.as_bytes())) {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            return Err(CliError::refused(format!("{} exists already", path.display()))
                .with_hint("edit it, or print a fresh one with `ralph init --dry-run`"));
        }
        Err(error) => {
            return Err(CliError::refused(format!("cannot write {}: {error}", path.display())));
        }
    }
    match found {
        Some((sign, command)) => {
            out::line(format!("Found {sign}: the tests are run with `{command}`."));
        }
        None => out::line(
            "Found no project file that tells how to run the tests: set a command yourself.",
        ),
    }
    out::line(format!("Wrote {}.", path.display()));
    Ok(0)
}

fn detect(root: &Path) -> Option<(&'static str, &'static str)> {
    SIGNS.into_iter().find(|(sign, _)| root.join(sign).is_file())
}

fn render(found: Option<(&str, &str)>, agent_cmd: Option<&str>) -> String {
    let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
    let mut out = String::from("# Settings of ralph; `ralph config` lists them all.\n\n[run]\n");
    match agent_cmd {
        Some(command) => {
            let _ = writeln!(out, "agent_cmd = {}", quoted(command));
        }
        None => out.push_str("# agent_cmd = \"./agent.sh\"\n"),
    }
    match found {
        Some((_, command)) => {
            let _ = write!(
                out,
                "criteria = [\"test_pass\"]\n\n[gates.test_pass]\ncommand = {}\ntimeout = \"10m\"\n",
                quoted(command)
            );
        }
        None => out.push_str(
            "# criteria = [\"test_pass\"]\n\n# [gates.test_pass]\n# command = \"make test\"\n# timeout = \"10m\"\n",
        ),
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_can_be_read_again() {
        for found in [None, Some(("Cargo.toml", "cargo test"))] {
            let text = render(found, Some("./a \"b\""));
            let table: toml::Table = toml::from_str(&text).unwrap();
            assert_eq!(table["run"]["agent_cmd"].as_str(), Some("./a \"b\""));
        }
    }
}
