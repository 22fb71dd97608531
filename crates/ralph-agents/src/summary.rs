//! Publishes a session's summary where the user finds it.

use std::io::{self, Write};
use std::path::Path;
use std::{fs, process};

use ralph_redact::redact;

/// Writes a summary into the project, atomically and without secrets. Git
/// ignores it, so it is not a change of the project.
pub fn publish(root: &Path, path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(root);
    fs::create_dir_all(folder)?;
    if !is_below(root, folder)? {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it leads out of the project"));
    }
    if let Some(all) = folder.parent() {
        // The `.gitignore` is optional.
        let _ = fs::File::create_new(all.join(".gitignore"))
            .and_then(|mut file| file.write_all(b"*\n"));
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}", process::id()));
    let beside = path.with_file_name(name);
    private_file(&beside)?.write_all(redact(text).as_bytes())?;
    fs::rename(&beside, path)
}

/// Returns true if a folder lies below `root`, with links resolved.
fn is_below(root: &Path, folder: &Path) -> io::Result<bool> {
    Ok(folder.canonicalize()?.starts_with(root.canonicalize()?))
}

fn private_file(path: &Path) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_where_it_belongs_to_the_letter_and_out_of_sight_of_git() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join(".host/sessions/sess_123/ralph_summary.md");
        for text in ["# 요약\n\n처음", "다음"] {
            publish(root.path(), &path, text).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        let ignored = root.path().join(".host/sessions/.gitignore");
        assert_eq!(fs::read_to_string(ignored).unwrap(), "*\n");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_does_not_lead_a_summary_out_of_the_project() {
        let (root, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink(other.path(), root.path().join("sessions")).unwrap();
        let path = root.path().join("sessions/ses_1/summary.md");
        assert!(publish(root.path(), &path, "text").is_err());
        assert!(!other.path().join("ses_1/summary.md").exists());
    }
}
