//! The log: what happened to the memory, in plain files that only grow.
//!
//! A line is a checksum, a space and a JSON object. Lines are appended by
//! whoever has something to say, a hook that lives for two milliseconds too,
//! so writing costs one lock and one write, and who cannot wait for the lock
//! writes beside it. A line that was cut off, because its writer or its machine
//! died, is noticed by its checksum and passed over.
//!
//! Files are numbered. The last one is written to; when it is long, the next
//! begins. What is imported in bulk is a compressed file of its own.

mod aside;
mod compact;
mod file;
mod late;
mod line;
mod members;

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::event::LogEvent;
use crate::raw::RawOutputStore;
use file::{LogEncoding, LogFile};
use line::LogTail;

/// The file that is locked while somebody writes.
const WRITING: &str = "lock";

/// A line longer than this is refused: texts are cut before they get here.
pub const LONGEST_LINE: usize = 1024 * 1024;

/// Why the log could not be used.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The disk said no.
    #[error("{path}: {source}")]
    Io {
        /// Where.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
    /// An event is too long to be kept.
    #[error("a note of {bytes} bytes is too long: at most {} are kept", LONGEST_LINE)]
    TooLong {
        /// How long it is.
        bytes: usize,
    },
    /// A line was to be rewritten as a longer one.
    #[error("a line of the log cannot be replaced by a longer one")]
    Longer,
}

/// How far the log was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LogPosition {
    /// The number of the file.
    pub file: u32,
    /// The byte in it, counted in what it says, not in what is stored.
    pub offset: u64,
}

/// What reading the log gives.
#[derive(Debug, Clone, PartialEq)]
pub enum LogEntry {
    /// An event.
    Event(Box<LogEvent>),
    /// A line that nobody can read.
    Damaged {
        /// The file it is in.
        path: PathBuf,
        /// The byte at which it begins.
        offset: u64,
    },
}

/// The log in a folder.
#[derive(Debug, Clone)]
pub struct EventLog {
    folder: PathBuf,
}

/// Nobody else writes as long as this lives.
pub(crate) struct LogLock {
    _file: File,
}

impl EventLog {
    /// The log of a state home; touches nothing.
    pub fn new(home: &Path) -> Self {
        Self { folder: home.join("memory") }
    }

    /// Adds events behind all others, all or none of them. Waits for others who
    /// write.
    pub fn append(&self, events: &[LogEvent]) -> Result<(), LogError> {
        let text = line::render(events)?;
        if text.is_empty() {
            return Ok(());
        }
        self.append_held(&self.lock()?, &text)
    }

    /// Adds events, all or none of them, without waiting for anybody.
    ///
    /// While others write for long they stand beside the log, and come into it
    /// before whatever is added next.
    pub fn hand_in(&self, events: &[LogEvent]) -> Result<(), LogError> {
        let text = line::render(events)?;
        if text.is_empty() {
            return Ok(());
        }
        match self.try_lock()? {
            Some(held) => self.append_held(&held, &text),
            None => late::add(&self.folder, &text).map_err(|source| self.trouble(source)),
        }
    }

    /// Takes in what was handed in while others wrote, unless somebody writes
    /// now.
    pub(crate) fn take_in(&self) -> Result<(), LogError> {
        if late::is_any(&self.folder).map_err(|source| self.trouble(source))? {
            self.try_lock()?;
        }
        Ok(())
    }

    fn append_held(&self, _held: &LogLock, text: &str) -> Result<(), LogError> {
        let end = file::end(&self.folder).map_err(|source| self.trouble(source))?;
        let path = file::path(&self.folder, end.file, LogEncoding::Plain);
        append_text(&path, text).map_err(|source| LogError::Io { path, source })
    }

    /// Adds many events as a compressed file of their own, all or none of them.
    /// Says where the log ended before, and where it ends now.
    pub fn append_many(&self, events: &[LogEvent]) -> Result<(LogPosition, LogPosition), LogError> {
        let text = line::render(events)?;
        let _held = self.lock()?;
        let last = self.last()?;
        let before = last.as_ref().map_or_else(LogPosition::default, LogFile::end);
        if text.is_empty() {
            return Ok((before, before));
        }
        let number = last.map_or(1, |last| last.number + 1);
        let path = file::path(&self.folder, number, LogEncoding::Compressed);
        write_compressed(&path, &text).map_err(|source| LogError::Io { path, source })?;
        Ok((before, LogPosition { file: number + 1, offset: 0 }))
    }

