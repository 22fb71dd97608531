//! The one place that prints: data to stdout, everything else to stderr.

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

/// Why something that was printed is lost; the first of several.
static LOST: OnceLock<io::Error> = OnceLock::new();

/// Prints a line of data. A closed pipe is the reader's right, not an error.
pub(crate) fn line(text: impl Display) {
    note_loss(writeln!(io::stdout().lock(), "{text}"));
}

/// Prints lines for people. What steers a terminal is left out: what is told
/// of was often written by others.
pub(crate) fn raw(text: &str) {
    note_loss(io::stdout().lock().write_all(plain(text).as_bytes()));
}

/// Prints text for people, as [`raw`] does. On a terminal its lines are broken
/// between words.
pub(crate) fn text(text: &str) {
    let text = plain(text);
    let text = match width(&io::stdout()) {
        Some(wide) => wrapped(&text, wide),
        None => text,
    };
    note_loss(io::stdout().lock().write_all(text.as_bytes()));
}

/// The columns of a terminal; `None` for anything else.
pub(crate) fn width(stream: &(impl IsTerminal + AsFd)) -> Option<usize> {
    let size = || rustix::termios::tcgetwinsize(stream).ok();
    stream
        .is_terminal()
        .then(|| size().map(|size| usize::from(size.ws_col)).filter(|wide| *wide > 0).unwrap_or(80))
}

/// Lets those who watch see what was printed so far.
pub(crate) fn flush() {
    note_loss(io::stdout().lock().flush());
}

/// Whether all that was printed got out: who keeps it in a file has to know.
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
        let _ = LOST.set(error);
    }
}

/// Prints bytes that steer the terminal: those of a region that is drawn again.
pub(crate) fn steer(bytes: &str) {
    note_loss(io::stdout().lock().write_all(bytes.as_bytes()));
}

/// Tells the user something that is not data, as [`raw`] does.
pub(crate) fn note(text: impl Display) {
    painted(&plain(&text.to_string()));
}

/// Tells the user something that has colours of ours.
pub(crate) fn painted(text: &str) {
    let _ = match width(&io::stderr()) {
        Some(wide) => writeln!(io::stderr().lock(), "{}", wrapped(text, wide)),
        None => writeln!(io::stderr().lock(), "{text}"),
    };
}

/// Tells the user what is wrong.
pub(crate) fn error(error: &CliError) {
    let app = App::discover();
    note(error.said(app.map_or(Locale::En, |app| app.chosen_locale())));
}

/// What clap has to say: help goes to stdout, errors to stderr with exit code 2.
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

/// What to type if the words of a task are not in quotes.
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
