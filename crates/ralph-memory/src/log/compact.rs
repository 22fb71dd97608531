//! Letting go of lines of old files while others append to the last one.

use std::fs::{self, TryLockError};
use std::io::Write;

use super::file::{self, LogEncoding, LogFile};
use super::line;
use super::{EventLog, LogError, LogLock, LogPosition, read_from, replace, write_compressed};
use crate::event::LogEvent;

/// The file that is locked as long as somebody lets go of lines.
const COLLECTING: &str = "collecting.lock";

impl EventLog {
    /// Keeps others from letting go of lines; nobody else is kept from anything.
    pub(crate) fn collect(&self) -> Result<LogLock, LogError> {
        let lock = || {
            let file = self.lock_file(COLLECTING)?;
            file.lock()?;
            Ok(LogLock { _file: file })
        };
        lock().map_err(|source| self.trouble(source))
    }

    /// The same, unless somebody else is about it.
    pub(crate) fn try_collect(&self) -> Result<Option<LogLock>, LogError> {
        let lock = || {
            let file = self.lock_file(COLLECTING)?;
            match file.try_lock() {
                Ok(()) => Ok(Some(LogLock { _file: file })),
                Err(TryLockError::WouldBlock) => Ok(None),
                Err(TryLockError::Error(error)) => Err(error),
            }
        };
        lock().map_err(|source| self.trouble(source))
    }

    /// Calls `see` with each event and the bytes of its line.
    pub(crate) fn weigh(&self, mut see: impl FnMut(&LogEvent, u64)) -> Result<(), LogError> {
        for one in self.files()? {
            let text = read_from(&one, 0)
                .map_err(|source| LogError::Io { path: one.path.clone(), source })?;
            line::weigh(&text, &mut see);
        }
        Ok(())
    }

    /// Begins a new last file, so that all others are complete. Says where it
    /// begins.
    pub(crate) fn begin_file(&self) -> Result<LogPosition, LogError> {
        let _held = self.lock()?;
        let number = match self.last()? {
            Some(LogFile { number, form: LogEncoding::Plain, stored: 0, .. }) => number,
            Some(last) => last.number + 1,
            None => 1,
        };
        let path = file::path(&self.folder, number, LogEncoding::Plain);
        let made = ralph_files::append_own(&path);
        made.map_err(|source| LogError::Io { path, source })?;
        Ok(LogPosition { file: number, offset: 0 })
    }

    /// Rewrites files before a position without the events that `drops`
    /// names, the oldest file first; one of which nothing is left goes. Says how
    /// many bytes went.
    ///
    /// Others who write wait for one file at most.
    pub(crate) fn compact(
        &self,
        before: LogPosition,
        drops: impl Fn(&LogEvent) -> bool,
    ) -> Result<u64, LogError> {
        let mut bytes = 0;
        for one in self.files()?.into_iter().filter(|one| one.number < before.file) {
            let (kept, text) = sifted(&one, &drops)?;
            if kept.is_empty() || kept.len() < text.len() {
                bytes += self.compact_file(&one, &drops)?;
            }
        }
        Ok(bytes)
    }

    fn compact_file(
        &self,
        one: &LogFile,
        drops: &impl Fn(&LogEvent) -> bool,
    ) -> Result<u64, LogError> {
        let _held = self.lock()?;
        let size = self.size()?;
        // Again: somebody may have overwritten lines of it since.
        let (kept, _) = sifted(one, drops)?;
        let written = match one.form {
            LogEncoding::Plain | LogEncoding::Compressed if kept.is_empty() => {
                fs::remove_file(&one.path)
            }
            LogEncoding::Plain => replace(&one.path, |mut file| {
                file.write_all(&kept)?;
                Ok(file)
            }),
            LogEncoding::Compressed => write_compressed(&one.path, &String::from_utf8_lossy(&kept)),
        };
        written.map_err(|source| LogError::Io { path: one.path.clone(), source })?;
        Ok(size.saturating_sub(self.size()?))
    }

    /// Removes the last file if it begins at a position and nothing is in it.
    ///
    /// Before that `move_back` is told where what is appended next will begin,
    /// as whoever read as far as that file would pass it over.
    pub(crate) fn drop_empty<E: From<LogError>>(
        &self,
        begun: LogPosition,
        move_back: impl FnOnce(LogPosition) -> Result<(), E>,
    ) -> Result<(), E> {
        let _held = self.lock()?;
        let mut files = self.files()?;
        let Some(last) = files.pop() else { return Ok(()) };
        if last.number != begun.file || last.stored > 0 {
            return Ok(());
        }
        move_back(files.last().map_or_else(LogPosition::default, LogFile::end))?;
        let removed = fs::remove_file(&last.path);
        removed.map_err(|source| LogError::Io { path: last.path, source }.into())
    }

    pub(super) fn files(&self) -> Result<Vec<LogFile>, LogError> {
        file::list(&self.folder).map_err(|source| self.trouble(source))
    }
}

/// What is left of a file, and what is in it.
fn sifted(
    one: &LogFile,
    drops: &impl Fn(&LogEvent) -> bool,
) -> Result<(Vec<u8>, Vec<u8>), LogError> {
    let trouble = |source| LogError::Io { path: one.path.clone(), source };
    let text = read_from(one, 0).map_err(trouble)?;
    Ok((line::without(&text, drops), text))
}
