//! The binary `ralph`.

mod app;
mod cli;
mod commands;
mod error;
mod examples;
mod live;
mod options;
mod out;
mod progress_line;
mod region;
mod rights;
mod signals;
mod wrap;

use std::process::ExitCode;

use ralph_engine::debug_log;
pub(crate) use ralph_engine::texts;
use tracing::level_filters::LevelFilter;

/// Returns the words after `ralph hook`; `None` for any other command, and for help.
fn hook_words() -> Option<Vec<std::ffi::OsString>> {
    let mut words = std::env::args_os().skip(1);
    let is_hook = words.next().is_some_and(|word| word == "hook");
    let words: Vec<_> = if is_hook { words.collect() } else { return None };
    let asks_help =
        words.iter().any(|word| word == "--help" || word == "-h" || word == "--version");
    (!asks_help).then_some(words)
}

fn main() -> ExitCode {
    // The supervisor starts with every turn, so it must start fast.
    if std::env::args_os().nth(1).is_some_and(|word| word == "__supervise") {
        return ralph_proc::supervisor_main();
    }
    if std::env::args_os().nth(1).is_some_and(|word| word == ralph_proc::OVERLAY_WORD) {
        return ralph_proc::overlay_main(std::env::args_os().skip(2));
    }
    if std::env::args_os().nth(1).is_some_and(|word| word == ralph_sandbox::SANDBOX_WORD) {
        return ralph_sandbox::sandbox_main(std::env::args_os().skip(2));
    }
    if let Some(words) = hook_words() {
        debug_log::start(None);
        let _span = tracing::debug_span!("hook").entered();
        return commands::hook::main(words);
    }
    let cli = match cli::Cli::read() {
        Ok(cli) => cli,
        Err(error) => return out::clap_error(&error),
    };
    debug_log::start(cli.verbose.then_some(LevelFilter::DEBUG));
    match commands::run(cli).and_then(|code| out::finish().map(|()| code)) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            out::error(&error);
            ExitCode::from(error.exit_code())
        }
    }
}
