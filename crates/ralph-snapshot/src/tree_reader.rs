//! Reads tree objects through one git process, and caches them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{BufReader, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::TreeError;
use crate::git::Git;
use crate::git_objects::{AT_ONCE, read_head};
use crate::git_watch::{WatchedGit, WatchedInput, WatchedOutput};
use crate::oid::{ObjectKind, Oid};
use crate::path_bytes;
use crate::snapshot::{PathDifference, TreeItem};
use crate::tree_object::{self, GitFolder, TreeNode};

/// Maximum number of folders in the cache.
const REMEMBERED: usize = 4096;

/// Folders by the ids of their objects, which never change.
pub(crate) type FolderCache = Mutex<HashMap<Oid, Arc<GitFolder>>>;

/// Reads trees; starts git only when the cache lacks one.
pub(crate) struct TreeReader<'a> {
    git: &'a Git,
    remembered: &'a FolderCache,
    /// All folders that this reader has read, so that a cleared cache does not
    /// matter.
    seen: HashMap<Oid, Arc<GitFolder>>,
    process: Option<CatFileProcess>,
}

struct CatFileProcess {
    child: WatchedGit,
    stdin: WatchedInput,
    stdout: BufReader<WatchedOutput>,
}

impl<'a> TreeReader<'a> {
    pub(crate) fn new(git: &'a Git, remembered: &'a FolderCache) -> Self {
        Self { git, remembered, seen: HashMap::new(), process: None }
    }

    /// Returns those of `folders` that a tree has; the root is an empty path.
    pub(crate) fn look_up(
        &mut self,
        tree: Oid,
        folders: &[&[u8]],
    ) -> Result<BTreeMap<Vec<u8>, (Oid, GitFolder)>, TreeError> {
        let depth = |path: &[u8]| match path {
            [] => 0,
            path => path.split(|byte| *byte == b'/').count(),
        };
        let deepest = folders.iter().map(|path| depth(path)).max().unwrap_or(0);
        let mut found: BTreeMap<Vec<u8>, (Oid, GitFolder)> = BTreeMap::new();
        for level in 0..=deepest {
            let here = folders.iter().filter(|path| depth(path) == level);
            let here = here.filter_map(|path| Some((*path, id_in(tree, path, &found)?)));
            let here: Vec<_> = here.collect();
            let ids: Vec<Oid> = here.iter().map(|(_, id)| *id).collect();
            self.load(&ids)?;
            for (path, id) in here {
                found.insert(path.to_vec(), (id, self.folder(id)?.as_ref().clone()));
            }
        }
        Ok(found)
    }

    /// Returns the paths that differ between two trees, ordered.
    pub(crate) fn differences(
        &mut self,
        from: Oid,
        to: Oid,
    ) -> Result<Vec<PathDifference>, TreeError> {
        let mut differences = Vec::new();
        let mut level = vec![(Vec::new(), Some(from), Some(to))];
        while !level.is_empty() {
            let ids: Vec<Oid> =
                level.iter().flat_map(|(_, from, to)| [*from, *to]).flatten().collect();
            self.load(&ids)?;
            let mut next = Vec::new();
            for (prefix, from, to) in level {
                let side = |id: Option<Oid>| id.map(|id| self.folder(id)).transpose();
                let (from, to) = (side(from)?.unwrap_or_default(), side(to)?.unwrap_or_default());
                let names: BTreeSet<&Vec<u8>> = from.keys().chain(to.keys()).collect();
                for name in names {
                    let (from, to) = (from.get(name).copied(), to.get(name).copied());
                    if from == to {
                        continue;
                    }
                    let path = [&*prefix, name].concat();
                    let below = |node: Option<TreeNode>| node.filter(|node| node.is_folder());
                    if below(from).or(below(to)).is_some() {
                        let id = |node| below(node).map(|node| node.id);
                        next.push(([&*path, b"/"].concat(), id(from), id(to)));
                    }
                    let (from, to) = (item(from), item(to));
                    if from != to {
                        differences.push(PathDifference {
                            path: path_bytes::from_bytes(&path),
                            from,
                            to,
                        });
                    }
                }
            }
            level = next;
        }
        differences.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(differences)
    }

