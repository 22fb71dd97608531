use std::collections::BTreeSet;

use clap::{CommandFactory, Parser};
use ralph_engine::rights::TYPED_CHARS;

use super::CallRight::{Anyone, UserOnly};
use super::*;
use crate::cli::Cli;

/// Every command with who may call it, by a line that calls it.
const COMMANDS: &[(&str, CallRight)] = &[
    ("demo", Anyone),
    ("init", UserOnly),
    ("init --dry-run", Anyone),
    ("run task", UserOnly),
    ("start task --session s", UserOnly),
    ("stop", UserOnly),
    ("stop --run run-12345678", UserOnly),
    ("stop --all", UserOnly),
    ("cancel", UserOnly),
    ("pause", UserOnly),
    ("resume", UserOnly),
    ("status", Anyone),
    ("logs", Anyone),
    ("runs", Anyone),
    ("sessions", Anyone),
    ("sessions show s", Anyone),
    ("report", Anyone),
    ("snapshots", Anyone),
    ("diff", Anyone),
    ("rollback", UserOnly),
    ("rollback --undo", UserOnly),
    ("rollback --dry-run", Anyone),
    ("gc", UserOnly),
    ("gc --dry-run", Anyone),
    ("allow", Anyone),
    ("allow tests/a.py", UserOnly),
    ("check", Anyone),
    ("check --wait", Anyone),
    ("sandbox show", Anyone),
    ("sandbox -- true", Anyone),
    ("trust", UserOnly),
    ("trust --yes", UserOnly),
    ("trust --revoke", UserOnly),
    ("trust --show", Anyone),
    ("code index", Anyone),
    ("code symbols", Anyone),
    ("code refs x", Anyone),
    ("code callers x", Anyone),
    ("code callees x", Anyone),
    ("code impact x", Anyone),
    ("code map", Anyone),
    ("memory search x", Anyone),
    ("memory context", Anyone),
    ("memory add x", Anyone),
    ("memory list", Anyone),
    ("memory show x", Anyone),
    ("memory why x", Anyone),
    ("memory edit x y", Anyone),
    ("memory forget x", UserOnly),
    ("memory promote x", UserOnly),
    ("memory export", Anyone),
    ("memory import x", Anyone),
    ("memory import x --trust", UserOnly),
    ("memory consolidate", UserOnly),
    ("memory consolidate --dry-run", Anyone),
    ("memory rebuild", Anyone),
    ("memory stats", Anyone),
    ("memory doctor", Anyone),
    ("memory doctor --fix", UserOnly),
    ("memory bootstrap", Anyone),
    ("memory files x", Anyone),
    ("mcp", Anyone),
    ("config", Anyone),
    ("completions bash", Anyone),
    ("agents", Anyone),
    ("doctor", Anyone),
    ("install claude-code", UserOnly),
    ("install claude-code --dry-run", Anyone),
    ("uninstall claude-code", UserOnly),
    ("uninstall claude-code --dry-run", Anyone),
    ("hook --agent claude-code", Anyone),
];

/// The names of all commands that can be typed, with those of their groups.
fn names(command: &clap::Command, before: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for inner in command.get_subcommands().filter(|inner| !inner.get_name().starts_with("__")) {
        let name = format!("{before}{}", inner.get_name());
        let below = names(inner, &format!("{name} "));
        // A group that needs no word of its own is a command too.
        if below.is_empty() || !inner.is_subcommand_required_set() {
            all.insert(name);
        }
        all.extend(below);
    }
    all
}

#[test]
fn every_command_is_marked_in_the_table() {
    let mut unmarked = names(&Cli::command(), "");
    for (line, right) in COMMANDS {
        let words = std::iter::once("ralph").chain(line.split(' '));
        let cli = Cli::try_parse_from(words).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert_eq!(cli.command.right(), *right, "{line}");
        let is_of = |name: &String| line == name || line.starts_with(&format!("{name} "));
        unmarked.retain(|name| !is_of(name) || names_longer(line, name));
    }
    assert!(unmarked.is_empty(), "give each of these a line: {unmarked:?}");
}

/// Returns true if a line calls a command of a group, and not the group itself.
fn names_longer(line: &str, name: &str) -> bool {
    let all = names(&Cli::command(), "");
    all.iter().any(|other| other.len() > name.len() && line.starts_with(other.as_str()))
}

#[test]
fn a_command_line_is_repeated_as_it_can_be_typed() {
    let words = |line: &[&str]| typed(line.iter().map(|word| OsString::from(*word)));
    assert_eq!(words(&["stop", "--run", "run-1"]), "ralph stop --run run-1");
    assert_eq!(words(&["resume", "--answer", "a b"]), "ralph resume --answer 'a b'");
    assert!(words(&["allow", &"x".repeat(900)]).chars().count() <= TYPED_CHARS);
    let token = format!("ghp_{}", "a1B2".repeat(9));
    assert!(!words(&["resume", "--answer", &token]).contains(&token));
}
