//! Old sessions that collections should delete.
//!
//! The clock cannot be changed for one process. So their records are added beside the
//! log, as a hook does that finds the log locked.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::failure::TaskFailure;

/// Number of sessions that are added together.
const SESSIONS: u32 = 3;

/// Ages of the sessions, in turn: too old to be kept, and old enough to go if there is too much.
const AGES: [Duration; 2] = [Duration::from_hours(24 * 60), Duration::from_hours(24 * 3)];

/// The beginning of their names.
const NAME: &str = "long-ago";

/// Adds old sessions.
pub(super) struct OldSessionWriter {
    folder: PathBuf,
    pub(super) handed_in: u32,
}

impl OldSessionWriter {
    /// Makes sessions for the log beside this index.
    pub(super) fn new(index: &Path) -> Self {
        Self { folder: index.with_file_name("memory"), handed_in: 0 }
    }

    /// Adds more sessions.
    pub(super) fn hand_in(&mut self) -> Result<(), TaskFailure> {
        self.add().map_err(|error| TaskFailure::io(&self.folder, &error))
    }

    fn add(&mut self) -> io::Result<()> {
        let beside = self.folder.join("old-sessions.tmp");
        fs::write(&beside, "")?;
        let now = written(&beside)?;
        let mut text = String::new();
        for number in self.handed_in..self.handed_in + SESSIONS {
            let age = AGES.iter().cycle().nth(number as usize).copied().unwrap_or_default();
            let at = u64::try_from(now.saturating_sub(age).as_millis()).unwrap_or_default();
            for event in session(&format!("{NAME}-{number}"), at) {
                let json = event.to_string();
                let checksum = blake3::hash(json.as_bytes()).to_hex();
                let _ = writeln!(text, "{} {json}", checksum.as_str().get(..16).unwrap_or(""));
            }
        }
        fs::write(&beside, text)?;
        fs::rename(beside, self.folder.join(format!("late.{:020}.old", now.as_millis())))?;
        self.handed_in += SESSIONS;
        Ok(())
    }
}

/// Returns the records of a session in which something was asked and done.
fn session(name: &str, at: u64) -> [Value; 3] {
    [
        json!({ "at": at, "session": name, "actor": "ralph", "kind": "opened",
            "data": { "source": "new" } }),
        json!({ "at": at + 1, "session": name, "actor": "user", "kind": "asked",
            "data": { "text": "What was asked long ago" } }),
        json!({ "at": at + 2, "session": name, "actor": "agent", "kind": "observed",
            "data": { "tool": "Write", "files": ["old.txt"] } }),
    ]
}

/// Returns when a file was last written, since 1970; for a file just written, the
/// present.
fn written(file: &Path) -> io::Result<Duration> {
    let at = file.metadata()?.modified()?;
    Ok(at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default())
}

/// Returns true if a session is one of the old ones.
pub(super) fn is_one(session: &Value) -> bool {
    session["session_id"].as_str().is_some_and(|name| name.starts_with(NAME))
}
