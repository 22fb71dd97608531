//! Updates the index: unchanged files are not read, and known contents are not
//! parsed.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ralph_store::{CodeStore, FolderChanges, NewFacts, StoreError};
use rayon::prelude::*;

use crate::content::{FileContent, FileLoader, ParseOutcome, load, parse};
use crate::folder::{IndexedFile, IndexedFileState, IndexedFolder};
use crate::known;
use crate::walk::{CodeTree, FileListing, FolderWork, WalkedFile, WalkedFileKind};

/// Number of files that are read before their facts are written: few enough to
/// keep memory low, enough to keep all threads busy.
const BATCH: usize = 256;

/// Number of bytes that are read before their facts are written.
const BATCH_BYTES: u64 = 16 * 1024 * 1024;

/// Number of bytes that are collected for one write. Keys are in no order, so
/// nearly every write touches nearly every page: few large writes cost least.
const WRITE_BYTES: usize = 24 * 1024 * 1024;

/// Number of files from which on the keys of all known contents are fetched at
/// once.
const MANY: usize = 64;

/// Number of folders from which on all are listed in one walk: the way to each
/// begins at the root and passes its siblings.
const MANY_FOLDERS: usize = 32;

/// The progress of an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UpdateProgress {
    /// Number of files already checked.
    pub done: usize,
    /// Number of files to check.
    pub total: usize,
}

/// The result of an update.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UpdateSummary {
    /// Number of files that were read because they are new or may have changed.
    pub read: usize,
    /// Number of those whose contents were new.
    pub parsed: usize,
    /// Number of deleted files.
    pub removed: usize,
}

/// A file to be read.
#[derive(Debug, Clone)]
struct ReadTask {
    folder: String,
    name: String,
    size: u64,
    before: Option<IndexedFileState>,
}

impl ReadTask {
    fn path(&self) -> String {
        join(&self.folder, &self.name)
    }
}

/// Joins a folder and a name.
pub(crate) fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// One update of the index of a root.
pub(crate) struct IndexUpdate<'a> {
    pub(crate) tree: &'a CodeTree,
    pub(crate) store: &'a mut CodeStore,
    pub(crate) root: &'a str,
    /// Nanoseconds since 1970.
    pub(crate) now: i64,
}

