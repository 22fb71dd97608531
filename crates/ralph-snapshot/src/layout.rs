//! Files by folder, so that an unchanged folder need not be read again.

use std::path::PathBuf;
use std::sync::Arc;

use crate::manifest::{ManifestEntry, ManifestEntryKind, TreeManifest};
use crate::path_bytes;
use crate::rules::{FolderRules, WalkInputs};
use crate::scope::{LeftOutFile, WhyLeftOut};
use crate::stat::FolderStat;

/// All folders that a walk entered.
#[derive(Clone, Debug, Default)]
pub(crate) struct FolderLayout {
    /// `None` if the next walk has to enter all folders again.
    pub(crate) grounds: Option<WalkInputs>,
    pub(crate) folders: Vec<WalkedFolder>,
}

/// One folder.
#[derive(Clone, Debug)]
pub(crate) struct WalkedFolder {
    /// Relative to the root, which is the empty path.
    pub(crate) path: Vec<u8>,
    /// Metadata at which `files` was complete. `None` if the folder has to be
    /// read again.
    pub(crate) stat: Option<FolderStat>,
    /// `None` if they are unknown or too new to be trusted.
    pub(crate) rules: Option<FolderRules>,
    pub(crate) files: Vec<KnownFile>,
}

/// A file that no rule ignores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KnownFile {
    /// Relative to the root.
    pub(crate) path: Arc<[u8]>,
    pub(crate) bytes: u64,
    /// `None` if it is too large to count.
    pub(crate) entry: Option<ManifestEntry>,
}

impl WalkedFolder {
    /// Creates a folder that is not read yet.
    pub(crate) fn unread(path: Vec<u8>) -> Self {
        Self { path, stat: None, rules: None, files: Vec::new() }
    }

    /// Returns the name of a file in this folder.
    pub(crate) fn name_of<'a>(&self, file: &'a KnownFile) -> &'a [u8] {
        let above = if self.path.is_empty() { 0 } else { self.path.len() + 1 };
        file.path.get(above..).unwrap_or_default()
    }
}

impl KnownFile {
    /// Returns the file with the reason why snapshots leave it out, if they do.
    pub(crate) fn left_out(&self) -> Option<LeftOutFile> {
        let why = match self.entry.as_ref().map(|entry| entry.kind) {
            None => WhyLeftOut::TooLarge,
            Some(ManifestEntryKind::Unreadable) => WhyLeftOut::Unreadable,
            Some(
                ManifestEntryKind::File | ManifestEntryKind::Executable | ManifestEntryKind::Link,
            ) => return None,
        };
        Some(LeftOutFile { path: path_bytes::from_bytes(&self.path), bytes: self.bytes, why })
    }
}

impl FolderLayout {
    pub(crate) fn files(&self) -> impl Iterator<Item = &KnownFile> {
        self.folders.iter().flat_map(|folder| &folder.files)
    }

    /// Returns a manifest of the files that count, and of those in `more`.
    pub(crate) fn manifest(&self, more: &[KnownFile]) -> TreeManifest {
        let counts = |file: &KnownFile| Some((Arc::clone(&file.path), file.entry.clone()?));
        self.files().chain(more).filter_map(counts).collect()
    }

    /// Returns the folders without a file that counts, ordered.
    pub(crate) fn empty_folders(&self, manifest: &TreeManifest) -> Vec<PathBuf> {
        let filled: std::collections::HashSet<&[u8]> =
            manifest.iter().flat_map(|(path, _)| folders_above(path)).collect();
        let is_empty = |path: &&[u8]| !path.is_empty() && !filled.contains(path);
        let paths = self.folders.iter().map(|folder| &*folder.path);
        let mut found: Vec<_> = paths.filter(is_empty).map(path_bytes::from_bytes).collect();
        found.sort();
        found
    }
}

/// Returns the folders above a path, the nearest first and the root last.
pub(crate) fn folders_above(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::successors(Some(path), |path| folder_of(path)).skip(1)
}

fn folder_of(path: &[u8]) -> Option<&[u8]> {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(end) => path.get(..end),
        None if path.is_empty() => None,
        None => Some(b""),
    }
}
