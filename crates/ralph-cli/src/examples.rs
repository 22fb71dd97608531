//! Examples of each command for its help.

/// A call and a description.
type ExampleCall = (&'static str, &'static str);

/// The examples of each command. `HOST` is replaced with the name of a host.
pub(crate) const EXAMPLES: [(&str, &[ExampleCall]); 27] = [
    (
        "run",
        &[
            ("ralph run \"make the tests pass\"", "with the agent and the checks of ralph.toml"),
            ("ralph run \"fix the build\" --agent HOST --criteria build_success", "name both"),
            ("ralph run - --max-cost 5 < task.md", "read the task, spend at most 5 dollars"),
        ],
    ),
    (
        "check",
        &[
            ("ralph check", "run the checks of ralph.toml, or those detected"),
            ("ralph check --criteria security --all", "scan every file"),
            ("ralph check --json", "for programs"),
        ],
    ),
    (
        "resume",
        &[
            ("ralph resume", "go on with the open run of this work tree"),
            ("ralph resume --answer \"use SQLite\"", "answer the agent's question"),
            ("ralph resume run-1a2b --agent HOST", "go on with another agent"),
        ],
    ),
    ("pause", &[("ralph pause", "pause the open run"), ("ralph pause run-1a2b", "pause this one")]),
    ("stop", &[("ralph stop", "end the open run"), ("ralph stop --all", "end all of the project")]),
    (
        "allow",
        &[
            ("ralph allow", "list what is held"),
            ("ralph allow tests/test_api.py", "accept the changes of this file"),
        ],
    ),
    (
        "status",
        &[
            ("ralph status", "the open run, else the newest"),
            ("ralph status --watch", "keep looking until it ends"),
            ("ralph status run-1a2b --json", "one run, for programs"),
        ],
    ),
    (
        "logs",
        &[
            ("ralph logs", "the last turn of the newest run"),
            ("ralph logs -f", "go on with what the agent prints now"),
            ("ralph logs run-1a2b 3", "turn 3 of this run"),
        ],
    ),
    (
        "report",
        &[
            ("ralph report", "the newest run of this work tree"),
            ("ralph report run-1a2b --md > proof.md", "for a pull request"),
        ],
    ),
    (
        "runs",
        &[("ralph runs", "the last 20"), ("ralph runs -n 100 --here", "only of this work tree")],
    ),
    (
        "sessions",
        &[
            ("ralph sessions", "those of this work tree"),
            ("ralph sessions --all --state paused", "all that can go on"),
            ("ralph sessions show 3f2a", "one of them, with what was said last"),
        ],
    ),
    (
        "diff",
        &[
            ("ralph diff", "everything that the newest run changed"),
            ("ralph diff 2..3 --stat", "which files turn 3 changed"),
            ("ralph diff start..best --run run-1a2b", "up to the best turn of this run"),
        ],
    ),
    (
        "snapshots",
        &[
            ("ralph snapshots", "those of the newest run"),
            ("ralph snapshots --copy start ../before", "lay out the files of the start"),
        ],
    ),
    (
        "rollback",
        &[
            ("ralph rollback --dry-run", "what would change"),
            ("ralph rollback --to best", "back to the best turn of the newest run"),
            ("ralph rollback --undo", "undo the last rollback"),
        ],
    ),
    ("gc", &[("ralph gc --dry-run", "what would go"), ("ralph gc", "delete what is old")]),
    (
        "memory",
        &[
            ("ralph memory add \"call close() after save()\" --kind gotcha", "note something"),
            ("ralph memory search \"flush\"", "find notes"),
            ("ralph memory context --task \"fix save\"", "what an agent would read"),
        ],
    ),
    (
        "code",
        &[
            ("ralph code index", "read the code once; it stays up to date"),
            ("ralph code callers save", "who calls `save`"),
            ("ralph code impact src/store.rs", "what a change of this file can break"),
        ],
    ),
    (
        "demo",
        &[
            ("ralph demo", "an agent that cheats, and is caught"),
            ("ralph demo --liar", "an agent that never does the work"),
        ],
    ),
    (
        "init",
        &[
            ("ralph init", "write ralph.toml from what is detected"),
            ("ralph init --try", "run each gate once, and require those that work"),
            ("ralph init --agent-cmd \"my-agent --print\"", "with an agent"),
        ],
    ),
    (
        "trust",
        &[
            ("ralph trust", "show what the settings of this project would run, and ask"),
            ("ralph trust --yes", "accept them without a question"),
            ("ralph trust --revoke", "take that back"),
        ],
    ),
    (
        "config",
        &[
            ("ralph config", "every setting and where it comes from"),
            ("ralph config --json", "for programs"),
        ],
    ),
    (
        "sandbox",
        &[
            ("ralph sandbox show", "what an agent of this project can read, write and reach"),
            ("ralph sandbox -- npm test", "try a command in it"),
            ("ralph sandbox --network off -- sh", "without a network"),
        ],
    ),
    (
        "agents",
        &[
            ("ralph agents", "those that are installed"),
            ("ralph agents --all", "all, and how to install them"),
            ("ralph agents --json", "for programs"),
        ],
    ),
    (
        "doctor",
        &[
            ("ralph doctor", "check this machine and project"),
            ("ralph doctor --json", "for programs"),
        ],
    ),
    (
        "install",
        &[
            ("ralph install HOST", "for this project"),
            ("ralph install HOST --user", "for all your projects"),
            ("ralph install HOST --dry-run", "what would change"),
        ],
    ),
    (
        "uninstall",
        &[
            ("ralph uninstall HOST", "from this project"),
            ("ralph uninstall HOST --user", "for all your projects"),
        ],
    ),
    (
        "completions",
        &[
            (
                "ralph completions bash > ~/.local/share/bash-completion/completions/ralph",
                "for bash",
            ),
            ("ralph completions fish > ~/.config/fish/completions/ralph.fish", "for fish"),
        ],
    ),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::cli::{Cli, GROUPS};

    #[test]
    fn every_command_of_people_is_in_one_group_and_has_two_or_three_examples() {
        let definition = Cli::definition();
        let shown = definition.get_subcommands().filter(|sub| !sub.is_hide_set());
        let shown: BTreeSet<&str> = shown.map(clap::Command::get_name).collect();
        let grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        assert_eq!(grouped.iter().copied().collect::<BTreeSet<_>>(), shown);
        assert_eq!(grouped.len(), shown.len(), "a command is in two groups");
        let explained: BTreeSet<&str> = EXAMPLES.iter().map(|(name, _)| *name).collect();
        assert_eq!(explained, shown);
        for (name, calls) in EXAMPLES {
            assert!((2..=3).contains(&calls.len()), "{name}");
        }
    }

    #[test]
    fn every_example_is_understood() {
        for (name, calls) in EXAMPLES {
            for (call, _) in calls {
                // The rest of the line is for the shell.
                let call = call.replace("HOST", ralph_agents::host::HOSTS[0].name);
                let typed = call.split(['<', '>']).next().unwrap();
                let words = ralph_config::words(typed).expect(&call);
                let read = Cli::definition().try_get_matches_from(words);
                assert_eq!(read.expect(&call).subcommand_name(), Some(name));
            }
        }
    }

    #[test]
    fn words_that_people_try_lead_to_what_they_mean() {
        for (typed, meant) in
            [("undo", "rollback"), ("list", "runs"), ("ls", "runs"), ("log", "logs")]
        {
            let read = Cli::definition().try_get_matches_from(["ralph", typed]).unwrap();
            assert_eq!(read.subcommand_name(), Some(meant));
        }
    }

    #[test]
    fn usage_names_ralph_however_it_was_called() {
        let error = Cli::definition().try_get_matches_from(["/proc/self/exe", "runs", "--nope"]);
        let said = error.unwrap_err().to_string();
        assert!(said.contains("Usage: ralph runs"), "{said}");
    }
}
