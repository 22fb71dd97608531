//! The files of the log, and lines that wait beside it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::{fs, io};

use super::LogPosition;

/// A file longer than this is not appended to.
const LONG_FILE: u64 = 4 * 1024 * 1024;

/// The beginning of the names of files with lines of those who found the log locked.
const LATE: &str = "late.";

/// A lock of older versions, which begins like that.
const OLD_LOCK: &str = "late.lock";

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LogEncoding {
    /// Lines as they are; more may come.
    Plain,
    /// Compressed and complete.
    Compressed,
    /// Compressed, complete, and in the place of all files before it.
    Base,
}

impl LogEncoding {
    /// All of them with how the names of such files end.
    const ENDINGS: [(Self, &str); 3] =
        [(Self::Base, ".base.jsonl.gz"), (Self::Compressed, ".jsonl.gz"), (Self::Plain, ".jsonl")];
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

impl LogFile {
    /// The position of who has read all of it.
    pub(super) fn end(&self) -> LogPosition {
        match self.form {
            LogEncoding::Plain => LogPosition { file: self.number, offset: self.stored },
            // Nothing will be added to it, so nobody has to open it again.
            LogEncoding::Compressed | LogEncoding::Base => {
                LogPosition { file: self.number + 1, offset: 0 }
            }
        }
    }
}

/// What is in the folder of a log.
#[derive(Debug, Default)]
pub(super) struct LogFolder {
    /// The files of the log, in their order.
    pub(super) files: Vec<LogFile>,
    /// Files that wait to become files of the log, the oldest first.
    late: Vec<PathBuf>,
    /// Files in whose place there is another one.
    replaced: Vec<PathBuf>,
}

impl LogFolder {
    /// Looks at a folder, which need not be there.
    pub(super) fn read(folder: &Path) -> io::Result<Self> {
        let mut found = Self::default();
        let entries = match fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(found),
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            if let Some((number, form)) = parse(name) {
                let (path, stored) = (entry.path(), entry.metadata()?.len());
                found.files.push(LogFile { number, form, path, stored });
            } else if name.starts_with(LATE) && name != OLD_LOCK {
                found.late.push(entry.path());
            }
        }
        found.late.sort();
        found.files.sort_by_key(|one| one.number);
        let base = found.files.iter().rposition(|one| one.form == LogEncoding::Base);
        let replaced = found.files.drain(..base.unwrap_or_default());
        found.replaced = replaced.map(|one| one.path).collect();
        Ok(found)
    }

    /// The number of a file behind all others.
    pub(super) fn next_number(&self) -> u32 {
        self.files.last().map_or(1, |last| last.number + 1)
    }

    /// Where what is appended begins: behind everything else, perhaps in a file that
    /// is not there yet.
    pub(super) fn end(&self) -> LogPosition {
        match self.files.last().map(LogFile::end) {
            Some(end) if end.offset < LONG_FILE => end,
            Some(_) | None => LogPosition { file: self.next_number(), offset: 0 },
        }
    }

    /// Whether somebody may have read so far, and nothing was written anew since.
    pub(super) fn has(&self, at: LogPosition) -> bool {
        let first = self.files.first();
        let is_behind_base =
            first.is_none_or(|one| one.form != LogEncoding::Base || at.file > one.number);
        let is_there = match self.files.iter().find(|one| one.number == at.file) {
            Some(one) => at.offset <= one.stored,
            None => at.offset == 0 && at.file <= self.next_number(),
        };
        at == LogPosition::default() || first.is_some() && is_behind_base && is_there
    }

    /// Whether something waits for whoever holds the log next.
    pub(super) fn is_unsettled(&self) -> bool {
        !self.late.is_empty() || !self.replaced.is_empty()
    }

    /// Makes files of the log of what waits, and removes what was replaced. The caller
    /// holds the log.
    pub(super) fn settle(&self, folder: &Path) -> io::Result<()> {
        for path in &self.replaced {
            fs::remove_file(path)?;
        }
        for (late, number) in self.late.iter().zip(self.next_number()..) {
            fs::rename(late, path(folder, number, LogEncoding::Plain))?;
        }
        Ok(())
    }
}

/// Writes lines to a file of their own beside the log: whoever holds the log next makes
/// it a file of the log. Of several the one with the earlier moment comes first.
pub(super) fn add_late(folder: &Path, at: i64, text: &str) -> io::Result<()> {
    let hash = blake3::hash(text.as_bytes()).to_hex();
    let name = format!("{:020}.{}", at.max(0), hash.as_str().get(..16).unwrap_or_default());
    let beside = folder.join(format!("{name}.tmp"));
    ralph_files::create_own(&beside)?.write_all(text.as_bytes())?;
    fs::rename(beside, folder.join(format!("{LATE}{name}")))
}

pub(super) fn path(folder: &Path, number: u32, form: LogEncoding) -> PathBuf {
    let ending = LogEncoding::ENDINGS.iter().find(|(known, _)| *known == form);
    folder.join(format!("{number:08}{}", ending.map_or("", |(_, ending)| ending)))
}

fn parse(name: &str) -> Option<(u32, LogEncoding)> {
    let mut named = LogEncoding::ENDINGS.into_iter();
    let (digits, form) =
        named.find_map(|(form, ending)| Some((name.strip_suffix(ending)?, form)))?;
    Some((digits.parse().ok()?, form))
}