    /// Reads what was added behind a position and calls `see` for each entry.
    ///
    /// A line that is being written at this moment is left for the next time.
    /// Returns where it ends.
    pub fn read(
        &self,
        from: LogPosition,
        mut see: impl FnMut(LogEntry),
    ) -> Result<LogPosition, LogError> {
        let mut at = from;
        while let Some(end) = self.read_file(at, &mut see)? {
            at = end;
        }
        Ok(at)
    }

    /// Reads like `read`, but only the first file with something new. Returns
    /// where it ends, and `None` when there is nothing new.
    pub fn read_file(
        &self,
        from: LogPosition,
        see: impl FnMut(LogEntry),
    ) -> Result<Option<LogPosition>, LogError> {
        self.read_part(from, LogPosition { file: u32::MAX, offset: u64::MAX }, see)
    }

    /// Reads like `read_file`, but nothing behind a position.
    pub(crate) fn read_part(
        &self,
        from: LogPosition,
        to: LogPosition,
        mut see: impl FnMut(LogEntry),
    ) -> Result<Option<LogPosition>, LogError> {
        let files = file::list(&self.folder).map_err(|source| self.trouble(source))?;
        let last = files.last().map_or(0, |last| last.number);
        let is_meant = |one: &LogFile| {
            one.number >= from.file && LogPosition { file: one.number, offset: 0 } < to
        };
        for one in files.into_iter().filter(is_meant) {
            let start = if one.number == from.file { from.offset } else { 0 };
            let mut text = read_from(&one, start)
                .map_err(|source| LogError::Io { path: one.path.clone(), source })?;
            if one.number == to.file {
                let most = usize::try_from(to.offset.saturating_sub(start));
                text.truncate(most.unwrap_or(usize::MAX));
            }
            let is_whole = one.number < last || one.form == LogEncoding::Compressed;
            let tail = if is_whole { LogTail::Lost } else { LogTail::OnItsWay };
            let rest = line::parse(&text, tail, |offset, found| {
                let damaged =
                    || LogEntry::Damaged { path: one.path.clone(), offset: start + offset };
                see(found.map_or_else(damaged, |event| LogEntry::Event(Box::new(event))));
            });
            let end = match one.form {
                // Nothing will be added to it, so nobody has to open it again.
                LogEncoding::Compressed => LogPosition { file: one.number + 1, offset: 0 },
                LogEncoding::Plain => LogPosition { file: one.number, offset: start + rest },
            };
            if end.file > one.number || rest > 0 {
                return Ok(Some(end));
            }
        }
        Ok(None)
    }

    /// Whether the log is still as long as a position in it says.
    pub fn reaches(&self, at: LogPosition) -> Result<bool, LogError> {
        let files = file::list(&self.folder).map_err(|source| self.trouble(source))?;
        let Some(last) = files.last() else { return Ok(at == LogPosition::default()) };
        let of = files.iter().find(|one| one.number == at.file);
        Ok(match of.map(|one| (one.form, one.stored)) {
            Some((LogEncoding::Plain, stored)) => at.offset <= stored,
            Some((LogEncoding::Compressed, _)) => true,
            None => at.offset == 0 && at.file <= last.number + 1,
        })
    }

    /// How many bytes the log takes on the disk.
    pub fn size(&self) -> Result<u64, LogError> {
        let files = file::list(&self.folder).map_err(|source| self.trouble(source))?;
        Ok(files.iter().map(|one| one.stored).sum())
    }

    /// Rewrites every line that `change` returns another event for.
    ///
    /// For what has to be forgotten; the order stays, and so do positions: a
    /// line that gets shorter is filled with blanks, one that would get longer
    /// is refused. Returns how many changed.
    pub fn rewrite(
        &self,
        mut change: impl FnMut(&LogEvent) -> Option<LogEvent>,
    ) -> Result<usize, LogError> {
        let _held = self.lock()?;
        let files = file::list(&self.folder).map_err(|source| self.trouble(source))?;
        let mut changed = 0;
        for one in files {
            changed += rewrite_file(&one, &mut change)?;
        }
        Ok(changed)
    }

    /// Whether there is a log that this process may not write to.
    pub fn is_read_only(&self) -> bool {
        let opened = ralph_files::append_own(self.folder.join(WRITING));
        opened.is_err_and(|error| is_refusal(error.kind()))
    }

    /// Says why nothing can be added to the log, if that is so.
    pub fn probe(&self) -> Result<(), LogError> {
        self.lock_file(WRITING).map(drop).map_err(|source| self.trouble(source))
    }

