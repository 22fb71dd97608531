//! `ralph init`: writes a first `ralph.toml` from what was detected.

use std::fmt::Write;
use std::fs;
use std::io::Write as _;

use ralph_checks::detect::{Detected, Proposal};
use ralph_core::locale::Locale;
use ralph_core::policy::{Criterion, GateCommand};
use ralph_engine::wire::SCHEMA;
use serde_json::{Value as Json, json};

use crate::app::App;
use crate::config::{quoted, words};
use crate::error::CliError;
use crate::rights::CallRight;
use crate::{folder_guard, out, texts};

/// The program that is taken for the agent if it is there.
const AGENT: &str = "./agent.sh";

/// Write a ralph.toml for this project
///
/// Looks at the project's files and shows which commands could prove the
/// work and why. What can run here is switched on in the file, the rest is in
/// it as comments. An executable `agent.sh` becomes the agent. Nothing is
/// executed, and an existing file is never overwritten.
#[derive(clap::Args, Debug)]
pub(crate) struct InitArgs {
    /// The agent's command
    #[arg(long, value_name = "COMMAND")]
    agent_cmd: Option<String>,
    /// Print the file instead of writing it
    #[arg(long)]
    dry_run: bool,
    /// Ask nothing; there are no questions
    #[arg(long, short, hide = true)]
    yes: bool,
    /// Print what was detected as JSON
    #[arg(long)]
    json: bool,
}

impl InitArgs {
    /// Who may call it.
    pub(crate) fn right(&self) -> CallRight {
        if self.dry_run { CallRight::Anyone } else { CallRight::UserOnly }
    }
}

pub(crate) fn run(args: &InitArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    folder_guard::refuse_no_project(&app)?;
    if let Some(command) = &args.agent_cmd {
        crate::config::Kind::Command
            .parse(command)
            .map_err(|error| CliError::usage(format!("--agent-cmd: {error}")))?;
    }
    let found = app.detected();
    // The agent that the README tells everybody to write.
    let own = app.finds(AGENT.as_ref(), &app.project.root).then_some(AGENT);
    let text = render(&found, args.agent_cmd.as_deref().or(own));
    if !args.dry_run {
        write(&app, &text)?;
    }
    match (args.json, args.dry_run) {
        (true, _) => out::line(view(&found, &text)),
        (false, true) => {
            out::note(table(&found, app.locale()));
            out::raw(&text);
        }
        (false, false) => {
            out::raw(&table(&found, app.locale()));
            let path = app.project_config();
            out::line(match app.locale() {
                Locale::En => format!("Wrote {}.", path.display()),
                Locale::Ko => format!("{} 파일을 만들었습니다.", path.display()),
            });
        }
    }
    Ok(0)
}

fn write(app: &App, text: &str) -> Result<(), CliError> {
    let path = app.project_config();
    let created = fs::OpenOptions::new().write(true).create_new(true).open(&path);
    created.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|error| {
        if error.kind() == std::io::ErrorKind::AlreadyExists {
            CliError::refused(format!("{} exists already", path.display()))
                .with_hint("edit it, or print a fresh one with `ralph init --dry-run`")
        } else {
            CliError::refused(format!("cannot write {}: {error}", path.display()))
        }
    })
}

fn view(found: &Detected, text: &str) -> Json {
    let proposal = |proposal: &Proposal| {
        json!({
            "name": proposal.name,
            "criterion": proposal.criterion.name(),
            "ecosystem": proposal.ecosystem,
            "tool": proposal.tool,
            "command": proposal.command.display(),
            "dir": proposal.dir,
            "format": proposal.format.name(),
            "tier": proposal.tier.number(),
            "why": proposal.why,
            "available": proposal.missing.is_none(),
            "missing": proposal.missing,
        })
    };
    let proposals: Vec<Json> = found.proposals.iter().map(proposal).collect();
    json!({ "schema": SCHEMA, "proposals": proposals, "notices": found.notices, "file": text })
}

fn table(found: &Detected, locale: Locale) -> String {
    let (heads, yes, no, nothing) = match locale {
        Locale::En => (
            ["ecosystem", "gate", "command", "because of", "can run"],
            "yes",
            "no",
            "Found nothing that tells how to prove the work: set a command yourself.\n",
        ),
        Locale::Ko => (
            ["생태계", "게이트", "명령", "근거", "실행 가능"],
            "예",
            "없음:",
            "작업을 증명할 방법을 찾지 못했습니다. 명령을 직접 설정하세요.\n",
        ),
    };
    let mut out = if found.proposals.is_empty() {
        nothing.to_owned()
    } else {
        let rows = found.proposals.iter().map(|proposal| {
            vec![
                proposal.ecosystem.to_owned(),
                texts::one_line(&proposal.name, 40),
                texts::one_line(&proposal.command.display(), 60),
                texts::one_line(&proposal.why, 60),
                proposal.missing.as_ref().map_or(yes.to_owned(), |tool| format!("{no} {tool}")),
            ]
        });
        texts::table(&heads, rows)
    };
    for notice in &found.notices {
        let _ = writeln!(out, "note: {}", texts::one_line(notice, 200));
    }
    out
}

