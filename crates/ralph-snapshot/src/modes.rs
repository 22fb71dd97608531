//! The permissions of files. A tree only records if a file is executable, so
//! the rest is recorded beside it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, thread};

use crate::found::ListedFile;
use crate::snapshot::ItemKind;

/// A tree of at most this many files has all of them listed.
const ALL_LISTED: usize = 1000;

/// The permissions of all files of a tree.
///
/// Nearly all files of a project have one of two modes. So a large one lists
/// only the others, and those that changed since the run began. A change of
/// permissions alone is noticed for listed files only: noticing it for all
/// would need a check of every file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileModes {
    /// `None` where permissions are unknown.
    pub(crate) usual: Option<UsualModes>,
    pub(crate) listed: BTreeMap<PathBuf, u32>,
    /// Those of folders without a file, at the start of the run.
    pub(crate) folders: BTreeMap<PathBuf, u32>,
}

/// The permissions that most files have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UsualModes {
    pub(crate) file: u32,
    pub(crate) executable: u32,
}

impl UsualModes {
    fn of(self, kind: ItemKind) -> Option<u32> {
        match kind {
            ItemKind::File => Some(self.file),
            ItemKind::Executable => Some(self.executable),
            ItemKind::Link | ItemKind::Opaque => None,
        }
    }
}

impl FileModes {
    /// Reads the permissions of all these files.
    pub(crate) fn survey(root: &Path, files: &[ListedFile]) -> Self {
        let found = look(root, files);
        let most = |wanted: ItemKind, default: u32| {
            let mut counts = BTreeMap::new();
            for (_, mode) in found.iter().filter(|(file, _)| file.kind == wanted) {
                *counts.entry(*mode).or_insert(0_usize) += 1;
            }
            counts.into_iter().max_by_key(|(_, count)| *count).map_or(default, |(mode, _)| mode)
        };
        let file = most(ItemKind::File, 0o644);
        let usual = UsualModes { file, executable: most(ItemKind::Executable, 0o755) };
        let mut modes = Self { usual: cfg!(unix).then_some(usual), ..Self::default() };
        let is_usual = |kind: ItemKind, mode| usual.of(kind).is_none_or(|usual| usual == mode);
        let listed = found
            .iter()
            .filter(|(file, mode)| files.len() <= ALL_LISTED || !is_usual(file.kind, *mode));
        modes.listed = listed.map(|(file, mode)| (file.path.clone(), *mode)).collect();
        modes
    }

    /// Adds the permissions of folders.
    pub(crate) fn with_folders(mut self, root: &Path, folders: &[PathBuf]) -> Self {
        let found = folders.iter().filter_map(|path| Some((path.clone(), of_folder(root, path)?)));
        self.folders = found.collect();
        self
    }

    /// Reads the permissions of the listed files, and of files that changed
    /// since these were recorded. Each has its present kind, or `None` if it no
    /// longer counts.
    pub(crate) fn since<'a>(
        &self,
        root: &Path,
        changed: impl Iterator<Item = (&'a Path, Option<ItemKind>)>,
    ) -> Self {
        if self.usual.is_none() {
            return Self::default();
        }
        let still = |(path, _): (&PathBuf, _)| Some((path.clone(), on_disk(root, path)?));
        let listed = self.listed.iter().filter_map(still).collect();
        let mut modes = Self { usual: self.usual, listed, folders: self.folders.clone() };
        for (path, kind) in changed {
            match kind.and_then(|_| on_disk(root, path)) {
                Some(mode) => modes.listed.insert(path.to_owned(), mode),
                None => modes.listed.remove(path),
            };
        }
        modes
    }

    /// Returns the permissions of a file of the tree; `None` if unknown.
    pub(crate) fn of(&self, path: &Path, kind: ItemKind) -> Option<u32> {
        let usual = self.usual?.of(kind)?;
        Some(self.listed.get(path).copied().unwrap_or(usual))
    }

    /// Returns the listed files whose permissions differ, if both trees have
    /// them.
    pub(crate) fn differing<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'a PathBuf> {
        let listed: BTreeMap<_, _> = self.listed.iter().chain(&other.listed).collect();
        let differs = |(path, mode): &(&PathBuf, &u32)| {
            let of = |modes: &Self| modes.of(path, kind_of(**mode));
            of(self).zip(of(other)).is_some_and(|(one, another)| one != another)
        };
        listed.into_iter().filter(differs).map(|(path, _)| path)
    }

    /// Returns true if the listed files still have their permissions.
    pub(crate) fn are_as_listed(&self, root: &Path) -> bool {
        self.listed.iter().all(|(path, mode)| on_disk(root, path).is_none_or(|now| now == *mode))
    }
}

