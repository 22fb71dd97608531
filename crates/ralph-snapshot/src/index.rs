//! The private index: a file of our own in which git remembers the files of
//! a work tree, so that only changed ones are read again.
//!
//! One process at a time works on it, held apart by a file lock that dies
//! with its owner. Whoever comes second works on a copy and throws it away.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::error::TreeError;
use crate::probe;
use crate::state_home::short_digest;

/// How old git's lock on the index, or a copy of it, must be before we take
/// it for the leftover of a killed process.
const ABANDONED: Duration = Duration::from_mins(10);

#[derive(Debug)]
pub(crate) struct PrivateIndex {
    /// Our state folder.
    folder: PathBuf,
    /// Differs for each work tree, since those of one repository may share
    /// the state folder.
    name: String,
    /// The user's index, only ever read.
    users: PathBuf,
}

/// What a private index starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seed {
    UsersIndex,
    Nothing,
}

impl PrivateIndex {
    pub(crate) fn new(folder: &Path, root: &Path, users: PathBuf) -> Self {
        Self { folder: folder.to_owned(), name: format!("index-{}", short_digest(root)), users }
    }

    /// The same index in another folder, with a copy of what is in it now.
    ///
    /// Nothing is copied of what was noted about it: that may be of another
    /// moment.
    pub(crate) fn copied_to(&self, folder: &Path) -> Result<Self, TreeError> {
        let (name, users) = (self.name.clone(), self.users.clone());
        let copy = Self { folder: folder.to_owned(), name, users };
        copy_with_time(&self.path(), &copy.path())?;
        Ok(copy)
    }

    pub(crate) fn users(&self) -> &Path {
        &self.users
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.join(&self.name)
    }

    pub(crate) fn beside(&self, ending: &str) -> PathBuf {
        self.folder.join(format!("{}.{ending}", self.name))
    }

    /// An index to work on: the private one, or a copy while that is busy.
    ///
    /// `note` is what [`Claim::note`] shall say of an index that was seeded
    /// just now.
    pub(crate) fn claim(&self, note: &str) -> Result<Claim<'_>, TreeError> {
        // Whoever deletes our state while we work must not end the work.
        crate::work_tree::create_private(&self.folder)?;
        match Guard::take(&self.beside("guard"))? {
            Some(guard) if !self.is_locked_by_git()? => self.claim_original(guard, note),
            Some(_) | None => self.claim_copy(note),
        }
    }

    fn claim_original(&self, guard: Guard, note: &str) -> Result<Claim<'_>, TreeError> {
        let mut claim = Claim { index: self, path: self.path(), note: None, guard: Some(guard) };
        if ralph_files::is_odd(&claim.path) {
            fs::remove_file(&claim.path).map_err(TreeError::io("remove", &claim.path))?;
        }
        if !claim.path.exists() {
            claim.reseed(Seed::UsersIndex, note)?;
            return Ok(claim);
        }
        let path = self.beside("note");
        claim.note = ralph_files::read_own_text(&path).ok();
        // Taken away until the work is done, so that a process killed in
        // between leaves no note that is not true.
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(TreeError::io("remove", &path)(error))
            }
            Err(_) | Ok(()) => Ok(claim),
        }
    }

    fn claim_copy(&self, note: &str) -> Result<Claim<'_>, TreeError> {
        self.remove_abandoned_copies();
        let path = probe::unique_path(&self.folder, &format!("{}.copy", self.name));
        let mut claim = Claim { index: self, path, note: None, guard: None };
        if !copy_with_time(&self.path(), &claim.path)? {
            claim.reseed(Seed::UsersIndex, note)?;
        }
        Ok(claim)
    }

    /// Whether a git process holds the index, perhaps one that outlived the
    /// process of ours that started it. An abandoned lock is removed.
    fn is_locked_by_git(&self) -> Result<bool, TreeError> {
        let lock = self.beside("lock");
        let Ok(metadata) = fs::metadata(&lock) else { return Ok(false) };
        if !self.is_abandoned(metadata.modified()) {
            return Ok(true);
        }
        fs::remove_file(&lock).map_err(TreeError::io("remove", &lock))?;
        Ok(false)
    }

    fn remove_abandoned_copies(&self) {
        let copies = format!("{}.copy", self.name);
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let is_copy = entry.file_name().to_string_lossy().starts_with(&copies);
            if is_copy && self.is_abandoned(entry.metadata().and_then(|found| found.modified())) {
                // It only costs space; the next claim tries again.
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    fn is_abandoned(&self, modified: io::Result<SystemTime>) -> bool {
        let (Ok(modified), Ok(now)) = (modified, probe::now_in(&self.folder)) else {
            return false;
        };
        now.duration_since(modified).is_ok_and(|age| age >= ABANDONED)
    }
}

/// An index that nobody else works on until this is dropped.
#[derive(Debug)]
pub(crate) struct Claim<'a> {
    index: &'a PrivateIndex,
    /// The index file; it may not exist.
    pub(crate) path: PathBuf,
    /// What was left by the last claim that ended well. A copy has none.
    pub(crate) note: Option<String>,
    /// `None` for a copy.
    guard: Option<Guard>,
}