impl IndexUpdate<'_> {
    /// Updates `folders` and the store.
    pub(crate) fn run(
        &mut self,
        folders: &mut BTreeMap<String, IndexedFolder>,
        progress: &mut dyn FnMut(UpdateProgress),
    ) -> Result<UpdateSummary, StoreError> {
        let before = count_files(folders);
        let mut plan = UpdatePlan { now: self.now, ..UpdatePlan::default() };
        plan.make(self.tree, folders);
        let mut updated = UpdateSummary { read: plan.tasks.len(), ..UpdateSummary::default() };
        let tasks = std::mem::take(&mut plan.tasks);
        let (parsed, last) = self.work(&tasks, folders, progress)?;
        updated.parsed = parsed;
        plan.touched.extend(tasks.into_iter().map(|task| task.folder));
        let put = plan.touched.into_iter().filter_map(|path| {
            let bytes = folders.get(&path)?.encode();
            Some((path, bytes))
        });
        let changes = FolderChanges { put: put.collect(), removed: plan.removed };
        if !last.is_empty() || changes != FolderChanges::default() {
            self.store.write(self.root, &last, &changes)?;
        }
        updated.removed = (before + plan.added).saturating_sub(count_files(folders));
        Ok(updated)
    }

    /// Reads the files and puts their states into `folders`. Returns the number
    /// of parsed files, and the facts that are not written yet.
    fn work(
        &mut self,
        tasks: &[ReadTask],
        folders: &mut BTreeMap<String, IndexedFolder>,
        progress: &mut dyn FnMut(UpdateProgress),
    ) -> Result<(usize, Vec<NewFacts>), StoreError> {
        let known = if tasks.len() > MANY { Some(self.store.keys()?) } else { None };
        let mut pending = PendingFacts::default();
        let (mut done, mut parsed_count) = (0, 0);
        for batch in batches(tasks) {
            let (tree, now, root) = (self.tree, self.now, self.root);
            // One at a time: a reading thread may query while others do.
            let store = Mutex::new(&mut *self.store);
            let is_known = |key: i64| match &known {
                Some(known) => known.contains(&key),
                None => lock(&store).has(key).unwrap_or(false),
            };
            let read = || read_batch(tree, batch, now, &is_known);
            let results = if pending.bytes < WRITE_BYTES {
                read()
            } else {
                // The previous facts are written while the next files are read.
                let before = std::mem::take(&mut pending).facts;
                let write = || lock(&store).write(root, &before, &FolderChanges::default());
                let (written, results) = rayon::join(write, read);
                written?;
                results
            };
            for (task, content) in batch.iter().zip(results) {
                let (entry, new) = self.settle(task, content)?;
                parsed_count += usize::from(new.is_some());
                pending.extend(new);
                if let Some(folder) = folders.get_mut(&task.folder) {
                    put(folder, entry);
                }
            }
            done += batch.len();
            progress(UpdateProgress { done, total: tasks.len() });
        }
        Ok((parsed_count, pending.facts))
    }

    /// Returns the new entry of a file that was read, and its facts if they are
    /// new.
    fn settle(
        &self,
        task: &ReadTask,
        content: FileContent,
    ) -> Result<(IndexedFile, Option<NewFacts>), StoreError> {
        let stamp = content.stamp;
        let entry = |state| IndexedFile { name: task.name.clone(), stamp, state };
        let (key, new) = match content.parsed {
            ParseOutcome::Not(state) => return Ok((entry(state), None)),
            ParseOutcome::Known { key } => (key, None),
            ParseOutcome::New(new) => (new.key, Some(new)),
        };
        let stored = if new.is_none() { self.store.outline(key)? } else { None };
        let bytes = new.as_ref().map(|new| &new.outline).or(stored.as_ref());
        let broken = bytes.and_then(|bytes| known::broken_line(bytes));
        let Some(line) = broken else { return Ok((entry(IndexedFileState::Read { key }), new)) };
        let good = task.before.as_ref().and_then(IndexedFileState::good_key);
        if let (Some(good), Some(bytes)) = (good, bytes)
            && let Some(earlier) = self.store.outline(good)?
            && known::lacks(bytes, &earlier)
        {
            return Ok((entry(IndexedFileState::Kept { key: good, line }), new));
        }
        Ok((entry(IndexedFileState::Broken { key, line }), new))
    }
}

/// Facts that are not written yet.
#[derive(Default)]
struct PendingFacts {
    facts: Vec<NewFacts>,
    bytes: usize,
}

impl PendingFacts {
    fn extend(&mut self, new: Option<NewFacts>) {
        self.bytes += new.as_ref().map_or(0, |new| new.outline.len() + new.facts.len());
        self.facts.extend(new);
    }
}

/// Locks a mutex even if another thread panicked: no change is left half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn count_files(folders: &BTreeMap<String, IndexedFolder>) -> usize {
    folders.values().map(|folder| folder.files.len()).sum()
}

/// Puts a file into its folder, replacing its previous entry.
fn put(folder: &mut IndexedFolder, entry: IndexedFile) {
    match folder.files.binary_search_by(|file| file.name.cmp(&entry.name)) {
        Ok(index) => {
            if let Some(known) = folder.files.get_mut(index) {
                *known = entry;
            }
        }
        Err(index) => folder.files.insert(index, entry),
    }
}

/// Splits files into groups that are read together.
fn batches(tasks: &[ReadTask]) -> impl Iterator<Item = &[ReadTask]> {
    let mut rest = tasks;
    std::iter::from_fn(move || {
        let mut bytes = 0;
        let fits = |task: &&ReadTask| {
            bytes += task.size;
            bytes <= BATCH_BYTES
        };
        let count = rest.iter().take(BATCH).take_while(fits).count().max(1);
        let (batch, others) = rest.split_at_checked(count)?;
        rest = others;
        Some(batch)
    })
}

fn read_batch(
    tree: &CodeTree,
    batch: &[ReadTask],
    now: i64,
    is_known: &(dyn Fn(i64) -> bool + Sync),
) -> Vec<FileContent> {
    let read = |workshop: &mut FileLoader, task: &ReadTask| {
        let path = task.path();
        parse(workshop, &path, load(&tree.at(&path), now), is_known)
    };
    if batch.len() < 4 {
        // A thread costs more than a few files.
        let mut workshop = FileLoader::default();
        return batch.iter().map(|task| read(&mut workshop, task)).collect();
    }
    batch.par_iter().map_init(FileLoader::default, read).collect()
}

