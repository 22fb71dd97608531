//! Snapshots outside git: a list of files in the state folder, and their
//! contents by digest.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use ralph_core::{RunId, Timestamp, TreeId};

use crate::error::TreeError;
use crate::facts::{AttributesPresence, TreeFacts};
use crate::file_tree::FileTree;
use crate::found::{ListedFile, PresentTree};
use crate::keeper::{ContentKeeper, ContentSink};
use crate::label::SnapshotLabel;
use crate::manifest::{ManifestEntry, ManifestEntryKind, TreeManifest};
use crate::modes::FileModes;
use crate::objects::StoreOutcome;
use crate::scope::TreeScope;
use crate::snapshot::{
    ItemKind, PathDifference, RecordedTree, Snapshot, SnapshotPlace, TreeItem, TreeVersion,
};
use crate::{aside, parallel, path_bytes, probe};

/// Number of attempts to read files that change while they are read.
const ATTEMPTS: usize = 5;

/// Number of files to store between two checks for errors.
const STORED_AT_ONCE: usize = 1024;

impl ContentKeeper for FileTree {
    fn record(
        &self,
        scope: &TreeScope,
        base: Option<&Snapshot>,
        now: Timestamp,
    ) -> Result<RecordedTree, TreeError> {
        let _shared = self.objects.share()?;
        let (manifest, found) = self.store_all(scope, base)?;
        self.save(&found.id, &manifest)?;
        let (folders, modes) = if let Some(base) = base {
            (aside::folders_left(&self.root, base), self.modes_since(base, &found, &manifest)?)
        } else {
            let folders = self.empty_folders();
            let modes = self.modes(&manifest).with_folders(&self.root, &folders);
            (folders, modes)
        };
        let facts = TreeFacts {
            at: now,
            left_out: found.left_out,
            nested: Vec::new(),
            folders,
            modes,
            attributes: AttributesPresence::Absent,
        };
        Ok(RecordedTree { version: TreeVersion { tree: found.id, raw: None }, facts })
    }

    fn keep(
        &self,
        run: &RunId,
        label: SnapshotLabel,
        present: &RecordedTree,
        like: Option<&Snapshot>,
    ) -> Result<Snapshot, TreeError> {
        let _shared = self.objects.share()?;
        let at = like.filter(|like| like.is_like(present)).map_or(present.facts.at, |like| like.at);
        let facts = TreeFacts { at, ..present.facts.clone() };
        let tree = &present.version.tree;
        if !self.kept_tree(tree).exists() {
            // The tree was deleted between recording and naming it.
            return Err(TreeError::UnknownTree { id: tree.clone() });
        }
        let folder = self.run_folder(run);
        crate::work_tree::create_private(&folder)?;
        let path = folder.join(label.to_string());
        let text = format!("tree: {tree}\n{}", facts.render());
        probe::write_atomically(&path, text.as_bytes()).map_err(TreeError::io("write", &path))?;
        let place = SnapshotPlace::Files { manifest: self.kept_tree(tree) };
        Ok(Snapshot::new(label, tree.clone(), place, facts))
    }

    fn list(&self, run: &RunId) -> Result<Vec<Snapshot>, TreeError> {
        let mut found = self.list_folder(&self.run_folder(run))?;
        found.sort_by_key(|snapshot| snapshot.label);
        Ok(found)
    }

    fn differences(
        &self,
        from: &TreeVersion,
        to: &TreeVersion,
    ) -> Result<Vec<PathDifference>, TreeError> {
        if from == to {
            return Ok(Vec::new());
        }
        let (from, to) = (self.load(&from.tree)?, self.load(&to.tree)?);
        let changes = from.changes(&to);
        let mut found: Vec<_> = changes
            .into_iter()
            .map(|change| {
                let path = path_bytes::to_bytes(&change.path);
                let item = |manifest: &TreeManifest| manifest.get(&path).map(item_of);
                PathDifference { from: item(&from), to: item(&to), path: change.path }
            })
            .collect();
        found.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(found)
    }

    fn read(&self, items: &[&TreeItem], sink: &mut ContentSink<'_>) -> Result<(), TreeError> {
        items
            .iter()
            .enumerate()
            .try_for_each(|(position, item)| sink(position, &mut self.objects.open(&item.content)?))
    }

