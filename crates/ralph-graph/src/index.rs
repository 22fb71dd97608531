//! The index of a project: its known code, and how fresh that is.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use ralph_store::{CodeStore, FolderChanges, StoreError};

use crate::code::KnownCode;
use crate::folder::{IndexedFileState, IndexedFolder};
use crate::freshness::{FileProblem, Freshness};
use crate::known::{self, StoredFileFacts};
use crate::manifest::ManifestKind;
use crate::mixer::FastHashMap;
use crate::outline::EncodedOutline;
use crate::project::{CodeFile, CodeProject};
use crate::update::{IndexUpdate, UpdateProgress, UpdateSummary, join};
use crate::walk::CodeTree;

/// The version of the stored format and of the facts read from a file. Another
/// version uses another database.
const VERSION: u32 = 9;

/// Size of the database per file of the project, in bytes, beyond which unused
/// contents are deleted; [`SPARE`] is added once.
const ROOM: u64 = 64 * 1024;
const SPARE: u64 = 32 * 1024 * 1024;

/// Number of parsed files from which on the log is written back to the
/// database.
const MANY: usize = 200;

/// An error that prevents having an index.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The store cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The project's folder cannot be read.
    #[error("cannot read {}", path.display())]
    Root {
        /// The folder.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
}

/// Returns a replacement for a store that cannot be used: a damaged one is
/// deleted, and if nothing can be stored, the store is in memory.
fn instead(state: &Path, error: StoreError) -> Result<CodeStore, StoreError> {
    match error {
        StoreError::ReadOnly { .. }
        | StoreError::DiskFull { .. }
        | StoreError::Io { .. }
        | StoreError::Busy { .. } => CodeStore::in_memory(),
        StoreError::Damaged { .. } | StoreError::Sqlite { .. } | StoreError::Unfit { .. } => {
            CodeStore::open_anew(state, VERSION).or_else(|_| CodeStore::in_memory())
        }
        StoreError::WorktreeBusy { .. }
        | StoreError::SessionBusy { .. }
        | StoreError::Stale { .. }
        | StoreError::RunExists { .. }
        | StoreError::NoSuchRun { .. }
        | StoreError::AlreadyDecided { .. }
        | StoreError::NewerSchema { .. } => Err(error),
    }
}

/// The known code of one work tree.
pub struct Index {
    tree: CodeTree,
    store: CodeStore,
    /// Name of the work tree in the store.
    root: String,
    folders: BTreeMap<String, IndexedFolder>,
}

impl Index {
    /// Opens the index of the work tree at `root`, which is stored in `state`.
    ///
    /// If nothing can be stored, every update reads all files.
    pub fn open(root: &Path, state: &Path) -> Result<Self, IndexError> {
        let store = match CodeStore::open(state, VERSION) {
            Ok(store) => store,
            Err(error) => instead(state, error)?,
        };
        Self::with(store, root, state)
    }

    /// Returns the index of the work tree at `root` if it exists; creates
    /// nothing.
    pub fn open_known(root: &Path, state: &Path) -> Result<Option<Self>, IndexError> {
        if !CodeStore::is_there(state, VERSION) {
            return Ok(None);
        }
        let index = Self::open(root, state)?;
        Ok((!index.is_new()).then_some(index))
    }

    fn with(store: CodeStore, root: &Path, state: &Path) -> Result<Self, IndexError> {
        let tree = CodeTree { root: root.to_owned(), own: state.to_owned() };
        let name = root.to_string_lossy().into_owned();
        let mut index = Self { tree, store, root: name, folders: BTreeMap::new() };
        if let Err(error) = index.load() {
            index.begin_anew(error)?;
        }
        Ok(index)
    }

    /// Replaces a store that failed. Its contents are read again.
    fn begin_anew(&mut self, error: StoreError) -> Result<(), IndexError> {
        self.folders.clear();
        self.store = instead(&self.tree.own, error)?;
        Ok(())
    }

