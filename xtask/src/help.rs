//! The list of tasks: `help` prints it, `main` dispatches on it.

use crate::failure::TaskFailure;
use crate::{
    bench, conformance, docs, evidence, names, options, prove, say, stress, table::TextTable, test,
    tidy, tools, yardstick,
};

/// One task of `cargo xtask`.
pub(crate) struct TaskCommand {
    /// The first argument.
    pub(crate) name: &'static str,
    /// Arguments after the name.
    usage: &'static str,
    about: &'static str,
    /// Runs the task with the arguments after its name.
    pub(crate) run: fn(&[String]) -> Result<(), TaskFailure>,
}

/// Every task, in the order `help` lists them.
pub(crate) const COMMANDS: &[TaskCommand] = &[
    TaskCommand {
        name: "test",
        usage: "[-p CRATE]... [--changed] [--quick]",
        about: "Run everything a change must pass, or only what concerns some crates; --quick: tests alone",
        run: test::run,
    },
    TaskCommand {
        name: "prove",
        usage: "[AREA]...",
        about: "Run what takes long: all cases of real clients, stress, benchmarks",
        run: prove::run,
    },
    TaskCommand {
        name: "tools",
        usage: "",
        about: "Install the compilers, linters and language servers that the tests use",
        run: tools::run,
    },
    TaskCommand {
        name: "tidy",
        usage: "",
        about: "Check the house rules that the compiler does not know",
        run: tidy::run,
    },
    TaskCommand {
        name: "names",
        usage: "[--list]",
        about: "Measure how well names and comments tell a stranger what a thing is",
        run: names::run,
    },
    TaskCommand {
        name: "conformance",
        usage: "",
        about: "Check that every promised behaviour names a test that exists",
        run: conformance::run,
    },
    TaskCommand {
        name: "docs",
        usage: "",
        about: "Write docs/reference and plugins from the binary; a test compares them",
        run: docs::run,
    },
    TaskCommand {
        name: "bench",
        usage: "[--report] [--large] [NAME]...",
        about: "Measure speed and memory against their budgets; --report only prints, --large takes minutes",
        run: bench::run,
    },
    TaskCommand {
        name: "stress",
        usage: "[--sample] [--seed N] [NAME]...",
        about: "Run what is too slow or too rough for the tests; --sample takes a minute",
        run: stress::run,
    },
    TaskCommand {
        name: "evidence",
        usage: "[RUNNER[/CASE]]...",
        about: "Make changes that cheat and changes that do not, with real test runners",
        run: evidence::run,
    },
    TaskCommand {
        name: "attacks",
        usage: "[CASE]...",
        about: "Let an agent attack the state, git, programs, processes and commands of a run",
        run: evidence::attacks::run,
    },
    TaskCommand {
        name: "yardstick",
        usage: "[NAME]...",
        about: "Compare the code graph with other tools on projects from the registries",
        run: yardstick::run,
    },
    TaskCommand { name: "help", usage: "", about: "Print this list", run: print },
];

/// Renders the help.
pub(crate) fn text() -> String {
    let mut table = TextTable::new(&["task", "arguments", ""]);
    for command in COMMANDS {
        table.row([command.name, command.usage, command.about]);
    }
    format!("usage: cargo xtask TASK\n\n{}", table.render())
}

fn print(args: &[String]) -> Result<(), TaskFailure> {
    options::none(args)?;
    say::line(&text());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_names_every_task() {
        let text = text();
        for command in COMMANDS {
            assert!(text.contains(command.name), "{} is missing", command.name);
        }
    }
}