/// Returns the kind that a tree records for these permissions.
pub(crate) fn kind_of(mode: u32) -> ItemKind {
    if mode & 0o100 == 0 { ItemKind::File } else { ItemKind::Executable }
}

/// Returns the permissions of the file at `path`; `None` if there is none.
#[cfg(unix)]
pub(crate) fn on_disk(root: &Path, path: &Path) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt;
    let found = fs::symlink_metadata(root.join(path)).ok().filter(fs::Metadata::is_file);
    found.map(|found| found.permissions().mode() & 0o7777)
}

/// Returns the permissions of the folder at `path`; `None` if there is none.
#[cfg(unix)]
pub(crate) fn of_folder(root: &Path, path: &Path) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt;
    let found = fs::symlink_metadata(root.join(path)).ok().filter(fs::Metadata::is_dir);
    found.map(|found| found.permissions().mode() & 0o7777)
}

#[cfg(not(unix))]
pub(crate) fn of_folder(_root: &Path, _path: &Path) -> Option<u32> {
    None
}

#[cfg(not(unix))]
pub(crate) fn on_disk(_root: &Path, _path: &Path) -> Option<u32> {
    None
}

type ObservedModes<'a> = Vec<(&'a ListedFile, u32)>;

/// Reads the permissions of many files in parallel, since each call waits for
/// the system.
fn look<'a>(root: &Path, files: &'a [ListedFile]) -> ObservedModes<'a> {
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let part = files.len().div_ceil(workers).max(512);
    let of_file = |file: &'a ListedFile| {
        let permissions = file.permissions.or_else(|| on_disk(root, &file.path))?;
        Some((file, permissions))
    };
    let of_part =
        |part: &'a [ListedFile]| -> ObservedModes<'a> { part.iter().filter_map(of_file).collect() };
    thread::scope(|threads| {
        let parts: Vec<_> =
            files.chunks(part).map(|part| threads.spawn(move || of_part(part))).collect();
        let join = |part: thread::ScopedJoinHandle<'_, ObservedModes<'a>>| {
            part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        parts.into_iter().flat_map(join).collect()
    })
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::scratch::ScratchTree;

    /// Files with these permissions, and many names of files that are gone.
    fn large_tree(files: &[(&str, u32)]) -> (ScratchTree, FileModes) {
        let scratch = ScratchTree::plain();
        for (path, mode) in files {
            scratch.write(path, "");
            scratch.set_mode(path, *mode);
        }
        let listed = |path: PathBuf, kind| ListedFile { path, kind, permissions: None };
        let named = files.iter().map(|(path, mode)| listed(path.into(), kind_of(*mode)));
        let gone = (0..=ALL_LISTED).map(|number| listed(number.to_string().into(), ItemKind::File));
        let modes = FileModes::survey(&scratch.root, &named.chain(gone).collect::<Vec<_>>());
        (scratch, modes)
    }

    #[test]
    fn what_most_files_have_is_usual_and_the_rest_is_listed() {
        let files = [("a", 0o660), ("b", 0o660), ("secret", 0o600), ("tool", 0o750)];
        let (scratch, modes) = large_tree(&files);
        assert_eq!(modes.usual, Some(UsualModes { file: 0o660, executable: 0o750 }));
        assert_eq!(modes.listed, [("secret".into(), 0o600)].into());

        scratch.set_mode("secret", 0o660);
        scratch.set_mode("a", 0o640);
        assert!(!modes.are_as_listed(&scratch.root));
        let changed = [(Path::new("a"), Some(ItemKind::File)), (Path::new("b"), None)];
        let later = modes.since(&scratch.root, changed.into_iter());
        assert_eq!(later.of(Path::new("secret"), ItemKind::File), Some(0o660));
        assert_eq!(later.of(Path::new("a"), ItemKind::File), Some(0o640));
        assert_eq!(later.of(Path::new("new"), ItemKind::Executable), Some(0o750));
        assert_eq!(FileModes::default().of(Path::new("a"), ItemKind::File), None);
    }
}
