//! `ralph completions`: scripts for shells.

use clap::builder::PossibleValuesParser;
use clap_complete::Shell;
use ralph_core::policy::Criterion;
use ralph_store::{RunQuery, RunStateFilter};

use crate::app::App;
use crate::cli::Cli;
use crate::error::CliError;
use crate::out;

/// Placeholder in a script where the shell asks for the ids of runs.
const RUNS: &str = "__RALPH_RUNS__";

/// Number of runs that are offered, the newest first.
const OFFERED: u32 = 20;

/// Print completions for a shell
#[derive(clap::Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Print the ids of the newest runs, for completions
#[derive(clap::Args, Debug)]
pub(crate) struct RunIdsArgs {}

#[expect(clippy::unnecessary_wraps, reason = "every command has the same form")]
pub(crate) fn run(args: &CompletionsArgs) -> Result<u8, CliError> {
    out::raw(&script(args.shell));
    Ok(0)
}

/// Prints the ids that the scripts ask for.
pub(crate) fn run_ids(_args: &RunIdsArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    let query = RunQuery { worktree: None, which: RunStateFilter::All, limit: OFFERED };
    if let Some(store) = app.existing_store()? {
        for run in store.runs(&query)? {
            out::line(run.id);
        }
    }
    Ok(0)
}

fn script(shell: Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut offered(visible(&Cli::definition())), "ralph", &mut script);
    let ask = match shell {
        Shell::Bash | Shell::Zsh => "$(ralph __run-ids 2>/dev/null)",
        Shell::Fish => "(ralph __run-ids 2>/dev/null)",
        // Scripts of these shells offer only commands and flags.
        Shell::Elvish | Shell::PowerShell | _ => "RUN",
    };
    String::from_utf8_lossy(&script).replace(RUNS, ask)
}

/// Returns the program without its hidden commands.
fn visible(program: &clap::Command) -> clap::Command {
    let commands = program.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
    clap::Command::new("ralph")
        .version(env!("CARGO_PKG_VERSION"))
        .args(program.get_arguments().cloned())
        .subcommands(commands)
}

/// Adds values to offer for arguments that are not free text.
fn offered(command: clap::Command) -> clap::Command {
    let command = command.mut_args(|arg| {
        let takes = arg.get_value_names().and_then(|names| names.first()).map(ToString::to_string);
        match (takes.as_deref(), arg.get_id().as_str()) {
            (Some("RUN"), _) => arg.value_parser(PossibleValuesParser::new([RUNS])),
            (_, "agent") => arg.value_parser(PossibleValuesParser::new(ralph_agents::NAMES)),
            (_, "criteria") => {
                let names = Criterion::NAMED.into_iter().map(Criterion::name);
                arg.value_parser(PossibleValuesParser::new(names))
            }
            _ => arg,
        }
    });
    command.mut_subcommands(offered)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_agents_and_gates_are_offered() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            let script = script(shell);
            for word in ["ralph __run-ids", "opencode", "type_check"] {
                assert!(script.contains(word), "no {word} for {shell}");
            }
            assert!(!script.contains(RUNS), "{shell}");
        }
        assert!(!script(Shell::Elvish).contains(RUNS));
    }

    #[test]
    fn hidden_commands_are_not_offered() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::Elvish, Shell::PowerShell] {
            let script = script(shell);
            for word in ["__measure", "__scripted", "lsp-helper"] {
                assert!(!script.contains(word), "{word} for {shell}");
            }
            assert!(script.contains("version"), "{shell}");
        }
    }
}
