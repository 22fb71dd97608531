//! The summary of a session, stored in the run's folder for the next one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ralph_core::SessionId;
use ralph_redact::redact;
use serde_json::{Value, json};

use crate::driver::turn::make_private_folder;
use crate::error::EngineError;

/// The name of the file in the run's folder.
const FILE: &str = "summary.json";

/// The last summary of a run.
pub(super) struct RunSummary {
    /// The session that it summarizes.
    pub(super) of: String,
    pub(super) text: String,
}

/// Returns the last summary of the run with this folder.
pub(super) fn load(folder: &Path) -> Option<RunSummary> {
    let value: Value =
        serde_json::from_slice(&ralph_files::read_own(folder.join(FILE)).ok()?).ok()?;
    let text = |name: &str| value.get(name)?.as_str().map(str::to_owned);
    Some(RunSummary { of: text("of")?, text: text("text")? })
}

/// Stores a summary with its run, replacing the earlier one.
pub(super) fn keep(folder: &Path, of: &SessionId, text: &str) -> Result<(), EngineError> {
    let row = json!({ "of": of.as_str(), "text": redact(text) }).to_string();
    let path = folder.join(FILE);
    let written = make_private_folder(folder).and_then(|()| replace(&path, &row));
    written.map_err(|source| EngineError::Write { path, source })
}

/// Replaces a file in one step, so that no reader gets half of it.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let beside = beside(path);
    ralph_files::write_own(&beside, text)?;
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
}