fn render(found: &Detected, agent_cmd: Option<&str>) -> String {
    let mut out = String::from("# Settings of ralph; `ralph config` lists them all.\n\n[run]\n");
    match agent_cmd {
        Some(command) => {
            let _ = writeln!(out, "agent_cmd = {}", toml_text(command));
        }
        None => {
            let _ = writeln!(out, "# agent_cmd = {}", toml_text(AGENT));
        }
    }
    let can_run = |criterion| found.of(criterion).any(|proposal| proposal.missing.is_none());
    let active: Vec<String> = Criterion::NAMED
        .into_iter()
        .filter(|criterion| can_run(*criterion))
        .map(|criterion| toml_text(criterion.name()))
        .collect();
    if active.is_empty() {
        out.push_str("# criteria = [\"test_pass\"]\n");
    } else {
        let _ = writeln!(out, "criteria = [{}]", active.join(", "));
    }
    if found.proposals.is_empty() {
        out.push_str("\n# [gates.test_pass]\n# command = \"make test\"\n# timeout = \"10m\"\n");
    }
    for criterion in Criterion::NAMED {
        for proposal in found.of(criterion) {
            out.push_str(&gate(proposal));
        }
    }
    out
}

/// The table of a gate; commented out when it cannot run.
fn gate(proposal: &Proposal) -> String {
    let why = texts::one_line(&proposal.why, 200);
    let (mark, note) = match &proposal.missing {
        Some(tool) => ("# ", format!(" (needs {}, which is not here)", texts::one_line(tool, 200))),
        None => ("", String::new()),
    };
    let mut out = format!("\n# {}: {why}{note}\n", proposal.ecosystem);
    let mut line = |text: String| {
        let _ = writeln!(out, "{mark}{text}");
    };
    line(format!("[gates.{}]", quoted(&proposal.name)));
    line(match &proposal.command {
        GateCommand::Argv(words) => format!("command = {}", command(words)),
        GateCommand::Shell(script) => format!("shell = {}", toml_text(script)),
        // Nothing in a project tells what a judge is to be asked.
        GateCommand::Question(_) => String::new(),
    });
    if !proposal.dir.is_empty() {
        line(format!("dir = {}", toml_text(&proposal.dir)));
    }
    line(format!("format = {}", toml_text(proposal.format.name())));
    line("timeout = \"10m\"".to_owned());
    out
}

/// A command as text where that means the same, else as a list of words.
fn command(argv: &[String]) -> String {
    let text = argv.join(" ");
    if words(&text).is_ok_and(|read| read == argv) {
        return toml_text(&text);
    }
    let list: Vec<String> = argv.iter().map(|word| toml_text(word)).collect();
    format!("[{}]", list.join(", "))
}

/// A text in double quotes, on one line whatever is in it.
fn toml_text(text: &str) -> String {
    Json::from(text).to_string().replace('\u{7f}', "\\u007f")
}

#[cfg(test)]
mod tests {
    use ralph_checks::detect::Tier;
    use ralph_core::format::Format;
    use ralph_core::locale::Locale;

    use super::*;
    use crate::config::{Layers, Settings};

    fn proposal(name: &str, command: GateCommand, dir: &str) -> Proposal {
        Proposal {
            name: name.to_owned(),
            criterion: Criterion::TestPass,
            command,
            dir: dir.to_owned(),
            format: Format::Junit,
            ecosystem: "Rust",
            tool: "cargo",
            why: "a\nline".to_owned(),
            tier: Tier::One,
            missing: None,
        }
    }

    fn argv(words: &[&str]) -> GateCommand {
        GateCommand::Argv(words.iter().map(|&word| word.to_owned()).collect())
    }

    #[test]
    fn what_is_written_can_be_read_again() {
        let proposals = vec![
            proposal("test_pass:a", argv(&["cargo", "test", "--x={report}"]), ""),
            proposal("test_pass:b/c.d", argv(&["find", ".", "-e", "a b\"'\\", "", "*"]), "b/c.d"),
            proposal("test_pass:c", argv(&["a", ";", "b\n\u{7f}\t"]), "ä\"x"),
            proposal("test_pass:d", GateCommand::Shell("a && \"b\" > 'c'\n".to_owned()), ""),
        ];
        let mut found = Detected { proposals: proposals.clone(), notices: Vec::new() };
        let missing = proposal("test_pass:e", argv(&["no\n"]), "");
        found.proposals.push(Proposal { missing: Some("e\n".to_owned()), ..missing });

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ralph.toml");
        fs::write(&path, render(&found, Some("./a \"b\""))).unwrap();
        let mut layers = Layers::default();
        layers.add_file(&path).unwrap();
        let gates = Settings::new(&layers, Locale::En, &Detected::default).unwrap().policy.gates;
        let read: Vec<_> = gates.into_iter().map(|it| (it.name, it.command, it.dir)).collect();
        let written: Vec<_> =
            proposals.into_iter().map(|it| (it.name, it.command, it.dir)).collect();
        assert_eq!(read, written);
    }

    #[test]
    fn a_project_that_says_nothing_still_gets_a_file() {
        let text = render(&Detected::default(), None);
        let table: toml::Table = toml::from_str(&text).unwrap();
        assert!(table["run"].as_table().unwrap().is_empty(), "{text}");
        assert!(text.contains("# [gates.test_pass]"), "{text}");
    }
}
