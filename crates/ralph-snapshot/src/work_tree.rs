use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ralph_core::{Approach, RunId, Timestamp, TreeId};

use crate::error::TreeError;
use crate::file_tree::FileTree;
use crate::found::PresentTree;
use crate::git::{self, Git};
use crate::git_tree::GitTree;
use crate::keeper::ContentKeeper;
use crate::packages::{self, ChangedPackages};
use crate::project::ProjectLocation;
use crate::scope::TreeScope;
use crate::snapshot::SnapshotPlace;
use crate::stamp;
use crate::work_handle::WorkHandle;

/// One file that differs between two trees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeChange {
    /// Relative to the root of the work tree.
    pub path: PathBuf,
    /// The change.
    pub kind: ChangeKind,
}

/// The way in which a file differs between two trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// Only the later tree has it.
    Added,
    /// Its contents, its mode or its type differ.
    Modified,
    /// Only the earlier tree has it.
    Removed,
}

/// The files of a project, present and recorded.
///
/// A tree consists of tracked files, and untracked ones that are not ignored.
/// It has the path of each, its executable bit, and its contents or, for a
/// symbolic link, its target. It excludes empty folders, pipes, sockets and
/// devices, everything in a `.git` folder, and untracked files above the size
/// limit.
///
/// An unreadable file causes no error. In git it counts with the contents last
/// read, or not at all if there are none; outside git it counts as unreadable,
/// by its path.
///
/// In git, contents count as git stores them, with line ends as the repository
/// configures them; filters never run. A nested repository counts by its
/// checked-out commit, and not at all before its first one.
#[derive(Debug)]
pub struct WorkTree {
    root: PathBuf,
    /// Canonical, like the root.
    state: PathBuf,
    pub(crate) scope: TreeScope,
    way: TreeBackend,
    /// The other one, which is not used for new snapshots. It may hold older
    /// ones: a repository can become writable or read-only between two calls.
    other: Option<TreeBackend>,
    handle: WorkHandle,
    /// The last result of this process.
    last: Mutex<Option<PresentTree>>,
}

#[derive(Debug)]
enum TreeBackend {
    Git(Box<GitTree>),
    Files(FileTree),
}

impl TreeBackend {
    fn keeper(&self) -> &dyn ContentKeeper {
        match self {
            Self::Git(tree) => tree.as_ref(),
            Self::Files(tree) => tree,
        }
    }
}

impl WorkTree {
    /// Opens the work tree of `project`, with `state` as our folder for a
    /// private index and manifests, created if missing.
    ///
    /// The work trees of one repository may share the folder. If it is inside
    /// the work tree, it is never part of the tree.
    ///
    /// Without git on the `PATH`, or when the repository's object store is not
    /// writable, the files are read one by one under the rules of the ignore
    /// files. The two ways produce different ids.
    pub fn open(project: &ProjectLocation, state: &Path) -> Result<Self, TreeError> {
        Self::open_with(project, state, git::program())
    }

    pub(crate) fn open_with(
        project: &ProjectLocation,
        state: &Path,
        program: Option<PathBuf>,
    ) -> Result<Self, TreeError> {
        create_private(state)?;
        let state = fs::canonicalize(state).map_err(TreeError::io("open", state))?;
        let root = project.root.clone();
        if state == root {
            return Err(TreeError::StateIsTree { path: state });
        }
        let inside = state.strip_prefix(&root).ok().map(Path::to_owned);
        // `.git` folders are never scanned.
        let inside = inside.filter(|path| path.iter().all(|part| part != ".git"));
        let git = project.git.as_ref().zip(program);
        let handle = WorkHandle::default();
        let git = git.map(|(dirs, program)| {
            let mut git = Git::new(program, &root, dirs, &state);
            git.handle = handle.clone();
            git
        });
        let git = git.filter(Git::is_safe);
        let files = TreeBackend::Files(FileTree::new(&root, &state, &handle));
        let (way, other) = match git.map(|git| GitTree::new(git, &root, &state)) {
            Some(tree) if tree.takes_objects() => (TreeBackend::Git(Box::new(tree)), Some(files)),
            Some(tree) => (files, Some(TreeBackend::Git(Box::new(tree)))),
            None => (files, None),
        };
        let last = Mutex::default();
        Ok(Self { root, state, scope: TreeScope::new(inside), way, other, handle, last })
    }

