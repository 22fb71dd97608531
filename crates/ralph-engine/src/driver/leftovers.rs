//! Files that gates created: they belong neither to the tree nor to progress.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::EngineError;

/// The list's name in the run's folder.
const FILE: &str = "left-out";

/// The files known so far; none when the list is missing or unreadable.
pub(crate) fn load(folder: &Path) -> BTreeSet<PathBuf> {
    let bytes = fs::read(folder.join(FILE)).unwrap_or_default();
    bytes.split(|byte| *byte == 0).filter(|name| !name.is_empty()).map(path_of).collect()
}

/// Keeps the list for a driver that resumes the run.
pub(crate) fn save(folder: &Path, paths: &BTreeSet<PathBuf>) -> Result<(), EngineError> {
    let path = folder.join(FILE);
    let mut bytes = Vec::new();
    for name in paths {
        bytes.extend_from_slice(name.as_os_str().as_encoded_bytes());
        bytes.push(0);
    }
    let written = super::turn::make_private_folder(folder).and_then(|()| fs::write(&path, bytes));
    written.map_err(|source| EngineError::Write { path, source })
}

#[cfg(unix)]
fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    PathBuf::from(OsString::from_vec(bytes.to_vec()))
}

#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsString::from(String::from_utf8_lossy(bytes).into_owned()))
}
