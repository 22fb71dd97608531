//! Our own record of the snapshots in git, and a second hold on their objects.
//!
//! References lie in the repository, where whoever works there can delete
//! them; then `git gc` removes the objects too. So which commit a snapshot is
//! stands in our state folder as well, and all files with objects are linked
//! there: a link costs no space as long as the repository has the file itself.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use ralph_core::RunId;

use crate::error::TreeError;
use crate::git::Git;
use crate::label::Label;
use crate::probe;
use crate::work_tree::create_private;

/// The commits of a run's snapshots.
pub(crate) type Labels = BTreeMap<Label, String>;

/// What is kept beside the repository.
#[derive(Debug)]
pub(crate) struct KeptObjects {
    folder: PathBuf,
    /// What this process knows.
    known: Mutex<HashMap<RunId, Labels>>,
    /// Whether what is known outweighs what is on record.
    is_sealed: bool,
    /// Folders of objects, and when they were when all in them was linked.
    linked: Mutex<HashMap<PathBuf, SystemTime>>,
}

impl KeptObjects {
    /// `folder` is ours.
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, known: Mutex::default(), is_sealed: false, linked: Mutex::default() }
    }

    /// Where the objects are linked.
    pub(crate) fn objects(&self) -> PathBuf {
        self.folder.join("objects")
    }

    /// Lets what is read once, or put on record here, outweigh whatever is
    /// written there later.
    pub(crate) fn seal(&mut self) {
        self.is_sealed = true;
    }

    /// The snapshots of a run; `None` if nothing is on record.
    pub(crate) fn labels(&self, run: &RunId) -> Option<Labels> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(labels) = known.get(run).filter(|_| self.is_sealed) {
            return Some(labels.clone());
        }
        let mut labels = Labels::new();
        for file in fs::read_dir(self.run(run)).ok()?.flatten() {
            let label = file.file_name().to_string_lossy().parse();
            if let (Ok(label), Ok(commit)) = (label, fs::read_to_string(file.path())) {
                labels.insert(label, commit.trim().to_owned());
            }
        }
        known.insert(run.clone(), labels.clone());
        Some(labels)
    }

    /// Puts a snapshot on record.
    pub(crate) fn add(&self, run: &RunId, label: Label, commit: &str) -> Result<(), TreeError> {
        let mut labels = self.labels(run).unwrap_or_default();
        labels.insert(label, commit.to_owned());
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(run.clone(), labels);
        create_private(&self.run(run))?;
        let path = self.run(run).join(label.to_string());
        probe::write_atomically(&path, commit.as_bytes()).map_err(TreeError::io("write", &path))
    }

    /// Forgets the snapshots of a run, and the objects that no other needs.
    pub(crate) fn remove(&self, run: &RunId, git: &Git) -> Result<(), TreeError> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).remove(run);
        let path = self.run(run);
        match fs::remove_dir_all(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            removed => removed.map_err(TreeError::io("remove", &path))?,
        }
        self.tidy(git)
    }

    /// Takes a second hold on all objects of the repository. Where that cannot
    /// be done by links, those of `commit` are copied.
    pub(crate) fn hold(&self, git: &Git, commit: &str, older: &Labels) -> Result<(), TreeError> {
        let (from, to) = (git.dirs().common.join("objects"), self.objects());
        let mut linked = self.linked.lock().unwrap_or_else(PoisonError::into_inner);
        if link_all(&from, &to, &mut linked).is_ok() {
            return Ok(());
        }
        let older = older.values().map(|commit| format!("^{commit}\n"));
        self.copy(git, &format!("{commit}\n{}", older.collect::<String>())).map(drop)
    }

    /// Writes a pack with what these revisions say; returns its name.
    fn copy(&self, git: &Git, revisions: &str) -> Result<String, TreeError> {
        let packs = self.objects().join("pack");
        create_private(&packs)?;
        // Git writes to the folder of objects first, which may be on another
        // device: so ours is the one it writes to, and the other is read.
        let command = git.command("pack-objects").args(["--revs", "-q"]).args([packs.join("pack")]);
        let command = command
            .env("GIT_OBJECT_DIRECTORY", self.objects())
            .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", git.object_folder());
        let name = command.feed_bytes(revisions.as_bytes())?.success()?;
        Ok(String::from_utf8_lossy(&name).trim().to_owned())
    }

    /// Lets go of what only we hold and no run needs.
    fn tidy(&self, git: &Git) -> Result<(), TreeError> {
        let orphans = orphans(&self.objects());
        if orphans.is_empty() {
            return Ok(());
        }
        let runs = fs::read_dir(self.folder.join("runs")).into_iter().flatten().flatten();
        let labels = runs.flat_map(|run| fs::read_dir(run.path()).into_iter().flatten().flatten());
        let commits = labels.filter_map(|label| fs::read_to_string(label.path()).ok());
        let commits: String = commits.flat_map(|commit| [commit, "\n".to_owned()]).collect();
        // What can be read no longer keeps the rest as it is.
        let pack = if commits.is_empty() { Ok(String::new()) } else { self.copy(git, &commits) };
        if let Ok(pack) = pack {
            // The same contents make a pack of the same name again.
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

/// Links the files of all folders below `from` that changed since they were
/// linked.
fn link_all(from: &Path, to: &Path, linked: &mut HashMap<PathBuf, SystemTime>) -> io::Result<()> {
    for folder in fs::read_dir(from)? {
        let folder = folder?;
        let name = folder.file_name();
        if name == "info" || !folder.file_type()?.is_dir() {
            continue;
        }
        let path = folder.path();
        let changed = folder.metadata()?.modified()?;
        if linked.get(&path) == Some(&changed) {
            continue;
        }
        let target = to.join(&name);
        create_private(&target).map_err(|_| io::Error::from(ErrorKind::PermissionDenied))?;
        for file in fs::read_dir(&path)? {
            let file = file?;
            // What is being written has another name until it is whole.
            if file.file_name().to_string_lossy().starts_with("tmp_") {
                continue;
            }
            match fs::hard_link(file.path(), target.join(file.file_name())) {
                Err(error)
                    if !matches!(error.kind(), ErrorKind::AlreadyExists | ErrorKind::NotFound) =>
                {
                    return Err(error);
                }
                Err(_) | Ok(()) => {}
            }
        }
        // If it changes in the same moment, it is looked at once more.
        if changed.elapsed().is_ok_and(|age| age.as_millis() > 100) {
            linked.insert(path, changed);
        }
    }
    Ok(())
}

/// Files that the repository has no more.
#[cfg(unix)]
fn orphans(objects: &Path) -> Vec<PathBuf> {
    use std::os::unix::fs::MetadataExt;
    let folders = fs::read_dir(objects).into_iter().flatten().flatten();
    let files = folders.flat_map(|folder| fs::read_dir(folder.path()).into_iter().flatten());
    let alone = |file: &fs::DirEntry| file.metadata().is_ok_and(|found| found.nlink() == 1);
    files.flatten().filter(alone).map(|file| file.path()).collect()
}

#[cfg(not(unix))]
fn orphans(_objects: &Path) -> Vec<PathBuf> {
    Vec::new()
}

#[cfg(test)]
#[path = "kept_tests.rs"]
mod tests;