    /// Returns the handle that observes and interrupts work on the tree.
    pub fn handle(&self) -> &WorkHandle {
        &self.handle
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn state(&self) -> &Path {
        &self.state
    }

    pub(crate) fn keeper(&self) -> &dyn ContentKeeper {
        self.way.keeper()
    }

    pub(crate) fn git(&self) -> Option<&Git> {
        match &self.way {
            TreeBackend::Git(tree) => Some(&tree.git),
            TreeBackend::Files(_) => None,
        }
    }

    /// Returns the keeper that is not used for new snapshots.
    pub(crate) fn other_keeper(&self) -> Option<&dyn ContentKeeper> {
        self.other.as_ref().map(TreeBackend::keeper)
    }

    /// Returns true if new snapshots go to this storage.
    pub(crate) fn keeps_at(&self, place: &SnapshotPlace) -> bool {
        match (&self.way, place) {
            (TreeBackend::Git(_), SnapshotPlace::Git { .. })
            | (TreeBackend::Files(_), SnapshotPlace::Files { .. }) => true,
            (TreeBackend::Git(_), SnapshotPlace::Files { .. })
            | (TreeBackend::Files(_), SnapshotPlace::Git { .. }) => false,
        }
    }

    /// Switches to the other storage for new snapshots.
    #[cfg(test)]
    pub(crate) fn flip(&mut self) {
        std::mem::swap(&mut self.way, self.other.as_mut().unwrap());
    }

    /// Leaves `paths` out of every tree from now on, and replaces earlier ones;
    /// a folder covers everything below it.
    ///
    /// Relative paths begin at the root. Paths outside of it are skipped.
    pub fn leave_out(&mut self, paths: impl IntoIterator<Item = impl AsRef<Path>>) {
        self.scope.left_out.replace(&self.root, paths);
    }

    /// Makes ignored files at or below `paths` count, and replaces earlier
    /// ones.
    ///
    /// Relative paths begin at the root. Paths outside of it are skipped.
    pub fn include_ignored(&mut self, paths: impl IntoIterator<Item = impl AsRef<Path>>) {
        self.scope.include(&self.root, paths);
    }

    /// Leaves out untracked files above `bytes`, by default 100 MiB. Outside
    /// git no file is tracked.
    pub fn limit_size(&mut self, bytes: u64) {
        self.scope.size_limit = bytes;
    }

    /// Uses the user's settings, attributes and excludes for git as they were
    /// when this was first called for `run`. Later changes have no effect.
    ///
    /// They stay in memory after the first use, so later changes of the state
    /// folder have no effect either.
    pub fn heed_rules_of(&mut self, run: &RunId) {
        let folder = self.state.join("rules").join(run.as_str());
        for way in [Some(&mut self.way), self.other.as_mut()].into_iter().flatten() {
            if let TreeBackend::Git(tree) = way {
                tree.git.keep_rules_in(folder.clone());
            }
        }
    }

    /// Makes the snapshots that this process took or read take precedence over
    /// later changes in the state folder and the repository. Meant for the one
    /// process that drives a run.
    pub fn seal(&mut self) {
        for way in [Some(&mut self.way), self.other.as_mut()].into_iter().flatten() {
            if let TreeBackend::Git(tree) = way {
                tree.kept.seal();
            }
        }
    }

    /// Waits for background work, before a process exits without dropping this.
    pub fn finish(&self) {
        for way in [Some(&self.way), self.other.as_ref()].into_iter().flatten() {
            if let TreeBackend::Git(tree) = way {
                // Missing links are made with the next snapshot.
                let _ = tree.kept.finish_linking();
            }
        }
    }

    /// Writes objects that git needs to compare files to `folder`, which exists
    /// and is empty, so the repository gains none.
    ///
    /// For reading only. A snapshot that is taken afterwards is lost with the
    /// folder.
    pub fn only_look(&mut self, folder: &Path) -> Result<(), TreeError> {
        match &mut self.way {
            TreeBackend::Git(tree) => tree.work_in(folder),
            TreeBackend::Files(_) => Ok(()),
        }
    }

    /// Returns the id of the present contents. Equal contents have equal ids.
    pub fn tree(&self) -> Result<TreeId, TreeError> {
        self.found().map(|found| found.id)
    }

    fn found(&self) -> Result<PresentTree, TreeError> {
        let found = self.handle.settle(match &self.way {
            TreeBackend::Git(tree) => tree.tree(&self.scope),
            TreeBackend::Files(tree) => tree.tree(&self.scope),
        })?;
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(found.clone());
        Ok(found)
    }

    /// Returns paths that are neither ignored nor in a tree: files that are too
    /// large or unreadable, and nested repositories. If `tree` is the last
    /// result, uses it instead of a new scan.
    pub fn left_out_beside(&self, tree: &TreeId) -> Result<Vec<PathBuf>, TreeError> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let found = match last.filter(|last| last.id == *tree) {
            Some(found) => found,
            None => self.found()?,
        };
        let files = found.left_out.into_iter().map(|file| file.path);
        Ok(files.chain(found.nested).collect())
    }

