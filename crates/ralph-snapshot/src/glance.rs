//! Checks known folders and files for changes, without reading any folder.

use std::path::Path;

use crate::layout::{FolderLayout, WalkedFolder};
use crate::path_bytes;
use crate::rules::FolderRules;
use crate::stat::ScanStart;

/// The part of a folder that has to be read again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FolderReread {
    /// Its names are unchanged; these of its files may have changed, by
    /// position.
    Files(Vec<usize>),
    /// The whole folder.
    Names,
    /// The folder and all below it: other files may be ignored now.
    Rules,
}

/// The inputs of the check.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RereadCheck<'a> {
    pub(crate) root: &'a Path,
    pub(crate) now: ScanStart,
    /// Larger files are always checked again.
    pub(crate) size_limit: u64,
}

impl RereadCheck<'_> {
    /// Checks all folders and files; `None` where that is not possible.
    #[cfg(unix)]
    pub(crate) fn at(&self, layout: &FolderLayout) -> Option<Vec<FolderReread>> {
        let root = std::fs::File::open(self.root).ok()?;
        let look = |folder: &WalkedFolder| {
            let glance = folders::names_are_same(&root, folder)
                .and_then(|opened| self.files(&opened, folder))
                .map_or(FolderReread::Names, FolderReread::Files);
            if self.rules_are_same(folder, &glance) { glance } else { FolderReread::Rules }
        };
        Some(crate::parallel::map(&layout.folders, look))
    }

    /// Checks all folders and files; `None` where that is not possible.
    #[cfg(not(unix))]
    pub(crate) fn at(&self, _layout: &FolderLayout) -> Option<Vec<FolderReread>> {
        None
    }

    /// Returns the positions of files to check again; `None` if one is missing.
    #[cfg(unix)]
    fn files(&self, opened: &std::fs::File, folder: &WalkedFolder) -> Option<Vec<usize>> {
        use rustix::fs::{AtFlags, statat};

        let mut changed = Vec::new();
        for (position, file) in folder.files.iter().enumerate() {
            let raw = statat(opened, folder.name_of(file), AtFlags::SYMLINK_NOFOLLOW).ok()?;
            let stat = crate::stat::FileStat::of_raw(&raw);
            let known = file.entry.as_ref().and_then(|entry| entry.stat);
            if known != Some(stat) || stat.size > self.size_limit {
                changed.push(position);
            }
        }
        Some(changed)
    }

    fn rules_are_same(&self, folder: &WalkedFolder, glance: &FolderReread) -> bool {
        let Some(rules) = folder.rules else { return false };
        let is_unread = matches!(glance, FolderReread::Files(_));
        if is_unread && rules.is_empty() {
            return true;
        }
        let path = self.root.join(path_bytes::from_bytes(&folder.path));
        FolderRules::of(&path, self.now) == Some(rules)
    }
}

#[cfg(unix)]
mod folders {
    use std::fs::File;

    use rustix::fs::{Mode, OFlags, openat};

    use crate::layout::WalkedFolder;
    use crate::stat::FolderStat;

    /// Opens a folder if its metadata is unchanged.
    pub(super) fn names_are_same(root: &File, folder: &WalkedFolder) -> Option<File> {
        let path: &[u8] = if folder.path.is_empty() { b"." } else { &folder.path };
        // Opening it for reading proves that it can be read.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let known = folder.stat?;
        let opened = File::from(openat(root, path, flags, Mode::empty()).ok()?);
        let stat = FolderStat::of(&opened.metadata().ok()?);
        (stat == Some(known)).then_some(opened)
    }
}
