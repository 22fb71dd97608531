//! What a session was summed up in: for the user in the project, for the next
//! session in the run's folder.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use ralph_core::SessionId;
use ralph_core::redact::redact;
use serde_json::{Value, json};

use crate::driver::turn::{make_private_folder, private_file};
use crate::error::EngineError;

/// The file's name in the run's folder.
const FILE: &str = "summary.json";

/// The last summary of a run.
pub(super) struct Summary {
    /// The session that was summed up.
    pub(super) of: String,
    pub(super) text: String,
}

/// The last summary of the run with this folder.
pub(super) fn load(folder: &Path) -> Option<Summary> {
    let value: Value = serde_json::from_slice(&fs::read(folder.join(FILE)).ok()?).ok()?;
    let text = |name: &str| value.get(name)?.as_str().map(str::to_owned);
    Some(Summary { of: text("of")?, text: text("text")? })
}

/// Keeps a summary with its run. It replaces the one before as a whole.
pub(super) fn keep(folder: &Path, of: &SessionId, text: &str) -> Result<(), EngineError> {
    let row = json!({ "of": of.as_str(), "text": redact(text) }).to_string();
    let path = folder.join(FILE);
    let written = make_private_folder(folder).and_then(|()| replace(&path, &row));
    written.map_err(|source| EngineError::Write { path, source })
}

/// Writes a summary where the user finds it. Git does not see it, so that it
/// is no change of the project.
pub(super) fn publish(root: &Path, path: &Path, text: &str) -> Result<(), EngineError> {
    let failed = |source| EngineError::Write { path: path.to_owned(), source };
    let folder = path.parent().unwrap_or(root);
    fs::create_dir_all(folder).map_err(failed)?;
    if !is_below(root, folder).map_err(failed)? {
        let source = io::Error::new(io::ErrorKind::PermissionDenied, "it leads out of the project");
        return Err(failed(source));
    }
    if let Some(all) = folder.parent() {
        // Without it the file is still good.
        let _ = fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(all.join(".gitignore"))
            .and_then(|mut file| file.write_all(b"*\n"));
    }
    replace(path, &redact(text)).map_err(failed)
}

/// Whether a folder is where its name says, links followed.
fn is_below(root: &Path, folder: &Path) -> io::Result<bool> {
    Ok(folder.canonicalize()?.starts_with(root.canonicalize()?))
}

/// Puts a file in the place of another one, so that nobody reads half of it.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let beside = beside(path);
    private_file(&beside)?.write_all(text.as_bytes())?;
    fs::rename(&beside, path)
}

fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}", std::process::id()));
    path.with_file_name(name)
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

    #[test]
    fn the_last_summary_is_known_with_its_session_and_without_secrets() {
        let folder = tempfile::tempdir().unwrap();
        assert!(load(folder.path()).is_none());
        let of = SessionId::new("ses_1").unwrap();
        keep(folder.path(), &of, "It went well.\npassword=correct-horse-battery\n").unwrap();
        let known = load(folder.path()).unwrap();
        assert_eq!(known.of, "ses_1");
        assert!(known.text.starts_with("It went well.\n"), "{}", known.text);
        assert!(!known.text.contains("correct-horse"), "{}", known.text);
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
