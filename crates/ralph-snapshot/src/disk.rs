//! Changes single files of a work tree, each in one step.

use std::collections::BTreeSet;
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::error::TreeError;
use crate::path_bytes;
use crate::plan::StatsByPath;
use crate::snapshot::ItemKind;
use crate::stat::FileStat;

/// Name of a file while it is written. Only one is written at a time.
const UNFINISHED: &str = ".ralph-unfinished";

/// The result of writing or removing one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DiskOutcome {
    Done,
    /// This path holds something that ralph must not remove.
    InTheWay(PathBuf),
}

/// The work tree below `root`. Links on the way to a file are never followed.
#[derive(Debug)]
pub(crate) struct WorkTreeDisk<'a> {
    pub(crate) root: &'a Path,
}

impl WorkTreeDisk<'_> {
    /// Returns true if there is a file or a link at `path`.
    pub(crate) fn has_file(&self, path: &Path) -> bool {
        self.obstacle(path).is_none() && self.stat(path).is_some_and(|found| !found.is_dir())
    }

    /// Returns true if there is a folder at `path`.
    pub(crate) fn has_folder(&self, path: &Path) -> bool {
        self.obstacle(path).is_none() && self.stat(path).is_some_and(|found| found.is_dir())
    }

    /// Returns true if `path` is, or lies in, a repository of its own.
    pub(crate) fn is_nested(&self, path: &Path) -> bool {
        let folders = path.ancestors().filter(|folder| !folder.as_os_str().is_empty());
        folders.into_iter().any(|folder| self.root.join(folder).join(".git").exists())
    }

    /// Puts a file or a link at `path`. The old one is replaced only when the
    /// new one is complete. Without a `mode` the file gets the permissions of
    /// the old one.
    pub(crate) fn put(
        &self,
        path: &Path,
        kind: ItemKind,
        mode: Option<u32>,
        contents: &mut dyn Read,
    ) -> Result<DiskOutcome, TreeError> {
        if let Some(obstacle) = self.obstacle(path) {
            return Ok(DiskOutcome::InTheWay(obstacle));
        }
        let absolute = self.root.join(path);
        let folder = absolute.parent().unwrap_or(self.root);
        fs::create_dir_all(folder).map_err(TreeError::io("create", folder))?;
        let before = self.stat(path);
        if before.as_ref().is_some_and(Metadata::is_dir) && !remove_empty(&absolute) {
            return Ok(DiskOutcome::InTheWay(path.to_owned()));
        }
        let unfinished = folder.join(UNFINISHED);
        remove_if_there(&unfinished)?;
        let written = match kind {
            ItemKind::Link => write_link(&unfinished, contents),
            ItemKind::File | ItemKind::Executable | ItemKind::Opaque => {
                let rights = mode
                    .map_or(FilePermissions::Like(kind, before.as_ref()), FilePermissions::Exactly);
                write_file(&unfinished, &rights, contents)
            }
        };
        let placed = written.and_then(|()| fs::rename(&unfinished, &absolute));
        if placed.is_err() {
            // The first error is returned; a leftover is removed when the
            // rollback goes on.
            let _ = fs::remove_file(&unfinished);
        }
        placed.map(|()| DiskOutcome::Done).map_err(TreeError::io("write", &absolute))
    }

    /// Sets the permissions of a file; it is no error if there is none. Returns
    /// `InTheWay` for a file of another user.
    pub(crate) fn set_mode(&self, path: &Path, mode: u32) -> Result<DiskOutcome, TreeError> {
        let absolute = self.root.join(path);
        if !self.has_file(path) || absolute.is_symlink() {
            return Ok(DiskOutcome::Done);
        }
        match set_mode_at(&absolute, mode) {
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                Ok(DiskOutcome::InTheWay(path.to_owned()))
            }
            set => set.map(|()| DiskOutcome::Done).map_err(TreeError::io("change", &absolute)),
        }
    }

    /// Makes a folder, with those above it, and gives it these permissions.
    pub(crate) fn make_folder(
        &self,
        path: &Path,
        mode: Option<u32>,
    ) -> Result<DiskOutcome, TreeError> {
        if let Some(obstacle) = self.obstacle(&path.join("inside")) {
            return Ok(DiskOutcome::InTheWay(obstacle));
        }
        let folder = self.root.join(path);
        fs::create_dir_all(&folder).map_err(TreeError::io("create", &folder))?;
        if let Some(mode) = mode {
            set_mode_at(&folder, mode).map_err(TreeError::io("change", &folder))?;
        }
        Ok(DiskOutcome::Done)
    }

    /// Removes a folder if it is empty.
    pub(crate) fn remove_folder(&self, path: &Path) {
        if self.has_folder(path) {
            // A folder with something in it must stay.
            let _ = fs::remove_dir(self.root.join(path));
        }
    }

    /// Removes a file or a link; it is no error if there is none.
    pub(crate) fn remove(&self, path: &Path) -> Result<(), TreeError> {
        if self.has_file(path) { remove_if_there(&self.root.join(path)) } else { Ok(()) }
    }

    /// Removes the folders above `path` that are empty now, except `kept`.
    pub(crate) fn prune(&self, path: &Path, kept: &BTreeSet<&Path>) {
        for folder in path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty()) {
            let is_ours = !kept.contains(folder) && self.obstacle(folder).is_none();
            if !is_ours {
                return;
            }
            // `remove_dir` only removes empty folders. A missing one was
            // removed before an interruption.
            match fs::remove_dir(self.root.join(folder)) {
                Err(error) if error.kind() != ErrorKind::NotFound => return,
                Ok(()) | Err(_) => {}
            }
        }
    }

    /// Removes the unfinished file that an interrupted `put` left beside
    /// `path`.
    pub(crate) fn tidy(&self, path: &Path) -> Result<(), TreeError> {
        if self.obstacle(path).is_some() {
            return Ok(());
        }
        remove_if_there(&self.root.join(path).with_file_name(UNFINISHED))
    }

    /// Returns the metadata of these files; `None` if one of them may have
    /// changed since `began`, by the clock of our state folder.
    pub(crate) fn stats<'p>(
        &self,
        paths: impl Iterator<Item = &'p Path>,
        began: SystemTime,
    ) -> Option<StatsByPath> {
        let mut stats = StatsByPath::new();
        for path in paths {
            let stat = self.stat(path).map(|found| FileStat::of(&found));
            if stat.is_some_and(|stat| !stat.is_older_than(began)) {
                return None;
            }
            stats.insert(path.to_owned(), stat);
        }
        Some(stats)
    }

    /// Returns true if the metadata of all these files is unchanged.
    pub(crate) fn is_like(&self, stats: &StatsByPath) -> bool {
        let now = |path: &Path| self.stat(path).map(|found| FileStat::of(&found));
        stats.iter().all(|(path, stat)| now(path) == *stat)
    }

    fn stat(&self, path: &Path) -> Option<Metadata> {
        fs::symlink_metadata(self.root.join(path)).ok()
    }

    /// Returns the first path above `path` that exists and is not a folder.
    fn obstacle(&self, path: &Path) -> Option<PathBuf> {
        let mut folders: Vec<_> = path.ancestors().skip(1).collect();
        folders.reverse();
        let is_obstacle = |folder: &&Path| self.stat(folder).is_some_and(|found| !found.is_dir());
        folders.into_iter().find(is_obstacle).map(Path::to_owned)
    }
}

