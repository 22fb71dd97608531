//! Letting go of lines of old files while nobody can append.

use std::fs::File;
use std::io::Write;

use super::file::{self, Form, LogFile};
use super::line;
use super::{Log, LogError, Position, private, read_from, replace, write_compressed};
use crate::event::Event;

/// The log, held: nobody appends to it as long as this lives.
pub(crate) struct Held<'l> {
    log: &'l Log,
    _lock: File,
}

impl Log {
    /// Keeps others from appending.
    pub(crate) fn hold(&self) -> Result<Held<'_>, LogError> {
        Ok(Held { log: self, _lock: self.lock()? })
    }
}

impl Held<'_> {
    /// Whether any event is to go, and how many bytes that would be at most.
    pub(crate) fn surplus(&self, drops: impl Fn(&Event, u64) -> bool) -> Result<u64, LogError> {
        let mut left = self.log.size()?;
        let mut bytes = 0;
        for one in self.files()? {
            let (kept, text) = Self::sifted(&one, left, &drops)?;
            let gone = text.len().saturating_sub(kept.len()) as u64;
            left = left.saturating_sub(gone);
            bytes += gone;
        }
        Ok(bytes)
    }

    /// Begins a new last file, so that all others are complete. Says where it
    /// begins.
    pub(crate) fn begin_file(&self) -> Result<Position, LogError> {
        let last = self.log.last()?;
        let number = match &last {
            Some(LogFile { number, form: Form::Plain, stored: 0, .. }) => *number,
            Some(last) => last.number + 1,
            None => 1,
        };
        let path = file::path(&self.log.folder, number, Form::Plain);
        let made = private().create(true).append(true).open(&path);
        made.map_err(|source| LogError::Io { path, source })?;
        Ok(Position { file: number, offset: 0 })
    }

    /// Rewrites files before a position without the events that `drops`
    /// names, the oldest file first; it is told how long the log is by then.
    /// Says how many bytes went.
    pub(crate) fn compact(
        &self,
        before: Position,
        drops: impl Fn(&Event, u64) -> bool,
    ) -> Result<u64, LogError> {
        let start = self.log.size()?;
        let mut left = start;
        for one in self.files()?.into_iter().filter(|one| one.number < before.file) {
            let (kept, text) = Self::sifted(&one, left, &drops)?;
            if kept.len() < text.len() {
                let trouble = |source| LogError::Io { path: one.path.clone(), source };
                match one.form {
                    Form::Plain => replace(&one.path, |mut file| {
                        file.write_all(&kept)?;
                        Ok(file)
                    }),
                    Form::Compressed => {
                        write_compressed(&one.path, &String::from_utf8_lossy(&kept))
                    }
                }
                .map_err(trouble)?;
                left = self.log.size()?;
            }
        }
        Ok(start.saturating_sub(left))
    }

    fn files(&self) -> Result<Vec<LogFile>, LogError> {
        file::list(&self.log.folder).map_err(|source| self.log.trouble(source))
    }

    /// What is left of a file, and what is in it.
    fn sifted(
        one: &LogFile,
        size: u64,
        drops: &impl Fn(&Event, u64) -> bool,
    ) -> Result<(Vec<u8>, Vec<u8>), LogError> {
        let trouble = |source| LogError::Io { path: one.path.clone(), source };
        let text = read_from(one, 0).map_err(trouble)?;
        Ok((line::without(&text, |event| drops(event, size)), text))
    }
}
