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
use crate::plain_file;
use crate::programs;

/// What a turn must not touch: results and files of the start, programs, the
/// last commit, and what gates left behind.
const FILES: [&str; 4] = ["tests-at-start.json", "head-at-start", programs::FILE, "left-out"];

/// Why the evidence of a run is not sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsealed {
    /// It goes on in another process than it began in.
    Resumed,
    /// Its turns are taken in a session of a host, by a process for each.
    Session,
    /// Something was allowed while the agent was at work, and nobody saw by
    /// whom.
    AllowedInTurn,
    /// Others can look into the memory of the driver here.
    Open,
}

impl Unsealed {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Resumed => "resumed",
            Self::Session => "session",
            Self::AllowedInTurn => "allowed_in_turn",
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
    /// What was allowed meanwhile; it stays allowed.
    pub(crate) allowed: Vec<String>,
}

impl SealedFiles {
    pub(crate) fn of(folder: &Path) -> Self {
        let files = FILES.map(|name| (name, plain_file::read(&folder.join(name)).ok()));
        Self { files: files.into(), allowed: allowed::load(folder) }
    }

    /// Puts right what differs, and tells it.
    pub(crate) fn put_right(self, folder: &Path) -> io::Result<BrokenSeals> {
        let mut broken = BrokenSeals::default();
        for (name, contents) in self.files {
            let path = folder.join(name);
            if plain_file::read(&path).ok() == contents {
                continue;
            }
            broken.files.push(name);
            match contents {
                Some(contents) => {
                    turn::make_private_folder(folder)?;
                    // A link in its place is not followed.
                    let _ = fs::remove_file(&path);
                    io::Write::write_all(&mut turn::private_file(&path)?, &contents)?;
                }
                None => fs::remove_file(&path)?,
            }
        }
        allowed::add(folder, &self.allowed)?;
        let is_new = |path: &String| !self.allowed.contains(path);
        broken.allowed = allowed::load(folder).into_iter().filter(is_new).collect();
        Ok(broken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_a_turn_changed_are_put_right_and_what_was_allowed_is_told() {
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
        assert_eq!(allowed::load(folder.path()), ["tests", "before"]);
    }
}