    /// What failing checks printed, kept beside the log.
    pub fn raw(&self) -> RawOutputStore {
        RawOutputStore::beside(&self.folder)
    }

    fn last(&self) -> Result<Option<LogFile>, LogError> {
        let files = file::list(&self.folder).map_err(|source| self.trouble(source))?;
        Ok(files.into_iter().next_back())
    }

    /// Held while somebody writes; the lock goes with the process. What waited
    /// beside the log is in it then.
    fn lock(&self) -> Result<LogLock, LogError> {
        let lock = || {
            let file = self.lock_file(WRITING)?;
            file.lock()?;
            late::take_in(&self.folder)?;
            Ok(LogLock { _file: file })
        };
        lock().map_err(|source| self.trouble(source))
    }

    /// The same, unless somebody else writes.
    fn try_lock(&self) -> Result<Option<LogLock>, LogError> {
        let lock = || {
            let file = self.lock_file(WRITING)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
            late::take_in(&self.folder)?;
            Ok(Some(LogLock { _file: file }))
        };
        lock().map_err(|source| self.trouble(source))
    }

    fn lock_file(&self, name: &str) -> io::Result<File> {
        fs::create_dir_all(&self.folder)?;
        ralph_files::append_own(self.folder.join(name))
    }

    fn trouble(&self, source: io::Error) -> LogError {
        LogError::Io { path: self.folder.clone(), source }
    }
}

/// Whether the disk refuses to be written to, for good and by us.
pub(crate) fn is_refusal(kind: io::ErrorKind) -> bool {
    matches!(kind, io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

fn append_text(path: &Path, text: &str) -> io::Result<()> {
    let _span = tracing::debug_span!("memory write", bytes = text.len()).entered();
    let mut file = ralph_files::append_own(path)?;
    let length = file.metadata()?.len();
    let whole = length == 0 || last_byte(&mut file)? == b'\n';
    let result = if whole {
        file.write_all(text.as_bytes())
    } else {
        // Somebody died in the middle of a line: it stays one damaged line.
        file.write_all(format!("\n{text}").as_bytes())
    };
    // Half of it must not stay: the caller is told that nothing was kept.
    result.inspect_err(|_| drop(file.set_len(length)))
}

fn last_byte(file: &mut File) -> io::Result<u8> {
    let mut byte = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut byte)?;
    Ok(byte[0])
}

fn write_compressed(path: &Path, text: &str) -> io::Result<()> {
    replace(path, |file| {
        let mut file = file;
        members::write(text, &mut file)?;
        Ok(file)
    })
}

/// Writes a file beside its place and puts it there when it is whole.
fn replace(path: &Path, write: impl FnOnce(File) -> io::Result<File>) -> io::Result<()> {
    let beside = path.with_extension("tmp");
    let file = ralph_files::create_own(&beside)?;
    let done = write(file).and_then(|file| file.sync_all());
    done.and_then(|()| fs::rename(&beside, path)).inspect_err(|_| {
        // The first error is returned.
        let _ = fs::remove_file(&beside);
    })
}

fn read_from(one: &LogFile, start: u64) -> io::Result<Vec<u8>> {
    let mut file = ralph_files::open(&one.path)?;
    let mut text = Vec::new();
    match one.form {
        LogEncoding::Plain => {
            file.seek(SeekFrom::Start(start))?;
            file.read_to_end(&mut text)?;
        }
        LogEncoding::Compressed => {
            let mut packed = Vec::new();
            file.read_to_end(&mut packed)?;
            text = members::read(&packed);
            let skip = usize::try_from(start).unwrap_or(usize::MAX).min(text.len());
            text.drain(..skip);
        }
    }
    Ok(text)
}

fn rewrite_file(
    one: &LogFile,
    change: &mut impl FnMut(&LogEvent) -> Option<LogEvent>,
) -> Result<usize, LogError> {
    let trouble = |source| LogError::Io { path: one.path.clone(), source };
    let text = read_from(one, 0).map_err(trouble)?;
    let (written, changed) = line::rewrite(&text, change)?;
    if changed == 0 {
        return Ok(0);
    }
    let done = match one.form {
        LogEncoding::Compressed => {
            let text = String::from_utf8_lossy(&written);
            write_compressed(&one.path, &text)
        }
        LogEncoding::Plain => replace(&one.path, |mut file| {
            file.write_all(&written)?;
            Ok(file)
        }),
    };
    done.map_err(trouble)?;
    Ok(changed)
}

#[cfg(test)]
#[path = "log_tests.rs"]
mod tests;
