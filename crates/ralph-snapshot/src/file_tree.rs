//! Tree ids made without git.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ralph_core::{Approach, TreeId};

use crate::approach::ApproachHunks;
use crate::error::TreeError;
use crate::found::PresentTree;
use crate::layout::{FolderLayout, KnownFile};
use crate::manifest::{ManifestCache, TreeManifest};
use crate::objects::ObjectFolder;
use crate::scope::TreeScope;
use crate::stat::{FileClock, ScanStart};
use crate::survey::{ScanNews, TreeSurvey};
use crate::work_handle::WorkHandle;
use crate::work_tree::TreeChange;
use crate::{file_system, path_bytes};

/// A manifest is saved again only if more than one in `WORTH` of its files got
/// another time: the next process can reread a few.
const WORTH: usize = 16;

/// A work tree read file by file.
#[derive(Debug)]
pub(crate) struct FileTree {
    pub(crate) root: PathBuf,
    pub(crate) state: PathBuf,
    pub(crate) objects: ObjectFolder,
    pub(crate) manifests: ManifestCache,
    /// The files recorded last, whose contents are all stored.
    pub(crate) stored: Mutex<Option<(TreeId, Arc<TreeManifest>)>>,
    /// The result of the last scan, so that only changed files are read again.
    last: Mutex<Option<Box<EarlierScan>>>,
    pub(crate) handle: WorkHandle,
}

/// The result of an earlier scan.
#[derive(Debug, Default)]
struct EarlierScan {
    layout: FolderLayout,
    /// Files at ignored paths that count.
    included: Vec<KnownFile>,
    /// All these files.
    manifest: Arc<TreeManifest>,
    /// The id of their tree, if it is known.
    id: Option<TreeId>,
}

impl FileTree {
    pub(crate) fn new(root: &Path, state: &Path, handle: &WorkHandle) -> Self {
        Self {
            root: root.to_owned(),
            state: state.to_owned(),
            objects: ObjectFolder::new(state),
            manifests: ManifestCache::new(state),
            stored: Mutex::new(None),
            last: Mutex::new(None),
            handle: handle.clone(),
        }
    }

    pub(crate) fn tree(&self, scope: &TreeScope) -> Result<PresentTree, TreeError> {
        let (_, found) = self.manifest(scope)?;
        Ok(found)
    }

    /// Returns all files with the id of their tree.
    pub(crate) fn manifest(
        &self,
        scope: &TreeScope,
    ) -> Result<(Arc<TreeManifest>, PresentTree), TreeError> {
        self.manifests.create()?;
        // An unreadable root is an error, not an empty tree.
        fs::read_dir(&self.root).map_err(TreeError::io("read", &self.root))?;
        if let Some(name) = ralph_files::odd_rules(&self.root) {
            return Err(TreeError::NoFile { path: self.root.join(name) });
        }
        let mut last = self.last();
        let mut known = last.take().unwrap_or_else(|| self.newest());
        let news = self.update(&mut known, scope)?;
        let id = self.name(&mut known, news)?;
        let files = known.layout.files().chain(&known.included);
        let mut left_out: Vec<_> = files.filter_map(KnownFile::left_out).collect();
        left_out.sort();
        left_out.dedup();
        let manifest = Arc::clone(&known.manifest);
        *last = Some(known);
        Ok((manifest, PresentTree { id, left_out, nested: Vec::new(), files: None }))
    }

    fn update(&self, known: &mut EarlierScan, scope: &TreeScope) -> Result<ScanNews, TreeError> {
        let manifest = Arc::clone(&known.manifest);
        let now = ScanStart { time: self.manifests.now()?, clock: self.clock() };
        let (root, handle) = (&*self.root, &self.handle);
        let survey = TreeSurvey { root, scope, known: &manifest, now, handle };
        handle.begin(0);
        let news = survey.update(&mut known.layout);
        let included = survey.included();
        // An interrupted scan is incomplete.
        handle.check()?;
        if included == known.included {
            return Ok(news);
        }
        known.included = included;
        Ok(ScanNews::Some)
    }

    /// Returns the tree id of the files, and saves them for other processes.
    fn name(&self, known: &mut EarlierScan, news: ScanNews) -> Result<TreeId, TreeError> {
        let mut is_old = true;
        if news == ScanNews::Some {
            let manifest = known.layout.manifest(&known.included);
            let is_same = manifest.is_same_tree(&known.manifest);
            is_old = is_same && manifest.differing(&known.manifest) <= manifest.len() / WORTH;
            known.id.take_if(|_| !is_same);
            known.manifest = Arc::new(manifest);
        }
        let id = known.id.take().unwrap_or_else(|| known.manifest.id());
        if !is_old || !self.manifests.has(&id) {
            self.manifests.save(&id, &known.manifest)?;
        }
        known.id = Some(id.clone());
        Ok(id)
    }

    fn clock(&self) -> FileClock {
        file_system::clock_of([&self.root, &self.state])
    }

    /// Returns the folders without a file of the tree that was found last.
    pub(crate) fn empty_folders(&self) -> Vec<PathBuf> {
        let last = self.last();
        last.as_ref().map_or_else(Vec::new, |known| known.layout.empty_folders(&known.manifest))
    }

    /// Makes the next scan read every file again.
    pub(crate) fn forget(&self) {
        *self.last() = Some(Box::default());
    }

    fn last(&self) -> MutexGuard<'_, Option<Box<EarlierScan>>> {
        // A panic while it was locked leaves at worst `None`, which is sound.
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the result of an earlier process.
    fn newest(&self) -> Box<EarlierScan> {
        let manifest = Arc::new(self.manifests.newest().unwrap_or_default());
        Box::new(EarlierScan { manifest, ..EarlierScan::default() })
    }

    pub(crate) fn changes(&self, from: &TreeId, to: &TreeId) -> Result<Vec<TreeChange>, TreeError> {
        Ok(self.manifests.load(from)?.changes(&self.manifests.load(to)?))
    }

    pub(crate) fn approach(
        &self,
        from: &TreeId,
        to: &TreeId,
    ) -> Result<Option<Approach>, TreeError> {
        let (earlier, later) = (self.manifests.load(from)?, self.manifests.load(to)?);
        let mut parts = ApproachHunks::default();
        for change in earlier.changes(&later) {
            let path = path_bytes::to_bytes(&change.path);
            for entry in [earlier.get(&path), later.get(&path)].into_iter().flatten() {
                let what = [&[entry.kind.letter()], entry.normal.as_bytes().as_slice()].concat();
                parts.add(&path, &what);
            }
        }
        Ok(parts.approach())
    }
}

#[cfg(test)]
#[path = "file_tree_tests.rs"]
mod tests;
