//! Protects the files that a run is judged by.
//!
//! The driver holds the state of the run's start in memory. Files of the run's
//! folder that judge it are read before a turn and restored after it, so that
//! an agent's changes there are reported and have no effect.

use std::fs;
use std::io;
use std::path::Path;

use crate::allowed;
use crate::driver::turn;
use crate::programs;
use crate::surroundings;

/// Files that a turn must not change: results and files of the start, programs,
/// the last commit, files that gates created, and files that they load from
/// elsewhere.
const FILES: [&str; 5] =
    ["tests-at-start.json", "head-at-start", programs::FILE, "left-out", surroundings::FILE];

/// The reason why the evidence of a run is not sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnsealedReason {
    /// It was resumed by another process.
    Resumed,
    /// Its turns run in a session of a host, with a process for each event.
    Session,
    /// Other processes can read the memory of the driver.
    Open,
}

impl UnsealedReason {
    /// Returns the name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Resumed => "resumed",
            Self::Session => "session",
            Self::Open => "open_memory",
        }
    }
}

/// The files that judge a run, as they were before a turn.
pub(crate) struct SealedFiles {
    files: Vec<(&'static str, Option<Vec<u8>>)>,
    allowed: Vec<String>,
}

/// The changes found after a turn.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct BrokenSeals {
    /// Files that were changed; they are restored.
    pub(crate) files: Vec<&'static str>,
    /// Paths that were allowed meanwhile; they are no longer allowed.
    pub(crate) allowed: Vec<String>,
}

impl SealedFiles {
    pub(crate) fn of(folder: &Path) -> Self {
        let files = FILES.map(|name| (name, ralph_files::read_own(folder.join(name)).ok()));
        Self { files: files.into(), allowed: allowed::load(folder) }
    }

    /// Restores changed files and returns them.
    pub(crate) fn restore_changed(self, folder: &Path) -> io::Result<BrokenSeals> {
        let mut broken = BrokenSeals::default();
        for (name, contents) in self.files {
            let path = folder.join(name);
            if ralph_files::read_own(&path).ok() == contents {
                continue;
            }
            broken.files.push(name);
            match contents {
                Some(contents) => {
                    turn::make_private_folder(folder)?;
                    // A file that is not writable, or is linked elsewhere, is
                    // removed.
                    let _ = fs::remove_file(&path);
                    ralph_files::write_own(&path, contents)?;
                }
                None => fs::remove_file(&path)?,
            }
        }
        let mut present = allowed::load(folder);
        if present != self.allowed {
            allowed::replace(folder, &self.allowed)?;
            present.retain(|path| !self.allowed.contains(path));
            broken.allowed = present;
        }
        Ok(broken)
    }
}

/// Makes the state folders of a run, and their content, accessible to their
/// owner if they were closed. Returns true if they were.
#[cfg(unix)]
pub(crate) fn reopen(home: &Path, folder: &Path) -> bool {
    let (trees, runs) = (home.join("trees"), home.join("runs"));
    // The outer ones first, since they lead to the others.
    let folders = home.parent().into_iter().chain([home, &trees, &runs, folder]);
    let is_closed = folders.fold(false, |found, folder| found | open_one(folder));
    if is_closed {
        open_below(home);
    }
    is_closed
}

#[cfg(unix)]
fn open_below(folder: &Path) {
    for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        open_one(&path);
        if fs::symlink_metadata(&path).is_ok_and(|found| found.is_dir()) {
            open_below(&path);
        }
    }
}

/// Gives the owner the rights that are needed to use a folder or a file. Files
/// with several names may be git's objects, and are not changed.
#[cfg(unix)]
fn open_one(path: &Path) -> bool {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let Ok(found) = fs::symlink_metadata(path) else { return false };
    let needed = match (found.is_dir(), found.is_file()) {
        (true, _) => 0o700,
        (_, true) if found.nlink() == 1 => 0o600,
        _ => return false,
    };
    let mode = found.mode() & 0o7777;
    let opened = fs::Permissions::from_mode(mode | needed);
    mode & needed != needed && fs::set_permissions(path, opened).is_ok()
}

/// Does nothing: on other systems access rights are not checked.
#[cfg(not(unix))]
pub(crate) fn reopen(_home: &Path, _folder: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn folders_that_were_closed_are_opened_again_and_open_ones_are_left() {
        use std::os::unix::fs::PermissionsExt;
        let top = tempfile::tempdir().unwrap();
        let home = top.path().join("ralph");
        let (folder, log) = (home.join("runs/run-1"), home.join("runs/run-1/log"));
        fs::create_dir_all(&folder).unwrap();
        fs::write(&log, "").unwrap();
        let set = |path: &Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        };
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert!(!reopen(&home, &folder));
        for path in [&log, &folder, &home, &top.path().to_owned()] {
            set(path, 0o040);
        }
        assert!(reopen(&home, &folder));
        assert_eq!([mode(&home), mode(&folder), mode(&log)], [0o740, 0o740, 0o640]);
        assert!(!reopen(&home, &folder));
    }

    #[test]
    fn files_that_a_turn_changed_are_put_right_and_what_was_allowed_is_taken_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path(FILES[0]), "start").unwrap();
        fs::write(path(FILES[1]), "head").unwrap();
        allowed::add(folder.path(), &["before".to_owned()]).unwrap();
        let calm = SealedFiles::of(folder.path()).restore_changed(folder.path()).unwrap();
        assert_eq!(calm, BrokenSeals::default());
        let sealed = SealedFiles::of(folder.path());
        fs::remove_file(path(FILES[0])).unwrap();
        fs::write(path(FILES[1]), "another").unwrap();
        fs::write(path(FILES[3]), "planted").unwrap();
        fs::write(path("allowed"), "tests\n").unwrap();
        let broken = sealed.restore_changed(folder.path()).unwrap();
        assert_eq!(broken.files, [FILES[0], FILES[1], FILES[3]]);
        assert_eq!(broken.allowed, ["tests"]);
        assert_eq!(fs::read(path(FILES[0])).unwrap(), b"start");
        assert_eq!(fs::read(path(FILES[1])).unwrap(), b"head");
        assert!(!path(FILES[3]).exists());
        assert_eq!(allowed::load(folder.path()), ["before"]);
    }
}
