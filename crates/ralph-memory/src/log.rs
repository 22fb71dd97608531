//! The log: what happened to the memory, in plain files.
//!
//! A line is a checksum, a space and a JSON object. Lines are appended by
//! whoever has something to say, a hook that lives for two milliseconds too,
//! so writing costs one lock and one write, and who cannot wait for the lock
//! writes beside it. A line that was cut off, because its writer or its machine
//! died, is noticed by its checksum and passed over.
//!
//! Files are numbered. The last one is written to; when it is long, the next
//! begins. What is imported in bulk is a compressed file of its own. When lines have
//! to go, all of it is written anew as one compressed file, which takes the place of
//! all files with lower numbers as soon as it is there.

mod file;
mod line;
mod members;

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::event::LogEvent;
use file::{LogEncoding, LogFile, LogFolder};
pub use line::LineEdit;
use line::LogTail;
pub(crate) use line::line;

/// The file that is locked while somebody writes.
const WRITING: &str = "lock";

/// How the folders with copies of damaged files begin.
const ASIDE: &str = "damaged-";

/// How often a file is looked for that another one took the place of.
const TRIES: u32 = 100;

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

/// What one file of the log says behind a position.
#[derive(Debug, Clone, PartialEq)]
pub struct LogPart {
    /// Whether this is the beginning, as the log was written anew since.
    pub is_anew: bool,
    /// What it says.
    pub entries: Vec<LogEntry>,
    /// Where it ends.
    pub end: LogPosition,
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
        let Some(first) = events.first() else { return Ok(()) };
        match self.try_lock()? {
            Some(held) => self.append_held(&held, &text),
            None => {
                file::add_late(&self.folder, first.at, &text).map_err(|source| self.trouble(source))
            }
        }
    }

    /// Takes in what was handed in while others wrote, unless somebody writes
    /// now.
    pub(crate) fn take_in(&self) -> Result<(), LogError> {
        if self.look()?.is_unsettled() {
            self.try_lock()?;
        }
        Ok(())
    }

    fn append_held(&self, _held: &LogLock, text: &str) -> Result<(), LogError> {
        let end = self.look()?.end();
        let path = file::path(&self.folder, end.file, LogEncoding::Plain);
        append_text(&path, text).map_err(|source| LogError::Io { path, source })
    }

    /// Adds many events as a compressed file of their own, all or none of them.
    /// Says where the log ended before, and where it ends now.
    pub fn append_many(&self, events: &[LogEvent]) -> Result<(LogPosition, LogPosition), LogError> {
        let text = line::render(events)?;
        let held = self.lock()?;
        let (before, number) = (self.end(&held)?, self.look()?.next_number());
        let path = file::path(&self.folder, number, LogEncoding::Compressed);
        if text.is_empty() {
            return Ok((before, before));
        }
        self.write_file(&path, |file| members::write(text.as_bytes(), file))?;
        Ok((before, LogPosition { file: number + 1, offset: 0 }))
    }

    /// Where the log ends as long as nobody else writes.
    pub(crate) fn end(&self, _held: &LogLock) -> Result<LogPosition, LogError> {
        Ok(self.look()?.files.last().map_or_else(LogPosition::default, LogFile::end))
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
        while let Some(part) = self.read_file(at)? {
            part.entries.into_iter().for_each(&mut see);
            at = part.end;
        }
        Ok(at)
    }

    /// Reads the first file with something new behind a position; `None` when there is
    /// nothing new. Where the log was written anew since, it begins again.
    pub fn read_file(&self, from: LogPosition) -> Result<Option<LogPart>, LogError> {
        let mut tries = 0;
        loop {
            match self.read_file_once(from) {
                // Another file took its place meanwhile.
                Err(LogError::Io { source, .. })
                    if source.kind() == io::ErrorKind::NotFound && tries < TRIES =>
                {
                    tries += 1;
                }
                done => return done,
            }
        }
    }

    fn read_file_once(&self, from: LogPosition) -> Result<Option<LogPart>, LogError> {
        let folder = self.look()?;
        let is_anew = !folder.has(from);
        let from = if is_anew { LogPosition::default() } else { from };
        let last = folder.next_number() - 1;
        for one in folder.files.iter().filter(|one| one.number >= from.file) {
            let start = if one.number == from.file { from.offset } else { 0 };
            let text = read_from(one, start)?;
            let is_whole = one.number < last || one.form != LogEncoding::Plain;
            let tail = if is_whole { LogTail::Lost } else { LogTail::OnItsWay };
            let mut entries = Vec::new();
            let rest = line::parse(&text, tail, |offset, found| {
                let damaged =
                    || LogEntry::Damaged { path: one.path.clone(), offset: start + offset };
                entries.push(found.map_or_else(damaged, |it| LogEntry::Event(Box::new(it))));
            });
            let end = match one.form {
                LogEncoding::Plain => LogPosition { file: one.number, offset: start + rest },
                LogEncoding::Compressed | LogEncoding::Base => one.end(),
            };
            if end.file > one.number || rest > 0 {
                return Ok(Some(LogPart { is_anew, entries, end }));
            }
        }
        let nothing = LogPart { is_anew, entries: Vec::new(), end: LogPosition::default() };
        Ok(is_anew.then_some(nothing))
    }

    /// How many bytes the log takes on the disk.
    pub fn size(&self) -> Result<u64, LogError> {
        Ok(self.look()?.files.iter().map(|one| one.stored).sum())
    }

    /// Writes the log anew with every line as `edit` wants it, and without those that
    /// nobody can read. Says where it ends; `None` if nothing is to be changed.
    ///
    /// One file takes the place of all others at once. So an end at any moment leaves
    /// the log as it was or as it is to be, and whoever read the old files begins again.
    pub(crate) fn rewrite<E: From<LogError>>(
        &self,
        _held: &LogLock,
        mut edit: impl FnMut(&LogEvent) -> Result<LineEdit, E>,
    ) -> Result<Option<LogPosition>, E> {
        let folder = self.look()?;
        let (mut packed, mut is_changed) = (Vec::new(), false);
        for one in &folder.files {
            let (kept, is_other) = line::rewrite(&read_from(one, 0)?, &mut edit)?;
            is_changed |= is_other;
            members::write(&kept, &mut packed).map_err(|source| self.trouble(source))?;
        }
        if !is_changed {
            return Ok(None);
        }
        let number = folder.next_number();
        let path = file::path(&self.folder, number, LogEncoding::Base);
        self.write_file(&path, |file| file.write_all(&packed))?;
        self.settle()?;
        Ok(Some(LogPosition { file: number + 1, offset: 0 }))
    }

    /// Copies all files into a new folder, and whatever `more` adds to it. Says where it
    /// is.
    pub(crate) fn set_aside<E: From<LogError>>(
        &self,
        more: impl FnOnce(&Path) -> Result<(), E>,
    ) -> Result<PathBuf, E> {
        let mut folders = (1_u32..).map(|number| self.folder.join(format!("{ASIDE}{number}")));
        let folder = folders.find(|folder| !folder.exists()).unwrap_or_default();
        let trouble = |source| LogError::Io { path: folder.clone(), source };
        fs::create_dir(&folder).map_err(trouble)?;
        for one in self.look()?.files {
            let name = one.path.file_name().unwrap_or_default();
            fs::copy(&one.path, folder.join(name)).map_err(trouble)?;
        }
        more(&folder)?;
        Ok(folder)
    }

    /// Deletes the copies of damaged files: what is forgotten may be in them.
    pub(crate) fn drop_copies(&self) -> Result<(), LogError> {
        let drop = || -> io::Result<()> {
            for entry in fs::read_dir(&self.folder)? {
                let entry = entry?;
                let name = entry.file_name();
                let is_ours = name.to_str().is_some_and(|name| name.starts_with(ASIDE));
                if is_ours && entry.file_type()?.is_dir() {
                    fs::remove_dir_all(entry.path())?;
                }
            }
            Ok(())
        };
        drop().map_err(|source| self.trouble(source))
    }

    /// Whether there is a log that this process may not write to.
    pub fn is_read_only(&self) -> bool {
        let opened = ralph_files::append_own(self.folder.join(WRITING));
        opened.is_err_and(|error| is_refusal(error.kind()))
    }

    /// Says why nothing can be added to the log, if that is so.
    pub fn probe(&self) -> Result<(), LogError> {
        self.lock_file().map(drop).map_err(|source| self.trouble(source))
    }

    fn look(&self) -> Result<LogFolder, LogError> {
        LogFolder::read(&self.folder).map_err(|source| self.trouble(source))
    }

    /// Held while somebody writes; the lock goes with the process. What waited
    /// beside the log is in it then.
    pub(crate) fn lock(&self) -> Result<LogLock, LogError> {
        let file = self.lock_file().and_then(|file| file.lock().map(|()| file));
        let held = LogLock { _file: file.map_err(|source| self.trouble(source))? };
        self.settle().map(|()| held)
    }

    /// The same, unless somebody else writes.
    fn try_lock(&self) -> Result<Option<LogLock>, LogError> {
        let file = self.lock_file().map_err(|source| self.trouble(source))?;
        match file.try_lock() {
            Ok(()) => self.settle().map(|()| Some(LogLock { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(source)) => Err(self.trouble(source)),
        }
    }

    /// Puts the folder in order for whoever holds the log.
    fn settle(&self) -> Result<(), LogError> {
        let folder = self.look()?;
        if let Some(last) = folder.files.last().filter(|one| one.form == LogEncoding::Plain) {
            end_line(&last.path)
                .map_err(|source| LogError::Io { path: last.path.clone(), source })?;
        }
        folder.settle(&self.folder).map_err(|source| self.trouble(source))
    }

    fn lock_file(&self) -> io::Result<File> {
        fs::create_dir_all(&self.folder)?;
        ralph_files::append_own(self.folder.join(WRITING))
    }

    fn write_file(
        &self,
        path: &Path,
        write: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> Result<(), LogError> {
        let done = replace(&self.folder.join("new.tmp"), path, write);
        done.map_err(|source| LogError::Io { path: path.to_owned(), source })
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
    // Half of it must not stay: the caller is told that nothing was kept.
    file.write_all(text.as_bytes()).inspect_err(|_| drop(file.set_len(length)))
}

/// Ends a line in the middle of which somebody died: it stays one damaged line.
fn end_line(path: &Path) -> io::Result<()> {
    let mut file = ralph_files::append_own(path)?;
    let mut byte = [0];
    if file.seek(SeekFrom::End(0))? > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut byte)?;
        if byte != [b'\n'] {
            file.write_all(b"\n")?;
        }
    }
    Ok(())
}

/// Writes a file beside its place and puts it there when it is whole.
fn replace(
    beside: &Path,
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let mut file = ralph_files::create_own(beside)?;
    let done = write(&mut file).and_then(|()| file.sync_all());
    done.and_then(|()| fs::rename(beside, path)).inspect_err(|_| {
        // The first error is returned.
        let _ = fs::remove_file(beside);
    })
}

/// What a file says behind a place in it.
fn read_from(one: &LogFile, start: u64) -> Result<Vec<u8>, LogError> {
    let read = || {
        let mut file = ralph_files::open(&one.path)?;
        let mut text = Vec::new();
        if one.form == LogEncoding::Plain {
            file.seek(SeekFrom::Start(start))?;
        }
        file.read_to_end(&mut text)?;
        Ok(if one.form == LogEncoding::Plain { text } else { members::read(&text) })
    };
    read().map_err(|source| LogError::Io { path: one.path.clone(), source })
}

#[cfg(test)]
#[path = "log_tests.rs"]
mod tests;