impl Claim<'_> {
    /// Throws the contents away and starts from other ones. `note` is what is
    /// known of a copy of the user's index.
    pub(crate) fn reseed(&mut self, seed: Seed, note: &str) -> Result<(), TreeError> {
        let seeded = match seed {
            Seed::UsersIndex => copy_with_time(&self.index.users, &self.path)?,
            Seed::Nothing => false,
        };
        self.note = match seed {
            Seed::UsersIndex => Some(note.to_owned()),
            Seed::Nothing => None,
        };
        if !seeded && self.path.exists() {
            fs::remove_file(&self.path).map_err(TreeError::io("remove", &self.path))?;
        }
        Ok(())
    }

    /// Leaves a note for the next claim.
    pub(crate) fn leave_note(&self, note: &str) -> Result<(), TreeError> {
        if self.guard.is_none() {
            return Ok(());
        }
        let path = self.index.beside("note");
        probe::write_atomically(&path, note.as_bytes()).map_err(TreeError::io("write", &path))
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        if self.guard.is_none() {
            // A copy that stays is removed by a later claim.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// The right to work on the private index; the system takes it back should
/// we be killed.
#[derive(Debug)]
struct Guard(File);

impl Guard {
    /// `None` while another has it, or where files cannot be locked.
    fn take(path: &Path) -> Result<Option<Self>, TreeError> {
        let file = ralph_files::append_own(path);
        let file = file.map_err(TreeError::io("open", path))?;
        Ok(file.try_lock().is_ok().then_some(Self(file)))
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // Closing the file is not enough: a child process that is just being
        // started holds a copy of it for a moment. The lock ends with that
        // one at the latest.
        let _ = self.0.unlock();
    }
}

/// Copies an index with its time; `false` when there is none to copy.
///
/// Git reads again every file that is not older than the index. A copy with
/// a later time would make it trust entries that it should not.
fn copy_with_time(from: &Path, to: &Path) -> Result<bool, TreeError> {
    let mut source = match ralph_files::open(from) {
        Ok(source) => source,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(TreeError::io("read", from)(error)),
    };
    let folder = to.parent().unwrap_or(Path::new("."));
    let temporary = probe::unique_path(folder, "tmp_obj_index");
    let copied = (|| {
        let mut target = File::create_new(&temporary)?;
        io::copy(&mut source, &mut target)?;
        target.set_modified(source.metadata()?.modified()?)?;
        drop(target);
        fs::rename(&temporary, to)
    })();
    if copied.is_err() {
        // The first error is the one to tell; the leftover is harmless.
        let _ = fs::remove_file(&temporary);
    }
    copied.map(|()| true).map_err(TreeError::io("write", to))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Place {
        folder: tempfile::TempDir,
        index: PrivateIndex,
    }

    fn place() -> Place {
        let folder = tempfile::tempdir().unwrap();
        let users = folder.path().join("users");
        fs::write(&users, "user").unwrap();
        let index = PrivateIndex::new(folder.path(), Path::new("/root"), users);
        Place { folder, index }
    }

    fn read(claim: &Claim<'_>) -> String {
        fs::read_to_string(&claim.path).unwrap()
    }

    fn make_old(path: &Path) {
        let old = fs::metadata(path).unwrap().modified().unwrap() - ABANDONED;
        File::options().append(true).open(path).unwrap().set_modified(old).unwrap();
    }

    #[test]
    fn a_new_index_is_seeded_from_the_users_with_its_time() {
        let place = place();
        make_old(place.index.users());
        let claim = place.index.claim("fresh").unwrap();
        assert_eq!(read(&claim), "user");
        assert_eq!(claim.note.as_deref(), Some("fresh"));
        let time = |path: &Path| fs::metadata(path).unwrap().modified().unwrap();
        assert_eq!(time(&claim.path), time(place.index.users()));
    }

    #[test]
    fn the_second_claim_works_on_a_copy_that_disappears() {
        let place = place();
        let first = place.index.claim("").unwrap();
        fs::write(&first.path, "mine").unwrap();
        let second = place.index.claim("").unwrap();
        assert_ne!(first.path, second.path);
        assert_eq!(read(&second), "mine");
        let copy = second.path.clone();
        drop(second);
        assert!(!copy.exists());
        assert!(first.path.exists());
    }

    #[test]
    fn a_young_lock_of_git_is_respected_and_an_old_one_removed() {
        let place = place();
        let original = place.index.claim("").unwrap().path.clone();
        let lock = place.index.beside("lock");
        fs::write(&lock, "").unwrap();
        assert_ne!(place.index.claim("").unwrap().path, original);
        make_old(&lock);
        assert_eq!(place.index.claim("").unwrap().path, original);
        assert!(!lock.exists());
    }

    #[test]
    fn a_copy_left_by_a_killed_process_is_removed() {
        let place = place();
        let left = place.folder.path().join(format!("{}.copy-1-0", place.index.name));
        fs::write(&left, "").unwrap();
        make_old(&left);
        let _busy = place.index.claim("").unwrap();
        place.index.claim("").unwrap();
        assert!(!left.exists());
    }

    #[test]
    fn a_note_is_read_once_and_only_from_the_original() {
        let place = place();
        place.index.claim("").unwrap().leave_note("done").unwrap();
        let first = place.index.claim("").unwrap();
        assert_eq!(first.note.as_deref(), Some("done"));
        let copy = place.index.claim("").unwrap();
        copy.leave_note("not from a copy").unwrap();
        assert_eq!(copy.note, None);
        drop((first, copy));
        assert_eq!(place.index.claim("").unwrap().note, None);
    }
}
