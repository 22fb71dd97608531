//! Lines of those who cannot wait for the log.
//!
//! A hook has milliseconds; whoever holds the log may need more. Its lines go to
//! a file beside the log then, and whoever holds the log next takes them in
//! before anything else.
//!
//! An end at any moment loses and doubles nothing: before its lines are added to
//! the log, the file gets a name that says where they begin there. Whoever finds
//! such a file adds what is missing behind that place.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::file::{self, LogEncoding};
use super::{LogPosition, append_text};

/// The file that is added to.
const LATE: &str = "late.jsonl";

/// Stands before the place in the name of a file that is being taken in.
const TAKEN: &str = "late.";

/// Held for one write or one renaming, never longer.
const LOCK: &str = "late.lock";

/// What waits beside the log.
#[derive(Default)]
struct LateLogFiles {
    /// Files that somebody began to take in, and where they go.
    taken: Vec<(PathBuf, LogPosition)>,
    /// Whether there are lines that nobody has touched yet.
    has_more: bool,
}

/// Adds lines beside the log, all or none of them.
pub(super) fn add(folder: &Path, text: &str) -> io::Result<()> {
    let _held = lock(folder)?;
    append_text(&folder.join(LATE), text)
}

/// Whether anything waits to be taken in.
pub(super) fn is_any(folder: &Path) -> io::Result<bool> {
    let waiting = waiting(folder)?;
    Ok(waiting.has_more || !waiting.taken.is_empty())
}

/// Takes all that waits into the log, which the caller holds.
pub(super) fn take_in(folder: &Path) -> io::Result<()> {
    let waiting = waiting(folder)?;
    for (path, place) in waiting.taken {
        finish(folder, &path, place)?;
    }
    if waiting.has_more {
        let place = file::end(folder)?;
        let taken = folder.join(format!("{TAKEN}{:08}.{}", place.file, place.offset));
        let held = lock(folder)?;
        fs::rename(folder.join(LATE), &taken)?;
        drop(held);
        finish(folder, &taken, place)?;
    }
    Ok(())
}

/// Adds what is missing of a file behind its place in the log.
fn finish(folder: &Path, taken: &Path, place: LogPosition) -> io::Result<()> {
    let log = file::path(folder, place.file, LogEncoding::Plain);
    let mut wanted = ralph_files::read(taken)?;
    let (before, there) = around(&log, place.offset)?;
    if before.is_some_and(|byte| byte != b'\n') {
        // Somebody died in the middle of a line: it stays one damaged line.
        wanted.insert(0, b'\n');
    }
    match wanted.strip_prefix(there.as_slice()) {
        Some(missing) => add_bytes(&log, missing)?,
        None if there.starts_with(&wanted) => {}
        // Others take in before they write. Should one not, none of it is there.
        None => append_text(&log, &String::from_utf8_lossy(&wanted))?,
    }
    fs::remove_file(taken)
}

/// The byte before a place of a file, and all that is behind it.
fn around(path: &Path, offset: u64) -> io::Result<(Option<u8>, Vec<u8>)> {
    let mut file = match ralph_files::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((None, Vec::new())),
        Err(error) => return Err(error),
    };
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(offset.saturating_sub(1)))?;
    file.read_to_end(&mut bytes)?;
    if offset == 0 || bytes.is_empty() {
        return Ok((None, bytes));
    }
    let before = bytes.remove(0);
    Ok((Some(before), bytes))
}

fn add_bytes(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = ralph_files::append_own(path)?;
    let length = file.metadata()?.len();
    // What others wrote has to fit behind it as a whole line.
    file.write_all(bytes).inspect_err(|_| drop(file.set_len(length)))
}

fn waiting(folder: &Path) -> io::Result<LateLogFiles> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(LateLogFiles::default()),
        Err(error) => return Err(error),
    };
    let mut waiting = LateLogFiles::default();
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        if name == LATE {
            waiting.has_more = true;
        } else if let Some(place) = place(name) {
            waiting.taken.push((entry.path(), place));
        }
    }
    Ok(waiting)
}

/// Where the lines of a file go that is being taken in.
fn place(name: &str) -> Option<LogPosition> {
    let (file, offset) = name.strip_prefix(TAKEN)?.split_once('.')?;
    Some(LogPosition { file: file.parse().ok()?, offset: offset.parse().ok()? })
}

fn lock(folder: &Path) -> io::Result<File> {
    let file = ralph_files::append_own(folder.join(LOCK))?;
    file.lock()?;
    Ok(file)
}

#[cfg(test)]
#[path = "late_tests.rs"]
mod tests;
