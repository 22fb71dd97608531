//! A standard input that stays open, so that more can be written while the
//! program runs.

use ralph_files::LogFailure as _;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// A named pipe for [`ProgramLaunch::stdin`](crate::ProgramLaunch::stdin).
///
/// The supervisor opens it by its name, so no open file has to be passed on.
/// Keep the feed until the program has the pipe open, which its first output
/// proves; if it is dropped earlier, the program may find an empty input.
/// Dropping it removes the name, and writing fails once the program is gone.
#[derive(Debug)]
pub struct StdinPipe {
    path: PathBuf,
    /// Open for both sides, so that neither opening nor a short first write
    /// blocks.
    _both: File,
}

impl StdinPipe {
    /// Makes the pipe at `path`, which must not exist yet.
    pub fn new(path: PathBuf) -> io::Result<Self> {
        make_pipe(&path)?;
        let opened = OpenOptions::new().read(true).write(true).open(&path);
        match opened {
            Ok(both) => Ok(Self { path, _both: both }),
            Err(error) => {
                fs::remove_file(&path).or_log("removing a pipe");
                Err(error)
            }
        }
    }

    /// Returns the path for the program.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the end to write to. The program's input ends once all of them
    /// and the feed are dropped.
    pub fn writer(&self) -> io::Result<File> {
        // Opened again, not cloned: it must not count as a reader.
        OpenOptions::new().write(true).open(&self.path)
    }
}

impl Drop for StdinPipe {
    fn drop(&mut self) {
        ralph_files::remove_if_there(&self.path);
    }
}

#[cfg(all(unix, not(target_vendor = "apple")))]
fn make_pipe(path: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, FileType, Mode, mknodat};

    Ok(mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?)
}

#[cfg(target_vendor = "apple")]
fn make_pipe(path: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, Mode, mkfifoat};

    Ok(mkfifoat(CWD, path, Mode::RUSR | Mode::WUSR)?)
}

#[cfg(not(unix))]
fn make_pipe(_path: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
