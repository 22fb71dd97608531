//! Finds the files of a work tree, reading only what changed.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::mem;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use ignore::{DirEntry, WalkBuilder, WalkState};

use crate::glance::{FolderReread, RereadCheck};
use crate::layout::{FolderLayout, KnownFile, WalkedFolder, folders_above};
use crate::manifest::{ManifestEntry, TreeManifest};
use crate::read_entry::read_entry;
use crate::rules::{FolderRules, WalkInputs};
use crate::scope::TreeScope;
use crate::stat::{FileClock, FolderStat, ScanStart};
use crate::work_handle::WorkHandle;
use crate::{parallel, path_bytes};

/// The inputs of one scan of a work tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TreeSurvey<'a> {
    pub(crate) root: &'a Path,
    pub(crate) scope: &'a TreeScope,
    /// The files of an earlier scan.
    pub(crate) known: &'a TreeManifest,
    /// Start time of the scan.
    pub(crate) now: ScanStart,
    /// Interrupts it; the result is then not valid.
    pub(crate) handle: &'a WorkHandle,
}

/// Tells if a scan found changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScanNews {
    None,
    Some,
}

/// The folders that a walk need not enter.
#[derive(Debug, Default)]
struct PrunedFolders {
    folders: HashSet<Vec<u8>>,
    /// Those of them that still exist and are not ignored.
    met: Mutex<HashSet<Vec<u8>>>,
}

/// A folder or a file that a walk finds.
enum WalkedEntry {
    Folder(WalkedFolder),
    File(KnownFile),
}

