//! Files that gates created. They count neither for the tree nor for progress.
//!
//! That holds only while they are as the gate left them. Once another program
//! changes such a file, it is part of the work, and a pass on a tree without it
//! proves nothing.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use ralph_snapshot::path_bytes;

use super::turn;
use crate::error::EngineError;

/// The name of the list in the run's folder.
const FILE: &str = "left-out";

/// The digest of a file's contents.
type ContentDigest = [u8; 32];

/// Files that gates created, each with the contents the gates gave it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LeftoverFiles {
    files: BTreeMap<PathBuf, ContentDigest>,
    /// Files that no other program had touched when the gates started.
    owned: Vec<PathBuf>,
}

impl LeftoverFiles {
    /// Reads the list; an empty one if it is missing or unreadable.
    pub(crate) fn load(folder: &Path) -> Self {
        let bytes = ralph_files::read_own(folder.join(FILE)).unwrap_or_default();
        let entry = |record: &[u8]| {
            let (digest, path) = record.split_at_checked(64)?;
            let digest = blake3::Hash::from_hex(digest).ok()?;
            Some((path_bytes::from_bytes(path), *digest.as_bytes()))
        };
        let files = bytes.split(|byte| *byte == 0).filter_map(entry).collect();
        Self { files, owned: Vec::new() }
    }

    /// Stores the list for a driver that resumes the run.
    pub(crate) fn save(&self, folder: &Path) -> Result<(), EngineError> {
        let path = folder.join(FILE);
        if self.files.is_empty() && !path.exists() {
            return Ok(());
        }
        let mut bytes = Vec::new();
        for (name, digest) in &self.files {
            bytes.extend_from_slice(blake3::Hash::from_bytes(*digest).to_hex().as_bytes());
            bytes.extend_from_slice(&path_bytes::to_bytes(name));
            bytes.push(0);
        }
        let written = turn::make_private_folder(folder)
            .and_then(|()| ralph_files::create_own(&path))
            .and_then(|mut file| file.write_all(&bytes));
        written.map_err(|source| EngineError::Write { path, source })
    }

    /// Returns the files that are still as the gates left them. Files that
    /// another program changed are removed from the list: they belong to the
    /// tree from now on.
    pub(crate) fn untouched(&mut self, root: &Path) -> Vec<PathBuf> {
        self.files.retain(|path, digest| {
            let path = root.join(path);
            match digest_of(&path) {
                Some(present) => present == *digest,
                // A folder or an unreadable file in its place is not the
                // gate's.
                None => fs::symlink_metadata(&path).is_err(),
            }
        });
        self.owned = self.files.keys().cloned().collect();
        self.owned.clone()
    }

    /// Updates the list after gates changed their own files.
    pub(crate) fn refresh(&mut self, root: &Path) {
        for path in &self.owned {
            if let Some(digest) = digest_of(&root.join(path)) {
                self.files.insert(path.clone(), digest);
            }
        }
    }

    /// Adds files that gates created and returns their number.
    pub(crate) fn add(&mut self, root: &Path, created: impl Iterator<Item = PathBuf>) -> usize {
        let before = self.files.len();
        for path in created {
            if let Some(digest) = digest_of(&root.join(&path)) {
                self.files.insert(path, digest);
            }
        }
        self.files.len() - before
    }
}

/// Returns the digest of a file or of a link's target; `None` if there is
/// neither.
fn digest_of(path: &Path) -> Option<ContentDigest> {
    if let Ok(target) = fs::read_link(path) {
        return Some(*blake3::hash(&path_bytes::to_bytes(&target)).as_bytes());
    }
    let mut hasher = blake3::Hasher::new();
    fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file)?;
    hasher.update_reader(ralph_files::open(path).ok()?).ok()?;
    Some(*hasher.finalize().as_bytes())
}

#[cfg(test)]
#[path = "leftovers_tests.rs"]
mod tests;
