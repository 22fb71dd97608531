//! The first `ralph.toml`.

use std::fmt::Write;

use ralph_checks::detect::{DetectedGates, GateProposal, ProposalRole};
use ralph_config::{quoted, words};
use ralph_core::policy::{Criterion, GateCommand};
use serde_json::Value as Json;

use super::AGENT;
use crate::texts;

/// The agents that a file may name.
#[derive(Clone, Copy)]
pub(super) struct ProposedAgent<'a> {
    /// The command of one.
    pub(super) command: Option<&'a str>,
    /// The names of those that are installed.
    pub(super) installed: &'a [String],
}

/// Renders the file for the detected gates. Those that are not required become comments
/// with a reason.
pub(super) fn render(found: &DetectedGates, agent: ProposedAgent<'_>) -> String {
    let mut out = String::from("# Settings of ralph; `ralph config` lists them all.\n\n[run]\n");
    // Writing to a string cannot fail.
    let _ = match (agent.command, agent.installed) {
        (Some(command), _) => writeln!(out, "agent_cmd = {}", toml_text(command)),
        (None, [only]) => writeln!(out, "agent = {}", toml_text(only)),
        (None, []) => writeln!(out, "# agent_cmd = {}", toml_text(AGENT)),
        (None, [first, rest @ ..]) => {
            writeln!(out, "# agent = {} # or {}", toml_text(first), rest.join(", "))
        }
    };
    let is_wanted = |criterion: &Criterion| found.of(*criterion).any(GateProposal::is_wanted);
    let (active, _): (Vec<Criterion>, Vec<Criterion>) =
        Criterion::NAMED.into_iter().partition(is_wanted);
    let names: Vec<String> = active.iter().map(|it| toml_text(it.name())).collect();
    if found.proposals.iter().any(|it| !active.contains(&it.criterion)) {
        out.push_str(
            "# To require a gate that is a comment below, name its criterion here, too.\n",
        );
    }
    if names.is_empty() {
        out.push_str("# criteria = [\"test_pass\"]\n");
    } else {
        let _ = writeln!(out, "criteria = [{}]", names.join(", "));
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

/// Renders the table of a gate; commented out if it is not required.
fn gate(proposal: &GateProposal) -> String {
    let line = |text: &str| texts::one_line(text, 200);
    let mut out = format!("\n# {}: {}\n", proposal.ecosystem, line(&proposal.why));
    let reason = match (&proposal.standing, &proposal.missing) {
        (ProposalRole::Aside(reason) | ProposalRole::Forbidden(reason), _) => Some(reason.clone()),
        (ProposalRole::Required, Some(missing)) => Some(missing.to_string()),
        (ProposalRole::Required, None) => None,
    };
    let (mark, word) = if proposal.is_wanted() { ("", "Needed") } else { ("# ", "Not required") };
    if let Some(reason) = reason {
        let _ = writeln!(out, "# {word}: {}", line(&reason));
    }
    let mut line = |text: String| {
        let _ = writeln!(out, "{mark}{text}");
    };
    line(format!("[gates.{}]", quoted(&proposal.name)));
    line(match &proposal.command {
        GateCommand::Argv(words) => format!("command = {}", command(words)),
        GateCommand::Shell(script) => format!("shell = {}", toml_text(script)),
        // A project does not tell what to ask a judge.
        GateCommand::Question(_) => String::new(),
    });
    if !proposal.dir.is_empty() {
        line(format!("dir = {}", toml_text(&proposal.dir)));
    }
    line(format!("format = {}", toml_text(proposal.format.name())));
    line("timeout = \"10m\"".to_owned());
    out
}

/// Renders a command as text if that means the same, else as a list of words.
fn command(argv: &[String]) -> String {
    let text = argv.join(" ");
    if words(&text).is_ok_and(|read| read == argv) {
        return toml_text(&text);
    }
    let list: Vec<String> = argv.iter().map(|word| toml_text(word)).collect();
    format!("[{}]", list.join(", "))
}

/// Renders a text in double quotes, always on one line.
fn toml_text(text: &str) -> String {
    Json::from(text).to_string().replace('\u{7f}', "\\u007f")
}

#[cfg(test)]
mod tests {
    use ralph_checks::detect::{MissingNeed, SupportTier};
    use ralph_core::format::OutputFormat;
    use ralph_core::locale::Locale;

    use std::fs;

    use super::*;
    use ralph_config::{RunSettings, SettingLayers};

    fn proposal(name: &str, command: GateCommand, dir: &str) -> GateProposal {
        GateProposal {
            name: name.to_owned(),
            criterion: Criterion::TestPass,
            command,
            dir: dir.to_owned(),
            format: OutputFormat::Junit,
            ecosystem: "Rust",
            tool: "cargo",
            why: "a\nline".to_owned(),
            tier: SupportTier::One,
            missing: None,
            standing: ProposalRole::Required,
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
        let mut found = DetectedGates { proposals: proposals.clone(), notices: Vec::new() };
        let aside = ProposalRole::Aside("a\nreason".to_owned());
        let other = proposal("test_pass:e", argv(&["no\n"]), "");
        found.proposals.push(GateProposal { standing: aside, ..other });
        let missing = Some(MissingNeed { what: "e\n".to_owned(), install: None });
        let linter = proposal("lint_clean", argv(&["no\n"]), "");
        let criterion = Criterion::LintClean;
        found.proposals.push(GateProposal { criterion, missing, ..linter });

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ralph.toml");
        fs::write(&path, render(&found, proposed(Some("./a \"b\""), &[]))).unwrap();
        let mut layers = SettingLayers::default();
        layers.add_file(&path).unwrap();
        let gates =
            RunSettings::new(&layers, Locale::En, &DetectedGates::default).unwrap().policy.gates;
        let read: Vec<_> = gates.into_iter().map(|it| (it.name, it.command, it.dir)).collect();
        let written: Vec<_> =
            proposals.into_iter().map(|it| (it.name, it.command, it.dir)).collect();
        assert_eq!(read, written);
    }

    fn proposed<'a>(command: Option<&'a str>, installed: &'a [String]) -> ProposedAgent<'a> {
        ProposedAgent { command, installed }
    }

    #[test]
    fn the_one_agent_that_is_installed_is_proposed_and_several_are_named() {
        let rendered = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            render(&DetectedGates::default(), proposed(None, &names))
        };
        assert!(rendered(&["codex"]).contains("\nagent = \"codex\"\n"));
        assert!(rendered(&["a", "b", "c"]).contains("\n# agent = \"a\" # or b, c\n"));
    }

    #[test]
    fn a_project_that_says_nothing_still_gets_a_file() {
        let text = render(&DetectedGates::default(), proposed(None, &[]));
        let table: toml::Table = toml::from_str(&text).unwrap();
        assert!(table["run"].as_table().unwrap().is_empty(), "{text}");
        assert!(text.contains("# [gates.test_pass]"), "{text}");
    }
}
