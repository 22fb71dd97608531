//! Whether anybody could have changed what a run is judged by.
//!
//! The driver holds in memory what its run began with. Files of the run's
//! folder that judge it are read before a turn and put right after it, so
//! that what an agent writes there counts nothing and is told.

use std::fs;
use std::io;
use std::path::Path;

use crate::allowed;
use crate::driver::turn;
use crate::programs;
use crate::surroundings;

/// What a turn must not touch: results and files of the start, programs, the
/// last commit, what gates left behind, and what they load from elsewhere.
const FILES: [&str; 5] =
    ["tests-at-start.json", "head-at-start", programs::FILE, "left-out", surroundings::FILE];

/// Why the evidence of a run is not sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsealed {
    /// It goes on in another process than it began in.
    Resumed,
    /// Its turns are taken in a session of a host, by a process for each.
    Session,
    /// Others can look into the memory of the driver here.
    Open,
}

impl Unsealed {
    /// The name in JSON.
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

/// What was found after a turn.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct BrokenSeals {
    /// Files that were changed; they are as before.
    pub(crate) files: Vec<&'static str>,
    /// What was allowed meanwhile; it is allowed no more.
    pub(crate) allowed: Vec<String>,
}

impl SealedFiles {
    pub(crate) fn of(folder: &Path) -> Self {
        let files = FILES.map(|name| (name, ralph_files::read_own(folder.join(name)).ok()));
        Self { files: files.into(), allowed: allowed::load(folder) }
    }

    /// Puts right what differs, and tells it.
    pub(crate) fn put_right(self, folder: &Path) -> io::Result<BrokenSeals> {
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
                    // One that may not be written, or is another's too, goes.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_a_turn_changed_are_put_right_and_what_was_allowed_is_taken_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path(FILES[0]), "start").unwrap();
        fs::write(path(FILES[1]), "head").unwrap();
        allowed::add(folder.path(), &["before".to_owned()]).unwrap();
        let calm = SealedFiles::of(folder.path()).put_right(folder.path()).unwrap();
        assert_eq!(calm, BrokenSeals::default());
        let sealed = SealedFiles::of(folder.path());
        fs::remove_file(path(FILES[0])).unwrap();
        fs::write(path(FILES[1]), "another").unwrap();
        fs::write(path(FILES[3]), "planted").unwrap();
        fs::write(path("allowed"), "tests\n").unwrap();
        let broken = sealed.put_right(folder.path()).unwrap();
        assert_eq!(broken.files, [FILES[0], FILES[1], FILES[3]]);
        assert_eq!(broken.allowed, ["tests"]);
        assert_eq!(fs::read(path(FILES[0])).unwrap(), b"start");
        assert_eq!(fs::read(path(FILES[1])).unwrap(), b"head");
        assert!(!path(FILES[3]).exists());
        assert_eq!(allowed::load(folder.path()), ["before"]);
    }
}
