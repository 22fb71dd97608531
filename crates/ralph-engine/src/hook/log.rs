//! The log of errors in hooks, whose stderr nobody reads.

use std::fs;
use std::io::Write;
use std::path::Path;

use ralph_redact::redact;

use crate::clock::{SystemClock, TimeSource};
use crate::wire::moment;

/// Size in bytes above which a new log begins; the previous one is kept.
const MOST_BYTES: u64 = 512 * 1024;

/// Adds a line to the log. Errors in writing it are ignored.
pub(super) fn write(home: &Path, text: &str) {
    let path = home.join("hooks.log");
    if fs::metadata(&path).is_ok_and(|found| found.len() > MOST_BYTES) {
        // A log that stays is only longer.
        let _ = fs::rename(&path, home.join("hooks.log.1"));
    }
    let line = format!("{} {}\n", moment(SystemClock.now()), redact(text).replace('\n', "\\n"));
    // There is no other place to report it.
    let _ = ralph_files::append_own(&path).and_then(|mut file| file.write_all(line.as_bytes()));
}
