//! Copies of the settings files that a run started with.
//!
//! If a later edit breaks the settings, the run continues with the copies.

use std::io;
use std::path::{Path, PathBuf};

use crate::driver::turn::make_private_folder;

/// The folder of the copies in the run's folder.
const FOLDER: &str = "settings";

/// The file with the fault that was last reported.
const FAULT: &str = "fault";

/// The file with the hash of the project's settings that the user accepted for the run.
const ACCEPTED: &str = "accepted";

/// Returns the folder of the copies in the run's folder.
pub fn folder(run: &Path) -> PathBuf {
    run.join(FOLDER)
}

/// Copies settings files, each under a name. A missing file is left out.
pub fn keep(run: &Path, files: &[(&str, &Path)]) -> io::Result<()> {
    let folder = folder(run);
    make_private_folder(&folder)?;
    for (name, path) in files {
        match ralph_files::read(path) {
            Ok(text) => ralph_files::write_own(folder.join(name), &text)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Records the hash of the project's settings that count for a run; empty if there are none.
pub fn note_accepted(run: &Path, digest: &str) -> io::Result<()> {
    let folder = folder(run);
    make_private_folder(&folder)?;
    ralph_files::write_own(folder.join(ACCEPTED), digest)
}

/// Returns that hash; `None` for a run of a version that did not record it.
pub fn accepted(run: &Path) -> Option<String> {
    ralph_files::read_own_text(folder(run).join(ACCEPTED)).ok()
}

/// Notes a fault of the present files. Returns true if it differs from the last
/// one.
pub fn note_fault(run: &Path, fault: &str) -> bool {
    let file = folder(run).join(FAULT);
    if ralph_files::read_own_text(&file).is_ok_and(|known| known == fault) {
        return false;
    }
    // If that fails, it is reported once more.
    let _ = ralph_files::write_own(&file, fault);
    true
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn files_are_copied_and_a_fault_is_new_once() {
        let place = tempfile::tempdir().unwrap();
        let run = place.path().join("runs/run-1");
        let file = place.path().join("ralph.toml");
        fs::write(&file, "[run]\n").unwrap();
        let missing = place.path().join("missing");
        keep(&run, &[("project.toml", &file), ("user.toml", &missing)]).unwrap();
        let copy = folder(&run).join("project.toml");
        assert_eq!(fs::read_to_string(copy).unwrap(), "[run]\n");
        assert!(!folder(&run).join("user.toml").exists());
        assert!(note_fault(&run, "line 1") && !note_fault(&run, "line 1"));
        assert!(note_fault(&run, "line 2"));
    }
}
