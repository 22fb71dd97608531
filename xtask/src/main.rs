//! Project tasks: `cargo xtask help`.
//!
//! Each command has a module. A check is a pure function from paths and texts to
//! findings. Only the command reads files, runs processes and prints.

mod bench;
mod cargo;
mod conformance;
mod docs;
mod evidence;
mod failure;
mod finding;
mod help;
#[cfg(test)]
mod layering;
mod names;
mod options;
mod prove;
mod rust_source;
mod say;
mod scope;
mod stress;
mod table;
mod tally;
mod test;
mod tidy;
mod tools;
mod workspace;
mod yardstick;

use std::process::ExitCode;

use failure::TaskFailure;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            say::error(&failure.to_string());
            ExitCode::from(failure.exit_code())
        }
    }
}

fn dispatch(args: &[String]) -> Result<(), TaskFailure> {
    let Some((name, rest)) = args.split_first() else {
        return Err(TaskFailure::Usage(format!("no task given\n\n{}", help::text())));
    };
    match help::COMMANDS.iter().find(|command| command.name == name) {
        Some(command) => (command.run)(rest),
        None => Err(TaskFailure::Usage(format!("no task `{name}`\n\n{}", help::text()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_or_unknown_task_is_a_usage_error() {
        assert!(matches!(dispatch(&[]), Err(TaskFailure::Usage(_))));
        let unknown = dispatch(&["lnit".to_owned()]);
        assert!(matches!(&unknown, Err(TaskFailure::Usage(text)) if text.contains("`lnit`")));
    }
}