    /// Returns a stamp of the ignored files, caches not counted: two equal
    /// stamps mean that none of them changed.
    pub fn stamp(&self) -> String {
        let left_out = &self.scope.left_out;
        stamp::of_ignored(&self.root, self.outer_rules(), &|path| left_out.contains(path))
    }

    /// Returns the ignore rules from outside the work tree.
    fn outer_rules(&self) -> Vec<Gitignore> {
        // If git fails, there are none.
        let listed = self.git().map(|git| git.rules().excludes(git).unwrap_or_default());
        match listed {
            Some(lists) => lists.iter().map(|list| stamp::parse_rules(&self.root, list)).collect(),
            None => vec![GitignoreBuilder::new(&self.root).build_global().0],
        }
    }

    /// Returns the ignored paths, without those below another one, relative to
    /// the root.
    pub fn ignored(&self) -> Vec<PathBuf> {
        let found = stamp::ignored(&self.root, self.outer_rules(), &|_| false);
        found.iter().filter_map(|path| Some(path.strip_prefix(&self.root).ok()?.into())).collect()
    }

    /// Returns code in installed packages that changed after a moment.
    pub fn packages_changed_since(&self, moment: Timestamp) -> Vec<ChangedPackages> {
        packages::changed_since(&self.root, moment)
    }

    /// Returns folders of the repository outside the root, as a linked work
    /// tree has them.
    pub fn git_folders_elsewhere(&self) -> Vec<PathBuf> {
        let Some(git) = self.git() else { return Vec::new() };
        let common = git.common_dir();
        if common.starts_with(&self.root) { Vec::new() } else { vec![common.to_owned()] }
    }

    /// Lists the files that differ between two trees, ordered by path. A
    /// renamed file counts as removed and added.
    ///
    /// Outside git only the last sixty or so trees are kept; in git, all until
    /// `git gc` removes unreferenced objects.
    pub fn changes(&self, from: &TreeId, to: &TreeId) -> Result<Vec<TreeChange>, TreeError> {
        if from == to {
            return Ok(Vec::new());
        }
        let changes = match &self.way {
            TreeBackend::Git(tree) => tree.changes(from, to),
            TreeBackend::Files(tree) => tree.changes(from, to),
        };
        let mut changes = self.handle.settle(changes)?;
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(changes)
    }

    /// Returns the approach between two trees; `None` if only layout changed.
    ///
    /// In git it is the set of hunks, file by file; outside, the set of changed
    /// files with their contents before and afterwards. Doing and undoing a
    /// change give the same. Numbers, white space and blank lines are ignored.
    /// In git binary files count by their path, and only the first 8 MiB of a
    /// patch are read. Outside git binary files and those above 1 MiB count by
    /// their bytes.
    pub fn approach(&self, from: &TreeId, to: &TreeId) -> Result<Option<Approach>, TreeError> {
        if from == to {
            return Ok(None);
        }
        self.handle.settle(match &self.way {
            TreeBackend::Git(tree) => tree.approach(from, to),
            TreeBackend::Files(tree) => tree.approach(from, to),
        })
    }
}

/// Creates a folder that only its owner may enter, on systems with permissions.
pub(crate) fn create_private(folder: &Path) -> Result<(), TreeError> {
    ralph_files::make_private_folder(folder).map_err(TreeError::io("create", folder))
}