    fn remove(&self, run: &RunId) -> Result<(), TreeError> {
        let _own = self.objects.own()?;
        let folder = self.run_folder(run);
        match fs::remove_dir_all(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            removed => removed.map_err(TreeError::io("remove", &folder))?,
        }
        let trees = self.trees_of_runs(|_| true)?;
        let kept = self.kept_tree(&TreeId::new("x"));
        for file in fs::read_dir(kept.parent().unwrap_or(&kept)).into_iter().flatten().flatten() {
            if !trees.contains(&*file.file_name().to_string_lossy()) {
                let path = file.path();
                fs::remove_file(&path).map_err(TreeError::io("remove", &path))?;
            }
        }
        self.objects.retain(&self.contents_of(&trees)?)
    }

    fn space_used(&self, run: &RunId) -> Result<u64, TreeError> {
        let own_folder = self.run_folder(run);
        let own = self.trees_of_runs(|folder| folder == own_folder)?;
        let others = self.trees_of_runs(|folder| folder != own_folder)?;
        let needed = self.contents_of(&others)?;
        let contents = self.contents_of(&own)?;
        let contents = contents.difference(&needed).map(|digest| self.objects.size(digest));
        let trees = own.difference(&others).map(|tree| {
            fs::metadata(self.kept_tree(&TreeId::new(tree))).map_or(0, |found| found.len())
        });
        Ok(contents.sum::<u64>() + trees.sum::<u64>())
    }
}

impl FileTree {
    /// Stores the contents of all files that `base` does not have.
    fn store_all(
        &self,
        scope: &TreeScope,
        base: Option<&Snapshot>,
    ) -> Result<(Arc<TreeManifest>, PresentTree), TreeError> {
        let mut restless = None;
        for _ in 0..ATTEMPTS {
            let (manifest, found) = self.manifest(scope)?;
            if base.is_some_and(|base| base.tree == found.id) {
                return Ok((manifest, found));
            }
            let known = base.and_then(|base| self.stored(&base.tree)).unwrap_or_default();
            restless = self.store(&manifest, &known)?;
            if restless.is_none() {
                *self.stored.lock().unwrap_or_else(PoisonError::into_inner) =
                    Some((found.id.clone(), Arc::clone(&manifest)));
                return Ok((manifest, found));
            }
            // The cached digest, trusted for its time and size, was wrong.
            self.forget();
        }
        Err(TreeError::Restless { path: restless.unwrap_or_default() })
    }

