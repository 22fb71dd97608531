//! Our own record of the snapshots in git, and second links to their objects.
//!
//! The agent can delete references of the repository; then `git gc` removes the
//! objects, too. So our state folder also records the commit of each snapshot,
//! and has links to all files with objects. A link costs no space while the
//! repository has the file.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, DirEntry};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::UNIX_EPOCH;

use ralph_core::RunId;
use ralph_files::LogFailure as _;

use crate::error::TreeError;
use crate::git::Git;
use crate::label::SnapshotLabel;
use crate::probe;
use crate::work_tree::create_private;

/// The commits of a run's snapshots.
pub(crate) type CommitsByLabel = BTreeMap<SnapshotLabel, String>;

/// The records and links beside the repository.
#[derive(Debug)]
pub(crate) struct KeptObjects {
    folder: PathBuf,
    /// Records that this process has read.
    known: Mutex<HashMap<RunId, CommitsByLabel>>,
    /// True if the cached records take precedence over those on disk.
    is_sealed: bool,
    /// The thread that links objects in the background.
    linking: Mutex<Option<JoinHandle<io::Result<()>>>>,
}

impl KeptObjects {
    /// `folder` belongs to ralph.
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, known: Mutex::default(), is_sealed: false, linking: Mutex::default() }
    }

    /// Returns the folder of the linked objects.
    pub(crate) fn objects(&self) -> PathBuf {
        self.folder.join("objects")
    }

    /// Makes cached records take precedence over later changes on disk.
    pub(crate) fn seal(&mut self) {
        self.is_sealed = true;
    }

    /// Returns the snapshots of a run; `None` if none are recorded.
    pub(crate) fn labels(&self, run: &RunId) -> Option<CommitsByLabel> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(labels) = known.get(run).filter(|_| self.is_sealed) {
            return Some(labels.clone());
        }
        let mut labels = CommitsByLabel::new();
        for file in fs::read_dir(self.run(run)).ok()?.flatten() {
            let label = file.file_name().to_string_lossy().parse();
            if let (Ok(label), Ok(commit)) = (label, ralph_files::read_own_text(file.path())) {
                labels.insert(label, commit.trim().to_owned());
            }
        }
        known.insert(run.clone(), labels.clone());
        Some(labels)
    }

    /// Records a snapshot.
    pub(crate) fn add(
        &self,
        run: &RunId,
        label: SnapshotLabel,
        commit: &str,
    ) -> Result<(), TreeError> {
        let mut labels = self.labels(run).unwrap_or_default();
        labels.insert(label, commit.to_owned());
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(run.clone(), labels);
        create_private(&self.run(run))?;
        let path = self.run(run).join(label.to_string());
        probe::write_atomically(&path, commit.as_bytes()).map_err(TreeError::io("write", &path))
    }

    /// Deletes the snapshots of a run, and the objects that no other needs.
    pub(crate) fn remove(&self, run: &RunId, git: &Git) -> Result<(), TreeError> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).remove(run);
        let path = self.run(run);
        match fs::remove_dir_all(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            removed => removed.map_err(TreeError::io("remove", &path))?,
        }
        self.tidy(git)
    }

    /// Links all objects of the repository to our folder. Where links are not
    /// possible, copies the objects of `commit`. Links are made in the
    /// background, since a large repository has many.
    pub(crate) fn hold(
        &self,
        git: &Git,
        commit: &str,
        older: &CommitsByLabel,
    ) -> Result<(), TreeError> {
        let linked = self.finish_linking();
        let links = ObjectLinks {
            from: git.dirs().common.join("objects"),
            to: self.objects(),
            record: self.folder.join("linked"),
        };
        if linked.is_ok() && links.are_possible() {
            let thread = thread::Builder::new().spawn(move || links.make());
            let mut linking = self.linking.lock().unwrap_or_else(PoisonError::into_inner);
            // Without a thread the next snapshot makes the links.
            *linking = thread.ok();
            return Ok(());
        }
        let older = older.values().map(|commit| format!("^{commit}\n"));
        self.copy(git, &format!("{commit}\n{}", older.collect::<String>())).map(drop)
    }

    /// Waits for the thread that makes links, and returns its result.
    pub(crate) fn finish_linking(&self) -> io::Result<()> {
        let mut linking = self.linking.lock().unwrap_or_else(PoisonError::into_inner);
        let thread = linking.take();
        // If it panicked, the next snapshot makes the missing links.
        thread.map_or(Ok(()), |thread| thread.join().unwrap_or(Ok(())))
    }

    /// Writes a pack with the objects of these revisions; returns its name.
    fn copy(&self, git: &Git, revisions: &str) -> Result<String, TreeError> {
        let packs = self.objects().join("pack");
        create_private(&packs)?;
        // Git writes to the object folder first, which may be on another
        // device. So ours is the one it writes to, and the repository's is only
        // read.
        let command = git.command("pack-objects").args(["--revs", "-q"]).args([packs.join("pack")]);
        let command = command
            .env("GIT_OBJECT_DIRECTORY", self.objects())
            .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", git.object_folder());
        let name = command.feed_bytes(revisions.as_bytes())?.success()?;
        Ok(String::from_utf8_lossy(&name).trim().to_owned())
    }

    /// Deletes objects that only we have and no run needs.
    fn tidy(&self, git: &Git) -> Result<(), TreeError> {
        let orphans = orphans(&self.objects());
        if orphans.is_empty() {
            return Ok(());
        }
        let runs = fs::read_dir(self.folder.join("runs")).into_iter().flatten().flatten();
        let labels = runs.flat_map(|run| fs::read_dir(run.path()).into_iter().flatten().flatten());
        let commits = labels.filter_map(|label| ralph_files::read_own_text(label.path()).ok());
        let commits: String = commits.flat_map(|commit| [commit, "\n".to_owned()]).collect();
        // If some are unreadable, nothing is deleted.
        let pack = if commits.is_empty() { Ok(String::new()) } else { self.copy(git, &commits) };
        if let Ok(pack) = pack {
            // The same contents produce a pack of the same name.
            let is_new = |path: &PathBuf| {
                !pack.is_empty() && path.to_string_lossy().contains(&format!("pack-{pack}."))
            };
            for path in orphans.into_iter().filter(|path| !is_new(path)) {
                fs::remove_file(&path).map_err(TreeError::io("remove", &path))?;
            }
        }
        Ok(())
    }

    fn run(&self, run: &RunId) -> PathBuf {
        self.folder.join("runs").join(run.as_str())
    }
}