    fn folder(&self, id: Oid) -> Result<Arc<GitFolder>, TreeError> {
        self.seen.get(&id).cloned().ok_or_else(|| unknown(id))
    }

    fn load(&mut self, ids: &[Oid]) -> Result<(), TreeError> {
        let mut wanted: BTreeSet<Oid> =
            ids.iter().copied().filter(|id| !self.seen.contains_key(id)).collect();
        let remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        self.seen
            .extend(wanted.iter().filter_map(|id| Some((*id, Arc::clone(remembered.get(id)?)))));
        drop(remembered);
        wanted.retain(|id| !self.seen.contains_key(id));
        let wanted: Vec<Oid> = wanted.into_iter().collect();
        for ids in wanted.chunks(AT_ONCE) {
            let read = self.read(ids)?;
            let mut remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
            if remembered.len() > REMEMBERED {
                remembered.clear();
            }
            for (id, folder) in ids.iter().zip(read) {
                remembered.insert(*id, Arc::clone(&folder));
                self.seen.insert(*id, folder);
            }
        }
        Ok(())
    }

    fn read(&mut self, ids: &[Oid]) -> Result<Vec<Arc<GitFolder>>, TreeError> {
        let common = self.git.dirs().common.clone();
        let talking = || TreeError::io("read objects of", &common);
        if self.process.is_none() {
            let mut child = self.git.reading("cat-file").args(["--batch"]).converse()?;
            if let (Some(stdin), Some(stdout)) = (child.take_input(), child.take_output()) {
                self.process =
                    Some(CatFileProcess { child, stdin, stdout: BufReader::new(stdout) });
            }
        }
        let Some(process) = &mut self.process else { return Ok(Vec::new()) };
        let asked: Vec<u8> = ids.iter().flat_map(|id| format!("{id}\n").into_bytes()).collect();
        process.stdin.write_all(&asked).map_err(talking())?;
        let mut read = Vec::new();
        for id in ids {
            let Ok(size) = read_head(&mut process.stdout, &id.to_string()) else {
                return Err(unknown(*id));
            };
            let mut object = Vec::new();
            let mut contents = (&mut process.stdout).take(size + 1);
            contents.read_to_end(&mut object).map_err(talking())?;
            object.pop();
            if Oid::of(ObjectKind::Tree, &object) != *id {
                return Err(TreeError::Altered { id: id.to_string() });
            }
            let folder = tree_object::parse(&object).ok_or_else(|| unknown(*id))?;
            read.push(Arc::new(folder));
        }
        Ok(read)
    }
}

impl Drop for TreeReader<'_> {
    fn drop(&mut self) {
        if let Some(CatFileProcess { mut child, stdin, stdout }) = self.process.take() {
            drop((stdin, stdout));
            // It exits once its pipes are closed; its status does not matter.
            let _ = child.wait();
        }
    }
}

fn unknown(id: Oid) -> TreeError {
    TreeError::UnknownTree { id: ralph_core::TreeId::new(id.to_string()) }
}

fn item(node: Option<TreeNode>) -> Option<TreeItem> {
    let node = node?;
    Some(TreeItem { kind: node.kind()?, content: node.id.to_string() })
}

/// Returns the object of a folder whose parent was found before.
fn id_in(tree: Oid, path: &[u8], found: &BTreeMap<Vec<u8>, (Oid, GitFolder)>) -> Option<Oid> {
    if path.is_empty() {
        return Some(tree);
    }
    let slash = path.iter().rposition(|byte| *byte == b'/');
    let (parent, name) = slash.map_or((&b""[..], path), |at| (&path[..at], &path[at + 1..]));
    let node = found.get(parent)?.1.get(name)?;
    node.is_folder().then_some(node.id)
}