/// Removes a folder that holds only folders without files.
fn remove_empty(folder: &Path) -> bool {
    let inner: Vec<_> = fs::read_dir(folder).into_iter().flatten().flatten().collect();
    let is_folder = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    inner.iter().all(|entry| is_folder(entry) && remove_empty(&entry.path()))
        && fs::remove_dir(folder).is_ok()
}

fn remove_if_there(path: &Path) -> Result<(), TreeError> {
    match fs::remove_file(path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(())
        }
        removed => removed.map_err(TreeError::io("remove", path)),
    }
}

/// The permissions of a file that is written.
enum FilePermissions<'a> {
    Exactly(u32),
    /// The permissions of the old file, except for execution, which is given to
    /// those who may read it.
    Like(ItemKind, Option<&'a Metadata>),
}

fn write_file(
    path: &Path,
    rights: &FilePermissions<'_>,
    contents: &mut dyn Read,
) -> io::Result<()> {
    let mut file = create(path, rights)?;
    io::copy(contents, &mut file)?;
    set_mode(&file, rights)
}

/// Creates a file. If its mode is known, only its owner can read it until then,
/// since it may hold a secret.
#[cfg(unix)]
fn create(path: &Path, rights: &FilePermissions<'_>) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let mode = match rights {
        FilePermissions::Exactly(_) => 0o600,
        FilePermissions::Like(..) => 0o666,
    };
    File::options().write(true).create_new(true).mode(mode).open(path)
}

#[cfg(not(unix))]
fn create(path: &Path, _rights: &FilePermissions<'_>) -> io::Result<File> {
    File::create_new(path)
}

#[cfg(unix)]
fn set_mode_at(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn set_mode_at(_path: &Path, _mode: u32) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn set_mode(file: &File, rights: &FilePermissions<'_>) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let (kind, before) = match rights {
        FilePermissions::Exactly(mode) => {
            return file.set_permissions(fs::Permissions::from_mode(*mode));
        }
        FilePermissions::Like(kind, before) => (kind, before),
    };
    let before = before.filter(|before| before.is_file()).cloned();
    let before = before.map_or_else(|| file.metadata(), Ok)?.permissions().mode() & 0o777;
    let mode = match kind {
        ItemKind::Executable => before | ((before & 0o444) >> 2) | 0o100,
        ItemKind::File | ItemKind::Link | ItemKind::Opaque => before & !0o111,
    };
    file.set_permissions(fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn set_mode(_file: &File, _rights: &FilePermissions<'_>) -> io::Result<()> {
    Ok(())
}

fn write_link(path: &Path, contents: &mut dyn Read) -> io::Result<()> {
    let mut target = Vec::new();
    contents.read_to_end(&mut target)?;
    let target = path_bytes::from_bytes(&target);
    #[cfg(unix)]
    return std::os::unix::fs::symlink(target, path);
    #[cfg(windows)]
    return std::os::windows::fs::symlink_file(target, path);
    #[cfg(not(any(unix, windows)))]
    return Err(io::Error::new(ErrorKind::Unsupported, target.display().to_string()));
}
