//! The only module that prints: data to stdout, everything else to stderr.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;
use std::process::ExitCode;
use std::sync::OnceLock;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use ralph_core::claim::plain;
use ralph_core::locale::Locale;

use crate::app::App;
use crate::error::CliError;
use crate::wrap::wrapped;

/// The first error in writing to stdout.
static LOST: OnceLock<io::Error> = OnceLock::new();

/// Prints a line of data. A closed pipe is not an error.
pub(crate) fn line(text: impl Display) {
    note_loss(writeln!(io::stdout().lock(), "{text}"));
}

/// Prints lines for people, without control sequences: the text may come from others.
pub(crate) fn raw(text: &str) {
    note_loss(io::stdout().lock().write_all(plain(text).as_bytes()));
}

/// Prints text for people, as [`raw`] does. On a terminal its lines are wrapped between words.
pub(crate) fn text(text: &str) {
    let text = plain(text);
    let text = match width(&io::stdout()) {
        Some(wide) => wrapped(&text, wide),
        None => text,
    };
    note_loss(io::stdout().lock().write_all(text.as_bytes()));
}

/// Returns the width of a terminal; `None` for anything else.
pub(crate) fn width(stream: &(impl IsTerminal + AsFd)) -> Option<usize> {
    let size = || rustix::termios::tcgetwinsize(stream).ok();
    stream
        .is_terminal()
        .then(|| size().map(|size| usize::from(size.ws_col)).filter(|wide| *wide > 0).unwrap_or(80))
}

/// Flushes stdout, so that the text so far is visible.
pub(crate) fn flush() {
    note_loss(io::stdout().lock().flush());
}

/// Returns an error if any output was lost.
pub(crate) fn finish() -> Result<(), CliError> {
    note_loss(io::stdout().lock().flush());
    match LOST.get() {
        Some(error) => Err(CliError::internal(error).about("standard output")),
        None => Ok(()),
    }
}

fn note_loss(done: io::Result<()>) {
    if let Err(error) = done
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        // The first error is reported.
        let _ = LOST.set(error);
    }
}

/// Prints bytes that control the terminal, for a region that is redrawn.
pub(crate) fn steer(bytes: &str) {
    note_loss(io::stdout().lock().write_all(bytes.as_bytes()));
}

/// Prints a message that is not data, as [`raw`] does.
pub(crate) fn note(text: impl Display) {
    painted(&plain(&text.to_string()));
}

/// Prints a message with our colours.
pub(crate) fn painted(text: &str) {
    // Without stderr there is no place to report it.
    let _ = match width(&io::stderr()) {
        Some(wide) => writeln!(io::stderr().lock(), "{}", wrapped(text, wide)),
        None => writeln!(io::stderr().lock(), "{text}"),
    };
}

/// Prints an error.
pub(crate) fn error(error: &CliError) {
    let app = App::discover();
    note(error.said(app.map_or(Locale::En, |app| app.chosen_locale())));
}

/// Prints help of clap to stdout, or its errors to stderr with exit code 2.
pub(crate) fn clap_error(error: &clap::Error) -> ExitCode {
    note_loss(error.print());
    if let Some(hint) = quotes_missing(error, std::env::args().skip(1)) {
        note(hint);
    }
    match finish() {
        Ok(()) => ExitCode::from(u8::from(error.use_stderr()) * 2),
        Err(lost) => ExitCode::from(lost.exit_code()),
    }
}

/// Returns a hint if the words of a task are not in quotes.
fn quotes_missing(error: &clap::Error, typed: impl Iterator<Item = String>) -> Option<String> {
    let unknown = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(word)) if error.kind() == ErrorKind::UnknownArgument => word,
        Some(_) | None => return None,
    };
    let words: Vec<String> = typed.take_while(|word| !word.starts_with('-')).collect();
    let (command, task) = words.split_first()?;
    let is_task = matches!(command.as_str(), "run" | "start") && task.contains(unknown);
    is_task.then(|| format!("hint: put the task in quotes: ralph {command} \"{}\"", task.join(" ")))
}

/// Returns true if colours are wanted on this stream.
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
