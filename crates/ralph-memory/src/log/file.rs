//! The names of the log's files.

use std::path::{Path, PathBuf};
use std::{fs, io};

use super::Position;

/// A file longer than this is not appended to.
const LONG_FILE: u64 = 4 * 1024 * 1024;

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Lines as they are; more may come.
    Plain,
    /// Compressed and complete.
    Compressed,
}

/// A file of the log.
#[derive(Debug)]
pub(super) struct LogFile {
    pub(super) number: u32,
    pub(super) form: Form,
    pub(super) path: PathBuf,
    /// Bytes on the disk.
    pub(super) stored: u64,
}

/// Where what is appended begins: behind everything else, perhaps in a file that
/// is not there yet.
pub(super) fn end(folder: &Path) -> io::Result<Position> {
    let last = list(folder)?.into_iter().next_back();
    Ok(match last {
        Some(LogFile { number, form: Form::Plain, stored, .. }) if stored < LONG_FILE => {
            Position { file: number, offset: stored }
        }
        Some(LogFile { number, .. }) => Position { file: number + 1, offset: 0 },
        None => Position { file: 1, offset: 0 },
    })
}

impl LogFile {
    /// The position of who has read all of it.
    pub(super) fn end(&self) -> Position {
        match self.form {
            Form::Plain => Position { file: self.number, offset: self.stored },
            // Nothing will be added to it, so nobody has to open it again.
            Form::Compressed => Position { file: self.number + 1, offset: 0 },
        }
    }
}

pub(super) fn path(folder: &Path, number: u32, form: Form) -> PathBuf {
    folder.join(match form {
        Form::Plain => format!("{number:08}.jsonl"),
        Form::Compressed => format!("{number:08}.jsonl.gz"),
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

fn parse(name: &str) -> Option<(u32, Form)> {
    let (digits, form) = match name.strip_suffix(".jsonl.gz") {
        Some(digits) => (digits, Form::Compressed),
        None => (name.strip_suffix(".jsonl")?, Form::Plain),
    };
    Some((digits.parse().ok()?, form))
}
