//! A disk so small that it can be filled.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::stage::MeasuredExit;
use crate::failure::TaskFailure;

/// A mounted disk, until it is dropped.
pub(super) struct MountedDisk(PathBuf);

impl MountedDisk {
    /// Mounts a disk of this many KiB; `None` without the right to mount.
    pub(super) fn mount(folder: &Path, kib: u32) -> Result<Option<Self>, TaskFailure> {
        fs::create_dir_all(folder).map_err(|error| TaskFailure::io(folder, &error))?;
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={kib}k"), "tmpfs"]).arg(folder);
        let mounted = mount.output().is_ok_and(|output| output.status.success());
        Ok(mounted.then(|| Self(folder.to_owned())))
    }

    /// Fills the disk except for about this many bytes.
    pub(super) fn fill(&self, but_for: usize) -> Result<(), TaskFailure> {
        let path = self.filler();
        let wrong = |error| TaskFailure::io(&path, &error);
        let mut file = File::create(&path).map_err(wrong)?;
        let block = [0; 4096];
        let mut blocks = 0_u64;
        while file.write_all(&block).is_ok() {
            blocks += 1;
        }
        let bytes = (blocks * 4096).saturating_sub(but_for as u64);
        file.set_len(bytes).map_err(wrong)
    }

    /// Removes the file that [`Self::fill`] wrote.
    pub(super) fn make_room(&self) -> Result<(), TaskFailure> {
        let path = self.filler();
        fs::remove_file(&path).map_err(|error| TaskFailure::io(&path, &error))
    }

    fn filler(&self) -> PathBuf {
        self.0.join("filler")
    }
}

impl Drop for MountedDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).output();
    }
}

/// Checks that the error names the cause and is not a crash.
pub(super) fn expect_clear_error(finished: &MeasuredExit) -> Result<(), TaskFailure> {
    let said = finished.stderr.to_lowercase();
    if finished.code.is_none() || said.contains("panicked") {
        return Err(TaskFailure::Failed(format!("it crashed: {}", finished.stderr.trim())));
    }
    if said.contains("error:") && (said.contains("full") || said.contains("space")) {
        return Ok(());
    }
    Err(TaskFailure::Failed(format!("a full disk is not told: {}", finished.stderr.trim())))
}
