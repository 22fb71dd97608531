//! Damaged files of the log: a copy is kept aside, and lines that nobody can
//! read go.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::file::{LogEncoding, LogFile};
use super::line::{self, LogTail};
use super::{EventLog, LogError, read_from, replace, write_compressed};

/// How the folders of copies begin.
const ASIDE: &str = "damaged-";

impl EventLog {
    /// Copies the files with lines that nobody can read into a new folder, and
    /// whatever `more` adds to it. Says where it is.
    pub(crate) fn set_aside<E: From<LogError>>(
        &self,
        more: impl FnOnce(&Path) -> Result<(), E>,
    ) -> Result<PathBuf, E> {
        let taken = self.copies()?.len();
        let names = (taken + 1..).map(|number| self.folder.join(format!("{ASIDE}{number}")));
        let mut free = names.skip_while(|folder| folder.exists());
        let folder = free.next().unwrap_or_else(|| self.folder.join(ASIDE));
        let trouble = |source| LogError::Io { path: folder.clone(), source };
        fs::create_dir(&folder).map_err(trouble)?;
        for one in self.damaged_files()? {
            let name = one.path.file_name().unwrap_or_default();
            fs::copy(&one.path, folder.join(name)).map_err(trouble)?;
        }
        more(&folder)?;
        Ok(folder)
    }

    /// Takes lines out of the log that nobody can read.
    pub(crate) fn drop_unreadable(&self) -> Result<(), LogError> {
        let _held = self.lock()?;
        for one in self.damaged_files()? {
            let trouble = |source| LogError::Io { path: one.path.clone(), source };
            let text = read_from(&one, 0).map_err(trouble)?;
            let kept = line::readable(&text, self.tail_of(&one)?);
            let written = match one.form {
                LogEncoding::Compressed | LogEncoding::Plain if kept.is_empty() => {
                    fs::remove_file(&one.path)
                }
                LogEncoding::Compressed => {
                    write_compressed(&one.path, &String::from_utf8_lossy(&kept))
                }
                LogEncoding::Plain => replace(&one.path, |mut file| {
                    file.write_all(&kept)?;
                    Ok(file)
                }),
            };
            written.map_err(trouble)?;
        }
        Ok(())
    }

    /// Deletes the copies of damaged files: what is forgotten may be in them.
    pub(crate) fn drop_copies(&self) -> Result<(), LogError> {
        for folder in self.copies()? {
            fs::remove_dir_all(&folder).map_err(|source| LogError::Io { path: folder, source })?;
        }
        Ok(())
    }

    fn copies(&self) -> Result<Vec<PathBuf>, LogError> {
        let list = || -> io::Result<Vec<PathBuf>> {
            let mut found = Vec::new();
            for entry in fs::read_dir(&self.folder)? {
                let entry = entry?;
                let is_ours =
                    entry.file_name().to_str().is_some_and(|name| name.starts_with(ASIDE));
                if is_ours && entry.file_type()?.is_dir() {
                    found.push(entry.path());
                }
            }
            Ok(found)
        };
        list().map_err(|source| self.trouble(source))
    }

    fn damaged_files(&self) -> Result<Vec<LogFile>, LogError> {
        let mut damaged = Vec::new();
        for one in self.files()? {
            let text = read_from(&one, 0)
                .map_err(|source| LogError::Io { path: one.path.clone(), source })?;
            let tail = self.tail_of(&one)?;
            let mut is_damaged = false;
            line::parse(&text, tail, |_, event| is_damaged |= event.is_none());
            if is_damaged {
                damaged.push(one);
            }
        }
        Ok(damaged)
    }

    /// What stands behind the last line end of a file.
    fn tail_of(&self, one: &LogFile) -> Result<LogTail, LogError> {
        let is_last = self.last()?.is_none_or(|last| last.number <= one.number);
        Ok(if is_last && one.form == LogEncoding::Plain {
            LogTail::OnItsWay
        } else {
            LogTail::Lost
        })
    }
}
