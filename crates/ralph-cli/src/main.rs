//! The binary `ralph`.

mod app;
mod cli;
mod commands;
mod config;
mod error;
mod findings;
mod live;
mod options;
mod out;
mod texts;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    // The supervisor is started once a turn: it must not pay for anything else.
    if std::env::args_os().nth(1).is_some_and(|word| word == "__supervise") {
        return ralph_proc::supervisor_main();
    }
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return out::clap_error(&error),
    };
    match commands::run(cli) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            out::error(&error);
            ExitCode::from(error.exit_code())
        }
    }
}
