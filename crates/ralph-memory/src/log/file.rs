//! The names of the log's files.

use std::path::{Path, PathBuf};
use std::{fs, io};

use super::LogPosition;

/// A file longer than this is not appended to.
const LONG_FILE: u64 = 4 * 1024 * 1024;

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LogEncoding {
    /// Lines as they are; more may come.
    Plain,
    /// Compressed and complete.
    Compressed,
}

/// A file of the log.
#[derive(Debug)]
pub(super) struct LogFile {
    pub(super) number: u32,
    pub(super) form: LogEncoding,
    pub(super) path: PathBuf,
    /// Bytes on the disk.
    pub(super) stored: u64,
}

/// Where what is appended begins: behind everything else, perhaps in a file that
/// is not there yet.
pub(super) fn end(folder: &Path) -> io::Result<LogPosition> {
    let last = list(folder)?.into_iter().next_back();
    Ok(match last {
        Some(LogFile { number, form: LogEncoding::Plain, stored, .. }) if stored < LONG_FILE => {
            LogPosition { file: number, offset: stored }
        }
        Some(LogFile { number, .. }) => LogPosition { file: number + 1, offset: 0 },
        None => LogPosition { file: 1, offset: 0 },
    })
}

impl LogFile {
    /// The position of who has read all of it.
    pub(super) fn end(&self) -> LogPosition {
        match self.form {
            LogEncoding::Plain => LogPosition { file: self.number, offset: self.stored },
            // Nothing will be added to it, so nobody has to open it again.
            LogEncoding::Compressed => LogPosition { file: self.number + 1, offset: 0 },
        }
    }
}

pub(super) fn path(folder: &Path, number: u32, form: LogEncoding) -> PathBuf {
    folder.join(match form {
        LogEncoding::Plain => format!("{number:08}.jsonl"),
        LogEncoding::Compressed => format!("{number:08}.jsonl.gz"),
    })
}

/// The files in their order; none without a folder.
pub(super) fn list(folder: &Path) -> io::Result<Vec<LogFile>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry?;
        let Some((number, form)) = entry.file_name().to_str().and_then(parse) else { continue };
        files.push(LogFile { number, form, path: entry.path(), stored: entry.metadata()?.len() });
    }
    files.sort_by_key(|one| one.number);
    Ok(files)
}

fn parse(name: &str) -> Option<(u32, LogEncoding)> {
    let (digits, form) = match name.strip_suffix(".jsonl.gz") {
        Some(digits) => (digits, LogEncoding::Compressed),
        None => (name.strip_suffix(".jsonl")?, LogEncoding::Plain),
    };
    Some((digits.parse().ok()?, form))
}