impl Drop for KeptObjects {
    fn drop(&mut self) {
        // Missing links are made with the next snapshot.
        let _ = self.finish_linking();
    }
}

/// Hard links from the repository's objects to our folder.
struct ObjectLinks {
    from: PathBuf,
    to: PathBuf,
    /// File that lists linked folders, so that a process need not link
    /// everything again.
    record: PathBuf,
}

/// Folders of objects with their modification time when they were linked, in
/// nanoseconds since 1970.
type LinkedFolders = BTreeMap<String, u128>;

impl ObjectLinks {
    /// Returns true if links are possible, by linking one file. They are not on
    /// another device.
    fn are_possible(&self) -> bool {
        let folders = fs::read_dir(&self.from).into_iter().flatten().flatten();
        let folders = folders.filter(|folder| folder.file_name() != "info");
        let mut files = folders.flat_map(|folder| {
            let files = fs::read_dir(folder.path()).into_iter().flatten().flatten();
            files.map(move |file| (folder.file_name(), file))
        });
        let Some((folder, file)) = files.next() else { return self.from.is_dir() };
        link(&file, &self.to.join(folder)).is_ok()
    }

    /// Links all files of folders that changed since they were linked.
    fn make(&self) -> io::Result<()> {
        let known = self.read_record();
        let (mut linked, mut made) = (known.clone(), Ok(()));
        let folders = fs::read_dir(&self.from).into_iter().flatten().flatten();
        for folder in folders.filter(|folder| folder.file_name() != "info") {
            made = made.and(self.link_folder(&folder, &mut linked));
        }
        if linked != known {
            let lines = linked.iter().map(|(folder, at)| format!("{folder} {at}\n"));
            let lines = lines.collect::<String>();
            probe::write_atomically(&self.record, lines.as_bytes()).or_log("noting linked objects");
        }
        made
    }

    fn read_record(&self) -> LinkedFolders {
        let text = ralph_files::read_own_text(&self.record).unwrap_or_default();
        let pair =
            |line: &str| line.split_once(' ').and_then(|(a, b)| Some((a.into(), b.parse().ok()?)));
        text.lines().filter_map(pair).collect()
    }

    fn link_folder(&self, folder: &DirEntry, linked: &mut LinkedFolders) -> io::Result<()> {
        if !folder.file_type()?.is_dir() {
            return Ok(());
        }
        let name = folder.file_name().to_string_lossy().into_owned();
        let changed = folder.metadata()?.modified()?;
        let at = changed.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let target = self.to.join(&name);
        if linked.get(&name) == Some(&at) && target.is_dir() {
            return Ok(());
        }
        for file in fs::read_dir(folder.path())? {
            link(&file?, &target)?;
        }
        // A folder that changed just now is checked once more.
        if changed.elapsed().is_ok_and(|age| age.as_millis() > 100) {
            linked.insert(name, at);
        }
        Ok(())
    }
}

/// Links a file into a folder of ours, which is created if missing.
fn link(file: &DirEntry, folder: &Path) -> io::Result<()> {
    // Unfinished files have this prefix.
    if file.file_name().to_string_lossy().starts_with("tmp_") {
        return Ok(());
    }
    let link = || fs::hard_link(file.path(), folder.join(file.file_name()));
    let linked = match link() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            create_private(folder).map_err(|_| io::Error::from(ErrorKind::PermissionDenied))?;
            link()
        }
        linked => linked,
    };
    match linked {
        // It exists already, or was removed meanwhile.
        Err(error) if matches!(error.kind(), ErrorKind::AlreadyExists | ErrorKind::NotFound) => {
            Ok(())
        }
        linked => linked,
    }
}

/// Returns the files that the repository no longer has.
#[cfg(unix)]
fn orphans(objects: &Path) -> Vec<PathBuf> {
    use std::os::unix::fs::MetadataExt;
    let folders = fs::read_dir(objects).into_iter().flatten().flatten();
    let files = folders.flat_map(|folder| fs::read_dir(folder.path()).into_iter().flatten());
    let alone = |file: &DirEntry| file.metadata().is_ok_and(|found| found.nlink() == 1);
    files.flatten().filter(alone).map(|file| file.path()).collect()
}

#[cfg(not(unix))]
fn orphans(_objects: &Path) -> Vec<PathBuf> {
    Vec::new()
}

#[cfg(test)]
#[path = "kept_tests.rs"]
mod tests;