impl TreeSurvey<'_> {
    /// Updates `layout` to the present files.
    pub(crate) fn update(&self, layout: &mut FolderLayout) -> ScanNews {
        let grounds = WalkInputs::of(self.scope, self.now);
        let is_usable = grounds.is_some() && layout.grounds == grounds;
        let glances = if is_usable { self.glance(layout) } else { None };
        let Some(glances) = glances else {
            *layout = FolderLayout { grounds, folders: self.walk(&Arc::default()) };
            return ScanNews::Some;
        };
        let again = to_read_again(layout, &glances);
        let news = self.look_again(layout, &glances, &again);
        if again.is_empty() {
            return news;
        }
        layout.folders.retain(|folder| !again.contains(&folder.path));
        layout.folders = self.walk_around(mem::take(&mut layout.folders));
        ScanNews::Some
    }

    /// Returns the files at the ignored paths that count.
    pub(crate) fn included(&self) -> Vec<KnownFile> {
        let mut found = Vec::new();
        // A walk does not check if its own start is left out.
        let wanted = self.scope.included.iter();
        for path in wanted.filter(|path| !self.scope.left_out.contains(path)) {
            let mut builder = self.walk_from(&self.root.join(path), Arc::default());
            builder.standard_filters(false);
            found.extend(self.run(&builder).into_iter().filter_map(|met| match met {
                WalkedEntry::File(file) => Some(file),
                WalkedEntry::Folder(_) => None,
            }));
        }
        found.sort_by(|a, b| a.path.cmp(&b.path));
        found
    }

    /// Returns `None` if all folders have to be read again.
    fn glance(&self, layout: &FolderLayout) -> Option<Vec<FolderReread>> {
        if self.now.clock == FileClock::Unknown {
            return None;
        }
        let (root, now, size_limit) = (self.root, self.now, self.scope.size_limit);
        let glances = RereadCheck { root, now, size_limit }.at(layout)?;
        (!glances.contains(&FolderReread::Rules)).then_some(glances)
    }

    /// Reads the files that may have changed, except those in folders that are
    /// read anyway.
    fn look_again(
        &self,
        layout: &mut FolderLayout,
        glances: &[FolderReread],
        again: &HashSet<Vec<u8>>,
    ) -> ScanNews {
        let mut wanted = Vec::new();
        for (folder, glance) in glances.iter().enumerate() {
            if let FolderReread::Files(files) = glance
                && !files.is_empty()
                && !again.contains(&layout.folders[folder].path)
            {
                wanted.extend(files.iter().map(|file| (folder, *file)));
            }
        }
        let looks = parallel::map(&wanted, |(folder, file)| {
            let known = &layout.folders[*folder].files[*file];
            self.look(&self.root.join(path_bytes::from_bytes(&known.path)), known.entry.as_ref())
        });
        let mut news = ScanNews::None;
        // From the end, so that positions stay valid when one is removed.
        for ((folder, file), look) in wanted.into_iter().zip(looks).rev() {
            let folder = &mut layout.folders[folder];
            match look {
                Some(found) if found == folder.files[file] => continue,
                Some(found) => folder.files[file] = found,
                None => {
                    folder.files.remove(file);
                    folder.stat = None;
                }
            }
            news = ScanNews::Some;
        }
        news
    }

    /// Walks into all folders except `kept`, and adds those of them that still
    /// exist.
    fn walk_around(&self, kept: Vec<WalkedFolder>) -> Vec<WalkedFolder> {
        let pruned = PrunedFolders {
            folders: kept.iter().map(|folder| folder.path.clone()).collect(),
            met: Mutex::default(),
        };
        let pruned = Arc::new(pruned);
        let mut folders = self.walk(&pruned);
        let met = pruned.met.lock().unwrap_or_else(PoisonError::into_inner);
        let is_there = |folder: &WalkedFolder| {
            met.contains(&folder.path) || folders_above(&folder.path).any(|path| met.contains(path))
        };
        folders.extend(kept.into_iter().filter(is_there));
        folders.sort_by(|a, b| a.path.cmp(&b.path));
        folders
    }

    /// Returns all files that are not ignored, by folder.
    fn walk(&self, pruned: &Arc<PrunedFolders>) -> Vec<WalkedFolder> {
        let mut builder = self.walk_from(self.root, Arc::clone(pruned));
        // Rules above the root are not part of the project.
        builder.parents(false).require_git(false);
        let (mut folders, mut files) = (HashMap::new(), Vec::new());
        for met in self.run(&builder) {
            match met {
                WalkedEntry::Folder(folder) => drop(folders.insert(folder.path.clone(), folder)),
                WalkedEntry::File(file) => files.push(file),
            }
        }
        for file in files {
            let above = folders_above(&file.path).next().unwrap_or_default().to_vec();
            let folder =
                folders.entry(above).or_insert_with_key(|path| WalkedFolder::unread(path.clone()));
            folder.files.push(file);
        }
        let mut folders: Vec<_> = folders.into_values().collect();
        folders.sort_by(|a, b| a.path.cmp(&b.path));
        folders
    }

    fn walk_from(&self, start: &Path, pruned: Arc<PrunedFolders>) -> WalkBuilder {
        let (root, left_out) = (self.root.to_owned(), self.scope.left_out.clone());
        let mut builder = WalkBuilder::new(start);
        // A project does not extend into `/proc` or another disk.
        builder.hidden(false).follow_links(false).same_file_system(true);
        builder.filter_entry(move |item| {
            let relative = item.path().strip_prefix(&root).unwrap_or(item.path());
            item.file_name() != ".git"
                && !left_out.contains(relative)
                && !(is_folder(item) && pruned.has(relative))
                && ralph_files::may_enter(item.path(), item.file_type())
        });
        builder
    }

    fn run(&self, builder: &WalkBuilder) -> Vec<WalkedEntry> {
        let (sender, receiver) = mpsc::channel();
        builder.build_parallel().run(|| {
            let sender = sender.clone();
            Box::new(move |item| {
                if self.handle.is_interrupted() {
                    return WalkState::Quit;
                }
                // Unreadable folders, and those deleted meanwhile, are skipped.
                if let Some(met) = item.ok().and_then(|item| self.meet(&item)) {
                    // The receiver exists until all have been sent.
                    let _ = sender.send(met);
                }
                WalkState::Continue
            })
        });
        drop(sender);
        receiver.into_iter().collect()
    }

    fn meet(&self, item: &DirEntry) -> Option<WalkedEntry> {
        let path = item.path();
        let relative = path_bytes::to_bytes(path.strip_prefix(self.root).ok()?);
        if !is_folder(item) {
            return self.look(path, self.known.get(&relative)).map(WalkedEntry::File);
        }
        // A folder that cannot be opened is tried again next time.
        let metadata = File::open(path).and_then(|folder| folder.metadata()).ok();
        let stat = metadata.and_then(|found| FolderStat::of(&found));
        Some(WalkedEntry::Folder(WalkedFolder {
            stat: stat.filter(|stat| stat.is_at_rest(self.now)),
            rules: FolderRules::of(path, self.now),
            ..WalkedFolder::unread(relative)
        }))
    }

    /// Describes the file at `path`, if it is one.
    fn look(&self, path: &Path, known: Option<&ManifestEntry>) -> Option<KnownFile> {
        if self.handle.is_interrupted() {
            return None;
        }
        self.handle.advance(1);
        let relative = path.strip_prefix(self.root).ok()?;
        let metadata = fs::symlink_metadata(path).ok()?;
        let bytes = metadata.len();
        let is_large = metadata.is_file() && bytes > self.scope.size_limit;
        let entry = if is_large && !self.scope.must.contains(relative) {
            None
        } else {
            let entry = read_entry(path, &metadata, known, self.handle)?;
            let stat = entry.stat.filter(|stat| stat.is_at_rest(self.now));
            Some(ManifestEntry { stat, ..entry })
        };
        Some(KnownFile { path: path_bytes::to_bytes(relative).into(), bytes, entry })
    }
}

impl PrunedFolders {
    fn has(&self, folder: &Path) -> bool {
        let folder = path_bytes::to_bytes(folder);
        let is_pruned = self.folders.contains(&folder);
        if is_pruned {
            self.met.lock().unwrap_or_else(PoisonError::into_inner).insert(folder);
        }
        is_pruned
    }
}

/// Returns the folders that changed, and all above them, through which a walk
/// reaches them.
fn to_read_again(layout: &FolderLayout, glances: &[FolderReread]) -> HashSet<Vec<u8>> {
    let mut again = HashSet::new();
    for (folder, glance) in layout.folders.iter().zip(glances) {
        match glance {
            FolderReread::Files(_) => {}
            FolderReread::Names | FolderReread::Rules => {
                again.extend(folders_above(&folder.path).map(<[u8]>::to_vec));
                again.insert(folder.path.clone());
            }
        }
    }
    again
}

fn is_folder(item: &DirEntry) -> bool {
    item.file_type().is_some_and(|kind| kind.is_dir())
}

#[cfg(test)]
#[cfg(unix)]
#[path = "survey_tests.rs"]
mod tests;
