//! Short-lived files: they tell whether a folder takes files, what time it
//! is there, and they carry contents to their final name in one step.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::SystemTime;

/// The name git gives its own unfinished objects, so that `git gc` removes
/// ours too should we be killed before we do.
pub(crate) const PREFIX: &str = "tmp_obj_ralph";

/// A path in `dir` that no other process or thread uses.
pub(crate) fn unique_path(dir: &Path, prefix: &str) -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    dir.join(format!("{prefix}-{}-{count}", std::process::id()))
}

/// Whether a file can be created and filled in `dir`.
///
/// Asked by doing it: permission bits say nothing about read-only mounts,
/// quotas, access lists and the super user.
pub(crate) fn takes_files(dir: &Path) -> bool {
    now_in(dir).is_ok()
}

/// Whether the file can be opened for reading.
pub(crate) fn may_be_read(path: &Path) -> bool {
    File::open(path).is_ok()
}

/// The present time by the clock that stamps the files in `dir`.
///
/// File times are only comparable with each other: a network mount may
/// have a clock of its own.
pub(crate) fn now_in(dir: &Path) -> io::Result<SystemTime> {
    let path = unique_path(dir, PREFIX);
    let asked = File::create_new(&path).and_then(|mut file| {
        file.write_all(b"probe\n")?;
        file.metadata()?.modified()
    });
    if asked.is_ok() || path.exists() {
        fs::remove_file(&path)?;
    }
    asked
}

/// Replaces `path` by a file with `contents`; readers see the old or the
/// new one, never a part.
pub(crate) fn write_atomically(path: &Path, contents: &[u8]) -> io::Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    let temporary = unique_path(dir, PREFIX);
    let written = fs::write(&temporary, contents).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // The first error is the one to tell; the leftover is harmless.
        let _ = fs::remove_file(&temporary);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_probe_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        assert!(takes_files(dir.path()));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_missing_folder_and_a_file_take_no_files() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(!takes_files(&file));
        assert!(!takes_files(&dir.path().join("nowhere")));
    }
}
