//! A standard input that stays open: what is written arrives while the
//! program runs.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// A named pipe for [`Launch::stdin`](crate::Launch::stdin).
///
/// The supervisor opens it by its name, so it needs no file of ours to be
/// passed on. The feed keeps the pipe in being until the program has it open,
/// which its first output proves; dropped then, it takes the name away, and
/// writing fails once the program is gone. Dropped earlier, the program may
/// find an empty input.
#[derive(Debug)]
pub struct Feed {
    path: PathBuf,
    /// Open for both sides: neither opening nor a short first write waits.
    _both: File,
}

impl Feed {
    /// Makes the pipe at `path`, where nothing may be yet.
    pub fn new(path: PathBuf) -> io::Result<Self> {
        make_pipe(&path)?;
        let opened = OpenOptions::new().read(true).write(true).open(&path);
        match opened {
            Ok(both) => Ok(Self { path, _both: both }),
            Err(error) => {
                let _ = fs::remove_file(&path);
                Err(error)
            }
        }
    }

    /// Where the program finds it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The end to write to. The program's input ends when all of them and the
    /// feed are dropped.
    pub fn writer(&self) -> io::Result<File> {
        // Of its own, not a copy: it must not count as a reader.
        OpenOptions::new().write(true).open(&self.path)
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
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
