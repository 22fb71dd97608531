//! The log for finding out why: what ralph tried, how long it took, and what failed.
//!
//! It is off unless `RALPH_LOG` or `-v` asks for it. Then nothing is set up, and each
//! place that could log checks one number.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use ralph_redact::redact;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::fmt::format::FmtSpan;

/// The variable with the level of the log.
const VARIABLE: &str = "RALPH_LOG";

/// The file of the log; without one it goes to stderr.
static FILE: Mutex<Option<File>> = Mutex::new(None);

/// Starts the log at the level that `RALPH_LOG` names, else at `asked`, else not at all.
pub fn start(asked: Option<LevelFilter>) {
    let named = std::env::var(VARIABLE).ok().filter(|level| !level.is_empty());
    let named = named.map(|level| level.parse().unwrap_or(LevelFilter::DEBUG));
    let Some(level) = named.or(asked) else { return };
    let log = tracing_subscriber::fmt().with_max_level(level).with_ansi(false);
    // It can only be started twice, which changes nothing.
    let _ = log.with_span_events(FmtSpan::CLOSE).with_writer(|| LogOutput).try_init();
}

/// Writes the log to `debug.log` in this folder from now on, if there is a log.
pub fn write_in(folder: &Path) {
    if LevelFilter::current() == LevelFilter::OFF {
        return;
    }
    let file = ralph_files::make_private_folder(folder)
        .and_then(|()| ralph_files::append_own(folder.join("debug.log")));
    if let Ok(file) = file {
        *FILE.lock().unwrap_or_else(PoisonError::into_inner) = Some(file);
    }
}

/// Writes lines of the log without secrets.
struct LogOutput;

impl Write for LogOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let line = String::from_utf8_lossy(bytes);
        match &mut *FILE.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(file) => file.write_all(redact(&line).as_bytes())?,
            None => io::stderr().lock().write_all(redact(&line).as_bytes())?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