/// The files to read, and the folders to write.
#[derive(Default)]
struct UpdatePlan {
    now: i64,
    tasks: Vec<ReadTask>,
    touched: HashSet<String>,
    removed: Vec<String>,
    /// Number of new files.
    added: usize,
}

impl UpdatePlan {
    fn make(&mut self, tree: &CodeTree, folders: &mut BTreeMap<String, IndexedFolder>) {
        if !folders.contains_key("") {
            return self.take_all(tree.walk(""), folders);
        }
        let glances: Vec<(String, FolderWork)> = folders
            .iter()
            .map(|(path, folder)| (path.clone(), tree.glance(path, folder)))
            .filter(|(_, glance)| *glance != FolderWork::Files(Vec::new()))
            .collect();
        let others = glances.iter().filter(|(_, glance)| *glance == FolderWork::Names).count();
        let is_other = glances.iter().any(|(_, glance)| *glance == FolderWork::Rules);
        if is_other || others > MANY_FOLDERS {
            return self.take_all(tree.walk(""), folders);
        }
        let listed: Vec<FolderListings> = glances
            .iter()
            .filter(|(_, glance)| *glance == FolderWork::Names)
            .map(|(path, _)| (path.clone(), tree.list(path)))
            .collect();
        // Checked first, because folders that are taken over are not checked
        // again.
        let is_other = |(path, found): &FolderListings| {
            tree.became_foreign(path) || has_other_rules(path, found, folders)
        };
        if listed.iter().any(is_other) {
            return self.take_all(tree.walk(""), folders);
        }
        for (path, glance) in &glances {
            if let FolderWork::Files(files) = glance {
                self.take_files(path, files, folders);
            }
        }
        for (path, found) in listed {
            self.take_names(tree, &path, found, folders);
        }
    }

    /// Replaces all folders by a complete listing.
    fn take_all(
        &mut self,
        found: BTreeMap<String, FileListing>,
        folders: &mut BTreeMap<String, IndexedFolder>,
    ) {
        let gone: Vec<String> =
            folders.keys().filter(|path| !found.contains_key(*path)).cloned().collect();
        for path in gone {
            folders.remove(&path);
            self.removed.push(path);
        }
        for (path, listing) in found {
            self.take_listing(&path, listing, folders);
        }
    }

    fn take_files(
        &mut self,
        path: &str,
        files: &[usize],
        folders: &BTreeMap<String, IndexedFolder>,
    ) {
        let Some(folder) = folders.get(path) else { return };
        for entry in files.iter().filter_map(|index| folder.files.get(*index)) {
            self.tasks.push(ReadTask {
                folder: path.to_owned(),
                name: entry.name.clone(),
                size: entry.stamp.map_or(0, |stamp| stamp.size),
                before: Some(entry.state.clone()),
            });
        }
    }

    /// Takes over the new listing of a folder, and the folders that are new in
    /// it.
    fn take_names(
        &mut self,
        tree: &CodeTree,
        path: &str,
        mut found: BTreeMap<String, FileListing>,
        folders: &mut BTreeMap<String, IndexedFolder>,
    ) {
        // It may have vanished with the folder above it, which came first.
        if !folders.contains_key(path) {
            return;
        }
        let listing = found.remove(path).unwrap_or_default();
        if listing.stamp.is_none() && !path.is_empty() {
            return self.forget(path, folders);
        }
        let below = folders_in(path, folders);
        for gone in below.iter().filter(|folder| !found.contains_key(*folder)) {
            self.forget(gone, folders);
        }
        let names = found.keys().map(String::as_str);
        let new: BTreeSet<&str> = names.filter(|folder| !below.contains(*folder)).collect();
        for (path, listing) in walk_new(tree, path, &new) {
            self.take_listing(&path, listing, folders);
        }
        self.take_listing(path, listing, folders);
    }

    /// Forgets a folder and all below it.
    fn forget(&mut self, path: &str, folders: &mut BTreeMap<String, IndexedFolder>) {
        let below = format!("{path}/");
        let gone: Vec<String> = folders
            .keys()
            .filter(|known| *known == path || known.starts_with(&below))
            .cloned()
            .collect();
        for path in gone {
            folders.remove(&path);
            self.touched.remove(&path);
            self.tasks.retain(|task| task.folder != path);
            self.removed.push(path);
        }
    }

