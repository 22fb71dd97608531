//! The private index: a file of ours in which git remembers the files of a work
//! tree, so that it reads only changed ones again.
//!
//! One process at a time works on it, under a file lock that ends with its
//! owner. Another process works on a copy and deletes it.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::error::TreeError;
use crate::probe;
use crate::state_home::short_digest;

/// Age at which git's lock on the index, or a copy of it, counts as a leftover
/// of a killed process.
const ABANDONED: Duration = Duration::from_mins(10);

#[derive(Debug)]
pub(crate) struct PrivateIndex {
    /// Our state folder.
    folder: PathBuf,
    /// Differs for each work tree, since work trees of one repository may share
    /// the state folder.
    name: String,
    /// The user's index, only ever read.
    users: PathBuf,
}

/// The initial contents of a private index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IndexSeed {
    UsersIndex,
    Nothing,
}

impl PrivateIndex {
    pub(crate) fn new(folder: &Path, root: &Path, users: PathBuf) -> Self {
        Self { folder: folder.to_owned(), name: format!("index-{}", short_digest(root)), users }
    }

    /// Returns the same index in another folder, with a copy of its contents.
    ///
    /// The note is not copied: it may describe older contents.
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

    /// Returns an index to work on: the private one, or a copy while that is
    /// busy.
    ///
    /// `note` becomes [`IndexClaim::note`] of an index that is seeded now.
    pub(crate) fn claim(&self, note: &str) -> Result<IndexClaim<'_>, TreeError> {
        // The work goes on even if the state folder is deleted meanwhile.
        crate::work_tree::create_private(&self.folder)?;
        match IndexLock::take(&self.beside("guard"))? {
            Some(guard) if !self.is_locked_by_git()? => self.claim_original(guard, note),
            Some(_) | None => self.claim_copy(note),
        }
    }

    fn claim_original(&self, guard: IndexLock, note: &str) -> Result<IndexClaim<'_>, TreeError> {
        let mut claim =
            IndexClaim { index: self, path: self.path(), note: None, guard: Some(guard) };
        if ralph_files::is_odd(&claim.path) {
            fs::remove_file(&claim.path).map_err(TreeError::io("remove", &claim.path))?;
        }
        if !claim.path.exists() {
            claim.reseed(IndexSeed::UsersIndex, note)?;
            return Ok(claim);
        }
        let path = self.beside("note");
        claim.note = ralph_files::read_own_text(&path).ok();
        // Removed until the work is done, so that a killed process leaves no
        // stale note.
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(TreeError::io("remove", &path)(error))
            }
            Err(_) | Ok(()) => Ok(claim),
        }
    }

    fn claim_copy(&self, note: &str) -> Result<IndexClaim<'_>, TreeError> {
        self.remove_abandoned_copies();
        let path = probe::unique_path(&self.folder, &format!("{}.copy", self.name));
        let mut claim = IndexClaim { index: self, path, note: None, guard: None };
        if !copy_with_time(&self.path(), &claim.path)? {
            claim.reseed(IndexSeed::UsersIndex, note)?;
        }
        Ok(claim)
    }

    /// Returns true if a git process holds the index, perhaps one that outlived
    /// its parent. An abandoned lock is removed.
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
                // A leftover only costs space; the next claim tries again.
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

/// An index for exclusive use until this is dropped.
#[derive(Debug)]
pub(crate) struct IndexClaim<'a> {
    index: &'a PrivateIndex,
    /// The index file; it may not exist.
    pub(crate) path: PathBuf,
    /// The note of the last claim that succeeded. A copy has none.
    pub(crate) note: Option<String>,
    /// `None` for a copy.
    guard: Option<IndexLock>,
}

impl IndexClaim<'_> {
    /// Replaces the contents by a new seed. `note` describes a copy of the
    /// user's index.
    pub(crate) fn reseed(&mut self, seed: IndexSeed, note: &str) -> Result<(), TreeError> {
        let seeded = match seed {
            IndexSeed::UsersIndex => copy_with_time(&self.index.users, &self.path)?,
            IndexSeed::Nothing => false,
        };
        self.note = match seed {
            IndexSeed::UsersIndex => Some(note.to_owned()),
            IndexSeed::Nothing => None,
        };
        if !seeded && self.path.exists() {
            fs::remove_file(&self.path).map_err(TreeError::io("remove", &self.path))?;
        }
        Ok(())
    }

    /// Saves a note for the next claim.
    pub(crate) fn leave_note(&self, note: &str) -> Result<(), TreeError> {
        if self.guard.is_none() {
            return Ok(());
        }
        let path = self.index.beside("note");
        probe::write_atomically(&path, note.as_bytes()).map_err(TreeError::io("write", &path))
    }
}

impl Drop for IndexClaim<'_> {
    fn drop(&mut self) {
        if self.guard.is_none() {
            // A leftover copy is removed by a later claim.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// An exclusive lock on the private index; the system releases it if the
/// process is killed.
#[derive(Debug)]
struct IndexLock(File);

impl IndexLock {
    /// `None` while another process has it, or where files cannot be locked.
    fn take(path: &Path) -> Result<Option<Self>, TreeError> {
        let file = ralph_files::append_own(path);
        let file = file.map_err(TreeError::io("open", path))?;
        Ok(file.try_lock().is_ok().then_some(Self(file)))
    }
}

impl Drop for IndexLock {
    fn drop(&mut self) {
        // Closing the file is not enough: a child process that is just being
        // started holds a copy of it for a moment.
        let _ = self.0.unlock();
    }
}

/// Copies an index with its time; returns `false` when there is none.
///
/// Git rereads every file that is not older than the index. A copy with a later
/// time would make it trust stale entries.
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
        // The first error is returned; the leftover is harmless.
        let _ = fs::remove_file(&temporary);
    }
    copied.map(|()| true).map_err(TreeError::io("write", to))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct ScratchIndex {
        folder: tempfile::TempDir,
        index: PrivateIndex,
    }

    fn place() -> ScratchIndex {
        let folder = tempfile::tempdir().unwrap();
        let users = folder.path().join("users");
        fs::write(&users, "user").unwrap();
        let index = PrivateIndex::new(folder.path(), Path::new("/root"), users);
        ScratchIndex { folder, index }
    }

    fn read(claim: &IndexClaim<'_>) -> String {
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
