//! Findings of quick checks of edited files, stored with the run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use ralph_core::finding::{Finding, FindingCounts};
use ralph_core::look::{KnownFindings, ToolFindings};
use ralph_core::{Run, SessionId, Timestamp};
use ralph_store::{NewEvent, SqliteStore};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::driver::turn::make_private_folder;
use crate::error::EngineError;

/// The known findings of the files that were edited in a run.
#[derive(Clone, Debug)]
pub struct LookStore {
    folder: PathBuf,
}

/// The stored findings of one file.
#[derive(Default, Serialize, Deserialize)]
struct StoredFindings {
    file: String,
    tools: BTreeMap<String, BTreeSet<String>>,
}

impl LookStore {
    /// Returns those of a run, given its folder, which may not exist.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.join("looks") }
    }

    /// Returns the known findings of a file.
    pub fn known(&self, file: &str) -> KnownFindings {
        let text = ralph_files::read_own(self.path(file)).unwrap_or_default();
        known(&text, file)
    }

    /// Adds new findings of tools about a file and returns those that made it
    /// worse. Of several processes that check one file, only one returns each
    /// finding.
    pub fn take(&self, file: &str, said: Vec<ToolFindings>) -> Result<Vec<Finding>, EngineError> {
        let path = self.path(file);
        let taken = make_private_folder(&self.folder).and_then(|()| take(&path, file, said));
        taken.map_err(|source| EngineError::Write { path, source })
    }

    /// Returns true if an action that is worth doing once per `span` is due. It
    /// then counts as done.
    pub fn mark_due(&self, what: &str, span: Duration) -> bool {
        let path = self.folder.join(what);
        let done = fs::metadata(&path).and_then(|found| found.modified());
        let is_recent = done.is_ok_and(|done| done.elapsed().is_ok_and(|elapsed| elapsed < span));
        // An action that cannot be noted would be repeated every time.
        !is_recent
            && make_private_folder(&self.folder)
                .and_then(|()| ralph_files::write_own(path, ""))
                .is_ok()
    }

    fn path(&self, file: &str) -> PathBuf {
        let name = blake3::hash(file.as_bytes()).to_hex();
        self.folder.join(format!("{}.json", &name.as_str()[..32]))
    }
}

fn known(text: &[u8], file: &str) -> KnownFindings {
    let kept: StoredFindings = serde_json::from_slice(text).unwrap_or_default();
    if kept.file == file { KnownFindings::new(kept.tools) } else { KnownFindings::default() }
}

fn take(path: &Path, file: &str, said: Vec<ToolFindings>) -> io::Result<Vec<Finding>> {
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false);
    let mut handle = options.open(path)?;
    handle.lock()?;
    let mut text = Vec::new();
    handle.read_to_end(&mut text)?;
    let mut known = known(&text, file);
    let fresh = known.take(said);
    let kept = StoredFindings { file: file.to_owned(), tools: known.tools().clone() };
    handle.set_len(0)?;
    handle.rewind()?;
    handle.write_all(&serde_json::to_vec(&kept)?)?;
    Ok(fresh)
}

/// The result of a quick check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LookResult {
    /// The files that were checked.
    pub files: Vec<String>,
    /// Counts of their findings.
    pub counts: FindingCounts,
    /// Number of findings that are new and were reported.
    pub fresh: usize,
    /// The tools that answered.
    pub tools: BTreeSet<String>,
    /// The tools that did not answer in time, or not at all.
    pub silent: BTreeSet<String>,
}

/// Stores the result of a quick check of edited files.
pub fn record_look(
    store: &SqliteStore,
    session: Option<&SessionId>,
    run: &Run,
    seen: &LookResult,
    now: Timestamp,
) -> Result<(), EngineError> {
    let FindingCounts { errors, security, warnings, infos } = seen.counts;
    let data = json!({
        "files": seen.files, "errors": errors, "security": security, "warnings": warnings,
        "infos": infos, "new": seen.fresh, "tools": seen.tools, "silent": seen.silent,
    });
    store.append(&NewEvent {
        run: Some(run.id.clone()),
        iteration: Some(run.iteration),
        session: session.cloned(),
        kind: "diagnostics".to_owned(),
        at: now,
        data: data.to_string(),
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::thread;

    use ralph_core::finding::{FindingLevel, SourceLocation};

    use super::*;

    fn said(file: &str) -> Vec<ToolFindings> {
        let place = SourceLocation { file: file.to_owned(), line: Some(1), column: None };
        let finding = Finding {
            tool: "ruff".to_owned(),
            rule: None,
            level: FindingLevel::Error,
            place,
            message: "bad".to_owned(),
            fingerprint: "ruff bad".to_owned(),
        };
        let (tool, file) = ("ruff".to_owned(), file.to_owned());
        vec![ToolFindings { tool, file, now: vec![finding], start: None }]
    }

    #[test]
    fn a_finding_is_told_once_however_many_look_at_the_file() {
        let home = tempfile::tempdir().unwrap();
        let looks = LookStore::new(home.path());
        let told: usize = thread::scope(|scope| {
            let look = || looks.take("a.py", said("a.py")).unwrap().len();
            let all: Vec<_> = (0..8).map(|_| scope.spawn(look)).collect();
            all.into_iter().map(|one| one.join().unwrap()).sum()
        });
        assert_eq!(told, 1);
        assert!(looks.known("a.py").has("ruff") && !looks.known("b.py").has("ruff"));
        assert_eq!(looks.take("b.py", said("b.py")).unwrap().len(), 1);
    }

    #[test]
    fn what_is_damaged_counts_as_not_known() {
        let home = tempfile::tempdir().unwrap();
        let looks = LookStore::new(home.path());
        looks.take("a.py", said("a.py")).unwrap();
        fs::write(looks.path("a.py"), "{\"file\":").unwrap();
        assert!(!looks.known("a.py").has("ruff"));
        assert_eq!(looks.take("a.py", said("a.py")).unwrap().len(), 1);
        assert!(looks.known("a.py").has("ruff"));
    }

    #[test]
    fn what_was_just_done_is_not_due() {
        let home = tempfile::tempdir().unwrap();
        let looks = LookStore::new(home.path());
        let hour = Duration::from_hours(1);
        assert!(looks.mark_due("warm", hour) && !looks.mark_due("warm", hour));
        assert!(looks.mark_due("warm", Duration::ZERO) && looks.mark_due("other", hour));
    }
}