    fn take_listing(
        &mut self,
        path: &str,
        listing: FileListing,
        folders: &mut BTreeMap<String, IndexedFolder>,
    ) {
        let known = folders.remove(path).unwrap_or_default();
        let stamp = listing.stamp.and_then(|stamp| stamp.if_settled(self.now));
        let mut folder = IndexedFolder { stamp, files: Vec::with_capacity(listing.files.len()) };
        for met in listing.files {
            let before = known.file(&met.name);
            self.added += usize::from(before.is_none());
            match before.filter(|entry| entry.stamp == Some(met.stamp)) {
                Some(same) => folder.files.push(same.clone()),
                None => self.take_met(path, met, before, &mut folder),
            }
        }
        if folder != known || known == IndexedFolder::default() {
            self.removed.retain(|removed| removed != path);
            self.touched.insert(path.to_owned());
        }
        folders.insert(path.to_owned(), folder);
    }

    fn take_met(
        &mut self,
        path: &str,
        met: WalkedFile,
        before: Option<&IndexedFile>,
        folder: &mut IndexedFolder,
    ) {
        let settled = met.stamp.if_settled(self.now);
        let (stamp, state) = match met.sort {
            WalkedFileKind::Candidate => {
                self.tasks.push(ReadTask {
                    folder: path.to_owned(),
                    name: met.name.clone(),
                    size: met.stamp.size,
                    before: before.map(|entry| entry.state.clone()),
                });
                // Without a stamp until it is read; otherwise it would never be
                // read.
                (None, before.map_or(IndexedFileState::Other, |entry| entry.state.clone()))
            }
            WalkedFileKind::Rules => (settled, IndexedFileState::Rules),
            WalkedFileKind::Odd(why) => {
                (settled, IndexedFileState::Skipped { why: why.to_owned() })
            }
            WalkedFileKind::Unreadable(why) => (settled, IndexedFileState::Unreadable { why }),
        };
        folder.files.push(IndexedFile { name: met.name, stamp, state });
    }
}

/// A folder, and its new listing.
type FolderListings = (String, BTreeMap<String, FileListing>);

/// Lists new folders of a folder and all below them.
fn walk_new(tree: &CodeTree, folder: &str, new: &BTreeSet<&str>) -> Vec<(String, FileListing)> {
    if new.len() <= MANY_FOLDERS {
        return new.iter().flat_map(|path| tree.walk(path)).collect();
    }
    let start = if folder.is_empty() { 0 } else { folder.len() + 1 };
    let is_in_new = |path: &str| {
        let end = path.get(start..).and_then(|rest| rest.find('/'));
        new.contains(end.and_then(|end| path.get(..start + end)).unwrap_or(path))
    };
    tree.walk(folder).into_iter().filter(|(path, _)| is_in_new(path)).collect()
}

/// Returns true if the ignore rules in a folder changed.
fn has_other_rules(
    path: &str,
    found: &BTreeMap<String, FileListing>,
    folders: &BTreeMap<String, IndexedFolder>,
) -> bool {
    let (Some(known), Some(listing)) = (folders.get(path), found.get(path)) else { return false };
    let listed = listing.files.iter().filter(|met| met.sort == WalkedFileKind::Rules);
    let before = known.files.iter().filter(|file| file.state == IndexedFileState::Rules).count();
    before != listed.clone().count() || !listed.into_iter().all(|met| is_known_rule(known, met))
}

/// Returns true if an ignore file is unchanged.
fn is_known_rule(folder: &IndexedFolder, met: &WalkedFile) -> bool {
    let known = folder.file(&met.name).filter(|file| file.state == IndexedFileState::Rules);
    known.is_some_and(|file| file.stamp == Some(met.stamp))
}

/// Returns the folders directly in a folder.
fn folders_in(path: &str, folders: &BTreeMap<String, IndexedFolder>) -> HashSet<String> {
    let start = if path.is_empty() { String::new() } else { format!("{path}/") };
    let inside = folders.range(start.clone()..).map(|(known, _)| known);
    inside
        .take_while(|known| known.starts_with(&start))
        .filter(|known| !known.is_empty() && !known.get(start.len()..).unwrap_or("").contains('/'))
        .cloned()
        .collect()
}
