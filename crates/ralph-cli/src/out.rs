//! The one place that prints: data to stdout, everything else to stderr.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use ralph_core::claim::plain;

use crate::error::CliError;

/// Prints a line of data. A closed pipe is the reader's right, not an error.
pub(crate) fn line(text: impl Display) {
    let _ = writeln!(io::stdout().lock(), "{text}");
}

/// Prints lines for people. What steers a terminal is left out: what is told
/// of was often written by others.
pub(crate) fn raw(text: &str) {
    let _ = io::stdout().lock().write_all(plain(text).as_bytes());
}

/// Tells the user something that is not data, as [`raw`] does.
pub(crate) fn note(text: impl Display) {
    painted(&plain(&text.to_string()));
}

/// Tells the user something that has colours of ours.
pub(crate) fn painted(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Tells the user what is wrong.
pub(crate) fn error(error: &CliError) {
    note(error);
}

/// What clap has to say: help goes to stdout, errors to stderr with exit code 2.
pub(crate) fn clap_error(error: &clap::Error) -> ExitCode {
    let _ = error.print();
    ExitCode::from(u8::from(error.use_stderr()) * 2)
}

/// Whether colours are wanted on this stream.
pub(crate) fn colours(stream: &dyn IsTerminalStream) -> bool {
    let unset = |name: &str| std::env::var_os(name).is_none_or(|value| value.is_empty());
    unset("NO_COLOR")
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
        && stream.terminal()
}

/// A stream that may be a terminal.
pub(crate) trait IsTerminalStream {
    fn terminal(&self) -> bool;
}

impl IsTerminalStream for io::Stdout {
    fn terminal(&self) -> bool {
        self.is_terminal()
    }
}

impl IsTerminalStream for io::Stderr {
    fn terminal(&self) -> bool {
        self.is_terminal()
    }
}
