//! Temporary projects for tests.

use std::fs;
use std::path::{Path, PathBuf};

use crate::index::Index;

/// A time long after all writes of a test, so that every stamp is settled.
pub(crate) const LATER: i64 = i64::MAX;

/// A project in a folder of its own.
pub(crate) struct ScratchCodebase {
    folder: tempfile::TempDir,
}

impl ScratchCodebase {
    /// Creates a project with these files.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let scratch = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(scratch.root()).unwrap();
        for (path, text) in files {
            scratch.write(path, text);
        }
        scratch
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn remove(&self, path: &str) {
        fs::remove_file(self.path(path)).unwrap();
    }

    /// Returns its index, updated.
    pub(crate) fn index(&self) -> Index {
        self.index_in(&self.state())
    }

    /// Returns its index in another state folder, updated.
    pub(crate) fn index_in(&self, state: &Path) -> Index {
        let mut index = Index::open(&self.root(), state).unwrap();
        index.update(LATER, &mut |_| {}).unwrap();
        index
    }
}
