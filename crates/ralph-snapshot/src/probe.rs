//! Short-lived files that test if a folder is writable, read its clock, or
//! replace a file in one step.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::SystemTime;

/// Prefix of unfinished files. Git uses it for its objects, so `git gc` removes
/// leftovers of a killed process.
pub(crate) const PREFIX: &str = "tmp_obj_ralph";

/// Returns a path in `dir` that no other process or thread uses.
pub(crate) fn unique_path(dir: &Path, prefix: &str) -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    dir.join(format!("{prefix}-{}-{count}", std::process::id()))
}

/// Returns true if a file can be created and filled in `dir`.
///
/// It creates one: permission bits ignore read-only mounts, quotas, access
/// lists and the super user.
pub(crate) fn takes_files(dir: &Path) -> bool {
    now_in(dir).is_ok()
}

/// Returns true if the file can be opened for reading.
pub(crate) fn may_be_read(path: &Path) -> bool {
    File::open(path).is_ok()
}

/// Returns the present time by the clock that stamps files in `dir`.
///
/// File times are only comparable with each other: a network mount may have a
/// clock of its own.
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

/// Replaces `path` by a file with `contents`. Readers see the old or the new
/// file, never a part.
pub(crate) fn write_atomically(path: &Path, contents: &[u8]) -> io::Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    let temporary = unique_path(dir, PREFIX);
    let written = fs::write(&temporary, contents).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // The first error is returned; the leftover is harmless.
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