    /// Returns the files of a snapshot whose contents are all stored.
    fn stored(&self, tree: &TreeId) -> Option<Arc<TreeManifest>> {
        let last = self.stored.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some((id, manifest)) if id == tree => Some(Arc::clone(manifest)),
            Some(_) | None => self.load(tree).ok().map(Arc::new),
        }
    }

    /// Stores contents; returns a file that changed meanwhile, if any.
    fn store(
        &self,
        manifest: &TreeManifest,
        known: &TreeManifest,
    ) -> Result<Option<PathBuf>, TreeError> {
        let is_new = |(path, entry): &(&[u8], &ManifestEntry)| {
            let is_known = known.get(path).is_some_and(|known| known.content == entry.content);
            !is_known && entry.kind != ManifestEntryKind::Unreadable
        };
        let wanted: Vec<_> = manifest.iter().filter(is_new).collect();
        self.handle.begin(wanted.len());
        // Works in small batches, so that a full disk is reported at once.
        for some in wanted.chunks(STORED_AT_ONCE) {
            let stored = parallel::map(some, |(path, entry)| {
                self.handle.check()?;
                let path = path_bytes::from_bytes(path);
                let stored = self.store_one(&path, entry)?;
                self.handle.advance(1);
                Ok((stored == StoreOutcome::Changed).then_some(path))
            });
            for changed in stored {
                if let Some(path) = changed? {
                    return Ok(Some(path));
                }
            }
        }
        Ok(None)
    }

    fn modes(&self, manifest: &TreeManifest) -> FileModes {
        let files = manifest.iter();
        let listed = files.map(|(path, entry)| ListedFile {
            path: path_bytes::from_bytes(path),
            kind: item_kind(entry.kind),
            permissions: None,
        });
        FileModes::survey(&self.root, &listed.collect::<Vec<_>>())
    }

    fn modes_since(
        &self,
        base: &Snapshot,
        found: &PresentTree,
        manifest: &TreeManifest,
    ) -> Result<FileModes, TreeError> {
        let changes = if base.tree == found.id {
            Vec::new()
        } else {
            self.load(&base.tree)?.changes(manifest)
        };
        let kind = |path: &Path| {
            let entry = manifest.get(&path_bytes::to_bytes(path));
            entry.map(|entry| item_kind(entry.kind))
        };
        let kinds = changes.iter().map(|change| (&*change.path, kind(&change.path)));
        Ok(base.modes.since(&self.root, kinds))
    }

    fn store_one(&self, path: &Path, entry: &ManifestEntry) -> Result<StoreOutcome, TreeError> {
        let absolute = self.root.join(path);
        self.objects.put(&entry.content, || -> io::Result<Box<dyn Read>> {
            Ok(match entry.kind {
                ManifestEntryKind::Link => {
                    Box::new(Cursor::new(path_bytes::to_bytes(&fs::read_link(absolute)?)))
                }
                ManifestEntryKind::File
                | ManifestEntryKind::Executable
                | ManifestEntryKind::Unreadable => {
                    self.handle.reading(ralph_files::open_own(absolute)?)
                }
            })
        })
    }

    fn run_folder(&self, run: &RunId) -> PathBuf {
        self.state.join("snapshots").join(run.as_str())
    }

    /// Returns the path of the file list that a snapshot needs.
    fn kept_tree(&self, tree: &TreeId) -> PathBuf {
        self.state.join("snapshot-trees").join(tree.as_str())
    }

    fn save(&self, tree: &TreeId, manifest: &TreeManifest) -> Result<(), TreeError> {
        let path = self.kept_tree(tree);
        if path.exists() {
            return Ok(());
        }
        crate::work_tree::create_private(path.parent().unwrap_or(&self.state))?;
        if self.manifests.link(tree, &path) {
            return Ok(());
        }
        probe::write_atomically(&path, manifest.render().as_bytes())
            .map_err(TreeError::io("write", &path))
    }

    /// Returns the files of a tree that a snapshot holds or that was named
    /// lately.
    fn load(&self, tree: &TreeId) -> Result<TreeManifest, TreeError> {
        let kept = ralph_files::read_own_text(self.kept_tree(tree)).ok();
        let kept =
            kept.and_then(|text| TreeManifest::parse(&text)).filter(|found| found.id() == *tree);
        kept.map_or_else(|| self.manifests.load(tree), Ok)
    }

    fn list_folder(&self, folder: &Path) -> Result<Vec<Snapshot>, TreeError> {
        let mut found = Vec::new();
        for file in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(label) = file.file_name().to_string_lossy().parse() else { continue };
            let path = file.path();
            let text = ralph_files::read_own_text(&path).map_err(TreeError::io("read", &path))?;
            let tree = text.lines().find_map(|line| line.strip_prefix("tree: "));
            if let (Some(tree), Some(facts)) = (tree.map(TreeId::new), TreeFacts::parse(&text)) {
                let place = SnapshotPlace::Files { manifest: self.kept_tree(&tree) };
                found.push(Snapshot::new(label, tree, place, facts));
            }
        }
        Ok(found)
    }

    /// Returns the trees of all runs whose folder is `wanted`.
    fn trees_of_runs(&self, wanted: impl Fn(&Path) -> bool) -> Result<BTreeSet<String>, TreeError> {
        let mut trees = BTreeSet::new();
        let runs = fs::read_dir(self.state.join("snapshots")).into_iter().flatten().flatten();
        for run in runs.map(|run| run.path()).filter(|run| wanted(run)) {
            let snapshots = self.list_folder(&run)?;
            trees.extend(snapshots.into_iter().map(|snapshot| snapshot.tree.to_string()));
        }
        Ok(trees)
    }

    /// Returns the digests of the contents of these trees.
    fn contents_of(&self, trees: &BTreeSet<String>) -> Result<BTreeSet<String>, TreeError> {
        let mut digests = BTreeSet::new();
        for tree in trees {
            let manifest = self.load(&TreeId::new(tree))?;
            digests.extend(manifest.iter().map(|(_, entry)| entry.content.to_hex().to_string()));
        }
        Ok(digests)
    }
}

fn item_of(entry: &ManifestEntry) -> TreeItem {
    TreeItem { kind: item_kind(entry.kind), content: entry.content.to_hex().to_string() }
}

fn item_kind(kind: ManifestEntryKind) -> ItemKind {
    match kind {
        ManifestEntryKind::File => ItemKind::File,
        ManifestEntryKind::Executable => ItemKind::Executable,
        ManifestEntryKind::Link => ItemKind::Link,
        ManifestEntryKind::Unreadable => ItemKind::Opaque,
    }
}