    fn load(&mut self) -> Result<(), StoreError> {
        for (path, bytes) in self.store.folders(&self.root)? {
            let Some(folder) = IndexedFolder::decode(&bytes) else {
                // An unreadable state is built again.
                self.folders.clear();
                return Ok(());
            };
            self.folders.insert(path, folder);
        }
        Ok(())
    }

    /// Returns true if a state home has an index of any work tree; checks one
    /// path.
    pub fn exists(state: &Path) -> bool {
        state.join(format!("code.{VERSION}.db")).exists()
    }

    /// Returns true if nothing was ever read here.
    pub fn is_new(&self) -> bool {
        self.folders.is_empty()
    }

    /// Reads the changes since the last time. `now` counts nanoseconds since
    /// 1970.
    pub fn update(
        &mut self,
        now: i64,
        progress: &mut dyn FnMut(UpdateProgress),
    ) -> Result<UpdateSummary, IndexError> {
        let root = &self.tree.root;
        std::fs::read_dir(root)
            .map_err(|source| IndexError::Root { path: root.clone(), source })?;
        let updated = self.update_once(now, progress).or_else(|error| {
            self.begin_anew(error)?;
            self.update_once(now, progress).map_err(IndexError::from)
        });
        if updated.is_ok() {
            return updated;
        }
        self.folders.clear();
        self.store = CodeStore::in_memory()?;
        Ok(self.update_once(now, progress)?)
    }

    fn update_once(
        &mut self,
        now: i64,
        progress: &mut dyn FnMut(UpdateProgress),
    ) -> Result<UpdateSummary, StoreError> {
        let mut update =
            IndexUpdate { tree: &self.tree, store: &mut self.store, root: &self.root, now };
        let updated = update.run(&mut self.folders, progress)?;
        if updated.parsed > 0 {
            self.forget_unused()?;
        }
        if updated.parsed >= MANY {
            self.store.settle()?;
        }
        Ok(updated)
    }

    /// Forgets everything and reads all files again.
    pub fn rebuild(
        &mut self,
        now: i64,
        progress: &mut dyn FnMut(UpdateProgress),
    ) -> Result<UpdateSummary, IndexError> {
        if let Err(error) = self.store.clear() {
            self.begin_anew(error)?;
        }
        self.folders.clear();
        self.update(now, progress)
    }

    /// Deletes contents that no work tree uses, once the database is too large.
    /// Until then they are kept in case they come back.
    fn forget_unused(&mut self) -> Result<(), StoreError> {
        let own: usize = self.folders.values().map(|folder| folder.files.len()).sum();
        if self.store.size()? <= (own as u64) * ROOM + SPARE {
            return Ok(());
        }
        let mut gone = Vec::new();
        let mut used = HashSet::new();
        for root in self.store.roots()? {
            if !Path::new(&root).is_dir() {
                gone.push(root);
                continue;
            }
            let folders = self.store.folders(&root)?;
            let folders = folders.iter().filter_map(|(_, bytes)| IndexedFolder::decode(bytes));
            for folder in folders {
                used.extend(folder.files.iter().filter_map(|file| file.state.key()));
            }
        }
        let used: Vec<i64> = used.into_iter().collect();
        self.store.keep_only(&gone, &used)
    }

    /// Returns the known code, which answers questions.
    pub fn code(&mut self, now: i64) -> Result<KnownCode<'_>, IndexError> {
        let mut project = match self.project() {
            Ok(project) => project,
            Err(error) => {
                self.begin_anew(error)?;
                self.update(now, &mut |_| {})?;
                self.project()?
            }
        };
        if !project.1.is_empty() {
            self.read_again(&project.1, now)?;
            project = self.project()?;
        }
        let mut freshness = self.freshness();
        for (folder, name) in project.1 {
            let why = "what was read of it is lost".to_owned();
            freshness.partial.push(FileProblem { path: join(&folder, &name), why });
        }
        Ok(KnownCode::new(project.0, &self.store, &self.tree.root, freshness))
    }

    /// Returns all files by their outlines, and the paths of those whose
    /// outline is missing or unreadable.
    fn project(&self) -> Result<(CodeProject, Vec<(String, String)>), StoreError> {
        let mut wanted: FastHashMap<i64, Vec<String>> = FastHashMap::default();
        for (path, entry) in self.entries() {
            if let Some(key) = entry.key() {
                wanted.entry(key).or_default().push(path);
            }
        }
        let (mut files, mut manifests) = (Vec::new(), Vec::new());
        self.store.outlines(|key, bytes| {
            let Some(known) = wanted.get(&key).and_then(|_| known::decode(bytes)) else { return };
            let paths = wanted.remove(&key).unwrap_or_default();
            match known {
                StoredFileFacts::Code(family, outline) => {
                    files.extend(paths.into_iter().map(|path| CodeFile {
                        path,
                        family,
                        folded: EncodedOutline::new(outline),
                        key,
                    }));
                }
                StoredFileFacts::Manifest(manifest) => {
                    manifests.extend(paths.into_iter().map(|path| (path, manifest.clone())));
                }
            }
        })?;
        let missing = wanted.into_values().flatten().map(|path| {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
            (folder.to_owned(), name.to_owned())
        });
        Ok((CodeProject::new(files, manifests), missing.collect()))
    }

    /// Reads files whose outline was lost.
    fn read_again(&mut self, files: &[(String, String)], now: i64) -> Result<(), IndexError> {
        let mut changes = FolderChanges::default();
        let mut lost = Vec::new();
        for (folder, name) in files {
            let Some(known) = self.folders.get_mut(folder) else { continue };
            for file in known.files.iter_mut().filter(|file| file.name == *name) {
                lost.extend(file.state.key());
                file.stamp = None;
                file.state = IndexedFileState::Other;
            }
            changes.put.push((folder.clone(), known.encode()));
        }
        self.store.forget(&lost)?;
        self.store.write(&self.root, &[], &changes)?;
        self.update(now, &mut |_| {})?;
        Ok(())
    }

    fn entries(&self) -> impl Iterator<Item = (String, &IndexedFileState)> {
        self.folders.iter().flat_map(|(path, folder)| {
            folder.files.iter().map(move |file| (join(path, &file.name), &file.state))
        })
    }

    /// Tells how far the index can be relied on.
    pub fn freshness(&self) -> Freshness {
        let mut found = Freshness::default();
        let entries = self.folders.iter().flat_map(|(path, folder)| {
            folder.files.iter().map(move |file| (path, &file.name, &file.state))
        });
        for (folder, name, state) in entries {
            let trouble = |why: String| FileProblem { path: join(folder, name), why };
            let at = |line: &u32| format!("does not follow its grammar at line {line}");
            // Manifests say where code is, and contain none.
            let files = usize::from(ManifestKind::of(name).is_none());
            match state {
                IndexedFileState::Rules | IndexedFileState::Other => {}
                IndexedFileState::Read { .. } => found.files += files,
                IndexedFileState::Broken { line, .. } => {
                    found.files += files;
                    found.partial.push(trouble(at(line)));
                }
                IndexedFileState::Kept { line, .. } => {
                    found.files += files;
                    found.stale.push(trouble(format!("{}; known as it was before", at(line))));
                }
                IndexedFileState::Skipped { why } => found.skipped.push(trouble(why.clone())),
                IndexedFileState::Unreadable { why } => found.partial.push(trouble(why.clone())),
            }
        }
        found
    }

    /// Returns an index that is stored nowhere.
    #[cfg(test)]
    pub(crate) fn fleeting(root: &Path) -> Result<Self, IndexError> {
        Self::with(CodeStore::in_memory()?, root, Path::new(""))
    }

    /// Returns the state of each file, for comparison in tests.
    #[cfg(test)]
    pub(crate) fn states(&self) -> BTreeMap<String, IndexedFileState> {
        self.entries().map(|(path, state)| (path, state.clone())).collect()
    }
}

#[cfg(test)]
#[path = "index_tests.rs"]
mod tests;
